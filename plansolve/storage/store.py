"""The table store: files in the user's cache folder.

A file is a header, zeros up to a multiple of a page, and the content. The header is a magic number,
the length of the description, and the description in JSON: kind, title, content (what the bytes
depend on), the length of the bytes and their SHA-256. A file may be damaged or foreign, so no
number in it is trusted before it is compared, and nothing is executed.

A file is mapped into memory if its description is that of the key, its size is right and the
SHA-256 of the content is the one in the description; otherwise the content is made anew.

That checksum takes a second for a large file and reads all its pages. So for more than 64 MB it is
computed once, and a stamp beside the file remembers which file that was. One that was written to,
copied or replaced has another stamp. Only bytes that change without the file system, as on a
failing disk, go unnoticed; `plansolve tables verify` reads everything.
"""

import hashlib
import json
import mmap
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from plansolve.errors import InternalError
from plansolve.storage.files import PART_SUFFIX, replacing
from plansolve.storage.folder import cache_folder, writable_folder
from plansolve.storage.notices import UsedTable, making, note_used

Bytes: TypeAlias = NDArray[np.uint8]

Tell = Callable[[str], None]
"""Takes a line for people."""

_SUFFIX, _STAMP, _LOCK = ".table", ".seen", ".lock"
ALWAYS_SUMMED = 64 << 20
"""Files of up to so many bytes have their checksum computed at each load."""
_BLOCK = 1 << 22
_MAGIC = b"plansolve table 1\n"
_PAGE = 4096
_LONGEST_HEADER = 1 << 20


@dataclass(frozen=True)
class StoreKey:
    """The content of a file in a few words: files with equal keys hold equal bytes.

    `kind` decides which code makes and verifies them, `title` is for people, and `content` is
    everything that the bytes depend on, as JSON.
    """

    kind: str
    title: str
    content: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of kind and content, in hexadecimal digits."""
        return hashlib.sha256(_canonical([self.kind, self.content])).hexdigest()

    @property
    def name(self) -> str:
        """A file name without suffix: readable, and different for different contents."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")[:48]
        return f"{self.kind}-{slug}-{self.digest[:16]}"


@dataclass(frozen=True)
class StoredFile:
    """A file of the store: its name, size in bytes, and time of writing (seconds since 1970).

    `key` and `length`, the size of the content in bytes, come from its header; `damage` says in
    words what is wrong if the header cannot be read or does not fit the file.
    """

    name: str
    size: int
    built: float
    key: StoreKey | None
    length: int
    damage: str = ""


class Store:
    """The files in one folder, or with `in_memory` none that are kept."""

    def __init__(self, folder: Path | None = None, *, in_memory: bool = False) -> None:
        """Use `folder`, by default the subfolder `tables` of the user's cache folder.

        A folder that is not writable is only read.
        """
        usable = folder or writable_folder("tables")
        self.folder = None if in_memory else usable or cache_folder() / "tables"
        self._is_kept = usable is not None and not in_memory

    def load_or_build(
        self, key: StoreKey, length: int, build: Callable[[], Bytes], tell: Tell
    ) -> Bytes:
        """Return the table, `length` read-only bytes; build it if need be.

        If several processes need a table at the same time, one builds it and the others wait; a
        process that dies releases its lock. If nothing can be written, the table stays in memory.
        `tell` is called before a build, before a wait, and if the table is not kept.
        """
        if self.folder is None:
            tell(f"building the table {key.title}")
            return _checked(build(), length)
        if (table := self._load(key, length)) is not None:
            return table
        if not self._is_kept:
            with making():
                tell(f"building the table {key.title} (not kept: {self.folder} cannot be written)")
                return _checked(build(), length)
        waiting = f"waiting for another process, which builds the table {key.title}"
        lock = self._path(key.name).with_suffix(_LOCK)
        with making(), _turn(lock, lambda: tell(waiting)):
            # Another process may have built it meanwhile.
            if (table := self._load(key, length)) is not None:
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
        """Return the bytes of a key, at most `most`, read-only; None if they are not there."""
        file = self._described(self._path(key.name))
        if file is None or file.key != key or file.length > most:
            return None
        return self._load(key, file.length)

    def write(self, key: StoreKey, content: Bytes, *, sync: bool = False) -> None:
        """Keep the bytes of a key, unless the store keeps none; raise `OSError` if that fails.

        With `sync` they are on the disk before the file appears.
        """
        if not self._is_kept:
            return
        path = self._path(key.name)
        with replacing(path, private=True, sync=sync) as stream:
            stream.write(_header(key, content.size, self.checksum(content)))
            stream.write(content.data)
        with _opened(path) as file, suppress(OSError):
            self._write_stamp(path, os.fstat(file))

    def has(self, key: StoreKey) -> bool:
        """Return True if a file of that key is there whose header fits; its bytes are not read."""
        file = self._described(self._path(key.name))
        return file is not None and not file.damage and file.key == key

    def files(self) -> list[StoredFile]:
        """Return the files by name, including those with foreign or damaged headers."""
        if self.folder is None or not self.folder.is_dir():
            return []
        found = map(self._described, sorted(self.folder.glob(f"*{_SUFFIX}")))
        return [file for file in found if file is not None]

    def read(self, name: str) -> tuple[StoreKey, Bytes] | str:
        """Return a file's key and content, all bytes checked, or what is wrong with it."""
        file = self._described(self._path(name))
        if file is None or file.key is None or file.damage:
            return file.damage if file else "there is no such table"
        if file.key.name != name:
            return "its name belongs to another table"
        table = self._load(file.key, file.length, every_byte=True)
        return "its checksum is wrong" if table is None else (file.key, table)

    def remove(self, name: str) -> bool:
        """Delete a file; return False for none of that name, raise `OSError` if it cannot be."""
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
        digest = hashlib.sha256()
        for begin in range(0, content.size, _BLOCK):
            digest.update(content[begin : begin + _BLOCK].data)
        return digest.hexdigest()

    def _path(self, name: str) -> Path:
        if self.folder is None or Path(name).name != name:
            return Path(os.devnull) / name  # where no file can be
        return self.folder / f"{name}{_SUFFIX}"

    def _parts(self, name: str) -> list[Path]:
        """Return the temporary files of processes that died while they wrote."""
        return list(self._path(name).parent.glob(f"{name}.*{PART_SUFFIX}"))

    def _load(self, key: StoreKey, length: int, *, every_byte: bool = False) -> Bytes | None:
        """Return the mapped content, or None if the file cannot be trusted."""
        path = self._path(key.name)
        try:
            with _opened(path) as file:
                description, start, status = _read_header(file)
                wanted = _description(key, length, str(description["sha256"]))
                if description != wanted or status.st_size != start + length:
                    return None
                whole = mmap.mmap(file, 0, access=mmap.ACCESS_READ)
                content = np.frombuffer(whole, np.uint8, length, start)
                is_small = length <= ALWAYS_SUMMED
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
            with _opened(path) as file:
                description, start, status = _read_header(file)
            kind, title = description["kind"], description["title"]
            content, length = description["content"], description["length"]
            key = StoreKey(kind, title, content)
            # Raises for bytes that are not text, and for JSON that readers accept but writers do
            # not.
            _ = key.name + kind
            if not (isinstance(content, dict) and isinstance(length, int) and length >= 0):
                return foreign
            damage = "" if status.st_size == start + length else "its length is wrong"
            return StoredFile(name, status.st_size, status.st_mtime, key, length, damage)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return foreign

    def _write_stamp(self, path: Path, status: os.stat_result) -> None:
        """Remember that the checksum of a large file is right."""
        if status.st_size > ALWAYS_SUMMED:
            with replacing(path.with_suffix(_STAMP), private=True) as stream:
                stream.write(_stamp(status))


