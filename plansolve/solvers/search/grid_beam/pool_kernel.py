"""The finished boards of a stage: the best ones, each once."""

import numpy as np

from plansolve.solvers.search.grid_beam.arrays_kernel import (
    ALPHA,
    BANK,
    BITS,
    CONTEXT,
    FIRST_OUT,
    FREE,
    KEEP,
    KIND,
    NODES,
    ONE,
    OTHER,
    OUTPUTS,
    ROOM,
    SALT,
    Arrays,
    Number,
)
from plansolve.solvers.search.grid_beam.distances_kernel import stage_distance
from plansolve.storage.jit import Array, kernel

__all__ = ["finish", "is_known"]


@kernel
def _sink(heap: Array, keys: Array, count: Number) -> None:
    """Restores the order of a heap whose first entry has changed."""
    i = 0
    while True:
        child = 2 * i + 1
        if child >= count:
            return
        if child + 1 < count and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[i]] >= keys[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@kernel
def _place_for(numbers: Array, heap: Array, keys: Array, key: Number) -> Number:
    """Where in the pool a finished board may stand: a free place, the worst board's, or -1."""
    count, keep = numbers[OUTPUTS], numbers[KEEP]
    if count < keep:
        i = count
        keys[count] = key
        heap[count] = count
        while i > 0 and keys[heap[(i - 1) // 2]] < key:
            heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
            i = (i - 1) // 2
        numbers[OUTPUTS] = count + 1
        return np.int64(count)
    if key >= keys[heap[0]]:
        return -1
    place = np.int64(heap[0])
    keys[place] = key
    _sink(heap, keys, count)
    return place


@kernel
def is_known(closed: Array, mark: Number, bits: Number, salt: Number) -> bool:
    """Whether a board was seen in this stage; it is from now on.

    `closed` has 2 ** bits entries. The highest bits of the hash tell the place, the next 32 the
    entry, and the salt of the stage makes all older entries void.
    """
    place = mark >> (np.uint64(64) - bits)
    signature = np.uint32((mark >> (np.uint64(32) - bits)) & np.uint64(0xFFFFFFFF))
    signature ^= np.uint32(salt)
    if closed[place] == signature:
        return True
    closed[place] = signature
    return False


@kernel
def finish(
    numbers: Array, source: Array, slot: Number, blank: Number, to: Number, came: Number,
    h: Number, node: Number, level: Number, mark: Number, store: Arrays, tree: Arrays,
    reach: Arrays,
) -> None:  # fmt: skip
    """Puts a finished board into the pool if it is among the best, by the next stage's distance.

    The board is `source[slot]` with the blank gone from `blank` to `to`; these are the same for
    a board that was finished before the stage began.
    """
    closed, parents, steps = tree
    pool, files, pool_marks, _, keys, heap = store
    if is_known(closed, mark, np.uint64(numbers[BITS]), np.uint64(numbers[SALT])):
        return
    free = np.uint64(numbers[FREE])
    following = 1 - numbers[CONTEXT]
    one, other = numbers[ONE + following], numbers[OTHER + following]
    a: Number = np.uint64(0)
    b: Number = np.uint64(0)
    for cell in range(free):
        if source[slot, cell] == one:
            a = cell
        if source[slot, cell] == other:
            b = cell
    a = blank if a == to else a
    b = blank if b == to else b
    distance = stage_distance(
        numbers, following, numbers[FREE] - numbers[KIND + numbers[CONTEXT]], np.int64(a),
        np.int64(b), np.int64(to), reach,
    )  # fmt: skip
    key = 16 * level + h + ((numbers[ALPHA] * distance) >> 2)
    place = _place_for(numbers, heap, keys, key)
    if place < 0:
        return
    if numbers[FIRST_OUT] < 0:
        numbers[FIRST_OUT] = level
    place += (1 - numbers[BANK]) * numbers[ROOM]
    for cell in range(free):
        pool[place, cell] = source[slot, cell]
    pool[place, blank] = source[slot, to]
    pool[place, to] = source[slot, blank]
    if blank != to:
        parents[numbers[NODES]] = node
        steps[numbers[NODES]] = to
        node = numbers[NODES]
        numbers[NODES] += 1
    files[place, 0] = to
    files[place, 1] = came
    files[place, 2] = h
    files[place, 3] = node
    files[place, 4] = level
    pool_marks[place] = mark
