"""The child processes that calls of `solve` share where they are given no `workers`."""

import atexit
import os
import time

from plansolve.solvers.limits import cores
from plansolve.solvers.processes.child import Child, surroundings
from plansolve.solvers.processes.workers import Workers

__all__ = ["shared_workers"]

_MOST_HELD = 512 << 20
"""The bytes that an idle child may hold, besides mapped tables: ten engines of a 15-puzzle."""


class _SharedWorkers(Workers):
    """Workers that nobody ends: few are idle, for some minutes, and none with a lot of memory.

    A child is used again only while environment, folder and module path are those with which it
    started.
    """

    _IDLE_SECONDS = 240.0

    def give_back(self, child: Child) -> None:
        """Take back a child that has said that it is done, or end it where enough are kept."""
        if len(self._idle) < max(4, 2 * cores()) and child.own_memory() <= _MOST_HELD:
            super().give_back(child)
        else:
            child.end()

    def _is_fit(self, child: Child) -> bool:
        # It ends by itself after all of that time.
        is_ready = time.monotonic() - child.idle_since < self._IDLE_SECONDS / 2
        return is_ready and child.surroundings == surroundings() and super()._is_fit(child)


_pools: dict[int, _SharedWorkers] = {}


def shared_workers() -> Workers:
    """Return this process's shared workers; they end with it.

    A fork of this process has workers of its own: two that speak with one child would understand
    nothing.
    """
    # To set a default is one step for all threads, and takes no lock that a fork could find taken.
    return _pools.setdefault(os.getpid(), _SharedWorkers())


def _end() -> None:
    if pool := _pools.get(os.getpid()):
        pool.end()


atexit.register(_end)
