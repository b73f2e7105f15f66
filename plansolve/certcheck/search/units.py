"""The units of a search proof: the paths of one length that are searched, each with all below it.

Every path from the start is cut off where its bound says so, is left out as a word tells, or goes
through one of the units. So there is no plan within the bound if none is met on the way to the
units, and none below any of them.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from threading import Event

from plansolve.certcheck.certificate import MOST_PLANS
from plansolve.certcheck.options import CheckFailed, SearchedUnits
from plansolve.certcheck.search.moves import Path, PlanMoves
from plansolve.certcheck.search.search_kernel import DONE, GOAL, LEAF, NODES
from plansolve.certcheck.search.tree import ProofTree
from plansolve.model.puzzle import Plan
from plansolve.text import counted, quote

MOST_UNITS = 100_000

_BOARDS_AT_ONCE = 1 << 24
_SLICE = 1 << 21
"""Boards between two looks at the clock: a tenth of a second."""
_UNITS_AT_ONCE = 16


def frontier(tree: ProofTree, depth: int, deadline: float | None = None) -> list[Path]:
    """Return the paths of `depth` moves in the order in which they are met.

    Raise `CheckFailed` where the goal is met before, and for too many, and `TimeoutError` at the
    deadline.
    """
    root: Path = (tree.moves.start,)
    if tree.problem.is_solved:
        raise found_plan(())
    if not depth:
        return [root]
    position, paths = tree.position(root), list[Path]()
    while (status := tree.search(position, _BOARDS_AT_ONCE, depth)) != DONE:
        if status == GOAL:
            raise found_plan(tree.moves.names(tree.path(position)))
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError("the deadline passed before the search was cut into units")
        if status == LEAF:
            paths.append(tree.path(position))
            if len(paths) > MOST_UNITS:
                raise CheckFailed(f"more than {MOST_UNITS:,} units of {depth} moves")
    return paths


def found_plan(plan: Plan) -> CheckFailed:
    """Return the error that says of a plan that it should not be there."""
    return CheckFailed(f"a plan of {counted(len(plan), 'move')}: {quote(_line(plan))}")


def units_text(moves: PlanMoves, paths: Sequence[Path]) -> str:
    """Return the list of units as a certificate holds it: the moves of each on a line."""
    return "".join(f"{_line(moves.names(path))}\n" for path in paths)


def drawn(text: str, count: int, share: float) -> list[int]:
    """Return the numbers of the units that are drawn as a share of all, at least one if there are.

    The list itself draws them: whoever writes one cannot choose which units will be searched.
    """
    seed = sha256(text.encode()).hexdigest()
    ranks = sorted(range(count), key=lambda i: sha256(f"{seed} {i}".encode()).digest())
    wanted = min(count, max(1, -(-int(share * 1_000_000) * count // 1_000_000)))
    return sorted(ranks[:wanted])


def _line(plan: Plan) -> str:
    """Return names of one letter run together, others between spaces."""
    return ("" if all(len(name) == 1 for name in plan) else " ").join(plan)


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
