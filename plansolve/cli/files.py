"""Read the input of commands from files or standard input, and write their output."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EISDIR
from pathlib import Path
from typing import BinaryIO

import click

from plansolve.errors import OptionError
from plansolve.text import one_line


def read_input(file: str, limit: int) -> bytes:
    """Read at most `limit` + 1 bytes of a file or of standard input; else raise `OptionError`."""
    if kept := _kept().get(file):
        return kept.beginning(limit)
    try:
        with _opened(file) as stream:
            return stream.read(limit + 1)
    except OSError as error:
        what = "is a folder: give a file" if error.errno == EISDIR else error.strerror
        raise OptionError(f"{shown_name(file)}: {what}") from None


def keep_input(file: str) -> None:
    """Let the command read standard input, or a pipe such as `<(...)`, again; raise `OSError`."""
    if file == "-" or not stat.S_ISREG(os.stat(file).st_mode):
        stream = click.get_current_context().with_resource(_opened(file))
        _kept()[file] = _Once(stream)


@dataclass
class _Once:
    """A stream, and what was read from it, without asking a terminal for more after its end."""

    stream: BinaryIO
    data: bytes = b""
    has_ended: bool = False

    def beginning(self, limit: int) -> bytes:
        """Return at most `limit` + 1 bytes from the beginning."""
        wanted = limit + 1 - len(self.data)
        if wanted > 0 and not self.has_ended:
            more = self.stream.read(wanted)
            self.data += more
            self.has_ended = len(more) < wanted
        return self.data[: limit + 1]


def _kept() -> dict[str, _Once]:
    """Return the input that the command has kept, by the names of files."""
    context = click.get_current_context(silent=True)
    return {} if context is None else context.meta.setdefault(__name__, {})


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file != "-":
        with Path(file).open("rb") as stream:
            yield stream
    elif sys.stdin is None:
        raise OptionError("standard input is closed: give a file")
    else:
        yield sys.stdin.buffer


def is_piped() -> bool:
    """Return True if standard input is a pipe or a file, not a terminal or another device."""
    try:
        return not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (AttributeError, OSError):
        return False  # closed, or not a file


def shown_name(file: str) -> str:
    """Return the name of a file for a message: always visible, and on one line."""
    return "standard input" if file == "-" else one_line(file)


def check_reports(given: Iterable[str], reports: Iterable[str | None]) -> None:
    """Raise `OptionError` for reports that cannot be written or would replace the input."""
    taken = [Path(name).resolve() for name in given]
    for name in filter(None, reports):
        folder = Path(name).resolve().parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise OptionError(f"{one_line(name)}: its folder does not exist or cannot be written")
        if name == "-" or Path(name).is_dir():
            raise OptionError(f"{one_line(name)}: the name of a file is needed here")
        if Path(name).resolve() in taken:
            raise OptionError(f"{shown_name(name)}: named twice: give each file its own name")
        taken.append(Path(name).resolve())


def write_output(name: str | None, parts: Iterable[bytes]) -> None:
    """Write to standard output if the name is - or None, otherwise as `write_file` does."""
    if name in (None, "-"):
        sys.stdout.buffer.writelines(parts)
    else:
        write_file(name, parts)


def write_file(name: str, parts: Iterable[bytes]) -> None:
    """Write a regular file completely or not at all, other files directly; raise `OptionError`."""
    # Most commands write no file.
    from plansolve.storage.files import replacing

    path = Path(name).resolve()
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                stream.writelines(parts)
        else:
            with replacing(path, sync=True) as stream:
                stream.writelines(parts)
    except OSError as error:
        raise OptionError(f"{one_line(name)}: {error.strerror}") from None
