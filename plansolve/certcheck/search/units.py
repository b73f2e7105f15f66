"""The units of a search proof: the paths of one length that are searched, each with all below it.

Every path from the start is cut off where its bound says so, is left out as a word tells, or goes
through one of the units. So there is no plan within the bound if none is met on the way to the
units, and none below any of them.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from plansolve.certcheck.certificate import MOST_PLANS
from plansolve.certcheck.clauses import Array
from plansolve.certcheck.options import CheckFailed, SearchedUnits
from plansolve.certcheck.search.moves import Path, PlanMoves
from plansolve.certcheck.search.search_kernel import DONE, GOAL, LEAF, NODES
from plansolve.certcheck.search.tree import ProofTree
from plansolve.certcheck.threads import Unwanted, in_threads, never, while_wanted
from plansolve.model.puzzle import Plan
from plansolve.text import counted, quote

MOST_UNITS = 100_000

_MOST_MOVES = 1 << 24
"""Of all units together; each takes eight bytes."""
_UNITS_AT_ONCE = 16


def frontier(tree: ProofTree, depth: int, is_unwanted: Unwanted = never) -> list[Path]:
    """Return the paths of `depth` moves in the order in which they are met.

    Raise `CheckFailed` where the goal is met before, and for too many, and `TimeoutError` where it
    is unwanted.
    """
    root: Path = (tree.moves.start,)
    if tree.problem.is_solved:
        raise found_plan(())
    if not depth:
        return [root]
    position, paths = tree.position(root), list[Path]()
    most = min(MOST_UNITS, _MOST_MOVES // depth)
    statuses = iter(lambda: tree.search(position, tree.slice, depth), DONE)
    for status in while_wanted(statuses, is_unwanted):
        if status == GOAL:
            raise found_plan(tree.moves.names(tree.path(position)))
        if status == LEAF:
            paths.append(tree.path(position))
            if len(paths) > most:
                raise CheckFailed(f"more than {most:,} units of {depth} moves")
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


def search_unit(tree: ProofTree, path: Path, is_unwanted: Unwanted = never) -> SearchedUnits | None:
    """Search all paths that go on from one; return how many boards were entered, and the plans met.

    It ends with the first plan where there should be none, and where they are too many to be
    listed. Return None where the search became unwanted before it was done.
    """
    position, plans = tree.position(path), list[Plan]()
    most = MOST_PLANS if tree.proof.every_plan else 0
    while not is_unwanted():
        status = tree.search(position, tree.slice, tree.proof.bound + 1)
        if status == GOAL:
            plans.append(tree.moves.names(tree.path(position)))
        if status == DONE or len(plans) > most:
            return SearchedUnits(1, int(position.numbers[NODES]), plans=tuple(plans))
    return None


def run_units(
    tree: ProofTree, paths: Sequence[Path], threads: int, is_unwanted: Unwanted = never
) -> Iterator[SearchedUnits]:
    """Search units, and yield what was searched, some at a time; raise `TimeoutError`."""

    def search(begin: int, stop: Array) -> SearchedUnits:
        part = paths[begin : begin + _UNITS_AT_ONCE]
        boards, plans = 0, list[Plan]()
        for path in part:
            found = search_unit(tree, path, lambda: bool(stop[0]) or is_unwanted())
            if found is None:
                raise TimeoutError("the deadline passed before all units were searched")
            boards += found.boards
            plans += found.plans
        return SearchedUnits(len(part), boards, plans=tuple(plans))

    yield from in_threads(search, range(0, len(paths), _UNITS_AT_ONCE), threads, is_unwanted)
