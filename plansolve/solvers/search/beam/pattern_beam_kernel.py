"""Beam search on blank graphs guided by additive pattern databases: the work on one layer.

Boards of up to 32 cells are packed into three 64-bit words. Cell c takes five bits of word c // 12,
from bit 5 * (c % 12) on; the highest four bits of a word are free for other use. A move of the
blank from b to d adds tile * `swing` to each word: the tile leaves d and appears in b, and the
blank, which is 0, needs no room of its own.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import State
from plansolve.model.structure import BlankGraph
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.solvers.search.beam.selection_kernel import Candidates
from plansolve.storage.jit import Array, kernel, typed

Word: TypeAlias = Any
"""A number of 64 bits without sign, as kernels hand it on."""

MOST_CELLS = 32
"""The largest number of cells of a packed board."""

WORDS = 3
"""The words of a packed board."""

CELLS_A_WORD = 12
BITS = 5


@kernel
def mixed(w0: Word, w1: Word, w2: Word) -> Word:
    """Return a well mixed hash of 64 bits of three unsigned words whose free bits are 0."""
    x = w0 * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ x >> np.uint64(32)) + w1
    x *= np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ x >> np.uint64(29)) + w2
    x *= np.uint64(0xA0761D6478BD642F)
    return x ^ x >> np.uint64(32)


def pack(state: State) -> NDArray[np.uint64]:
    """Return the three words of a board."""
    words = [0] * WORDS
    for cell, tile in enumerate(state):
        words[cell // CELLS_A_WORD] |= tile << BITS * (cell % CELLS_A_WORD)
    return np.array(words, np.uint64)


@typed
class Arcs(NamedTuple):
    """The arcs of a blank graph as arrays.

    Arc e with offset[b] <= e < offset[b + 1] leads from cell b to cell[e]; swing[3 * e + w] times
    the tile that stands there is what its move adds to word w (modulo 2**64); penalty[e] is the
    penalty of the move.
    """

    offset: NDArray[np.uint32]
    cell: NDArray[np.uint8]
    swing: NDArray[np.uint64]
    penalty: NDArray[np.uint16]


def arcs_onward(graph: BlankGraph) -> Arcs:
    """Return the arcs of the blank, with the penalties of the moves that a plan will name."""
    return pack_arcs(graph.successors, lambda b, d: graph.penalties[b][d])


def arcs_back(graph: BlankGraph) -> Arcs:
    """Return the reversed arcs: from d to b with the penalty of the move from b to d."""
    return pack_arcs(graph.predecessors, lambda d, b: graph.penalties[b][d])


def pack_arcs(successors: Sequence[Sequence[int]], penalty: Callable[[int, int], int]) -> Arcs:
    """Return the arrays of the graph with these arcs; `penalty(b, d)` is that of an arc."""
    offset, cells, swings, penalties = [0], [], [], []
    for blank, targets in enumerate(successors):
        for target in targets:
            cells.append(target)
            swings.append(_place(blank) - _place(target))
            penalties.append(penalty(blank, target))
        offset.append(len(cells))
    return Arcs(
        np.array(offset, np.uint32),
        np.array(cells, np.uint8),
        np.array(swings, np.uint64).reshape(-1),
        np.array(penalties, np.uint16),
    )


def _place(cell: int) -> NDArray[np.uint64]:
    words = np.zeros(WORDS, np.uint64)
    words[cell // CELLS_A_WORD] = 1 << BITS * (cell % CELLS_A_WORD)
    return words


BLANK_BIT, CAME_BIT, PENALTY_BIT = 40, 45, 50
_BOARD_BITS = np.uint64((1 << BLANK_BIT) - 1)
_MOST_PENALTY = np.int64((1 << 14) - 1)

TIES = 16
"""The number of ties that a guide is split into."""


@typed
class PatternBeamLayer(NamedTuple):
    """The states after the same number of moves.

    words    [3 * states], the packed boards (see `pack`); the third word holds
             from bit 40 on the blank's cell (5 bits), the cell it came from (5 bits; its own cell
             where there is none), and from bit 50 on the sum of penalties (14 bits)
    indices  [groups * states], the index of each pattern in the guide's table
    value    [groups * states], the entry there
    """

    words: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    value: NDArray[np.uint8]


@typed
class PatternGuide(NamedTuple):
    """The blank's arcs, the bounds on the way to the target, and the packed target."""

    arcs: Arcs
    sets: AdditiveSets
    target: NDArray[np.uint64]


