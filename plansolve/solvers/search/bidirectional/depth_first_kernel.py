"""The forward side of bidirectional search: depth first, with questions to the backward side.

The search goes down the edges of a pruning automaton (`PruningAutomaton`) from a root board. A
child after g moves has the bounds h on the way to the goal and k on the way from the start, the
largest of the first `goal_sets` sets and of the others of `AdditiveSets`. It is left out where
g + h > horizon; with b = 2 g + h - k <= threshold the search goes on from it; any other child is
looked up in the table of the backward side (`bae_table`), and is a *meeting* where its depth there
and g together do not exceed the horizon. Questions are collected and asked in batches.

All state is in arrays, so that the search can be interrupted and resumed:
  control   int64: level below the root (-1 at the end), number of waiting questions
  board     uint8[N]: the board at the current level
  index     uint32[G], value uint8[G], sums int64[S]: its groups' indices, entries, and sums of sets
  words     uint64[3 * level + w]: the packed boards of the path
  blank     uint8[level]: the blank's cells along the path, the root's first
  edge, edge_end  uint32[level]: the edges still to take
  before    uint8[S * level + s]: the entries that the move to this level has changed
  waiting   uint64[4 * question]: packed board and g
  meeting   int64: 1 once there is one, g, depth in the table, the last cell of the blank (of use
            only with one question at a time), and a number without meaning
"""

import numpy as np

from plansolve.solvers.search.bidirectional.table_kernel import find, part_of
from plansolve.solvers.search.packed_board_kernel import Word, mixed
from plansolve.storage.jit import Array, kernel

__all__ = ["search_depth_first"]


