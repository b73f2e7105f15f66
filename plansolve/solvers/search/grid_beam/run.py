"""One passage of the staged beam through all its stages, at a width that may change on the way."""

from collections.abc import Callable, Iterator
from time import monotonic

import numpy as np

from plansolve.model.problem import Problem
from plansolve.solvers.search.grid_beam import arrays_kernel as at
from plansolve.solvers.search.grid_beam.arrays_kernel import LAST, OUT, PAIR
from plansolve.solvers.search.grid_beam.distances_kernel import fill_window, side_distances
from plansolve.solvers.search.grid_beam.guidance_kernel import measure
from plansolve.solvers.search.grid_beam.layout import WINDOW_SIDE, Layout, Setting, Stage
from plansolve.solvers.search.grid_beam.levels_kernel import advance
from plansolve.solvers.search.grid_beam.tree_kernel import compact

__all__ = ["LEAST_ROOM", "StagedRun", "bytes_of_tables", "bytes_per_width"]

LEAST_ROOM = 1000
"""The last stage is at least so wide: it has few cells, and takes little time."""

_CLOSED_PER_WIDTH = 64
_MOST_CLOSED_BITS = 27
_NODES_PER_WIDTH = 100
_LEAST_NODES = 1 << 16
# How many boards the kernel expands before the clock is looked at: less than half a second.
_WORK = 50_000
_BUCKETS = 8192
_WINDOW = WINDOW_SIDE**6


def bytes_per_width(cells: int) -> int:
    """What a run takes for each board of its width, in bytes."""
    boards = 4 * 2 * cells + 2 * (32 + 28) + 16
    offers = 5 * (16 + 8 + 4)
    # The tree of nodes may grow twofold, and is renumbered by a table of its length.
    nodes = 2 * (4 + 2 + 4) * _NODES_PER_WIDTH
    return boards + offers + nodes + 4 * 2 * _CLOSED_PER_WIDTH


def bytes_of_tables(cells: int) -> int:
    """What a run takes besides, in bytes, with what the layout holds."""
    return 40 * cells * cells + (1 << 21)


