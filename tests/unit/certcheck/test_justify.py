"""The clauses of the encoders are justified, and false ones are not, for pieces of every kind."""

from dataclasses import replace

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import (
    PLAIN,
    accepted_clauses_hold,
    all_justified,
    any_board,
    encodings_of,
    farthest,
    near,
    puzzles,
    walks,
    written,
)

from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.refutation import Unjustified, justify, read_legend
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle

SIX = cases.make("sliding-gaps", 2, 3)
PUZZLES = {
    "six": cases.make("sliding", 2, 3),
    "eight": cases.make("sliding", 3, 3),
    "snail": cases.make("sliding", 3, 3, "snail"),
    "blank-first": cases.make("sliding", 2, 4, "blank-first"),
    "lloyd": cases.make("lloyd", 3, 3),
    "loopover": cases.make("loopover", 2, 3),
    "odd-and-even": cases.make("torus-ring:rings=outer", 3, 3),
    "row-slides": cases.row_slides(),
    "one-way-ring": cases.one_way_ring(),
}


def problems(name, count, steps=12, seed=5):
    boards = cases.scrambles(PUZZLES[name], 3 * count, steps, seed)
    return [Problem(PUZZLES[name], b) for b in boards if b != PUZZLES[name].goal][:count]


@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize(
    ("count", "longest"), [(1, 7), pytest.param(3, 13, marks=pytest.mark.slow)]
)
def test_each_formula_of_each_encoding_is_justified(name, count, longest):
    for problem in problems(name, count):
        all_justified(problem, 4 if name == "eight" and count == 1 else longest)


