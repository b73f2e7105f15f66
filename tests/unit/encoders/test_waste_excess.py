"""The excess of patterns of tiles against breadth-first tables of whole boards."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.partial_assignments import (
    NO_WAY,
    goal_assignments,
    minimal_assignments,
)
from plansolve.encoders.lemmas.waste_counter import waste_unit
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.problem import Problem


def excesses(puzzle, boards):
    """For each partition and board, the waste that the partial assignments of patterns force."""
    place = np.argsort(np.array(boards), axis=1)
    problem = Problem(puzzle, puzzle.goal)
    found = goal_assignments(problem)
    assert (found.less < found.excess).all() and (found.less >= 0).all()
    tables = {}
    for home, cell, pattern, units in zip(
        found.home, found.cell, found.pattern, found.excess, strict=True
    ):
        tiles = tuple(puzzle.goal[h] for h in home if h >= 0)
        empty = np.zeros((puzzle.cells,) * len(tiles), np.int64)
        least = tables.setdefault((int(pattern), tiles), empty)
        least[tuple(cell[: len(tiles)])] = units
    forced = np.zeros((len(found.homes), len(boards)), np.int64)
    for (pattern, tiles), least in tables.items():
        here = least[tuple(place[:, tile] for tile in tiles)]
        forced[pattern] = np.maximum(forced[pattern], here)
    for patterns in found.partitions:
        tiles = [home for pattern in patterns for home in found.homes[pattern] if home >= 0]
        assert sorted(tiles) == [cell for cell, tile in enumerate(puzzle.goal) if tile]
        yield forced[patterns].sum(axis=0) * waste_unit(problem)


def wastes(puzzle, table):
    """The waste of a shortest plan of each board, or of one for which the table has none."""
    home = {tile: cell for cell, tile in enumerate(puzzle.goal)}
    structure = Problem(puzzle, puzzle.goal).structure
    steps = {tile: structure.tile_distances_to(home[tile]) for tile in puzzle.tiles}
    return np.array(
        [
            depth - sum(steps[tile][cell] for cell, tile in enumerate(board) if tile)
            for board, depth in table.items()
        ]
    )


SMALL = {
    "2x3": cases.make("sliding", 2, 3),
    "2x3 snail": cases.make("sliding", 2, 3, "snail"),
    "2x2": cases.make("sliding", 2, 2),
    "1x5": cases.make("lloyd", 1, 5),
    "1x3": cases.make("lloyd", 1, 3),
    "ring": cases.one_way_ring(),
    "lloyd 3x3, blank first": cases.make("lloyd", 3, 3, (0, 1, 2, 3, 4, 5, 6, 7, 8)),
}


def bounds(puzzle, table):
    boards, waste = list(table), wastes(puzzle, table)
    found = list(excesses(puzzle, boards))
    for total in found:
        assert (total <= waste).all()
    return found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name.startswith("lloyd") else name
        for name in SMALL
    ],
)
def test_no_board_forces_more_excess_than_a_shortest_plan_wastes(name):
    puzzle = SMALL[name]
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    if len(table) > 5000:
        table = {board: table[board] for board in Random(1).sample(sorted(table), 5000)}
    bounds(puzzle, table)


def test_no_lloyd_board_forces_more_excess_than_a_shortest_plan_wastes(lloyd_table):
    found = bounds(cases.make("lloyd", 3, 3), lloyd_table)
    assert len(found) == 2
    assert all(total.max() >= 4 for total in found)


def test_no_eight_puzzle_board_forces_more_excess_than_a_shortest_plan_wastes(eight_table):
    found = bounds(cases.make("sliding", 3, 3), eight_table)
    assert all(total.max() >= 6 for total in found)


@pytest.mark.parametrize("tiles", [1, 2, 3, 4])
@pytest.mark.parametrize("unit", [1, 2])
def test_partial_assignments_say_all_that_the_table_says_of_three_tiles(tiles, unit):
    random, cells = Random(tiles), 5
    table = np.array([random.choice([0, 2, 3, 5, NO_WAY]) for _ in range(cells**tiles)])
    table = table.astype(np.uint8).reshape((cells,) * tiles)
    steps = np.array([[random.randrange(3) for _ in range(cells)] for _ in range(tiles)])
    found = list(minimal_assignments(table, steps, unit))
    for _ in range(200):
        placement = random.sample(range(cells), tiles)
        assert forced(found, placement) == expected(table, steps, placement, unit)


def forced(found, placement):
    """The largest excess of the partial assignments that a placement of all tiles holds."""
    return max(
        (
            int(excess)
            for group in found
            for row, excess in zip(group.cells, group.excess, strict=True)
            if all(placement[t] == c for t, c in zip(group.tiles, row, strict=True))
        ),
        default=0,
    )


def expected(table, steps, placement, unit):
    """The least excess of all placements that agree in some tiles: the best such three."""
    agreeing = {}
    for cells in np.ndindex(*table.shape):
        apart = sum(int(steps[i][cell]) for i, cell in enumerate(cells))
        excess = NO_WAY if table[cells] == NO_WAY else max(0, int(table[cells]) - apart) // unit
        alike = [i for i, cell in enumerate(cells) if cell == placement[i]]
        for size in range(min(3, len(alike)) + 1):
            for chosen in combinations(alike, size):
                agreeing[chosen] = min(excess, agreeing.get(chosen, excess))
    return max(agreeing.values())


def test_formulas_do_not_depend_on_what_is_in_the_cache(monkeypatch, tmp_path):
    # Whoever checks a certificate writes the formula again, and compares.
    puzzle = cases.make("lloyd", 3, 3)
    (start,) = cases.scrambles(puzzle, 1, 20, 5)
    encoding = ENCODINGS["full-layer"]
    formulas = []
    for folder in ("new", "new", "/dev/null"):
        monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path / folder))
        builder = CnfBuilder()
        encoding.prepare(Problem(puzzle, start), encoding.lemmas).encode(builder, 14)
        formulas.append(builder.clauses)
    assert len(list((tmp_path / "new" / "tables").glob("*.table"))) == 1
    assert formulas[0] == formulas[1] == formulas[2]
