"""Bidirectional search with the BAE* bound on blank graphs up to 32 cells.

With consistent bounds h on the way to the goal and k on the way from the start, a board that g
moves lead to from the start has b = 2 g + h - k, and one from which g moves lead to the goal has
b' = 2 g + k - h. Both never fall along a path, and on a plan of L moves b + b' = 2 L at each board
(Sadhukhan 2013). To refute a horizon U, thresholds with t + t' = 2 U - 1 are chosen. The backward
side stores all boards with b' <= t'; the forward side searches, depth first and without memory,
those with b <= t, and looks up each child with b > t. Were there a plan of U moves, its first
board with b > t would have b' <= t' and be stored.

Horizons are refuted one after another, from the first bound on. The backward side does not depend
on the horizon and serves several.
"""

import time
from collections.abc import Generator, Iterator
from typing import TypeVar

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.model.structure import raised_to_parity
from plansolve.patterns.additive import goal_sets, start_sets
from plansolve.patterns.partition import default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.bidirectional.backward import BackwardSide
from plansolve.solvers.search.bidirectional.balance import Split
from plansolve.solvers.search.bidirectional.bounds import TwoWayBounds, joined
from plansolve.solvers.search.bidirectional.forward import ForwardSide
from plansolve.solvers.search.bidirectional.table_kernel import DEEPEST
from plansolve.solvers.search.packed_board_kernel import MOST_CELLS
from plansolve.storage.store import Store

__all__ = ["bidirectional", "meet"]

T = TypeVar("T")

_BY = "bidirectional search"
_SECONDS_A_SIGN = 0.25
_LEAST_MEMORY = 1 << 16


def bidirectional(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yields the bounds that it proves, and at last a shortest plan.

    The problem must have a blank graph of at most 32 cells. Ends early where the incumbent's
    bounds meet, where there is no plan, where a plan would have more than 255 moves, and where the
    memory does not suffice for the tables of the bounds.
    """
    assert problem.puzzle.cells <= MOST_CELLS
    if problem.start == problem.goal:
        yield Report(by=_BY, plan=())
        return
    size = _size(problem.puzzle.cells, budget.memory)
    if size == 0:
        return
    goal = yield from run_in_background(
        lambda tell: goal_sets(problem, size=size, store=Store(), tell=tell, consistent=True), _BY
    )
    start = yield from run_in_background(
        lambda tell: start_sets(problem, size=size, tell=tell, consistent=True), _BY
    )
    yield from meet(problem, joined(goal, start), incumbent, budget)


def meet(
    problem: Problem, bounds: TwoWayBounds, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """The same with given bounds, which must be consistent."""
    yield from _Rounds(problem, bounds, incumbent, budget).run()


def _size(cells: int, memory: int) -> int:
    """The tiles of the largest pattern, such that tables take an eighth of the memory; or 0."""
    size = default_size(cells)
    while size and 2 * -(-(cells - 1) // size) * cells**size > memory // 8:
        size -= 1
    return size


class _Rounds:
    """Refutes horizons until there is a plan."""

    def __init__(
        self, problem: Problem, bounds: TwoWayBounds, incumbent: Incumbent, budget: Budget
    ) -> None:
        memory = max(_LEAST_MEMORY, budget.memory - 2 * bounds.sets.table.nbytes)
        self._problem, self._bounds, self._incumbent = problem, bounds, incumbent
        self._backward = BackwardSide(problem, bounds, memory, budget.threads)
        self._forward = ForwardSide(problem, bounds, budget.threads)
        self._parity = problem.structure.plan_parity(problem.start)
        self._split = Split()
        self._present: int | None = None
        self._horizon = 0
        self._sign = time.monotonic()

    def run(self) -> Iterator[Report]:
        """The rounds."""
        problem = self._problem
        lower_bound = self._raised(self._bounds.first_bound(problem.start, problem.goal))
        while True:
            lower_bound = max(lower_bound, self._raised(self._incumbent.lower_bound))
            yield self._report(lower_bound)
            if lower_bound >= self._incumbent.upper_bound or lower_bound > DEEPEST:
                return
            self._horizon = lower_bound
            yield from self._prepare()
            if self._is_overtaken:
                continue
            if self._backward.is_exhaustive and self._backward.depth(problem.start) is None:
                return
            threshold = self._split.total(self._horizon) - self._backward.threshold
            begin, nodes = time.monotonic(), self._forward.nodes
            search = self._forward.search(self._horizon, threshold, self._backward)
            walk = yield from self._telling(search)
            if walk is not None:
                yield self._report(lower_bound, self._problem.blank_graph.plan(walk))
                return
            if self._is_overtaken:
                continue
            nodes = self._forward.nodes - nodes
            self._split.forward.measured(threshold, nodes, time.monotonic() - begin)
            lower_bound = self._raised(lower_bound + 1)

    def _prepare(self) -> Generator[Report, None, None]:
        """Builds the backward side anew where that pays."""
        split, backward = self._split, self._backward
        while True:
            threshold = split.choose(self._horizon, self._present, backward.most_states)
            if threshold == self._present:
                return
            self._present = None
            begin = time.monotonic()
            expected = int(min(split.backward.size(threshold), backward.most_states))
            is_complete = yield from self._telling(backward.build(threshold, expected))
            if is_complete:
                self._present = threshold
                split.backward.measured(threshold, backward.states, time.monotonic() - begin)
            elif self._is_overtaken:
                return
            else:
                split.refuse(threshold)

    def _telling(self, work: Generator[None, None, T]) -> Generator[Report, None, T | None]:
        """What the work returns, or None where it is given up; yields signs of life."""
        while not self._is_overtaken:
            try:
                next(work)
            except StopIteration as end:
                result: T = end.value
                return result
            if time.monotonic() - self._sign > _SECONDS_A_SIGN:
                self._sign = time.monotonic()
                yield self._report(0)
        work.close()
        return None

    @property
    def _is_overtaken(self) -> bool:
        """Whether another search has made the present horizon pointless."""
        return (
            self._incumbent.is_closed or self._raised(self._incumbent.lower_bound) > self._horizon
        )

    def _raised(self, bound: int) -> int:
        """The least number from `bound` on that a plan's length can be."""
        return raised_to_parity(bound, self._parity)

    def _report(self, lower_bound: int, plan: Plan | None = None) -> Report:
        counts = {
            "horizon": self._horizon,
            "nodes": self._forward.nodes,
            "questions": self._forward.questions,
            "states": self._backward.states,
            "children": self._backward.children,
            "backward threshold": self._backward.threshold,
        }
        return Report(by=_BY, plan=plan, lower_bound=lower_bound, counts=counts)
