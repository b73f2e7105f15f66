"""Every lower bound against exhaustive tables: what it declares has to hold for every board."""

from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.bounds.distance import largest_tile_distance, tile_distance_sum
from plansolve.bounds.linear_conflict import linear_conflict, lines
from plansolve.bounds.registry import BOUNDS, best_lower_bound
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure


class Values:
    """The bounds that declare something, at the boards of one puzzle, by name.

    Problems share one structure: deriving it anew would take minutes.
    """

    def __init__(self, puzzle, promise):
        self.puzzle, self.structure = puzzle, Structure(puzzle)
        goal = Problem(puzzle, puzzle.goal)
        self.bounds = {
            bound: bound.at_nodes(goal)
            for bound in BOUNDS.values()
            if getattr(bound, promise) and bound.fits(self.structure)
        }

    def __call__(self, start):
        problem = Problem(self.puzzle, start)
        vars(problem)["structure"] = self.structure
        values = {}
        for bound, at_nodes in self.bounds.items():
            values[f"{bound.name} at nodes"] = at_nodes.value(start)
            if bound.quick:
                values[bound.name] = bound.value(problem)
        return values


def is_admissible(puzzle, table, starts=None):
    values_of = Values(puzzle, "admissible")
    assert set(values_of(puzzle.goal).values()) == {0}
    for start in table if starts is None else starts:
        for name, value in values_of(start).items():
            assert 0 <= value <= table[start], (name, start, value, table[start])


def is_consistent(puzzle, starts):
    """h(s) <= 1 + h(s') along each move, in the direction in which it can be made."""
    values_of, rules = Values(puzzle, "consistent"), Rules.of(puzzle)
    inverse_closed = values_of.structure.is_inverse_closed
    for start in starts:
        here = values_of(start)
        for move, after in rules.successors(start):
            there = values_of(after)
            for name, value in here.items():
                assert value <= 1 + there[name], (name, start, move)
                assert not inverse_closed or there[name] <= 1 + value, (name, start, move)


SMALL = [
    ("sliding", 2, 3),
    ("sliding", 2, 3, "blank-first"),
    ("sliding", 2, 3, "snail"),
    ("sliding", 2, 3, (1, 0, 2, 3, 4, 5)),
    ("sliding", 3, 2),
    ("sliding", 2, 2),
    ("sliding", 1, 5),
    ("lloyd", 1, 5),
    ("loopover", 2, 3),
    ("loopover", 2, 2),
    ("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    ("torus-ring:rings=none", 1, 5),
]


@pytest.mark.parametrize("specification", SMALL, ids=str)
def test_no_bound_exceeds_the_distance_of_any_board(specification):
    is_admissible(make(*specification), cases.distance_table(*specification))


@pytest.mark.parametrize("specification", SMALL, ids=str)
def test_no_bound_falls_by_more_than_one_along_a_move(specification):
    is_consistent(make(*specification), sorted(cases.distance_table(*specification)))


@pytest.mark.parametrize(
    "puzzle", [cases.one_way_ring(), cases.row_slides()], ids=lambda puzzle: puzzle.name
)
def test_bounds_hold_for_rules_without_a_family(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    is_admissible(puzzle, table)
    is_consistent(puzzle, sorted(table))


def test_bounds_hold_for_a_sample_of_3x3_boards(eight_table):
    boards = Random(3).sample(list(eight_table), 1200)
    is_admissible(make("sliding", 3, 3), eight_table, boards)
    is_consistent(make("sliding", 3, 3), boards[:500])


def test_bounds_hold_for_a_sample_of_lloyd_3x3_boards(lloyd_table):
    boards = Random(4).sample(list(lloyd_table), 1200)
    is_admissible(make("lloyd", 3, 3), lloyd_table, boards)
    is_consistent(make("lloyd", 3, 3), boards[:500])


@pytest.mark.parametrize(
    "specification",
    [
        pytest.param(("torus-ring", 5, 5, None, 3), marks=pytest.mark.slow),
        ("loopover", 3, 3, None, 4),
        ("torus-ring:rings=outer", 3, 3, None, 3),
        ("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5, None, 4),
        ("torus-ring", 4, 4, None, 3),
        ("sliding", 3, 4, None, 14),
    ],
    ids=str,
)
def test_bounds_hold_for_boards_near_the_goal(specification):
    puzzle, table = make(*specification[:3]), cases.distance_table(*specification)
    boards = sorted(table)
    is_admissible(puzzle, table, Random(5).sample(boards, min(len(boards), 3000)))
    is_consistent(puzzle, Random(6).sample(boards, 40))


@pytest.mark.slow
def test_bounds_hold_for_all_torus_ring_boards_to_depth_three():
    table = cases.distance_table("torus-ring", 5, 5, None, 3)
    is_admissible(make("torus-ring", 5, 5), table)


# Figures and definitions


def test_linear_conflict_of_the_square_of_the_puz_files():
    # puz-square of A. A. Smith's CS431 assignment; its shortest plan has 31 moves.
    board = (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)
    problem = Problem(make("sliding", 4, 4), board)
    assert tile_distance_sum(problem) == 19
    assert linear_conflict(problem) == 23
    best = best_lower_bound(problem)
    assert (best.value, best.by) == (23, "linear conflict")


def manhattan(rows, columns, start, goal):
    return [
        abs(start.index(t) // columns - goal.index(t) // columns)
        + abs(start.index(t) % columns - goal.index(t) % columns)
        for t in range(1, rows * columns)
    ]


@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (2, 3), (3, 3), (4, 4), (5, 3)])
def test_tile_distances_on_a_grid_are_manhattan_distances(rows, columns):
    puzzle, random = make("sliding", rows, columns), Random(rows + columns)
    for _ in range(50):
        start = tuple(random.sample(puzzle.goal, puzzle.cells))
        expected = manhattan(rows, columns, start, puzzle.goal)
        assert tile_distance_sum(Problem(puzzle, start)) == sum(expected)
        assert largest_tile_distance(Problem(puzzle, start)) == max(expected)


def hand_made_conflict(rows, columns, start, goal):
    """Linear conflict by trying all sets of tiles that leave their line, for small lines."""
    extra = 0
    every = [[r * columns + c for c in range(columns)] for r in range(rows)]
    every += [[r * columns + c for r in range(rows)] for c in range(columns)]
    for line in every:
        home = [goal.index(start[c]) for c in line if start[c] and goal.index(start[c]) in line]
        stay = max(
            bin(mask).count("1")
            for mask in range(1 << len(home))
            if (kept := [h for i, h in enumerate(home) if mask >> i & 1]) == sorted(kept)
        )
        extra += 2 * (len(home) - stay)
    return sum(manhattan(rows, columns, start, goal)) + extra


@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (2, 3), (3, 3), (4, 4), (5, 3)])
def test_linear_conflict_on_a_grid_is_the_hand_made_one(rows, columns):
    puzzle, random = make("sliding", rows, columns, "snail"), Random(rows * columns)
    for _ in range(40):
        # Few exchanges, so that many tiles are in their lines.
        start = list(puzzle.goal)
        for _ in range(random.randint(1, 4)):
            a, b = random.sample(range(len(start)), 2)
            start[a], start[b] = start[b], start[a]
        expected = hand_made_conflict(rows, columns, start, puzzle.goal)
        assert linear_conflict(Problem(puzzle, tuple(start))) == expected


