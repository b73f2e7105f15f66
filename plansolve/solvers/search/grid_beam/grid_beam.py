"""Short plans for large grids: a beam that brings one tile after another home.

A beam over whole boards loses its way on large grids, since far tiles outvote the few that are
to be brought home next. Here each stage solves one tile, or the last two of a line, and goes on
with the best boards of the stage before; solved cells are walls. Grids of up to 5 x 5, and the last
rectangle of larger ones, are one stage.

    first = [the start]
    for each stage:
        for each number of moves, from the fewest of a first board on:
            candidates = the children of the level, and the first boards with as many moves
            put those away in which the stage's tiles are home: `finished` holds the best
            level = the best of the others by `weight * distance + H`, those seen before left out
            stop when finished boards are many and no other promises to become a better one
        first = finished

The distance is the exact one of the stage's tiles, and H the guidance, a convex sum of all tiles'
distances. Levels and finished boards are as many as the stage is wide, which may change on the way.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from itertools import accumulate
from math import factorial
from statistics import fmean
from threading import Event
from time import monotonic

import numpy as np

from plansolve.analysis.grid import grid_of
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.constructive.tiles import constructive_walk
from plansolve.solvers.search.grid_beam import distances_kernel as kernel
from plansolve.solvers.search.grid_beam import state as arrays
from plansolve.solvers.search.grid_beam.distances_kernel import LAST
from plansolve.solvers.search.grid_beam.guidance_kernel import measure
from plansolve.solvers.search.grid_beam.layout import (
    LAST_SIDE,
    WINDOW_SIDE,
    GridStage,
    Layout,
    Setting,
    setting_for,
    varied,
)
from plansolve.solvers.search.grid_beam.levels_kernel import advance, compact

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
    boards = 4 * (2 * cells + arrays.FACTS.itemsize + 8) + 16
    candidates = _CANDIDATES_PER_WIDTH * (arrays.CHILD.itemsize + 8 + 4)
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

    def _begin(self, problem: Problem) -> arrays.GridState:
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
        tree = arrays.Tree(np.zeros(nodes, np.int32), np.zeros(nodes, np.uint16))
        tree.parents[0], tree.cells[0] = -1, blank
        progress = np.zeros(1, arrays.PROGRESS)[0]
        progress["finished"] = progress["nodes"] = 1
        return arrays.GridState(
            progress=progress,
            terms=arrays.StageTerms(cells, cells, 0, 0, 0, 0, 0, 0, bits),
            level=self._room_for_boards(),
            following=self._room_for_boards(),
            first=self._room_for_boards(),
            order=np.zeros(room, np.int32),
            finished=start,
            ranking=arrays.Ranking(np.zeros(room, np.int64), np.zeros(room, np.int32)),
            candidates=arrays.GridCandidates(
                np.zeros(most, arrays.CHILD),
                np.zeros(most, np.uint64),
                np.zeros(most, np.int32),
                np.zeros(_BUCKETS + 1, np.uint64),
            ),
            tree=tree,
            closed=np.zeros(1 << bits, np.uint32),
            guidance=arrays.Guidance(
                np.zeros((cells, cells), np.uint16), layout.lines, 0, layout.blank_home
            ),
            keys=arrays.HashKeys(tile_keys, cell_keys),
            here=no_distances(layout),
            ahead=no_distances(layout),
        )

    def _room_for_boards(self) -> arrays.GridBoards:
        tiles = np.zeros((self.room, self._layout.count), np.uint16)
        return arrays.GridBoards(
            tiles, np.zeros(self.room, arrays.FACTS), np.zeros(self.room, np.uint64)
        )

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
                if status == arrays.DONE:
                    break
                if status == arrays.FULL:
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
        terms = arrays.StageTerms(
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
            tree = arrays.Tree(np.resize(parents, size), np.resize(cells, size))
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
    """Return room for the distances of any stage of the layout."""
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


_FIRST_WIDTH = 50
# Without a deadline each passage is so many times wider than the one before. With one, the first
# ones take at most about an eighth of the time of what comes after them, which just fits.
_WIDENING = 4
_REHEARSAL = 8
_LEAST_WIDENING = 1.5
_MOST_WIDENING = 40
# What just fits is one passage, or up to so many with other settings, each at least so wide: beyond
# that width the lengths of plans differ more between settings than between widths.
_MOST_VARIED = 16
_ENOUGH = 3000
# The part of all the time that is kept back, since the last stage cannot be narrowed on its way.
_RESERVE = 0.05


def grid_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans: the first one row by row, the others by ever wider beams.

    Ends when no wider one fits into the time or the memory, or would find nothing else. Yields
    nothing if the blank graph is no grid of at least two rows and columns, or if the board
    has no plan. With two threads, the second one has a beam of its own that solves columns first.
    """
    graph = problem.structure.blank_graph
    grid = grid_of(graph)
    if graph is None or grid is None or min(grid.rows, grid.columns) < 2:
        return
    walk = constructive_walk(problem, problem.puzzle.arrangement(problem.start))
    if walk is None:
        return
    if len(walk) - 1 < incumbent.upper_bound:
        yield Report("row by row", plan=graph.plan(walk))
        incumbent.lower_upper_bound(len(walk) - 1)
    layouts = [Layout(problem, grid)]
    stages = len(layouts[0].stages)
    if stages > 1:
        layouts.append(Layout(problem, grid.transposed))
    beams = min(budget.threads, len(layouts))
    last = setting_for(LAST_SIDE, LAST_SIDE)
    setting = setting_for(grid.rows, grid.columns)
    room = budget.memory // beams - bytes_of_tables(problem.puzzle.cells)
    schedule = _Schedule(budget, room // bytes_per_width(problem.puzzle.cells), stages)
    expanded = 0
    while (width := schedule.width) and not incumbent.is_closed:
        numbers = range(schedule.number * beams, (schedule.number + 1) * beams)
        runs = [
            GridBeamRun(problem, layouts[k % len(layouts)], varied(setting, k), last, schedule.room)
            for k in numbers
        ]
        passages = [run.walks(schedule.pacer(run), lambda: incumbent.upper_bound) for run in runs]
        with closing(_side_by_side(passages)) as found:
            for path in found:
                counts = {"width": width, "expansions": expanded + sum(r.expanded for r in runs)}
                is_news = path is not None and len(path) - 1 < incumbent.upper_bound
                plan = graph.plan(path) if path is not None and is_news else None
                yield Report("grid beam", plan=plan, counts=counts)
                if plan is not None:
                    incumbent.lower_upper_bound(len(plan))
                if incumbent.is_closed:
                    return
        expanded += sum(run.expanded for run in runs)
        if width >= factorial(min(problem.puzzle.cells, 20)) // 2:
            # Every board of a level had its place.
            return
        schedule.learn(max(runs, key=lambda run: sum(run.seconds)))


def _side_by_side(
    passages: Sequence[Iterator[list[int] | None]],
) -> Generator[list[int] | None, None, None]:
    """Yield the walks found, and None now and then; all but the first passage run in threads."""
    stop = Event()

    def last_of(passage: Iterator[list[int] | None]) -> list[int] | None:
        found = None
        for found in passage:  # noqa: B007
            if stop.is_set():
                return None
        return found

    if len(passages) == 1:
        yield from passages[0]
        return
    with ThreadPoolExecutor(len(passages) - 1) as pool:
        futures = [pool.submit(last_of, passage) for passage in passages[1:]]
        try:
            yield from passages[0]
            while wait(futures, 0.1).not_done:
                yield None
            for future in futures:
                yield future.result()
        finally:
            stop.set()


class _Schedule:
    """The width of the next passage: `width`, 0 for none; `room` is the most it may widen to.

    Time goes with the width, and each stage has its part of it, which a passage learns from the
    one before. The last passage before the deadline is narrowed and widened on its way such that
    it just fits. `number` counts the passages that share the time with others of their width, and
    is 0 before them.
    """

    def __init__(self, budget: Budget, most: int, stages: int) -> None:
        self._budget, self._most, self._stages = budget, most, stages
        self._reserve = _RESERVE * max(0, budget.seconds_left) if budget.deadline else 0
        self._rates: list[float] = []
        self._is_last = False
        self.number = 0
        first = _FIRST_WIDTH if stages > 1 else LEAST_ROOM
        self.width = self.room = first if most >= LEAST_ROOM else 0

    @property
    def _left(self) -> float:
        """The seconds until the last passage has to be over; the deadline may be put off."""
        return self._budget.seconds_left - self._reserve

    def learn(self, run: GridBeamRun) -> None:
        """Take in what a passage took, and set the width of the next one."""
        rates = [s / w for s, w in zip(run.seconds, run.widths, strict=True)]
        # A passage may have ended early; the other stages are taken to be like the ones it saw.
        rates += [fmean(rates)] * (self._stages - len(rates))
        self._rates = rates
        if self.width >= self._most:
            self.width = 0
        elif self._budget.deadline is None:
            self.width = self.room = min(self._most, _WIDENING * self.width)
        else:
            fitting = int(min(self._left / max(sum(self._rates), 1e-9), self._most))
            if self._stages == 1:
                # One stage cannot be narrowed on its way.
                fitting = fitting * 2 // 3
            self._is_last = False
            if self.number and self.width <= fitting:
                self._share(fitting)
            elif fitting < _LEAST_WIDENING * self.width:
                # So it is after the last one, unless the deadline was put off meanwhile.
                self.width = 0
            elif fitting > 4 * _REHEARSAL * self.width:
                part = _REHEARSAL if self._stages == 1 else _MOST_VARIED
                self.width = self.room = min(fitting // part, _MOST_WIDENING * self.width)
            else:
                if self._stages > 1:
                    self.width = max(self.width, _ENOUGH, fitting // _MOST_VARIED)
                self._share(fitting)

    def _share(self, fitting: int) -> None:
        """Divide the time, in which one passage of width `fitting` fits, among some no narrower
        than the last one.
        """
        passages = max(1, fitting // self.width) if self._stages > 1 else 1
        self.number += passages > 1 or self.number > 0
        self._is_last = passages == 1
        self.width = fitting // passages
        self.room = min(self._most, 3 * self.width // 2)

    def pacer(self, run: GridBeamRun) -> Callable[[int], int]:
        """Return the function that gives the width of each stage of a run."""
        if not self._is_last or self._stages == 1:
            return lambda stage: self.width
        rates = self._rates
        after = list(accumulate(reversed(rates)))[::-1]

        def width(stage: int) -> int:
            expected = sum(r * w for r, w in zip(rates, run.widths, strict=False))
            # Some prior weight keeps the first few stages from deciding.
            prior = self.width * after[0] / 20
            slower = (sum(run.seconds) + prior) / (expected + prior)
            return max(self.width // 4, int(self._left / slower / after[stage]))

        return width
