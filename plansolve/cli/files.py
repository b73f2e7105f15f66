"""Write files for the commands: whole, or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from plansolve.cli.board import shown_name
from plansolve.errors import OptionError
from plansolve.storage.atomic import replacing

__all__ = ["check_writable", "write_file"]


def check_writable(name: str) -> None:
    """Raise `OptionError` before the work where its outcome could not be written after it."""
    folder = Path(name).resolve().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise OptionError(f"{shown_name(name)}: its folder does not exist or cannot be written")
    if name == "-" or Path(name).is_dir():
        raise OptionError(f"{shown_name(name)}: the name of a file is needed here")


def write_file(name: str, parts: Iterable[bytes]) -> None:
    """Write a regular file whole or not at all; what else has the name is written to.

    Raise `OptionError` that names the file where it cannot be written.
    """
    path = Path(name).resolve()
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                stream.writelines(parts)
        else:
            with replacing(path, sync=True) as stream:
                stream.writelines(parts)
    except OSError as error:
        raise OptionError(f"{shown_name(name)}: {error.strerror}") from None
