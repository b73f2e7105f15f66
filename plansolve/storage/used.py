"""The kept files that the work at hand has used: what its answer rests on besides that work."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from plansolve.storage.file_format import StoreKey

__all__ = [
    "UsedFile",
    "forget_used",
    "note_again",
    "note_unused",
    "note_used",
    "noted",
    "used_files",
]


@dataclass(frozen=True)
class UsedFile:
    """A file of the store whose bytes were loaded, and their SHA-256 in hexadecimal digits."""

    key: StoreKey
    sha256: str


_Files = dict[tuple[str, str], UsedFile]
_used: _Files = {}
_recorded: list[_Files] = []
_lock = Lock()


def forget_used() -> None:
    """Begin another piece of work in this process, which has used nothing yet."""
    with _lock:
        _used.clear()


def note_used(key: StoreKey, sha256: str) -> None:
    """Remember that the work at hand uses the bytes of a file."""
    note_again([UsedFile(key, sha256)])


def note_again(files: Iterable[UsedFile]) -> None:
    """Remember that it uses what an earlier piece of work has loaded from these files."""
    named = {(file.key.name, file.sha256): file for file in files}
    with _lock:
        for known in (_used, *_recorded):
            known.update(named)


def note_unused(key: StoreKey) -> None:
    """Take back that files of a key are in use: their bytes were looked at and thrown away."""
    with _lock:
        for known in (_used, *_recorded):
            for name in [name for name in known if name[0] == key.name]:
                del known[name]


@contextmanager
def noted() -> Iterator[_Files]:
    """Yield where the files appear that are used meanwhile, for whoever keeps what is made of them.

    When that is taken again, `note_again` names them.
    """
    files: _Files = {}
    with _lock:
        _recorded.append(files)
    try:
        yield files
    finally:
        with _lock:
            # Not by equality: two may hold the same.
            _recorded[:] = [other for other in _recorded if other is not files]


def used_files() -> Sequence[UsedFile]:
    """Return the files that the work at hand has used so far."""
    with _lock:
        return list(_used.values())
