"""The units of a search proof: paths of one length, each searched with all that is below it.

Every path from the start is cut off by its bound, pruned by a word, or passes through one of the
units. So there is no plan within the bound if there is none on the way to the units and none below
them.
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
"""The most moves of all units together; each takes eight bytes."""
_UNITS_AT_ONCE = 16


def frontier(tree: ProofTree, depth: int, is_unwanted: Unwanted = never) -> list[Path]:
    """Return the paths of `depth` moves in the order of the search.

    Raise `CheckFailed` if the goal is reached earlier, or the paths are too many, and
    `TimeoutError` once the work is unwanted.
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
    """Return the error for a plan that should not exist."""
    return CheckFailed(f"a plan of {counted(len(plan), 'move')}: {quote(_line(plan))}")


def units_text(moves: PlanMoves, paths: Sequence[Path]) -> str:
    """Return the list of units as a certificate holds it: the moves of one unit per line."""
    return "".join(f"{_line(moves.names(path))}\n" for path in paths)


def drawn(text: str, count: int, share: float) -> list[int]:
    """Return the numbers of a random share of the units, at least one if there are any.

    A hash of the list draws them, so that its author cannot choose which units are searched.
    """
    seed = sha256(text.encode()).hexdigest()
    ranks = sorted(range(count), key=lambda i: sha256(f"{seed} {i}".encode()).digest())
    wanted = min(count, max(1, -(-int(share * 1_000_000) * count // 1_000_000)))
    return sorted(ranks[:wanted])


def _line(plan: Plan) -> str:
    """Return names of one letter without spaces, others with spaces."""
    return ("" if all(len(name) == 1 for name in plan) else " ").join(plan)


def search_unit(tree: ProofTree, path: Path, is_unwanted: Unwanted = never) -> SearchedUnits | None:
    """Search all paths that continue one; return the number of boards entered and the plans found.

    It ends at the first plan if there should be none, and if there are too many plans to list.
    Return None if the search became unwanted before its end.
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
    """Search units, and yield finished ones; raise `TimeoutError` once the work is unwanted."""

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
