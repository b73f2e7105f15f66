"""The excess of patterns as clauses: minimal partial assignments imply levels of waste.

While the tiles of a partial assignment stand in its cells, the tiles of its pattern still waste as
many units as its excess. Patterns of one partition share no tile and a move moves one tile, so
what they waste adds up. Each pattern's excess is a number in the order encoding: a literal for "j
or more", for each j.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import FALSE, TRUE, Builder
from plansolve.encoders.bulk import add_clauses
from plansolve.encoders.lemmas.lemma import Layers
from plansolve.encoders.lemmas.partial_assignments import goal_assignments
from plansolve.model.problem import Problem

__all__ = ["ExcessClauses"]

# On 4x4 boards a pattern forces three units at the most; where there is no way home, any number.
_HIGHEST_LEVEL = 8


class ExcessClauses:
    """The minimal partial assignments of one problem's goal, for any horizon and time."""

    def __init__(self, problem: Problem) -> None:
        found = goal_assignments(problem)
        tiles, self._cells = len(problem.puzzle.tiles), problem.puzzle.cells
        # A row for each level that the parts of an assignment do not force.
        levels = np.arange(1, _HIGHEST_LEVEL + 1)
        forces = (found.less[:, None] < levels) & (levels <= found.excess[:, None])
        row, place = np.nonzero(forces)
        order = np.lexsort((place, found.pattern[row]))
        row, self._level = row[order], levels[place[order]]
        # Literals are looked up in a row by cells and tiles; the last one fills up.
        home, cell = found.home[row], found.cell[row]
        index = cell * tiles + np.array([*problem.goal, 0])[home] - 1
        self._place = np.where(home < 0, self._cells * tiles, index)
        self._cell = np.where(home < 0, self._cells, cell)
        self._pattern = found.pattern[row]
        self._tiles = [
            [problem.goal[cell] for cell in homes if cell >= 0] for homes in found.homes.tolist()
        ]
        self._partitions = found.partitions.tolist()

    def forced(
        self, builder: Builder, t: int, layers: Layers, total: int
    ) -> Sequence[Sequence[int]]:
        """For each partition, literals of which no more hold than units of waste are to come."""
        # What fills up the rows always stands, so that its negation is folded away.
        present = np.append(np.array(layers.at[t], np.int64).ravel(), TRUE)
        # One more than everything is as much as any more.
        possible = np.flatnonzero(
            (present != FALSE)[self._place].all(axis=1) & (self._level <= total + 1)
        )
        clauses = [-present[self._place[possible]]]
        if layers.is_stale:
            stale = layers.stale(t)
            blank = np.array([stale.get(cell, FALSE) for cell in range(self._cells)] + [FALSE])
            clauses.append(blank[self._cell[possible]])
        pattern, excess = self._pattern[possible], self._level[possible]
        levels = self._levels(builder, t, pattern, excess)
        add_clauses(builder, np.hstack((*clauses, levels[pattern, excess][:, None])))
        for row in levels[:, 1:].tolist():
            for less, more in pairwise(x for x in row if x):
                builder.clause(-more, less)
            for too_much in row[total:]:
                if too_much:
                    builder.clause(-too_much)
        within = levels[:, 1 : total + 1].tolist()
        return [[x for p in patterns for x in within[p] if x] for patterns in self._partitions]

    def _levels(
        self, builder: Builder, t: int, pattern: NDArray[np.int64], excess: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """levels[p, j]: the literal of "pattern p has an excess of j or more", 0 for none."""
        most = np.zeros(len(self._tiles), np.int64)
        np.maximum.at(most, pattern, excess)
        levels = np.zeros((len(most), int(most.max()) + 1), np.int64)
        for p, tiles in enumerate(self._tiles):
            for j in range(1, int(most[p]) + 1):
                levels[p, j] = builder.new("excess", t, j, *tiles)
        return levels