def test_transports_count_in_lloyd_s_tile_distances():
    puzzle = make("lloyd", 5, 5)
    swapped = list(puzzle.goal)
    # A goes to the centre by four slides, M by one transport to the corner.
    swapped[0], swapped[12] = swapped[12], swapped[0]
    assert tile_distance_sum(Problem(puzzle, tuple(swapped))) == 4 + 1
    assert linear_conflict(Problem(puzzle, tuple(swapped))) == 5


def test_distances_on_the_torus_are_shared_by_the_widest_move():
    puzzle = make("torus-ring", 5, 5)
    after = Rules.of(puzzle).apply(puzzle.goal, "Oc")
    assert tile_distance_sum(Problem(puzzle, after)) == 1
    assert largest_tile_distance(Problem(puzzle, after)) == 1
    loopover = make("loopover", 5, 5)
    after = Rules.of(loopover).replay(loopover.goal, ("R1", "R1", "D3"))[-1]
    # 5 tiles two cells away, but for the one in column 3 that came down: 10 + 5, by 5 a move.
    assert tile_distance_sum(Problem(loopover, after)) == 3


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3), (4, 4), (3, 5), (1, 4), (4, 1)])
def test_the_lines_of_a_grid_are_its_rows_and_columns(shape):
    rows, columns = shape
    expected = {tuple(range(r * columns, (r + 1) * columns)) for r in range(rows)}
    expected |= {tuple(range(c, rows * columns, columns)) for c in range(columns)}
    found = lines(Structure(make("sliding", rows, columns)))
    assert set(found) == {line for line in expected if len(line) > 1}
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "puzzle",
    [
        make("lloyd", 3, 3),
        make("lloyd", 5, 5),
        make("torus-ring", 5, 5),
        cases.one_way_ring(),
        cases.row_slides(),
    ],
    ids=lambda puzzle: puzzle.name,
)
def test_there_are_no_lines_where_the_argument_does_not_hold(puzzle):
    assert lines(Structure(puzzle)) == ()


def test_the_simplest_of_equal_bounds_is_named():
    puzzle = make("sliding", 3, 3)
    one_move = Problem(puzzle, (1, 2, 3, 4, 5, 6, 7, 0, 8))
    assert best_lower_bound(one_move).by == "largest tile distance"
    two_tiles = Problem(puzzle, (1, 2, 3, 4, 5, 6, 0, 7, 8))
    assert (best_lower_bound(two_tiles).value, best_lower_bound(two_tiles).by) == (
        2,
        "tile distances",
    )
    assert best_lower_bound(Problem(puzzle, puzzle.goal)).value == 0
