"""The tables of placements that searches of a puzzle use: added where that holds, else the largest
counts.
"""

from plansolve.model.puzzle import Puzzle
from plansolve.patterns.placement_build import table_length
from plansolve.patterns.placement_choice import PlacementChoice
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.patterns.placement_sums import SumChoice

__all__ = ["TableChoice", "table_choice"]

_WHOLE = 8_000_000
"""A table of all pieces that has no more entries knows every distance, so nothing is added."""

TableChoice = PlacementChoice | SumChoice


def table_choice(puzzle: Puzzle, rules: PlacementRules, memory: int | None = None) -> TableChoice:
    """The choice for a puzzle; `memory` bounds the bytes of all tables."""
    sums = SumChoice(puzzle, rules, memory)
    is_whole = table_length(rules, tuple(rules.classes)) <= _WHOLE
    if is_whole or len(sums.parts) < 2 or not sums.usual_size:
        return PlacementChoice(puzzle, rules, memory)
    return sums
