"""Torus-ring puzzles: rows and columns turn with wrap-around, rings turn both ways.

With the defaults this is the 5x5 "2023 puzzle" of Indiana University's CSCI B551; without rings
it is Loopover; with one-way rows and columns it is one of the course's older variants.
"""

from collections.abc import Callable, Iterator
from reprlib import repr as brief
from types import MappingProxyType
from typing import NamedTuple

from plansolve.errors import BoardError
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_metric, in_order

_RING_NAMES = ("outer", "inner")
"""The rings from the outside inwards; their moves begin with the capital letter."""

BOTH, STILL = "*", "-"

_METRICS = ("one-place", "any-distance")


class _Cycle(NamedTuple):
    """Cells that turn, and the names of the moves along them and back; None where not allowed."""

    cells: list[int]
    forward: str | None
    backward: str | None


def torus_ring(
    rows: int = 5,
    columns: int = 5,
    *,
    row_ways: str = "",
    column_ways: str = "",
    rings: tuple[str, ...] = _RING_NAMES,
    is_any_distance: bool = False,
) -> Puzzle:
    """Return the puzzle whose rows go L and R, columns U and D, and rings c and cc.

    `row_ways` has a letter for each row: L or R for one way, * for both, - for a row that does
    not move; `column_ways` likewise with U and D. Empty means both ways for all. `rings` are the
    rings that turn. Where it `is_any_distance`, a line or ring turns by any number of cells in one
    move. Raise `BoardError` where the letters do not fit the board, or a ring has no cells to turn.
    """

    def row(index: int) -> list[int]:
        return [index * columns + c for c in range(columns)]

    def column(index: int) -> list[int]:
        return [r * columns + index for r in range(rows)]

    cycles = (
        *_lines("R", "L", "row", rows, row_ways, row),
        *_lines("D", "U", "column", columns, column_ways, column),
        *_rings(rows, columns, rings),
    )
    return Puzzle(
        name=_specification(row_ways, column_ways, rings, is_any_distance),
        rows=rows,
        columns=columns,
        goal=in_order(rows, columns),
        operators=tuple(
            operator for cycle in cycles for operator in _turns(cycle, is_any_distance)
        ),
        labels=tuple(map(str, range(rows * columns + 1))),
    )


def _specification(
    row_ways: str, column_ways: str, rings: tuple[str, ...], is_any_distance: bool
) -> str:
    """Return the name under which the registry builds the same rules again."""
    parameters = [
        *([f"rows={row_ways}"] if row_ways.strip(BOTH) else []),
        *([f"columns={column_ways}"] if column_ways.strip(BOTH) else []),
        *([f"rings={'+'.join(rings) or 'none'}"] if rings != _RING_NAMES else []),
        *([f"metric={_METRICS[1]}"] if is_any_distance else []),
    ]
    return "torus-ring" + (f":{','.join(parameters)}" if parameters else "")


def _lines(
    forward: str, backward: str, word: str, count: int, ways: str, cells: Callable[[int], list[int]]
) -> Iterator[_Cycle]:
    ways = ways or BOTH * count
    allowed = f"{forward}{backward}{BOTH}{STILL}"
    if len(ways) != count:
        raise BoardError(
            f"{brief(ways)} tells the ways of {len(ways)} {word}s, the board has {count}"
        )
    for index, way in enumerate(ways):
        if way not in allowed:
            raise BoardError(
                f"{word} {index + 1} cannot go {way!r}: use one of {' '.join(allowed)}"
            )
        cycle = cells(index)
        if len(cycle) > 1:
            yield _Cycle(
                cycle,
                f"{forward}{index + 1}" if way in (forward, BOTH) else None,
                f"{backward}{index + 1}" if way in (backward, BOTH) else None,
            )


def _rings(rows: int, columns: int, rings: tuple[str, ...]) -> Iterator[_Cycle]:
    for ring in rings:
        if ring not in _RING_NAMES:
            raise BoardError(
                f"there is no ring {brief(ring)}: the rings are {' and '.join(_RING_NAMES)}"
            )
        depth = _RING_NAMES.index(ring)
        top, left, bottom, right = depth, depth, rows - 1 - depth, columns - 1 - depth
        if top >= bottom or left >= right:
            raise BoardError(f"a {rows}x{columns} board has no {ring} ring that could turn")
        clockwise = (
            [top * columns + c for c in range(left, right)]
            + [r * columns + right for r in range(top, bottom)]
            + [bottom * columns + c for c in range(right, left, -1)]
            + [r * columns + left for r in range(bottom, top, -1)]
        )
        letter = ring[0].upper()
        yield _Cycle(clockwise, f"{letter}c", f"{letter}cc")


def _turns(cycle: _Cycle, is_any_distance: bool) -> Iterator[Operator]:
    """Yield the operators that move each tile one place along the cycle, or more: "R1x2" two."""
    length, both = len(cycle.cells), cycle.forward is not None and cycle.backward is not None
    most = (length // 2 if both else length - 1) if is_any_distance else 1
    for name, cells in ((cycle.forward, cycle.cells), (cycle.backward, cycle.cells[::-1])):
        if name is None:
            continue
        for places in range(1, most + 1):
            to = cells[places:] + cells[:places]
            called = f"{name}x{places}" if places > 1 else name
            yield Operator(called, tuple(zip(to, cells, strict=True)))


def _make(rows: int, columns: int, parameters: Parameters) -> Puzzle:
    rings = parameters.get("rings", "+".join(_RING_NAMES))
    metric = chosen_metric(parameters, _METRICS)
    return torus_ring(
        rows,
        columns,
        row_ways=parameters.get("rows", "").upper(),
        column_ways=parameters.get("columns", "").upper(),
        rings=() if rings == "none" else tuple(rings.split("+")),
        is_any_distance=metric != _METRICS[0],
    )


_WAYS = {
    "rows": "a letter for each row: L, R, * (both ways), - (fixed); default all *",
    "columns": "a letter for each column: U, D, *, -; default all *",
    "metric": "one-place (default), or any-distance: R1x2 turns by two places in one move",
}

TORUS_RING = Family(
    name="torus-ring",
    summary="the 5x5 2023 puzzle: rows, columns and rings turn; no blank",
    moves="R1.. L1.. D1.. U1.. turn a row or column, Oc Occ Ic Icc a ring",
    make=_make,
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    parameters=MappingProxyType(_WAYS | {"rings": "outer+inner (default), outer, inner or none"}),
    presets=(Preset("2023", 5, 5, moves=8),),
)

LOOPOVER = Family(
    name="loopover",
    summary="Loopover: rows and columns turn, no rings",
    moves="R1.. L1.. D1.. U1.. turn a row or column",
    make=lambda rows, columns, parameters: _make(rows, columns, {**parameters, "rings": "none"}),
    goals=TORUS_RING.goals,
    has_blank=False,
    parameters=MappingProxyType(_WAYS),
    presets=(Preset("Loopover", 5, 5, moves=8),),
)