class PatternLimits(NamedTuple):
    """The children that become candidates, and their keys: those less than `cut`.

    A key is ((guide * TIES) + tie) * ranks + rank. The guide is the sum of the sets' bounds, none
    of which may be above `allowed`. The tie is four bits of the hash, so that of candidates with
    one guide some are taken as if at random. The rank counts penalties from `least_penalty` on,
    up to ranks - 1: equal states have equal ties, so the one with the fewest penalties comes first.
    """

    allowed: int
    cut: int
    ranks: int
    least_penalty: int


@kernel
def expand(
    begin: int,
    end: int,
    stored: int,
    limits: PatternLimits,
    guide: PatternGuide,
    layer: PatternBeamLayer,
    candidates: Candidates,
    found: Array,
) -> tuple[Word, Word]:
    """Add the children of the states begin .. end - 1 to the `stored` candidates.

    Stop early where the candidates might overflow. A child that is the target becomes `found` =
    (1, parent, arc, penalties), the one with the fewest penalties (int64). Return the state to go
    on with and the number of candidates.
    """
    one, two, three, five_bits = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(31)
    arcs, (table, _, group, weight, first), target = guide
    offset, arc_cell, swing, penalty = arcs
    words, indices, value = layer
    hashes, parents, moves, keys, _, counts = candidates
    cells = np.uint64(offset.size - 1)
    sets = np.uint64(first.size - 1)
    groups = np.uint64(first[sets])
    capacity = np.uint64(hashes.size)
    count = np.uint64(stored)
    allowed, least, zero = np.int64(limits.allowed), np.int64(limits.least_penalty), np.int64(0)
    highest, ranks = np.uint32(limits.cut), np.int64(limits.ranks)
    board = np.empty(36, np.uint8)
    sums = np.empty(first.size, np.int64)
    state = np.uint64(begin)
    while state < np.uint64(end):
        w0, w1, w2 = words[three * state], words[three * state + one], words[three * state + two]
        for k in range(np.uint64(12)):
            shift = np.uint64(5) * np.uint64(k)
            board[np.uint64(k)] = w0 >> shift & five_bits
            board[np.uint64(k) + np.uint64(12)] = w1 >> shift & five_bits
            board[np.uint64(k) + np.uint64(24)] = w2 >> shift & five_bits
        blank = w2 >> np.uint64(BLANK_BIT) & five_bits
        came = w2 >> np.uint64(CAME_BIT) & five_bits
        penalties_before = np.int64(w2 >> np.uint64(PENALTY_BIT))
        if count + np.uint64(offset[blank + one] - offset[blank]) > capacity:
            break
        at = groups * state
        for s in range(sets):
            total = np.int64(0)
            for n in range(np.uint64(first[np.uint64(s)]), np.uint64(first[np.uint64(s) + one])):
                total += np.int64(value[at + np.uint64(n)])
            sums[np.uint64(s)] = total
        for e in range(np.uint64(offset[blank]), np.uint64(offset[blank + one])):
            arc = np.uint64(e)
            cell = np.uint64(arc_cell[arc])
            if cell == came and came != blank:
                continue
            tile = np.uint64(board[cell])
            total, bound = np.int64(0), np.int64(0)
            for s in range(sets):
                row = np.uint64(s) * cells + tile
                g = at + np.uint64(group[row])
                entry = indices[g] + weight[row * cells + blank] - weight[row * cells + cell]
                h = sums[np.uint64(s)] + np.int64(table[entry]) - np.int64(value[g])
                total += h
                bound = max(bound, h)
            if bound > allowed:
                continue
            penalties = min(penalties_before + np.int64(penalty[arc]), _MOST_PENALTY)
            v0 = w0 + tile * swing[three * arc]
            v1 = w1 + tile * swing[three * arc + one]
            v2 = (w2 & _BOARD_BITS) + tile * swing[three * arc + two]
            if total == 0 and v0 == target[0] and v1 == target[1] and v2 == target[2]:
                if found[0] == 0 or penalties < found[3]:
                    found[0] = 1
                    found[1] = np.int64(state)
                    found[2] = np.int64(arc)
                    found[3] = penalties
                continue
            hashed = mixed(v0, v1, v2)
            tie = np.int64(hashed >> np.uint64(60))
            rank = min(max(penalties - least, zero), ranks - 1)
            key = np.uint32((total * TIES + tie) * ranks + rank)
            if key >= highest:
                continue
            hashes[count] = hashed | one
            parents[count] = np.uint32(state)
            moves[count] = np.uint16(arc)
            keys[count] = key
            counts[key] += np.uint32(1)
            count += one
        state += one
    return np.int64(state), np.int64(count)


