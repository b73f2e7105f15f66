"""The layout among the rules of a puzzle: {"positions": [[0, 0], [1.5, 0]], "edges": [[0, 1]]}.

It may also have `holes`, the cells that are not drawn, the `colours` of the pieces by their kinds,
and `round`, true for balls.
"""

from typing import Any

from plansolve.errors import BoardError
from plansolve.model.layout import LARGEST_POSITION, CellLayout, Position

__all__ = ["layout_rules", "read_layout"]

_KEYS = {"positions", "edges", "holes", "colours", "round"}


def read_layout(value: object) -> CellLayout | None:
    """Return the layout, whose positions and edges are numbers; raise `BoardError` otherwise.

    Whether they fit a puzzle is `Puzzle`'s to check.
    """
    if value is None:
        return None
    if not isinstance(value, dict) or not {"positions"} <= set(value) <= _KEYS:
        raise BoardError('layout: an object {"positions": ..., "edges": ...} is expected')
    positions = tuple(_position(pair) for pair in _pairs(value["positions"], "positions"))
    edges = tuple(_edge(pair) for pair in _pairs(value.get("edges", []), "edges"))
    holes, colours = value.get("holes", []), value.get("colours", [])
    if not isinstance(holes, list) or not all(type(cell) is int for cell in holes):
        raise BoardError("layout: holes: a list of cells, which count from 0, is expected")
    if not isinstance(colours, list) or not all(isinstance(colour, str) for colour in colours):
        raise BoardError("layout: colours: a list of colours like #ff8800 is expected")
    are_round = value.get("round", False)
    if not isinstance(are_round, bool):
        raise BoardError("layout: round: true or false is expected")
    return CellLayout(positions, edges, tuple(holes), tuple(colours), are_round)


def layout_rules(layout: CellLayout) -> dict[str, Any]:
    """Return the object that `read_layout` makes `layout` of."""
    others = {key: getattr(layout, key) for key in ("edges", "holes", "colours", "round")}
    return {"positions": layout.positions} | {key: given for key, given in others.items() if given}


def _pairs(value: object, what: str) -> list[list[Any]]:
    if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 for p in value):
        raise BoardError(f"layout: {what}: a list of pairs is expected")
    return value


def _position(pair: list[Any]) -> Position:
    for number in pair:
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if not is_number or not 0 <= number <= LARGEST_POSITION:
            raise BoardError(
                f"layout: a position is two numbers from 0 to {LARGEST_POSITION}, right and down"
            )
    return pair[0], pair[1]


def _edge(pair: list[Any]) -> tuple[int, int]:
    if not all(type(cell) is int for cell in pair):
        raise BoardError("layout: an edge is a pair of cells, which count from 0")
    return pair[0], pair[1]
