"""The sceptic's two depth-first searches, along paths that no word leaves out.

*Walks* of the blank are bounded by sums of pattern tables. *Operators* of any kind move pieces that
may be alike. Where all pieces are different, the cells to which an operator takes them are known
from its targets, so that only boards that are entered are written down. Pieces that are alike are
told apart by the order of their cells, which a move may change, so that each board is written down
before a lookup.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.search.words import Automaton
from plansolve.storage.jit import Array, kernel, typed

DONE, PAUSED, GOAL, LEAF = range(4)
"""The reasons for the end of a kernel: nothing is left; it has entered the given number of boards;
the current path ends in the goal; the path has the greatest length. It goes on after all but the
first."""

DEPTH, BEGINNING, NODES, NUMBERS = range(4)
"""The places of numbers: of moves that the current path has, and of those where the search began;
of boards that were entered; and how many places there are."""


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
    """The current path. `numbers` are told at the top, `board` holds the tiles.

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
        if highest == 0 and _are_home(board, goal, there):
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
def _are_home(board: Array, goal: Array, blank: np.uint64) -> bool:
    """Return True if all tiles are home; what stands in the cell of the blank is void."""
    for cell in range(np.uint64(board.size)):
        if cell != blank and board[cell] != goal[cell]:
            return False
    return True


OPEN_CELL = 255
"""Stands in the goal for a cell in which any piece may be."""

ANYWHERE = 255
"""Stands for the cell of a gap where none is needed, or the words tell that it is there."""


@typed
class OperatorRules(NamedTuple):
    """The effect of M moves on N cells, and the kinds of pieces, numbered 0, 1, ..

    `source[m * N + c]` is the cell from which move m fills cell c, `target[m * N + c]` that to
    which it takes the content of cell c, and `goal[c]` the kind that belongs there, or `OPEN_CELL`.
    Pieces have *slots*: those of kind k begin at `slot[k]`, in the order of their cells. Move m is
    made only where a gap, of kind 0, is in cell `need[m]`, and it does not just exchange two gaps;
    `ANYWHERE` asks for neither. `odd[m]` is 1 where tables count it as odd.
    """

    source: NDArray[np.uint8]
    target: NDArray[np.uint8]
    goal: NDArray[np.uint8]
    slot: NDArray[np.uint8]
    need: NDArray[np.uint8]
    odd: NDArray[np.uint8]


@typed
class OperatorLookups(NamedTuple):
    """L lookups into `table`, each at K pieces, in sets whose entries are added.

    The first `boards[0]` lookups are of boards, the others of inverse boards. Those of a set follow
    each other; `begins[l]` is 1 where one does with lookup l, and for l = L. Lookup l has the index
    base[l] + half[l] * (1 on odd boards) + the sum, over i from l * K to l * K + K - 1, of
    value[i * N + x], where x is the cell of the piece in slot `piece[i]`, or, of the inverse
    board, the kind in cell `piece[i]`.
    """

    table: NDArray[np.uint8]
    boards: NDArray[np.uint32]
    begins: NDArray[np.uint8]
    base: NDArray[np.uint32]
    half: NDArray[np.uint32]
    piece: NDArray[np.uint8]
    value: NDArray[np.uint32]


@typed
class OperatorState(NamedTuple):
    """The current path. The entries of `numbers` are told at the top.

    After g moves cell c holds a piece of kind `board[g * N + c]`, the piece in slot s is in cell
    `place[g * N + s]`, `odd[g]` is 1 where the board is an odd one, the automaton is in state
    `state[g]`, its edge `edge[g]` is the next to try, and `taken[g]` is the move that led here.
    The set from lookup `refuter[g]` on was the last to refute a board that comes next.
    """

    numbers: NDArray[np.int64]
    board: NDArray[np.uint8]
    place: NDArray[np.uint8]
    odd: NDArray[np.uint8]
    state: NDArray[np.uint32]
    edge: NDArray[np.uint32]
    taken: NDArray[np.uint32]
    refuter: NDArray[np.uint32]


