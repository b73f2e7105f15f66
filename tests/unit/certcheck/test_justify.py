"""The clauses of the encoders are justified, and false ones are not."""

from random import Random

import numpy as np
import pytest
from support.fixtures import cases, certificates
from support.reference.meanings import Truth, first_shortest

from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.justify import mutex_kernel
from plansolve.certcheck.justify.formula import Justifier, Unjustified
from plansolve.certcheck.justify.legend import read_legend
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle

PUZZLES = {
    "six": ("sliding", 2, 3, None),
    "eight": ("sliding", 3, 3, None),
    "snail": ("sliding", 3, 3, "snail"),
    "blank-first": ("sliding", 2, 4, "blank-first"),
    "lloyd": ("lloyd", 3, 3, None),
    "loopover": ("loopover", 2, 3, None),
    "odd-and-even": ("torus-ring:rings=outer", 3, 3, None),
}
# "snail" has the size of "eight", and another goal.
QUICK = [pytest.param(n, marks=pytest.mark.slow) if n == "eight" else n for n in PUZZLES]


def puzzle_of(name):
    if name in PUZZLES:
        return cases.make(*PUZZLES[name])
    return {"row-slides": cases.row_slides, "one-way-ring": cases.one_way_ring}[name]()


def problems(name, count, steps=12, seed=5):
    puzzle = puzzle_of(name)
    boards = cases.scrambles(puzzle, 3 * count, steps, seed)
    return [Problem(puzzle, board) for board in boards if board != puzzle.goal][:count]


def closed(names, lemmas):
    """The lemmas with all that they work on top of."""
    chosen = set(names)
    while more := {LEMMAS[n].base for n in chosen if LEMMAS[n].base} - chosen:
        chosen |= more
    return frozenset(chosen & lemmas)


def proved(encoding):
    """The lemmas that may be in the formula of a certificate."""
    return frozenset(n for n in encoding.lemmas if LEMMAS[n].is_plain)


def lemma_sets(encoding, thorough):
    every = proved(encoding)
    yield frozenset()
    yield every
    for name in sorted(every) if thorough else ():
        yield closed({name}, every)
        without = {n for n in every if name not in closed({n}, every)}
        yield frozenset(without)


def written(problem, encoding, lemmas, horizon):
    """The formula and the lines of its legend."""
    builder = CnfBuilder()
    encoding.prepare(problem, lemmas).encode(builder, horizon)
    lines = [line.encode() for line in builder.legend(range(1, builder.variables + 1))]
    return Clauses.of(builder.variables, builder.clauses), lines, builder.clauses


def look_at(name, count, longest, thorough):
    """Has all formulas justified; how many there were."""
    seen = 0
    for problem in problems(name, count):
        justifier = Justifier(problem)
        for encoding in ENCODINGS.values():
            if not encoding.fits(problem.structure):
                continue
            for lemmas in set(lemma_sets(encoding, thorough)):
                for horizon in range(longest + 1):
                    formula, lines, _ = written(problem, encoding, lemmas, horizon)
                    legend = read_legend(lines, formula.variables, problem, horizon)
                    counts = justifier.justify(horizon, formula, legend)
                    assert sum(counts.values()) == len(formula)
                    seen += 1
    return seen


@pytest.mark.parametrize("name", [*QUICK, "row-slides", "one-way-ring"])
def test_each_formula_of_each_encoding_is_justified(name):
    assert look_at(name, 1, 7, thorough=False) >= 16


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PUZZLES, "row-slides", "one-way-ring"])
def test_each_formula_is_justified_with_each_choice_of_lemmas(name):
    assert look_at(name, 3, 13, thorough=True) >= 100


@pytest.mark.slow
def test_formulas_of_long_horizons_are_justified():
    (problem,) = problems("eight", 1)
    encoding = ENCODINGS["half-layer"]
    justifier = Justifier(problem)
    for horizon in (28, 31):
        formula, lines, _ = written(problem, encoding, proved(encoding), horizon)
        legend = read_legend(lines, formula.variables, problem, horizon)
        assert sum(justifier.justify(horizon, formula, legend).values()) == len(formula)


def at_its_length(name, seed, steps=10):
    """A problem, its first shortest plan and, for each encoding, the formula of that length."""
    (problem,) = problems(name, 1, steps, seed)
    table = cases.distance_table(*PUZZLES[name], depth=steps)
    boards, operators = first_shortest(problem, table)
    horizon = len(operators)
    for encoding in ENCODINGS.values():
        if encoding.fits(problem.structure):
            formula, lines, clauses = written(problem, encoding, proved(encoding), horizon)
            words = [line.decode().split() for line in lines]
            truth = Truth(problem, boards, operators, words)
            legend = read_legend(lines, formula.variables, problem, horizon)
            yield problem, horizon, clauses, legend, truth


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", QUICK)
def test_each_clause_is_true_of_the_first_shortest_plan(name, seed):
    for _, _, clauses, _, truth in at_its_length(name, seed):
        assert all(map(truth.clause, clauses))


def refused(name, seed, count):
    """How many clauses that are false of the plan that is meant were tried; all are refused."""
    random, tried = Random(seed), 0
    for problem, horizon, clauses, legend, truth in at_its_length(name, seed):
        justifier = Justifier(problem)
        variables = len(legend.kind) - 1
        # Few clauses are of the rarer kinds: each kind gets its share.
        kinds = {}
        for clause in clauses:
            kinds.setdefault(max(int(legend.kind[abs(x)]) for x in clause), []).append(clause)
        for some in kinds.values():
            for _ in range(count):
                clause = certificates.forge(random.choice(some), clauses, variables, random)
                if truth.clause(clause):
                    continue
                tried += 1
                with pytest.raises(Unjustified):
                    justifier.justify(horizon, Clauses.of(variables, [clause]), legend)
    return tried


