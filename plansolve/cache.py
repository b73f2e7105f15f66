"""The folder where plansolve keeps what is dear to make: compiled kernels and tables."""

import os
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
    """The subfolder `name` of the cache folder, made if need be; None where none can be written."""
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None
