"""Questions once a plan is proved shortest: the least penalty, all such plans, their number.

Each is one more stage, whose reports are handled here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

from plansolve.errors import OptionError
from plansolve.model.problem import Problem, lightest_plan, penalty
from plansolve.model.puzzle import WORD_CELLS, Plan, Puzzle
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.engine.choice import Stage
from plansolve.solvers.engine.registry import FOLLOW_UPS, fits
from plansolve.solvers.engine.scheduler import Scheduler
from plansolve.solvers.protocol import Report

_LEAST_PENALTY, _ALL_PLANS, _COUNT, _CNF_PLANS = (
    FOLLOW_UPS[name] for name in ("least-penalty", "all-plans", "count-plans", "cnf-plans")
)


def least_penalty(scheduler: Scheduler, threads: int) -> bool:
    """Replace the shortest plan by one of least penalty; return whether that is proved.

    What was found is kept when a limit ends the search.
    """
    ledger = scheduler.ledger
    if not fits(_LEAST_PENALTY, ledger.problem.structure):
        return False

    def receive(report: Report) -> bool:
        plan, best = report.plan, ledger.penalty
        if plan is not None and best is not None and penalty(ledger.problem, plan) < best:
            ledger.prefer(plan, _LEAST_PENALTY.name)
        return report.is_complete

    return scheduler.follow_up(Stage(_LEAST_PENALTY, threads=threads, memory=0.4), receive)


def check_enumerable(problem: Problem) -> None:
    """Raise `OptionError` for puzzles whose shortest plans no search can list or count."""
    puzzle = problem.puzzle
    if puzzle.needs_kinds:
        raise OptionError(
            "no search can list or count the shortest plans of this puzzle, whose moves need "
            "pieces in certain cells; choose --engine cnf"
        )
    if puzzle.gaps > 1 and _has_doubles(puzzle):
        raise OptionError(
            "no search can list or count the shortest plans of this puzzle: it has several gaps, "
            "and two of its moves may have the same effect on a board; choose --engine cnf"
        )
    if problem.structure.kind == PuzzleKind.ANY and puzzle.cells > WORD_CELLS:
        raise OptionError(
            "no search can list or count the shortest plans of this puzzle: it has more "
            f"than {WORD_CELLS} cells, and its moves neither exchange the blank with one tile "
            "nor are independent of it; choose --engine cnf"
        )


def _has_doubles(puzzle: Puzzle) -> bool:
    """Return True if two operators may apply to one board of several gaps, and do the same to it.

    Operators that only move the gaps that they need do not count: the board stays the same.
    """
    needs = dict[tuple[int, ...], list[int | None]]()
    for operator in puzzle.operators:
        needs.setdefault(operator.destinations(puzzle.cells), []).append(operator.blank)
    return any(
        not {cell for cell, there in enumerate(goes) if cell != there} <= {*pair}
        for goes, blanks in needs.items()
        for pair in combinations(blanks, 2)
    )


@dataclass
class Enumeration:
    """The shortest plans, or only their number: up to `most`, and True if these are all.

    Plans differ if their moves have different effects on the cells: if no pieces are alike, if they
    pass through different boards. `by_formula` lists them by clauses.
    """

    count_only: bool
    most: int | None = None
    by_formula: bool = False
    plans: list[Plan] = field(default_factory=list)
    count: int = 0
    is_complete: bool = False
    _named: Callable[[Plan], Plan] = tuple

    def run(self, scheduler: Scheduler, threads: int) -> None:
        """Collect; what was found is kept when a limit ends the search."""
        problem = scheduler.ledger.problem
        if any(operator.penalty for operator in problem.puzzle.operators):
            # A search may use only one of several operators with the same effect.
            self._named = partial(lightest_plan, problem)
        engine = _CNF_PLANS if self.by_formula else _COUNT if self.count_only else _ALL_PLANS
        scheduler.follow_up(Stage(engine, threads=threads, memory=0.4), self._take)

    def rank(self, scheduler: Scheduler) -> bool:
        """Put the listed plan of least penalty in front; return whether no other can have less."""
        if not self.plans or not self.is_complete:
            return False
        ledger = scheduler.ledger
        best = min(self.plans, key=lambda plan: penalty(ledger.problem, plan))
        if ledger.penalty is not None and penalty(ledger.problem, best) <= ledger.penalty:
            ledger.prefer(best, _ALL_PLANS.name)
        return True

    @property
    def is_enough(self) -> bool:
        """Return True if there are as many as were asked for."""
        return self.most is not None and self.count >= self.most

    def document(self) -> dict[str, Any]:
        """Return its fields of `Result`."""
        return {
            "plans": None if self.count_only else tuple(self.plans),
            "plan_count": self.count,
            "is_every_plan": self.is_complete,
        }

    def _take(self, report: Report) -> bool:
        if report.is_complete:
            self.is_complete = True
        if self.count_only:
            self.count = int(report.counts.get("plans", self.count))
        elif report.plan is not None:
            self.plans.append(self._named(report.plan))
            self.count = len(self.plans)
        if self.most is not None and self.count > self.most:
            self.plans = self.plans[: self.most]
            self.count, self.is_complete = self.most, False
            return True
        # With exactly as many as requested, the search continues, since these may be all.
        return self.is_complete