@contextmanager
def _turn(lock: Path, waits: Callable[[], object]) -> Iterator[None]:
    """Hold a lock file until the end of the block; `waits` is called before a wait for it.

    The system releases the lock of a process that dies. Without locks, no process waits.
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
        with _opened(path.with_suffix(_STAMP)) as file:
            return os.pread(file, 1024, 0) == _stamp(status)
    except OSError:
        return False


def _checked(table: Bytes, length: int) -> Bytes:
    if table.dtype != np.uint8 or table.shape != (length,):
        raise InternalError(f"a table of {table.size} bytes was built instead of {length}")
    table.flags.writeable = False
    return table


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _description(key: StoreKey, length: int, digest: str) -> dict[str, Any]:
    description = {"kind": key.kind, "title": key.title, "content": key.content}
    # The form that it has after being written and read.
    return dict(json.loads(_canonical({**description, "length": length, "sha256": digest})))


def _header(key: StoreKey, length: int, digest: str) -> bytes:
    """Return the bytes of a file before its content, whose SHA-256 is `digest`."""
    text = _canonical(_description(key, length, digest))
    if len(text) > _LONGEST_HEADER:
        raise InternalError(f"the table {key.title} has too long a description")
    head = _MAGIC + len(text).to_bytes(4, "little") + text
    return head + bytes(-len(head) % _PAGE)


def _read_header(file: int) -> tuple[dict[str, Any], int, os.stat_result]:
    """Return the description, where the content begins, and the file's status.

    Raise `OSError` or `ValueError` if the file has no such header.
    """
    head = os.pread(file, len(_MAGIC) + 4, 0)
    size = int.from_bytes(head[len(_MAGIC) :], "little")
    if head[: len(_MAGIC)] != _MAGIC or size > _LONGEST_HEADER:
        raise ValueError("not a table")
    try:
        description = json.loads(os.pread(file, size, len(head)))
    except RecursionError:
        raise ValueError("not a table") from None
    end = len(head) + size
    padding = -end % _PAGE
    if not isinstance(description, dict) or any(os.pread(file, padding, end)):
        raise ValueError("not a table")
    return description, end + padding, os.fstat(file)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Yield the descriptor of a regular file of ours; raise `OSError` for anything else.

    Without O_NONBLOCK a named pipe would wait for a writer.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError("not a regular file of this user")
        yield descriptor
    finally:
        os.close(descriptor)


def _stamp(status: os.stat_result) -> bytes:
    """Return a value that stays the same while a file is not written to, copied or replaced."""
    changes = (status.st_mtime_ns, status.st_ctime_ns)
    return _canonical([status.st_dev, status.st_ino, status.st_size, *changes])
