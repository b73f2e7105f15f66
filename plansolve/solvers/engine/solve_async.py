"""`solve` for programs with an event loop."""

import asyncio
from typing import Unpack

from plansolve.formats import BoardLike
from plansolve.solvers.engine.solve import SolveOptions, solve
from plansolve.solvers.limits import LinkedEvent
from plansolve.solvers.result import Result

__all__ = ["solve_async"]


async def solve_async(problem: BoardLike, **options: Unpack[SolveOptions]) -> Result:
    """Return what `solve` returns, while the event loop goes on; the options are those of `solve`.

    `progress` is called from another thread. To cancel the task ends the engines.

    >>> import asyncio, plansolve
    >>> asyncio.run(plansolve.solve_async([[4, 1, 2], [0, 5, 3], [7, 8, 6]])).length
    5
    """
    # The caller's event may be that of other tasks too.
    cancel = LinkedEvent(options.get("cancel"))
    options["cancel"] = cancel
    work = asyncio.ensure_future(asyncio.to_thread(solve, problem, **options))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.set()
        # Whoever waits for the task shall find no engine at work.
        await asyncio.wait([work])
        raise
