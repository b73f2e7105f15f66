"""The lookups of a bound, see `bounds.bound`: open addressing hash tables of keys."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = ["EMPTY", "Lookups", "look_up", "looked_up"]

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The key of a place that is not used."""
_MIXER = np.uint64(0x9E3779B97F4A7C15)


@typed
class Lookups(NamedTuple):
    """P lookups of boards with N cells.

    weight[(content * N + cell) * P + p]  what a cell's content adds to the key of lookup p
    begin[p]                              where its hash table begins; begin[P] is the end;
                                          the lengths are powers of two
    key[place], worth[place]              the tables
    """

    weight: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    key: NDArray[np.uint64]
    worth: NDArray[np.int64]


@kernel
def look_up(code: np.uint64, begin: np.uint64, end: np.uint64, key: Array, worth: Array) -> int:
    """What the table from `begin` to `end` holds for a key, 0 where it holds nothing."""
    one, mask = np.uint64(1), end - begin - np.uint64(1)
    place = ((code * _MIXER) >> np.uint64(32)) & mask
    while key[begin + place] != code:
        if key[begin + place] == EMPTY:
            return 0
        place = (place + one) & mask
    return worth[begin + place]  # type: ignore[no-any-return]


@kernel
def looked_up(lookups: Lookups, here: np.uint64, cells: np.uint64, states: Array) -> int:
    """The sum of all lookups for the board at states[here]."""
    one = np.uint64(1)
    weight, begin, key, worth = lookups
    parts, total = np.uint64(begin.size) - one, 0
    for part in range(parts):
        code = np.uint64(0)
        for cell in range(cells):
            row = np.uint64(states[here + cell]) * cells + cell
            code += weight[row * parts + part]
        total += look_up(code, begin[part], begin[part + one], key, worth)
    return total
