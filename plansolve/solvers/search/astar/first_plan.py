"""A plan of another technique, where no weight leads A* to one soon, as on large boards."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pkgutil import resolve_name
from types import MappingProxyType

from plansolve.model.problem import Problem
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.protocol import Budget, Incumbent, Report, Search

__all__ = ["first_plans"]

_SECONDS, _MOST_SECONDS = 1.0, 4.0
"""So long a search goes on that has a plan, and so long one that has none."""
_SEARCH = "plansolve.solvers.search."
# None of them is imported where A* finds plans by itself.
_SEARCHES: Mapping[PuzzleKind, tuple[str, ...]] = MappingProxyType(
    {
        PuzzleKind.BLANK_GRAPH: (
            "constructive.tiles:blank_constructive",
            "beam.pattern_beam:blank_beam",
        ),
        PuzzleKind.PERMUTATIONS: (
            "constructive.group:group_constructive",
            "beam.permutation_beam:permutation_beam",
        ),
        PuzzleKind.ANY: (
            "constructive.exchanges:exchange_constructive",
            "beam.placement_beam:placement_beam",
        ),
    }
)


def first_plans(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Plans that construction and beam search find within a few seconds, perhaps none.

    Each is shorter than the one before and than `incumbent.upper_bound`; what these searches know
    of lower bounds is left out. They are given a quarter of the memory.
    """
    known, has_plan = Incumbent(upper_bound=incumbent.upper_bound), False
    budget = replace(budget, memory=budget.memory // 4)
    for name in _SEARCHES[problem.structure.kind]:
        search: Search = resolve_name(_SEARCH + name)
        began = time.monotonic()
        for report in search(problem, known, budget):
            if report.plan is not None and len(report.plan) < known.upper_bound:
                known.lower_upper_bound(len(report.plan))
                has_plan = True
                yield Report(report.by, report.plan)
            else:
                yield Report(report.by, note=report.note)
            if time.monotonic() - began > (_SECONDS if has_plan else _MOST_SECONDS):
                break
