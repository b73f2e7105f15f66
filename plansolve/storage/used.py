"""The kept files that this process has used: what its answers rest on besides its own work."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from plansolve.storage.file_format import StoreKey

__all__ = ["UsedFile", "note_unused", "note_used", "used_files"]


@dataclass(frozen=True)
class UsedFile:
    """A file of the store whose bytes were loaded, and their SHA-256 in hexadecimal digits."""

    key: StoreKey
    sha256: str


_used: dict[tuple[str, str], UsedFile] = {}
_lock = Lock()


def note_used(key: StoreKey, sha256: str) -> None:
    """Remember that the bytes of a file are in use from now on."""
    with _lock:
        _used[key.name, sha256] = UsedFile(key, sha256)


def note_unused(key: StoreKey) -> None:
    """Take back that files of a key are in use: their bytes were looked at and thrown away."""
    with _lock:
        for known in [known for known in _used if known[0] == key.name]:
            del _used[known]


def used_files() -> Sequence[UsedFile]:
    """Return the files that this process has loaded so far, whether they are still in use or not.

    Tables stay loaded for the next board, so nobody can tell for certain which of them one answer
    took; it took no others.
    """
    with _lock:
        return list(_used.values())
