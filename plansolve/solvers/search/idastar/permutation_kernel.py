"""Iterative-deepening A* for moves that permute the cells, with a maximum over pattern lookups.

One call searches a subtree for plans of exactly `limit` moves, depth first:

    while a child of the current board, or of one above it, is left
        if none of this board is left: go back one level
        else take up the next child; stop where the goal or the end of the slice is met
        try all its children at once, and keep those that no lookup refutes

The state of the search is a stack of levels, where level d belongs to the boards after d moves.
Each level holds its *slots*: the children of the board above that no lookup refutes. All children
of a board are tried at once, so that their table reads do not wait for each other, and the list of
those still alive is closed up without a branch.

Lookups are taken in blocks of 16. The indices of two lookups share a 64-bit word, the
lower-numbered one in the lower half: sums of such words are exact in both halves as long as each
index, when all is summed up, is in 0..2**32-1. A block is then 8 words, which are added in vector
registers.

A lookup refutes a child where its value is above the moves that remain after it. First those are
made, one after the other, whose value at the board equals the moves that remain there: most moves
do not lower them. Then, all at once, those whose value is less by up to `slack`. The rest is not
read: where all moves can be taken back a primal lookup changes by at most one with a move, and a
dual one seldom by more, so the board's value plus one stands for the child's until it matters. It
decides what is read; what is refuted is always read from the table. Where all moves can be taken
back, moreover, a value at a child that is more than one above the moves that remain at the board
refutes the board itself (Felner, Zahavi, Holte, Schaeffer, Sturtevant, Zhang: Inconsistent
heuristics in theory and practice, Artificial Intelligence 175, 2011).

The first blocks may be made in reach sets of larger patterns (`patterns.permutation`), eight
lookups a block whose indices take a word each. They come first as they refute most, and are made
where there is a set for the moves that remain after a child; where fewer remain the indices are not
kept up any more, for they will not be needed.

Level arrays, with S slots a level and B blocks of lookups:
    board[level*cells + cell]                  what stands in the cell, as tile * cells * 8
    odd[level]                                 1 for an odd arrangement
    alive[level*S + i], i < used[level]        the slots in use
    taken[level]                               how many of them have been taken up
    operator[level*S + slot], node[...]        the move that leads to the slot, the automaton's node
    indices[((level*S + slot)*B + b)*8 + w]    the lookups' table indices
    value[((level*S + slot)*B + b)*16 + l]     the lookups' values, or what stands for them
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.idastar import registers as reg
from plansolve.storage.jit import Array, kernel, typed

Block: TypeAlias = Any
"""The indices of a block of lookups: eight words."""


@typed
class SearchTables(NamedTuple):
    """The input of a search.

    The automaton: `offset`, `move`, `next`. Operator o moves the cells `cell[m]`, filled from
    `source[m]`, for m from first[o] to first[o+1]-1; it belongs to the group `group[o]` of
    operators of equal parity that change the same cells, which are those of `group_cell` from
    group_first[g] to group_first[g+1]-1, and `group_odd[g]` tells their parity.
    `contribution[((b*cells + tile)*cells + cell)*8 + w]` holds the contributions,
    `flip[(b*2 + odd)*8 + w]` what an odd move adds to them on an even and on an odd board, `table`
    the values. Block b has `lookups[b]` lookups. `limits` holds the slack, and the number by which
    a child's value must be above the moves that remain at the board to refute the board; then the
    number of blocks of reach sets, the least and the most moves that there is a set for, how many
    sets there are, and the words of each. Bit i % 32 of reach[moves % sets * words + i // 32] is 1
    where the goal can be within so many moves.
    """

    offset: NDArray[np.uint32]
    move: NDArray[np.uint32]
    next: NDArray[np.uint32]
    first: NDArray[np.uint32]
    cell: NDArray[np.uint32]
    source: NDArray[np.uint32]
    group: NDArray[np.uint32]
    group_first: NDArray[np.uint32]
    group_cell: NDArray[np.uint32]
    group_odd: NDArray[np.uint32]
    contribution: NDArray[np.uint64]
    flip: NDArray[np.uint64]
    table: NDArray[np.uint8]
    lookups: NDArray[np.uint32]
    limits: NDArray[np.uint64]
    reach: NDArray[np.uint32]


@typed
class SearchState(NamedTuple):
    """The state of a search: the level arrays (see above), work space, and the registers.

    `order` has room for 16 numbers. The nodes of the registers are the children that were tried. A
    search begins with the root of its subtree in slot 0 of its level, its board in place.
    """

    board: NDArray[np.uint32]
    odd: NDArray[np.uint32]
    used: NDArray[np.uint32]
    taken: NDArray[np.uint32]
    operator: NDArray[np.uint32]
    node: NDArray[np.uint32]
    indices: NDArray[np.uint64]
    value: NDArray[np.uint8]
    alive: NDArray[np.uint32]
    order: NDArray[np.uint32]
    registers: NDArray[np.int64]


class Sizes(NamedTuple):
    """The numbers of cells, of slots a level, and of blocks of lookups; all uint64."""

    cells: np.uint64
    slots: np.uint64
    blocks: np.uint64


class Question(NamedTuple):
    """A board and its children while one block of lookups is made; all numbers are uint64.

    The board's row of the block in `indices` and `value`, that of slot 0 of the children's level,
    and how many rows a slot has; slot 0 of the children's level in `alive`; the lookups of the
    block; the moves that remain at the board; and `SearchTables.limits`.
    """

    parent: np.uint64
    first_row: np.uint64
    blocks: np.uint64
    children: np.uint64
    lookups: np.uint64
    remaining: np.uint64
    slack: np.uint64
    excess: np.uint64


class Within(NamedTuple):
    """A board's children while one block of lookups is made in a reach set; all numbers are uint64.

    Where the set begins, where the indices of slot 0 of the children's level are, and how many
    words of indices a slot has; slot 0 of the children's level in `alive`; the lookups of the
    block.
    """

    begin: np.uint64
    first_index: np.uint64
    words: np.uint64
    children: np.uint64
    lookups: np.uint64


@kernel
def search(tables: SearchTables, state: SearchState, sizes: Sizes, nodes: int) -> int:
    """Search on, trying about `nodes` children; return why it ended.

    A plan's moves are those of the slots alive[level*S + taken[level] - 1] of the levels from 1 on.
    """
    # Each array is taken out of its tuple once, which costs an atomic increment.
    offset, move, following = tables.offset, tables.move, tables.next
    first, cell, source = tables.first, tables.cell, tables.source
    group, group_first, group_cell = tables.group, tables.group_first, tables.group_cell
    group_odd, contribution, flip = tables.group_odd, tables.contribution, tables.flip
    table, lookups, reach = tables.table, tables.lookups, tables.reach
    board, odd, used, taken = state.board, state.odd, state.used, state.taken
    operator, node, indices, value = state.operator, state.node, state.indices, state.value
    alive, order, registers = state.alive, state.order, state.registers

    one, none, eight = np.uint64(1), np.uint64(0), np.uint64(8)
    beyond_all = none - one
    size, stride = sizes.cells, sizes.slots
    limits = tables.limits
    slack, excess = limits[0], limits[1]
    rest = (none, none, none, none, none, none, none, none)
    level, floor = np.uint64(registers[reg.DEPTH]), np.uint64(registers[reg.FLOOR])
    depth, leaf = np.uint64(registers[reg.LIMIT]), np.uint64(registers[reg.LEAF])
    deepest = np.uint64(registers[reg.DEEPEST])
    tried, expanded = np.uint64(0), np.uint64(0)
    status = reg.PAUSED
    # Whatever is pruned, the next limit is one more.
    registers[reg.NEXT_LIMIT] = registers[reg.LIMIT] + 1
    while True:
        if taken[level] == used[level]:
            if level == floor:
                status = reg.EXHAUSTED
                break
            level -= one
            continue
        if tried >= np.uint64(nodes):
            break
        slot = np.uint64(alive[level * stride + np.uint64(taken[level])])
        taken[level] += np.uint32(1)
        if level > floor:
            chosen = np.uint64(operator[level * stride + slot])
            odd[level] = odd[level - one] ^ group_odd[group[chosen]]
            _move(level, chosen, size, board, first, cell, source)
            deepest = max(deepest, level)
            if level == depth:
                if _is_goal(level, size, board):
                    if registers[reg.COUNTING] == 0:
                        status = reg.FOUND
                        break
                    registers[reg.PLANS] += 1
                continue
            if level == leaf:
                status = reg.LEAF_REACHED
                break

        state_here = np.uint64(node[level * stride + slot])
        begin, beyond = np.uint64(offset[state_here]), np.uint64(offset[state_here + one])
        parent, children = level * stride + slot, (level + one) * stride
        left = none
        for edge in range(begin, beyond):
            alive[children + left] = left
            operator[children + left] = move[edge]
            node[children + left] = following[edge]
            left += one
        tried += left
        expanded += one
        after = depth - level - one
        for block in range(none if after >= limits[3] else limits[2], sizes.blocks):
            # What the tiles that a group moves contribute where they are is taken away once.
            rows = block * size * size * eight
            at, last = (parent * sizes.blocks + block) * eight, beyond_all
            for i in range(left):
                child = children + np.uint64(alive[children + i])
                chosen = np.uint64(operator[child])
                own = np.uint64(group[chosen])
                if own != last:
                    last, rest = own, _words(indices, at)
                    if group_odd[own]:
                        rest = _sum(
                            rest, flip, (block * np.uint64(2) + np.uint64(odd[level])) * eight
                        )
                    for m in range(np.uint64(group_first[own]), np.uint64(group_first[own + one])):
                        where = np.uint64(group_cell[m])
                        tile = np.uint64(board[level * size + where])
                        rest = _difference(rest, contribution, rows + tile + where * eight)
                words = rest
                for m in range(np.uint64(first[chosen]), np.uint64(first[chosen + one])):
                    tile = np.uint64(board[level * size + np.uint64(source[m])])
                    words = _sum(words, contribution, rows + tile + np.uint64(cell[m]) * eight)
                _write(words, indices, (child * sizes.blocks + block) * eight)
            if block < limits[2]:
                if after <= limits[4]:
                    at = (children * sizes.blocks + block) * eight
                    begin = after % limits[5] * limits[6]
                    left = _reaching(
                        Within(
                            begin, at, sizes.blocks * eight, children, np.uint64(lookups[block])
                        ),
                        left,
                        reach,
                        indices,
                        alive,
                    )
                    if left == none:
                        break
                continue
            asked = Question(
                parent * sizes.blocks + block,
                children * sizes.blocks + block,
                sizes.blocks,
                children,
                np.uint64(lookups[block]),
                depth - level,
                slack,
                excess,
            )
            left = _refute(asked, left, table, indices, value, alive, order)
            if left == none:
                break
        level += one
        used[level] = left
        taken[level] = 0
    registers[reg.DEPTH], registers[reg.DEEPEST] = np.int64(level), np.int64(deepest)
    registers[reg.NODES] += np.int64(tried)
    registers[reg.EXPANDED] += np.int64(expanded)
    return status


@kernel
def _move(
    level: np.uint64,
    operator: np.uint64,
    size: np.uint64,
    board: Array,
    first: Array,
    cell: Array,
    source: Array,
) -> None:
    """Put on a level the board after a move on the board of the level above."""
    above, here = (level - np.uint64(1)) * size, level * size
    for c in range(size):
        board[here + c] = board[above + c]
    for m in range(np.uint64(first[operator]), np.uint64(first[operator + np.uint64(1)])):
        board[here + np.uint64(cell[m])] = board[above + np.uint64(source[m])]


@kernel
def _is_goal(level: np.uint64, size: np.uint64, board: Array) -> bool:
    for cell in range(size):
        if np.uint64(board[level * size + cell]) != cell * size * np.uint64(8):
            return False
    return True


@kernel
def _words(array: Array, at: np.uint64) -> Block:
    """Return the eight words of an array from a place on."""
    return (
        array[at],
        array[at + np.uint64(1)],
        array[at + np.uint64(2)],
        array[at + np.uint64(3)],
        array[at + np.uint64(4)],
        array[at + np.uint64(5)],
        array[at + np.uint64(6)],
        array[at + np.uint64(7)],
    )


@kernel
def _sum(words: Block, array: Array, at: np.uint64) -> Block:
    """Return some words plus those of an array from a place on."""
    a, b, c, d, e, f, g, h = _words(array, at)
    p, q, r, s, t, u, v, w = words
    return p + a, q + b, r + c, s + d, t + e, u + f, v + g, w + h


@kernel
def _difference(words: Block, array: Array, at: np.uint64) -> Block:
    """Return some words minus those of an array from a place on."""
    a, b, c, d, e, f, g, h = _words(array, at)
    p, q, r, s, t, u, v, w = words
    return p - a, q - b, r - c, s - d, t - e, u - f, v - g, w - h


@kernel
def _write(words: Block, array: Array, at: np.uint64) -> None:
    """Put some words into an array from a place on."""
    for i, word in enumerate(words):
        array[at + np.uint64(i)] = word


@kernel
def _refute(
    asked: Question,
    left: np.uint64,
    table: Array,
    indices: Array,
    value: Array,
    alive: Array,
    order: Array,
) -> np.uint64:
    """Make one block of lookups for the children; return how many are left alive.

    Return 0 if the board itself is refuted.
    """
    children, blocks, remaining = asked.children, asked.blocks, asked.remaining
    slack, excess = asked.slack, asked.excess
    one, four, none = np.uint64(1), np.uint64(4), np.uint64(0)
    word_bits, low = np.uint64(5), np.uint64(0xFFFFFFFF)
    limit = remaining - one
    own, first_row = asked.parent << four, asked.first_row

    # Lookups that are exhausted at the board let few children pass: one lookup after the other.
    other = none
    for lookup in range(asked.lookups):
        known = np.uint64(value[own + lookup])
        if known + slack >= remaining and known < remaining:
            order[other] = lookup
            other += one
        elif known < remaining:
            for j in range(left):
                at = first_row + np.uint64(alive[children + j]) * blocks
                value[(at << four) + lookup] = known + one
        else:
            half = (lookup & one) << word_bits
            kept, highest = none, none
            for j in range(left):
                slot = alive[children + j]
                at = first_row + np.uint64(slot) * blocks
                entry = indices[(at << np.uint64(3)) + (lookup >> one)] >> half & low
                found = np.uint64(table[entry])
                value[(at << four) + lookup] = found
                highest = max(highest, found)
                alive[children + kept] = slot
                kept += np.uint64(found <= limit)
            left = kept
            if highest > remaining + excess or left == none:
                return none

    kept, highest = none, none
    for j in range(left):
        slot = alive[children + j]
        at = first_row + np.uint64(slot) * blocks
        worst = none
        for i in range(other):
            number = np.uint64(order[i])
            half = (number & one) << word_bits
            entry = indices[(at << np.uint64(3)) + (number >> one)] >> half & low
            found = np.uint64(table[entry])
            value[(at << four) + number] = found
            worst = max(worst, found)
        highest = max(highest, worst)
        alive[children + kept] = slot
        kept += np.uint64(worst <= limit)
    return none if highest > remaining + excess else kept


@kernel
def _reaching(
    asked: Within, left: np.uint64, reach: Array, indices: Array, alive: Array
) -> np.uint64:
    """Make one block of lookups in a reach set; return how many of the children are left alive."""
    begin, children, word_bits, one = asked.begin, asked.children, np.uint64(5), np.uint64(1)
    bits = np.uint64(31)
    for lookup in range(asked.lookups):
        kept = np.uint64(0)
        for j in range(left):
            slot = alive[children + j]
            index = indices[asked.first_index + np.uint64(slot) * asked.words + lookup]
            found = np.uint64(reach[begin + (index >> word_bits)]) >> (index & bits)
            alive[children + kept] = slot
            kept += found & one
        left = kept
        if left == np.uint64(0):
            break
    return left