@kernel
def squeeze(wanted: int, stored: int, candidates: Candidates) -> tuple[Word, Word]:
    """Keep candidates with the smallest keys, `wanted` at most, and all or none of a key.

    Only where too many have the smallest key, some of them are kept. Return their number and the
    cut: candidates with that key or a larger one need not be stored from now on.
    """
    hashes, parents, moves, keys, _, counts = candidates
    kept, cut = np.int64(0), np.uint64(0)
    while cut < np.uint64(counts.size):
        more = kept + np.int64(counts[cut])
        if more > wanted and kept > 0:
            break
        kept = more
        cut += np.uint64(1)
    counts[cut:] = 0
    if kept > wanted:
        kept = np.int64(wanted)
        counts[cut - np.uint64(1)] = np.uint32(kept)
    target = np.uint64(0)
    for c in range(np.uint64(stored)):
        if keys[c] < cut and target < np.uint64(kept):
            hashes[target] = hashes[c]
            parents[target] = parents[c]
            moves[target] = moves[c]
            keys[target] = keys[c]
            target += np.uint64(1)
    return kept, np.int64(cut)


@kernel
def make(
    begin: int,
    end: int,
    guide: PatternGuide,
    layer: PatternBeamLayer,
    candidates: Candidates,
    chosen: Array,
    following: PatternBeamLayer,
) -> None:
    """Make the states begin .. end - 1 of the following layer from the chosen candidates."""
    one, two, three, five_bits = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(31)
    arcs, (table, _, group, weight, first), _ = guide
    offset, arc_cell, swing, penalty = arcs
    words, indices, value = layer
    cells = np.uint64(offset.size - 1)
    sets = np.uint64(first.size - 1)
    groups = np.uint64(first[sets])
    for state in range(np.uint64(begin), np.uint64(end)):
        c = np.uint64(chosen[state])
        parent, arc = np.uint64(candidates.parent[c]), np.uint64(candidates.move[c])
        here, there = three * parent, three * state
        w2 = words[here + two]
        blank = w2 >> np.uint64(BLANK_BIT) & five_bits
        cell = np.uint64(arc_cell[arc])
        shift = np.uint64(5) * (cell % np.uint64(12))
        tile = words[here + cell // np.uint64(12)] >> shift & five_bits
        penalties = min(
            np.int64(w2 >> np.uint64(PENALTY_BIT)) + np.int64(penalty[arc]), _MOST_PENALTY
        )
        following.words[there] = words[here] + tile * swing[three * arc]
        following.words[there + one] = words[here + one] + tile * swing[three * arc + one]
        following.words[there + two] = (
            (w2 & _BOARD_BITS) + tile * swing[three * arc + two]
            | cell << np.uint64(BLANK_BIT)
            | blank << np.uint64(CAME_BIT)
            | np.uint64(penalties) << np.uint64(PENALTY_BIT)
        )
        source, target = groups * parent, groups * state
        for n in range(groups):
            following.indices[target + np.uint64(n)] = indices[source + np.uint64(n)]
            following.value[target + np.uint64(n)] = value[source + np.uint64(n)]
        for s in range(sets):
            row = np.uint64(s) * cells + tile
            g = target + np.uint64(group[row])
            following.indices[g] += weight[row * cells + blank] - weight[row * cells + cell]
            following.value[g] = table[following.indices[g]]
