"""Beam search on blank graphs guided by additive pattern databases: the work on one layer.

A layer holds the states after the same number of moves, in three arrays. State i has
  words[3 * i + w]  the packed board (see `packed_board`); the third word holds from bit 40 on the
                    blank's cell (5 bits), the cell it came from (5 bits; its own cell where there
                    is none), and from bit 50 on the sum of penalties (14 bits) (uint64),
  index[G * i + g]  the index of group g in `table` (uint32),
  value[G * i + g]  the entry there (uint8).
The databases are the arrays of `AdditiveSets`. A *candidate* is a child that may enter the next
layer: its hash (uint64), the number of its parent (uint32), its arc (uint16) and its key (uint32).
Small keys are better. A key is ((guide * TIES) + tie) * ranks + rank: the guide is the sum of the
sets' bounds, the tie four bits of the hash, so that candidates of one guide are taken as if at
random, and the rank counts penalties from the layer's least on, up to ranks - 1. Equal states
have equal ties, so the one with the fewest penalties comes first. `counts` tells how many
candidates each key has.

The closed table holds the hashes of all states that were ever *selected*, in buckets of eight; a
full bucket forgets one. Two states with one hash count as equal: a beam may lose a state.
"""

import numpy as np

from plansolve.solvers.search.packed_board_kernel import Word, mixed
from plansolve.storage.jit import Array, kernel

__all__ = ["BLANK_BIT", "CAME_BIT", "PENALTY_BIT", "TIES", "arrange", "expand", "select", "squeeze"]

BUCKET = 8
BLANK_BIT, CAME_BIT, PENALTY_BIT = 40, 45, 50
_BOARD_BITS = np.uint64((1 << BLANK_BIT) - 1)
_MOST_PENALTY = np.int64((1 << 14) - 1)

TIES = 16
"""The number of ties that a guide is split into."""


@kernel
def expand(
    begin: int,
    end: int,
    stored: int,
    allowed: int,
    cut: int,
    ranks: int,
    least_penalty: int,
    offset: Array,
    arc_cell: Array,
    swing: Array,
    penalty: Array,
    table: Array,
    group: Array,
    weight: Array,
    first: Array,
    words: Array,
    index: Array,
    value: Array,
    goal: Array,
    hashes: Array,
    parents: Array,
    arcs: Array,
    keys: Array,
    counts: Array,
    goal_found: Array,
) -> tuple[Word, Word]:
    """Adds the children of the states begin .. end - 1 to the `stored` candidates.

    Leaves out children whose largest bound exceeds `allowed`, or whose key is `cut` or more.
    Stops early where the candidates might overflow. A child that is the goal becomes
    goal_found = (1, parent, arc, penalties), the one with the fewest penalties. Returns the state
    to go on with and the number of candidates.
    """
    one, two, three, five_bits = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(31)
    cells = np.uint64(offset.size - 1)
    sets = np.uint64(first.size - 1)
    groups = np.uint64(first[sets])
    capacity = np.uint64(hashes.size)
    count = np.uint64(stored)
    highest, zero = np.uint32(cut), np.int64(0)
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
        suffered = np.int64(w2 >> np.uint64(PENALTY_BIT))
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
            guide, bound = np.int64(0), np.int64(0)
            for s in range(sets):
                row = np.uint64(s) * cells + tile
                g = at + np.uint64(group[row])
                entry = index[g] + weight[row * cells + blank] - weight[row * cells + cell]
                h = sums[np.uint64(s)] + np.int64(table[entry]) - np.int64(value[g])
                guide += h
                bound = max(bound, h)
            if bound > allowed:
                continue
            pains = min(suffered + np.int64(penalty[arc]), _MOST_PENALTY)
            v0 = w0 + tile * swing[three * arc]
            v1 = w1 + tile * swing[three * arc + one]
            v2 = (w2 & _BOARD_BITS) + tile * swing[three * arc + two]
            if guide == 0 and v0 == goal[0] and v1 == goal[1] and v2 == goal[2]:
                if goal_found[0] == 0 or pains < goal_found[3]:
                    goal_found[0] = 1
                    goal_found[1] = np.int64(state)
                    goal_found[2] = np.int64(arc)
                    goal_found[3] = pains
                continue
            hashed = mixed(v0, v1, v2)
            tie = np.int64(hashed >> np.uint64(60))
            rank = min(max(pains - np.int64(least_penalty), zero), np.int64(ranks - 1))
            key = np.uint32((guide * TIES + tie) * ranks + rank)
            if key >= highest:
                continue
            hashes[count] = hashed
            parents[count] = np.uint32(state)
            arcs[count] = np.uint16(arc)
            keys[count] = key
            counts[key] += np.uint32(1)
            count += one
        state += one
    return np.int64(state), np.int64(count)


