"""Hungarian rings: balls in two rings that cross at two places, where they share a ball.

The classic has 20 balls per ring and four between the crossings, 38 in all: two colours of ten, two
of nine (Jaap Scherphuis, Jaap's Puzzle Page: Hungarian Rings). The oldest known version is William
Churchill's patent US 507,215 of 1893.

Boards have two lines, one per ring: the first begins with the ball at the upper crossing and goes
anticlockwise along the left ring, the second begins with the ball at the lower crossing and goes
along the right ring. Each line omits the ball at the other crossing.
"""

from cmath import rect
from itertools import combinations, pairwise
from math import cos, pi

from plansolve.errors import BoardError, OptionError
from plansolve.model.layout import CellLayout, Position
from plansolve.model.puzzle import Puzzle, State
from plansolve.puzzles import family
from plansolve.text import counted

_RING, _APART, _LEAST = 20, 5, 3
_METRICS = ("one-place", "any-distance")
_NUMBERS = "numbers"
_LABELS = (".", "R", "K", "Y", "B")
_COLOURS = ("#ffffff", "#cf3f36", "#3a3a3a", "#f0c233", "#3b74b8")
_SPACING = 1.08
"""The distance between neighbouring balls, in their diameters."""


def _hungarian_rings(rows: int, columns: int, parameters: family.Parameters) -> Puzzle:
    """Return the puzzle of two rings of `columns` + 1 balls.

    L and R turn a ring clockwise by one place, L' and R' back; L2 turns it by two places, and so
    on, if any distance is one move.
    """
    if rows != 2:
        raise BoardError(f"the board has {counted(rows, 'row')}, not one for each ring")
    if (ring := columns + 1) < _LEAST:
        raise BoardError(f"the rings have {ring} balls: at least {_LEAST} are needed")
    if (wanted := parameters.get("ring", str(ring))) != str(ring):
        raise BoardError(f"the rings have {ring} balls, not {wanted[:20]}")
    apart, colours = _apart(parameters, ring), _colours(parameters)
    is_any_distance = family.chosen_metric(parameters, _METRICS) != _METRICS[0]
    rings = dict(zip("LR", _rings(ring, apart), strict=True))
    edges = {(min(pair), max(pair)) for own in rings.values() for pair in pairwise((*own, own[0]))}
    return Puzzle(
        name=family.specified(
            "hungarian-rings",
            f"apart={apart}" if apart != _APART else "",
            f"colours={colours}" if colours else "",
            f"metric={_METRICS[1]}" if is_any_distance else "",
        ),
        rows=2,
        columns=columns,
        goal=_coloured(ring, apart, colours) if colours else family.in_order(2, columns),
        operators=tuple(
            family.turn(f"{name}{places if places > 1 else ''}{sign}", cells, places)
            for name, own in rings.items()
            for sign, cells in (("", own[::-1]), ("'", own))
            for places in range(1, ring // 2 + 1 if is_any_distance else 2)
        ),
        labels=_LABELS if colours else tuple(map(str, range(2 * ring - 1))),
        layout=CellLayout(
            _positions(ring, apart),
            tuple(sorted(edges)),
            colours=_COLOURS if colours else (),
            round=True,
        ),
    )


def _rings(ring: int, apart: int) -> tuple[list[int], list[int]]:
    """Return the cells of both rings anticlockwise, from the upper and from the lower crossing.

    In both, the other crossing follows the outer cells.
    """
    upper, lower, outside = 0, ring - 1, ring - apart
    left, right = ([first + place for place in range(1, ring - 1)] for first in (upper, lower))
    return (
        [upper, *left[: outside - 1], lower, *left[outside - 1 :]],
        [lower, *right[: outside - 1], upper, *right[outside - 1 :]],
    )


def _coloured(ring: int, apart: int, colours: int) -> State:
    """Return the goal in three or four colours.

    With four colours, each crossing is in the middle of a row of one colour, which reaches to the
    other crossing; with three, the balls between the crossings and at them are of one colour.
    """
    red, black, yellow, blue = range(1, 5)
    inside, outside = apart - 1, ring - apart - 1
    if colours == 3:
        arcs = [(yellow, 1), (red, outside), (yellow, inside)]
        arcs += [(yellow, 1), (blue, outside), (yellow, inside)]
    else:
        rest = outside - inside
        arcs = [(yellow, inside + 1), (red, rest), (yellow, inside)]
        arcs += [(blue, inside + 1), (black, rest), (blue, inside)]
    return tuple(colour for colour, count in arcs for _ in range(count))


def _positions(ring: int, apart: int) -> tuple[Position, ...]:
    """Return the positions of the balls, on circles so large that no two balls overlap."""
    half, outside = pi * apart / ring, ring - apart
    # The unit circle around the left ring's centre, without the lower crossing; y goes up.
    places = [place for place in range(ring) if place != outside]
    left = [rect(1, half + 2 * pi * place / ring) for place in places]
    # Half a turn around the midpoint of the centres maps each ring to the other.
    points = [*left, *(2 * cos(half) - point for point in left)]
    size = _SPACING / min(abs(a - b) for a, b in combinations(points, 2))
    x, y = min(point.real for point in points), max(point.imag for point in points)
    return tuple((round(size * (p.real - x), 3), round(size * (y - p.imag), 3)) for p in points)


def _in_colours(board: State, rows: int, columns: int, parameters: family.Parameters) -> State:
    """Return the board in colours, if the parameters ask for colours."""
    if (colours := _colours(parameters)) is None:
        return board
    coloured = _coloured(columns + 1, _apart(parameters, columns + 1), colours)
    return tuple(coloured[ball - 1] for ball in board)


def _apart(parameters: family.Parameters, ring: int) -> int:
    return family.chosen_number(
        parameters, "apart", _APART, 1, 2 * ring // 5, f"for rings of {ring} balls"
    )


def _colours(parameters: family.Parameters) -> int | None:
    colours = parameters.get("colours", _NUMBERS)
    if colours not in (_NUMBERS, "3", "4"):
        raise OptionError(f"colours={colours[:20]}: choose from {_NUMBERS}, 3, 4")
    return None if colours == _NUMBERS else int(colours)


HUNGARIAN_RINGS = family.Family(
    name="hungarian-rings",
    summary="Hungarian rings: balls in two rings that cross, a line for each ring",
    moves="L R turn a ring clockwise by one place, L' R' back",
    make=_hungarian_rings,
    goals={"in-order": family.in_order},
    has_blank=False,
    default_size=(2, _RING - 1),
    parameters={
        "ring": f"the balls of a ring, {_LEAST} to {family.LARGEST_SIDE + 1}, by default {_RING}",
        "apart": "the distance between the crossings, as in hungarian-rings:8,2; 5 by default",
        "colours": "numbers (default), or 3 or 4 colours: R red, K black, Y yellow, B blue",
        "metric": "one-place (default), or any-distance: L2 turns by two places in one move",
    },
    positional=("ring", "apart"),
    adapted=_in_colours,
    size_key="ring",
    least=_LEAST,
    most=family.LARGEST_SIDE + 1,
    shape=lambda ring: (2, ring - 1),
    presets=(family.Preset("Hungarian rings", 2, _RING - 1, moves=8, parameters="colours=4"),),
)
