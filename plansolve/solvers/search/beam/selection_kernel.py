"""Selection of the next layer of a beam: the candidates with the smallest keys that are new.

Sets of hashes are tables of buckets, open-addressed within a bucket; 0 is a free slot. A full
bucket forgets a hash for each one that is entered. States are told apart by their hashes alone: a
beam may lose a state, and its plans are replayed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed


@typed
class Candidates(NamedTuple):
    """Children that may enter the next layer; equally long arrays, but for `counts`.

    hash    the state's hash, not 0
    parent  the number of the parent in its layer
    move    the arc of the blank, or the operator
    key     small ones are better
    order   scratch: the numbers of the candidates, sorted by key
    counts  how many candidates have each key
    """

    hash: NDArray[np.uint64]
    parent: NDArray[np.uint32]
    move: NDArray[np.uint16]
    key: NDArray[np.uint32]
    order: NDArray[np.uint32]
    counts: NDArray[np.uint32]

    @classmethod
    def room(cls, capacity: int, keys: int) -> "Candidates":
        """Return arrays for `capacity` candidates, with keys below `keys`."""
        return cls(
            np.empty(capacity, np.uint64),
            np.empty(capacity, np.uint32),
            np.empty(capacity, np.uint16),
            np.empty(capacity, np.uint32),
            np.empty(capacity, np.uint32),
            np.zeros(keys, np.uint32),
        )


BYTES_OF_CANDIDATE = 8 + 4 + 2 + 4 + 4


def bucket_table(slots: int, bucket: int) -> Array:
    """Return an empty set: uint64 [buckets, bucket], powers of two, of at least so many slots."""
    buckets = 1 << (-(-slots // bucket) - 1).bit_length()
    return np.zeros((buckets, bucket), np.uint64)


@kernel
def find(table: Array, value: Any) -> tuple[Any, Any]:
    """Return the bucket and the slot that hold a hash, else a free slot for it.

    If the bucket is full, the slot is that of the hash to forget.
    """
    bucket = value >> np.uint64(8) & np.uint64(table.shape[0] - 1)
    size = np.uint64(table.shape[1])
    first = value >> np.uint64(1) & (size - np.uint64(1))
    slot = first
    for _ in range(size):
        held = table[bucket, slot]
        if held == value or held == np.uint64(0):
            return bucket, slot
        slot = (slot + np.uint64(1)) & (size - np.uint64(1))
    return bucket, first


@kernel
def sort(stored: int, candidates: Candidates) -> None:
    """Sort the first `stored` candidates by key into `order`, by counting; empty `counts`."""
    keys, counts, order = candidates.key, candidates.counts, candidates.order
    largest = np.uint32(0)
    for c in range(np.uint64(stored)):
        largest = max(largest, keys[c])
    used = np.uint64(largest) + np.uint64(1)
    counts[:used] = 0
    for c in range(np.uint64(stored)):
        counts[keys[c]] += np.uint32(1)
    total = np.uint32(0)
    for key in range(used):
        count = counts[key]
        counts[key] = total
        total += count
    for c in range(np.uint64(stored)):
        place = counts[keys[c]]
        order[place] = np.uint32(c)
        counts[keys[c]] = place + np.uint32(1)
    counts[:used] = 0


@kernel
def select(
    begin: int,
    end: int,
    taken: int,
    width: int,
    candidates: Candidates,
    closed: Array,
    chosen: Array,
) -> Any:
    """Choose of order[begin .. end - 1] those whose states are new, until `width` are chosen.

    `chosen` (uint32) holds the numbers of `taken` candidates already; their hashes are in the set
    `closed`. Return how many are chosen then.
    """
    count = np.uint64(taken)
    for place in range(np.uint64(begin), np.uint64(end)):
        if count >= np.uint64(width):
            break
        c = np.uint64(candidates.order[place])
        value = candidates.hash[c]
        bucket, slot = find(closed, value)
        if closed[bucket, slot] == value:
            continue
        closed[bucket, slot] = value
        chosen[count] = np.uint32(c)
        count += np.uint64(1)
    return np.int64(count)
