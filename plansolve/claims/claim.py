"""Check the claim that a plan solves a problem, or that it is shortest."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any

from plansolve.claims.diagnosis import Diagnosis, diagnose
from plansolve.errors import InternalError
from plansolve.formats import BoardLike, as_plan, format_plan, read_problem
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import Plan
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.evidence import Evidence
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Progress
from plansolve.solvers.result import Result, Status
from plansolve.solvers.result_text import fewest, not_decided, penalty
from plansolve.text import at_least, counted, suffice

_LEAST_SECONDS = 1.0
"""Searches for the losing step always get at least this time."""


@dataclass(frozen=True)
class CrossCheck:
    """The results of two engines of different kinds.

    They share the rules, the first bound (distances, linear conflict, parity), and the proof that a
    board is unsolvable by its structure, so they would share an error there.

    `agreed` is True if both have decided, and None otherwise. It is never False, since a
    contradiction is an error.
    """

    engines: tuple[str, str]
    results: tuple[Result, ...]

    @property
    def agreed(self) -> bool | None:
        """True if both engines have decided the problem."""
        decided = (Status.OPTIMAL, Status.UNSOLVABLE)
        count = sum(result.status in decided for result in self.results)
        return True if count == len(self.engines) else None

    @property
    def length(self) -> int | None:
        """The optimal length that both have proved; None without one."""
        return self.results[0].length if self.agreed else None


@dataclass(frozen=True)
class Verification:
    """The verdict on a claimed plan, and its evidence.

    >>> import plansolve
    >>> claim = plansolve.verify([[4, 1, 2], [0, 5, 3], [7, 8, 6]], "DLLUU", optimal=True)
    >>> print(claim)
    legal: yes - reaches the goal: yes - 5 moves - optimal: yes
    >>> claim.confirmed, claim.lower_bound, claim.upper_bound
    (True, 5, 5)

    `result` is the search for a shorter plan, if one was asked for and the plan is right; `check`
    holds the results of the cross-check. Raises `InternalError` if a proved bound contradicts the
    plan.
    """

    diagnosis: Diagnosis
    result: Result | None = None
    check: CrossCheck | None = None
    optimality_asked: bool = False
    cross_check_asked: bool = False
    seconds: float = 0.0

    def __post_init__(self) -> None:
        shortest = self.upper_bound
        if shortest is None:
            return
        for result in self.results:
            if claimed := _false_claim(result, shortest):
                raise InternalError(
                    f"{claimed}, but a plan of {counted(shortest, 'move')} passed the replay"
                )

    @property
    def solves(self) -> bool:
        """True if every move is legal and the last board is the goal."""
        return self.diagnosis.verdict.solves

    @property
    def length(self) -> int:
        return len(self.diagnosis.plan)

    @property
    def shorter_plan(self) -> Plan | None:
        """The shortest plan that was found, if the claimed one is longer."""
        plans = [r.plan for r in self.results if r.plan is not None]
        best = min(plans, key=len, default=None)
        return best if best is not None and len(best) < self.length else None

    @property
    def lower_bound(self) -> int | None:
        """The proved lower bound; None without a search."""
        return max((r.lower_bound or 0 for r in self.results), default=None)

    @property
    def lower_bound_by(self) -> str:
        """The engine or bound that proved the lower bound."""
        return next(
            (r.lower_bound_by for r in self.results if r.lower_bound == self.lower_bound), ""
        )

    @property
    def upper_bound(self) -> int | None:
        """The length of the shortest known plan; None if the claimed one is wrong."""
        if not self.solves:
            return None
        return self.length if self.shorter_plan is None else len(self.shorter_plan)

    @property
    def optimal(self) -> bool | None:
        """True if the plan is proved shortest, False if a shorter one is known, otherwise None."""
        if self.shorter_plan is not None:
            return False
        return True if self.solves and self.lower_bound == self.length else None

    @property
    def confirmed(self) -> bool | None:
        """True if the plan is right and, if requested, optimal; None if undecided.

        It is undecided too if the engines of a requested cross-check did not both finish.
        """
        if not self.solves:
            return False
        if self.optimal and self.cross_check_asked and not (self.check and self.check.agreed):
            return None
        return self.optimal if self.optimality_asked else True

    @property
    def least_penalty(self) -> int | None:
        """The least penalty of all shortest plans; None if it is not proved."""
        if not self.optimal or self.result is None:
            return None
        if self.diagnosis.penalty == 0:
            return 0
        return self.result.penalty if self.result.is_least_penalty else None

    @property
    def lighter_plan(self) -> Plan | None:
        """A plan of the same length with a smaller penalty, if the solver found one."""
        result = self.result
        if not self.optimal or result is None or result.penalty is None:
            return None
        is_lighter = result.length == self.length and result.penalty < self.diagnosis.penalty
        return result.plan if is_lighter else None

    @property
    def rests_on(self) -> tuple[Evidence, ...]:
        """The kept tables and records that the answers of all searches rest on."""
        return tuple(dict.fromkeys(e for result in self.results for e in result.rests_on))

    def written(self, plan: Plan) -> str:
        """Return a plan in letters, in the convention of the claim."""
        return format_plan(
            plan, self.diagnosis.problem.puzzle, "letters", self.diagnosis.convention
        )

    def __str__(self) -> str:
        """Return the verdict in one line."""
        return " - ".join(_verdict(self))

    @property
    def results(self) -> tuple[Result, ...]:
        first = () if self.result is None else (self.result,)
        return (*first, *(self.check.results if self.check else ()))


def verify(
    problem: BoardLike,
    plan: str | Iterable[object],
    *,
    convention: str = "tile",
    optimal: bool = False,
    with_cross_check: bool = False,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Verification:
    """Check a claimed plan for the problem.

    >>> import plansolve
    >>> board = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
    >>> claim = plansolve.verify(board, "DLLURLU", optimal=True)
    >>> claim.solves, claim.length, claim.optimal, str(claim.shorter_plan)
    (True, 7, False, 'DLLUU')

    `problem` is anything that `read_problem` takes. `plan` is a text or a list whose moves are
    named in `convention`, see `read_plan`, or the plan of a result, which is taken as it is.
    `optimal` searches for a shorter plan, or proves that there is none; with `with_cross_check`,
    two engines of different kinds must agree on the result. `time_limit` (for each search),
    `memory_limit`, `progress` and `workers` are those of `solve`.

    Raise `PlanError` for a plan that cannot be read, `OptionError` for a convention that the puzzle
    does not have, and `InternalError` if engines contradict each other or the plan.
    """
    begin = time.monotonic()
    problem = read_problem(problem)
    moves = as_plan(plan, problem, convention)
    diagnosis = diagnose(problem, moves, convention)
    result = check = None
    if diagnosis.verdict.solves and (optimal or with_cross_check):
        search = partial(
            solve,
            problem,
            optimal=True,
            time_limit=time_limit,
            memory_limit=memory_limit,
            progress=progress,
            workers=workers,
        )
        # Refuting all shorter plans is enough; but if the claimed plan has a penalty, only another
        # plan of the same length can show a smaller one.
        is_enough = diagnosis.plan and not diagnosis.penalty
        result = search(max_horizon=len(diagnosis.plan) - 1 if is_enough else None)
        if with_cross_check and not result.was_interrupted:
            check = cross_check(problem, search)
    return Verification(
        diagnosis,
        result,
        check,
        optimality_asked=optimal or with_cross_check,
        cross_check_asked=with_cross_check,
        seconds=time.monotonic() - begin,
    )


def _verdict(verification: Verification) -> Iterator[str]:
    diagnosis = verification.diagnosis
    verdict, tiles = diagnosis.verdict, diagnosis.problem.puzzle.goal_tiles
    if verdict.illegal is None:
        yield "legal: yes"
    else:
        yield f"legal: NO, move {verdict.illegal.step}: {verdict.illegal.reason}"
    if verdict.reaches_goal:
        yield "reaches the goal: yes"
    else:
        before = "" if verdict.illegal is None else f" before move {verdict.illegal.step}"
        yield f"reaches the goal: NO, {verdict.placed} of {counted(tiles, 'tile')} placed{before}"
    yield counted(verdict.length, "move")
    if told := penalty(diagnosis.problem.puzzle, diagnosis.penalty, _least(verification)):
        yield told
    if verification.optimality_asked and verification.solves:
        yield f"optimal: {_optimality(verification)}"


def _least(verification: Verification) -> str:
    """Return what is known of the least penalty, the second key of the ranking."""
    if verification.lighter_plan is not None and verification.result is not None:
        return suffice(verification.result.penalty or 0, "")
    return fewest(True) if verification.least_penalty == verification.diagnosis.penalty else ""


def _optimality(verification: Verification) -> str:
    if verification.optimal:
        return "yes"
    shorter = verification.shorter_plan
    if shorter is None:
        why = verification.result.explanation if verification.result else ""
        most = verification.length - (verification.lower_bound or 0)
        told = not_decided(verification.lower_bound, why)
        return f"{told}, so this one has at most {most} more than the shortest"
    if not shorter:
        return f"NO, {suffice(0)}: the board is the goal"
    more, lower = verification.length - len(shorter), verification.lower_bound
    bound = (
        f"{more} more than the shortest"
        if lower == len(shorter)
        else f"at least {more} more than the shortest ({at_least(lower)})"
    )
    return f"NO, {bound}; {suffice(len(shorter))}: {verification.written(shorter)}"


def losing_step(verification: Verification, **limits: Any) -> int | None:
    """Return the first move of a plan, from 1, after which the rest could not be optimal.

    Return None if the plan is a shortest one, if the shortest length is not proved, or if the
    searches take longer than the proof did. `limits` are those of `verify`.
    """
    result, shorter = verification.result, verification.shorter_plan
    if result is None or shorter is None or len(shorter) != verification.lower_bound:
        return None
    boards = [*boards_of(verification.diagnosis.problem, verification.diagnosis.plan)]
    deadline = time.monotonic() + max(verification.seconds, _LEAST_SECONDS)
    # With each move the least length of a plan through the board stays or grows, so bisect.
    kept, lost = 0, len(boards) - 1
    while lost - kept > 1:
        step = (kept + lost) // 2
        left = len(shorter) - step
        problem = Problem(verification.diagnosis.problem.puzzle, boards[step])
        limits["time_limit"] = deadline - time.monotonic()
        if left < 0 or limits["time_limit"] <= 0:
            found = None
        else:
            found = solve(problem, optimal=True, max_horizon=left, **limits)
        if left < 0 or (found and (found.lower_bound or 0) > left):
            lost = step
        elif found and found.length is not None and found.length <= left:
            kept = step
        else:
            return None
    return lost


def cross_check_engines(problem: Problem) -> tuple[str, str]:
    """Return two engines of different kinds that fit the problem."""
    searches = {PuzzleKind.ANY: "astar", PuzzleKind.NEEDS: "breadth-first"}
    return "cnf", searches.get(problem.structure.kind, "idastar")


def cross_check(problem: Problem, search: Callable[..., Result]) -> CrossCheck:
    """Search with two engines of different kinds, one after the other, and compare their proofs.

    `search` is `solve` with everything but the engine given. Raise `InternalError`, naming both
    claims, if the engines contradict each other: one has a plan that is shorter than what the
    other has proved, or calls unsolvable what the other has solved.
    """
    engines = cross_check_engines(problem)
    results: list[Result] = []
    for engine in engines:
        if any(result.was_interrupted for result in results):
            break
        results.append(search(engine=engine))
    for contradiction in _contradictions(results):
        raise InternalError(f"engines contradict each other: {contradiction}")
    return CrossCheck(engines, tuple(results))


def _contradictions(results: list[Result]) -> Iterator[str]:
    for claims, finds in permutations(results, 2):
        if finds.length is not None and (claimed := _false_claim(claims, finds.length)):
            yield f"{claimed}, but {finds.engine} has a plan of {counted(finds.length, 'move')}"


def _false_claim(result: Result, length: int) -> str:
    """Return the claim of a result that a plan of `length` moves refutes; empty if none."""
    if result.lower_bound is None:
        return f"{result.engine} says that there is no plan"
    if result.lower_bound <= length:
        return ""
    return f"{result.engine} says that every plan has {counted(result.lower_bound, 'move')} or more"
