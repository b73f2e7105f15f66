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
    from plansolve.checker import Verdict
    from plansolve.claims.certificate import check_certificate
    from plansolve.claims.certify import certify
    from plansolve.claims.claim import Verification, verify
    from plansolve.claims.diagnosis import check_plan
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
    from plansolve.instances.batch import solve_many
    from plansolve.model.problem import Problem
    from plansolve.model.puzzle import Operator, Plan, Puzzle, State
    from plansolve.puzzles.registry import make_puzzle
    from plansolve.replay.page import show
    from plansolve.solvers.engine.solve import solve, solve_async
    from plansolve.solvers.processes.workers import Workers
    from plansolve.solvers.protocol import Event
    from plansolve.solvers.result import Result, Status, StopReason

__all__ = [
    "BoardError", "BoardLike", "EngineError", "Event", "GoalError", "InputError",
    "InternalError", "Operator", "OptionError", "Plan", "PlanError", "PlansolveError",
    "Problem", "ProofError", "Puzzle", "Result", "ResultError", "State", "Status",
    "StopReason", "Verdict", "Verification", "Workers", "WrongTypeError", "certify",
    "check_certificate", "check_plan", "format_plan", "make_puzzle", "read_plan",
    "read_problem", "show", "solve", "solve_async", "solve_many", "verify",
]  # fmt: skip

_MODULES = {
    "plansolve.checker": "Verdict",
    "plansolve.claims.certificate": "check_certificate",
    "plansolve.claims.certify": "certify",
    "plansolve.claims.claim": "Verification verify",
    "plansolve.claims.diagnosis": "check_plan",
    "plansolve.errors": "BoardError EngineError GoalError InputError InternalError OptionError "
    "PlanError PlansolveError ProofError ResultError WrongTypeError",
    "plansolve.formats": "BoardLike format_plan read_plan read_problem",
    "plansolve.instances.batch": "solve_many",
    "plansolve.model.problem": "Problem",
    "plansolve.model.puzzle": "Operator Plan Puzzle State",
    "plansolve.puzzles.registry": "make_puzzle",
    "plansolve.replay.page": "show",
    "plansolve.solvers.engine.solve": "solve solve_async",
    "plansolve.solvers.processes.workers": "Workers",
    "plansolve.solvers.protocol": "Event",
    "plansolve.solvers.result": "Result Status StopReason",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    # Imported when first used, so that `plansolve --help` does not load every engine.
    if name == "__version__":
        return import_module("importlib.metadata").version("plansolve")
    if name not in _HOME:
        raise AttributeError(f"module 'plansolve' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    # Tab in a notebook shows what is public, imported or not.
    return sorted([*__all__, "__version__"])
