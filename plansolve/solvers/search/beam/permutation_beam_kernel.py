"""Beam search for moves that permute the cells: one layer, and the boards near the goal.

A layer holds the arrangements after the same number of moves. Arrangement i has
  board[i*cells + cell]   the home of what stands in the cell (uint8),
  zobrist[i]              its hash, the exclusive or of key[home*cells + cell] (uint64),
  node[i]                 the state of the pruning automaton (uint32).
The lanes are those of `PermutationLanes`; the table indices of two of them share a 64-bit word,
the lower-numbered one in the lower half (sums of such words are exact in both halves as long as
each index, when all is summed up, is in 0..2**32-1), so that a row of `contribution` is `words`
words. A *candidate* is a child that may enter the next layer: its hash (uint64), the number of its
parent (uint32), its operator (uint16) and its score (uint32), the sum of the squares of its lanes'
values without its last `shift` bits. Small scores are better.

Operator o fills to_cell[i] from from_cell[i], first[o] <= i < first[o+1]. group[o] is the number
of the set of cells that it changes; operators of one group follow one another.

Sets of hashes are open-addressed tables of a power of two of slots, 0 being a free one. Boards are
told apart by their hashes alone: a beam may lose a board, and its plans are replayed.
"""

from typing import Any

import numpy as np

from plansolve.storage.jit import Array, kernel

__all__ = ["arrange", "expand", "hashes_of", "near_goal", "probe", "select"]

_PROBES = 64
"""A hash is looked for, and put, in so many slots; where they are taken the table forgets it."""


@kernel
def probe(slots: Array, value: Any) -> Any:
    """The slot that holds `value`, or the free one for it; the number of slots if none."""
    mask = np.uint64(slots.size - 1)
    at = (value ^ (value >> np.uint64(32))) & mask
    for _ in range(_PROBES):
        held = slots[at]
        if held == value or held == np.uint64(0):
            return at
        at = (at + np.uint64(1)) & mask
    return np.uint64(slots.size)


@kernel
def hashes_of(count: int, cells: int, key: Array, board: Array, zobrist: Array) -> None:
    """The hashes of the first `count` boards."""
    size = np.uint64(cells)
    for i in range(np.uint64(count)):
        value = np.uint64(0)
        for cell in range(size):
            value ^= key[np.uint64(board[i * size + cell]) * size + cell]
        zobrist[i] = value


@kernel
def near_goal(
    begin: int,
    end: int,
    stored: int,
    distance: int,
    cells: int,
    key: Array,
    first: Array,
    to_cell: Array,
    from_cell: Array,
    board: Array,
    zobrist: Array,
    board_after: Array,
    zobrist_after: Array,
    slots: Array,
    distances: Array,
) -> Any:
    """Adds the boards that are one move before the boards begin .. end - 1 to the set.

    The new ones, `distance` moves before the goal, are put after the `stored` ones. Returns how
    many are stored then; stops where there is no more room.
    """
    size = np.uint64(cells)
    count = np.uint64(stored)
    room = np.uint64(zobrist_after.size)
    for i in range(np.uint64(begin), np.uint64(end)):
        here = i * size
        for move in range(np.uint64(first.size - 1)):
            value = zobrist[i]
            # Backwards: what an operator takes from a cell has come from where it takes it to.
            for j in range(np.uint64(first[move]), np.uint64(first[move + np.uint64(1)])):
                home = np.uint64(board[here + np.uint64(to_cell[j])]) * size
                value ^= key[home + np.uint64(to_cell[j])] ^ key[home + np.uint64(from_cell[j])]
            at = probe(slots, value)
            if at == np.uint64(slots.size) or slots[at] == value or count == room:
                continue
            slots[at] = value
            distances[at] = distance
            zobrist_after[count] = value
            there = count * size
            for cell in range(size):
                board_after[there + cell] = board[here + cell]
            for j in range(np.uint64(first[move]), np.uint64(first[move + np.uint64(1)])):
                board_after[there + np.uint64(from_cell[j])] = board[here + np.uint64(to_cell[j])]
            count += np.uint64(1)
    return count


