"""The exit codes, which are the same for every command."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plansolve.solvers.result import Result, StopReason

SOLVED = 0
REFUTED = 1
USAGE = 2
INTERNAL = 3
CONTRADICTION = 4
UNSOLVABLE = 11
GAVE_UP = 12
NO_PLAN_WITHIN_HORIZON = 13
MEMORY = 22
TIME = 23
INTERRUPTED = 130
BROKEN_PIPE = 141


def exit_code(result: "Result", optimal: bool) -> int:
    """Return the exit code for a result, given whether a proof of optimality was requested."""
    from plansolve.solvers.result import Status

    if result.status == Status.OPTIMAL and result.explanation:
        return GAVE_UP  # before all shortest plans were listed or counted
    if result.status == Status.OPTIMAL or (result.status == Status.FEASIBLE and not optimal):
        return SOLVED
    if result.status == Status.UNSOLVABLE:
        return UNSOLVABLE
    if result.status == Status.NO_PLAN_WITHIN_HORIZON:
        return NO_PLAN_WITHIN_HORIZON
    return code_without_answer(result.stop_reason)


def code_without_answer(reason: "StopReason") -> int:
    """Return the exit code for work that ended early, for this reason."""
    # `--help` needs the codes, and no results.
    from plansolve.solvers.result import StopReason

    codes = {
        StopReason.TIME: TIME,
        StopReason.MEMORY: MEMORY,
        StopReason.INTERRUPTED: INTERRUPTED,
        StopReason.CRASH: INTERNAL,
    }
    return codes.get(reason, GAVE_UP)
