"""Small arrays that lemmas are made from, kept as files in the user's cache folder.

A file is the SHA-256 of the rest and the rest, in numpy's format of several arrays, among them the
key that says what they depend on. A file that is damaged or about something else is made anew.
"""

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.folder import writable_folder
from plansolve.storage.notices import LEMMA_TABLES, announce

__all__ = ["Arrays", "load_or_build"]

Arrays: TypeAlias = Mapping[str, NDArray[np.int64]]

_KEY = "key"
_DIGEST = hashlib.sha256().digest_size
_MOST_BYTES = 1 << 28


def load_or_build(name: str, key: Mapping[str, Any], build: Callable[[], Arrays]) -> Arrays:
    """The arrays that `build` makes, from a file where there is one.

    `key`, as JSON, is everything that they depend on; `name` is the beginning of the file's name.
    Where the cache folder cannot be written they are built each time.
    """
    text = json.dumps([name, key], sort_keys=True).encode()
    folder = writable_folder("lemmas")
    if folder is None:
        announce(LEMMA_TABLES)
        return build()
    path = folder / f"{name}-{hashlib.sha256(text).hexdigest()[:16]}.npz"
    arrays = _read(path, text)
    if arrays is None:
        announce(LEMMA_TABLES)
        arrays = build()
        with suppress(OSError):
            _write(path, text, arrays)
    return arrays


def _read(path: Path, key: bytes) -> Arrays | None:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return None
    if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        return None
    try:
        with np.load(io.BytesIO(data[_DIGEST:]), allow_pickle=False) as found:
            if found[_KEY].tobytes() != key:
                return None
            return {name: found[name].astype(np.int64) for name in found.files if name != _KEY}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError, BadZipFile):
        # The sum is right, but that is not what we write.
        return None


def _write(path: Path, key: bytes, arrays: Arrays) -> None:
    stream = io.BytesIO()
    stored: dict[str, Any] = {_KEY: np.frombuffer(key, np.uint8), **arrays}
    np.savez_compressed(stream, **stored)
    data = stream.getvalue()
    descriptor, part = tempfile.mkstemp(".part", f"{path.stem}.", path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(hashlib.sha256(data).digest() + data)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
