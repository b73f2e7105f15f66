"""The folder where plansolve keeps what is expensive to make: compiled kernels and tables."""

import os
import stat
from pathlib import Path

from platformdirs import user_cache_path

__all__ = ["cache_folder", "writable_folder"]


def cache_folder() -> Path:
    """The user's cache folder of plansolve, or the folder that PLANSOLVE_CACHE_DIR names.

    It may not exist yet, and it may be deleted at any time.
    """
    named = os.environ.get("PLANSOLVE_CACHE_DIR")
    return Path(named).expanduser() if named else user_cache_path("plansolve", appauthor=False)


def writable_folder(name: str) -> Path | None:
    """The subfolder `name` of the cache folder, made if need be; None where none can be written.

    What is in it is trusted to some degree, compiled code altogether: a folder that others own or
    may write into is not used.
    """
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
    except OSError:
        return None
    others_may_write = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    is_ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    usable = is_ours and not others_may_write and os.access(folder, os.W_OK | os.X_OK)
    return folder if usable else None