@kernel
def squeeze(
    wanted: int, stored: int, hashes: Array, parents: Array, arcs: Array, keys: Array, counts: Array
) -> tuple[Word, Word]:
    """Keeps candidates with the smallest keys, `wanted` at most, and all or none of a key.

    Only where too many have the smallest key, some of them are kept. Returns their number and the
    cut: candidates with that key or a larger one need not be stored from now on.
    """
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
    for source in range(np.uint64(stored)):
        c = np.uint64(source)
        if keys[c] < cut and target < np.uint64(kept):
            hashes[target] = hashes[c]
            parents[target] = parents[c]
            arcs[target] = arcs[c]
            keys[target] = keys[c]
            target += np.uint64(1)
    return kept, np.int64(cut)


@kernel
def arrange(stored: int, keys: Array, counts: Array, order: Array) -> None:
    """Sorts the numbers of the candidates by key into `order` (uint32); empties `counts`."""
    total = np.uint32(0)
    for key in range(np.uint64(counts.size)):
        count = counts[np.uint64(key)]
        counts[np.uint64(key)] = total
        total += count
    for candidate in range(np.uint64(stored)):
        c = np.uint64(candidate)
        place = counts[keys[c]]
        order[place] = np.uint32(c)
        counts[keys[c]] = place + np.uint32(1)
    counts[:] = 0


@kernel
def select(
    begin: int,
    end: int,
    selected: int,
    width: int,
    offset: Array,
    arc_cell: Array,
    swing: Array,
    penalty: Array,
    table: Array,
    group: Array,
    weight: Array,
    first: Array,
    words: Array,
    index: Array,
    value: Array,
    order: Array,
    hashes: Array,
    parents: Array,
    arcs: Array,
    closed: Array,
    next_words: Array,
    next_index: Array,
    next_value: Array,
    next_parent: Array,
    next_cell: Array,
) -> Word:
    """Makes states of the candidates order[begin .. end - 1] until there are `width` of them.

    Passes over those that the closed table knows, and enters the others. `selected` states are
    there already; returns how many there are now. `next_parent` (uint32) and `next_cell` (uint8,
    where the blank has gone) tell how each of them came about.
    """
    one, two, three, five_bits = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(31)
    cells = np.uint64(offset.size - 1)
    sets = np.uint64(first.size - 1)
    groups = np.uint64(first[sets])
    buckets = np.uint64(closed.size // BUCKET - 1)
    bucket = np.uint64(BUCKET)
    count = np.uint64(selected)
    for place in range(np.uint64(begin), np.uint64(end)):
        if count >= np.uint64(width):
            break
        c = np.uint64(order[np.uint64(place)])
        hashed = hashes[c] | one
        base = (hashes[c] >> np.uint64(8) & buckets) * bucket
        slot, known = base + (hashed >> np.uint64(1) & np.uint64(BUCKET - 1)), False
        for k in range(bucket):
            entry = closed[base + np.uint64(k)]
            if entry == hashed:
                known = True
                break
            if entry == np.uint64(0):
                slot = base + np.uint64(k)
                break
        if known:
            continue
        closed[slot] = hashed
        parent, arc = np.uint64(parents[c]), np.uint64(arcs[c])
        w2 = words[three * parent + two]
        blank = w2 >> np.uint64(BLANK_BIT) & five_bits
        cell = np.uint64(arc_cell[arc])
        tile = (
            words[three * parent + cell // np.uint64(12)] >> np.uint64(5) * (cell % np.uint64(12))
            & five_bits
        )
        pains = min(np.int64(w2 >> np.uint64(PENALTY_BIT)) + np.int64(penalty[arc]), _MOST_PENALTY)
        next_words[three * count] = words[three * parent] + tile * swing[three * arc]
        next_words[three * count + one] = (
            words[three * parent + one] + tile * swing[three * arc + one]
        )
        board = (w2 & _BOARD_BITS) + tile * swing[three * arc + two]
        next_words[three * count + two] = (
            board
            | cell << np.uint64(BLANK_BIT)
            | blank << np.uint64(CAME_BIT)
            | np.uint64(pains) << np.uint64(PENALTY_BIT)
        )
        source, target = groups * parent, groups * count
        for n in range(groups):
            next_index[target + np.uint64(n)] = index[source + np.uint64(n)]
            next_value[target + np.uint64(n)] = value[source + np.uint64(n)]
        for s in range(sets):
            row = np.uint64(s) * cells + tile
            g = target + np.uint64(group[row])
            next_index[g] += weight[row * cells + blank] - weight[row * cells + cell]
            next_value[g] = table[next_index[g]]
        next_parent[count] = np.uint32(parent)
        next_cell[count] = np.uint8(cell)
        count += one
    return np.int64(count)
