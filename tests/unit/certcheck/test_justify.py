"""The clauses of the encoders are justified, and false ones are not."""

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import (
    PLAIN,
    accepted_clauses_hold,
    all_justified,
    encodings_of,
    written,
)

from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.justify.formula import Unjustified, justify
from plansolve.certcheck.justify.legend import read_legend
from plansolve.errors import ProofError
from plansolve.model.problem import Problem

PUZZLES = {
    "six": ("sliding", 2, 3, None),
    "eight": ("sliding", 3, 3, None),
    "snail": ("sliding", 3, 3, "snail"),
    "blank-first": ("sliding", 2, 4, "blank-first"),
    "lloyd": ("lloyd", 3, 3, None),
    "loopover": ("loopover", 2, 3, None),
    "odd-and-even": ("torus-ring:rings=outer", 3, 3, None),
}
QUICK = [pytest.param(n, marks=pytest.mark.slow) if n == "eight" else n for n in PUZZLES]


def puzzle_of(name):
    if name in PUZZLES:
        return cases.make(*PUZZLES[name])
    return {"row-slides": cases.row_slides, "one-way-ring": cases.one_way_ring}[name]()


def problems(name, count, steps=12, seed=5):
    puzzle = puzzle_of(name)
    boards = cases.scrambles(puzzle, 3 * count, steps, seed)
    return [Problem(puzzle, board) for board in boards if board != puzzle.goal][:count]


@pytest.mark.parametrize("name", [*QUICK, "row-slides", "one-way-ring"])
def test_each_formula_of_each_encoding_is_justified(name):
    for problem in problems(name, 1):
        all_justified(problem, 7)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PUZZLES, "row-slides", "one-way-ring"])
def test_each_formula_is_justified_of_many_boards_and_lengths(name):
    for problem in problems(name, 3):
        all_justified(problem, 13)


@pytest.mark.slow
def test_formulas_of_long_horizons_are_justified():
    (problem,) = problems("eight", 1)
    for encoding in encodings_of(problem):
        for horizon in (28, 31):
            formula, _, _, legend = written(problem, encoding, PLAIN & encoding.lemmas, horizon)
            assert justify(problem, horizon, formula, legend) == "rules"


def near(name, count):
    """Problems that take two to four moves, and the distances to their goal."""
    table = cases.distance_table(*PUZZLES[name], depth=4)
    puzzle = puzzle_of(name)
    boards = sorted(board for board, distance in table.items() if distance > 1)
    chosen = boards[:: max(1, len(boards) // count)][:count]
    return [(Problem(puzzle, board), table) for board in chosen]


@pytest.mark.parametrize("name", PUZZLES)
def test_only_clauses_that_hold_are_accepted(name):
    accepted, refused = accepted_clauses_hold(near(name, 3), 25)
    assert accepted > 50 and refused > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", PUZZLES)
def test_only_clauses_that_hold_are_accepted_many_times(name):
    accepted, refused = accepted_clauses_hold(near(name, 40), 300)
    assert accepted > 5_000 and refused > 2_000


def test_a_variable_without_a_meaning_shows_nothing():
    (problem,) = problems("eight", 1)
    legend = read_legend([b"2 at 1 0 1"], 2, problem, 12)
    for clause in ([1], [-1], [1, 2]):
        with pytest.raises(Unjustified, match="nothing shows"):
            justify(problem, 12, Clauses.of(2, [clause]), legend)


def test_a_variable_that_means_nothing_is_false():
    (problem,) = problems("eight", 1)
    legend = read_legend([b"1 never", b"2 at 1 0 1"], 2, problem, 12)
    for clause in ([-1], [-1, 2]):
        assert justify(problem, 12, Clauses.of(2, [clause]), legend) == "rules"
    for clause in ([1], [1, 2], [1, -2]):
        with pytest.raises(Unjustified):
            justify(problem, 12, Clauses.of(2, [clause]), legend)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 at 1 0", "line 1: at has 3 numbers"),
        (b"1 at 4 0 1", "too large"),
        (b"1 at 1 6 1", "too large"),
        (b"1 at 1 0 6", "too large"),
        (b"3 at 1 0 1", "no variable"),
        (b"0 at 1 0 1", "not a meaning"),
        (b"1 here 1 0 1", "not a meaning"),
        (b"1 waste 0 1", "not a meaning"),
        (b"unit 2", "not a meaning"),
        (b"at", "not a meaning"),
        (b"1 0 at 0 1", "not a meaning"),
        (b"at 1 0 0 1", "not a meaning"),
        (b"1 at -1 0 1", "not a meaning"),
        (b"1 at 01 0 1", "not a meaning"),
        (b"\xff", "not a meaning"),
        (b"1 " + b"at " * 5000, "not a meaning"),
        (b"1 at " + b"9" * 5000 + b" 0 1", "not a meaning"),
    ],
)
def test_a_legend_that_means_nothing_is_named(line, message):
    (problem,) = problems("six", 1)
    with pytest.raises(ProofError, match=message):
        read_legend([line], 2, problem, 3)


def test_a_plan_of_no_moves_has_none():
    (problem,) = problems("six", 1)
    for line in (b"1 move 0 0", b"1 step 0 0 1"):
        with pytest.raises(ProofError, match="too large"):
            read_legend([line], 1, problem, 0)
