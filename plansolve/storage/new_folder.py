"""Folders that appear when they are whole, or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from plansolve.errors import OptionError

__all__ = ["NewFolder", "new_folder", "require_new"]


@dataclass(frozen=True)
class NewFolder:
    """An empty folder `part` that takes the place of `folder` when it is kept."""

    folder: Path
    part: Path

    def keep(self) -> None:
        """Give the folder its name; raise `OptionError` where that cannot be done."""
        with _errors_about(self.folder):
            with suppress(FileNotFoundError):
                self.folder.rmdir()
            self.part.rename(self.folder)


def require_new(folder: Path) -> None:
    """Raise `OptionError` where no new folder of that name can be made, or an empty one filled."""
    with _errors_about(folder):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OptionError(f"{folder}: is no folder; name a new one")
        if folder.is_dir() and any(folder.iterdir()):
            raise OptionError(f"{folder}: is not empty; name a new folder")
        above = next(parent for parent in folder.resolve().parents if parent.exists())
        if not os.access(above, os.W_OK | os.X_OK):
            raise OptionError(f"{folder}: the folder {above} cannot be written")


@contextmanager
def new_folder(folder: Path) -> Iterator[NewFolder]:
    """Yield a folder to fill, beside the wanted one; unless it is kept, nothing of it stays.

    Missing folders above it are made. Raise `OptionError` as `require_new` does.
    """
    require_new(folder)
    with _errors_about(folder):
        target = folder.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        # A temporary folder is its owner's alone; one inside it has a new folder's permissions.
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        part = temporary / "part"
        part.mkdir()
        yield NewFolder(folder, part)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _errors_about(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OptionError(f"{folder}: {error.strerror}") from None
