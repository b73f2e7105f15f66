"""Beam search where the moves permute the cells, guided by many lookups: the work on one layer."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.beam.near_goal_kernel import GoalDistances, PermutationMoves
from plansolve.solvers.search.beam.selection_kernel import Candidates, find
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["PermutationBeamLayer", "PermutationGuide", "expand", "make"]


@typed
class PermutationBeamLayer(NamedTuple):
    """The arrangements after the same number of moves.

    board    [arrangements * cells], the home of what stands in each cell
    zobrist  [arrangements], the hash
    node     [arrangements], the state of the pruning automaton
    """

    board: NDArray[np.uint8]
    zobrist: NDArray[np.uint64]
    node: NDArray[np.uint32]


@typed
class PermutationGuide(NamedTuple):
    """The operators, the arrays of the lookups and of the automaton, and the boards near the goal.

    contribution, base  two indices into `table` share a word, the lower-numbered one in
                        the lower half (sums of such words are exact in both halves as long as
                        each index, when all is summed up, is in 0 .. 2**32 - 1), so that a row
                        has half as many words as lookups
    offset, edge_operator, edge_node  those of `PruningAutomaton`: offset, move and next
    near, depth         all arrangements up to so many moves from the goal
    lookups, shift      the number of lookups; how many bits of a score are left out
    """

    moves: PermutationMoves
    table: NDArray[np.uint8]
    contribution: NDArray[np.uint64]
    base: NDArray[np.uint64]
    offset: NDArray[np.uint32]
    edge_operator: NDArray[np.uint8 | np.uint16]
    edge_node: NDArray[np.uint32]
    near: GoalDistances
    depth: int
    lookups: int
    shift: int


@kernel
def expand(
    begin: int,
    end: int,
    stored: int,
    limits: Any,
    guide: PermutationGuide,
    layer: PermutationBeamLayer,
    candidates: Candidates,
    found: Array,
) -> tuple[Any, int]:
    """Put the children of the arrangements begin .. end - 1 after the `stored` candidates.

    The key is the score: the sum of the squares of the lookups' values without its last bits. A
    child whose lookups tell that it may be near the goal is sought there; the nearest one becomes
    found = (distance, parent, operator). Return the number of candidates and of children.
    """
    cells, key, first, to_cell, from_cell, group = guide.moves
    table, contribution, base = guide.table, guide.contribution, guide.base
    offset, edge_operator = guide.offset, guide.edge_operator
    near_slots, near_distances = guide.near
    near, shift, words = guide.depth, guide.shift, guide.base.size
    allowed, cut = limits
    board, zobrist, node = layer
    hashes, parents, operators, scores, _, counts = candidates
    one, low = np.uint64(1), np.uint64((1 << 32) - 1)
    half = np.uint64(32)
    size, row = np.uint64(cells), np.uint64(words)
    pairs = np.uint64(guide.lookups) >> one
    is_single = (np.uint64(guide.lookups) & one) == one
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
                bucket, slot = find(near_slots, value)
                if near_slots[bucket, slot] == value:
                    if np.int64(near_distances[bucket, slot]) < found[0]:
                        found[0] = np.int64(near_distances[bucket, slot])
                        found[1] = np.int64(i)
                        found[2] = np.int64(move)
                elif near >= allowed:
                    # Not among the boards near the goal: it is farther away than they are.
                    continue
            hashes[count] = value
            parents[count] = np.uint32(i)
            operators[count] = np.uint16(move)
            scores[count] = np.uint32(score)
            counts[np.uint64(score)] += np.uint32(1)
            count += one
    return count, children


@kernel
def make(
    begin: int,
    end: int,
    guide: PermutationGuide,
    layer: PermutationBeamLayer,
    candidates: Candidates,
    chosen: Array,
    following: PermutationBeamLayer,
) -> None:
    """Make the arrangements begin .. end - 1 of the following layer from the chosen candidates."""
    cells, _, first, to_cell, from_cell, _ = guide.moves
    size, one = np.uint64(cells), np.uint64(1)
    for k in range(np.uint64(begin), np.uint64(end)):
        i = np.uint64(chosen[k])
        parent, move = np.uint64(candidates.parent[i]), np.uint64(candidates.move[i])
        here, there = parent * size, k * size
        for cell in range(size):
            following.board[there + cell] = layer.board[here + cell]
        for j in range(np.uint64(first[move]), np.uint64(first[move + one])):
            to, origin = np.uint64(to_cell[j]), np.uint64(from_cell[j])
            following.board[there + to] = layer.board[here + origin]
        following.zobrist[k] = candidates.hash[i]
        state = np.uint64(layer.node[parent])
        for edge in range(np.uint64(guide.offset[state]), np.uint64(guide.offset[state + one])):
            if np.uint64(guide.edge_operator[edge]) == move:
                following.node[k] = guide.edge_node[edge]