@kernel
def search_depth_first(
    nodes: int,
    depth: int,
    emit_at: int,
    already_emitted: int,
    horizon: int,
    threshold: int,
    goal_sets: int,
    offset: Array,
    move: Array,
    following: Array,
    place: Array,
    table: Array,
    group: Array,
    weight: Array,
    first: Array,
    slots: Array,
    key_words: int,
    parts: int,
    capacity: int,
    control: Array,
    board: Array,
    index: Array,
    value: Array,
    sums: Array,
    words: Array,
    blank: Array,
    edge: Array,
    edge_end: Array,
    before: Array,
    waiting: Array,
    meeting: Array,
    emitted: Array,
) -> tuple[Word, Word, Word]:
    """Searches until about `nodes` children are made, or there is a meeting, or all is done.

    `depth` is the number of moves that lead to the root. Where `emit_at` is not 0, boards that
    many levels below the root are not expanded: the cells of the blank on the way to each are
    appended to `emitted`, emit_at bytes each, as far as there is room, after `already_emitted` ones
    of earlier calls. place[3 * cell + w] holds
    the lowest bit of a cell in word w. Returns the number of children, of questions, and of all
    boards to emit so far.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    cells, sets = np.uint64(board.size), np.uint64(first.size - 1)
    batch = np.uint64(waiting.size // 4)
    level = np.int64(control[0])
    count = np.uint64(control[1])
    made_nodes, asked, emissions = np.int64(0), np.int64(0), np.int64(already_emitted)
    fresh = np.empty(first.size, np.uint8)
    while level >= 0 and made_nodes < nodes:
        here = np.uint64(level)
        z = np.uint64(blank[here])
        e = np.uint64(edge[here])
        if e == np.uint64(edge_end[here]):
            if level > 0:
                parent = here - one
                cell = np.uint64(blank[parent])
                tile = np.uint64(board[cell])
                board[z] = np.uint8(tile)
                board[cell] = np.uint8(0)
                for s in range(sets):
                    row = np.uint64(s) * cells + tile
                    g = np.uint64(group[row])
                    index[g] += weight[row * cells + z] - weight[row * cells + cell]
                    old = before[sets * here + np.uint64(s)]
                    sums[np.uint64(s)] += np.int64(old) - np.int64(value[g])
                    value[g] = old
            level -= 1
            continue
        edge[here] = np.uint32(e + one)
        made_nodes += 1
        cell = np.uint64(move[e])
        tile = np.uint64(board[cell])
        made = np.int64(depth) + level + 1
        h, k = np.int64(0), np.int64(0)
        for s in range(sets):
            row = np.uint64(s) * cells + tile
            g = np.uint64(group[row])
            entry = table[index[g] + weight[row * cells + z] - weight[row * cells + cell]]
            fresh[np.uint64(s)] = entry
            bound = sums[np.uint64(s)] + np.int64(entry) - np.int64(value[g])
            if s < np.uint64(goal_sets):
                h = max(h, bound)
                if made + h > horizon:
                    break
            else:
                k = max(k, bound)
        if made + h > horizon:
            continue
        w0 = words[three * here] + tile * (place[three * z] - place[three * cell])
        w1 = words[three * here + one] + tile * (place[three * z + one] - place[three * cell + one])
        w2 = words[three * here + two] + tile * (place[three * z + two] - place[three * cell + two])
        if 2 * made + h - k > threshold:
            asked += 1
            waiting[np.uint64(4) * count] = w0
            waiting[np.uint64(4) * count + one] = w1
            waiting[np.uint64(4) * count + two] = w2
            waiting[np.uint64(4) * count + three] = np.uint64(made)
            count += one
            if count == batch:
                count = np.uint64(0)
                if _ask(batch, horizon, slots, key_words, parts, capacity, waiting, meeting):
                    meeting[3] = np.int64(cell)
                    break
            continue
        if h == 0:
            # Only the goal is that near, and it may lie beyond what the table holds.
            meeting[0], meeting[1], meeting[2], meeting[3] = 1, made, 0, np.int64(cell)
            break
        level += 1
        if level == emit_at:
            begin = np.uint64(emissions * emit_at)
            emissions += 1
            if begin + np.uint64(emit_at) <= np.uint64(emitted.size):
                for i in range(one, np.uint64(level)):
                    emitted[begin + np.uint64(i) - one] = blank[np.uint64(i)]
                emitted[begin + np.uint64(emit_at) - one] = np.uint8(cell)
            level -= 1
            continue
        here = np.uint64(level)
        board[z] = np.uint8(tile)
        board[cell] = np.uint8(0)
        for s in range(sets):
            row = np.uint64(s) * cells + tile
            g = np.uint64(group[row])
            index[g] += weight[row * cells + z] - weight[row * cells + cell]
            old = value[g]
            before[sets * here + np.uint64(s)] = old
            value[g] = fresh[np.uint64(s)]
            sums[np.uint64(s)] += np.int64(value[g]) - np.int64(old)
        words[three * here] = w0
        words[three * here + one] = w1
        words[three * here + two] = w2
        blank[here] = np.uint8(cell)
        state = np.uint64(following[e])
        edge[here] = offset[state]
        edge_end[here] = offset[state + one]
    if level < 0 and count > np.uint64(0):
        _ask(count, horizon, slots, key_words, parts, capacity, waiting, meeting)
        count = np.uint64(0)
    control[0] = level
    control[1] = np.int64(count)
    return made_nodes, asked, emissions


@kernel
def _ask(
    count: Word,
    horizon: int,
    slots: Array,
    key_words: int,
    parts: int,
    capacity: int,
    waiting: Array,
    meeting: Array,
) -> bool:
    """Looks up the waiting boards; fills in `meeting` where one of them is a meeting."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    size, touched = np.uint64(capacity), np.uint64(0)
    # Reading the first slots without looking at them lets the processor fetch them together.
    for q in range(count):
        at = four * np.uint64(q)
        hashed = mixed(waiting[at], waiting[at + one], waiting[at + two])
        slot = part_of(hashed, parts) * size + ((hashed >> np.uint64(32)) * size >> np.uint64(32))
        touched ^= slots[slot * np.uint64(key_words)]
    meeting[4] = np.int64(touched)
    for q in range(count):
        at = four * np.uint64(q)
        depth, _ = find(
            waiting[at], waiting[at + one], waiting[at + two], slots, key_words, parts, capacity
        )
        made = np.int64(waiting[at + three])
        if depth >= 0 and made + depth <= horizon:
            meeting[0], meeting[1], meeting[2] = 1, made, depth
            return True
    return False
