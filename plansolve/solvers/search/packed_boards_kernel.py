"""Breadth-first expansion of boards that are packed into words of 64 bits.

A board has `words` numbers, and each cell its bits in one of them. Boards are numbered in the order
in which they were met, 0 the start, so that those of one distance follow each other. A hash table
with open addresses holds their numbers plus one, 0 where it is empty. The table has twice as many
places as there is room for boards.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import kernel, typed

Number: TypeAlias = Any

COUNT, NEXT, FOUND = range(3)
"""In `numbers`: the boards met, the first of them that is not expanded, a board of the goal."""

LEVEL_DONE, SLICE_DONE, GOAL, FULL = range(4)
"""The reasons to stop: the level has come to its end, or the slice; a board of the goal was met;
there is no room for what the next board may lead to."""

_MIXER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@typed
class PackedRules(NamedTuple):
    """The operators, the goal, and where the bits of each cell are.

    Kinds are numbered 0, 1 ... `kinds` - 1. The operators that need kind k in cell c, as the first
    of their needs, are numbers first[c * kinds + k] .. first[c * kinds + k + 1] - 1; those that
    need nothing come last. Operator i also needs, for j from need[i] to need[i + 1] - 1,
    `need_kind[j]` in `need_cell[j]`; and it fills `cell[j]` from `source[j]` for j from move[i] to
    move[i + 1] - 1. Cell c has the bits `low` << `shift[c]` of word `word[c]`. The goal's words are
    `goal`, where `mask` has bits.
    """

    first: NDArray[np.uint32]
    need: NDArray[np.uint32]
    need_cell: NDArray[np.uint16]
    need_kind: NDArray[np.uint16]
    move: NDArray[np.uint32]
    cell: NDArray[np.uint16]
    source: NDArray[np.uint16]
    word: NDArray[np.uint16]
    shift: NDArray[np.uint64]
    low: Number
    kinds: Number
    goal: NDArray[np.uint64]
    mask: NDArray[np.uint64]


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
    cells, kinds = np.uint64(len(rules.word)), np.uint64(rules.kinds)
    operators = np.int64(len(rules.need) - 1)
    room = np.int64(len(boards.parent)) - operators
    content = np.zeros(len(rules.word), np.uint64)
    numbers = boards.numbers
    while numbers[NEXT] < end:
        if most == 0:
            return SLICE_DONE
        if numbers[COUNT] > room:
            return FULL
        most -= 1
        here = np.uint64(numbers[NEXT]) * np.uint64(len(rules.goal))
        for place in range(cells):
            c = np.uint64(place)
            content[c] = boards.board[here + rules.word[c]] >> rules.shift[c] & rules.low
        # The last round is that of the operators that need nothing.
        for place in range(cells + np.uint64(1)):
            c = np.uint64(place)
            key = c * kinds + (content[c] if c < cells else np.uint64(0))
            for number in range(rules.first[key], rules.first[key + np.uint64(1)]):
                i = np.uint64(number)
                applies = True
                for index in range(rules.need[i], rules.need[i + np.uint64(1)]):
                    j = np.uint64(index)
                    if content[np.uint64(rules.need_cell[j])] != rules.need_kind[j]:
                        applies = False
                        break
                if applies and _meet(rules, boards, content, here, i):
                    numbers[FOUND] = numbers[COUNT] - 1
                    return GOAL
        numbers[NEXT] += 1
    return LEVEL_DONE


@kernel
def _meet(
    rules: PackedRules, boards: PackedBoards, content: Number, here: Number, i: Number
) -> bool:
    """Add the board after operator i unless it is known; return True for a new one of the goal."""
    words = np.uint64(len(rules.goal))
    count = np.uint64(boards.numbers[COUNT])
    there = count * words
    for word in range(words):
        w = np.uint64(word)
        boards.board[there + w] = boards.board[here + w]
    for index in range(rules.move[i], rules.move[i + np.uint64(1)]):
        j = np.uint64(index)
        cell, source = np.uint64(rules.cell[j]), np.uint64(rules.source[j])
        change = (content[cell] ^ content[source]) << rules.shift[cell]
        boards.board[there + np.uint64(rules.word[cell])] ^= change
    if not _entered(boards, count, words):
        return False
    boards.parent[count] = boards.numbers[NEXT]
    boards.numbers[COUNT] += 1
    for word in range(words):
        w = np.uint64(word)
        if boards.board[there + w] & rules.mask[w] != rules.goal[w]:
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
