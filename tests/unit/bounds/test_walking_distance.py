"""Walking Distance: its tables against a small reference of another kind, values, and limits."""

from collections import deque
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make

from plansolve.bounds import walking_distance
from plansolve.bounds.distance import tile_distance_sum
from plansolve.bounds.registry import BOUNDS, admissible_bound, best_lower_bound
from plansolve.bounds.walking_distance import walking_table
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure

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
        ("loopover", 3, 3, False),
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


def test_it_is_not_read_where_nobody_asks_for_it():
    puzzle = make("sliding", 5, 5)
    assert best_lower_bound(Problem(puzzle, puzzle.goal)).value == 0
    assert not WALKING.quick