class StagedRun:
    """A beam of at most `room` boards, or `LEAST_ROOM`; its arrays are as the kernels want them.

    `seconds[k]` and `widths[k]` are what stage k took, and with what width; `expanded` counts the
    boards whose children were made.
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
        self._make_beam()
        self._make_distances()
        self._begin(problem)

    def _make_beam(self) -> None:
        cells, room = self._layout.count, self.room
        bits = (_CLOSED_PER_WIDTH * room - 1).bit_length()
        bits = min(bits, _MOST_CLOSED_BITS)
        nodes = _LEAST_NODES + room * _NODES_PER_WIDTH
        self._numbers = np.zeros(at.NUMBERS, np.int64)
        self._boards = np.zeros((2 * room, cells), np.uint16)
        self._slots = np.zeros((2 * room, 6), np.int32)
        self._marks = np.zeros(2 * room, np.uint64)
        self._pool = np.zeros_like(self._boards)
        self._files = np.zeros((2 * room, 5), np.int32)
        self._pool_marks = np.zeros(2 * room, np.uint64)
        self._sequence = np.zeros(room, np.int32)
        self._keys = np.zeros(room, np.int64)
        self._heap = np.zeros(room, np.int32)
        self._offers = np.zeros((5 * room, 4), np.int32)
        self._offer_marks = np.zeros(5 * room, np.uint64)
        self._order = np.zeros(5 * room, np.int32)
        self._counts = np.zeros(_BUCKETS + 1, np.uint64)
        self._closed = np.zeros(1 << bits, np.uint32)
        self._parents = np.zeros(nodes, np.int32)
        self._steps = np.zeros(nodes, np.uint16)
        self._guide = np.zeros((cells, cells), np.uint16)
        self._tile_mark = self._random.integers(1 << 64, size=cells, dtype=np.uint64)
        self._cell_mark = self._random.integers(1 << 64, size=cells, dtype=np.uint64)
        self._tile_mark[self._layout.blank_home] = 0
        self._numbers[at.CELLS] = cells
        self._numbers[at.ROOM] = room
        self._numbers[at.ARENA] = nodes
        self._numbers[at.BITS] = bits
        self._numbers[at.BLANK_HOME] = self._layout.blank_home

    def _make_distances(self) -> None:
        """Two banks of everything: for the stage, and for the one that follows it."""
        cells, arcs = self._layout.count, len(self._layout.arcs[1])
        self._targets = np.zeros((2, cells), np.uint8)
        self._side = np.zeros((2, arcs), np.uint16)
        self._queue = np.zeros(max(_WINDOW, 3 * arcs), np.int32)
        self._filled = np.zeros((2, cells), np.uint8)
        self._rows = np.zeros((2, cells, cells), np.uint16)
        self._local = np.full((2, cells), OUT, np.uint8)
        self._door = np.zeros((2, cells), np.uint16)
        self._window = np.zeros((2, _WINDOW), np.uint16)
        self._tops = np.zeros((2, self._layout.longest_line), np.uint64)

    def _begin(self, problem: Problem) -> None:
        """Puts the start board into the pool as the only finished board of a stage before."""
        numbers, layout = self._numbers, self._layout
        board = layout.numbers[np.array(problem.puzzle.arrangement(problem.start))[layout.cells]]
        blank = int(np.flatnonzero(board == layout.blank_home)[0])
        self._pool[0] = board
        self._files[0] = (blank, layout.count, 0, 0, 0)
        self._pool_marks[0] = (self._tile_mark[board] * self._cell_mark).sum(dtype=np.uint64)
        self._parents[0], self._steps[0] = -1, blank
        numbers[at.BANK], numbers[at.OUTPUTS], numbers[at.NODES] = 1, 1, 1

    def walks(
        self, width_at: Callable[[int], int], limit: Callable[[], int]
    ) -> Iterator[list[int] | None]:
        """Yields None several times a second, and at last the cells of the blank's walk.

        Stage k is `width_at(k)` wide. No walk comes if none of fewer than `limit()` moves is
        found. To be called once.
        """
        stages = self._layout.stages
        self._compile()
        self._prepare(0, stages[0])
        for k, stage in enumerate(stages):
            began = monotonic()
            width = min(max(1, width_at(k)), self.room)
            if stage.kind != LAST:
                self._prepare((k + 1) % 2, stages[k + 1])
            self._enter(k, stage, width)
            while True:
                self._numbers[at.LIMIT] = limit()
                status = self._advance(_WORK)
                self.expanded = int(self._numbers[at.WORK])
                if status == at.DONE:
                    break
                if status == at.FULL:
                    self._make_room()
                yield None
            self.seconds.append(monotonic() - began)
            self.widths.append(int(self._numbers[at.WIDTH]))
            if not self._numbers[at.OUTPUTS]:
                return
        yield self._walk()

    def _compile(self) -> None:
        """Calls the kernels with nothing to do, so that no stage's time is that of a compiler."""
        for stage in self._layout.stages[-2:]:
            self._prepare(0, stage)
        self._measure()
        self._advance(0)

    def _prepare(self, context: int, stage: Stage) -> None:
        """Works out the tables of a stage's distances in one of the two banks."""
        numbers, layout = self._numbers, self._layout
        numbers[at.KIND + context] = stage.kind
        numbers[at.ONE + context] = stage.one
        numbers[at.OTHER + context] = stage.other
        if stage.kind == LAST:
            return
        targets = self._targets[context]
        targets[:] = 0
        targets[stage.one] = 1
        if stage.kind == PAIR:
            window = np.array(stage.window)
            targets[window] = 1
            local = self._local[context]
            local[:] = OUT
            local[window] = np.arange(len(window))
            nearest = layout.far[: stage.free, window].argmin(axis=1)
            self._door[context, : stage.free] = window[nearest]
            numbers[at.WINDOW + context] = len(window)
            ends = int(local[stage.one]), int(local[stage.other])
            numbers[at.WINDOW_MOST + context] = fill_window(
                len(window), *ends, window, local, layout.arcs, self._queue, self._window[context]
            )
        side_distances(
            stage.free, layout.arcs, layout.turns, targets, self._queue, self._side[context]
        )
        self._filled[context] = 0

    def _enter(self, k: int, stage: Stage, width: int) -> None:
        """Makes the finished boards of the stage before the first boards of stage k."""
        numbers = self._numbers
        count, bank = int(numbers[at.OUTPUTS]), 1 - int(numbers[at.BANK])
        moves = self._files[bank * self.room : bank * self.room + count, 4]
        self._sequence[:count] = np.argsort(moves, kind="stable")
        start = int(moves.min())
        setting = self._last if stage.kind == LAST else self._setting
        numbers[at.BANK], numbers[at.INPUTS], numbers[at.TAKEN] = bank, count, 0
        numbers[at.OUTPUTS], numbers[at.FIRST_OUT], numbers[at.COUNT] = 0, -1, 0
        numbers[at.START], numbers[at.LEVEL] = start, start - 1
        numbers[at.WIDTH] = max(width, LEAST_ROOM) if stage.kind == LAST else width
        numbers[at.KEEP] = width
        numbers[at.FREE], numbers[at.CONTEXT] = stage.free, k % 2
        numbers[at.ALPHA] = round(64 * setting.alpha)
        numbers[at.CONFLICT] = round(32 * setting.conflict)
        numbers[at.SLACK] = setting.slack
        numbers[at.SALT] = self._random.integers(1 << 32)
        is_new = k == 0 or stage.part != self._layout.stages[k - 1].part
        if k == 0 or stage.kind == LAST or (setting.rescaled and is_new):
            self._layout.guide(setting, stage.part, self._guide)
            self._measure()

    def _measure(self) -> None:
        lines = (*self._layout.lines, self._tops)
        measure(self._numbers, self._pool, self._files, self._guide, lines)

    def _advance(self, work: int) -> int:
        layout = self._layout
        beam = self._boards, self._slots, self._marks
        store = (
            self._pool, self._files, self._pool_marks, self._sequence, self._keys, self._heap
        )  # fmt: skip
        market = self._offers, self._offer_marks, self._order, self._counts
        tree = self._closed, self._parents, self._steps
        codes = self._tile_mark, self._cell_mark
        reach = (
            *layout.arcs[:2], self._targets, self._side, self._queue, self._filled,
            self._rows, self._local, self._door, self._window, layout.far,
        )  # fmt: skip
        lines = (*layout.lines, self._tops)
        return advance(
            self._numbers, work, beam, store, market, tree, self._guide, codes, reach, lines
        )

    def _make_room(self) -> None:
        """Drops the nodes that are not needed any more; makes the tree larger if they are few."""
        renumbered = np.empty(len(self._parents), np.int32)
        compact(self._numbers, self._slots, self._files, self._parents, self._steps, renumbered)
        nodes = len(self._parents)
        if 2 * self._numbers[at.NODES] > nodes:
            self._parents = np.resize(self._parents, 2 * nodes)
            self._steps = np.resize(self._steps, 2 * nodes)
            self._numbers[at.ARENA] = 2 * nodes

    def _walk(self) -> list[int]:
        done = (1 - int(self._numbers[at.BANK])) * self.room
        node = int(self._files[done, 3])
        walk = []
        while node >= 0:
            walk.append(int(self._layout.cells[self._steps[node]]))
            node = int(self._parents[node])
        return walk[::-1]
