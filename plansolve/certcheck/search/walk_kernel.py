"""The sceptic's depth-first search over the blank's walks, bounded by sums of pattern tables."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.search.path_state import BEGINNING, DEPTH, DONE, GOAL, LEAF, NODES, PAUSED
from plansolve.certcheck.search.words import Automaton
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["WalkLookups", "WalkState", "search_walks"]


@typed
class WalkLookups(NamedTuple):
    """S sets of patterns on a board of N cells; the patterns of all sets are numbered.

    In set s, tile t is one of pattern `pattern[s * N + t]`, and adds to its place in `table`
    `weight[(s * N + t) * N + c]` in cell c.
    """

    table: NDArray[np.uint8]
    pattern: NDArray[np.uint32]
    weight: NDArray[np.uint32]


@typed
class WalkState(NamedTuple):
    """The current path. `numbers` are told in `path_state`, `board` holds the tiles.

    `place[k]` in the table and the `entry[k]` there are those of pattern k, `total[s]` is that of
    set s. After g moves the automaton is in state `state[g]`, its edge `edge[g]` is the next to
    try, and `taken[g]` is the move that led there, which is the blank's cell. `before[g * S + s]`
    is the entry in set s that the following move has replaced.
    """

    numbers: NDArray[np.int64]
    board: NDArray[np.uint8]
    place: NDArray[np.uint32]
    entry: NDArray[np.uint8]
    total: NDArray[np.int64]
    state: NDArray[np.uint32]
    edge: NDArray[np.uint32]
    taken: NDArray[np.uint32]
    before: NDArray[np.uint8]


@kernel
def search_walks(
    words: Automaton, lookups: WalkLookups, walk: WalkState, goal: Array, limits: Array
) -> int:
    """Search on, and return why it ended.

    `limits` (int64): the most moves of a plan, the most moves of a path, and the boards to enter.
    """
    offset, move, following = words.offset, words.move, words.next
    table, pattern, weight = lookups.table, lookups.pattern, lookups.weight
    numbers, board, place, entry = walk.numbers, walk.board, walk.place, walk.entry
    total, state, edge = walk.total, walk.state, walk.edge
    taken, before = walk.taken, walk.before
    one, cells, sets = np.uint64(1), np.uint64(board.size), np.uint64(total.size)
    bound, longest, left = limits[0], np.uint64(limits[1]), limits[2]
    g, beginning = np.uint64(numbers[DEPTH]), np.uint64(numbers[BEGINNING])
    status = PAUSED
    here = np.uint64(taken[g])
    e, end = np.uint64(edge[g]), np.uint64(offset[np.uint64(state[g]) + one])
    while left > 0:
        if e == end:
            if g == beginning:
                status = DONE
                break
            # Take the last move back.
            there = here
            g -= one
            here, e = np.uint64(taken[g]), np.uint64(edge[g])
            end = np.uint64(offset[np.uint64(state[g]) + one])
            tile = np.uint64(board[here])
            board[there] = tile
            for s in range(sets):
                row = s * cells + tile
                k = np.uint64(pattern[row])
                row *= cells
                place[k] += weight[row + there] - weight[row + here]
                old = before[g * sets + s]
                total[s] += np.int64(old) - np.int64(entry[k])
                entry[k] = old
            continue
        there = np.uint64(move[e])
        tile = np.uint64(board[there])
        room = bound - np.int64(g) - 1
        highest = np.int64(0)
        for s in range(sets):
            row = s * cells + tile
            k = np.uint64(pattern[row])
            row *= cells
            fresh = table[np.uint64(place[k] + weight[row + here] - weight[row + there])]
            highest = max(highest, total[s] + np.int64(fresh) - np.int64(entry[k]))
            if highest > room:
                break
        if highest > room:
            e += one
            continue
        edge[g] = e + one
        board[here] = tile
        for s in range(sets):
            row = s * cells + tile
            k = np.uint64(pattern[row])
            row *= cells
            place[k] += weight[row + here] - weight[row + there]
            fresh = table[np.uint64(place[k])]
            before[g * sets + s] = entry[k]
            total[s] += np.int64(fresh) - np.int64(entry[k])
            entry[k] = fresh
        g += one
        left -= 1
        node = np.uint64(following[e])
        state[g], taken[g] = node, there
        here, e, end = there, np.uint64(offset[node]), np.uint64(offset[node + one])
        if highest == 0 and _is_goal(board, goal, there):
            status = GOAL
            break
        if g == longest:
            status, e = LEAF, end
            break
    edge[g] = e
    numbers[DEPTH] = np.int64(g)
    numbers[NODES] += limits[2] - left
    return status


@kernel
def _is_goal(board: Array, goal: Array, blank: np.uint64) -> bool:
    """Whether all tiles are home; what stands in the cell of the blank is void."""
    for cell in range(np.uint64(board.size)):
        if cell != blank and board[cell] != goal[cell]:
            return False
    return True
