"""A board and what is known of it, as one line for people and as fields for programs."""

from typing import Any

from plansolve.formats.identity import goal_in
from plansolve.records.rows import AttemptRow, BoardResult
from plansolve.text import PROVED, at_least, counted

COLUMNS = (
    "set",
    "name",
    "puzzle",
    "goal",
    "status",
    "length",
    "lower_bound",
    "recorded_length",
    "engine",
    "lower_bound_by",
    "upper_bound_by",
    "stop_reason",
    "seconds",
    "nodes",
    "conflicts",
    "host",
    "began",
    "version",
    "error",
    "plan",
)
"""The columns of a table of boards, and the keys of a row's JSON object."""


def fields_of(result: BoardResult) -> dict[str, Any]:
    """Return the values of `COLUMNS`; None where nothing is known."""
    board, attempt = result.board, result.attempt
    fields: dict[str, Any] = dict.fromkeys(COLUMNS)
    if attempt is not None:
        fields |= {name: value for name, value in vars(attempt).items() if name in fields}
    return fields | {
        "set": board.set_name,
        "name": board.name,
        "puzzle": result.problem.puzzle,
        "goal": goal_in(result.problem.text),
        "recorded_length": board.recorded_length,
        "status": "not attempted" if attempt is None else attempt.status,
    }


def attempt_text(attempt: AttemptRow, goal: str) -> str:
    """Return what came of an attempt, in the words that `solve` uses, and for which goal."""
    moves, bound = counted(attempt.length or 0, "move"), at_least(attempt.lower_bound, "move")
    match attempt.status:
        case "optimal":
            return f"{moves} to {goal}, {PROVED}"
        case "feasible":
            least = at_least(attempt.lower_bound)
            return f"{moves} to {goal}, not {PROVED} ({attempt.error}): {least}"
        case "unsolvable":
            return f"unsolvable to {goal}: {attempt.error}"
        case "no plan within horizon":
            return f"proved: {bound} to {goal}"
        case "unknown":
            return f"gave up ({attempt.error}), no plan to {goal} yet: {bound}"
    return f"failed: {attempt.error}"
