"""The lower bounds by name, each with what it declares, and the best of them for a problem."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from plansolve.bounds.distance import largest_tile_distance, tile_distance_sum
from plansolve.bounds.linear_conflict import linear_conflict
from plansolve.model.problem import Problem

__all__ = ["HEURISTICS", "Heuristic", "LowerBound", "best_lower_bound"]


@dataclass(frozen=True)
class Heuristic:
    """A lower bound on the number of moves from a problem's start to its goal.

    It is admissible where it never exceeds the length of a shortest plan, and consistent where no
    move makes it fall by more than one (Pearl 1984); an admissible one is 0 at the goal.
    """

    name: str
    admissible: bool
    consistent: bool
    bound: Callable[[Problem], int]


@dataclass(frozen=True)
class LowerBound:
    """A proved lower bound, and what proves it."""

    value: int
    by: str


HEURISTICS: Mapping[str, Heuristic] = MappingProxyType(
    {
        heuristic.name: heuristic
        for heuristic in (
            Heuristic("largest tile distance", True, True, largest_tile_distance),
            Heuristic("tile distances", True, True, tile_distance_sum),
            Heuristic("linear conflict", True, True, linear_conflict),
        )
    }
)


def best_lower_bound(problem: Problem) -> LowerBound:
    """The largest of the admissible bounds, the simplest of those that are equal."""
    bounds = [
        LowerBound(heuristic.bound(problem), heuristic.name)
        for heuristic in HEURISTICS.values()
        if heuristic.admissible
    ]
    return max(bounds, key=lambda bound: bound.value)
