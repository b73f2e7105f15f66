"""The store: what is expensive to make, kept in files of the user's cache folder.

A file is mapped into memory if its description is that of the key, its size is right and the
SHA-256 of the content is the one in the description; otherwise the content is made anew.

That checksum takes a second for a large file and reads all its pages. So for more than 64 MB it is
computed once, and a stamp beside the file remembers which file that was. One that was written to,
copied or replaced has another stamp. Only bytes that change behind the file system's back, as on a
failing disk, go unnoticed there; `plansolve tables verify` reads everything.
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from plansolve.errors import InternalError
from plansolve.storage.atomic import PART_SUFFIX, replacing
from plansolve.storage.file_format import (
    StoreKey,
    described,
    header,
    opened,
    read_header,
    stamp,
)
from plansolve.storage.folder import cache_folder, writable_folder
from plansolve.storage.notices import UsedTable, making, note_used

Bytes: TypeAlias = NDArray[np.uint8]

Tell = Callable[[str], None]
"""Takes a line for people."""

_SUFFIX, _STAMP, _LOCK = ".table", ".seen", ".lock"
_ALWAYS_SUMMED = 64 << 20
_BLOCK = 1 << 22


@dataclass(frozen=True)
class StoredFile:
    """A file of the store: its name, size in bytes, and time of writing (seconds since 1970).

    `key` and `length`, the size of the content in bytes, come from its header; `damage` says in
    words what is wrong where the header cannot be read or does not fit the file.
    """

    name: str
    size: int
    built: float
    key: StoreKey | None
    length: int
    damage: str = ""


class Store:
    """The files in one folder, or with `in_memory` none that are kept."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        in_memory: bool = False,
        always_summed: int = _ALWAYS_SUMMED,
    ) -> None:
        """Use `folder`, by default the subfolder `tables` of the user's cache folder.

        A folder that cannot be written to is read. Files of up to `always_summed` bytes have
        their checksum computed at each load.
        """
        usable = folder or writable_folder("tables")
        self.folder = None if in_memory else usable or cache_folder() / "tables"
        self._is_kept = usable is not None and not in_memory
        self._always_summed = always_summed

    def load_or_build(
        self, key: StoreKey, length: int, build: Callable[[], Bytes], tell: Tell
    ) -> Bytes:
        """Return the table, `length` bytes that cannot be written to; build it if need be.

        Of several processes that ask for a table at the same time one builds it and the others
        wait; a process that dies gives its turn away. Where nothing can be written the table
        stays in memory. `tell` is called before a build, a wait, and where the table is not kept.
        """
        if self.folder is None:
            tell(f"building the table {key.title}")
            return _checked(build(), length)
        table = self._load(key, length)
        if table is not None:
            return table
        if not self._is_kept:
            with making():
                tell(f"building the table {key.title} (not kept: {self.folder} cannot be written)")
                return _checked(build(), length)
        waiting = f"waiting for another process that builds the table {key.title}"
        lock = self._path(key.name).with_suffix(_LOCK)
        with making(), _turn(lock, lambda: tell(waiting)):
            # Another process may have built it meanwhile.
            table = self._load(key, length)
            if table is not None:
                return table
            tell(f"building the table {key.title} (once; it is kept in {self.folder})")
            built = _checked(build(), length)
            try:
                # We hold the lock, so these were left by processes that died.
                for part in self._parts(key.name):
                    part.unlink()
                self.write(key, built, sync=True)
            except OSError as error:
                tell(f"the table {key.title} is not kept: {error.strerror or error}")
                return built
        table = self._load(key, length)
        return built if table is None else table

    def load(self, key: StoreKey, most: int) -> Bytes | None:
        """Return the bytes of a key, up to `most`, that cannot be written to; None without them."""
        file = self._described(self._path(key.name))
        if file is None or file.key != key or file.length > most:
            return None
        return self._load(key, file.length)

    def write(self, key: StoreKey, content: Bytes, *, sync: bool = False) -> None:
        """Keep the bytes of a key, unless the store keeps none; raise `OSError` where that fails.

        With `sync` they are on the disk before the file is there.
        """
        if not self._is_kept:
            return
        path = self._path(key.name)
        with replacing(path, private=True, sync=sync) as stream:
            stream.write(header(key, content.size, self.checksum(content)))
            stream.write(content.data)
        with opened(path) as file, suppress(OSError):
            self._write_stamp(path, os.fstat(file))

    def files(self) -> list[StoredFile]:
        """The files of the store by name, those of foreign or damaged header too."""
        if self.folder is None or not self.folder.is_dir():
            return []
        found = [self._described(path) for path in sorted(self.folder.glob(f"*{_SUFFIX}"))]
        return [file for file in found if file is not None]

    def read(self, name: str) -> tuple[StoreKey, Bytes] | str:
        """The content of the file `name` with its key, all bytes checked; else what is wrong."""
        file = self._described(self._path(name))
        if file is None or file.key is None or file.damage:
            return file.damage if file else "there is no such table"
        if file.key.name != name:
            return "it is not the table that its name says"
        table = self._load(file.key, file.length, every_byte=True)
        return "its bytes do not have their checksum" if table is None else (file.key, table)

    def remove(self, name: str) -> bool:
        """Delete one file of the store; return False where there is none of that name.

        Raise `OSError` where it cannot be deleted.
        """
        path = self._path(name)
        if found := os.path.lexists(path):
            path.unlink()
        for leftover in (path.with_suffix(_STAMP), *self._parts(name)):
            with suppress(OSError):
                leftover.unlink()
        lock = path.with_suffix(_LOCK)
        if lock.is_file():
            with suppress(Timeout, OSError, NotImplementedError), FileLock(lock, timeout=0):
                lock.unlink()
        return found

    def checksum(self, content: Bytes) -> str:
        """The SHA-256 of some bytes in hexadecimal digits."""
        digest = hashlib.sha256()
        for begin in range(0, content.size, _BLOCK):
            digest.update(content[begin : begin + _BLOCK].data)
        return digest.hexdigest()

    def _path(self, name: str) -> Path:
        if self.folder is None or Path(name).name != name:
            return Path(os.devnull) / name
        return self.folder / f"{name}{_SUFFIX}"

    def _parts(self, name: str) -> list[Path]:
        """The temporary files of processes that died while they wrote."""
        return list(self._path(name).parent.glob(f"{name}.*{PART_SUFFIX}"))

    def _load(self, key: StoreKey, length: int, *, every_byte: bool = False) -> Bytes | None:
        """Return the mapped content, or None where the file cannot be trusted."""
        path = self._path(key.name)
        try:
            with opened(path) as file:
                description, start, status = read_header(file)
                wanted = described(key, length, str(description["sha256"]))
                if description != wanted or status.st_size != start + length:
                    return None
                whole = mmap.mmap(file, 0, access=mmap.ACCESS_READ)
                content = np.frombuffer(whole, np.uint8, length, start)
                is_small = length <= self._always_summed
                if every_byte or is_small or not _is_stamped(path, status):
                    if self.checksum(content) != description["sha256"]:
                        return None
                    with suppress(OSError):
                        self._write_stamp(path, status)
                note_used(UsedTable(key.name, key.title))
                return content
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _described(self, path: Path) -> StoredFile | None:
        try:
            status = path.lstat()
        except OSError:
            return None
        name = path.name.removesuffix(_SUFFIX)
        told = name, status.st_size, status.st_mtime
        foreign = StoredFile(*told, None, 0, "not a table of plansolve")
        try:
            with opened(path) as file:
                description, start, status = read_header(file)
            kind, title = description["kind"], description["title"]
            content, length = description["content"], description["length"]
            key = StoreKey(kind, title, content)
            # Raises for what is no text, and for what JSON readers accept and writers do not.
            _ = key.name + kind
            if not (isinstance(content, dict) and isinstance(length, int) and length >= 0):
                return foreign
            damage = "" if status.st_size == start + length else "its length is wrong"
            return StoredFile(name, status.st_size, status.st_mtime, key, length, damage)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return foreign

    def _write_stamp(self, path: Path, status: os.stat_result) -> None:
        """Remember that the checksum of a large file is right."""
        if status.st_size > self._always_summed:
            with replacing(path.with_suffix(_STAMP), private=True) as stream:
                stream.write(stamp(status))


@contextmanager
def _turn(lock: Path, waits: Callable[[], object]) -> Iterator[None]:
    """Hold a lock file until the end of the block; `waits` is called before a wait for it.

    The system takes the turn from a process that dies. Where a file system has no such locks, or
    `lock` cannot be made, all are served at once: then two processes may build the same.
    """
    held = FileLock(lock)
    with suppress(OSError, NotImplementedError):
        try:
            held.acquire(timeout=0)
        except Timeout:
            waits()
            held.acquire(poll_interval=0.01)
    try:
        yield
    finally:
        held.release()


def _is_stamped(path: Path, status: os.stat_result) -> bool:
    try:
        with opened(path.with_suffix(_STAMP)) as file:
            return os.pread(file, 1024, 0) == stamp(status)
    except OSError:
        return False


def _checked(table: Bytes, length: int) -> Bytes:
    if table.dtype != np.uint8 or table.shape != (length,):
        raise InternalError(f"a table of {table.size} bytes was built instead of {length}")
    table.flags.writeable = False
    return table
