"""The statements of a search proof: its bound, patterns, images, and units."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from plansolve.certcheck.files import read_object, require_keys
from plansolve.errors import ProofError
from plansolve.text import quote

SCHEMA = "plansolve.search-proof/2"

MOST_ENTRIES = 80_000_000
"""The most entries of all tables together: four of the usual size for free puzzles. An entry takes
up to twenty bytes while it is built.
"""

_MOST_MOVES = 10_000
_MOST_TABLES = 64
_MOST_SYMMETRIES = 64
_MOST_SETS = 256
_MOST_LENGTH = 16


class PatternLookup(NamedTuple):
    """A lookup in a table, for the image of a board.

    The symmetry maps each cell of the board to a cell of the table. For the inverse board, tiles
    and cells first exchange their roles: the tile with home h in cell c counts as the tile with
    home c in cell h.
    """

    table: int
    symmetry: int
    is_inverse: bool


@dataclass(frozen=True)
class SearchProof:
    """No plan has at most `bound` moves; with `every_plan`, all of `bound` moves are known.

    Each table is about the tiles whose homes are these cells. The bound at a board is the largest
    sum of a set of lookups. Words of up to `words` moves prune the paths, and the units are the
    remaining paths of `depth` moves.
    """

    bound: int
    tables: tuple[tuple[int, ...], ...]
    symmetries: tuple[tuple[int, ...], ...]
    sets: tuple[tuple[PatternLookup, ...], ...]
    words: int
    depth: int
    every_plan: bool = False

    def document(self) -> dict[str, Any]:
        """Return the proof as a JSON object."""
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


def read_search_proof(data: bytes, cells: int) -> SearchProof:
    """Return the proof in a file, about boards of so many cells.

    Raise `ProofError` for numbers out of range; the statements themselves are not checked here.
    """
    record = read_object(data)
    require_keys(record, SearchProof(0, (), (), (), 0, 0).document())
    if record["schema"] != SCHEMA:
        raise ProofError(f"schema: {quote(repr(record['schema']))} should be {SCHEMA!r}")
    if not isinstance(record["every_plan"], bool):
        raise ProofError("every_plan: true or false is expected")
    tables = tuple(
        _different(entry, cells, f"tables: entry {i}")
        for i, entry in enumerate(_list(record, "tables", _MOST_TABLES))
    )
    symmetries = tuple(
        _different(entry, cells, f"symmetries: entry {i}", count=cells)
        for i, entry in enumerate(_list(record, "symmetries", _MOST_SYMMETRIES))
    )
    sets = tuple(
        tuple(_lookup(entry, len(tables), len(symmetries), i) for entry in _items(lookups, i))
        for i, lookups in enumerate(_list(record, "sets", _MOST_SETS))
    )
    return SearchProof(
        bound=_number(record["bound"], _MOST_MOVES, "bound"),
        tables=tables,
        symmetries=symmetries,
        sets=sets,
        words=_number(record["words"], _MOST_LENGTH, "words", least=2),
        depth=_number(record["depth"], _MOST_MOVES, "depth"),
        every_plan=record["every_plan"],
    )


def _number(value: object, most: int, what: str, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ProofError(f"{what}: {quote(repr(value))} is not a number from {least} to {most}")
    return value


def _list(record: Mapping[str, Any], key: str, most: int) -> list[Any]:
    value = record[key]
    if not isinstance(value, list) or not 0 < len(value) <= most:
        raise ProofError(f"{key}: not a list of 1 to {most} entries")
    return value


def _items(value: object, number: int) -> list[Any]:
    if not isinstance(value, list) or not value or len(value) > _MOST_SETS:
        raise ProofError(f"sets: entry {number} is not a list of lookups")
    return value


def _different(value: object, cells: int, what: str, count: int | None = None) -> tuple[int, ...]:
    """Return different cells, `count` of them if that is given."""
    if not isinstance(value, list) or not value or len(value) > cells:
        raise ProofError(f"{what} is not a list of cells")
    numbers = tuple(_number(cell, cells - 1, what) for cell in value)
    if len(set(numbers)) != len(numbers) or len(numbers) != (count or len(numbers)):
        what += " does not name all cells once" if count else " names a cell twice"
        raise ProofError(what)
    return numbers


def _lookup(value: object, tables: int, symmetries: int, number: int) -> PatternLookup:
    what = f"sets: entry {number}"
    if not isinstance(value, list) or len(value) != len(PatternLookup._fields):
        raise ProofError(f"{what}: a lookup is [table, symmetry, 1 for the inverse board or 0]")
    table, symmetry, inverse = value
    return PatternLookup(
        _number(table, tables - 1, what),
        _number(symmetry, symmetries - 1, what),
        bool(_number(inverse, 1, what)),
    )