@pytest.mark.parametrize("gaps", [1, 2, 3])
@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(range(100, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_each_formula_of_random_rules_is_justified(gaps, seeds):
    for puzzle in puzzles(seeds, gaps):
        all_justified(farthest(puzzle)[0], 3 if len(seeds) < 9 else 5)
        all_justified(any_board(puzzle, 1), 2 if len(seeds) < 9 else 4)


@pytest.mark.slow
def test_formulas_of_long_horizons_are_justified():
    (problem,) = problems("eight", 1)
    for encoding in encodings_of(problem):
        # Parity excludes every other length.
        for horizon, reason in ((28, "by the rules"), (31, "no such plan")):
            formula, _, _, legend = written(problem, encoding, PLAIN & encoding.lemmas, horizon)
            assert justify(problem, horizon, formula, legend) == reason


def two_to_four(name, count):
    """Problems that take two to four moves, and the distances to their goal."""
    table = cases.Rules.of(PUZZLES[name]).distances_to(PUZZLES[name].goal, 4)
    boards = sorted(board for board, distance in table.items() if distance > 1)
    chosen = boards[:: max(1, len(boards) // count)][:count]
    return [(Problem(PUZZLES[name], board), table) for board in chosen]


@pytest.mark.parametrize("name", [*PUZZLES][:7])
@pytest.mark.parametrize(
    ("count", "clauses"), [(3, 25), pytest.param(40, 300, marks=pytest.mark.slow)]
)
def test_only_clauses_that_hold_are_accepted(name, count, clauses):
    accepted, refused = accepted_clauses_hold(two_to_four(name, count), clauses)
    assert accepted > 50 and refused > 20


@pytest.mark.parametrize("gaps", [1, 2, 3])
@pytest.mark.parametrize(
    ("seeds", "clauses"),
    [(range(4), 60), pytest.param(range(1000, 1120), 400, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_only_clauses_that_hold_of_random_rules_are_accepted(gaps, seeds, clauses):
    accepted, refused = accepted_clauses_hold(map(farthest, puzzles(seeds, gaps)), clauses)
    assert accepted > 20 * len(seeds) and refused > 10 * len(seeds)


@pytest.mark.slow
def test_only_clauses_that_hold_are_accepted_on_boards_of_six_cells_with_two_gaps():
    letters = replace(SIX, goal=(1, 2, 1, 3, 0, 0), pieces=())
    first_row = replace(SIX, goal=(1, 2, 3, OPEN, OPEN, OPEN), pieces=(0, 0, 1, 2, 3, 3))
    posed = [one for puzzle in (SIX, letters, first_row) for one in near(puzzle, 4)]
    accepted, refused = accepted_clauses_hold(posed, 60)
    assert len(posed) > 100 and accepted > 10_000 and refused > 5_000


TURN = Operator("turn", ((0, 2), (1, 0), (2, 1)))
PUSH, PULL = Operator("push", ((0, 1), (1, 0)), 0), Operator("pull", ((1, 2), (2, 1)), 1)
CLAUSES = {
    # What follows for the only piece of a kind does not follow for one of two.
    "one of two equal pieces may stand where the other does not": (
        Problem(Puzzle("ring", 1, 3, (1, 1, 2), (TURN,), tuple("0123")), (2, 1, 1)),
        2,
        ["at 0 1 1", "at 1 2 1", "at 1 0 1", "at 1 1 2", "at 1 1 1"],
        ([-1, 2], [2], [3], [4], [-5]),
        ([-2, -3], [-2], [-3], [-4], [5], [-1, -3], [-1, -2, -3]),
    ),
    # The gap that a move needs may be another one than that which is followed.
    "a move needs any of the gaps and no other content": (
        Problem(Puzzle("line", 1, 4, (1, 0, 0, 2), (PUSH, PULL), tuple("012")), (0, 0, 1, 2)),
        2,
        ["move 0 0", "at 0 0 0", "move 1 1", "at 1 1 0", "at 1 1 1"],
        ([-3, 4], [-3, -5], [2], [-3, -2, 4]),
        ([1], [-2], [3], [4], [-5], [3, 4], [1, -5]),
    ),
    # Kinds need not be numbered one after the other: of none that is left out anything follows.
    "a kind that no piece has shows nothing": (
        Problem(
            Puzzle("few", 1, 4, (1, 1, 4, 4),
                   (Operator("swap", ((0, 1), (1, 0))), Operator("on", ((1, 2), (2, 3), (3, 1)))),
                   tuple("01234")),
            (4, 1, 1, 4),
        ),
        3,
        ["move 0 0", "step 0 0 1"],
        (),
        ([-1], [-2], [1], [2]),
    ),
    "a variable without a meaning shows nothing": (
        problems("eight", 1)[0], 12, [None, "at 1 0 1"], (), ([1], [-1], [1, 2]),
    ),
    "a variable that means nothing is false": (
        problems("eight", 1)[0],
        12,
        ["never", "at 1 0 1"],
        ([-1], [-1, 2]),
        ([1], [1, 2], [1, -2]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAUSES)
def test_clauses_of_which_all_is_known(name):
    problem, horizon, meanings, true, false = CLAUSES[name]
    lines = [f"{n} {what}".encode() for n, what in enumerate(meanings, start=1) if what]
    legend = read_legend(lines, len(meanings), problem, horizon)
    assert problem.puzzle.cells > 4 or walks(problem, horizon)
    for clause in true:
        formula = Clauses.of(len(meanings), [clause])
        assert justify(problem, horizon, formula, legend) == "by the rules"
    for clause in false:
        with pytest.raises(Unjustified, match="nothing shows"):
            justify(problem, horizon, Clauses.of(len(meanings), [clause]), legend)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1 at 1 0", "line 1: at takes 3 numbers"),
        (b"1 at 4 0 1", "too large"),
        (b"1 at 1 6 1", "too large"),
        (b"1 at 1 0 6", "too large"),
        (b"1 at 1 0 3", "no content 3"),
        (b"1 move 3 0", "too large"),
        (b"1 step 3 0 1", "too large"),
        (b"3 at 1 0 1", "is not a variable"),
        (b"0 at 1 0 1", "not a known meaning"),
        (b"1 here 1 0 1", "not a known meaning"),
        (b"unit 2", "not a known meaning"),
        (b"at", "not a known meaning"),
        (b"1 0 at 0 1", "not a known meaning"),
        (b"1 at -1 0 1", "not a known meaning"),
        (b"1 at 01 0 1", "not a known meaning"),
        (b"\xff", "not a known meaning"),
        (b"1 " + b"at " * 5000, "not a known meaning"),
        (b"1 at " + b"9" * 5000 + b" 0 1", "not a known meaning"),
    ],
)
def test_a_legend_that_means_nothing_is_named(line, message):
    puzzle = Puzzle("ring", 1, 4, (1, 1, 2, 5), (TURN,), tuple("012345"))
    with pytest.raises(ProofError, match=message):
        read_legend([line], 2, Problem(puzzle, puzzle.goal), 3)
