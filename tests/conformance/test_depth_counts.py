"""The numbers of boards at each distance from the goal, against the known numbers.

The sliding puzzles have the blank in a corner of the goal; the 3x3 numbers are OEIS A089473, the
first of the 4x4 ones A089484, of the 5x5 ones A090031. Pancakes are rows of OEIS A092113. Of the
8-puzzle in multi-tile moves 24 is the known largest distance, of the 2x2x2 cube 11 half turns, of
pancakes OEIS A058986. All others are from exhaustive searches by programs that share nothing with
this one, or with its engines: they hold what those find later to what was found first. Cubes and
pyraminx are of Jaap's Puzzle Page.
"""

from random import Random

import pytest
from support.fixtures import cases
from support.reference.layers import layers
from support.reference.oracle import Rules, depth_counts

from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

CUBE = [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644]
QUARTER_TURNS = [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852]
QUARTER_TURNS += [782536, 90280, 276]
PYRAMINX = [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32]
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
    ("pocket-cube", 6, 4): CUBE,
    ("pocket-cube:metric=quarter-turn", 6, 4): QUARTER_TURNS,
    ("pyraminx", 4, 6): PYRAMINX,
}
FIRST_COUNTS = {
    ("sliding", 4, 4): [1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808, 15544],
    ("sliding", 5, 5): [1, 2, 4, 10, 26, 64, 159, 366, 862, 1904, 4538, 10238, 24098],
    ("torus-ring", 5, 5): [1, 24, 452, 8252, 148295],
}
SLOW = {("loopover", 3, 3), ("pancake", 1, 9), ("top-spin", 1, 10), *[*COUNTS][-3:]}
NUMBERS = {
    # Of even turnstiles both parities are reached, of 8 tiles only those of the ring's parity.
    ("top-spin", 1, 9): 40320 // 2,
    ("top-spin:turnstile=4", 1, 8): 5040,
    # The symmetric group of five acts on six balls in the one exotic way.
    ("hungarian-rings:4,1", 2, 3): 120,
    # Turns of five balls are even, and make all even arrangements.
    ("hungarian-rings:5,2", 2, 4): 20160,
    ("hungarian-rings:6,2,colours=3", 2, 5): 4200,
    ("sliding-gaps:3", 2, 4): 6_720,
    ("sliding-gaps:4", 3, 3): 15_120,
    # A ring with a hole in it keeps the order of its tiles.
    ("sliding-gaps:2,holes=5", 3, 3): 7 * 8 // 2 * 6,
    ("sliding:holes=5", 3, 3): 56,
    # A ring of four cells with a tail of one or three: the order in the ring stays, and each cell
    # of the tail that the blank goes into is one more place for it.
    ("sliding:holes=3", 2, 3): 4 * 3 + 3,
    ("sliding:holes=2", 2, 4): 4 * 3 + 3 * 3,
    # The 2x3 puzzle with a tail of one cell.
    ("sliding:holes=1", 2, 4): 360 + 60,
}
"""Of boards that have a plan."""


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


@pytest.mark.parametrize("puzzle", NUMBERS, ids=str)
def test_as_many_boards_have_a_plan_as_the_group_has_elements(puzzle):
    assert sum(counts(cases.make(*puzzle))) == NUMBERS[puzzle]


@pytest.mark.slow
def test_the_torus_ring_has_the_known_number_of_boards_at_depth_five():
    assert counts(cases.make("torus-ring", 5, 5), 5)[5] == 2636434


def test_transports_shorten_the_longest_3x3_plan_to_28_moves():
    found = counts(cases.make("lloyd", 3, 3))
    assert (sum(found), len(found) - 1, found[-2:]) == (362_880, 28, [60, 1])


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
        *(
            pytest.param(name, sides, ["cnf", "idastar"], marks=pytest.mark.slow)
            for name, *sides in (
                ("pancake", 1, 10),
                ("top-spin", 1, 10),
                ("pocket-cube", 6, 4),
                ("pocket-cube:metric=quarter-turn", 6, 4),
                ("pyraminx", 4, 6),
            )
        ),
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


@pytest.mark.parametrize(
    "puzzle",
    [
        cases.make("sliding", 2, 3),
        cases.make("lloyd", 1, 5),
        cases.make("loopover", 2, 2),
        cases.make("loopover", 2, 3),
        cases.make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
        cases.row_slides(),
        cases.one_way_ring(),
    ],
    ids=lambda puzzle: puzzle.name,
)
def test_the_layers_are_those_of_the_oracle(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert [*map(len, layers(puzzle))] == depth_counts(table)
    for depth, layer in enumerate(layers(puzzle)):
        assert {table[tuple(board)] for board in layer.tolist()} == {depth}
