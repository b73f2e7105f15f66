"""What the solver knows about the boards of a game, asked only when the player wants to know."""

from dataclasses import dataclass
from types import TracebackType

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, State
from plansolve.solvers.engine.progress import Progress
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import most_memory
from plansolve.solvers.processes.workers import Workers

__all__ = ["Advice", "Adviser"]


@dataclass(frozen=True)
class Advice:
    """The best known plan of a board, None without one, and what is proved.

    No plan has fewer than `lower_bound` moves, None where there is none at all. `explanation` says
    why that is so, or what ended the search too soon.
    """

    plan: Plan | None
    lower_bound: int | None
    explanation: str = ""

    @property
    def is_shortest(self) -> bool:
        """Whether it is proved that no plan is shorter."""
        return self.plan is not None and len(self.plan) == self.lower_bound

    @property
    def is_unsolvable(self) -> bool:
        """Whether it is proved that there is no plan."""
        return self.lower_bound is None


class Adviser:
    """A context manager that solves boards and remembers what came out.

    `time_limit` is in seconds for each board.
    """

    def __init__(self, time_limit: float) -> None:
        self.time_limit = time_limit
        self._workers = Workers()
        self._known: dict[State, Advice] = {}

    def __enter__(self) -> "Adviser":
        self._workers.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._workers.__exit__(kind, error, trace)

    def known(self, board: State) -> Advice | None:
        """Return what is known of a board from its own search, or one whose plan passes it."""
        return self._known.get(board)

    def search(self, problem: Problem, progress: Progress | None = None) -> Advice:
        """Return what a search tells about a board; Ctrl-C ends it, and what was found is kept."""
        result = solve(
            problem,
            optimal=False,
            time_limit=self.time_limit,
            memory_limit=most_memory(),
            progress=progress,
            workers=self._workers,
        )
        plan = self._best_plan(problem, result.plan)
        advice = Advice(plan, result.lower_bound, result.explanation)
        if advice.is_unsolvable:
            self._known[problem.start] = advice
        elif plan is not None:
            self._remember(problem, plan, advice)
        return advice

    def _best_plan(self, problem: Problem, found: Plan | None) -> Plan | None:
        """Return the plan that was found, or a move to a board from which a better one is known."""
        plan = found
        for name, operator in problem.puzzle.applicable(problem.start).items():
            known = self._known.get(operator.apply(problem.start))
            if (
                known
                and known.plan is not None
                and (plan is None or len(known.plan) + 1 < len(plan))
            ):
                plan = (name, *known.plan)
        return plan

    def _remember(self, problem: Problem, plan: Plan, found: Advice) -> None:
        """Keep the plan for each board on its way, so that hints lead to the goal.

        Two searches may find different plans, and a hint from each in turn could go in circles.
        """
        bound, board = found.lower_bound or 0, problem.start
        for step in range(len(plan) + 1):
            advice = Advice(plan[step:], max(0, bound - step), found.explanation)
            before = self._known.get(board)
            if before is None or not before.is_shortest:
                self._known[board] = advice
            if step < len(plan):
                board = problem.puzzle.applicable(board)[plan[step]].apply(board)
