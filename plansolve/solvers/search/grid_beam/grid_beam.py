"""Short plans for large grids: a beam that brings one tile after another home.

A beam over whole boards loses its way on large grids, since far tiles outvote the few that are
to be brought home next. Here each stage solves one tile, or the last two of a line, and goes on
with the best boards of the stage before: the exact distance of the stage's tiles leads, a convex
sum of all tiles' distances decides between equals, and solved cells are walls. Grids of up to
5 x 5, and the last rectangle of larger ones, are one stage.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from itertools import accumulate
from math import factorial, inf
from statistics import fmean
from threading import Event
from time import monotonic

from plansolve.analysis.grid import grid_of
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.constructive.tiles import constructive_walk
from plansolve.solvers.search.grid_beam.layout import LAST_SIDE, Layout, setting_for, varied
from plansolve.solvers.search.grid_beam.run import (
    LEAST_ROOM,
    GridBeamRun,
    bytes_of_tables,
    bytes_per_width,
)

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
    nothing where the blank graph is no grid of at least two rows and columns, or where the board
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
        self._reserve = _RESERVE * max(0, (budget.deadline or 0) - monotonic())
        self._rates: list[float] = []
        self._is_last = False
        self.number = 0
        first = _FIRST_WIDTH if stages > 1 else LEAST_ROOM
        self.width = self.room = first if most >= LEAST_ROOM else 0

    @property
    def _left(self) -> float:
        """The seconds until the last passage has to be over; the deadline may be put off."""
        deadline = self._budget.deadline
        return inf if deadline is None else deadline - self._reserve - monotonic()

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
        """Divides the time, in which one passage of width `fitting` fits, among some no narrower
        than the last one.
        """
        passages = max(1, fitting // self.width) if self._stages > 1 else 1
        self.number += passages > 1 or self.number > 0
        self._is_last = passages == 1
        self.width = fitting // passages
        self.room = min(self._most, 3 * self.width // 2)

    def pacer(self, run: GridBeamRun) -> Callable[[int], int]:
        """For each stage of a run, how wide it is to be."""
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
