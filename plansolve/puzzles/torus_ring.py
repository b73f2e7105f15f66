"""Torus-ring puzzles: rows and columns turn with wrap-around, rings turn both ways.

With the defaults this is the 5x5 "2023 puzzle" of Indiana University's CSCI B551; without rings
it is Loopover; with one-way rows and columns it is one of the course's older variants.
"""

from collections.abc import Iterator, Sequence
from reprlib import repr as brief
from typing import NamedTuple

from plansolve.errors import BoardError
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles import family

_RING_NAMES = ("outer", "inner")
"""The rings from the outside inwards; their moves begin with the capital letter."""

BOTH, STILL = "*", "-"

_METRICS = ("one-place", "any-distance")


class _Cycle(NamedTuple):
    """A cycle of cells, and the names of the moves along it and back; None if not allowed."""

    cells: Sequence[int]
    forward: str | None
    backward: str | None


def torus_ring(
    rows: int = 5, columns: int = 5, parameters: family.Parameters = family.NOTHING
) -> Puzzle:
    """Return the puzzle whose rows turn L and R, columns U and D, and rings c and cc.

    Raise `BoardError` if the letters for directions do not fit the board, or a ring has no cells to
    turn.
    """
    row_ways, column_ways = (parameters.get(side, "").upper() for side in ("rows", "columns"))
    rings = parameters.get("rings", "+".join(_RING_NAMES))
    is_any_distance = family.chosen_metric(parameters, _METRICS) != _METRICS[0]
    board = [range(row * columns, (row + 1) * columns) for row in range(rows)]
    cycles = (
        *_lines("R", "L", "row", row_ways, board),
        *_lines("D", "U", "column", column_ways, [*zip(*board, strict=True)]),
        *_rings(rows, columns, rings.split("+") if rings != "none" else ()),
    )
    return Puzzle(
        name=family.specified(
            "torus-ring",
            row_ways.strip(BOTH) and f"rows={row_ways}",
            column_ways.strip(BOTH) and f"columns={column_ways}",
            f"rings={rings}" if rings != "+".join(_RING_NAMES) else "",
            f"metric={_METRICS[1]}" if is_any_distance else "",
        ),
        rows=rows,
        columns=columns,
        goal=family.in_order(rows, columns),
        operators=tuple(
            operator for cycle in cycles for operator in _turns(cycle, is_any_distance)
        ),
        labels=tuple(map(str, range(rows * columns + 1))),
    )


def _lines(
    forward: str, backward: str, word: str, ways: str, lines: Sequence[Sequence[int]]
) -> Iterator[_Cycle]:
    """Yield the lines that turn; `ways` has a letter for each, or is empty if all go both ways."""
    ways = ways or BOTH * len(lines)
    allowed = f"{forward}{backward}{BOTH}{STILL}"
    if len(ways) != len(lines):
        raise BoardError(f"{brief(ways)}: a letter for each {word} is needed, {len(lines)} in all")
    for number, (way, cells) in enumerate(zip(ways, lines, strict=True), start=1):
        if way not in allowed:
            raise BoardError(f"{word} {number} cannot turn {way!r}: use one of {' '.join(allowed)}")
        if len(cells) > 1:
            yield _Cycle(
                cells,
                f"{forward}{number}" if way in (forward, BOTH) else None,
                f"{backward}{number}" if way in (backward, BOTH) else None,
            )


def _rings(rows: int, columns: int, rings: Sequence[str]) -> Iterator[_Cycle]:
    for ring in rings:
        if ring not in _RING_NAMES:
            raise BoardError(
                f"there is no ring {brief(ring)}: the rings are {' and '.join(_RING_NAMES)}"
            )
        depth = _RING_NAMES.index(ring)
        if min(rows, columns) < 2 * depth + 2:
            raise BoardError(f"a board of {rows}x{columns} has no {ring} ring that could turn")
        letter = ring[0].upper()
        yield _Cycle(family.ring_cells(rows, columns, depth), f"{letter}c", f"{letter}cc")


def _turns(cycle: _Cycle, is_any_distance: bool) -> Iterator[Operator]:
    """Yield the operators that move each tile one place along the cycle, or more: "R1x2" two."""
    length, both = len(cycle.cells), cycle.forward is not None and cycle.backward is not None
    most = (length // 2 if both else length - 1) if is_any_distance else 1
    for name, cells in ((cycle.forward, cycle.cells), (cycle.backward, cycle.cells[::-1])):
        if name is None:
            continue
        for places in range(1, most + 1):
            yield family.turn(f"{name}x{places}" if places > 1 else name, cells, places)


_WAYS = {
    "rows": "a letter for each row: L, R, * (both ways), - (fixed); default all *",
    "columns": "a letter for each column: U, D, *, -; default all *",
    "metric": "one-place (default), or any-distance: R1x2 turns by two places in one move",
}

TORUS_RING = family.Family(
    name="torus-ring",
    summary="the 5x5 2023 puzzle: rows, columns and rings turn; no blank",
    moves="R1.. L1.. D1.. U1.. turn a row or column, Oc Occ Ic Icc a ring",
    make=torus_ring,
    goals={"in-order": family.in_order},
    has_blank=False,
    parameters=_WAYS | {"rings": "outer+inner (default), outer, inner or none"},
    presets=(family.Preset("2023", 5, 5, moves=8),),
)

LOOPOVER = family.Family(
    name="loopover",
    summary="Loopover: rows and columns turn, no rings",
    moves="R1.. L1.. D1.. U1.. turn a row or column",
    make=lambda rows, columns, parameters: torus_ring(
        rows, columns, {**parameters, "rings": "none"}
    ),
    goals=TORUS_RING.goals,
    has_blank=False,
    parameters=_WAYS,
    presets=(family.Preset("Loopover", 5, 5, moves=8),),
)
