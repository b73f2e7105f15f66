"""Units whose answers a store keeps, and what it keeps of one proof."""

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from plansolve.errors import StoreError
from plansolve.json_text import JsonError, json_object
from plansolve.records.records import Records, UnitRow

if TYPE_CHECKING:
    # A search without a store does without SQLite.
    from plansolve.records.records import Records, UnitRow


class UnitAnswer(Protocol):
    """What came out of a unit of a proof; `is_done` tells that its work was done to the end."""

    @property
    def is_done(self) -> bool: ...

    @property
    def seconds(self) -> float:
        """How long its worker took."""

    @property
    def host(self) -> str:
        """The name of its worker's machine."""

    def document(self) -> dict[str, Any]:
        """Return the rest of it, ready for JSON."""


AnswerT_co = TypeVar("AnswerT_co", bound=UnitAnswer, covariant=True)


class KeptUnit(Protocol[AnswerT_co]):
    """A unit of a proof, whose answer can be kept under a key."""

    @property
    def key(self) -> str:
        """The SHA-256 of all that determines the answer."""

    @abstractmethod
    def run(self) -> AnswerT_co:
        """Do the work, see `team.Unit`."""

    @abstractmethod
    def answer(self, document: dict[str, Any], seconds: float) -> AnswerT_co:
        """Return the answer that `document()` gave; raise `ValueError` for what it never gives."""


class ProofRecords:
    """The part of a store that is about one proof, to be closed in the end.

    Where `is_new` says that the store has nothing of it, the file is opened once the first unit is
    done: most boards of a batch never have one, and opening it takes as long as solving them. Until
    then rounds are kept in memory, as without units they are of no use.

    Each method raises `StoreError` where the file cannot be used.
    """

    def __init__(self, path: str, proof: str, *, is_new: bool = False) -> None:
        self.path, self._proof = path, proof
        self._rounds: dict[int, str] = {}
        self._records = None if is_new else _opened(path)

    def round(self, bound: int) -> str | None:
        """Return what was kept of a round, None where it has not begun."""
        if self._records is None:
            return self._rounds.get(bound)
        return self._records.round(self._proof, bound)

    def keep_round(self, bound: int, details: str) -> None:
        """Keep how a round is done; what was kept first stays."""
        if self._records is None:
            self._rounds.setdefault(bound, details)
        else:
            self._records.keep_round(self._proof, bound, details)

    def answers(self, units: Sequence[KeptUnit[AnswerT_co]], bound: int) -> dict[int, AnswerT_co]:
        """Return the answers of the finished units of a round, by their places among all."""
        rows = {} if self._records is None else self._records.units(self._proof, bound)
        return {
            number: self._read(unit, row)
            for number, unit in enumerate(units)
            if (row := rows.get(unit.key)) is not None
        }

    def keep_unit(self, unit: KeptUnit[Any], answer: UnitAnswer, bound: int) -> None:
        """Keep a finished unit; one that another process has finished too is left as it is."""
        from plansolve.records.records import UnitRow

        if self._records is None:
            self._records = _opened(self.path)
            for known, details in self._rounds.items():
                self._records.keep_round(self._proof, known, details)
        text = json.dumps(answer.document(), sort_keys=True)
        row = UnitRow(unit.key, self._proof, bound, text, answer.seconds, answer.host)
        self._records.keep_unit(row)

    def close(self) -> None:
        """Close the file, where it was opened."""
        if self._records is not None:
            self._records.close()

    def _read(self, unit: KeptUnit[AnswerT_co], row: "UnitRow") -> AnswerT_co:
        try:
            return unit.answer(json_object(row.answer), row.seconds)
        except (JsonError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self.path}: the answer of unit {unit.key[:12]} cannot be read: {error}"
            ) from None


def _opened(path: str) -> "Records":
    from plansolve.records.records import Records

    return Records(path)
