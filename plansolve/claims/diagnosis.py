"""Replay claimed plans and, if they are wrong, read them in other ways.

No solver takes part: plans are replayed by the checker.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from plansolve import checker
from plansolve.checker import Verdict
from plansolve.formats import BoardLike, as_plan, read_problem
from plansolve.formats.notation import CONVENTIONS, names_in
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import OPEN, Plan, Puzzle, State
from plansolve.puzzles.registry import goals_of

MOST_REREAD = 100_000
"""Longer plans are not read in other ways, since each reading is another replay."""

Order: TypeAlias = Literal["forward", "last move first", "from the goal"]

_ORDERS = {
    "forward": "",
    "last move first": "it is read backwards, last move first",
    "from the goal": "it starts at the goal and ends at the board",
}


@dataclass(frozen=True)
class Reading:
    """One way to read a plan: the meaning of its letters, the goal, and the order.

    `goal` is the name of another goal than the problem's, None for the problem's own. In the
    order "from the goal" the plan starts at the goal and ends at the board.
    """

    convention: str
    goal: str | None = None
    order: Order = "forward"

    def told(self, assumed: str) -> str:
        """Return a line that names the reading in which the plan is right."""
        conditions, options = [], []
        if self.convention != assumed:
            conditions.append(f"the letters name the motion of the {self.convention}")
            options.append(f"--moves {self.convention}")
        if self.goal is not None:
            conditions.append(f"the goal is {self.goal}")
            options.append(f"--goal {self.goal}")
        if self.order != "forward":
            conditions.append(_ORDERS[self.order])
        hint = f": {' '.join(options)}" if options else ""
        return f"the plan is right if {' and '.join(conditions)}{hint}"


@dataclass(frozen=True)
class Diagnosis:
    """The outcome of a replay of the plan.

    `plan` holds operator names; `convention` is the one in which it was written, which the reason
    of an illegal step in `verdict` uses too. `penalty` is that of the legal moves.
    `other_readings` are the closest ways to read a wrong plan that make it right. They are not
    tried (`is_reread` is False) if the plan is right, or longer than `MOST_REREAD` moves.
    """

    problem: Problem
    plan: Plan
    convention: str
    verdict: Verdict
    penalty: int
    other_readings: tuple[Reading, ...] = ()
    is_reread: bool = False

    def told(self, plan: Plan) -> list[str]:
        """Return the moves in the convention of the claim; unknown ones as they are."""
        names = names_in(self.problem.puzzle, self.convention)
        return [names.get(move, move) for move in plan]


def diagnose(problem: Problem, plan: Plan, convention: str = "tile") -> Diagnosis:
    """Replay a plan of operator names that was written in `convention`.

    Raise `OptionError` for a convention that the puzzle does not have.
    """
    names = names_in(problem.puzzle, convention)
    verdict = checker.check_plan(problem, plan)
    if (step := verdict.illegal) is not None:
        # The checker names operators.
        reason = checker.why_illegal(problem.puzzle, step.board, step.move, names.__getitem__)
        step = replace(step, move=names.get(step.move, step.move), reason=reason)
        verdict = replace(verdict, illegal=step)
    found = Diagnosis(problem, plan, convention, verdict, penalty(problem, plan[: verdict.applied]))
    if verdict.solves or len(plan) > MOST_REREAD:
        return found
    right = list(_right_readings(problem, plan, convention))
    least = min((_changes(reading, convention) for reading in right), default=0)
    nearest = tuple(reading for reading in right if _changes(reading, convention) == least)
    return replace(found, other_readings=nearest, is_reread=True)


def _changes(reading: Reading, assumed: str) -> int:
    return (
        (reading.convention != assumed) + (reading.goal is not None) + (reading.order != "forward")
    )


def _right_readings(problem: Problem, plan: Plan, assumed: str) -> Iterator[Reading]:
    """Yield every reading in which the plan is legal and reaches its goal."""
    goals: list[tuple[str | None, State]] = [(None, problem.goal)]
    goals += [item for item in goals_of(problem.puzzle).items() if item[1] != problem.goal]
    for convention, moves in _in_conventions(problem.puzzle, plan, assumed):
        orders: list[tuple[Order, Plan]] = [("forward", moves)]
        if moves != moves[::-1]:
            orders.append(("last move first", moves[::-1]))
        for order, ordered in orders:
            # One replay serves all goals, since only the last board matters.
            verdict = checker.check_plan(problem, ordered)
            for name, goal in goals:
                if verdict.legal and problem.puzzle.with_goal(goal).is_goal(verdict.board):
                    yield Reading(convention, name, order)
        for name, goal in goals:
            if OPEN in goal:
                continue  # An open goal is many boards, and the plan's first board is unknown.
            way_back = Problem(problem.puzzle.with_goal(problem.start), goal)
            if moves and checker.check_plan(way_back, moves).solves:
                yield Reading(convention, name, "from the goal")


def _in_conventions(puzzle: Puzzle, plan: Plan, assumed: str) -> Iterator[tuple[str, Plan]]:
    """Yield the operators of the names as written, for each convention that has them all."""
    in_use = names_in(puzzle, assumed)
    written = [in_use.get(move, move) for move in plan]
    for convention in CONVENTIONS if puzzle.blank_names else ["tile"]:
        operators = {name: move for move, name in names_in(puzzle, convention).items()}
        moves = [operators[name] for name in written if name in operators]
        if len(moves) == len(written):
            yield convention, tuple(moves)


def check_plan(problem: BoardLike, plan: str | Iterable[object]) -> Verdict:
    """Replay a plan from the problem's start to its end or first illegal move.

    `problem` is anything that `read_problem` takes, `plan` a text or a list, see `read_plan`. Raise
    `PlanError` for a plan that cannot be read; an illegal move is a verdict.

    >>> import plansolve
    >>> board = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
    >>> plansolve.check_plan(board, "DLLUU").solves
    True
    >>> plansolve.check_plan(board, "DR").illegal.reason
    'R cannot be made while the blank is in row 1 column 1; possible there: U L'
    """
    problem = read_problem(problem)
    return checker.check_plan(problem, as_plan(plan, problem))
