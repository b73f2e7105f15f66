"""Hungarian rings: balls in two rings that cross at two places, where they share a ball.

The classic has 20 balls a ring and four between the crossings, 38 in all: two colours of ten, two
of nine (Jaap Scherphuis, Jaap's Puzzle Page: Hungarian Rings). William Churchill's patent
US 507,215 of 1893 is the oldest known.

Boards have two lines, one a ring: the first begins with the ball at the upper crossing and goes on
anticlockwise along the left ring, the second begins with the ball at the lower crossing and goes on
along the right ring. In both the ball at the other crossing is left out.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import cos, dist, pi, sin
from types import MappingProxyType

from plansolve.errors import BoardError, OptionError
from plansolve.model.layout import CellLayout, Position
from plansolve.model.puzzle import Operator, Puzzle, State
from plansolve.puzzles.family import (
    LARGEST_SIDE,
    Family,
    Parameters,
    Preset,
    chosen_metric,
    chosen_number,
    in_order,
)
from plansolve.text import counted

_RING, _APART, _LEAST = 20, 5, 3
_METRICS = ("one-place", "any-distance")
_NUMBERS = "numbers"
_LABELS = (".", "R", "K", "Y", "B")
_COLOURS = ("#ffffff", "#cf3f36", "#3a3a3a", "#f0c233", "#3b74b8")
_SPACING = 1.08
"""From a ball to the next, in its own widths."""


def hungarian_rings(
    ring: int = _RING,
    apart: int = _APART,
    *,
    colours: int | None = None,
    is_any_distance: bool = False,
) -> Puzzle:
    """Return rings of so many balls whose crossings are `apart`, in so many places of a ring.

    L and R turn a ring clockwise by one place, L' and R' back; where it `is_any_distance`, L2 by
    two places, and so on. The balls are numbered unless there are 3 or 4 `colours`.
    """
    left, right = _rings(ring, apart)
    kinds = _LABELS if colours else tuple(map(str, range(2 * ring - 1)))
    return Puzzle(
        name=_specification(ring, apart, colours, is_any_distance),
        rows=2,
        columns=ring - 1,
        goal=_coloured(ring, apart, colours) if colours else in_order(2, ring - 1),
        operators=tuple(
            operator
            for name, cells in (("L", left), ("R", right))
            for operator in _turns(name, cells, ring // 2 if is_any_distance else 1)
        ),
        labels=kinds,
        layout=CellLayout(
            _positions(ring, apart),
            tuple(sorted({*_around(left), *_around(right)})),
            colours=_COLOURS if colours else (),
            round=True,
        ),
    )


def _rings(ring: int, apart: int) -> tuple[list[int], list[int]]:
    """Return the cells of both rings anticlockwise, from the upper and from the lower crossing.

    In both the other crossing follows the outer cells.
    """
    upper, lower, outside = 0, ring - 1, ring - apart
    left, right = ([first + place for place in range(1, ring - 1)] for first in (upper, lower))
    return (
        [upper, *left[: outside - 1], lower, *left[outside - 1 :]],
        [lower, *right[: outside - 1], upper, *right[outside - 1 :]],
    )


def _turns(name: str, cells: list[int], most: int) -> Iterator[Operator]:
    """Yield the turns by one place up to `most` clockwise, and back."""
    for sign, way in (("", cells[::-1]), ("'", cells)):
        for places in range(1, most + 1):
            to = way[places:] + way[:places]
            count = str(places) if places > 1 else ""
            yield Operator(f"{name}{count}{sign}", tuple(zip(to, way, strict=True)))


def _around(cells: list[int]) -> Iterator[tuple[int, int]]:
    """Yield each pair of neighbours on a ring."""
    for a, b in pairwise([*cells, cells[0]]):
        yield min(a, b), max(a, b)


def _coloured(ring: int, apart: int, colours: int) -> State:
    """Return the goal in colours: balls beside a crossing are of one, or all inner ones.

    With four colours, each crossing is in the middle of a row of one colour, which reaches to the
    other crossing; with three, the balls between the crossings and at them are of one colour.
    """
    red, black, yellow, blue = range(1, 5)
    inside, outside = apart - 1, ring - apart - 1
    if colours == 3:
        left = (yellow, *(red,) * outside, *(yellow,) * inside)
        right = (yellow, *(blue,) * outside, *(yellow,) * inside)
        return left + right
    rest = outside - inside
    left = (yellow, *(yellow,) * inside, *(red,) * rest, *(yellow,) * inside)
    right = (blue, *(blue,) * inside, *(black,) * rest, *(blue,) * inside)
    return left + right


def _positions(ring: int, apart: int) -> tuple[Position, ...]:
    """Return where the balls are, on circles that are large enough for none to lie on another."""
    half = pi * apart / ring
    # The unit circle around the left ring's centre; y goes up.
    left = [_on_circle(half + 2 * pi * place / ring) for place in range(ring)]
    outside = ring - apart
    own = [*left[1:outside], *left[outside + 1 :]]
    # Half a turn around the middle between the centres brings each ring to the other's place.
    between = 2 * cos(half)
    points = [left[0], *own, (between - left[0][0], -left[0][1])]
    points += [(between - x, -y) for x, y in own]
    size = _SPACING / min(dist(a, b) for a, b in combinations(points, 2))
    upper = max(y for _, y in points)
    leftmost = min(x for x, _ in points)
    return tuple((round(size * (x - leftmost), 3), round(size * (upper - y), 3)) for x, y in points)


def _on_circle(angle: float) -> Position:
    return cos(angle), sin(angle)


def _specification(ring: int, apart: int, colours: int | None, is_any_distance: bool) -> str:
    """Return the name under which the registry builds the same rules again."""
    parameters = [
        *([f"apart={apart}"] if apart != _APART else []),
        *([f"colours={colours}"] if colours else []),
        *([f"metric={_METRICS[1]}"] if is_any_distance else []),
    ]
    return "hungarian-rings" + (f":{','.join(parameters)}" if parameters else "")


def _in_colours(board: State, rows: int, columns: int, parameters: Parameters) -> State:
    """Return the board with colours for numbers, where it has some."""
    if (colours := _colours(parameters)) is None:
        return board
    coloured = _coloured(columns + 1, _apart(parameters, columns + 1), colours)
    return tuple(coloured[ball - 1] for ball in board)


def _apart(parameters: Parameters, ring: int) -> int:
    return chosen_number(
        parameters, "apart", _APART, 1, 2 * ring // 5, f"for rings of {ring} balls"
    )


def _colours(parameters: Parameters) -> int | None:
    colours = parameters.get("colours", _NUMBERS)
    if colours not in (_NUMBERS, "3", "4"):
        raise OptionError(f"colours={colours[:20]}: choose from {_NUMBERS}, 3, 4")
    return None if colours == _NUMBERS else int(colours)


def _make(rows: int, columns: int, parameters: Parameters) -> Puzzle:
    if rows != 2:
        raise BoardError(f"the board has {counted(rows, 'row')}, the rings two")
    if columns + 1 < _LEAST:
        raise BoardError(f"the rings have {columns + 1} balls: {_LEAST} are the least")
    ring = parameters.get("ring", str(columns + 1))
    if ring != str(columns + 1):
        raise BoardError(f"the rings have {columns + 1} balls, the puzzle {ring[:20]}")
    return hungarian_rings(
        columns + 1,
        _apart(parameters, columns + 1),
        colours=_colours(parameters),
        is_any_distance=chosen_metric(parameters, _METRICS) != _METRICS[0],
    )


HUNGARIAN_RINGS = Family(
    name="hungarian-rings",
    summary="Hungarian rings: balls in two rings that cross, a line for each ring",
    moves="L R turn a ring clockwise by one place, L' R' back",
    make=_make,
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    default_size=(2, _RING - 1),
    parameters=MappingProxyType(
        {
            "ring": f"the balls of a ring, {_LEAST} to {LARGEST_SIDE + 1}, by default {_RING}",
            "apart": "how far apart the rings cross, 5 by default, as in hungarian-rings:8,2",
            "colours": "numbers (default), or 3 or 4 colours: R red, K black, Y yellow, B blue",
            "metric": "one-place (default), or any-distance: L2 turns by two places in one move",
        }
    ),
    positional=("ring", "apart"),
    adapted=_in_colours,
    size_key="ring",
    least=_LEAST,
    most=LARGEST_SIDE + 1,
    shape=lambda ring: (2, ring - 1),
    presets=(Preset("Hungarian rings", 2, _RING - 1, moves=8, parameters="colours=4"),),
)
