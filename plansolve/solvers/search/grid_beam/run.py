"""One passage of the grid beam through all its stages, at a width that may change on the way.

    first = [the start]
    for each stage:
        for each number of moves, from the fewest of a first board on:
            candidates = the children of the level, and the first boards with as many moves
            put those away in which the stage's tiles are home: `finished` holds the best
            level = the best of the others by `weight * distance + H`, those seen before left out
            stop when finished boards are many and no other promises to become a better one
        first = finished

The distance is the exact one of the stage's tiles, and H the guidance of all tiles. Levels and
finished boards are as many as the stage is wide.
"""

from collections.abc import Callable, Iterator
from time import monotonic

import numpy as np

from plansolve.model.problem import Problem
from plansolve.solvers.search.grid_beam import distances_kernel as kernel
from plansolve.solvers.search.grid_beam.distances_kernel import LAST
from plansolve.solvers.search.grid_beam.guidance_kernel import measure
from plansolve.solvers.search.grid_beam.layout import WINDOW_SIDE, GridStage, Layout, Setting
from plansolve.solvers.search.grid_beam.levels_kernel import advance, compact
from plansolve.solvers.search.grid_beam.state import (
    CHILD,
    DONE,
    FACTS,
    FULL,
    PROGRESS,
    GridBoards,
    GridCandidates,
    GridState,
    Guidance,
    HashKeys,
    Ranking,
    StageTerms,
    Tree,
)

LEAST_ROOM = 1000
"""The last stage is at least so wide: it has few cells, and takes little time."""

_CANDIDATES_PER_WIDTH = 5
_CLOSED_PER_WIDTH = 64
_MOST_CLOSED_BITS = 27
_NODES_PER_WIDTH = 100
_LEAST_NODES = 1 << 16
# Boards that the kernel expands between two looks at the clock: less than half a second.
_WORK = 50_000
_BUCKETS = 8192


def bytes_per_width(cells: int) -> int:
    """Return the bytes that a run takes for each board of its width."""
    boards = 4 * (2 * cells + FACTS.itemsize + 8) + 16
    candidates = _CANDIDATES_PER_WIDTH * (CHILD.itemsize + 8 + 4)
    # The tree of nodes may grow twofold, and is renumbered by a table of its length.
    nodes = 2 * (4 + 2 + 4) * _NODES_PER_WIDTH
    return boards + candidates + nodes + 4 * 2 * _CLOSED_PER_WIDTH


def bytes_of_tables(cells: int) -> int:
    """Return the bytes that a run takes besides, with those of the layout."""
    return 40 * cells * cells + (1 << 21)


