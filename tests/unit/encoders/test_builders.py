"""The builders: clauses, cardinalities and counters against brute force, by both engines."""

from itertools import product

import pytest
from pysat.solvers import Solver

from plansolve.encoders.builder import FALSE, TRUE
from plansolve.encoders.cnf import CnfBuilder


def test_constants_are_folded_out_of_clauses():
    builder = CnfBuilder()
    a, b = builder.new(), builder.new()
    builder.clause(a, TRUE, -b)
    builder.clause(a, FALSE, -b)
    builder.clause(a, -TRUE)
    builder.clause(-FALSE, b)
    assert (builder.clauses, builder.variables) == ([[a, -b], [a]], 2)
    assert not builder.is_contradiction


def test_the_empty_clause_is_a_contradiction_in_two_units():
    for literals in ((), (FALSE,), (FALSE, -TRUE)):
        builder = CnfBuilder()
        builder.clause(*literals)
        assert builder.clauses == [[1], [-1]] and builder.is_contradiction


def cnf_models(count, write):
    """The assignments (as tuples of 0 and 1) of so many variables that some model has."""
    builder = CnfBuilder()
    variables = [builder.new() for _ in range(count)]
    write(builder, variables)
    with Solver(name="cadical195", bootstrap_with=builder.clauses) as solver:
        return {
            values
            for values in product((0, 1), repeat=count)
            if solver.solve(
                assumptions=[v if x else -v for v, x in zip(variables, values, strict=True)]
            )
        }


def cp_sat_models(count, write):
    from ortools.sat.python import cp_model

    from plansolve.solvers.formula.cp_sat import CpSatBuilder

    builder, found = CpSatBuilder(), set()
    variables = [builder.new() for _ in range(count)]
    write(builder, variables)

    class All(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self):
            found.add(tuple(int(self.value(builder.variable[v])) for v in variables))

    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(builder.model, All())
    return found


ENGINES = pytest.mark.parametrize("models", [cnf_models, cp_sat_models])


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


METHODS = {
    "clause": lambda total: total >= 1,
    "at_most_one": lambda total: total <= 1,
    "exactly_one": lambda total: total == 1,
}


@ENGINES
@pytest.mark.parametrize("method", METHODS)
def test_each_constraint_accepts_exactly_the_assignments_that_it_means(method, models):
    for literals in LITERAL_LISTS:

        def write(builder, _, literals=literals):
            call = getattr(builder, method)
            call(*literals) if method == "clause" else call(iter(literals))

        assert models(4, write) == {
            values
            for values in product((0, 1), repeat=4)
            if METHODS[method](sum(value(x, values) for x in literals))
        }, literals


@ENGINES
def test_the_counter_accepts_exactly_the_assignments_with_the_total(models):
    for count in range(6):
        for total in range(-2, count + 3):
            found = models(count, lambda b, events, total=total: b.prefix_counter(events, total))
            assert found == {v for v in product((0, 1), repeat=count) if sum(v) == total}


def under_limit(total, *limits):
    return {
        values
        for values in product((0, 1), repeat=6)
        if sum(values[:4]) == total
        and all(
            sum(values[:prefix]) + sum(value(x, values) for x in extra) <= total
            for prefix, extra in limits
        )
    }


@ENGINES
def test_limits_bound_a_prefix_and_literals_together(models):
    extras = ([5], [5, 6], [-5, 6], [5, FALSE], [FALSE, 5, 6], [5, 6, 1], [])
    # Totals below 0 and above the number of events: no model, and no crash either.
    cases = [
        (total, (prefix, extra))
        for total in (-2, -1, 0, 1, 2, 3, 4, 6)
        for prefix in range(5)
        for extra in extras
    ]
    cases.append((2, (1, [5, 6]), (3, [6])))
    for total, *limits in cases if models is cnf_models else cases[::5]:

        def write(builder, events, total=total, limits=limits):
            counter = builder.prefix_counter(events[:4], total)
            for prefix, extra in limits:
                counter.limit(prefix, extra)

        assert models(6, write) == under_limit(total, *limits), (total, limits)


def test_dimacs_counts_its_variables_and_clauses():
    builder = CnfBuilder()
    builder.exactly_one([builder.new(), builder.new()])
    lines = ["c two", "c lines", "p cnf 2 2", "1 2 0", "-1 -2 0"]
    assert list(builder.dimacs(["two", "lines"])) == lines
