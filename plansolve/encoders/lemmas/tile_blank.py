"""Mutexes of a tile and the blank, from the tables that also bound the variables."""

from collections.abc import Iterable, Mapping, Sequence

from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.lemma import ALWAYS, Lemma
from plansolve.encoders.lemmas.reachability import TileBlankTimes

__all__ = ["TILE_BLANK", "add_tile_blank_mutexes"]

TILE_BLANK = Lemma(
    name="tile-blank",
    keeps="every plan",
    argument="a tile and the blank are not in two cells that they cannot reach together, counted "
    "as in distance",
    encodings={"half-layer": ALWAYS, "full-layer": ALWAYS},
    is_plain=True,
)


def add_tile_blank_mutexes(
    builder: Builder,
    times: TileBlankTimes,
    done: int,
    left: int,
    rows: Iterable[tuple[int, Sequence[int]]],
    blanks: Mapping[int, int],
) -> None:
    """Forbid a tile and the blank in cells that they cannot reach together.

    `done` moves are made and `left` are to come; `rows` are cells with the literal of each tile,
    `blanks[cell]` is the literal of the blank.
    """
    for cell, row in rows:
        pairs = [(times.pair(cell, blank), literal) for blank, literal in blanks.items()]
        for tile, literal in enumerate(row, start=1):
            if literal == FALSE:
                continue
            earliest, remaining = times.of_tile(tile)
            for pair, standing in pairs:
                if earliest[pair] > done or remaining[pair] > left:
                    builder.clause(-literal, -standing)
