"""Two engines of different kinds on one problem: they must not contradict each other.

They share the rules, the bound from which both begin (distances, linear conflict, parity), and the
proof that a board is unsolvable by its structure; an error there both would make.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations

from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.result import Result, Status
from plansolve.text import counted

__all__ = ["CrossCheck", "cross_check", "cross_check_engines", "false_claim"]


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
        decided = (Status.OPTIMAL, Status.UNSOLVABLE)
        count = sum(result.status in decided for result in self.results)
        return True if count == len(self.engines) else None

    @property
    def length(self) -> int | None:
        """The optimal length that both have proved; None where they did not, or without a plan."""
        return self.results[0].length if self.agreed else None


def cross_check_engines(problem: Problem) -> tuple[str, str]:
    """Return two engines of different kinds that fit the problem."""
    return "cnf", "astar" if problem.structure.kind == PuzzleKind.ANY else "idastar"


def cross_check(problem: Problem, search: Callable[..., Result]) -> CrossCheck:
    """Search with two engines of different kinds, one after the other, and compare their proofs.

    `search` is `solve` with everything but the engine given. Raise `InternalError`, naming both
    claims, where the engines contradict each other: one has a plan that is shorter than what the
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
        if finds.length is not None and (claimed := false_claim(claims, finds.length)):
            yield f"{claimed}, {finds.engine} has a plan of {counted(finds.length, 'move')}"


def false_claim(result: Result, length: int) -> str:
    """Return what a result claims that a plan of so many moves refutes; empty where nothing."""
    if result.lower_bound is None:
        return f"{result.engine} says that there is no plan"
    is_false = result.lower_bound > length
    return f"{result.engine} says {counted(result.lower_bound, 'move')} or more" if is_false else ""
