"""Clauses and proofs as flat arrays, shared by readers, writers and the checker."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from plansolve.errors import ProofError

Array: TypeAlias = Any
"""A numpy array; the docstring states its element type and shape."""

MOST_VARIABLES = 1 << 22
"""The most variables of a formula: the checker takes some 50 bytes for each."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """A formula: clauses of DIMACS literals in the order in which they were given.

    `variables` is the largest variable's number. `literals` (int32) holds the clauses one after the
    other, `ends` (int64, one entry per clause) the end of each one in `literals`. Formulas are
    equal if they have the same variables and the same clauses in the same order. Raise `ProofError`
    for arrays that do not fit together and for literals that no variable has.
    """

    variables: int
    literals: Array
    ends: Array

    def __post_init__(self) -> None:
        _require_sound(self.variables, self.literals, self.ends)

    @classmethod
    def of(cls, variables: int, clauses: Iterable[Sequence[int]]) -> "Clauses":
        """Return the formula with these clauses; an empty sequence is the empty clause."""
        listed = list(clauses)
        ends = np.cumsum(np.fromiter(map(len, listed), np.int64, len(listed)), dtype=np.int64)
        try:
            literals = np.fromiter(chain.from_iterable(listed), np.int32, sum(map(len, listed)))
        except OverflowError:
            raise ProofError(f"literals must lie between -{variables} and {variables}") from None
        return cls(variables, literals, ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clauses):
            return NotImplemented
        return (
            self.variables == other.variables
            and np.array_equal(self.ends, other.ends)
            and np.array_equal(self.literals, other.literals)
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class HintedProof:
    """Steps of an LRAT proof: clauses, and the earlier clauses from which each follows.

    The clauses of the formula are numbered from 1 on, and these steps from `first` on. `hints`
    (int32) holds for each step the numbers of earlier clauses, and `hint_ends` (int64, one entry
    per step) their end. After the last of these steps the clauses with the numbers `deleted`
    (int64) are deleted.
    """

    first: int
    steps: Clauses
    hints: Array
    hint_ends: Array
    deleted: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        sizes = np.diff(self.hint_ends, prepend=0)
        if len(sizes) != len(self.steps) or (sizes < 0).any() or sizes.sum() != len(self.hints):
            raise ProofError("the hints of a step must end where those of the next begin")
        number = np.repeat(np.arange(len(sizes)) + self.first, sizes)
        wrong = (self.hints < 1) | (self.hints >= number)
        if wrong.any():
            where = int(wrong.argmax())
            raise ProofError(f"step {number[where]}: {self.hints[where]} is not an earlier clause")


def lines_of(clauses: Clauses) -> Iterator[str]:
    """Yield the clauses as in DIMACS, their literals and a 0."""
    return rows_of(clauses.literals, clauses.ends)


def rows_of(numbers: Array, ends: Array) -> Iterator[str]:
    """Yield rows of numbers, each up to its end, and a 0 after each."""
    begin = 0
    for end in ends.tolist():
        yield " ".join(map(str, [*numbers[begin:end].tolist(), 0]))
        begin = end


def _require_sound(variables: int, literals: Array, ends: Array) -> None:
    """Raise `ProofError` for arrays that are invalid; kernels do not check them."""
    if not 0 <= variables <= MOST_VARIABLES:
        raise ProofError(f"{variables} variables: between 0 and {MOST_VARIABLES} can be handled")
    if literals.dtype != np.int32 or ends.dtype != np.int64 or literals.ndim != 1 != ends.ndim:
        raise ProofError("literals must be a row of int32, ends a row of int64")
    if (
        (len(ends) and (ends[0] < 0 or (ends[1:] < ends[:-1]).any()))
        or (ends[-1] if len(ends) else 0) != len(literals)
    ):  # fmt: skip
        raise ProofError("the ends of the clauses do not rise to the number of literals")
    if not len(literals):
        return
    wrong = (literals == 0) | (literals > variables) | (literals < -variables)
    if wrong.any():
        where = int(wrong.argmax())
        clause = int(np.searchsorted(ends, where, side="right")) + 1
        raise ProofError(
            f"clause {clause}: {literals[where]} is not a literal of {variables} variables"
        )
