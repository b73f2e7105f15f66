"""What a store keeps of one proof: which tables its rounds were searched with, and its units."""

from plansolve.records.records import Records
from plansolve.records.rows import UnitRow

__all__ = ["ProofRecords"]


class ProofRecords:
    """The part of a store that is about one proof, to be closed in the end.

    Where `is_new` says that the store has nothing of it, the file is opened once the first unit is
    done: of most boards of a batch there never is one, and to open it would take as long as to
    solve them. Until then rounds are kept in memory, as without units they are of no use.

    Each method raises `StoreError` where the file cannot be used.
    """

    def __init__(self, path: str, proof: str, *, is_new: bool = False) -> None:
        self.path, self._proof = path, proof
        self._rounds: dict[int, str] = {}
        self._records = None if is_new else Records(path)

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

    def units(self, bound: int) -> dict[str, UnitRow]:
        """Return the finished units of a round, by their keys."""
        return {} if self._records is None else self._records.units(self._proof, bound)

    def keep_unit(self, key: str, bound: int, answer: str, seconds: float, host: str) -> None:
        """Keep a finished unit; one that another process has finished too is left as it is."""
        if self._records is None:
            self._records = Records(self.path)
            for known, details in self._rounds.items():
                self._records.keep_round(self._proof, known, details)
        self._records.keep_unit(UnitRow(key, self._proof, bound, answer, seconds, host))

    def close(self) -> None:
        """Close the file, where it was opened."""
        if self._records is not None:
            self._records.close()
