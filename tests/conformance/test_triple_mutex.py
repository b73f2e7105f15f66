"""The mutexes of triples, by SAT, on boards without a blank of depth up to five."""

from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.agreement import agrees, ends
from support.reference.oracle import Rules

MUTEXES = ("distance", "pair-mutex", "triple-mutex")


@pytest.mark.parametrize("specification", ["torus-ring:rings=none", "torus-ring:rings=outer"])
@pytest.mark.parametrize("lemmas", [None, MUTEXES], ids=["default", "+".join(MUTEXES)])
def test_3x3_boards_are_solvable_exactly_at_their_depth(specification, lemmas):
    puzzle = cases.make(specification, 3, 3)
    table = cases.distance_table(specification, 3, 3, None, 5)
    for start in Random(specification).sample(list(table), 12):
        agrees(puzzle, start, table[start], ("permutation", lemmas))


@pytest.mark.slow
@pytest.mark.parametrize("specification", ["torus-ring:rings=none", "torus-ring:rings=outer"])
def test_many_3x3_boards_are_solvable_exactly_at_their_depth(specification):
    puzzle = cases.make(specification, 3, 3)
    table = cases.distance_table(specification, 3, 3, None, 5)
    for start in Random("many").sample(list(table), 400):
        agrees(puzzle, start, table[start], ("permutation", None), ends(table[start]))


@pytest.mark.slow
@pytest.mark.parametrize("lemmas", [None, MUTEXES], ids=["default", "+".join(MUTEXES)])
def test_5x5_boards_of_depth_5_are_solvable_exactly_there(lemmas):
    puzzle = cases.make("torus-ring", 5, 5)
    near = cases.distance_table("torus-ring", 5, 5, None, 3)
    rules = Rules.of(puzzle)
    boards = []
    for start in cases.scrambles(puzzle, 200, 5, 55):
        after = {board for _, board in rules.successors(start)}
        # Two moves from depth three, and no move from there.
        if start in near or any(board in near for board in after):
            continue
        if any(board in near for first in after for _, board in rules.successors(first)):
            boards.append(start)
    assert len(boards) >= 10
    for start in boards[:10]:
        agrees(puzzle, start, 5, ("permutation", lemmas))
