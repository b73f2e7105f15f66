"""A hash table of whole boards with their depths, for the backward side of bidirectional search.

A slot has K words (2 up to 25 cells, else 3; see `packed_board`): the board, and in the highest
four bits of the first two words the depth, its low half first. A slot with first word 0 is empty:
no board's first word is 0, since at least two cells are in it. The slots (uint64) are divided into
parts of `capacity` slots each, so that as many threads can enter boards at a time; a hash tells the
part, and the slot from which on a board is sought, around the part's end. Boards are compared as
a whole: what is not in the table is not found, and nothing that was entered is lost.
"""

import numpy as np

from plansolve.solvers.search.packed_board_kernel import Word, mixed
from plansolve.storage.jit import Array, kernel

__all__ = ["DEEPEST", "MOST_CAPACITY", "enter", "find", "part_of"]

DEEPEST = 255
"""The largest depth that a slot holds."""

MOST_CAPACITY = 1 << 32
"""The largest number of slots of a part."""

DEPTH_BIT = 60
BOARD_BITS = np.uint64((1 << DEPTH_BIT) - 1)
_BATCH = 32


@kernel
def part_of(hashed: Word, parts: int) -> Word:
    """The part that a board with this hash belongs to."""
    return (hashed & np.uint64(0xFFFF)) * np.uint64(parts) >> np.uint64(16)


@kernel
def find(
    w0: Word, w1: Word, w2: Word, slots: Array, words: int, parts: int, capacity: int
) -> tuple[Word, Word]:
    """Where a board is or would be: its depth or -1, and its slot."""
    size = np.uint64(capacity)
    hashed = mixed(w0, w1, w2)
    first = part_of(hashed, parts) * size
    slot = first + ((hashed >> np.uint64(32)) * size >> np.uint64(32))
    last = first + size
    while True:
        at = slot * np.uint64(words)
        s0 = slots[at]
        if s0 == np.uint64(0):
            return np.int64(-1), slot
        if s0 & BOARD_BITS == w0:
            s1 = slots[at + np.uint64(1)]
            if s1 & BOARD_BITS == w1 and (words == 2 or slots[at + np.uint64(2)] == w2):
                low, high = s0 >> np.uint64(DEPTH_BIT), s1 >> np.uint64(DEPTH_BIT)
                return np.int64(high << np.uint64(4) | low), slot
        slot += np.uint64(1)
        if slot == last:
            slot = first


@kernel
def enter(
    depth: int,
    count: int,
    length: int,
    records: Array,
    slots: Array,
    words: int,
    parts: int,
    capacity: int,
    fresh: Array,
) -> tuple[Word, Word]:
    """Enters the boards of `count` records at `depth`, but those that are there already.

    A record has `length` words, of which the first three are a board (the third with other use
    from bit 40 on). The records of the boards that were entered are copied to `fresh`; returns
    how many there are, and a number without meaning, so that no reading is left out as idle. There
    must be room for all of them, and an empty slot beyond.
    """
    number, step = np.uint64(count), np.uint64(length)
    size, width = np.uint64(capacity), np.uint64(words)
    w2_bits = np.uint64((1 << 40) - 1)
    low = np.uint64(depth & 15) << np.uint64(DEPTH_BIT)
    high = np.uint64(depth >> 4) << np.uint64(DEPTH_BIT)
    entered = np.uint64(0)
    begin, touched = np.uint64(0), np.uint64(0)
    while begin < number:
        end = min(number, begin + np.uint64(_BATCH))
        # Reading the first slots without looking at them lets the processor fetch them together.
        for r in range(begin, end):
            at = step * np.uint64(r)
            hashed = mixed(
                records[at], records[at + np.uint64(1)], records[at + np.uint64(2)] & w2_bits
            )
            slot = part_of(hashed, parts) * size + (
                (hashed >> np.uint64(32)) * size >> np.uint64(32)
            )
            touched ^= slots[slot * width]
        for r in range(begin, end):
            at = step * np.uint64(r)
            w0, w1 = records[at], records[at + np.uint64(1)]
            w2 = records[at + np.uint64(2)] & w2_bits
            known, slot = find(w0, w1, w2, slots, words, parts, capacity)
            if known >= 0:
                continue
            place = slot * width
            slots[place] = w0 | low
            slots[place + np.uint64(1)] = w1 | high
            if width > np.uint64(2):
                slots[place + np.uint64(2)] = w2
            target = step * entered
            for k in range(step):
                fresh[target + np.uint64(k)] = records[at + np.uint64(k)]
            entered += np.uint64(1)
        begin = end
    return np.int64(entered), np.int64(touched)
