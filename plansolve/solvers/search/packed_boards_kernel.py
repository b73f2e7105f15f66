"""Breadth-first expansion of boards that are packed into words of 64 bits.

Boards are numbered in the order in which they were met, 0 the start, so that those of one distance
follow each other. A hash table with open addresses holds their numbers plus one, 0 where it is
empty. The table has twice as many places as there is room for boards.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import kernel, typed

Number: TypeAlias = Any
Words: TypeAlias = NDArray[np.uint64]

COUNT, NEXT = range(2)
"""In `numbers`: the boards met, and the first of them that is not expanded."""

LEVEL_DONE, SLICE_DONE, GOAL, FULL = range(4)
"""The reasons to stop: the level has come to its end, or the slice; the board met last is one of
the goal; there is no room for what the next board may lead to."""

_MIXER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@typed
class PackedRules(NamedTuple):
    """The moves and the goal, a board's number of words for each.

    Group g applies to boards that have the bits `piece` under `piece_mask`, and holds the moves
    first[g] .. first[g + 1] - 1. Each of them needs the bits `value` under `mask`, and flips
    `flip`. Boards of the goal have the bits `goal` under `goal_mask`.
    """

    first: NDArray[np.uint32]
    piece: NDArray[np.uint64]
    piece_mask: NDArray[np.uint64]
    value: NDArray[np.uint64]
    mask: NDArray[np.uint64]
    flip: NDArray[np.uint64]
    goal: NDArray[np.uint64]
    goal_mask: NDArray[np.uint64]


@typed
class PackedBoards(NamedTuple):
    """The boards met, row by row; the number of the board before each; the hash table; numbers."""

    board: NDArray[np.uint64]
    parent: NDArray[np.uint32]
    place: NDArray[np.uint32]
    numbers: NDArray[np.int64]


@kernel
def expand(rules: PackedRules, boards: PackedBoards, end: Number, most: Number) -> int:
    """Expand the boards before number `end`, at most so many; return why it stops."""
    words, numbers = np.uint64(len(rules.goal)), boards.numbers
    room = len(boards.parent) - len(rules.value) // len(rules.goal)
    while numbers[NEXT] < end:
        if most == 0:
            return SLICE_DONE
        if numbers[COUNT] > room:
            return FULL
        most -= 1
        here = np.uint64(numbers[NEXT]) * words
        for group in range(len(rules.first) - 1):
            g = np.uint64(group)
            if not _has(boards, here, rules.piece, rules.piece_mask, g * words):
                continue
            for number in range(rules.first[g], rules.first[g + np.uint64(1)]):
                move = np.uint64(number) * words
                if not _has(boards, here, rules.value, rules.mask, move):
                    continue
                there = np.uint64(numbers[COUNT]) * words
                for word in range(words):
                    w = np.uint64(word)
                    boards.board[there + w] = boards.board[here + w] ^ rules.flip[move + w]
                if not _entered(boards, np.uint64(numbers[COUNT]), words):
                    continue
                boards.parent[np.uint64(numbers[COUNT])] = numbers[NEXT]
                numbers[COUNT] += 1
                if _has(boards, there, rules.goal, rules.goal_mask, np.uint64(0)):
                    return GOAL
        numbers[NEXT] += 1
    return LEVEL_DONE


@kernel
def _has(boards: PackedBoards, here: Number, value: Words, mask: Words, at: Number) -> bool:
    """Return True if the board whose words begin `here` has the bits `value` under `mask`."""
    # Loops over words of all boards take the same turn each time.
    for word in range(len(boards.board) // len(boards.parent)):
        w = np.uint64(word)
        if boards.board[here + w] & mask[at + w] != value[at + w]:
            return False
    return True


@kernel
def _entered(boards: PackedBoards, number: Number, words: Number) -> bool:
    """Enter the board of that number into the hash table; return False if it is there already."""
    here, last = number * words, np.uint64(len(boards.place) - 1)
    mixed = np.uint64(0)
    for word in range(words):
        mixed = (mixed ^ boards.board[here + np.uint64(word)]) * _MIXER
        mixed ^= mixed >> _HALF
    at = mixed & last
    while boards.place[at]:
        other = np.uint64(boards.place[at] - np.uint32(1)) * words
        is_same = True
        for word in range(words):
            w = np.uint64(word)
            if boards.board[other + w] != boards.board[here + w]:
                is_same = False
                break
        if is_same:
            return False
        at = at + np.uint64(1) & last
    boards.place[at] = number + np.uint64(1)
    return True


@kernel
def enter_all(boards: PackedBoards, words: Number) -> None:
    """Enter all boards into the empty hash table."""
    for number in range(np.uint64(boards.numbers[COUNT])):
        _entered(boards, np.uint64(number), np.uint64(words))
