"""One step of a breadth-first search over boards along operators that permute all cells."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.lemmas.perimeter_kernel import KnownBoards, add_board, slot_of
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["ArrangementLookups", "OperatorSteps", "expand_operators"]


@typed
class OperatorSteps(NamedTuple):
    """The operators by number: `source[o, cell]` is the cell that operator o fills `cell` from.

    `is_left_out[p, o]` tells that no plan in question has o next to p in a walk that ends with p;
    the last row is for the walk of no operators.
    """

    source: NDArray[np.uint8]
    is_left_out: NDArray[np.bool_]


@typed
class ArrangementLookups(NamedTuple):
    """Lookups in pattern databases, see `patterns.permutation.PermutationLookups`.

    Lookup l of an arrangement is the entry base[l], plus odd[l] where the arrangement is an odd
    permutation, plus the sum of contribution[home * cells + cell, l] over the cells.
    """

    table: NDArray[np.uint8]
    contribution: NDArray[np.int32]
    base: NDArray[np.int32]
    odd: NDArray[np.int32]


@kernel
def _is_odd(board: Array, seen: Array) -> bool:
    """Whether an arrangement is an odd permutation; `seen` (bool) is written to."""
    seen[:] = False
    odd = False
    for first in range(board.size):
        cell = np.int64(first)
        while not seen[cell]:
            seen[cell] = True
            cell = np.int64(board[cell])
            odd = odd != (cell != first)
    return odd


@kernel
def _is_farther(
    board: Array, left: int, index: Array, seen: Array, lookups: ArrangementLookups
) -> bool:
    """Whether an entry is larger than `left`; `index` (int32) and `seen` are written to."""
    cells = board.size
    index[:] = lookups.base
    for cell in range(cells):
        row = lookups.contribution[np.int64(board[cell]) * cells + cell]
        for lookup in range(index.size):
            index[lookup] += row[lookup]
    if lookups.odd[0] and _is_odd(board, seen):
        for lookup in range(index.size):
            index[lookup] += lookups.odd[lookup]
    for lookup in range(index.size):
        if lookups.table[index[lookup]] > left:
            return True
    return False


@kernel
def expand_operators(
    begin: int,
    count: int,
    left: int,
    is_reversed: bool,
    steps: OperatorSteps,
    known: KnownBoards,
    lookups: ArrangementLookups,
    pruned: Array,
) -> tuple[int, int]:
    """Make the children of the boards from number `begin` on; `count` boards are known.

    In the order of the boards and then of the operators, or, where the search `is_reversed`, of
    the operators and then of the boards. A child is pruned if `left` moves are fewer than its
    bound, or if it is known. The rows of `pruned` (int64) receive the board's number and the
    operator of each; none where there are no rows. The others are numbered from `count` on. Return
    how many boards are known then, -1 if there is no room for them, and how many are pruned.
    """
    operators, cells = steps.source.shape
    boards = count - begin
    number_pruned = 0
    child = np.empty(cells, np.uint8)
    index = np.empty(lookups.base.size, np.int32)
    seen = np.empty(cells, np.bool_)
    for step in range(boards * operators):
        if is_reversed:
            number, operator = begin + step % boards, step // boards
        else:
            number, operator = begin + step // operators, step % operators
        before = np.int64(known.last[number]) if number else operators
        if steps.is_left_out[before, operator]:
            continue
        for cell in range(cells):
            child[cell] = known.board[number, steps.source[operator, cell]]
        slot = slot_of(child, known)
        if known.slots[slot] >= 0 or _is_farther(child, left, index, seen, lookups):
            if pruned.shape[0]:
                pruned[number_pruned, 0] = number
                pruned[number_pruned, 1] = operator
                number_pruned += 1
            continue
        if count == known.board.shape[0]:
            return -1, 0
        add_board(child, count, operator, number, slot, known)
        count += 1
    return count, number_pruned
