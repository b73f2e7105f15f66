"""Small arrays that lemmas are made from, kept as files of the store."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.folder import writable_folder
from plansolve.storage.notices import LEMMA_TABLES, making
from plansolve.storage.store import Bytes, Store, StoreKey

__all__ = ["KIND", "Arrays", "arrays_store", "decoded", "load_or_build"]

Arrays: TypeAlias = Mapping[str, NDArray[np.int64]]

KIND = "arrays"
"""The kind of these files in the store."""

_MOST_BYTES = 1 << 28
_ELEMENT = np.dtype("<i8")


def load_or_build(name: str, key: Mapping[str, Any], build: Callable[[], Arrays]) -> Arrays:
    """Return the arrays that `build` makes, from a file where there is one.

    `key`, as JSON, is everything that they depend on; `name` is the beginning of the file's name.
    Where the cache folder cannot be written they are built each time.
    """
    store = arrays_store()
    whole_key = StoreKey(KIND, name, {"name": name, "key": key})
    stored = store.load(whole_key, _MOST_BYTES)
    arrays = None if stored is None else decoded(stored)
    if arrays is None:
        with making(LEMMA_TABLES):
            arrays = build()
        with suppress(OSError):
            store.write(whole_key, _encoded(arrays))
    return arrays


def arrays_store() -> Store:
    """Return where such arrays are kept."""
    folder = writable_folder("lemmas")
    return Store(folder, in_memory=folder is None)


def _encoded(arrays: Arrays) -> Bytes:
    """A line of JSON with names and shapes, and the numbers."""
    shapes = {name: array.shape for name, array in arrays.items()}
    numbers = (np.ascontiguousarray(array, _ELEMENT).tobytes() for array in arrays.values())
    data = b"".join((json.dumps(shapes).encode(), b"\n", *numbers))
    return np.frombuffer(data, np.uint8)


def decoded(stored: Bytes) -> Arrays | None:
    """The arrays, or None where the bytes are not what `_encoded` writes."""
    line, _, numbers = stored.tobytes().partition(b"\n")
    try:
        shapes = json.loads(line)
        arrays, begin = {}, 0
        for name, shape in shapes.items():
            if not all(type(length) is int and length >= 0 for length in shape):
                return None
            count = prod(shape)
            array = np.frombuffer(numbers, _ELEMENT, count, begin)
            arrays[name] = array.reshape(shape).astype(np.int64)
            begin += array.nbytes
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    return arrays if begin == len(numbers) else None
