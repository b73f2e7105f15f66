"""The strengthenings of the encodings, by name: what each adds, and which plans it keeps."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

__all__ = [
    "AWAY_COUNTER",
    "DISTANCE",
    "DUPLICATE_WORDS",
    "LEMMAS",
    "LINEAR_CONFLICT",
    "MOVE_ORDER",
    "NO_UNDO",
    "PAIR_MUTEX",
    "PATTERN_EXCESS",
    "PERIMETER",
    "TILE_BLANK",
    "TRIPLE_MUTEX",
    "WASTE_COUNTER",
    "WASTE_EXCESS",
    "Keeps",
    "Lemma",
    "keeps_every_plan",
    "keeps_shortest_plans",
]

Keeps: TypeAlias = Literal["every plan", "shortest plans", "one plan"]
"""What is left of the plans of exactly T moves.

"every plan": all of them. "shortest plans": all of them where no shorter plan exists. "one plan":
at least one of them where no shorter plan exists.
"""


@dataclass(frozen=True)
class Lemma:
    """A part of an encoding that follows from the rest by an argument outside the formula.

    `base` is another lemma that it works on top of.
    """

    name: str
    keeps: Keeps
    argument: str
    base: str | None = None


DISTANCE = "distance"
TILE_BLANK = "tile-blank"
NO_UNDO = "no-undo"
AWAY_COUNTER = "away-counter"
LINEAR_CONFLICT = "linear-conflict"
MOVE_ORDER = "move-order"
PAIR_MUTEX = "pair-mutex"
PATTERN_EXCESS = "pattern-excess"
DUPLICATE_WORDS = "duplicate-words"
PERIMETER = "perimeter"
TRIPLE_MUTEX = "triple-mutex"
WASTE_COUNTER = "waste-counter"
WASTE_EXCESS = "waste-excess"

LEMMAS: Mapping[str, Lemma] = MappingProxyType(
    {
        lemma.name: lemma
        for lemma in (
            Lemma(
                DISTANCE,
                "every plan",
                "no variable for a tile or the blank in a cell that it cannot reach from the "
                "start in t moves, or from which it cannot reach its goal cell in T - t",
            ),
            Lemma(
                TILE_BLANK,
                "every plan",
                "a tile and the blank are not in two cells that they cannot reach together, "
                "counted as in distance",
            ),
            Lemma(
                NO_UNDO,
                "shortest plans",
                "no two or three moves in a row that have the effect of fewer moves",
            ),
            Lemma(
                AWAY_COUNTER,
                "every plan",
                "each move changes the sum of tile distances by one, so exactly (T - sum) / 2 of "
                "the T moves lead away from the goal",
            ),
            Lemma(
                LINEAR_CONFLICT,
                "every plan",
                "two tiles that have to pass each other in their goal line cost one more move "
                "away from the goal for that line (Hansson, Mayer, Yung 1992)",
                base=AWAY_COUNTER,
            ),
            Lemma(
                PATTERN_EXCESS,
                "every plan",
                "up to three tiles in cells from which an additive pattern database has more moves "
                "than their distances cost half the difference in moves away from the goal",
                base=AWAY_COUNTER,
            ),
            Lemma(
                DUPLICATE_WORDS,
                "one plan",
                "the blank does not go along a walk of up to ten moves that has the effect of a "
                "shorter walk from the same cell, or of one as long that is earlier in the order "
                "of the cells",
            ),
            Lemma(
                PERIMETER,
                "one plan",
                "the blank does not begin, or end, with a walk to a board that is too far from "
                "the other end by pattern databases, or that a shorter or earlier walk reaches",
            ),
            Lemma(
                MOVE_ORDER,
                "one plan",
                "no two or three moves in a row that have the effect of as many moves which come "
                "earlier in the order of the operators",
            ),
            Lemma(
                PAIR_MUTEX,
                "every plan",
                "two tiles are not in two cells that they cannot reach together in time",
            ),
            Lemma(
                TRIPLE_MUTEX,
                "every plan",
                "three tiles are not in three cells that they cannot reach together in time",
                base=PAIR_MUTEX,
            ),
            Lemma(
                WASTE_COUNTER,
                "every plan",
                "a move brings the sum of tile distances down by at most one, and what the T "
                "moves fall short of that adds up to T - sum",
            ),
            Lemma(
                WASTE_EXCESS,
                "every plan",
                "the moves that patterns of tiles need beyond their tile distances, added over a "
                "partition of the tiles, are at most the waste still to come (Korf, Felner 2002)",
                base=WASTE_COUNTER,
            ),
        )
    }
)


def keeps_every_plan(name: str) -> bool:
    """Whether the lemma leaves all plans of exactly T moves."""
    return LEMMAS[name].keeps == "every plan"


def keeps_shortest_plans(name: str) -> bool:
    """Whether the lemma leaves all plans of exactly T moves where no shorter plan exists."""
    return LEMMAS[name].keeps != "one plan"
