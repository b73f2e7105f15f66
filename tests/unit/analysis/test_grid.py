"""Grids found from structure alone, and the strips in which they are solved."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import blank_graph_puzzle, make
from support.fixtures.grids import random_goal, renumbered

from plansolve.analysis.grid import Grid, grid_of, strips
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure
from plansolve.puzzles.sliding import sliding


@pytest.mark.parametrize("rows,columns", [(1, 1), (1, 6), (2, 2), (2, 3), (5, 3), (3, 7), (6, 6)])
def test_a_grid_that_is_numbered_row_by_row_keeps_its_rows(rows, columns):
    grid = grid_of(Structure(sliding(rows, columns)).blank_graph)
    assert grid == Grid(rows, columns, tuple(range(rows * columns)))


def test_a_single_column_is_a_single_row():
    assert grid_of(Structure(sliding(6, 1)).blank_graph) == Grid(1, 6, (0, 1, 2, 3, 4, 5))


def test_a_grid_is_found_however_its_cells_are_numbered():
    random = Random(2)
    for rows, columns in [(2, 2), (2, 5), (3, 3), (4, 6), (1, 5)]:
        puzzle, image = renumbered(sliding(rows, columns), random)
        grid = grid_of(Structure(puzzle).blank_graph)
        assert {grid.rows, grid.columns} == {rows, columns}
        wanted = [[image[r * columns + c] for c in range(columns)] for r in range(rows)]
        ways = [wanted, [*zip(*wanted, strict=True)]]
        ways += [way[::-1] for way in ways]
        ways += [[line[::-1] for line in way] for way in ways]
        assert [list(line) for line in grid.lines] in [[list(x) for x in way] for way in ways]


def arcs_by(size, steps):
    return [(b, (b + step) % size) for b in range(size) for step in steps]


def test_no_grid_is_seen_where_there_is_none():
    assert grid_of(None) is None
    whole = sliding(4, 4)
    others = [
        make("lloyd", 3, 3),
        # A ring and a torus.
        blank_graph_puzzle(6, arcs_by(6, (1, 5))),
        blank_graph_puzzle(16, arcs_by(16, (1, 15, 4, 12))),
    ]
    for missing in whole.operators[::7]:
        one_way = [op for op in whole.operators if op is not missing]
        both = [op for op in one_way if sorted(op.moves) != sorted(missing.moves)]
        others += [replace(whole, name="holed", operators=tuple(ops)) for ops in (one_way, both)]
    for puzzle in others:
        assert grid_of(Structure(puzzle).blank_graph) is None


def test_what_is_left_shrinks_to_a_rectangle_with_the_blank_in_it():
    random = Random(10)
    for rows, columns in [(6, 6), (4, 9), (9, 2), (3, 3)]:
        problem = Problem(
            sliding(rows, columns).with_goal(goal := random_goal(random, rows, columns)), goal
        )
        parts = list(strips(problem, grid_of(problem.structure.blank_graph), 3))
        left = set(range(rows * columns))
        for lines in parts:
            assert {cell for line in lines for cell in line} == left
            if lines is not parts[-1]:
                assert goal.index(0) not in lines[0]
                assert len(lines) >= len(lines[0])
                left -= set(lines[0])
        assert goal.index(0) in left
        assert max(len(parts[-1]), len(parts[-1][0])) <= 3
