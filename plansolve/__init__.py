r"""plansolve finds provably shortest plans for tile puzzles.

>>> import plansolve
>>> result = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
>>> print(result)
5 moves, proved shortest: DLLUU
>>> result.plan == ("D", "L", "L", "U", "U")
True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plansolve.certify.certify import certify
    from plansolve.checker import Verdict
    from plansolve.claims.certificate import check_certificate
    from plansolve.claims.claim import Verification, verify
    from plansolve.claims.replayed import check_plan
    from plansolve.errors import (
        BoardError,
        EngineError,
        GoalError,
        InputError,
        InternalError,
        OptionError,
        PlanError,
        PlansolveError,
        ProofError,
        ResultError,
        WrongTypeError,
    )
    from plansolve.formats import BoardLike, format_plan, read_plan, read_problem
    from plansolve.model.problem import Problem
    from plansolve.model.puzzle import Operator, Plan, Puzzle, State
    from plansolve.puzzles.registry import make_puzzle
    from plansolve.replay.notebook import show
    from plansolve.solvers.engine.progress import Event
    from plansolve.solvers.engine.solve import solve
    from plansolve.solvers.engine.solve_async import solve_async
    from plansolve.solvers.engine.solve_many import solve_many
    from plansolve.solvers.processes.workers import Workers
    from plansolve.solvers.result import Result, Status, StopReason

__all__ = [
    "BoardError",
    "BoardLike",
    "EngineError",
    "Event",
    "GoalError",
    "InputError",
    "InternalError",
    "Operator",
    "OptionError",
    "Plan",
    "PlanError",
    "PlansolveError",
    "Problem",
    "ProofError",
    "Puzzle",
    "Result",
    "ResultError",
    "State",
    "Status",
    "StopReason",
    "Verdict",
    "Verification",
    "Workers",
    "WrongTypeError",
    "certify",
    "check_certificate",
    "check_plan",
    "format_plan",
    "make_puzzle",
    "read_plan",
    "read_problem",
    "show",
    "solve",
    "solve_async",
    "solve_many",
    "verify",
]

_MODULES = {
    "plansolve.checker": ("Verdict",),
    "plansolve.claims.replayed": ("check_plan",),
    "plansolve.errors": (
        "BoardError",
        "EngineError",
        "GoalError",
        "InputError",
        "InternalError",
        "OptionError",
        "PlanError",
        "PlansolveError",
        "ProofError",
        "ResultError",
        "WrongTypeError",
    ),
    "plansolve.formats": ("BoardLike", "format_plan", "read_plan", "read_problem"),
    "plansolve.model.problem": ("Problem",),
    "plansolve.model.puzzle": ("Operator", "Plan", "Puzzle", "State"),
    "plansolve.certify.certify": ("certify",),
    "plansolve.claims.certificate": ("check_certificate",),
    "plansolve.puzzles.registry": ("make_puzzle",),
    "plansolve.replay.notebook": ("show",),
    "plansolve.solvers.processes.workers": ("Workers",),
    "plansolve.solvers.engine.progress": ("Event",),
    "plansolve.solvers.result": ("Result", "Status", "StopReason"),
    "plansolve.solvers.engine.solve": ("solve",),
    "plansolve.solvers.engine.solve_async": ("solve_async",),
    "plansolve.solvers.engine.solve_many": ("solve_many",),
    "plansolve.claims.claim": ("Verification", "verify"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    # Imported when first used, so that `plansolve --help` does not load every engine.
    if name == "__version__":
        return import_module("importlib.metadata").version("plansolve")
    if name not in _HOME:
        raise AttributeError(f"module 'plansolve' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    # Tab in a notebook shows what is public, imported or not.
    return sorted({*globals(), *__all__, "__version__"})
