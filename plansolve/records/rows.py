"""The rows of a store, and what is refused in one from strangers."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_type_hints

__all__ = [
    "AttemptRow",
    "BoardResult",
    "BoardRow",
    "Contradiction",
    "ProblemRow",
    "UnitRow",
    "read_row",
]

_LONGEST_TEXT = 16 << 20
"""Characters of a value; a plan of a million moves has fewer."""
_LARGEST = 1 << 62


@dataclass(frozen=True)
class ProblemRow:
    """A problem under its key, the SHA-256 of its canonical text; `puzzle` is for people."""

    key: str
    text: str
    puzzle: str


@dataclass(frozen=True)
class BoardRow:
    """A problem as it is called in a set, and the optimal length that the set records."""

    set_name: str
    name: str
    problem: str
    recorded_length: int | None = None


@dataclass(frozen=True)
class AttemptRow:
    """One attempt at a problem that has come to an end, and what it came to.

    `options` is the canonical JSON of what was asked. `status` and `stop_reason` are those of a
    result, or "error" where there is none, and `error` tells which. `plan` holds the names of the
    moves, separated by blanks. `began` is ISO 8601 in UTC.
    """

    problem: str
    options: str
    engine: str
    version: str
    status: str
    stop_reason: str
    lower_bound: int | None
    length: int | None
    plan: str | None
    lower_bound_by: str
    upper_bound_by: str
    seconds: float
    nodes: int | None
    conflicts: int | None
    host: str
    began: str
    error: str = ""

    @property
    def is_proved(self) -> bool:
        """Whether nothing is left to find out."""
        return self.status in ("optimal", "unsolvable")


@dataclass(frozen=True)
class UnitRow:
    """A finished unit of a proof: what it came to, as JSON, under the key of the unit."""

    key: str
    proof: str
    bound: int
    answer: str
    seconds: float
    host: str


@dataclass(frozen=True)
class BoardResult:
    """A board and the best attempt at its problem."""

    board: BoardRow
    problem: ProblemRow
    attempt: AttemptRow | None


@dataclass(frozen=True)
class Contradiction:
    """Two statements about a problem of which one must be wrong; `board` names it for people."""

    board: str
    problem: str
    what: str


RowT = TypeVar("RowT", ProblemRow, BoardRow, AttemptRow, UnitRow)

_KINDS: Mapping[Any, tuple[type, ...]] = MappingProxyType(
    {
        str: (str,),
        int: (int,),
        float: (float, int),
        str | None: (str, NoneType),
        int | None: (int, NoneType),
    }
)

_TYPES: Mapping[str, tuple[tuple[str, tuple[type, ...]], ...]] = MappingProxyType(
    {
        kind.__name__: tuple((name, _KINDS[hint]) for name, hint in get_type_hints(kind).items())
        for kind in (ProblemRow, BoardRow, AttemptRow, UnitRow)
    }
)
"""The columns of each kind of row, and the types that their values may have."""


def read_row(kind: type[RowT], values: tuple[Any, ...]) -> RowT:
    """Return a row of SQLite, which may hold anything anywhere, as what it should be.

    Raise `ValueError`, which names the column, for a value that has no business there.
    """
    for (name, allowed), value in zip(_TYPES[kind.__name__], values, strict=True):
        if not isinstance(value, allowed) or isinstance(value, bool):
            raise ValueError(f"{name} is a {type(value).__name__}")
        if isinstance(value, str) and len(value) > _LONGEST_TEXT:
            raise ValueError(f"{name} is longer than {_LONGEST_TEXT} characters")
        if isinstance(value, int | float) and not 0 <= value < _LARGEST:
            raise ValueError(f"{name} is out of range")
    return kind(*values)
