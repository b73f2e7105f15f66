"""The lower bounds by name, each with what it declares, and the best of them for a problem."""

from collections.abc import Mapping

from plansolve.bounds.bound import Bound
from plansolve.bounds.distance import LargestTileDistance, TileDistances
from plansolve.bounds.linear_conflict import LinearConflict
from plansolve.bounds.walking_distance import WalkingDistance
from plansolve.certcheck.elementary import LowerBound
from plansolve.errors import OptionError
from plansolve.model.problem import Problem

BOUNDS: Mapping[str, Bound] = {
    bound.name: bound
    for bound in (
        LargestTileDistance(),
        TileDistances(),
        LinearConflict(),
        WalkingDistance(),
    )
}


def admissible_bound(name: str, problem: Problem) -> Bound:
    """Return the bound of that name, for engines that claim optimality.

    Raises `OptionError` if there is none, if it does not declare itself admissible, if it
    does not hold for the puzzle, or if its tables would be too large. No table is made.
    """
    if name not in BOUNDS:
        raise OptionError(f"unknown bound {name!r}: choose from {', '.join(BOUNDS)}")
    bound = BOUNDS[name]
    if not bound.admissible:
        raise OptionError(f"bound {name} is not admissible: it cannot prove plans shortest")
    fits = bound.fits(problem.structure)
    if not fits or bound.exceeded(problem):
        wrong = f"takes {bound.exceeded(problem)}" if fits else f"is for {bound.needs}"
        usable = (
            b.name
            for b in BOUNDS.values()
            if b.admissible and b.fits(problem.structure) and not b.exceeded(problem)
        )
        raise OptionError(f"bound {name} {wrong}; for this puzzle: {', '.join(usable)}")
    return bound


def best_lower_bound(problem: Problem) -> LowerBound:
    """Return the largest of the quick admissible bounds, the simplest of equal ones."""
    bounds = [
        LowerBound(bound.value(problem), bound.title)
        for bound in BOUNDS.values()
        if bound.admissible and bound.quick and bound.fits(problem.structure)
    ]
    return max(bounds, key=lambda bound: bound.value)
