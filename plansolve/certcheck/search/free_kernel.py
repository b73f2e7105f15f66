"""The sceptic's depth-first search over permutations, bounded by the largest of many lookups."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.search.path_state import BEGINNING, DEPTH, DONE, GOAL, LEAF, NODES, PAUSED
from plansolve.certcheck.search.words import Automaton
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["FreeLookups", "FreeRules", "FreeState", "search_free_moves"]


@typed
class FreeRules(NamedTuple):
    """What M moves do on N cells.

    `target[m * N + c]` is the cell to which move m takes what stands in cell c, and
    `source[m * N + c]` that from which it fills it. `odd[m]` is 1 where tables count it as odd.
    """

    target: NDArray[np.uint8]
    source: NDArray[np.uint8]
    odd: NDArray[np.uint32]


@typed
class FreeLookups(NamedTuple):
    """L lookups into `table`, of which the first `primal[0]` are of boards, the others of inverses.

    Each looks at K tiles, or K cells: lookup l has the index base[l] + half[l] * (1 on odd boards)
    + the sum, over i from l * K to l * K + K - 1, of value[i * N + x], where x is the cell of tile
    `place[i]`, or the tile in cell `place[i]`.
    """

    table: NDArray[np.uint8]
    primal: NDArray[np.uint32]
    base: NDArray[np.uint32]
    half: NDArray[np.uint32]
    place: NDArray[np.uint8]
    value: NDArray[np.uint32]


@typed
class FreeState(NamedTuple):
    """The current path. `numbers` are told in `path_state`.

    Tiles are called by their homes: tile `tile[c]` stands in cell c, and in cell `cell[t]` stands
    tile t. After g moves the automaton is in state `state[g]`, its edge `edge[g]` is the next to
    try, `odd[g]` tells whether the board is an odd one, and `taken[g]` is the move that led here.
    PatternLookup `refuter[g]` was the last to refute a board that comes next.
    """

    numbers: NDArray[np.int64]
    cell: NDArray[np.uint8]
    tile: NDArray[np.uint8]
    state: NDArray[np.uint32]
    edge: NDArray[np.uint32]
    odd: NDArray[np.uint32]
    taken: NDArray[np.uint32]
    refuter: NDArray[np.uint32]


@kernel
def search_free_moves(
    words: Automaton, rules: FreeRules, lookups: FreeLookups, path: FreeState, limits: Array
) -> int:
    """Search on, and return why it ended.

    `limits` (int64): the most moves of a plan, the most moves of a path, and the boards to look up.
    """
    offset, move, following = words.offset, words.move, words.next
    target, source, odd_moves = rules.target, rules.source, rules.odd
    table, base, half = lookups.table, lookups.base, lookups.half
    place, value, primal = lookups.place, lookups.value, np.uint64(lookups.primal[0])
    numbers, cell, tile = path.numbers, path.cell, path.tile
    state, edge, odd, taken, refuter = path.state, path.edge, path.odd, path.taken, path.refuter
    one, zero = np.uint64(1), np.uint64(0)
    cells, count = np.uint64(cell.size), np.uint64(base.size)
    places = np.uint64(place.size // base.size)
    bound, longest, left = limits[0], np.uint64(limits[1]), limits[2]
    g, beginning = np.uint64(numbers[DEPTH]), np.uint64(numbers[BEGINNING])
    before = np.empty(cell.size, np.uint8)
    status = PAUSED
    e, end = np.uint64(edge[g]), np.uint64(offset[np.uint64(state[g]) + one])
    while left > 0:
        if e == end:
            if g == beginning:
                status = DONE
                break
            _make(np.uint64(taken[g]) * cells, target, cell, tile, before)
            g -= one
            e, end = np.uint64(edge[g]), np.uint64(offset[np.uint64(state[g]) + one])
            continue
        left -= 1
        m = np.uint64(move[e])
        row = m * cells
        is_odd = np.uint64(odd[g] ^ odd_moves[m])
        room = bound - np.int64(g) - 1
        lookup, highest = np.uint64(refuter[g]), np.int64(0)
        for _ in range(count):
            at = np.uint64(base[lookup]) + is_odd * np.uint64(half[lookup])
            # What the move will have done to the tiles, or cells, that are looked at.
            if lookup < primal:
                for i in range(lookup * places, (lookup + one) * places):
                    at += value[i * cells + target[row + cell[place[i]]]]
            else:
                for i in range(lookup * places, (lookup + one) * places):
                    at += value[i * cells + tile[source[row + place[i]]]]
            highest = max(highest, np.int64(table[at]))
            if highest > room:
                break
            lookup += one
            if lookup == count:
                lookup = zero
        if highest > room:
            # It may well refute the next one too.
            refuter[g] = lookup
            e += one
            continue
        edge[g] = e + one
        _make(row, source, cell, tile, before)
        g += one
        node = np.uint64(following[e])
        state[g], odd[g], taken[g] = node, is_odd, m
        e, end = np.uint64(offset[node]), np.uint64(offset[node + one])
        if highest == 0 and _is_goal(cell):
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
def _make(row: np.uint64, come: Array, cell: Array, tile: Array, before: Array) -> None:
    """Fill each cell c from come[row + c]: sources make a move, and targets take it back."""
    cells = np.uint64(cell.size)
    before[:] = tile
    for c in range(cells):
        moved = before[come[row + c]]
        tile[c] = moved
        cell[moved] = c


@kernel
def _is_goal(cell: Array) -> bool:
    """Whether each tile is at home."""
    for home in range(np.uint64(cell.size)):
        if np.uint64(cell[home]) != home:
            return False
    return True
