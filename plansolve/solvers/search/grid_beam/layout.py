"""The stages in which a large grid is solved, and the tables of a beam that goes through them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.grid import Grid, strips
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.solvers.search.grid_beam.distances_kernel import LAST, PAIR, SINGLE, GridArcs, Turns
from plansolve.solvers.search.grid_beam.state import Lines

WINDOW_SIDE = 6
"""The side of the square at the end of a line in which two tiles and the blank are looked up."""

LAST_SIDE = 5
"""The longest side of what is left to the last stage."""


@dataclass(frozen=True)
class Setting:
    """The guidance of a beam: H is the sum of slope * weight * (|dr| ** power + |dc| ** power) over
    the tiles, and twice `conflict` for each tile that has to leave its goal line.

    A tile whose row or column is solved after d others of its kind weighs
    1 + outer * exp(-(d / reach)²): the sooner it is to be home, the more. Ways toward the side
    that is solved first count 1 + `outward` times, ways back 1 - `outward` times. The slope is for
    sides of 10, and falls by the power `fall` of the longer side of what is left. The distance of
    the stage's tiles counts `alpha` times. A stage ends `slack` levels after its first finished
    board.
    """

    power: float
    slope: float
    conflict: float
    outer: float = 0.0
    reach: float = 1.0
    outward: float = 0.0
    fall: float = 0.7
    alpha: float = 1.0
    slack: int = 60


def setting_for(rows: int, columns: int) -> Setting:
    """Return the setting that did best on random boards of the size.

    The convex sum makes the blank carry far tiles along while it passes them, one move per step,
    and spares it detours for near ones, which are brought home in their own stage. The weights
    gather the tiles of the next few lines beforehand. A tile that is led toward the solved side
    drives those beside it back for nothing, which is why ways back count less.
    """
    longer, shorter = max(rows, columns), min(rows, columns)
    if longer <= LAST_SIDE:
        return Setting(power=1.3, slope=0.5, conflict=1.0, outer=0.5, reach=3.0)
    outward = _between(shorter, {2: 0.0, 4: 0.2})
    if longer >= 2 * shorter and longer > 12:
        # If few tiles fit beside each other, those of later lines are in the way.
        return Setting(
            power=_between(shorter, {4: 1.5, 10: 1.7}),
            slope=_between(shorter, {4: 0.45, 10: 0.3}),
            conflict=0.45,
            outer=_between(shorter, {2: 0.5, 4: 1.0, 10: 2.0}),
            reach=3.0,
            outward=outward,
            slack=40,
        )
    return Setting(
        power=1.9,
        slope=0.165,
        conflict=_between(longer, {10: 0.7, 20: 0.45}),
        outer=_between(longer, {8: 1.8, 20: 4.0, 30: 5.5}),
        reach=_between(longer, {10: 2.3, 20: 3.0}),
        outward=outward,
        alpha=0.57 if longer < 3 * shorter else 1.0,
        slack=round(_between(longer, {12: 60, 20: 40})),
    )


def _between(side: int, values: dict[int, float]) -> float:
    """Return the value for a side, linear between those of a few sides."""
    return float(np.interp(side, list(values), list(values.values())))


def varied(setting: Setting, number: int) -> Setting:
    """Return a setting of other weights, about as good for most boards; 0 is the setting itself.

    The factors of a few numbers in a row are spread evenly over their ranges: they are multiples
    of the powers of 1 / 1.2207 (Roberts 2018), whose whole parts are left out.
    """
    if number == 0:
        return setting
    alpha, slope, conflict = (number * 1.2207440846**-power % 1 for power in (1, 2, 3))
    return replace(
        setting,
        alpha=setting.alpha * (0.75 + 0.5 * alpha),
        slope=setting.slope * (0.85 + 0.3 * slope),
        conflict=setting.conflict * (0.7 + 0.7 * conflict),
    )


@dataclass(frozen=True)
class GridStage:
    """One tile, the last two of a line, or all that is left (kind LAST).

    Cells are numbered as in `Layout`. While the stage runs, cells below `free` are open; `window`
    holds the open cells at the end of the line of a pair. `part` counts the rectangles: stages of
    one part have the same guidance.
    """

    kind: int
    one: int
    other: int
    free: int
    part: int
    window: tuple[int, ...] = ()


class Layout:
    """A grid whose cells are numbered such that those which are solved first come last.

    `cells[i]` is the puzzle's cell with number i, `numbers` the inverse. `row` and `column` hold
    each numbered cell's place in the grid, `far` the distances of cells (uint16). `arcs`, `turns`
    and `lines` are for the kernels.
    """

    def __init__(self, problem: Problem, grid: Grid) -> None:
        self.parts = list(strips(problem, grid, LAST_SIDE))
        order = [cell for lines in self.parts[:-1] for cell in lines[0]]
        order += [cell for line in self.parts[-1] for cell in line]
        self.cells = np.array(order[::-1], np.int64)
        self.count = len(order)
        self.numbers = np.empty(self.count, np.int64)
        self.numbers[self.cells] = np.arange(self.count)
        self.blank_home = int(self.numbers[problem.goal.index(BLANK)])
        self.stages = self._stages()
        place = np.empty(self.count, np.int64)
        place[self.numbers[list(grid.cells)]] = np.arange(self.count)
        self.row, self.column = np.divmod(place, grid.columns)
        self.far = (
            np.abs(self.row[:, None] - self.row) + np.abs(self.column[:, None] - self.column)
        ).astype(np.uint16)
        self._find_arcs()
        self._find_lines(grid)
        self.row_depth, self.column_depth = self._depths(problem, grid)

    def _numbered(self, cells: Sequence[int]) -> tuple[int, ...]:
        return tuple(int(self.numbers[cell]) for cell in cells)

    def _stages(self) -> list[GridStage]:
        stages = []
        free = self.count
        for part, lines in enumerate(self.parts[:-1]):
            *singles, one, other = self._numbered(lines[0])
            for tile in singles:
                stages.append(GridStage(SINGLE, tile, tile, free, part))
                free -= 1
            corner = [cell for line in lines[:WINDOW_SIDE] for cell in line[-WINDOW_SIDE:]]
            window = tuple(cell for cell in self._numbered(corner) if cell < free)
            stages.append(GridStage(PAIR, one, other, free, part, window))
            free -= 2
        stages.append(GridStage(LAST, 0, 0, free, len(self.parts) - 1))
        return stages

    def _find_arcs(self) -> None:
        near = [np.flatnonzero(row == 1).tolist() for row in self.far]
        arcs = [(cell, to) for cell, sides in enumerate(near) for to in sides]
        index = {arc: i for i, arc in enumerate(arcs)}
        first = np.cumsum([0, *map(len, near)]).astype(np.uint64)
        there = np.array([to for _, to in arcs], np.uint64)
        back = np.array([index[to, cell] for cell, to in arcs], np.int64)
        self.arcs = GridArcs(first, there, back)
        turns = [
            [
                (index[cell, other], via)
                for via in near[to]
                if via != cell
                for other in near[via]
                if other != to and other in near[cell]
            ]
            for cell, to in arcs
        ]
        turn_first = np.cumsum([0, *map(len, turns)]).astype(np.int64)
        flat = np.array([turn for some in turns for turn in some], np.int64).reshape(-1, 2)
        self.turns = Turns(turn_first, flat[:, 0].copy(), flat[:, 1].copy())

    def _find_lines(self, grid: Grid) -> None:
        lines = [self._numbered(line) for line in grid.lines]
        lines += [self._numbered(line) for line in zip(*grid.lines, strict=True)]
        first = np.cumsum([0, *map(len, lines)])
        cells = [cell for line in lines for cell in line]
        line_of = [self.row, grid.rows + self.column]
        places = [self.column, self.row]
        tops = np.zeros((2, max(map(len, lines))))
        tables = (first, cells, line_of, places, tops)
        self.lines = Lines(*(np.array(table, np.uint64) for table in tables))

    def _depths(self, problem: Problem, grid: Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows solved before each cell's row, and the columns before its column."""
        solved: tuple[list[int], list[int]] = ([], [])
        for lines in strips(problem, grid, 2):
            one, other = self._numbered(lines[0])[:2]
            if self.row[one] == self.row[other]:
                solved[0].append(int(self.row[one]))
            else:
                solved[1].append(int(self.column[one]))
        depths = []
        for order, place, count in zip(
            solved, (self.row, self.column), (grid.rows, grid.columns), strict=True
        ):
            depth = np.full(count, len(order), np.int64)
            depth[order] = np.arange(len(order))
            depths.append(depth[place])
        return depths[0], depths[1]

    def guide(self, setting: Setting, part: int, table: NDArray[np.uint16]) -> None:
        """Fill in what each unsolved tile adds to H in each open cell, in sixteenths of a move.

        `table` has a row for each tile and a column for each cell; no entry is 0 but for the home
        of a tile and for the blank.
        """
        lines = self.parts[part]
        open_cells = sum(map(len, lines))
        slope = setting.slope * (10 / max(len(lines), len(lines[0]))) ** setting.fall
        powers = np.arange(self.count) ** setting.power
        before = np.full(open_cells, self.count)
        sums = np.zeros((open_cells, open_cells))
        for places, depths in ((self.row, self.row_depth), (self.column, self.column_depth)):
            place, depth = places[:open_cells], depths[:open_cells]
            before = np.minimum(before, depth - depth.min())
            is_outward = depth[:, None] < depth
            sums += powers[np.abs(place[:, None] - place)] * np.where(
                is_outward, 1 + setting.outward, 1 - setting.outward
            )
        weight = 1 + setting.outer * np.exp(-((before / setting.reach) ** 2))
        block = table[:open_cells, :open_cells]
        block[:] = np.minimum(np.rint(16 * slope * weight[:, None] * sums), 65535)
        np.maximum(block, self.far[:open_cells, :open_cells] > 0, out=block)
        table[self.blank_home] = 0
