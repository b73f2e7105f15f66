"""Many boards, one after the other and side by side, in processes that are used again."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from plansolve.model.problem import Problem
from plansolve.solvers.engine.child import Workers
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result

__all__ = ["solve_all"]


def solve_all(
    problems: Iterable[Problem], *, parallel: int | None = None, **options: Any
) -> Iterator[Result]:
    """Yield the result of each problem, in their order.

    `parallel` boards are worked on at a time (default: as many as there are cores), each with one
    thread; `options` are those of `solve`. Engines, their tables and compiled kernels stay loaded
    from one board to the next. Raises what `solve` raises.
    """
    side_by_side = parallel or os.cpu_count() or 1
    with Workers() as workers, ThreadPoolExecutor(side_by_side) as pool:
        one = partial(solve, workers=workers, **({"threads": 1} | options))
        yield from pool.map(one, problems)