class GridBeamRun:
    """A beam of at most `room` boards, or `LEAST_ROOM`.

    `seconds[k]` and `widths[k]` are what stage k took, and with what width; `expanded` counts the
    boards whose children were made. `state` is what the kernels work on: at the end of a stage its
    `finished` are the best boards in which the stage's tiles are home.
    """

    def __init__(
        self, problem: Problem, layout: Layout, setting: Setting, last: Setting, room: int
    ) -> None:
        self._layout, self._setting, self._last = layout, setting, last
        self.room = max(room, LEAST_ROOM)
        self.seconds: list[float] = []
        self.widths: list[int] = []
        self.expanded = 0
        self._random = np.random.default_rng(1)
        self.state = self._begin(problem)

    def _begin(self, problem: Problem) -> GridState:
        """Make the start board the only finished board of a stage before."""
        layout, room = self._layout, self.room
        cells, random = layout.count, self._random
        bits = min((_CLOSED_PER_WIDTH * room - 1).bit_length(), _MOST_CLOSED_BITS)
        nodes = _LEAST_NODES + room * _NODES_PER_WIDTH
        most = _CANDIDATES_PER_WIDTH * room
        tile_keys = random.integers(1 << 64, size=cells, dtype=np.uint64)
        cell_keys = random.integers(1 << 64, size=cells, dtype=np.uint64)
        tile_keys[layout.blank_home] = 0
        tiles = layout.numbers[np.array(problem.puzzle.arrangement(problem.start))[layout.cells]]
        blank = int(np.flatnonzero(tiles == layout.blank_home)[0])
        start = self._room_for_boards()
        start.tiles[0] = tiles
        start.facts[0] = (blank, cells, 0, 0, 0, 0, 0)
        for name in ("one", "other"):
            tile = getattr(layout.stages[0], name)
            start.facts[name][0] = np.flatnonzero(tiles == tile)[0]
        start.hash[0] = (tile_keys[tiles] * cell_keys).sum(dtype=np.uint64)
        tree = Tree(np.zeros(nodes, np.int32), np.zeros(nodes, np.uint16))
        tree.parents[0], tree.cells[0] = -1, blank
        progress = np.zeros(1, PROGRESS)[0]
        progress["finished"] = progress["nodes"] = 1
        return GridState(
            progress=progress,
            terms=StageTerms(cells, cells, 0, 0, 0, 0, 0, 0, bits),
            level=self._room_for_boards(),
            following=self._room_for_boards(),
            first=self._room_for_boards(),
            order=np.zeros(room, np.int32),
            finished=start,
            ranking=Ranking(np.zeros(room, np.int64), np.zeros(room, np.int32)),
            candidates=GridCandidates(
                np.zeros(most, CHILD),
                np.zeros(most, np.uint64),
                np.zeros(most, np.int32),
                np.zeros(_BUCKETS + 1, np.uint64),
            ),
            tree=tree,
            closed=np.zeros(1 << bits, np.uint32),
            guidance=Guidance(
                np.zeros((cells, cells), np.uint16), layout.lines, 0, layout.blank_home
            ),
            keys=HashKeys(tile_keys, cell_keys),
            here=no_distances(layout),
            ahead=no_distances(layout),
        )

    def _room_for_boards(self) -> GridBoards:
        tiles = np.zeros((self.room, self._layout.count), np.uint16)
        return GridBoards(tiles, np.zeros(self.room, FACTS), np.zeros(self.room, np.uint64))

    def walks(
        self, width_at: Callable[[int], int], limit: Callable[[], int]
    ) -> Iterator[list[int] | None]:
        """Yield None several times a second, and at last the cells of the blank's walk.

        Stage k is `width_at(k)` wide. No walk comes if none of fewer than `limit()` moves is
        found. To be called once.
        """
        stages = self._layout.stages
        self._compile()
        self._look_ahead(stages[0])
        for k, stage in enumerate(stages):
            began = monotonic()
            width = min(max(1, width_at(k)), self.room)
            self._enter(k, stage, width)
            while True:
                status = advance(self.state, limit(), _WORK)
                self.expanded = int(self.state.progress["expanded"])
                if status == DONE:
                    break
                if status == FULL:
                    self._make_room()
                yield None
            self.seconds.append(monotonic() - began)
            self.widths.append(self.state.terms.width)
            if not self.state.progress["finished"]:
                return
        yield self._walk()

    def _compile(self) -> None:
        """Call the kernels with nothing to do, so that no stage's time is that of a compiler."""
        for stage in self._layout.stages[-2:]:
            self._look_ahead(stage)
        state = self.state
        measure(state.first, 0, 0, state.guidance)
        advance(state, 0, 0)

    def _look_ahead(self, stage: GridStage) -> None:
        ahead = prepared(self.state.ahead, self._layout, stage)
        self.state = self.state._replace(ahead=ahead)

    def _enter(self, k: int, stage: GridStage, width: int) -> None:
        """Make the finished boards of the stage before the first boards of stage k."""
        state, stages = self.state, self._layout.stages
        first, progress = state.finished, state.progress
        count = int(progress["finished"])
        moves = first.facts["moves"][:count]
        state.order[:count] = np.argsort(moves, kind="stable")
        start = int(moves.min())
        progress["level"], progress["count"] = start - 1, 0
        progress["first"], progress["joined"] = count, 0
        progress["finished"], progress["first_finished"] = 0, -1
        setting = self._last if stage.kind == LAST else self._setting
        terms = StageTerms(
            free=stage.free,
            free_after=stage.free - stage.kind,
            start=start,
            width=max(width, LEAST_ROOM) if stage.kind == LAST else width,
            keep=width,
            alpha=round(64 * setting.alpha),
            slack=setting.slack,
            salt=int(self._random.integers(1 << 32)),
            bits=state.terms.bits,
        )
        guidance = state.guidance._replace(conflict=round(32 * setting.conflict))
        self.state = state._replace(
            terms=terms,
            guidance=guidance,
            first=first,
            finished=state.first,
            here=state.ahead,
            ahead=state.here,
        )
        if stage.kind != LAST:
            self._look_ahead(stages[k + 1])
        if k == 0 or stage.part != stages[k - 1].part:
            self._layout.guide(setting, stage.part, guidance.table)
            measure(first, count, stage.free, guidance)

    def _make_room(self) -> None:
        """Drop the nodes that are not needed any more; make the tree larger if they are few."""
        parents, cells = self.state.tree
        compact(self.state, np.empty(len(parents), np.int32))
        if 2 * self.state.progress["nodes"] > len(parents):
            size = 2 * len(parents)
            tree = Tree(np.resize(parents, size), np.resize(cells, size))
            self.state = self.state._replace(tree=tree)

    def _walk(self) -> list[int]:
        parents, cells = self.state.tree
        node = int(self.state.finished.facts["node"][0])
        walk = []
        while node >= 0:
            walk.append(int(self._layout.cells[cells[node]]))
            node = int(parents[node])
        return walk[::-1]


_WINDOW = WINDOW_SIDE**6


def no_distances(layout: Layout) -> kernel.StageDistances:
    """Room for the distances of any stage of the layout."""
    cells, arcs = layout.count, len(layout.arcs.there)
    return kernel.StageDistances(
        kind=kernel.LAST,
        one=0,
        other=0,
        first=layout.arcs.first,
        there=layout.arcs.there,
        targets=np.zeros(cells, np.uint8),
        side=np.zeros(arcs, np.uint16),
        rows=np.zeros((cells, cells), np.uint16),
        filled=np.zeros(cells, np.uint8),
        queue=np.zeros(max(_WINDOW, 3 * arcs), np.int32),
        local=np.full(cells, kernel.OUT, np.uint8),
        door=np.zeros(cells, np.uint16),
        window=np.zeros(_WINDOW, np.uint16),
        size=0,
        most=0,
        far=layout.far,
    )


def prepared(
    distances: kernel.StageDistances, layout: Layout, stage: GridStage
) -> kernel.StageDistances:
    """Return the distances of a stage, in the arrays of those of another stage."""
    distances = distances._replace(kind=stage.kind, one=stage.one, other=stage.other)
    if stage.kind == kernel.LAST:
        return distances
    distances.targets[:] = 0
    distances.targets[stage.one] = 1
    if stage.kind == kernel.PAIR:
        window = np.array(stage.window)
        distances.targets[window] = 1
        distances.local[:] = kernel.OUT
        distances.local[window] = np.arange(len(window))
        nearest = layout.far[: stage.free, window].argmin(axis=1)
        distances.door[: stage.free] = window[nearest]
        distances = distances._replace(size=len(window))
        distances = distances._replace(most=kernel.fill_window(distances, window))
    kernel.side_distances(stage.free, layout.arcs, layout.turns, distances)
    distances.filled[:] = 0
    return distances
