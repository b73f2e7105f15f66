"""Two engines of different kinds on one problem: they must not contradict each other.

They share the rules, the bound from which both begin (distances, linear conflict, parity), and the
proof that a board is unsolvable by its structure; an error there both would make.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.solvers.engine.child import Workers
from plansolve.solvers.engine.progress import Progress
from plansolve.solvers.engine.registry import ENGINES, fits
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result, Status

__all__ = ["CrossCheck", "cross_check", "cross_check_engines"]


@dataclass(frozen=True)
class CrossCheck:
    """What the engines came to, one result for each that was started.

    `agreed` is True where both have decided, and None where one of them has not; there is no
    False, since a contradiction is an error.
    """

    engines: tuple[str, str]
    results: tuple[Result, ...]

    @property
    def agreed(self) -> bool | None:
        """Whether both engines have decided the problem, alike."""
        decided = [result for result in self.results if _is_decided(result)]
        return True if len(decided) == len(self.engines) else None

    @property
    def length(self) -> int | None:
        """The optimal length that both have proved; None where they did not, or without a plan."""
        return self.results[0].length if self.agreed else None


def cross_check_engines(problem: Problem) -> tuple[str, str]:
    """Return two engines of different kinds that fit the problem."""
    return "cnf", "idastar" if fits(ENGINES["idastar"], problem.structure) else "astar"


def cross_check(
    problem: Problem,
    engines: tuple[str, str] | None = None,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> CrossCheck:
    """Solve the problem with both engines, one after the other, and compare what they prove.

    `engines` are by default those that `cross_check_engines` chooses. `time_limit` is in seconds
    for each of them, `memory_limit` in bytes. Raise `InternalError`, naming both claims, where
    the engines contradict each other: one has a plan that is shorter than what the other has
    proved, or calls unsolvable what the other has solved. Raise `OptionError` for an engine that
    does not exist, proves nothing or does not fit.
    """
    engines = engines or cross_check_engines(problem)
    results: list[Result] = []
    for engine in engines:
        if any(result.was_interrupted for result in results):
            break
        results.append(
            solve(
                problem,
                optimal=True,
                engine=engine,
                time_limit=time_limit,
                memory_limit=memory_limit,
                progress=progress,
                workers=workers,
            )
        )
    for contradiction in _contradictions(results):
        raise InternalError(f"engines contradict each other: {contradiction}")
    return CrossCheck(engines, tuple(results))


def _is_decided(result: Result) -> bool:
    return result.status in (Status.OPTIMAL, Status.UNSOLVABLE)


def _contradictions(results: list[Result]) -> Iterator[str]:
    for claims, finds in permutations(results, 2):
        if finds.length is None:
            continue
        has_plan = f"{finds.engine} has a plan of {finds.length} moves"
        if claims.lower_bound is None:
            yield f"{claims.engine} says that there is no plan, {has_plan}"
        elif claims.lower_bound > finds.length:
            yield f"{claims.engine} says {claims.lower_bound} moves or more, {has_plan}"
