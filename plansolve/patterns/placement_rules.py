"""The rules of any puzzle, in the form that tables of placements are built from.

Everything is told relative to the goal: a board is an *arrangement*, the goal cell (the *home*) of
what stands in each cell, and the goal is the identity.
"""

from dataclasses import dataclass

from plansolve.model.puzzle import BLANK, WORD_CELLS, Puzzle

__all__ = ["PlacementRules", "placement_rules"]


@dataclass(frozen=True)
class PlacementRules:
    """The distinct operators of a puzzle: what each does, and where it needs the blank.

    `destinations[o][cell]` is the cell that operator o takes a cell's content to, and `needs[o]`
    the cell in which the blank must be, or None. `home` is the blank's goal cell where some
    operator needs it anywhere, else None.
    """

    cells: int
    home: int | None
    destinations: tuple[tuple[int, ...], ...]
    needs: tuple[int | None, ...]


def placement_rules(puzzle: Puzzle) -> PlacementRules | None:
    """The puzzle's rules; None on more than 64 cells, for which no tables are made."""
    if puzzle.cells > WORD_CELLS:
        return None
    same = tuple(range(puzzle.cells))
    effects = dict.fromkeys(
        (operator.destinations(puzzle.cells), operator.blank) for operator in puzzle.operators
    )
    effective = [effect for effect in effects if effect[0] != same]
    needs = tuple(blank for _, blank in effective)
    home = puzzle.home[BLANK] if any(blank is not None for blank in needs) else None
    return PlacementRules(puzzle.cells, home, tuple(goes for goes, _ in effective), needs)
