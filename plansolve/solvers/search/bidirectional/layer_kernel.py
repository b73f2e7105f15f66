"""Expands a layer of the backward side of bidirectional search.

A record of a board is R words (uint64): the three of the packed board, the third with the blank's
cell from bit 40 on and the cell it came from (its own where there is none) from bit 45 on; then the
entries of all groups in the table, eight to a word.

The arrays `table`, `group`, `weight` and `first` are those of `AdditiveSets`. The first `goal_sets`
sets bound the distance to the goal, h; the others that from the start, k. Backwards with g moves
made, b = 2 g + k - h never falls along a path if both are consistent (Sadhukhan's BAE*, 2013).
"""

import numpy as np

from plansolve.solvers.search.bidirectional.table_kernel import part_of
from plansolve.solvers.search.packed_board_kernel import Word, mixed
from plansolve.storage.jit import Array, kernel

__all__ = ["BLANK_BIT", "CAME_BIT", "expand_layer"]

BLANK_BIT, CAME_BIT = 40, 45
_BOARD_BITS = np.uint64((1 << BLANK_BIT) - 1)


@kernel
def expand_layer(
    begin: int,
    end: int,
    depth: int,
    threshold: int,
    goal_sets: int,
    parts: int,
    length: int,
    offset: Array,
    arc_cell: Array,
    swing: Array,
    table: Array,
    base: Array,
    group: Array,
    weight: Array,
    first: Array,
    records: Array,
    children: Array,
    counts: Array,
) -> Word:
    """Writes the children with b <= threshold of the records begin .. end - 1 of one depth.

    `children` has equal room for the records of each of the parts, one part after another;
    counts[part] (int64) tells how many there are. counts[parts] is raised by the number of all
    children, counts[parts + 1] by that of children with b > threshold. Stops before a record whose
    children may not find room; returns the record to go on with.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    five_bits, byte, seven = np.uint64(31), np.uint64(255), np.uint64(7)
    cells, sets = np.uint64(offset.size - 1), np.uint64(first.size - 1)
    groups, step = np.uint64(base.size), np.uint64(length)
    room = np.int64(children.size // (length * parts))
    board = np.empty(36, np.uint8)
    index = np.empty(base.size, np.uint32)
    value = np.empty(base.size + 8, np.uint8)
    fresh = np.empty(first.size, np.uint8)
    sums = np.empty(first.size, np.int64)
    made = np.int64(depth + 1)
    state = np.uint64(begin)
    while state < np.uint64(end):
        at = state * step
        w0, w1, w2 = records[at], records[at + one], records[at + two]
        blank = w2 >> np.uint64(BLANK_BIT) & five_bits
        came = w2 >> np.uint64(CAME_BIT) & five_bits
        w2 &= _BOARD_BITS
        is_full = False
        for p in range(np.uint64(parts)):
            free = room - counts[np.uint64(p)]
            is_full |= free < np.int64(offset[blank + one] - offset[blank])
        if is_full:
            break
        for c in range(np.uint64(12)):
            shift = np.uint64(5) * np.uint64(c)
            board[np.uint64(c)] = w0 >> shift & five_bits
            board[np.uint64(c) + np.uint64(12)] = w1 >> shift & five_bits
            board[np.uint64(c) + np.uint64(24)] = w2 >> shift & five_bits
        for n in range(groups):
            packed = records[at + three + (np.uint64(n) >> three)]
            value[np.uint64(n)] = packed >> ((np.uint64(n) & seven) << three) & byte
            index[np.uint64(n)] = base[np.uint64(n)]
        for s in range(sets):
            total = np.int64(0)
            for n in range(np.uint64(first[np.uint64(s)]), np.uint64(first[np.uint64(s) + one])):
                total += np.int64(value[np.uint64(n)])
            sums[np.uint64(s)] = total
            row = np.uint64(s) * cells
            for c in range(cells):
                tile = row + np.uint64(board[np.uint64(c)])
                # The blank's weights are 0.
                index[np.uint64(group[tile])] += weight[tile * cells + np.uint64(c)]
        for e in range(np.uint64(offset[blank]), np.uint64(offset[blank + one])):
            arc = np.uint64(e)
            cell = np.uint64(arc_cell[arc])
            if cell == came and came != blank:
                continue
            tile = np.uint64(board[cell])
            h, k = np.int64(0), np.int64(0)
            for s in range(sets):
                row = np.uint64(s) * cells + tile
                g = np.uint64(group[row])
                entry = table[index[g] + weight[row * cells + blank] - weight[row * cells + cell]]
                fresh[np.uint64(s)] = entry
                bound = sums[np.uint64(s)] + np.int64(entry) - np.int64(value[g])
                if s < np.uint64(goal_sets):
                    h = max(h, bound)
                else:
                    k = max(k, bound)
            counts[parts] += 1
            if 2 * made + k - h > threshold:
                counts[parts + 1] += 1
                continue
            v0 = w0 + tile * swing[three * arc]
            v1 = w1 + tile * swing[three * arc + one]
            v2 = w2 + tile * swing[three * arc + two]
            part = part_of(mixed(v0, v1, v2), parts)
            target = (part * np.uint64(room) + np.uint64(counts[part])) * step
            counts[part] += 1
            children[target] = v0
            children[target + one] = v1
            children[target + two] = (
                v2 | cell << np.uint64(BLANK_BIT) | blank << np.uint64(CAME_BIT)
            )
            for w in range(three, step):
                children[target + np.uint64(w)] = records[at + np.uint64(w)]
            for s in range(sets):
                g = np.uint64(group[np.uint64(s) * cells + tile])
                shift = (g & seven) << three
                place = target + three + (g >> three)
                entry = np.uint64(fresh[np.uint64(s)])
                children[place] = children[place] & ~(byte << shift) | entry << shift
        state += one
    return np.int64(state)
