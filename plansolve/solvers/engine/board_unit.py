"""A whole board as a work unit."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, cast

from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS
from plansolve.solvers.engine.attempts import SolvedBoard, now
from plansolve.solvers.engine.solve import SolveOptions, solve
from plansolve.solvers.limits import LinkedEvent
from plansolve.solvers.processes.stopping import is_unwanted
from plansolve.solvers.protocol import Spread

__all__ = ["BoardUnit"]


@dataclass(frozen=True)
class BoardUnit:
    """One board, to be solved by whoever takes it; `options` are those of `solve`.

    `units` names the store for the finished units of a long proof. It and the event `cancel` are
    for threads of the process that has the store: they cannot be sent to another one.
    """

    problem: Problem
    options: Mapping[str, Any]
    cancel: Event | None = None
    units: Spread | None = None

    def run(self) -> SolvedBoard:
        """Solve the board, with one thread unless the options say more."""
        began = now()
        options = {"threads": 1, **self.options, "cancel": _Cancelled(self.cancel)}
        options["store"] = self.units
        is_free = all(options.get(name) is None for name in _FOR_FORMULAS)
        if is_free and options.get("engine", "auto") == "auto":
            options["engine"] = _for_one_of_many(self.problem)
        result = solve(self.problem, **cast(SolveOptions, options))
        # Who asked has the problem.
        return SolvedBoard(replace(result, problem=None), began)


_FOR_FORMULAS = {"backend", "bound", "encoding", "lemmas", "proofs"}


def _for_one_of_many(problem: Problem) -> str:
    """Return the engine for a board that is one of many, whose kernels are loaded once for all."""
    return "astar" if problem.puzzle.cells <= FEW_CELLS else "auto"


class _Cancelled(LinkedEvent):
    """Is set where nobody waits for this thread's work any more."""

    def is_set(self) -> bool:
        """Return whether the work is unwanted."""
        return is_unwanted() or super().is_set()