@kernel
def search_operators(
    words: Automaton,
    rules: OperatorRules,
    lookups: OperatorLookups,
    path: OperatorState,
    limits: Array,
) -> int:
    """Search on, and return why it ended.

    `limits` (int64): the most moves of a plan, the most moves of a path, and the boards to look up.
    """
    offset, move, following = words.offset, words.move, words.next
    source, target, goal, need = rules.source, rules.target, rules.goal, rules.need
    table, begins, base, half = lookups.table, lookups.begins, lookups.base, lookups.half
    piece, value, boards = lookups.piece, lookups.value, np.uint64(lookups.boards[0])
    numbers, board, place, odd = path.numbers, path.board, path.place, path.odd
    state, edge, taken, refuter = path.state, path.edge, path.taken, path.refuter
    one, zero = np.uint64(1), np.uint64(0)
    cells, count = np.uint64(goal.size), np.uint64(base.size)
    pieces = np.uint64(piece.size // base.size)
    are_different = rules.slot.size == goal.size
    bound, longest, left = limits[0], np.uint64(limits[1]), limits[2]
    g, beginning = np.uint64(numbers[DEPTH]), np.uint64(numbers[BEGINNING])
    free_slot = np.empty(rules.slot.size, np.uint64)
    status = PAUSED
    e, end = np.uint64(edge[g]), np.uint64(offset[np.uint64(state[g]) + one])
    while left > 0:
        if e == end:
            if g == beginning:
                status = DONE
                break
            g -= one
            e, end = np.uint64(edge[g]), np.uint64(offset[np.uint64(state[g]) + one])
            continue
        m = np.uint64(move[e])
        node = np.uint64(following[e])
        e += one
        row, here, there = m * cells, g * cells, (g + one) * cells
        if need[m] != ANYWHERE and (
            board[here + np.uint64(need[m])] != 0 or _is_idle(board, here, source, row, cells)
        ):
            continue
        left -= 1
        if not are_different:
            _make(rules, row, board, place, here, free_slot)
        is_odd = np.uint64(odd[g] ^ rules.odd[m])
        room = bound - np.int64(g) - 1
        begin = lookup = np.uint64(refuter[g])
        total = highest = np.int64(0)
        for _ in range(count):
            at = np.uint64(base[lookup]) + is_odd * np.uint64(half[lookup])
            first, last = lookup * pieces, (lookup + one) * pieces
            if lookup >= boards:
                for i in range(first, last):
                    at += value[i * cells + board[here + source[row + piece[i]]]]
            elif are_different:
                for i in range(first, last):
                    at += value[i * cells + target[row + place[here + piece[i]]]]
            else:
                for i in range(first, last):
                    at += value[i * cells + place[there + piece[i]]]
            total += np.int64(table[at])
            if total > room:
                break
            lookup += one
            if begins[lookup]:
                highest, total = max(highest, total), np.int64(0)
                begin = lookup = zero if lookup == count else lookup
        if total > room:
            # It may well refute the next one too.
            refuter[g] = begin
            continue
        if are_different:
            _make(rules, row, board, place, here, free_slot)
        edge[g] = e
        g += one
        state[g], odd[g], taken[g] = node, is_odd, m
        e, end = np.uint64(offset[node]), np.uint64(offset[node + one])
        if highest == 0 and _is_goal(board, there, goal):
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
def _make(
    rules: OperatorRules,
    row: np.uint64,
    board: Array,
    place: Array,
    here: np.uint64,
    free_slot: Array,
) -> None:
    """Write down the board after the one that begins at `here`, by the move whose row it is."""
    source, one, cells = rules.source, np.uint64(1), np.uint64(rules.goal.size)
    there = here + cells
    free_slot[:] = rules.slot
    for c in range(cells):
        kind = np.uint64(board[here + source[row + c]])
        board[there + c] = kind
        place[there + free_slot[kind]] = c
        free_slot[kind] += one


@kernel
def _is_idle(
    board: Array, here: np.uint64, source: Array, row: np.uint64, cells: np.uint64
) -> bool:
    """Return True if a move leaves each kind where it is: no shortest plan contains it."""
    for c in range(cells):
        if board[here + c] != board[here + np.uint64(source[row + c])]:
            return False
    return True


@kernel
def _is_goal(board: Array, begin: np.uint64, goal: Array) -> bool:
    """Return True if each cell that the goal names holds the kind that belongs there."""
    for cell in range(np.uint64(goal.size)):
        if goal[cell] != OPEN_CELL and goal[cell] != board[begin + cell]:
            return False
    return True
