"""Every lower bound, and the sceptic's, against exhaustive tables: what is declared holds."""

from collections import deque
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.fixtures.small_rules import puzzles
from support.reference.layers import layers
from support.reference.oracle import Rules
from support.reference.placements import goal_distances

from plansolve.bounds import walking_distance
from plansolve.bounds.distance import LargestTileDistance, tile_distance_sum
from plansolve.bounds.linear_conflict import linear_conflict
from plansolve.bounds.registry import BOUNDS, admissible_bound, best_lower_bound
from plansolve.bounds.walking_distance import walking_table
from plansolve.certcheck.elementary import elementary_bound, home_distances
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE, Structure


class Values:
    """The bounds that declare something, at the boards of one puzzle, by name.

    Problems share one structure: deriving it anew would take minutes.
    """

    def __init__(self, puzzle, promise):
        self.puzzle, self.structure = puzzle, Structure(puzzle)
        self.known, goal = {}, Problem(puzzle, puzzle.goal)
        self.bounds = {
            bound: bound.at_nodes(goal)
            for bound in BOUNDS.values()
            if getattr(bound, promise) and bound.fits(self.structure)
        }

    def __call__(self, start):
        if start in self.known:
            return self.known[start]
        problem = Problem(self.puzzle, start)
        vars(problem)["structure"] = self.structure
        values = {}
        for bound, at_nodes in self.bounds.items():
            values[f"{bound.name} at nodes"] = at_nodes.value(start)
            if bound.quick:
                values[bound.name] = bound.value(problem)
        return self.known.setdefault(start, values)


def is_admissible(puzzle, table, starts=None):
    values_of = Values(puzzle, "admissible")
    assert set(values_of(puzzle.goal).values()) == {0}
    for start in table if starts is None else starts:
        for name, value in values_of(start).items():
            assert 0 <= value <= table[start], (name, start, value, table[start])
    for start in Random(1).sample(sorted(table), min(len(table), 200)):
        problem = Problem(puzzle, start)
        provers = max(LargestTileDistance().value(problem), tile_distance_sum(problem))
        assert elementary_bound(problem).value == provers


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


