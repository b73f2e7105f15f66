"""Files that appear when they are whole, or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

PART_SUFFIX = ".part"
"""The end of a temporary file's name. Where its process was killed, the file stays."""

_LONGEST_STEM = 200
"""So many bytes of the file's name begin the temporary name, which has a greatest length too."""


@contextmanager
def replacing(path: Path, *, private: bool = False, sync: bool = False) -> Iterator[BinaryIO]:
    """Yield a stream whose bytes take the place of the file `path` when the block ends.

    Where the block raises, `path` stays as it was. A new file gets the usual permissions, one that
    replaces another keeps those of the other; with `private` it is its owner's alone. With `sync`
    the bytes are on the disk before the file has its name. Raise `OSError` where it cannot be
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
                # The user's mask bears on new files only.
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


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
