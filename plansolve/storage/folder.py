"""The cache folder: compiled kernels and tables."""

import os
import re
import shutil
import stat
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

_IMPORTS = re.compile(r"^ *(?:from|import) +([\w.]+)(?: +import +(\([^)]*|.*))?", re.MULTILINE)
_UNUSED_SECONDS = 30 * 86_400
_ALL_USERS = (1 << 32) - 1


def cache_folder() -> Path:
    """Return the user's cache folder of plansolve, or the one that PLANSOLVE_CACHE_DIR names.

    It may not exist yet, and it may be deleted at any time.
    """
    named = os.environ.get("PLANSOLVE_CACHE_DIR")
    return Path(named).expanduser() if named else user_cache_path("plansolve", appauthor=False)


def writable_folder(name: str) -> Path | None:
    """Return a subfolder of the cache folder, made if need be; None if none can be written.

    Its contents, such as compiled code, are trusted. So a folder that others own, can write to or
    can replace is not used.
    """
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
    except OSError:
        return None
    others_may_write = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    is_ours = status.st_uid == os.geteuid() and not others_may_write
    usable = is_ours and os.access(folder, os.W_OK | os.X_OK) and not _can_be_exchanged(folder)
    return folder if usable else None


@cache
def versioned_copy(module: str, file: Path, compiler: str) -> Path | None:
    """Return a copy of a module's file, in a folder for the output of `compiler` for this version.

    The version covers the file, and all that it imports from its own package. None if the copy
    cannot be kept. Folders that nothing has used for a month are deleted.
    """
    folder = writable_folder("kernels")
    if folder is None:
        return None
    home = folder.resolve() / f"{file.stem}-{_digest(module, file, compiler)}"
    copy = home / file.name
    try:
        if not copy.exists():
            for other in folder.iterdir():
                if other.stat().st_mtime < time.time() - _UNUSED_SECONDS:
                    shutil.rmtree(other, ignore_errors=True)
            home.mkdir(mode=0o700, exist_ok=True)
            part = home / f"{os.getpid()}.part"
            part.write_bytes(_source(file))
            part.replace(copy)
        os.utime(home)
    except OSError:
        return None
    return copy


def _digest(module: str, file: Path, compiler: str) -> str:
    package, root = module.partition(".")[0], file.parents[module.count(".")]
    files, new = set[Path](), [file]
    while new:
        path = new.pop()
        if path not in files:
            files.add(path)
            new += _imported(path, root, package)
    sources = sorted((str(path.relative_to(root)), _source(path)) for path in files)
    return sha256(repr((compiler, sources)).encode()).hexdigest()[:16]


@cache
def _imported(file: Path, root: Path, package: str) -> tuple[Path, ...]:
    """Return the files below `root` that a file imports of a package; most modules share them."""
    found: list[Path] = []
    for imported, names in _IMPORTS.findall(_source(file).decode()):
        if imported.split(".")[0] == package:
            place = root.joinpath(*imported.split("."))
            found += place.with_suffix(".py"), place / "__init__.py"
            found += (place / f"{below}.py" for below in re.findall(r"\w+", names))
    return tuple(path for path in found if path.is_file())


@cache
def _source(file: Path) -> bytes:
    return file.read_bytes()


def _can_be_exchanged(folder: Path) -> bool:
    """Return True if somebody else may rename a folder above this one, or replace it.

    Each must be ours or root's, and have its sticky bit set if everybody may write into it.
    """
    trusted = {0, os.geteuid(), *_outside_owners()}
    for above in folder.resolve().parents:
        status = above.stat()
        is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
        if is_open or status.st_uid not in trusted:
            return True
    return False


def _outside_owners() -> set[int]:
    """Return the user number that root and all outside users have in a user namespace."""
    try:
        if Path("/proc/self/uid_map").read_text().split() == ["0", "0", str(_ALL_USERS)]:
            return set()
        return {int(Path("/proc/sys/kernel/overflowuid").read_text())}
    except (OSError, ValueError):
        return set()
