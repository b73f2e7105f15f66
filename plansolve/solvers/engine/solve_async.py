"""`solve` for programs with an event loop."""

import asyncio
import threading
from typing import Any

from plansolve.formats import BoardLike
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result

__all__ = ["solve_async"]


async def solve_async(problem: BoardLike, **options: Any) -> Result:
    """Return what `solve` returns, while the event loop goes on; the options are those of `solve`.

    `progress` is called from another thread. To cancel the task ends the engines.

    >>> import asyncio, plansolve
    >>> asyncio.run(plansolve.solve_async([[4, 1, 2], [0, 5, 3], [7, 8, 6]])).length
    5
    """
    cancel = options.pop("cancel", None) or threading.Event()
    work = asyncio.ensure_future(asyncio.to_thread(solve, problem, cancel=cancel, **options))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.set()
        # Whoever waits for the task shall find no engine at work.
        await asyncio.wait([work])
        raise
