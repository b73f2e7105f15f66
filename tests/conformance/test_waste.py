"""The waste counter and the excess on top of it, by SAT, at every length up to the diameter."""

from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.agreement import agrees, ends
from support.reference.oracle import Rules

WASTE = ("waste-counter", "waste-excess")
EVERY_PLAN = ("distance", "tile-blank", *WASTE)


def check_every_length(puzzle, start, depth, diameter, lemmas):
    """A slide can be taken back, and parity excludes the rest: depth, depth + 2, ...

    To refute long plans of the other parity is hard, and no engine does it.
    """
    solver = cases.solver(puzzle, start, "full-layer", lemmas)
    other = range((depth + 1) % 2, 12, 2)
    for horizon in [*range(depth % 2, diameter + 3, 2), *other]:
        plan = solver.attempt(horizon).plan
        expected = horizon >= depth and (horizon - depth) % 2 == 0
        assert (plan is not None) == expected, (start, depth, horizon, plan)
        assert plan is None or Rules.of(puzzle).replay(start, plan)[-1] == puzzle.goal


@pytest.mark.parametrize(
    "lemmas",
    [
        pytest.param(WASTE[:1], marks=pytest.mark.slow),
        pytest.param(WASTE, marks=pytest.mark.slow),
        EVERY_PLAN,
    ],
    ids="+".join,
)
def test_lloyd_boards_have_plans_of_the_lengths_that_walks_have(lemmas, lloyd_table):
    puzzle, diameter = cases.make("lloyd", 3, 3), max(lloyd_table.values())
    for start in Random(f"{lemmas}").sample(list(lloyd_table), 1):
        check_every_length(puzzle, start, lloyd_table[start], diameter, lemmas)


@pytest.mark.slow
@pytest.mark.parametrize("lemmas", [WASTE[:1], WASTE, EVERY_PLAN], ids="+".join)
def test_many_lloyd_boards_have_plans_of_the_lengths_that_walks_have(lemmas, lloyd_table):
    puzzle, diameter = cases.make("lloyd", 3, 3), max(lloyd_table.values())
    for start in Random(f"many {lemmas}").sample(list(lloyd_table), 8):
        check_every_length(puzzle, start, lloyd_table[start], diameter, lemmas)


@pytest.mark.slow
def test_300_lloyd_boards_are_solvable_exactly_at_their_depth(lloyd_table):
    puzzle = cases.make("lloyd", 3, 3)
    for start in Random("300").sample(list(lloyd_table), 300):
        depth = lloyd_table[start]
        agrees(puzzle, start, depth, ("full-layer", None), ends(depth, 2))
    # The farthest boards waste most.
    diameter = max(lloyd_table.values())
    farthest = [board for board, depth in lloyd_table.items() if depth >= diameter - 1]
    for start in farthest[:12]:
        depth = lloyd_table[start]
        agrees(puzzle, start, depth, ("full-layer", None), range(depth % 2, depth + 1, 2))
