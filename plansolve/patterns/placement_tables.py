"""The tables of placements that searches of a puzzle use: added where that holds, else the largest
counts.
"""

import os

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import WORD_CELLS, Puzzle
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.partition import SumChooser
from plansolve.patterns.placement_build import table_length
from plansolve.patterns.placement_rules import PlacementRules, placement_rules
from plansolve.storage.store import Store, Tell
from plansolve.text import counted

__all__ = ["TableChoice", "build_placements", "table_choice"]

_WHOLE = 8_000_000
"""A table of all pieces that has no more entries knows every distance, so nothing is added."""

TableChoice = PlacementChooser | SumChooser


def table_choice(puzzle: Puzzle, rules: PlacementRules, memory: int | None = None) -> TableChoice:
    """The choice for a puzzle; `memory` bounds the bytes of all tables."""
    sums = SumChooser(puzzle, rules, memory)
    is_whole = table_length(rules, tuple(rules.classes)) <= _WHOLE
    if is_whole or len(sums.parts) < 2 or not sums.usual:
        return PlacementChooser(puzzle, rules, memory)
    return sums


def build_placements(problem: Problem, size: int | None, store: Store, tell: Tell) -> None:
    """Put the tables that proofs for a problem's rules use into the store."""
    rules = placement_rules(problem.puzzle)
    if rules is None:
        raise OptionError(
            f"no tables: the board has {cells} cells, and they go up to 64"
            if (cells := problem.puzzle.cells) > WORD_CELLS
            else "no tables: the goal places no piece"
        )
    choice = table_choice(problem.puzzle, rules)
    chosen = choice.usual if size is None else size
    if not choice.patterns(chosen):
        raise OptionError(
            f"no tables of {counted(chosen, 'piece')}: all those of one kind take more, try "
            f"{choice.usual}"
        )
    choice.lookups(chosen, store=store, tell=tell, threads=os.cpu_count() or 1)
