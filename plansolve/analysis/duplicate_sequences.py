"""Which sequences of moves have the effect of a smaller one: enumerated by length.

What a word is, and in which order it is smaller, is said in `solvers.search.automaton`.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["EVERY_PLAN", "ONE_PLAN", "Alphabet", "Keep", "Level", "Numbers", "word_levels"]

Keep: TypeAlias = Literal["one plan", "every plan"]
ONE_PLAN: Keep = "one plan"
EVERY_PLAN: Keep = "every plan"

Numbers: TypeAlias = NDArray[np.int64]
_Boards: TypeAlias = NDArray[Any]

_MIXER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@dataclass(frozen=True)
class Alphabet:
    """Arcs between vertices: those of vertex v are first[v] .. first[v+1]-1.

    An arc permutes the cells' contents: a cell's new one is that of cell `source[arc, cell]`, or
    the contents of the two cells of `exchange` change places. Words begin in any vertex.
    """

    first: Numbers
    target: Numbers
    label: Numbers
    price: Numbers
    source: Numbers | None
    exchange: tuple[Numbers, Numbers] | None = None

    @property
    def vertices(self) -> int:
        return len(self.first) - 1

    @property
    def cells(self) -> int:
        return self.vertices if self.source is None else self.source.shape[1]

    def moved(self, boards: _Boards, arcs: Numbers) -> _Boards:
        """The boards after one arc each."""
        if self.source is not None:
            width = boards.shape[1]
            padding = np.broadcast_to(
                np.arange(self.cells, width), (len(self.source), width - self.cells)
            )
            source = np.hstack((self.source, padding))
            return np.take_along_axis(boards, source[arcs], axis=1)
        assert self.exchange is not None
        rows, here, there = np.arange(len(arcs)), *(ends[arcs] for ends in self.exchange)
        after = boards.copy()
        after[rows, here] = boards[rows, there]
        after[rows, there] = boards[rows, here]
        return after


class Level:
    """The words of one length that contain no forbidden word, in alphabetical order.

    `link` is the number of each word's tail (without its first move) on the level before. Each
    word has a slot for each arc of its last vertex, the first one at `slot`; a slot's `child` is
    the longer word's number on the next level, or -1 where that is no word; `barred` tells that
    it is forbidden and no shorter part of it is.
    """

    def __init__(self, alphabet: Alphabet, vertex: Numbers, link: Numbers) -> None:
        self.vertex, self.link = vertex, link
        degree = np.diff(alphabet.first)[vertex]
        self.slot = np.cumsum(degree) - degree
        self.parent = np.repeat(np.arange(len(vertex)), degree)
        position = np.arange(len(self.parent)) - self.slot[self.parent]
        self.arc = alphabet.first[vertex][self.parent] + position
        self.position = position
        self.child = np.full(len(self.parent), -1, np.int64)
        self.barred = np.zeros(len(self.parent), np.bool_)

    @property
    def count(self) -> int:
        return len(self.vertex)


@dataclass(frozen=True)
class _Effects:
    """What words do: where they begin, the labelled boards they end with, what they cost.

    `boards` are padded to whole 64-bit words. `order` sorts by `code` (a hash of beginning and
    board), within equal codes by penalty, and then alphabetically.
    """

    begin: Numbers
    boards: _Boards
    penalty: Numbers
    code: NDArray[np.uint64]
    order: Numbers

    @classmethod
    def of(cls, begin: Numbers, boards: _Boards, penalty: Numbers) -> "_Effects":
        code = begin.astype(np.uint64)
        for column in boards.view(np.uint64).T:
            code = (code ^ column) * _MIXER
            code ^= code >> _HALF
        priced = penalty.any()
        order = np.lexsort((penalty, code)) if priced else np.argsort(code, kind="stable")
        return cls(begin, boards, penalty, code, order)

    def chosen(self, words: Numbers) -> "_Effects":
        """Those of some of the words, given in ascending order."""
        return _Effects.of(self.begin[words], self.boards[words], self.penalty[words])

    def same_as(self, mine: Numbers, other: "_Effects", others: Numbers) -> NDArray[np.bool_]:
        """For each pair of words, whether beginnings and whole boards agree."""
        equal = self.boards[mine] == other.boards[others]
        return np.asarray((self.begin[mine] == other.begin[others]) & equal.all(axis=1))

    def found_in(self, other: "_Effects") -> Numbers:
        """The words whose effect a word of `other` has as well."""
        sorted_codes, wanted = other.code[other.order], self.code[self.order]
        place = np.minimum(np.searchsorted(sorted_codes, wanted), len(sorted_codes) - 1)
        hits = np.flatnonzero(sorted_codes[place] == wanted)
        mine, others = self.order[hits], other.order[place[hits]]
        return mine[self.same_as(mine, other, others)]

    def later_twins(self) -> Numbers:
        """The words whose effect a smaller word of the same length has."""
        codes = self.code[self.order]
        is_head = np.concatenate(([True], codes[1:] != codes[:-1]))
        head = np.maximum.accumulate(np.where(is_head, np.arange(len(codes)), 0))
        rest = np.flatnonzero(~is_head)
        mine, heads = self.order[rest], self.order[head[rest]]
        return mine[self.same_as(mine, self, heads)]


def word_levels(
    alphabet: Alphabet, length: int, keep: Keep, most_words: int, most_bytes: int
) -> list[Level]:
    """The words of 0, 1, 2 ... moves; at least those of one move."""
    vertices = np.arange(alphabet.vertices)
    levels = [Level(alphabet, vertices, np.zeros_like(vertices))]
    kind = np.dtype(np.uint8 if alphabet.cells <= 1 << 8 else np.uint16)
    width = -(-alphabet.cells * kind.itemsize // 8) * 8 // kind.itemsize
    boards = np.repeat(np.arange(width).astype(kind)[None], alphabet.vertices, axis=0)
    effects = [_Effects.of(vertices, boards, np.zeros_like(vertices))]
    words = 0
    for number in range(1, length + 1):
        level = levels[-1]
        words += len(level.parent)
        if words > most_words or words * width * kind.itemsize > most_bytes:
            break
        slots, link = _candidates(alphabet, levels)
        parents, arcs = level.parent[slots], level.arc[slots]
        fresh = _Effects.of(
            effects[-1].begin[parents],
            alphabet.moved(effects[-1].boards[parents], arcs),
            effects[-1].penalty[parents] + alphabet.price[arcs],
        )
        allowed = np.ones(len(slots), np.bool_)
        for shorter in effects:
            allowed[fresh.found_in(shorter)] = False
        if keep == ONE_PLAN:
            allowed[fresh.later_twins()] = False
        level.barred[slots[~allowed]] = True
        level.child[slots[allowed]] = np.arange(np.count_nonzero(allowed))
        levels.append(Level(alphabet, alphabet.target[arcs[allowed]], link[allowed]))
        if not allowed.any():
            break
        if number < length:
            effects.append(fresh.chosen(np.flatnonzero(allowed)))
    if len(levels) == 1:
        _follow_all(alphabet, levels)
    return levels


def _follow_all(alphabet: Alphabet, levels: list[Level]) -> None:
    """Adds the words of one move, none of them forbidden."""
    slots, link = _candidates(alphabet, levels)
    levels[0].child[slots] = slots
    levels.append(Level(alphabet, alphabet.target, link))


def _candidates(alphabet: Alphabet, levels: list[Level]) -> tuple[Numbers, Numbers]:
    """The slots of the last level whose words' tails are words, and the tails' numbers."""
    level = levels[-1]
    if len(levels) == 1:
        return np.arange(len(level.parent)), alphabet.target[level.arc]
    before = levels[-2]
    tails = before.child[before.slot[level.link][level.parent] + level.position]
    slots = np.flatnonzero(tails >= 0)
    return slots, tails[slots]
