"""Mutexes: two or three contents that cannot be in their cells at one time.

No plan takes them there in time from the start, or home from there, whatever all others do.
"""

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify.legend import AT
from plansolve.certcheck.justify.mutex_kernel import NEVER, spread
from plansolve.certcheck.justify.rules import Rules
from plansolve.certcheck.justify.rules_kernel import MeantClauses

__all__ = ["MutexTables"]

_MOST_TILES = 3
_MOST_PLACEMENTS = 1 << 18


class MutexTables:
    """Distances of few contents together, from the start and to the goal."""

    def __init__(self, rules: Rules) -> None:
        problem = rules.problem
        self._is_distinct = problem.puzzle.is_distinct
        self._cells = problem.puzzle.cells
        operators = problem.puzzle.operators
        images = [operator.destinations(self._cells) for operator in operators]
        self._after = np.array(images, np.int64).reshape(-1, self._cells)
        self._before = np.argsort(self._after, axis=1)
        self._ends = [
            {content: cell for cell, content in enumerate(board)}
            for board in (problem.start, problem.goal)
        ]
        self._tables: dict[tuple[int, ...], tuple[Array, Array]] = {}

    def check_apart(self, clauses: MeantClauses, wanted: Array, horizon: int, found: Array) -> None:
        """Set `found[i]` for the clauses in `wanted` that deny places too far from either end.

        None where pieces are alike or the goal leaves cells open: a content has no one cell then.
        """
        if not self._is_distinct:
            return
        ends = clauses.ends
        begins = np.concatenate(([0], ends[:-1]))
        for size in range(2, _MOST_TILES + 1):
            if self._cells**size > _MOST_PLACEMENTS:
                break
            some = wanted[(ends - begins)[wanted] == size]
            literals = clauses.literals[begins[some][:, None] + np.arange(size)]
            kinds, rows = clauses.kind[np.abs(literals)], clauses.row[np.abs(literals)]
            of_places = ((literals < 0) & (kinds == AT)).all(axis=1)
            of_places &= (rows[:, :, 0] == rows[:, :1, 0]).all(axis=1)
            some, rows = some[of_places], rows[of_places]
            order = np.argsort(rows[:, :, 2], axis=1, kind="stable")
            rows = np.take_along_axis(rows, order[:, :, None], axis=1)
            contents, which = np.unique(rows[:, :, 2], axis=0, return_inverse=True)
            for number, tiles in enumerate(map(tuple, contents.tolist())):
                if len({*tiles}) == size and {*tiles} <= self._ends[0].keys():
                    mine = which.ravel() == number
                    found[some[mine]] = self._are_apart(tiles, rows[mine], horizon)

    def _are_apart(self, contents: tuple[int, ...], rows: Array, horizon: int) -> Array:
        """Whether the contents in the cells rows[:, i, 1] after rows[:, 0, 0] moves are too far."""
        if contents not in self._tables:
            self._tables[contents] = self._search(contents)
        done, left = self._tables[contents]
        place = np.zeros(len(rows), np.int64)
        for i in range(len(contents)):
            place = place * self._cells + rows[:, i, 1]
        times = rows[:, 0, 0]
        return (done[place] > times) | (left[place] > horizon - times)

    def _search(self, contents: tuple[int, ...]) -> tuple[Array, Array]:
        found = []
        for images, place in zip((self._after, self._before), self._ends, strict=True):
            distance = np.full(self._cells ** len(contents), NEVER, np.int32)
            begin = np.array([place[content] for content in contents], np.int64)
            spread(images, begin, distance)
            found.append(distance)
        return found[0], found[1]
