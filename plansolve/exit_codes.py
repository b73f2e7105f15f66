"""What the command's exit code says; the same codes for every command."""

from plansolve.solvers.result import Result, Status, StopReason

__all__ = [
    "BROKEN_PIPE",
    "GAVE_UP",
    "INTERNAL",
    "INTERRUPTED",
    "MEMORY",
    "NO_PLAN_WITHIN_HORIZON",
    "REFUTED",
    "SOLVED",
    "TIME",
    "UNSOLVABLE",
    "USAGE",
    "code_without_answer",
    "exit_code",
]

SOLVED = 0
REFUTED = 1
USAGE = 2
INTERNAL = 3
UNSOLVABLE = 11
GAVE_UP = 12
NO_PLAN_WITHIN_HORIZON = 13
MEMORY = 22
TIME = 23
INTERRUPTED = 130
BROKEN_PIPE = 141

_CUT_SHORT = {
    StopReason.TIME: TIME,
    StopReason.MEMORY: MEMORY,
    StopReason.INTERRUPTED: INTERRUPTED,
    StopReason.CRASH: INTERNAL,
}


def exit_code(result: Result, optimal: bool) -> int:
    """Return the exit code for a result, given whether a proof of optimality was asked for."""
    if result.status == Status.OPTIMAL and result.explanation:
        return GAVE_UP  # before all shortest plans were listed or counted
    if result.status == Status.OPTIMAL or (result.status == Status.FEASIBLE and not optimal):
        return SOLVED
    if result.status == Status.UNSOLVABLE:
        return UNSOLVABLE
    if result.status == Status.NO_PLAN_WITHIN_HORIZON:
        return NO_PLAN_WITHIN_HORIZON
    return code_without_answer(result.stop_reason)


def code_without_answer(reason: StopReason) -> int:
    """Return the exit code for work that this has ended before it was done."""
    return _CUT_SHORT.get(reason, GAVE_UP)
