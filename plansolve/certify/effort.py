"""How long SAT may take to refute every length below a plan's, told before it begins."""

from dataclasses import dataclass

from plansolve.encoders.registry import Encoding
from plansolve.formats.json_document import puzzle_entry
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import FAMILIES
from plansolve.solvers.result import Result

__all__ = ["Effort", "expected_effort"]

# Ten powers of ten more than a minute are enough.
_HOPELESS = 20


@dataclass(frozen=True)
class Effort:
    """The seconds to expect, within a factor of five, and what they are judged by."""

    seconds: float
    judged_by: str

    def __str__(self) -> str:
        """For people: a number with a unit, and why."""
        seconds = self.seconds
        if seconds < 90:
            return f"about {max(1, round(seconds))} s, {self.judged_by}"
        if seconds < 5400:
            return f"about {seconds / 60:.0f} minutes, {self.judged_by}"
        if seconds < 86400:
            return f"about {seconds / 3600:.0f} hours, {self.judged_by}"
        return f"more than a day, {self.judged_by}"


def expected_effort(result: Result, encoding: Encoding) -> Effort | None:
    """Return what refutations below the plan of `result` may cost; None where nothing tells.

    That is also so for boards of other sizes and rules than those that the figures come from.
    """
    if result.plan is None or result.problem is None or not _is_measured(result.problem.puzzle):
        return None
    last = len(result.plan) - 1
    if encoding.waste_of_a_minute is not None:
        waste = last - 1 - result.statistics.initial_bound
        seconds = 60.0 * 10 ** (min(waste - encoding.waste_of_a_minute, _HOPELESS) / 2)
        return Effort(seconds, f"to judge by the {waste} moves beyond the first bound")
    rounds = result.statistics.nodes_by_bound("idastar")
    if not rounds or encoding.seconds_by_nodes is None:
        return None
    nodes = sum(count for bound, count in rounds.items() if bound <= last)
    scale, power = encoding.seconds_by_nodes
    return Effort(scale * nodes**power, f"to judge by the {nodes:,} boards that IDA* has visited")


def _is_measured(puzzle: Puzzle) -> bool:
    """Whether figures were taken from such boards: a family's own, of its default size."""
    specification = puzzle_entry(puzzle)
    if not isinstance(specification, str):
        return False
    family = FAMILIES.get(specification)
    return (
        family is not None
        and family.is_measured
        and family.default_size == (puzzle.rows, puzzle.columns)
    )
