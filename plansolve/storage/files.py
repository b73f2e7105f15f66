"""Files and folders that appear when they are complete, or not at all."""

import gzip
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from plansolve.errors import OptionError
from plansolve.text import one_line

PART_SUFFIX = ".part"
"""The end of a temporary file's name. If its process was killed, the file stays."""

_LONGEST_STEM = 200
"""The most bytes of a file's name at the beginning of the temporary name, whose length is
limited."""


FAST, _SMALL = 1, 9
"""Levels of gzip. Files that are read once and deleted need not be small: that takes six times as
long.
"""


@contextmanager
def replacing(path: Path, *, private: bool = False, sync: bool = False) -> Iterator[BinaryIO]:
    """Yield a stream whose bytes take the place of the file `path` when the block ends.

    If the block raises, `path` stays as it was. A new file gets the usual permissions, one that
    replaces another keeps those of the other; with `private` it is its owner's alone. With `sync`
    the bytes are on the disk before the file has its name. Raise `OSError` if it cannot be
    written.
    """
    mode = 0o600 if private else _mode_of(path)
    stem = os.fsdecode(os.fsencode(path.stem)[:_LONGEST_STEM])
    part = path.with_name(f"{stem}.{secrets.token_hex(8)}{PART_SUFFIX}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(part, flags, 0o666 if mode is None else mode)
    try:
        with open(descriptor, "wb") as stream:
            if mode is not None:
                # The user's mask applies to new files only.
                os.chmod(part, mode)
            yield stream
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def write_lines(path: Path, lines: Iterable[str], level: int = _SMALL) -> None:
    """Write a compressed text, which appears when it is complete; `level` is that of gzip."""
    # Without a time and a name inside, equal contents are equal files.
    with replacing(path) as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class NewFolder:
    """The wanted folder as the user names it, and `part`, where its files are made."""

    folder: Path
    part: Path
    target: Path

    def keep(self) -> None:
        """Move the files into the wanted folder, in the order in which they were written.

        Raise `OptionError` if that cannot be done; it names the folder where the files stay.
        """
        try:
            if not self.target.exists():
                self.target.parent.mkdir(parents=True, exist_ok=True)
                self.part.rename(self.target)
                return
            if any(path != self.part.parent for path in self.target.iterdir()):
                raise FileExistsError(0, "is no longer empty")
            for path in sorted(self.part.iterdir(), key=lambda path: path.stat().st_mtime_ns):
                path.rename(self.target / path.name)
        except OSError as error:
            # Keep the files out of the folder that is deleted.
            kept = self.part.rename(self.part.parent.with_name(f"kept-{self.part.name}"))
            raise OptionError(
                f"{one_line(str(self.folder))}: {error.strerror}; the output is in {kept}"
            ) from None


def require_new(folder: Path) -> None:
    """Raise `OptionError` if `folder` is neither an empty folder nor one that can be made."""
    _place(folder)


@contextmanager
def new_folder(folder: Path) -> Iterator[NewFolder]:
    """Yield a temporary place for the files of an empty or new folder.

    Unless they are kept, they are deleted. Raise `OptionError` as `require_new` does.
    """
    place, target = _place(folder)
    with _errors_about(folder):
        # A temporary folder is its owner's alone; one inside it has a new folder's permissions.
        temporary = Path(tempfile.mkdtemp(dir=place, prefix=".plansolve-"))
        part = temporary / temporary.name.lstrip(".")
    try:
        part.mkdir()
        yield NewFolder(folder, part, target)
    except OSError as error:
        # Errors of open files, such as a full disk, name none.
        if error.filename is None and error.errno is not None:
            error.filename = str(folder)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _place(folder: Path) -> tuple[Path, Path]:
    """Return where files for a folder can be made, on the same file system, and its whole path."""
    with _errors_about(folder):
        target = folder.resolve()
        place = next(path for path in (target, *target.parents) if path.exists())
        said = one_line(str(folder))
        if not place.is_dir():
            what = (
                "is not a folder" if place == target else f"{one_line(str(place))} is not a folder"
            )
            raise OptionError(f"{said}: {what}; name a new one")
        if place == target and any(place.iterdir()):
            raise OptionError(f"{said}: is not empty; name a new folder")
        if not os.access(place, os.W_OK | os.X_OK):
            raise OptionError(f"{said}: the folder {one_line(str(place))} cannot be written")
        return place, target


@contextmanager
def _errors_about(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OptionError(f"{one_line(str(folder))}: {error.strerror}; name a new folder") from None
    except RuntimeError:
        # Python 3.11 and 3.12 say so of links that lead to themselves.
        raise OptionError(f"{one_line(str(folder))}: its links form a loop") from None
