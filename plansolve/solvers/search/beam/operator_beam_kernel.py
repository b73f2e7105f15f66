"""Beam search whose children are made by operators, guided by lookups: the work on one layer.

Boards are judged by the sum of the squares of their lookups, or of sums of these. The lookups are
many small ones of arrangements, where the moves permute the cells, or those of placements.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_kernel import PlacementScratch, PlacementTables, look_up, stand
from plansolve.solvers.search.beam.selection_kernel import Candidates
from plansolve.solvers.search.node_kernel import Number, applies, is_goal
from plansolve.storage.jit import Array, inlined, kernel, typed

NO_WAY, FARTHEST = 255, 254


@typed
class OperatorLayer(NamedTuple):
    """The boards after the same number of moves.

    board    [boards * cells], what stands in each cell; of an arrangement, its goal cell
    zobrist  [boards], the hash
    node     [boards], the state of the pruning automaton
    """

    board: NDArray[np.uint8]
    zobrist: NDArray[np.uint64]
    node: NDArray[np.uint32]


@typed
class BeamMoves(NamedTuple):
    """The operators, and which of them a beam makes.

    goal               [cells]; -1 in an open cell
    first              [operators + 1]: operator o fills to_cell[i] from from_cell[i] for
                       first[o] <= i < first[o + 1]
    need               [operators], as in `node_kernel.Operators`
    group              [operators], the number of the set of cells that the operator changes
    key                [contents * cells], random, not 0: a move changes the hash by
                       key[content * cells + cell] of what it moves
    offset, edge_operator, edge_node  those of `PruningAutomaton`: offset, move and next
    """

    goal: NDArray[np.int32]
    first: NDArray[np.uint32]
    to_cell: NDArray[np.uint16]
    from_cell: NDArray[np.uint16]
    need: NDArray[np.uint16]
    group: NDArray[np.uint32]
    key: NDArray[np.uint64]
    offset: NDArray[np.uint32]
    edge_operator: NDArray[np.uint8 | np.uint16]
    edge_node: NDArray[np.uint32]


@typed
class PackedLookups(NamedTuple):
    """Lookups of arrangements: those of `PermutationLookups`.

    contribution, base  two indices into `table` share a word, the lower-numbered one in
                        the lower half (sums of such words are exact in both halves as long as
                        each index, when all is summed up, is in 0 .. 2**32 - 1), so that a row
                        has half as many words as lookups
    lookups             how many there are
    """

    table: NDArray[np.uint8]
    contribution: NDArray[np.uint64]
    base: NDArray[np.uint64]
    lookups: int


@typed
class AddedLookups(NamedTuple):
    """Lookups of placements, of which first[s] .. first[s + 1] - 1 are added."""

    tables: PlacementTables
    first: NDArray[np.uint64]


@typed
class Guide(NamedTuple):
    """The operators, and lookups of one kind; a score's last `shift` bits are left out."""

    moves: BeamMoves
    arrangements: PackedLookups | None
    placements: AddedLookups | None
    shift: int


@typed
class Scratch(NamedTuple):
    """Room for what lookups of arrangements need, and a child.

    whole, rest, changed  [words], the indices of the board, without the cells that the operators
                          of a group change, and of the child
    """

    whole: NDArray[np.uint64]
    rest: NDArray[np.uint64]
    changed: NDArray[np.uint64]
    child: NDArray[np.uint8]


@inlined
def _index_board(
    lookups: PackedLookups | None, here: Number, cells: Number, board: Array, scratch: Scratch
) -> None:
    """Sum up the indices of the arrangement at board[here]."""
    if lookups is None:
        return
    words, whole = np.uint64(lookups.base.size), scratch.whole
    for w in range(words):
        whole[w] = lookups.base[w]
    for cell in range(cells):
        at = (np.uint64(board[here + cell]) * cells + cell) * words
        for w in range(words):
            whole[w] += lookups.contribution[at + w]


@inlined
def _arrangement_score(
    lookups: PackedLookups | None,
    moves: BeamMoves,
    move: Number,
    is_other_group: bool,
    here: Number,
    board: Array,
    scratch: Scratch,
) -> tuple[Number, Number]:
    """Return the score of the arrangement after a move, and its largest lookup."""
    score, most = np.int64(0), np.int64(0)
    if lookups is None:
        return score, most
    table, contribution, base, count = lookups
    whole, rest, index, _ = scratch
    one, half, low = np.uint64(1), np.uint64(32), np.uint64((1 << 32) - 1)
    cells, words = np.uint64(moves.goal.size), np.uint64(base.size)
    begin, end = np.uint64(moves.first[move]), np.uint64(moves.first[move + one])
    if is_other_group:
        for w in range(words):
            rest[w] = whole[w]
        for j in range(begin, end):
            cell = np.uint64(moves.from_cell[j])
            at = (np.uint64(board[here + cell]) * cells + cell) * words
            for w in range(words):
                rest[w] -= contribution[at + w]
    for w in range(words):
        index[w] = rest[w]
    for j in range(begin, end):
        content = np.uint64(board[here + np.uint64(moves.from_cell[j])])
        at = (content * cells + np.uint64(moves.to_cell[j])) * words
        for w in range(words):
            index[w] += contribution[at + w]
    pairs = np.uint64(count) >> one
    for w in range(pairs):
        a, b = np.int64(table[index[w] & low]), np.int64(table[index[w] >> half])
        score += a * a + b * b
        most = max(most, a, b)
    if np.uint64(count) & one == one:
        a = np.int64(table[index[pairs] & low])
        score += a * a
        most = max(most, a)
    return score, most


