"""The numbers of boards at each distance from the goal, against the known numbers.

The sliding puzzles have the blank in a corner of the goal; the 3x3 numbers are OEIS A089473, the
first of the 4x4 ones A089484, of the 5x5 ones A090031. Pancakes are rows of OEIS A092113. Of the
8-puzzle in multi-tile moves 24 is the known largest distance, of the 2x2x2 cube 11 half turns, of
pancakes OEIS A058986. All others are from exhaustive searches by programs that share nothing with
this one, or with its engines: they hold what those find later to what was found first.
"""

from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.agreement import over_small_puzzles
from support.reference.layers import layers
from support.reference.oracle import Rules, depth_counts
from support.reference.ranked_layers import RankedLayers

from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

COUNTS = {
    ("sliding", 2, 2): [1, 2, 2, 2, 2, 2, 1],
    ("sliding", 2, 3): [
        *[1, 2, 3, 5, 6, 7, 10, 12, 12, 16, 23, 25, 28, 39, 44, 40, 29, 21, 18, 12, 6, 1]
    ],
    ("sliding", 2, 4): [
        *[1, 2, 3, 6, 10, 14, 19, 28, 42, 61, 85, 119, 161, 215, 293, 396, 506, 632, 788, 985],
        *[1194, 1414, 1664, 1884, 1999, 1958, 1770, 1463, 1076, 667, 361, 190, 88, 39, 19, 7, 1],
    ],
    ("sliding", 3, 3): [
        *[1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638],
        *[9529, 10878, 16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2],
    ],
    ("sliding:metric=multi-tile", 2, 3): [
        *[1, 3, 4, 6, 8, 12, 15, 18, 22, 30, 36, 45, 42, 30, 28, 24, 18, 9, 5, 3, 1]
    ],
    ("sliding:metric=multi-tile", 3, 3): [
        *[1, 4, 8, 16, 32, 64, 127, 244, 454, 856, 1576, 2854, 5117, 8588, 13466, 19739, 26558],
        *[31485, 30985, 23494, 11751, 3390, 589, 41, 1],
    ],
    ("loopover", 2, 3): [1, 7, 31, 115, 274, 253, 36, 3],
    ("loopover", 2, 4): [1, 8, 44, 208, 854, 2936, 8468, 15144, 10789, 1864, 4],
    ("loopover", 3, 3): [1, 12, 96, 736, 5208, 28674, 89497, 54741, 2475],
    ("pancake", 1, 8): [1, 7, 42, 251, 1191, 4281, 10561, 15011, 8520, 455],
    ("pancake", 1, 9): [1, 8, 56, 391, 2278, 10666, 38015, 93585, 132697, 79379, 5804],
    ("top-spin", 1, 9): [1, 9, 63, 378, 1941, 7011, 9187, 1550, 20],
    ("top-spin", 1, 10): [1, 10, 75, 520, 3380, 19540, 79165, 164671, 94320, 1198],
}
FIRST_COUNTS = {
    ("sliding", 4, 4): [1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808, 15544],
    ("sliding", 5, 5): [1, 2, 4, 10, 26, 64, 159, 366, 862, 1904, 4538, 10238, 24098],
    ("torus-ring", 5, 5): [1, 24, 452, 8252, 148295],
}
TOP_SPIN_OF_TWELVE = [
    *[1, 12, 102, 784, 5725, 39990, 258893, 1487496, 6573865, 16440505, 13612079, 1463903, 33445]
]
SLOW = {("loopover", 3, 3), ("pancake", 1, 9), ("top-spin", 1, 10)}


def counts(puzzle, depth=None):
    found = layers(puzzle, depth)
    return [len(layer) for layer in found]


@pytest.mark.parametrize(
    "puzzle",
    [pytest.param(puzzle, marks=[pytest.mark.slow] * (puzzle in SLOW)) for puzzle in COUNTS],
    ids=str,
)
def test_as_many_boards_are_at_each_depth_as_is_known(puzzle):
    name, *shape = puzzle
    assert counts(cases.make(name, *shape)) == COUNTS[puzzle]
    if name == "sliding":
        assert counts(cases.make(name, *shape, "blank-first")) == COUNTS[puzzle]
        assert counts(cases.make(name, *shape[::-1])) == COUNTS[puzzle]


