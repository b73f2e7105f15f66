"""The known optimum of a board: recorded in its manifest, proved earlier, or proved now.

Proved optima are kept in the user's cache folder, a file each under a hash of the rules, the goal
and the start. A file holds the plan, which is replayed before it is used; that no plan is shorter
is our own earlier proof, so the folder must be the user's alone. A file that is damaged, or of
another board, is ignored and made anew.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as brief

import numpy as np

from plansolve.analysis.solvability import why_unsolvable
from plansolve.bounds.registry import best_lower_bound
from plansolve.checker import check_plan
from plansolve.errors import BoardError
from plansolve.formats.json_document import problem_key
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.model.structure import raised_to_parity
from plansolve.records.board import Board
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Status
from plansolve.storage.folder import writable_folder
from plansolve.storage.store import Store, StoreKey
from plansolve.text import at_least, counted

EARLIER_PROOF = "an earlier proof"
"""The source of what was kept in the store."""

_KIND = "optimum"
_VERSION = 2
"""Raised when a proof of an earlier version should not be relied on."""
_LONGEST_PLAN = 1 << 20
"""In bytes of its file."""


@dataclass(frozen=True)
class Known:
    """The known optimum of a board before any program is judged.

    No plan has fewer than `lower_bound` moves; if `optimal_length` is not None it is the same
    number. `solvable` is None if neither a plan nor a proof of the contrary is known. `plan`
    is a legal plan, of the optimal length if that is known. `source` names who says so, `reason`
    tells why a board is unsolvable. With `is_recorded` the optimal length is a manifest's word, and
    not proved: its author may err, or lie.
    """

    lower_bound: int
    source: str
    optimal_length: int | None = None
    solvable: bool | None = None
    plan: Plan | None = None
    reason: str = ""
    is_recorded: bool = False

    @property
    def is_settled(self) -> bool:
        return self.optimal_length is not None or self.solvable is False


class OptimumStore:
    """Optimal plans that have been proved here, in a folder; None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._store = Store(folder, in_memory=folder is None)

    @classmethod
    def of_user(cls) -> "OptimumStore":
        """Return the store in the user's cache folder, or none if that cannot be used."""
        return cls(writable_folder("optima"))

    def read(self, problem: Problem) -> Plan | None:
        """Return the optimal plan that was kept for `problem`, replayed; None without one."""
        stored = self._store.load(_key(problem), _LONGEST_PLAN)
        try:
            plan = None if stored is None else json.loads(stored.tobytes())
        except (ValueError, RecursionError):
            return None
        if not isinstance(plan, list) or not all(isinstance(move, str) for move in plan):
            return None
        return tuple(plan) if check_plan(problem, plan).solves else None

    def write(self, problem: Problem, plan: Plan) -> None:
        """Keep an optimal plan; without a place to keep it, nothing happens."""
        # An optimum that cannot be kept is proved again next time.
        with suppress(OSError):
            data = np.frombuffer(json.dumps(plan).encode(), np.uint8)
            self._store.write(_key(problem), data)

    def forget(self, problem: Problem) -> None:
        """Delete the plan that was kept for a board, if there is one."""
        with suppress(OSError):
            self._store.remove(_key(problem).name)


def known_without_search(instance: Board, store: OptimumStore) -> Known:
    """Return what the manifest, the store and the structure of the puzzle say about a board.

    That there is no plan counts only with a proof, whatever a manifest says. Raise `BoardError`
    if the manifest gives a length that the board cannot have, or another than was proved here.
    """
    problem, length = instance.problem, instance.optimal_length
    reason = why_unsolvable(problem)
    if reason is not None and length is not None:
        raise BoardError(
            f"{instance.name}: optimal_length is {length}, but the board is unsolvable: {reason}"
        )
    if reason is not None:
        return Known(0, "its structure", solvable=False, reason=reason)
    kept = store.read(problem)
    bound = 0 if length is None else _check_length(instance.name, problem, length, kept)
    if kept is not None and len(kept) > bound:
        return Known(len(kept), EARLIER_PROOF, len(kept), True, kept)
    if length is not None:
        return Known(length, "the manifest", length, True, kept, is_recorded=length > bound)
    if problem.is_solved:
        return Known(0, "the goal itself", 0, True, ())
    return bounds_alone(problem)


def bounds_alone(problem: Problem) -> Known:
    """Return what no manifest and no search is needed for."""
    return Known(_lower_bound(problem), "a lower bound")


def _check_length(name: str, problem: Problem, length: int, kept: Plan | None) -> int:
    """Return a lower bound; raise `BoardError` for a length that the board cannot have."""
    parity = problem.structure.plan_parity(problem.start)
    bound = _lower_bound(problem)
    if kept is not None and len(kept) != length:
        why = f"a plan of {counted(len(kept), 'move')} was proved optimal here"
    elif length < bound:
        why = at_least(bound, "move")
    elif parity not in (None, length % 2):
        why = f"every plan has an {'odd' if parity else 'even'} number of moves"
    elif problem.is_solved != (length == 0):
        why = f"the board is {'' if problem.is_solved else 'not '}the goal"
    else:
        return bound
    raise BoardError(f"{name}: optimal_length is {brief(length)}, but {why}")


def prove_optimum(
    problem: Problem, known: Known, store: OptimumStore, *, time_limit: float, workers: Workers
) -> Known:
    """Return what `known` becomes by a search of at most `time_limit` seconds; a proof is kept.

    Raise `KeyboardInterrupt` if the search was interrupted, and what `solve` raises.
    """
    result = solve(problem, optimal=True, time_limit=time_limit, workers=workers)
    if result.status == Status.OPTIMAL and result.plan is not None:
        store.write(problem, result.plan)
    result.unless_interrupted()
    if result.status == Status.UNSOLVABLE:
        return Known(0, "a search", solvable=False, reason=result.explanation)
    bound = max(known.lower_bound, result.lower_bound or 0)
    if result.plan is None:
        return Known(bound, "a search")
    length = len(result.plan) if result.status == Status.OPTIMAL else None
    return Known(bound, "a search", length, True, result.plan)


def _lower_bound(problem: Problem) -> int:
    parity = problem.structure.plan_parity(problem.start)
    return raised_to_parity(best_lower_bound(problem).value, parity)


def _key(problem: Problem) -> StoreKey:
    """Return a hash of everything that decides the length of a shortest plan."""
    puzzle = problem.puzzle
    content = {"problem": problem_key(problem), "version": _VERSION}
    return StoreKey(_KIND, f"{puzzle.rows}x{puzzle.columns}", content)
