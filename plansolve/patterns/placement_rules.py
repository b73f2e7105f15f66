"""The rules of any puzzle, in the form that tables of placements are built from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from plansolve.model.puzzle import BLANK, OPEN, WORD_CELLS, Puzzle

__all__ = ["PieceClass", "PlacementRules", "placement_rules"]


class PieceClass(NamedTuple):
    """Pieces that are alike: so many, with these goal cells; the rest end in cells left open."""

    homes: tuple[int, ...]
    copies: int


@dataclass(frozen=True)
class PlacementRules:
    """The distinct operators of a puzzle, what each needs, and its pieces by their kind.

    `destinations[o][cell]` is the cell that operator o takes a cell's content to, and `needs[o]`
    the cell in which the blank must be, or None; `blank` is None where none needs it. `classes` has
    each other kind that has a goal cell, and `open` are the cells that the goal leaves open.
    """

    cells: int
    destinations: tuple[tuple[int, ...], ...]
    needs: tuple[int | None, ...]
    blank: PieceClass | None
    classes: Mapping[int, PieceClass]
    open: tuple[int, ...]


def placement_rules(puzzle: Puzzle) -> PlacementRules | None:
    """The puzzle's rules; None where no tables are made.

    These are boards of more than 64 cells, and goals that place no piece but the blank.
    """
    if puzzle.cells > WORD_CELLS:
        return None
    same = tuple(range(puzzle.cells))
    effects = dict.fromkeys(
        (operator.destinations(puzzle.cells), operator.blank) for operator in puzzle.operators
    )
    effective = [effect for effect in effects if effect[0] != same]
    needs = tuple(blank for _, blank in effective)
    classes = {
        kind: PieceClass(
            tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == kind),
            puzzle.pieces.count(kind),
        )
        for kind in puzzle.kinds
    }
    blank = classes.pop(BLANK, None)
    placed = {kind: own for kind, own in classes.items() if own.homes}
    if not placed:
        return None
    return PlacementRules(
        puzzle.cells,
        tuple(goes for goes, _ in effective),
        needs,
        blank if any(need is not None for need in needs) else None,
        placed,
        tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == OPEN),
    )
