"""Beam search on puzzles of any kind, guided by lookups of placements: the work on one layer."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_kernel import PlacementScratch, PlacementTables, look_up, stand
from plansolve.solvers.search.beam.selection_kernel import Candidates
from plansolve.solvers.search.node_kernel import applies, is_goal
from plansolve.storage.jit import Array, kernel, typed

NO_WAY, FARTHEST = 255, 254

__all__ = ["PlacementBeamLayer", "PlacementGuide", "expand", "make"]


@typed
class PlacementBeamLayer(NamedTuple):
    """The boards after the same number of moves.

    board    [boards * cells], what stands in each cell
    zobrist  [boards], the hash
    node     [boards], the state of the pruning automaton
    """

    board: NDArray[np.uint8]
    zobrist: NDArray[np.uint64]
    node: NDArray[np.uint32]


@typed
class PlacementGuide(NamedTuple):
    """The operators, the lookups, the automaton and the keys of hashes.

    goal                              [cells]
    sums                              the lookups sums[s] .. sums[s + 1] - 1 are added
    move_first, move_cell, move_source, need  those of `node_kernel.Operators`
    key[tile * cells + cell]          random, not 0
    offset, edge_operator, edge_node  those of `PruningAutomaton`: offset, move and next
    shift                             how many bits of a score are left out
    """

    goal: NDArray[np.int32]
    move_first: NDArray[np.uint32]
    move_cell: NDArray[np.uint16]
    move_source: NDArray[np.uint16]
    need: NDArray[np.uint16]
    tables: PlacementTables
    sums: NDArray[np.uint64]
    key: NDArray[np.uint64]
    offset: NDArray[np.uint32]
    edge_operator: NDArray[np.uint8 | np.uint16]
    edge_node: NDArray[np.uint32]
    shift: int


@kernel
def expand(
    begin: int,
    end: int,
    stored: int,
    limits: Any,
    guide: PlacementGuide,
    layer: PlacementBeamLayer,
    candidates: Candidates,
    found: Array,
) -> tuple[Any, int]:
    """Put the children of the boards begin .. end - 1 after the `stored` candidates.

    `limits` are `operator_beam_run.BeamLimits`. The key is the score: the sum of the squares of the
    sums of lookups, without its last bits. A child that is the goal becomes found = (0, parent,
    operator). Return the number of candidates and of children.
    """
    allowed, cut = limits
    board, zobrist, node = layer
    hashes, parents, operators, scores, _, counts = candidates
    one, cells = np.uint64(1), np.uint64(guide.goal.size)
    sums, child = np.uint64(guide.sums.size) - one, np.empty(cells, np.uint8)
    scratch = PlacementScratch(
        np.empty(guide.tables.slot.size, np.uint64), np.empty(cells, np.uint8)
    )
    count, children = np.uint64(stored), 0
    for i in range(np.uint64(begin), np.uint64(end)):
        state, here = np.uint64(node[i]), i * cells
        for edge in range(np.uint64(guide.offset[state]), np.uint64(guide.offset[state + one])):
            move = np.uint64(guide.edge_operator[edge])
            if not applies(np.uint64(guide.need[move]), here, cells, board):
                continue
            for c in range(cells):
                child[c] = board[here + c]
            value = zobrist[i]
            for m in range(
                np.uint64(guide.move_first[move]), np.uint64(guide.move_first[move + one])
            ):
                to, source = np.uint64(guide.move_cell[m]), np.uint64(guide.move_source[m])
                tile = board[here + source]
                child[to] = tile
                at = np.uint64(tile) * cells
                value ^= guide.key[at + to] ^ guide.key[at + source]
            stand(child, np.uint64(0), cells, guide.tables, scratch)
            children += 1
            score, most = 0, 0
            for s in range(sums):
                total, has_way = 0, True
                for lookup in range(guide.sums[s], guide.sums[s + one]):
                    left = look_up(lookup, cells, guide.tables, scratch.where, np.uint64(0))
                    total += left
                    has_way = has_way and left < NO_WAY
                score += total * total
                # A sum may be larger than any distance that is told apart.
                most = max(most, min(total, FARTHEST) if has_way else NO_WAY)
            score >>= guide.shift
            if most > allowed or score >= cut:
                continue
            if most == 0 and is_goal(guide.goal, np.uint64(0), child):
                found[0], found[1], found[2] = 0, i, move
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
    guide: PlacementGuide,
    layer: PlacementBeamLayer,
    candidates: Candidates,
    chosen: Array,
    following: PlacementBeamLayer,
) -> None:
    """Make the boards begin .. end - 1 of the following layer from the chosen candidates."""
    cells, one = np.uint64(guide.goal.size), np.uint64(1)
    for k in range(np.uint64(begin), np.uint64(end)):
        i = np.uint64(chosen[k])
        parent, move = np.uint64(candidates.parent[i]), np.uint64(candidates.move[i])
        here, there = parent * cells, k * cells
        for c in range(cells):
            following.board[there + c] = layer.board[here + c]
        for m in range(np.uint64(guide.move_first[move]), np.uint64(guide.move_first[move + one])):
            to, source = np.uint64(guide.move_cell[m]), np.uint64(guide.move_source[m])
            following.board[there + to] = layer.board[here + source]
        following.zobrist[k] = candidates.hash[i]
        state = np.uint64(layer.node[parent])
        for edge in range(np.uint64(guide.offset[state]), np.uint64(guide.offset[state + one])):
            if np.uint64(guide.edge_operator[edge]) == move:
                following.node[k] = guide.edge_node[edge]