PUZZLES = [
    *(make(*specification) for specification in SMALL),
    cases.one_way_ring(),
    cases.row_slides(),
]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.title)
def test_what_bounds_declare_holds_for_every_board_of_small_puzzles(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    is_admissible(puzzle, table)
    is_consistent(puzzle, sorted(table))


@pytest.mark.parametrize("name", ["sliding", "lloyd"])
def test_bounds_hold_for_a_sample_of_3x3_boards(name):
    table = cases.distance_table(name, 3, 3)
    boards = Random(3).sample(list(table), 1200)
    is_admissible(make(name, 3, 3), table, boards)
    is_consistent(make(name, 3, 3), boards[:500])


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
@pytest.mark.parametrize(
    "specification",
    [("sliding", 3, 3), ("sliding", 3, 3, "snail"), ("lloyd", 3, 3), ("sliding", 2, 4)],
    ids=str,
)
def test_bounds_hold_for_all_boards_and_along_all_moves(specification):
    puzzle, table = make(*specification), cases.distance_table(*specification)
    is_admissible(puzzle, table)
    is_consistent(puzzle, table)


@pytest.mark.slow
def test_bounds_hold_for_torus_ring_boards_to_depth_five():
    # All boards to depth 4, one in a hundred at depth 5; some moves from each depth.
    puzzle, random = make("torus-ring", 5, 5), np.random.default_rng(20)
    for depth, layer in enumerate(layers(puzzle, 5)):
        share = layer[random.random(len(layer)) < (0.01 if depth == 5 else 1)]
        is_admissible(puzzle, {puzzle.goal: 0, **dict.fromkeys(map(tuple, share.tolist()), depth)})
        is_consistent(puzzle, map(tuple, random.permutation(layer)[:300].tolist()))


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
def test_tile_distances_and_linear_conflict_on_a_grid_are_the_hand_made_ones(rows, columns):
    puzzle, random = make("sliding", rows, columns, "snail"), Random(rows * columns)
    for _ in range(40):
        # Few exchanges, so that many tiles are in their lines.
        start = list(puzzle.goal)
        for _ in range(random.randint(1, 4)):
            a, b = random.sample(range(len(start)), 2)
            start[a], start[b] = start[b], start[a]
        problem, apart = Problem(puzzle, tuple(start)), manhattan(rows, columns, start, puzzle.goal)
        assert tile_distance_sum(problem) == sum(apart)
        assert LargestTileDistance().value(problem) == max(apart)
        assert linear_conflict(problem) == hand_made_conflict(rows, columns, start, puzzle.goal)


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
    assert LargestTileDistance().value(Problem(puzzle, after)) == 1
    loopover = make("loopover", 5, 5)
    after = Rules.of(loopover).replay(loopover.goal, ("R1", "R1", "D3"))[-1]
    # 5 tiles two cells away, but for the one in column 3 that came down: 10 + 5, by 5 a move.
    assert tile_distance_sum(Problem(loopover, after)) == 3


def test_the_simplest_of_equal_bounds_is_named():
    puzzle = make("sliding", 3, 3)
    for board, value, by in (
        ((1, 2, 3, 4, 5, 6, 7, 0, 8), 1, "largest tile distance"),
        ((1, 2, 3, 4, 5, 6, 0, 7, 8), 2, "tile distances"),
        (puzzle.goal, 0, "largest tile distance"),
    ):
        best = best_lower_bound(Problem(puzzle, board))
        assert (best.value, best.by) == (value, by)


# Walking Distance

WALKING = BOUNDS["walking-distance"]


def exchanges(count, width, blank):
    """Distances by the lines' contents: for each line, the sorted lines to which its tiles go."""
    goal = tuple((line,) * (width - (line == blank)) for line in range(count))
    distance, todo = {goal: 0}, deque([goal])
    while todo:
        lines = todo.popleft()
        (here,) = (line for line in range(count) if len(lines[line]) < width)
        for there in {here - 1, here + 1} & set(range(count)):
            for tile in set(lines[there]):
                after = list(map(list, lines))
                after[there].remove(tile)
                after[here].append(tile)
                state = tuple(tuple(sorted(line)) for line in after)
                if state not in distance:
                    distance[state] = distance[lines] + 1
                    todo.append(state)
    return distance


def key(lines, count, width):
    """The number whose digits, in base width + 1, count the tiles of each line for each line."""
    return sum(
        (width + 1) ** (line * count + home) for line in range(count) for home in lines[line]
    )


@pytest.mark.parametrize(
    ("count", "width", "blank"),
    [(1, 4, 0), (2, 2, 1), (2, 4, 0), (3, 3, 2), (3, 3, 1), (3, 4, 0), (4, 2, 3), (4, 3, 2)],
)
def test_tables_equal_those_of_the_reference(count, width, blank):
    expected = {key(lines, count, width): n for lines, n in exchanges(count, width, blank).items()}
    assert walking_table(count, width, blank) == expected


def test_the_table_of_the_15_puzzle_has_its_known_size():
    # 24,964 arrangements, the farthest 35 exchanges away: K. Takahashi.
    table = walking_table(4, 4, 3)
    assert (len(table), max(table.values())) == (24_964, 35)


@pytest.mark.parametrize("goal", [None, "blank-first", "snail", "scrambled"])
@pytest.mark.parametrize(
    "shape", [(3, 4), pytest.param((4, 4), marks=pytest.mark.slow), (4, 3), (2, 5)]
)
def test_the_value_is_that_of_rows_and_columns_and_no_less_than_the_distances(shape, goal):
    rows, columns = shape
    cells = rows * columns
    if goal == "scrambled":
        goal = tuple(Random(cells).sample(range(cells), cells))
    puzzle = make("sliding", rows, columns, goal)
    home = puzzle.home
    tables = (
        exchanges(rows, columns, home[0] // columns),
        exchanges(columns, rows, home[0] % columns),
    )
    more = 0
    for start in cases.scrambles(puzzle, 20, 80, 6):
        by_row = [[] for _ in range(rows)]
        by_column = [[] for _ in range(columns)]
        for cell, tile in enumerate(start):
            if tile:
                by_row[cell // columns].append(home[tile] // columns)
                by_column[cell % columns].append(home[tile] % columns)
        lines = (tuple(tuple(sorted(line)) for line in part) for part in (by_row, by_column))
        expected = sum(table[part] for table, part in zip(tables, lines, strict=True))
        problem = Problem(puzzle, start)
        assert WALKING.value(problem) == expected >= tile_distance_sum(problem)
        more += expected > tile_distance_sum(problem)
    assert more


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "fits"),
    [
        ("sliding", 3, 5, True),
        ("sliding", 1, 5, True),
        ("lloyd", 3, 3, False),
        ("torus-ring", 5, 5, False),
    ],
)
def test_it_is_for_grids(specification, rows, columns, fits):
    puzzle = make(specification, rows, columns)
    assert WALKING.fits(Structure(puzzle)) == fits
    if not fits:
        with pytest.raises(OptionError, match="is for sliding tiles on a full grid"):
            admissible_bound("walking-distance", Problem(puzzle, puzzle.goal))


@pytest.mark.parametrize(
    ("shape", "wrong"),
    [
        ((5, 5), "takes 5 rows or columns of at most 2 cells: those of this puzzle have 5"),
        ((4, 6), "takes 4 rows or columns of at most 5 cells: those of this puzzle have 6"),
        ((1, 20), "takes at most 8 rows and columns: this puzzle has 20"),
        ((2, 9), "takes at most 8 rows and columns: this puzzle has 9"),
    ],
)
def test_tables_that_are_too_large_are_refused_before_they_are_made(shape, wrong, monkeypatch):
    monkeypatch.delattr(walking_distance, "walking_table")
    puzzle = make("sliding", *shape)
    problem = Problem(puzzle, puzzle.goal)
    with pytest.raises(OptionError, match=f"^bound walking-distance {wrong}$"):
        WALKING.value(problem)
    usable = "largest-tile-distance, tile-distances"
    usable += ", linear-conflict" if max(shape) <= 6 else ""
    with pytest.raises(OptionError, match=f"{wrong}; for this puzzle: {usable}$"):
        admissible_bound("walking-distance", problem)


@pytest.mark.parametrize(("shape", "entries"), [((4, 5), 107_712), ((5, 2), 11_010)])
def test_the_largest_tables_have_up_to_120_000_entries(shape, entries):
    assert len(walking_table(*shape, 1)) == entries
    # They are not read where nobody asks for them.
    puzzle = make("sliding", 5, 5)
    assert best_lower_bound(Problem(puzzle, puzzle.goal)).value == 0


# The bound of the sceptic


def test_no_board_of_equal_pieces_is_nearer():
    for puzzle in puzzles(range(30)):
        for board, distance in goal_distances(puzzle).items():
            assert elementary_bound(Problem(puzzle, board)).value <= distance


def test_a_tile_that_never_gets_home_has_no_plan():
    # Two cells change places, the third is out of reach.
    swap = Operator("S", ((0, 1), (1, 0)))
    puzzle = Puzzle("swap", 1, 3, (1, 2, 3), (swap,), ("_", "1", "2", "3"))
    assert elementary_bound(Problem(puzzle, (2, 1, 3))).value == 1
    assert elementary_bound(Problem(puzzle, (2, 3, 1))).value >= UNREACHABLE
    assert home_distances(puzzle)[3] == (UNREACHABLE, UNREACHABLE, 0)


def test_without_an_operator_only_the_goal_has_a_plan():
    puzzle = Puzzle("still", 1, 2, (1, 2), (), ("_", "1", "2"))
    assert elementary_bound(Problem(puzzle, (1, 2))).value == 0
    assert elementary_bound(Problem(puzzle, (2, 1))).value >= UNREACHABLE
