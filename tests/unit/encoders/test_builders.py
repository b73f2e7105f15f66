"""The builders: clauses, cardinalities and counters against brute force."""

from itertools import product

import pytest
from pysat.solvers import Solver

from plansolve.encoders.builder import FALSE, TRUE
from plansolve.encoders.cnf import CnfBuilder

# The CNF builder


def test_constants_are_folded_out_of_clauses():
    builder = CnfBuilder()
    a, b = builder.new(), builder.new()
    builder.clause(a, TRUE, -b)
    builder.clause(a, FALSE, -b)
    builder.clause(a, -TRUE)
    builder.clause(-FALSE, b)
    assert builder.clauses == [[a, -b], [a]]
    assert builder.variables == 2


def test_the_empty_clause_is_a_contradiction_in_two_units():
    for literals in ((), (FALSE,), (FALSE, -TRUE)):
        builder = CnfBuilder()
        builder.clause(*literals)
        assert builder.clauses == [[1], [-1]]
        assert builder.variables == 1


def models(builder, variables):
    """The assignments of `variables` (as tuples of 0 and 1) that some model has."""
    with Solver(name="cadical195", bootstrap_with=builder.clauses) as solver:
        return {
            values
            for values in product((0, 1), repeat=len(variables))
            if solver.solve(
                assumptions=[v if x else -v for v, x in zip(variables, values, strict=True)]
            )
        }


def value(literal, values):
    if abs(literal) == TRUE:
        return int(literal == TRUE)
    return values[abs(literal) - 1] if literal > 0 else 1 - values[abs(literal) - 1]


LITERAL_LISTS = [
    [],
    [1],
    [-1],
    [1, 2],
    [1, -2],
    [1, 2, 3],
    [-1, -2, -3],
    [TRUE],
    [FALSE],
    [TRUE, 1],
    [FALSE, 1, 2],
    [TRUE, TRUE],
    [TRUE, TRUE, 1],
    [TRUE, FALSE, 1, -2],
    [1, 2, 3, 4],
]


@pytest.mark.parametrize(
    ("method", "accepts"),
    [
        ("clause", lambda total: total >= 1),
        ("at_most_one", lambda total: total <= 1),
        ("exactly_one", lambda total: total == 1),
    ],
)
def test_each_constraint_accepts_exactly_the_assignments_that_it_means(method, accepts):
    for literals in LITERAL_LISTS:
        builder = CnfBuilder()
        variables = [builder.new() for _ in range(4)]
        call = getattr(builder, method)
        call(*literals) if method == "clause" else call(iter(literals))
        assert models(builder, variables) == {
            values
            for values in product((0, 1), repeat=4)
            if accepts(sum(value(x, values) for x in literals))
        }


@pytest.mark.parametrize("method", ["clause", "at_most_one", "exactly_one"])
def test_both_builders_mean_the_same(method):
    for literals in LITERAL_LISTS:
        assert cpsat_models(method, literals, 4) == cnf_models(method, literals, 4), literals


def cnf_models(method, literals, count):
    builder = CnfBuilder()
    variables = [builder.new() for _ in range(count)]
    call = getattr(builder, method)
    call(*literals) if method == "clause" else call(literals)
    return models(builder, variables)


def cpsat_models(method, literals, count):
    from plansolve.encoders.cpsat import CpSatBuilder

    builder = CpSatBuilder()
    variables = [builder.new() for _ in range(count)]
    call = getattr(builder, method)
    call(*literals) if method == "clause" else call(literals)
    return cpsat_assignments(builder, variables)


def cpsat_assignments(builder, variables):
    from ortools.sat.python import cp_model

    class All(cp_model.CpSolverSolutionCallback):
        def __init__(self):
            super().__init__()
            self.found = set()

        def on_solution_callback(self):
            self.found.add(tuple(int(self.value(builder.variable[v])) for v in variables))

    every, solver = All(), cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(builder.model, every)
    return every.found


def counters():
    for count in range(6):
        for total in range(-2, count + 3):
            yield count, total


def test_the_counter_accepts_exactly_the_assignments_with_the_total():
    for count, total in counters():
        builder = CnfBuilder()
        events = [builder.new() for _ in range(count)]
        builder.prefix_counter(events, total)
        expected = {values for values in product((0, 1), repeat=count) if sum(values) == total}
        assert models(builder, events) == expected, (count, total)


def limited():
    for total in (-2, -1, 0, 1, 2, 3, 4, 6):
        for prefix in range(5):
            for extra in ([5], [5, 6], [-5, 6], [5, FALSE], [FALSE, 5, 6], [5, 6, 1], []):
                yield total, prefix, extra


def expected_under_limit(total, prefix, extra):
    return {
        values
        for values in product((0, 1), repeat=6)
        if sum(values[:4]) == total
        and sum(values[:prefix]) + sum(value(x, values) for x in extra) <= total
    }


def test_a_limit_bounds_the_prefix_and_the_literals_together():
    # Totals below 0 and above the number of events: no model, and no crash either.
    for case in limited():
        total, prefix, extra = case
        builder = CnfBuilder()
        events = [builder.new() for _ in range(6)]
        counter = builder.prefix_counter(events[:4], total)
        counter.limit(prefix, extra)
        assert models(builder, events) == expected_under_limit(*case), case


def test_cp_sat_s_limit_means_the_same():
    from plansolve.encoders.cpsat import CpSatBuilder

    for case in list(limited())[::5]:
        total, prefix, extra = case
        builder = CpSatBuilder()
        events = [builder.new() for _ in range(6)]
        counter = builder.prefix_counter(events[:4], total)
        counter.limit(prefix, extra)
        assert cpsat_assignments(builder, events) == expected_under_limit(*case), case


def test_two_limits_on_one_counter_hold_together():
    builder = CnfBuilder()
    events = [builder.new() for _ in range(6)]
    counter = builder.prefix_counter(events[:4], 2)
    counter.limit(1, [5, 6])
    counter.limit(3, [6])
    expected = expected_under_limit(2, 1, [5, 6]) & expected_under_limit(2, 3, [6])
    assert models(builder, events) == expected


def test_dimacs_counts_its_variables_and_clauses():
    builder = CnfBuilder()
    a, b = builder.new(), builder.new()
    builder.exactly_one([a, b])
    assert list(builder.dimacs(["two", "lines"])) == [
        "c two",
        "c lines",
        "p cnf 2 2",
        "1 2 0",
        "-1 -2 0",
    ]
