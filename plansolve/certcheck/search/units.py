"""Search units of a search proof again, with several threads."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event

from plansolve.certcheck.certificate import MOST_PLANS
from plansolve.certcheck.options import SearchedUnits
from plansolve.certcheck.search.moves import Path
from plansolve.certcheck.search.path_state import DONE, GOAL, NODES
from plansolve.certcheck.search.tree import ProofTree
from plansolve.model.puzzle import Plan

__all__ = ["run_units", "search_unit"]

_SLICE = 1 << 21
"""Boards between two looks at the clock: a tenth of a second."""
_UNITS_AT_ONCE = 16


def search_unit(
    tree: ProofTree, path: Path, is_unwanted: Callable[[], bool] = lambda: False
) -> SearchedUnits | None:
    """Search all paths that go on from one; return how many boards were entered, and the plans met.

    It ends with the first plan where there should be none, and where they are too many to be
    listed. Return None where the search became unwanted before it was done.
    """
    position, plans = tree.position(path), list[Plan]()
    most = MOST_PLANS if tree.proof.every_plan else 0
    while not is_unwanted():
        status = tree.search(position, _SLICE, tree.proof.bound + 1)
        if status == GOAL:
            plans.append(tree.moves.names(tree.path(position)))
        if status == DONE or len(plans) > most:
            return SearchedUnits(1, int(position.numbers[NODES]), plans=tuple(plans))
    return None


def run_units(
    tree: ProofTree, paths: Sequence[Path], threads: int, deadline: float | None
) -> Iterator[SearchedUnits]:
    """Search units, and yield what was searched, some at a time; raise `TimeoutError`."""
    stop = Event()

    def is_unwanted() -> bool:
        return stop.is_set() or (deadline is not None and time.monotonic() >= deadline)

    def search(begin: int) -> SearchedUnits:
        part = paths[begin : begin + _UNITS_AT_ONCE]
        boards, plans = 0, list[Plan]()
        for path in part:
            found = search_unit(tree, path, is_unwanted)
            if found is None:
                raise TimeoutError("the deadline passed before all units were searched")
            boards += found.boards
            plans += found.plans
        return SearchedUnits(len(part), boards, plans=tuple(plans))

    with ThreadPoolExecutor(threads) as pool:
        try:
            parts = [pool.submit(search, n) for n in range(0, len(paths), _UNITS_AT_ONCE)]
            for done in as_completed(parts):
                yield done.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
