"""How many boards there are at each distance from the goal, against the known numbers.

The sliding puzzles have the blank in a corner of the goal; the 3x3 numbers are OEIS A089473, the
first of the 4x4 ones A089484, of the 5x5 ones A090031. All others are from exhaustive searches by
programs that share nothing with this one.
"""

import pytest
from support.fixtures import cases
from support.fixtures.agreement import over_small_puzzles
from support.reference.layers import layers
from support.reference.oracle import Rules, depth_counts

SLIDING = {
    (2, 2): [1, 2, 2, 2, 2, 2, 1],
    (2, 3): [1, 2, 3, 5, 6, 7, 10, 12, 12, 16, 23, 25, 28, 39, 44, 40, 29, 21, 18, 12, 6, 1],
    (2, 4): [
        *[1, 2, 3, 6, 10, 14, 19, 28, 42, 61, 85, 119, 161, 215, 293, 396, 506, 632, 788, 985],
        *[1194, 1414, 1664, 1884, 1999, 1958, 1770, 1463, 1076, 667, 361, 190, 88, 39, 19, 7, 1],
    ],
    (3, 3): [
        *[1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638],
        *[9529, 10878, 16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2],
    ],
}

FIRST = {
    (4, 4): [1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808, 15544],
    (5, 5): [1, 2, 4, 10, 26, 64, 159, 366, 862, 1904, 4538, 10238, 24098],
}

TORUS_RING = [1, 24, 452, 8252, 148295, 2636434]


def counts(puzzle, depth=None):
    return [len(layer) for layer in layers(puzzle, depth)]


@pytest.mark.parametrize("goal", ["blank-last", "blank-first"])
@pytest.mark.parametrize("shape", sorted(SLIDING), ids=str)
def test_sliding_puzzles_have_the_known_number_of_boards_at_each_depth(shape, goal):
    assert counts(cases.make("sliding", *shape, goal)) == SLIDING[shape]
    assert counts(cases.make("sliding", *shape[::-1], goal)) == SLIDING[shape]


@pytest.mark.parametrize("shape", sorted(FIRST), ids=str)
def test_large_sliding_puzzles_have_the_known_number_of_boards_near_the_goal(shape):
    known = FIRST[shape]
    assert counts(cases.make("sliding", *shape), len(known) - 1) == known


def test_the_torus_ring_has_the_known_number_of_boards_to_depth_four():
    assert counts(cases.make("torus-ring", 5, 5), 4) == TORUS_RING[:5]


@pytest.mark.slow
def test_the_torus_ring_has_the_known_number_of_boards_at_depth_five():
    assert counts(cases.make("torus-ring", 5, 5), 5) == TORUS_RING


def test_transports_shorten_the_longest_3x3_plan_to_28_moves():
    found = counts(cases.make("lloyd", 3, 3))
    assert (sum(found), len(found) - 1, found[-2:]) == (362_880, 28, [60, 1])


@over_small_puzzles
def test_the_layers_are_those_of_the_oracle(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert counts(puzzle) == depth_counts(table)
    for depth, layer in enumerate(layers(puzzle)):
        assert {table[tuple(board)] for board in layer.tolist()} == {depth}
