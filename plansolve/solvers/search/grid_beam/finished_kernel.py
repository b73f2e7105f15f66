"""The finished boards of a stage: the best ones, each once, in a heap with the worst on top."""

import numpy as np

from plansolve.solvers.search.grid_beam.distances_kernel import stage_distance
from plansolve.solvers.search.grid_beam.state import GridBoards, GridState, Number, Ranking
from plansolve.storage.jit import Array, kernel

__all__ = ["is_known", "put_away"]


@kernel
def _sink(ranking: Ranking, count: Number) -> None:
    """Restores the order of a heap whose first entry has changed."""
    keys, heap = ranking
    i = 0
    while True:
        child = 2 * i + 1
        if child >= count:
            return
        if child + 1 < count and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[i]] >= keys[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@kernel
def _place_for(ranking: Ranking, count: Number, keep: Number, key: Number) -> Number:
    """Where a board with that key may stand: place `count`, the worst board's, or -1."""
    keys, heap = ranking
    if count < keep:
        i = count
        keys[count] = key
        heap[count] = count
        while i > 0 and keys[heap[(i - 1) // 2]] < key:
            heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
            i = (i - 1) // 2
        return np.int64(count)
    if key >= keys[heap[0]]:
        return -1
    place = np.int64(heap[0])
    keys[place] = key
    _sink(ranking, count)
    return place


@kernel
def is_known(closed: Array, hashed: Number, bits: Number, salt: Number) -> bool:
    """Whether a board was seen in this stage; it is from now on.

    The highest bits of the hash tell the place in the closed table, the next 32 the entry, and
    the salt of the stage makes all older entries void.
    """
    place = hashed >> (np.uint64(64) - bits)
    signature = np.uint32((hashed >> (np.uint64(32) - bits)) & np.uint64(0xFFFFFFFF))
    signature ^= np.uint32(salt)
    if closed[place] == signature:
        return True
    closed[place] = signature
    return False


@kernel
def put_away(state: GridState, level: GridBoards, count: int) -> None:
    """Keeps of the last `count` candidates, which are finished, the best by the next distance."""
    progress, terms, ahead, tree = state.progress, state.terms, state.ahead, state.tree
    child, child_hash, _, _ = state.candidates
    tiles, facts, hashes = state.finished
    free, bits, salt = np.uint64(terms.free), np.uint64(terms.bits), np.uint64(terms.salt)
    for i in range(np.uint64(count)):
        c = np.uint64(len(child)) - np.uint64(1) - i
        if is_known(state.closed, child_hash[c], bits, salt):
            continue
        source, to = np.int64(child[c].source), np.uint64(child[c].blank)
        is_child = source >= 0
        number = np.uint64(source if is_child else -1 - source)
        board = level.tiles[number] if is_child else state.first.tiles[number]
        before = level.facts[number] if is_child else state.first.facts[number]
        # A board that was finished before the stage began does not move.
        blank = np.uint64(before.blank)
        a: Number = np.uint64(0)
        b: Number = np.uint64(0)
        for cell in range(free):
            if board[cell] == ahead.one:
                a = cell
            if board[cell] == ahead.other:
                b = cell
        a = blank if a == to else a
        b = blank if b == to else b
        distance = stage_distance(ahead, terms.free_after, np.int64(a), np.int64(b), np.int64(to))
        key = 16 * progress.level + child[c].h + ((terms.alpha * distance) >> 2)
        found = _place_for(state.ranking, progress.finished, terms.keep, key)
        if found < 0:
            continue
        progress.finished = max(progress.finished, found + 1)
        if progress.first_finished < 0:
            progress.first_finished = progress.level
        place = np.uint64(found)
        for cell in range(free):
            tiles[place, cell] = board[cell]
        tiles[place, blank] = board[to]
        tiles[place, to] = board[blank]
        facts[place].blank = to
        facts[place].came = blank if is_child else before.came
        facts[place].h = child[c].h
        facts[place].node = before.node
        facts[place].one = a
        facts[place].other = b
        facts[place].moves = progress.level
        hashes[place] = child_hash[c]
        if is_child:
            tree.parents[progress.nodes] = before.node
            tree.cells[progress.nodes] = to
            facts[place].node = progress.nodes
            progress.nodes += 1
