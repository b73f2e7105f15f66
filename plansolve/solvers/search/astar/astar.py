"""A* with the strongest bound there is, or another: Hart, Nilsson, Raphael 1968.

It proves the lower bound as it goes (the smallest f of its open list, as long as that is not
empty) and ends with a shortest plan, with the proof that there is none, or with its memory full.
"""

from collections.abc import Iterator

from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE, raised_to_parity
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar.slices import (
    CELLS_A_SLICE,
    expansions_a_slice,
    limit_below,
    memory_is_full,
)
from plansolve.solvers.search.astar.space import Space
from plansolve.solvers.search.astar.tables import tables_for

__all__ = ["astar"]

NAME = "A*"


def astar(
    problem: Problem, incumbent: Incumbent, budget: Budget, cells_a_slice: int = CELLS_A_SLICE
) -> Iterator[Report]:
    """Finds a shortest plan, if one is shorter than `incumbent.upper_bound`.

    The reports' lower bounds rise with the smallest f of the open list; the last is `NO_PLAN`
    where the search has shown that the board has no plan. The bound of the options has to be
    admissible, and need not be consistent. After every slice, in which so many cells are written (a
    tenth of a second or a few), the search tells what it knows and looks at the incumbent.

    Raise `CutShort` where its nodes would not fit into `budget.memory`.
    """
    tables = yield from tables_for(problem, budget, NAME)
    space = Space(tables, problem.start, budget.memory)
    if space.base >= UNREACHABLE:
        yield Report(NAME, lower_bound=NO_PLAN, counts=space.counts)
        return
    parity = problem.structure.plan_parity(problem.start)
    expansions = expansions_a_slice(tables, cells_a_slice)
    bound = raised_to_parity(space.base, parity)
    while True:
        # Another search may have shown more than this one.
        yield Report(NAME, lower_bound=bound, counts=space.counts)
        if incumbent.is_closed:
            return
        upper = incumbent.upper_bound
        status = space.expand(expansions, limit_below(upper, parity))
        if status == kernel.SOLVED:
            names = [problem.puzzle.operators[index].name for index in space.path()]
            yield Report(NAME, tuple(names), len(names), space.counts)
            return
        if status == kernel.NOTHING_LEFT:
            yield Report(NAME, lower_bound=max(bound, upper), counts=space.counts)
            return
        bound = max(bound, raised_to_parity(space.smallest_f, parity))
        if status == kernel.MORE_ROWS and not space.add_rows():
            break
        if status == kernel.FULL:
            if not space.can_grow:
                break
            for _ in space.grow():
                yield Report(NAME, counts=space.counts)
    yield Report(NAME, lower_bound=bound, counts=space.counts)
    raise memory_is_full(NAME, space)
