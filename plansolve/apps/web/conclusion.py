"""What a search has shown, in words: a headline, and a sentence that claims what is proved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plansolve.model.puzzle import Puzzle
from plansolve.solvers.result import Status, StopReason
from plansolve.solvers.result_text import fewest, penalty_name
from plansolve.text import at_least, counted

__all__ = ["Conclusion", "conclude", "conclude_without_result"]


@dataclass(frozen=True)
class Conclusion:
    """`tone` is "proved", "open" or "none" (no plan exists, or the search failed)."""

    headline: str
    sentence: str
    tone: str


def conclude(puzzle: Puzzle, result: Mapping[str, Any]) -> Conclusion:
    """Return the words for the result of a job."""
    lower, upper = result["lower"], result["upper"]
    if result["status"] == Status.UNSOLVABLE:
        return Conclusion("No plan exists", f"Proved: {result['explanation']}.", "none")
    if upper == 0:
        return Conclusion("Already solved", "The board is the goal.", "proved")
    by = f" ({result['lower_by']})" if result["lower_by"] else ""
    if result["status"] == Status.OPTIMAL:
        second = _penalty(puzzle, result)
        sentence = f"Proved: no plan has fewer moves{by}.{second}"
        return Conclusion(f"{counted(upper, 'move')}, the fewest possible", sentence, "proved")
    stopped = _STOPPED.get(result["stop_reason"], f"The search ended: {result['explanation']}.")
    if upper is not None:
        sentence = f"{stopped} {_sentence(at_least(lower))} moves{by}."
        return Conclusion(f"{counted(upper, 'move')}, not proved optimal", sentence, "open")
    sentence = (
        f"{stopped} Whether there is a plan is not known; if there is one, it has {lower} or more "
        f"moves{by}."
    )
    return Conclusion("No plan found yet", sentence, "open")


def conclude_without_result(message: str, lower: int) -> Conclusion:
    """Return the words for a job without a result, which had proved the bound `lower`."""
    bound = f" {_sentence(at_least(lower, 'move'))}." if lower > 0 else ""
    if message == "stopped":
        return Conclusion("No plan found yet", f"{_STOPPED[StopReason.INTERRUPTED]}{bound}", "open")
    return Conclusion("The search failed", f"{message}.{bound}", "none")


_STOPPED = {
    StopReason.INTERRUPTED: "The search was stopped.",
    StopReason.TIME: "The time is over.",
    StopReason.MEMORY: "The memory that a search may use is full.",
}


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _penalty(puzzle: Puzzle, result: Mapping[str, Any]) -> str:
    """Return the second key of the ranking, where the puzzle has one."""
    what = penalty_name(puzzle)
    if not what:
        return ""
    return f" It makes {result['penalty']} × {what}, {fewest(result['is_least_penalty'])}."  # noqa: RUF001