@inlined
def _placement_score(
    lookups: AddedLookups | None, cells: Number, child: Array, scratch: PlacementScratch
) -> tuple[Number, Number]:
    """Return the score of a board, and its largest sum, `NO_WAY` where it has no plan."""
    score, most = np.int64(0), np.int64(0)
    if lookups is None:
        return score, most
    tables, first = lookups
    one = np.uint64(1)
    stand(child, np.uint64(0), cells, tables, scratch)
    for s in range(np.uint64(first.size) - one):
        total, has_way = np.int64(0), True
        for lookup in range(first[s], first[s + one]):
            left = look_up(lookup, cells, tables, scratch.where, np.uint64(0))
            total += left
            has_way = has_way and left < NO_WAY
        score += total * total
        # A sum may be larger than any distance that is told apart.
        most = max(most, min(total, np.int64(FARTHEST)) if has_way else np.int64(NO_WAY))
    return score, most


@inlined
def _write_child(
    move: Number, moves: BeamMoves, here: Number, board: Array, there: Number, child: Array
) -> None:
    """Write the board after a move to child[there:]."""
    for c in range(np.uint64(moves.goal.size)):
        child[there + c] = board[here + c]
    for j in range(np.uint64(moves.first[move]), np.uint64(moves.first[move + np.uint64(1)])):
        child[there + np.uint64(moves.to_cell[j])] = board[here + np.uint64(moves.from_cell[j])]


@kernel
def _slots(lookups: AddedLookups | None) -> int:
    """Return the number of slots of a `PlacementScratch`."""
    return 0 if lookups is None else lookups.tables.slot.size


@kernel
def _words(lookups: PackedLookups | None) -> int:
    """Return the number of words of a board's indices."""
    return 0 if lookups is None else lookups.base.size


@kernel
def expand(
    begin: int,
    end: int,
    stored: int,
    limits: Any,
    guide: Guide,
    layer: OperatorLayer,
    candidates: Candidates,
    found: Array,
) -> tuple[Any, int]:
    """Put the children of the boards begin .. end - 1 after the `stored` candidates.

    `limits` are `operator_beam.BeamLimits`. The key is the score. A child that is the goal
    becomes found = (0, parent, operator). Return the number of candidates and of children.
    """
    moves, arrangements, placements, shift = guide
    allowed, cut = limits
    board, zobrist, node = layer
    hashes, parents, operators, scores, _, counts = candidates
    one, zero, cells = np.uint64(1), np.uint64(0), np.uint64(moves.goal.size)
    words, slots = _words(arrangements), _slots(placements)
    scratch = Scratch(
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(cells, np.uint8),
    )
    stood = PlacementScratch(np.empty(slots, np.uint64), np.empty(cells, np.uint8))
    child = scratch.child
    count, children = np.uint64(stored), 0
    for i in range(np.uint64(begin), np.uint64(end)):
        state, here, last = np.uint64(node[i]), i * cells, zero - one
        _index_board(arrangements, here, cells, board, scratch)
        for edge in range(np.uint64(moves.offset[state]), np.uint64(moves.offset[state + one])):
            move = np.uint64(moves.edge_operator[edge])
            if not applies(np.uint64(moves.need[move]), here, cells, board):
                continue
            children += 1
            group = np.uint64(moves.group[move])
            score, most = _arrangement_score(
                arrangements, moves, move, group != last, here, board, scratch
            )
            last = group
            if slots > 0:
                _write_child(move, moves, here, board, zero, child)
                score, most = _placement_score(placements, cells, child, stood)
            score >>= shift
            if most > allowed or score >= cut:
                continue
            if most == 0:
                _write_child(move, moves, here, board, zero, child)
                if is_goal(moves.goal, zero, child):
                    found[0], found[1], found[2] = 0, i, move
            value = zobrist[i]
            for j in range(np.uint64(moves.first[move]), np.uint64(moves.first[move + one])):
                to, origin = np.uint64(moves.to_cell[j]), np.uint64(moves.from_cell[j])
                at = np.uint64(board[here + origin]) * cells
                value ^= moves.key[at + to] ^ moves.key[at + origin]
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
    moves: BeamMoves,
    layer: OperatorLayer,
    candidates: Candidates,
    chosen: Array,
    following: OperatorLayer,
) -> None:
    """Make the boards begin .. end - 1 of the following layer from the chosen candidates."""
    cells, one = np.uint64(moves.goal.size), np.uint64(1)
    for k in range(np.uint64(begin), np.uint64(end)):
        i = np.uint64(chosen[k])
        parent, move = np.uint64(candidates.parent[i]), np.uint64(candidates.move[i])
        _write_child(move, moves, parent * cells, layer.board, k * cells, following.board)
        following.zobrist[k] = candidates.hash[i]
        state = np.uint64(layer.node[parent])
        for edge in range(np.uint64(moves.offset[state]), np.uint64(moves.offset[state + one])):
            if np.uint64(moves.edge_operator[edge]) == move:
                following.node[k] = moves.edge_node[edge]
