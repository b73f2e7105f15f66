"""ARA*: a plan soon, then better ones, each with a proved ratio (Likhachev, Gordon, Thrun 2003).

The first weight makes a plan likely within seconds. Smaller ones follow, with the nodes of before,
until no plan can be shorter than the best one, or the memory is full. `anytime_kernel` says what is
proved on the way.
"""

from collections.abc import Iterator
from math import ceil

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.model.structure import UNREACHABLE, raised_to_parity
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.astar import anytime_kernel as kernel
from plansolve.solvers.search.astar.first_plan import first_plans
from plansolve.solvers.search.astar.slices import (
    CELLS_A_SLICE,
    expansions_a_slice,
    limit_below,
    memory_is_full,
)
from plansolve.solvers.search.astar.space import AnytimeSpace
from plansolve.solvers.search.astar.tables import tables_for

__all__ = ["WEIGHTS", "anytime_astar"]

COST = 16
WEIGHTS = (80, 64, 48, 40, 36, *range(32, 15, -1))
"""The weights of h, where a move has the weight `COST`."""

_NAME = "ARA*"
# Where so many cells were written without a plan that is as good as this, weights do not get there.
_MOST_CELLS, _GOOD_RATIO = 20_000_000, 1.5


def anytime_astar(
    problem: Problem, incumbent: Incumbent, budget: Budget, cells_a_slice: int = CELLS_A_SLICE
) -> Iterator[Report]:
    """Finds better and better plans and lower bounds, until these meet.

    Only plans shorter than `incumbent.upper_bound` are told. The last lower bound is `NO_PLAN`
    where the search has shown that the board has no plan. The counts tell the weight at work, and
    the proved "ratio": the best plan is no more than so many times as long as a shortest one. The
    bound of the options has to be admissible, and need not be consistent.

    Raise `CutShort` where its nodes would not fit into `budget.memory`.
    """
    if problem.is_solved:
        yield Report(_NAME, plan=())
        return
    tables = yield from tables_for(problem, budget, _NAME)
    space = AnytimeSpace(tables, problem.start, budget.memory, COST, WEIGHTS[0])
    if space.base >= UNREACHABLE:
        yield Report(_NAME, lower_bound=NO_PLAN, counts=space.counts)
        return
    search = _Weighting(problem, incumbent, budget, space)
    yield from search.run(
        expansions_a_slice(tables, cells_a_slice), expansions_a_slice(tables, _MOST_CELLS)
    )


class _Weighting:
    """The search with one weight after the other."""

    def __init__(
        self, problem: Problem, incumbent: Incumbent, budget: Budget, space: AnytimeSpace
    ) -> None:
        self._problem, self._incumbent = problem, incumbent
        self._budget, self._space = budget, space
        self._parity = problem.structure.plan_parity(problem.start)
        self._bound = raised_to_parity(space.base, self._parity)
        self._weight, self._best = WEIGHTS[0], NO_PLAN

    def run(self, expansions: int, most: int) -> Iterator[Report]:
        """Works until plan and lower bound meet, in slices of so many expansions.

        Where the first `most` expansions have led to no good plan others are asked for one.
        """
        yield from self._begin(WEIGHTS[0])
        has_asked = False
        while True:
            status = self._space.expand(expansions, self._limit)
            # The goal is in no list, so that its plan has to count before a bound does.
            plan = self._plan() if status == kernel.SOLVED else None
            self._prove()
            yield self._report(plan)
            if self._is_over:
                return
            if status == kernel.NOTHING_LEFT:
                yield from self._begin(self._next_weight())
            elif status in (kernel.MORE_ROWS, kernel.FULL):
                yield from self._make_room(status)
            if not has_asked and self._space.expansions >= most:
                has_asked = True
                yield from self._ask_others()

    def _begin(self, weight: int) -> Iterator[Report]:
        """Goes on with a weight no larger than the last one."""
        self._weight = weight
        yield self._report()
        for _ in self._space.begin(weight, self._limit):
            yield self._report()

    def _make_room(self, status: int) -> Iterator[Report]:
        if status == kernel.MORE_ROWS:
            if not self._space.add_rows():
                raise memory_is_full(_NAME, self._space)
            return
        if not self._space.can_grow:
            raise memory_is_full(_NAME, self._space)
        for _ in self._space.grow():
            yield self._report()

    def _ask_others(self) -> Iterator[Report]:
        """Takes over a plan of another technique, if that is better than a poor one."""
        if self._best <= _GOOD_RATIO * self._bound:
            return
        known, has_plan = Incumbent(upper_bound=self._upper), False
        for report in first_plans(self._problem, known, self._budget):
            if report.plan is not None:
                self._best = len(report.plan)
                has_plan = True
            yield report
        if has_plan and not self._is_over:
            yield from self._begin(self._next_weight())

    def _plan(self) -> Plan:
        """The plan that was found."""
        operators = self._problem.puzzle.operators
        plan = tuple(operators[index].name for index in self._space.path())
        # Its moves may be fewer than g, where better ways were found and not gone on with.
        self._best = len(plan)
        return plan

    @property
    def _upper(self) -> int:
        """The length of the best plan, whoever has found it, or `NO_PLAN`."""
        return min(self._best, self._incumbent.upper_bound)

    @property
    def _limit(self) -> int:
        return limit_below(self._upper, self._parity)

    @property
    def _is_over(self) -> bool:
        return max(self._bound, self._incumbent.lower_bound) >= self._upper

    def _prove(self) -> None:
        """Raises the lower bound to the smallest f, or to the best plan."""
        least, upper = self._space.smallest_f, self._upper
        proved = upper if least is None else raised_to_parity(least, self._parity)
        self._bound = max(self._bound, min(proved, upper))

    def _next_weight(self) -> int:
        """The largest smaller weight that is below the ratio which is proved.

        With a larger one no node need be expanded: g + w * h >= f * w is beyond the plan.
        """
        upper, bound = self._upper, self._bound
        smaller = (w for w in WEIGHTS if w < self._weight and w * bound < COST * upper)
        return next(smaller, COST)

    def _report(self, plan: Plan | None = None) -> Report:
        weight = self._weight / COST
        counts: dict[str, float] = {**self._space.counts, "weight": weight}
        if self._upper < NO_PLAN:
            bound = max(self._bound, self._incumbent.lower_bound, 1)
            counts["ratio"] = ceil(1000 * self._upper / bound) / 1000
        return Report(f"{_NAME} with weight {weight:g}", plan, self._bound, counts)
