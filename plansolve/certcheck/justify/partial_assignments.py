"""What a few tiles in a few cells force beyond their distances.

The *excess* of a pattern of tiles is the least number of moves of these tiles that take them home,
all others being out of the way, less the sum of their distances, in units of waste rounded down. As
patterns that share no tile are taken home by different moves, their excesses add up. A placement of
some tiles of a pattern forces the least excess over all cells of the others.

A *line* of cells is in conflict if two tiles whose homes are in it stand in it such that they do
not both get home unless one of them leaves the line.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify import partial_assignments_kernel as kernel
from plansolve.certcheck.justify.legend import AT, CONFLICT, EXCESS, Legend
from plansolve.certcheck.justify.rules import Rules
from plansolve.certcheck.justify.rules_kernel import MeantClauses
from plansolve.certcheck.pattern_tables import NEVER, blank_table
from plansolve.errors import ProofError
from plansolve.model.puzzle import BLANK, WORD_CELLS

__all__ = ["MoveTables", "PartialAssignmentChecker"]

_MOST_TILES = 3
_MOST_PLACEMENTS = 1 << 24
_MOST_ENTRIES = 1 << 28
_MOST_PATTERNS = 200
_LARGEST = 8
_MOST_LITERALS = 256


class MoveTables:
    """The least numbers of moves of patterns of tiles, each worked out once by so many threads."""

    def __init__(self, rules: Rules, threads: int = 1) -> None:
        self._rules, self._threads = rules, threads
        self._known: dict[tuple[tuple[int, ...], bool], Array] = {}

    def to_goal(self, patterns: Sequence[tuple[int, ...]]) -> list[Array]:
        """Return those that take each pattern's tiles home, an axis for the cell of each tile.

        Raise `ProofError` for a pattern that is too large.
        """
        return self._tables(patterns, True)

    def from_start(self, patterns: Sequence[tuple[int, ...]]) -> list[Array]:
        """Return those that bring the tiles from the start."""
        return self._tables(patterns, False)

    def _tables(self, patterns: Sequence[tuple[int, ...]], to_goal: bool) -> list[Array]:
        missing = [
            tiles for tiles in dict.fromkeys(patterns) if (tiles, to_goal) not in self._known
        ]
        if len(self._known) + len(missing) > _MOST_PATTERNS:
            raise ProofError(f"more than {_MOST_PATTERNS} patterns")
        cells = self._rules.problem.puzzle.cells
        patterns_of_all = [*(tiles for tiles, _ in self._known), *missing]
        if sum(cells ** len(tiles) for tiles in patterns_of_all) > _MOST_ENTRIES:
            raise ProofError(f"patterns of more than {_MOST_ENTRIES} placements")
        # A kernel holds no lock of the interpreter's.
        with ThreadPoolExecutor(self._threads) as pool:
            made = pool.map(lambda tiles: self._search(tiles, to_goal), missing)
            self._known |= {
                (tiles, to_goal): table for tiles, table in zip(missing, made, strict=True)
            }
        return [self._known[tiles, to_goal] for tiles in patterns]

    def _search(self, tiles: tuple[int, ...], to_goal: bool) -> Array:
        rules = self._rules
        board = rules.problem.goal if to_goal else rules.problem.start
        rows = (rules.into if to_goal else rules.arcs) or ()
        cells = len(board)
        if (
            cells > WORD_CELLS
            or not 0 < len(tiles) <= _LARGEST
            or cells ** len(tiles) > _MOST_PLACEMENTS
        ):
            raise ProofError(f"a pattern of {len(tiles)} tiles on {cells} cells is too large")
        homes = tuple(board.index(tile) for tile in tiles)
        return _table(rows, homes, board.index(BLANK))


@lru_cache(maxsize=32)
def _table(ways: tuple[tuple[int, ...], ...], homes: tuple[int, ...], blank: int) -> Array:
    """Return a table, which the next problem with this goal has as well."""
    moves = blank_table(ways, homes, [blank]).reshape((len(ways),) * len(homes))
    moves.flags.writeable = False
    return moves


class PartialAssignmentChecker:
    """What some tiles in some cells force in one problem; `possible` is that of `Reachability`."""

    def __init__(self, rules: Rules, moves: MoveTables, legend: Legend, possible: Array) -> None:
        self._rules, self._moves, self._legend = rules, moves, legend
        self._stuck: dict[tuple[tuple[int, ...], tuple[int, ...]], bool] = {}
        self._may_be_blank = possible[BLANK]
        self._given = np.where(possible.sum(axis=0) == 1, possible.argmax(axis=0), -1)

    def check_forced(self, clauses: MeantClauses, wanted: Array, found: Array) -> None:
        """Set `found[i]` for the clauses in `wanted` that follow from an excess."""
        if not len(wanted) or self._rules.arcs is None:
            return
        kernel.are_forced(clauses, wanted, self._tables, found)
        literals, ends = clauses.literals, clauses.ends
        for number in wanted[~found[wanted]].tolist():
            begin = int(ends[number - 1]) if number else 0
            found[number] = self._is_forced(literals[begin : int(ends[number])].tolist())

    def _is_forced(self, clause: Sequence[int]) -> bool:
        """The same for one clause, with what stands on the board anyway."""
        if len(clause) > _MOST_LITERALS:
            return False
        stated = [x for x in clause if x > 0 and self._legend.kind[x] == EXCESS]
        if len(stated) != 1:
            return False
        t, level, number = self._legend.row[stated[0]].tolist()
        standing = self._standing(clause, t)
        if standing is None:
            return True
        tiles = self._legend.lists[number]
        known = tuple(standing.get(tile, slice(None)) for tile in tiles)
        return bool(self._excess[number][known].min(initial=NEVER) >= level)

    def _standing(self, clause: Sequence[int], t: int) -> dict[int, int] | None:
        """The tiles that are in known cells after t moves if the clause does not hold.

        None where one would have to be in two cells, so that the clause holds.
        """
        legend, given = self._legend, self._given
        facts = [(*legend.row[abs(x)].tolist(), x < 0) for x in clause if legend.kind[abs(x)] == AT]
        freed = {
            cell
            for time, cell, content, holds in facts
            if not holds and time == t and content == BLANK
        }
        placed = [(time, cell, content) for time, cell, content, holds in facts if holds]
        for time in range(max(t - 1, 0), t + 1):
            cells = np.flatnonzero(given[time] > 0).tolist()
            placed += [(time, cell, int(given[time, cell])) for cell in cells]
        found: dict[int, int] = {}
        for time, cell, tile in placed:
            # Only the blank's coming takes a tile away.
            stays = cell in freed or not self._may_be_blank[t, cell]
            is_there = tile and (time == t or (time == t - 1 and stays))
            if is_there and found.setdefault(tile, cell) != cell:
                return None
        return found

    @cached_property
    def _excess(self) -> dict[int, Array]:
        """The excess for all cells of each pattern's tiles, by the number of its list."""
        legend, rules = self._legend, self._rules
        used = np.unique(legend.row[legend.kind == EXCESS, 2]).tolist()
        found = {}
        tables = self._moves.to_goal([legend.lists[number] for number in used])
        for number, table in zip(used, tables, strict=True):
            tiles, moves = legend.lists[number], table.astype(np.int32)
            apart = np.zeros((), np.int32)
            for tile in tiles:
                apart = apart[..., None] + np.array(rules.distance[tile], np.int32)
            units = np.clip((moves - apart) // legend.unit, 0, NEVER - 1)
            found[number] = np.where(moves == NEVER, NEVER, units).astype(np.uint8)
        return found

    @cached_property
    def _tables(self) -> kernel.ExcessTables:
        """A row for each list of the legend."""
        lists = self._legend.lists
        place = np.full((len(lists), max(self._rules.problem.goal) + 1), -1, np.int64)
        offset = np.full((len(lists), 1 << _LARGEST), -1, np.int64)
        tables: list[Array] = []
        size = 0
        for number, excess in self._excess.items():
            place[number, list(lists[number])] = range(excess.ndim)
            for mask, least in _least(excess).items():
                offset[number, mask] = size
                tables.append(least.ravel())
                size += least.size
        least = np.concatenate(tables) if tables else np.zeros(0, np.uint8)
        return kernel.ExcessTables(place, offset, least, self._may_be_blank)

    def is_conflict(self, clause: Sequence[int]) -> bool:
        """Whether a clause says that a line is in conflict, and two tiles in it are."""
        legend = self._legend
        if len(clause) > _MOST_LITERALS:
            return False
        stated = [x for x in clause if legend.kind[abs(x)] == CONFLICT]
        if len(stated) != 1 or stated[0] < 0:
            return False
        t, _, number = legend.row[stated[0]].tolist()
        line = legend.lists[number]
        standing = self._standing(clause, t)
        return standing is None or any(
            self._are_stuck(line, (a, standing[a], b, standing[b]))
            for a, b in combinations(sorted(standing), 2)
        )

    def _are_stuck(self, line: tuple[int, ...], tiles: tuple[int, ...]) -> bool:
        """Whether two tiles (tile, cell, tile, cell) do not get home within the line."""
        if (line, tiles) not in self._stuck:
            self._stuck[line, tiles] = self._search_line(line, tiles)
        return self._stuck[line, tiles]

    def _search_line(self, line: tuple[int, ...], tiles: tuple[int, ...]) -> bool:
        goal, arcs = self._rules.problem.goal, self._rules.arcs
        tile_a, cell_a, tile_b, cell_b = tiles
        home = (goal.index(tile_a), goal.index(tile_b))
        if arcs is None or not {*home, cell_a, cell_b} <= {*line} or cell_a == cell_b:
            return False
        seen = {(cell_a, cell_b)}
        frontier = [(cell_a, cell_b)]
        while frontier:
            a, b = frontier.pop()
            # A tile goes where the blank comes from.
            steps = [(c, b) for c in line if a in arcs[c] and c != b]
            steps += [(a, c) for c in line if b in arcs[c] and c != a]
            for step in steps:
                if step not in seen:
                    seen.add(step)
                    frontier.append(step)
        return home not in seen


def _least(excess: Array) -> dict[int, Array]:
    """By masks of positions: the least excess for each placement of up to `_MOST_TILES` tiles."""
    count = excess.ndim
    found = {(1 << count) - 1: excess}
    for size in range(count - 1, 0, -1):
        for mask in range(1 << count):
            if mask.bit_count() != size:
                continue
            larger = next(m for m in found if m.bit_count() == size + 1 and m & mask == mask)
            (extra,) = (i for i in range(count) if (larger ^ mask) >> i & 1)
            axis = (larger & ((1 << extra) - 1)).bit_count()
            found[mask] = found[larger].min(axis=axis)
    return {mask: least for mask, least in found.items() if mask.bit_count() <= _MOST_TILES}