@pytest.mark.parametrize("puzzle", FIRST_COUNTS, ids=str)
def test_as_many_boards_are_near_the_goal_as_is_known(puzzle):
    assert counts(cases.make(*puzzle), len(FIRST_COUNTS[puzzle]) - 1) == FIRST_COUNTS[puzzle]


@pytest.mark.slow
def test_the_torus_ring_has_the_known_number_of_boards_at_depth_five():
    assert counts(cases.make("torus-ring", 5, 5), 5)[5] == 2636434


def test_transports_shorten_the_longest_3x3_plan_to_28_moves():
    found = counts(cases.make("lloyd", 3, 3))
    assert (sum(found), len(found) - 1, found[-2:]) == (362_880, 28, [60, 1])


@pytest.mark.slow
def test_two_ways_to_count_agree():
    puzzle = cases.make("top-spin", 1, 9)
    # Of nine tiles only even arrangements are met, of which the ranks are half of all.
    ranked = RankedLayers(puzzle)
    assert ranked.counts == counts(puzzle) == COUNTS["top-spin", 1, 9]
    farthest = {tuple(map(int, board)) for board in list(layers(puzzle))[-1]}
    ranks = (ranked.distance == len(ranked.counts) - 1).nonzero()[0]
    assert {ranked.board(int(rank)) for rank in ranks} == farthest


@pytest.mark.slow
def test_top_spin_of_twelve_by_all_its_boards_and_by_search_and_sat(kept_workers):
    puzzle = cases.make("top-spin", 1, 12)
    ranked = RankedLayers(puzzle)
    assert ranked.counts == TOP_SPIN_OF_TWELVE
    random = Random(12)
    for depth, engine in ((12, "auto"), (12, "idastar"), (11, "idastar"), (9, "cnf")):
        ranks = (ranked.distance == depth).nonzero()[0]
        problem = Problem(puzzle, ranked.board(int(random.choice(ranks))))
        result = solve(problem, engine=engine, time_limit=600, workers=kept_workers, optimal=True)
        assert (result.status, result.length) == (Status.OPTIMAL, depth)


@pytest.mark.parametrize(
    ("specification", "shape", "engines"),
    [
        ("sliding:metric=multi-tile", (2, 3), ["idastar"]),
        ("loopover", (2, 3), ["cnf", "idastar", "breadth-first"]),
        pytest.param(
            "sliding:metric=multi-tile", (2, 3), ["cnf", "cp-sat"], marks=pytest.mark.slow
        ),
        pytest.param("loopover", (2, 3), ["cp-sat", "astar"], marks=pytest.mark.slow),
        pytest.param("loopover", (3, 3), ["cnf", "idastar"], marks=pytest.mark.slow),
        # The farthest of the 8-puzzle in multi-tile moves is one board alone.
        pytest.param(
            "sliding:metric=multi-tile",
            (3, 3),
            ["breadth-first", "idastar", "astar", "cnf"],
            marks=pytest.mark.slow,
        ),
        pytest.param("pancake", (1, 9), ["cnf", "idastar"], marks=pytest.mark.slow),
        pytest.param("top-spin", (1, 10), ["cnf", "idastar"], marks=pytest.mark.slow),
    ],
)
def test_the_farthest_boards_by_search_and_sat(specification, shape, engines, kept_workers):
    puzzle = cases.make(specification, *shape)
    found = list(layers(puzzle))
    farthest = found[-1]
    for engine in engines:
        board = tuple(map(int, farthest[Random(engine).randrange(len(farthest))]))
        result = solve(
            Problem(puzzle, board),
            engine=engine,
            time_limit=600,
            workers=kept_workers,
            optimal=True,
        )
        assert (result.status, result.length) == (Status.OPTIMAL, len(found) - 1)


@over_small_puzzles
def test_the_layers_are_those_of_the_oracle(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert [*map(len, layers(puzzle))] == depth_counts(table)
    for depth, layer in enumerate(layers(puzzle)):
        assert {table[tuple(board)] for board in layer.tolist()} == {depth}
