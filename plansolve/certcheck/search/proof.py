"""The statements of a search proof: the bound, the patterns, their images, and the cut."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from plansolve.certcheck.files import read_record
from plansolve.errors import ProofError
from plansolve.json_reader import Rule, Whole
from plansolve.model.puzzle import MOST_CELLS

SCHEMA = "plansolve.search-proof/2"

MOST_ENTRIES = 80_000_000
"""Of all tables together, which is four of the usual size of those for free moves; while they are
built each takes up to twenty bytes."""


class PatternLookup(NamedTuple):
    """A look into a table, at the image of a board.

    The symmetry takes each cell of the board to one of the table. Read as the inverse, tiles and
    cells change their roles first: the tile whose home is h, in cell c, counts as that whose home
    is c, in cell h.
    """

    table: int
    symmetry: int
    is_inverse: bool


@dataclass(frozen=True)
class SearchProof:
    """There is no plan of at most `bound` moves, or of `every_plan` of so many moves it is known.

    Each table is about the tiles whose homes are these cells. Boards are judged by the largest sum
    of a set of lookups. Paths leave out what words of up to `words` moves replace, and the units
    are the paths of `depth` moves that are left.
    """

    bound: int
    tables: tuple[tuple[int, ...], ...]
    symmetries: tuple[tuple[int, ...], ...]
    sets: tuple[tuple[PatternLookup, ...], ...]
    words: int
    depth: int
    every_plan: bool = False

    def document(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "schema": SCHEMA,
            "bound": self.bound,
            "tables": [list(cells) for cells in self.tables],
            "symmetries": [list(cells) for cells in self.symmetries],
            "sets": [[[*lookup[:2], int(lookup.is_inverse)] for lookup in s] for s in self.sets],
            "words": self.words,
            "depth": self.depth,
            "every_plan": self.every_plan,
        }


def _up_to(most: int, least: int = 0) -> Rule:
    return Rule(f"a whole number from {least} to {most}", lambda value: least <= value <= most)


def _entries(most: int) -> Rule:
    return Rule(f"a list of 1 to {most} entries", lambda value: 0 < len(value) <= most)


_Moves: TypeAlias = Annotated[int, _up_to(10_000)]
_Cells: TypeAlias = Annotated[tuple[Whole, ...], _entries(MOST_CELLS)]
_Set: TypeAlias = Annotated[tuple[tuple[Whole, Whole, Whole], ...], _entries(256)]


@dataclass(frozen=True)
class _Document:
    """The keys of a file; a lookup is its table, its symmetry, and 1 for the inverse board."""

    schema: Literal["plansolve.search-proof/2"]
    bound: _Moves
    tables: Annotated[tuple[_Cells, ...], _entries(64)]
    symmetries: Annotated[tuple[_Cells, ...], _entries(64)]
    sets: Annotated[tuple[_Set, ...], _entries(256)]
    words: Annotated[int, _up_to(16, least=2)]
    depth: _Moves
    every_plan: bool


def read_search_proof(data: bytes, cells: int) -> SearchProof:
    """Return what the bytes of a file state about boards of so many cells.

    Each number is one that can be meant; whether it is true is not looked at. Raise `ProofError`.
    """
    stated = read_record(_Document, data)
    for key, lists in (("tables", stated.tables), ("symmetries", stated.symmetries)):
        for number, own in enumerate(lists):
            if not len({*own}) == len(own) or max(own) >= cells:
                raise ProofError(f"{key}: entry {number} does not name different cells")
            if key == "symmetries" and len(own) < cells:
                raise ProofError(f"{key}: entry {number} does not name all cells")
    most = len(stated.tables), len(stated.symmetries), 2
    for number, lookups in enumerate(stated.sets):
        if any(n >= end for own in lookups for n, end in zip(own, most, strict=True)):
            raise ProofError(f"sets: entry {number} names a table or a symmetry that is not there")
    sets = tuple(
        tuple(PatternLookup(table, symmetry, bool(inverse)) for table, symmetry, inverse in lookups)
        for lookups in stated.sets
    )
    values = {key: value for key, value in vars(stated).items() if key != "schema"}
    return SearchProof(**values | {"sets": sets})
