"""What a search has shown, in words: a headline, and a sentence that claims what is proved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plansolve.model.puzzle import Puzzle
from plansolve.solvers.result import Status, StopReason
from plansolve.text import counted

__all__ = ["Verdict", "verdict", "verdict_without_result"]


@dataclass(frozen=True)
class Verdict:
    """`tone` is "proved", "open" or "none" (no plan exists, or the search failed)."""

    headline: str
    sentence: str
    tone: str


def verdict(puzzle: Puzzle, result: Mapping[str, Any]) -> Verdict:
    """The words for the result of a job."""
    lower, upper = result["lower"], result["upper"]
    if result["status"] == Status.UNSOLVABLE:
        return Verdict("No plan exists", f"Proved: {result['explanation']}.", "none")
    if upper == 0:
        return Verdict("Already solved", "The board is the goal.", "proved")
    by = f" ({result['lower_by']})" if result["lower_by"] else ""
    if result["status"] == Status.OPTIMAL:
        second = _penalty(puzzle, result)
        sentence = f"Proved: no plan has fewer moves{by}.{second}"
        return Verdict(f"{counted(upper, 'move')}, the fewest possible", sentence, "proved")
    stopped = _STOPPED.get(result["stop_reason"], f"The search ended: {result['explanation']}.")
    if upper is not None:
        sentence = f"{stopped} Every plan has {lower} or more moves{by}."
        return Verdict(f"{counted(upper, 'move')}, not proved optimal", sentence, "open")
    sentence = (
        f"{stopped} Whether there is a plan is not known; if there is one, it has {lower} or more "
        f"moves{by}."
    )
    return Verdict("No plan found yet", sentence, "open")


def verdict_without_result(message: str, lower: int) -> Verdict:
    """The words where a job ended without a result; `lower` is the bound that it had proved."""
    bound = f" Every plan has {counted(lower, 'move')} or more." if lower > 0 else ""
    if message == "stopped":
        return Verdict("No plan found yet", f"{_STOPPED[StopReason.INTERRUPTED]}{bound}", "open")
    return Verdict("The search failed", f"{message}.{bound}", "none")


_STOPPED = {
    StopReason.INTERRUPTED: "The search was stopped.",
    StopReason.TIME: "The time is over.",
    StopReason.MEMORY: "The memory that a search may use is full.",
}


def _penalty(puzzle: Puzzle, result: Mapping[str, Any]) -> str:
    """The second key of the ranking, where the puzzle has one."""
    names = sorted({o.name for o in puzzle.operators if o.penalty})
    if not names:
        return ""
    proved = "the fewest" if result["is_least_penalty"] else "not proved the fewest"
    return f" It makes {result['penalty']} × {'/'.join(names)}, {proved}."  # noqa: RUF001
