"""Blank graphs that are grids: rows and columns of cells, and the order in which to solve them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import BlankGraph, breadth_first

Lines = tuple[tuple[int, ...], ...]
"""A rectangle of cells, line by line."""


@dataclass(frozen=True)
class Grid:
    """Cells in rows and columns such that the blank can go to the neighbours, and nowhere else."""

    rows: int
    columns: int
    cells: tuple[int, ...]

    @property
    def lines(self) -> Lines:
        width = self.columns
        return tuple(self.cells[r * width : (r + 1) * width] for r in range(self.rows))

    @property
    def transposed(self) -> "Grid":
        cells = tuple(cell for line in zip(*self.lines, strict=True) for cell in line)
        return Grid(self.columns, self.rows, cells)


def grid_of(graph: BlankGraph | None) -> Grid | None:
    """Return the grid that the blank walks on, or None if the blank graph is no full grid.

    Of two corners on one side, one is r + c and the other r + (columns - 1 - c) moves away from
    the cell in row r and column c; the grid that follows from this is compared with the graph.
    The first corner is the cell with the smallest number, and so is the second if it can be,
    so that cells which are numbered row by row keep their rows.
    """
    if graph is None or not graph.is_symmetric:
        return None
    arcs = graph.successors
    cells = len(arcs)
    if cells == 1:
        return Grid(1, 1, (0,))
    least = min(map(len, arcs))
    corners = [cell for cell in range(cells) if len(arcs[cell]) == least][:4]
    from_first = breadth_first(arcs, corners[0])
    for corner in corners[1:]:
        columns = from_first[corner] + 1
        if cells % columns:
            continue
        from_second = breadth_first(arcs, corner)
        placed: list[int] = [-1] * cells
        for cell, (a, b) in enumerate(zip(from_first, from_second, strict=True)):
            row, odd = divmod(a + b - columns + 1, 2)
            position = row * columns + a - row
            if odd or not 0 <= row <= a < row + columns or not 0 <= position < cells:
                break
            placed[position] = cell
        grid = Grid(cells // columns, columns, tuple(placed))
        if _fits(grid, graph):
            return grid
    return None


def _fits(grid: Grid, graph: BlankGraph) -> bool:
    if sorted(grid.cells) != list(range(len(graph.successors))):
        return False
    neighbours: list[set[int]] = [set() for _ in grid.cells]
    for lines in (grid.lines, tuple(zip(*grid.lines, strict=True))):
        for line in lines:
            for one, other in pairwise(line):
                neighbours[one].add(other)
                neighbours[other].add(one)
    return all(
        wanted == set(there) for wanted, there in zip(neighbours, graph.successors, strict=True)
    )


def strips(problem: Problem, grid: Grid, largest: int) -> Iterator[Lines]:
    """Yield the row or column to solve next, repeatedly, and at last the rest.

    Yield the unsolved rectangle with the row or column to solve as its first line; the last
    rectangle has no side of more than `largest` cells (at least 2), and is to be solved at once.
    The rest always holds the blank's goal cell, and a line is never longer than the side across.
    """
    blank = problem.goal.index(BLANK)
    lines = grid.lines
    while max(len(lines), len(lines[0])) > largest and min(len(lines), len(lines[0])) > 1:
        if len(lines) < len(lines[0]):
            lines = tuple(zip(*lines, strict=True))
        row = next(r for r, line in enumerate(lines) if blank in line)
        if 2 * row < len(lines) - 1:
            lines = lines[::-1]
        yield lines
        lines = lines[1:]
    yield lines