@kernel
def expand(
    begin: int,
    end: int,
    stored: int,
    cut: int,
    allowed: int,
    near: int,
    shift: int,
    cells: int,
    lanes: int,
    words: int,
    table: Array,
    contribution: Array,
    base: Array,
    key: Array,
    first: Array,
    to_cell: Array,
    from_cell: Array,
    group: Array,
    offset: Array,
    edge_operator: Array,
    edge_node: Array,
    board: Array,
    zobrist: Array,
    node: Array,
    goal_slots: Array,
    goal_distances: Array,
    hashes: Array,
    parents: Array,
    operators: Array,
    scores: Array,
    counts: Array,
    found: Array,
) -> tuple[Any, int]:
    """Puts the children of the arrangements begin .. end - 1 after the `stored` candidates.

    Leaves out children with a lane above `allowed` and those with a score of `cut` or more;
    `counts` tells how many have each score. A child whose lanes are
    all `near` or less is looked up near the goal; the nearest one becomes
    found = (distance, parent, operator). Returns the number of candidates and of children.
    """
    one, low = np.uint64(1), np.uint64((1 << 32) - 1)
    half = np.uint64(32)
    size, row = np.uint64(cells), np.uint64(words)
    pairs = np.uint64(lanes) >> one
    is_single = (np.uint64(lanes) & one) == one
    count = np.uint64(stored)
    highest = np.int64(cut)
    children = 0
    home = np.empty(cells, np.uint64)
    whole, rest, child = (
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
    )
    for i in range(np.uint64(begin), np.uint64(end)):
        for w in range(row):
            whole[w] = base[w]
        for cell in range(size):
            home[cell] = np.uint64(board[i * size + cell]) * size
            at = (home[cell] + cell) * row
            for w in range(row):
                whole[w] += contribution[at + w]
        last = np.uint64(0) - one
        state = np.uint64(node[i])
        for edge in range(np.uint64(offset[state]), np.uint64(offset[state + one])):
            move = np.uint64(edge_operator[edge])
            begin_cells, end_cells = np.uint64(first[move]), np.uint64(first[move + one])
            if np.uint64(group[move]) != last:
                last = np.uint64(group[move])
                for w in range(row):
                    rest[w] = whole[w]
                for j in range(begin_cells, end_cells):
                    at = (home[np.uint64(from_cell[j])] + np.uint64(from_cell[j])) * row
                    for w in range(row):
                        rest[w] -= contribution[at + w]
            for w in range(row):
                child[w] = rest[w]
            for j in range(begin_cells, end_cells):
                at = (home[np.uint64(from_cell[j])] + np.uint64(to_cell[j])) * row
                for w in range(row):
                    child[w] += contribution[at + w]
            children += 1
            score, most = np.int64(0), np.int64(0)
            for w in range(pairs):
                a = np.int64(table[child[w] & low])
                b = np.int64(table[child[w] >> half])
                score += a * a + b * b
                most = max(most, a, b)
            if is_single:
                a = np.int64(table[child[pairs] & low])
                score += a * a
                most = max(most, a)
            score >>= np.int64(shift)
            if most > allowed or score >= highest:
                continue
            value = zobrist[i]
            for j in range(begin_cells, end_cells):
                at = home[np.uint64(from_cell[j])]
                value ^= key[at + np.uint64(from_cell[j])] ^ key[at + np.uint64(to_cell[j])]
            if most <= near:
                at = probe(goal_slots, value)
                if at < np.uint64(goal_slots.size) and goal_slots[at] == value:
                    if np.int64(goal_distances[at]) < found[0]:
                        found[0] = np.int64(goal_distances[at])
                        found[1] = np.int64(i)
                        found[2] = np.int64(move)
                elif near >= allowed:
                    # Not among the boards near the goal: it is farther away than they are.
                    continue
            hashes[count] = value
            parents[count] = np.uint32(i)
            operators[count] = np.uint16(move)
            scores[count] = np.uint32(score)
            counts[np.uint64(score)] += one
            count += one
    return count, children


@kernel
def select(
    stored: int,
    most: int,
    scores: Array,
    hashes: Array,
    counts: Array,
    order: Array,
    closed: Array,
    chosen: Array,
) -> Any:
    """Chooses up to `most` candidates with the smallest scores whose boards were not chosen before.

    `chosen` receives their numbers, `order` is room for sorting; `counts` is used up. Returns how
    many were chosen.
    """
    total = np.uint64(0)
    for score in range(np.uint64(counts.size)):
        total, counts[score] = total + counts[score], total
    for i in range(np.uint64(stored)):
        place = np.uint64(scores[i])
        order[counts[place]] = np.uint32(i)
        counts[place] += np.uint64(1)
    taken = np.uint64(0)
    for k in range(np.uint64(stored)):
        if taken == np.uint64(most):
            break
        candidate = np.uint64(order[k])
        at = probe(closed, hashes[candidate])
        if at < np.uint64(closed.size):
            if closed[at] == hashes[candidate]:
                continue
            closed[at] = hashes[candidate]
        chosen[taken] = np.uint32(candidate)
        taken += np.uint64(1)
    return taken


@kernel
def arrange(
    taken: int,
    cells: int,
    first: Array,
    to_cell: Array,
    from_cell: Array,
    offset: Array,
    edge_operator: Array,
    edge_node: Array,
    board: Array,
    node: Array,
    hashes: Array,
    parents: Array,
    operators: Array,
    chosen: Array,
    board_after: Array,
    zobrist_after: Array,
    node_after: Array,
    parent_after: Array,
    operator_after: Array,
) -> None:
    """Makes the next layer of the chosen candidates."""
    size, one = np.uint64(cells), np.uint64(1)
    for k in range(np.uint64(taken)):
        i = np.uint64(chosen[k])
        parent, move = np.uint64(parents[i]), np.uint64(operators[i])
        here, there = parent * size, k * size
        for cell in range(size):
            board_after[there + cell] = board[here + cell]
        for j in range(np.uint64(first[move]), np.uint64(first[move + one])):
            board_after[there + np.uint64(to_cell[j])] = board[here + np.uint64(from_cell[j])]
        zobrist_after[k] = hashes[i]
        parent_after[k] = np.uint32(parent)
        operator_after[k] = np.uint16(move)
        state = np.uint64(node[parent])
        for edge in range(np.uint64(offset[state]), np.uint64(offset[state + one])):
            if np.uint64(edge_operator[edge]) == move:
                node_after[k] = edge_node[edge]
