"""The sets of a tws definition as cells: one for each sticker of a place.

A piece with k orientations has k stickers, and so has its place. A piece in orientation v shows its
sticker s in the cell s + v (modulo k) of its place, and a move that brings it from one place to
another and twists it by t takes what is in the cell j there to the cell j + t here. Boards and
permutations of the stickers then tell as much as pieces and orientations do. Pieces that have one
number are alike; where an orientation of the solved position is "?", the stickers of the piece are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import TypeAlias

from plansolve.model.layout import CellLayout
from plansolve.model.puzzle import State

ANY_TWIST = -1
"""The orientation of a piece that may have any."""

_WIDEST = 30

_Sticker: TypeAlias = tuple[int, int, int]
"""The number of its set, of its piece, and its own."""


@dataclass(frozen=True)
class PieceSet:
    """A set of so many places, with pieces of so many orientations."""

    name: str
    size: int
    twists: int


@dataclass(frozen=True)
class Configuration:
    """For each set, by its name, numbers from 0 and twists of all places: a position, or a move."""

    pieces: Mapping[str, State]
    twists: Mapping[str, State]

    def of(self, own: PieceSet) -> tuple[State, State]:
        """Return the numbers and twists of a set; of one that is left out, those of no change."""
        pieces = self.pieces.get(own.name, tuple(range(own.size)))
        return pieces, self.twists.get(own.name, (0,) * own.size)

    def by_new_places(self) -> "Configuration":
        """Return the move whose twists are told by the places that pieces leave."""
        twists = {
            name: tuple(map(own.__getitem__, self.pieces[name]))
            for name, own in self.twists.items()
        }
        return Configuration(self.pieces, twists)


@dataclass
class Sets:
    """All sets of a definition, in their order."""

    sets: list[PieceSet] = field(default_factory=list)

    @property
    def cells(self) -> int:
        """How many cells all stickers take."""
        return sum(own.size * own.twists for own in self.sets)

    def sources(self, move: Configuration) -> State:
        """Return, for each cell, the cell that a move fills it from."""
        found, begin = list[int](), 0
        for own in self.sets:
            pieces, twists = move.of(own)
            for place, twist in zip(pieces, twists, strict=True):
                first = begin + place * own.twists
                found += [first + (cell - twist) % own.twists for cell in range(own.twists)]
            begin += own.size * own.twists
        return tuple(found)

    def board(self, position: Configuration, solved: Configuration) -> State:
        """Return the kind of each cell's sticker, from 1; the solved position has those kinds."""
        numbers = {sticker: n for n, sticker in enumerate(self._kinds(solved), start=1)}
        return tuple(map(numbers.__getitem__, self._stickers(position, solved)))

    def labels(self, solved: Configuration) -> tuple[str, ...]:
        """Return how each kind is written; 0 would be a blank.

        The pieces of a single set without orientations are called by their numbers.
        """
        labels = ["0"]
        for number, piece, sticker in self._kinds(solved):
            own = self.sets[number]
            name = own.name if len(self.sets) > 1 else ""
            labels.append(f"{name}{piece + 1}" + ascii_lowercase[sticker] * (own.twists > 1))
        return tuple(labels)

    def layout(self) -> CellLayout | None:
        """Return where pictures draw the cells of several sets, or of pieces with orientations.

        Each set begins a row, and a row has so many places as fit.
        """
        if len(self.sets) == 1 and self.sets[0].twists == 1:
            return None
        positions, row = list[tuple[float, float]](), 0
        for own in self.sets:
            width = max(1, _WIDEST // own.twists) * own.twists
            count = own.size * own.twists
            positions += [(float(n % width), float(row + n // width)) for n in range(count)]
            row += -(-count // width)
        return CellLayout(tuple(positions)) if row <= _WIDEST * 2 else None

    def _kinds(self, solved: Configuration) -> list[_Sticker]:
        return sorted(set(self._stickers(solved, solved)))

    def _stickers(self, position: Configuration, solved: Configuration) -> list[_Sticker]:
        """Return the sticker in each cell."""
        shown = list[_Sticker]()
        for number, own in enumerate(self.sets):
            pieces, twists = position.of(own)
            # Which pieces may have any orientation the solved position tells.
            free = {p for p, t in zip(*solved.of(own), strict=True) if t == ANY_TWIST}
            for piece, twist in zip(pieces, twists, strict=True):
                for cell in range(own.twists):
                    sticker = 0 if piece in free else (cell - twist) % own.twists
                    shown.append((number, piece, sticker))
        return shown
