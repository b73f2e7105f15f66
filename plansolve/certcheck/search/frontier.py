"""The units of a search proof: the paths of one length that are searched, each with all below it.

Every path from the start is cut off where its bound says so, is left out as a word tells, or goes
through one of the units. So there is no plan within the bound if none is met on the way to the
units, and none below any of them.
"""

import time
from collections.abc import Sequence
from hashlib import sha256

from plansolve.certcheck.options import CheckFailed
from plansolve.certcheck.search.moves import Path, PlanMoves
from plansolve.certcheck.search.path_state import DONE, GOAL, LEAF
from plansolve.certcheck.search.tree import ProofTree
from plansolve.model.puzzle import Plan
from plansolve.text import counted, quote

__all__ = ["MOST_UNITS", "drawn", "found_plan", "frontier", "units_text"]

MOST_UNITS = 100_000

_SLICE = 1 << 24


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
    while (status := tree.search(position, _SLICE, depth)) != DONE:
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
