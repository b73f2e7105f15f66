"""Lloyd's Dilemma: sliding, and a transport of the centre tile into the blank.

AT&T Programmer of the Month, April 1995. The transport is not reversible by one move. If the blank
is beside the centre, a transport and a slide have the same effect; slides come first among the
operators, so that engines prefer them. Plans of the same length are ranked by the number of
transports, fewest first.
"""

from string import ascii_uppercase

from plansolve.errors import BoardError
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.family import Family, Preset
from plansolve.puzzles.sliding import OPPOSITE, blank_last, slide_operators

_TRANSPORT = "t"
_LABELS = ("+", *ascii_uppercase)


def lloyd(rows: int = 5, columns: int = 5) -> Puzzle:
    """Return the contest's 5x5 square, or another with a centre and at most 26 tiles.

    Moves are d u r l t as in the contest. Raise `BoardError` if there is no centre cell.
    """
    if rows % 2 == 0 or columns % 2 == 0:
        raise BoardError(f"a board of {rows}x{columns} has no centre tile: both sides must be odd")
    if rows * columns > len(_LABELS):
        raise BoardError(f"a board of {rows}x{columns} has more tiles than there are letters")
    centre = rows // 2 * columns + columns // 2
    slides = tuple(
        Operator(slide.name.lower(), slide.moves, slide.blank)
        for slide in slide_operators(rows, columns)
    )
    transports = tuple(
        Operator(_TRANSPORT, ((blank, centre), (centre, blank)), blank, penalty=1)
        for blank in range(rows * columns)
        if blank != centre
    )
    return Puzzle(
        name="lloyd",
        rows=rows,
        columns=columns,
        goal=blank_last(rows, columns),
        operators=slides + transports,
        labels=_LABELS[: rows * columns],
        blank_names={slide.name: OPPOSITE[slide.name.upper()].lower() for slide in slides}
        | {_TRANSPORT: _TRANSPORT},
    )


LLOYD = Family(
    name="lloyd",
    summary="Lloyd's Dilemma: 24 letters and one blank, with a transport",
    moves="d u r l: a tile slides into the blank; t: the centre tile jumps into it",
    make=lambda rows, columns, _: lloyd(rows, columns),
    goals={"blank-last": blank_last},
    labels=_LABELS,
    words={_TRANSPORT: "transport"},
    presets=(Preset("Lloyd", 5, 5),),
)