@pytest.mark.parametrize("name", PUZZLES)
def test_a_clause_that_is_false_of_the_plan_is_refused(name):
    assert refused(name, 1, 60) > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", PUZZLES)
def test_thousands_of_false_clauses_are_refused(name, seed):
    assert refused(name, seed, 1000) > 200


def test_a_variable_without_a_meaning_shows_nothing():
    problem, horizon, *_ = next(at_its_length("eight", 1))
    legend = read_legend([b"2 at 1 0 1"], 2, problem, horizon)
    for clause in ([1], [-1], [1, 2]):
        with pytest.raises(Unjustified, match="nothing shows"):
            Justifier(problem).justify(horizon, Clauses.of(2, [clause]), legend)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 at 1 0", "line 1: at has 3 numbers"),
        (b"1 at 4 0 1", "too large"),
        (b"1 at 1 6 1", "too large"),
        (b"3 at 1 0 1", "no variable"),
        (b"1 here 1 0 1", "not a meaning"),
        (b"at", "not a meaning"),
        (b"1 0 at 0 1", "not a meaning"),
        (b"at 1 0 0 1", "not a meaning"),
        (b"1 unit", "not a meaning"),
        (b"1 at -1 0 1", "not a meaning"),
        (b"1 excess 1 1 2 2", "repeated"),
        (b"1 excess 1 1 0", "neither a tile"),
        (b"unit 3", "1 or 2"),
        (b"1 sum 3 1 1", "of excesses and conflicts"),
        (b"1 waste 0 0", "1 unit or more"),
        (b"1 excess 1 0 2", "1 unit or more"),
        (b"bound goal 1 0 1 0", "different tiles"),
        (b"table 0 0", "a table names different cells"),
        (b"table 6", "a table names different cells"),
        (b"symmetry 0 1 2 3 4", "a symmetry names different cells"),
        (b"symmetry 0 1 2 3 4 5 5", "a symmetry names different cells"),
        (b"lookup 0 0 0", "the numbers of a table and a symmetry"),
        (b"lookup 0 0", "not a meaning"),
        (b"\xff", "not a meaning"),
        (b"1 " + b"at " * 5000, "not a meaning"),
        (b"1 at " + b"9" * 5000 + b" 0 1", "not a meaning"),
    ],
)
def test_a_legend_that_means_nothing_is_named(line, message):
    (problem,) = problems("six", 1)
    with pytest.raises(ProofError, match=message):
        read_legend([line], 2, problem, 3)


def test_numbers_that_are_no_times_are_not_taken_for_times():
    problem, horizon, *_ = next(at_its_length("eight", 1))
    lines = [
        b"unit 2",
        b"1 excess %d 60 1 2" % horizon,
        b"2 count %d 99" % (horizon + 60),
        b"3 conflict %d 0 1 2" % horizon,
        b"4 at %d 0 1" % horizon,
        b"5 sum %d 99 1 3" % (horizon + 60),
    ]
    legend = read_legend(lines, 5, problem, horizon)
    for clause in ([1, 2], [-2, 1], [3, 2], [-5, 1, -4], [3, 2, 5], [2, 5]):
        with pytest.raises(Unjustified):
            Justifier(problem).justify(horizon, Clauses.of(5, [clause]), legend)


def test_a_plan_of_no_moves_has_none():
    (problem,) = problems("six", 1)
    for line in (b"1 move 0 0", b"1 step 0 0 1", b"1 waste 0 1"):
        with pytest.raises(ProofError, match="too large"):
            read_legend([line], 1, problem, 0)


def test_events_beyond_the_last_show_nothing():
    problem, horizon, *_ = next(at_its_length("eight", 1))
    for events in (horizon + 1, horizon + 6):
        legend = read_legend([b"unit 2", b"1 count %d 1" % events], 1, problem, horizon)
        for clause in ([1], [-1]):
            with pytest.raises(Unjustified):
                Justifier(problem).justify(horizon, Clauses.of(1, [clause]), legend)


def test_wastes_show_nothing_where_moves_are_no_exchanges():
    turn = Operator("c", ((0, 1), (1, 2), (2, 0)), 3)
    puzzle = Puzzle("turn", 1, 4, (1, 2, 3, 0), (turn,), tuple("0123"))
    problem = Problem(puzzle, (3, 1, 2, 0))
    legend = read_legend([b"1 waste 0 1", b"2 excess 0 1 1"], 2, problem, 1)
    for clause in ([1, 2], [-1, 2], [1, -2], [-1, -2]):
        with pytest.raises(Unjustified):
            Justifier(problem).justify(1, Clauses.of(2, [clause]), legend)


def test_a_mutex_of_contents_that_go_far_is_counted_in_full():
    # Cells on a ring of 181 and one of 182, turned by one operator: more steps than an int16 holds.
    rings = [*range(1, 181), 0, *range(182, 363), 181]
    distance = np.full(363**2, mutex_kernel.NEVER, np.int32)
    mutex_kernel.spread(np.array([rings]), np.array([0, 181]), distance)
    steps = np.arange(181 * 182)
    assert (distance[steps % 181 * 363 + 181 + steps % 182] == steps).all()
    assert (distance == mutex_kernel.NEVER).sum() == distance.size - steps.size
