"""Minimal placements as clauses: what a few tiles force, on top of the away-move counter.

While the tiles of a placement of level j stand in its cells, j moves of the pattern's tiles that
lead away are still to come. Patterns of one partition share no tile, so theirs add up.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from plansolve.encoders.blank_walk import BlankLayer
from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.bulk import add_clauses, live_clauses
from plansolve.encoders.lemmas.placements import goal_placements
from plansolve.model.problem import Problem

__all__ = ["PatternExcess"]


class PatternExcess:
    """The minimal placements of one problem's goal, for any horizon and time."""

    def __init__(self, problem: Problem) -> None:
        found = goal_placements(problem)
        tiles, self._cells = len(problem.puzzle.tiles), problem.puzzle.cells
        # Literals are looked up in a row by cells and tiles, with a last one that never holds.
        home = np.array([*problem.goal, 0])
        index = found.cell * tiles + home[found.home] - 1
        self._place = np.where(found.home < 0, self._cells * tiles, index)
        self._cell = np.where(found.home < 0, self._cells, found.cell)
        self._group, self._pattern, self._partition = found.group, found.pattern, found.partition
        first = np.searchsorted(found.pattern, found.pattern)
        patterns = [
            [problem.goal[cell] for cell in homes.tolist() if cell >= 0] for homes in found.homes
        ]
        self._meaning = [
            (number - int(first[number]) + 1, *patterns[pattern])
            for number, pattern in enumerate(found.pattern.tolist())
        ]

    def indicators(
        self, builder: Builder, t: int, blanks: BlankLayer, row: Mapping[int, Sequence[int]]
    ) -> list[list[int]]:
        """For each partition literals of which at least so many hold as moves away are forced.

        `row[cell]` holds the literal of each tile; it need not be right in the blank's cell.
        """
        missing = [FALSE] * len(row[0])
        standing = np.array([row.get(cell, missing) for cell in range(self._cells)], np.int64)
        # A literal is out of date in the blank's cell: there it proves nothing.
        stale = np.array([blanks.get(cell, FALSE) for cell in range(self._cells)] + [FALSE])
        # What fills up the rows always stands, so that its negation is folded away.
        present = np.append(standing.ravel(), -FALSE)
        possible = np.flatnonzero((present != FALSE)[self._place].all(axis=1))
        placements = np.hstack((-present[self._place[possible]], stale[self._cell[possible]]))
        alive = live_clauses(placements)
        group = self._group[possible[alive]]
        used = np.unique(group)
        indicator = np.zeros(len(self._pattern), np.int64)
        indicator[used] = [builder.new("excess", t, *self._meaning[number]) for number in used]
        add_clauses(builder, np.hstack((placements[alive], indicator[group][:, None])))
        found: dict[int, list[int]] = {}
        before = -1
        for number in used.tolist():
            literal = int(indicator[number])
            if before >= 0 and self._pattern[before] == self._pattern[number]:
                builder.clause(-literal, int(indicator[before]))
            found.setdefault(int(self._partition[number]), []).append(literal)
            before = number
        return list(found.values())
