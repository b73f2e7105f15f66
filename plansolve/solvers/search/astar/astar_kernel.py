"""A* over whole states, in slices (Hart, Nilsson, Raphael 1968).

    open := {start}
    while open is not empty
        take the node with the least f = g + h from open, of these one with the largest g
        if it is the goal: return the way to it
        for each child that is new, or to which this way is shorter than the one that is known
            set its parent and put it into open                    (open it again if it was closed)

Opening again is needed where h is not consistent. f below that of the start counts as that, which
is a lower bound too (`base`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.search.node_kernel import (
    Edge,
    Lookups,
    Number,
    Operators,
    applies,
    distance_bound,
    is_goal,
    looked_up,
    write_child,
)
from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "COUNT",
    "EXPANSIONS",
    "FIELDS",
    "FULL",
    "GENERATED",
    "GOAL",
    "HEIGHT",
    "MORE_ROWS",
    "NOTHING_LEFT",
    "NUMBERS",
    "OPERATOR",
    "PARENT",
    "PAUSED",
    "REOPENED",
    "ROW",
    "SOLVED",
    "AStarRules",
    "Nodes",
    "Shape",
    "add_start",
    "enter",
    "expand",
]

COUNT, ROW, HEIGHT, EXPANSIONS, GENERATED, REOPENED, GOAL = range(7)
"""Places in `numbers`: the first node number that is free; the first bucket that may hold a node,
by row and h; nodes expanded, children generated, closed nodes opened again; the goal's node."""
NUMBERS = 7

PAUSED, SOLVED, NOTHING_LEFT, FULL, MORE_ROWS = range(5)
"""Why a slice ended: the expansions asked for are done; the goal was taken from the open list; no
open node has f below the limit; there may be no room for the next node's children, or no row of
buckets."""

FIELDS = np.uint64(5)
PARENT, OPERATOR, DEPTH, OLDER, NEWER = map(np.uint64, range(5))
CLOSED = np.uint32(0xFFFFFFFF)


@typed
class AStarRules(NamedTuple):
    """What A* reads of a puzzle with N cells beside its `Operators`.

    choice[choice_first[b] ..  the operators that may be applied while the blank is in cell
           choice_first[b+1]]  b; all are in row 0 where there is no blank, or several gaps
    hashes[tile * N + cell]    random: a state's hash is their XOR
    """

    choice_first: NDArray[np.uint32]
    choice: NDArray[np.uint32]
    hashes: NDArray[np.uint64]


@typed
class Nodes(NamedTuple):
    """The nodes that have been met, numbered from 1 in that order, and the open list.

    states[n * N ..]       the state of node n, the tile in each cell
    fields[n * FIELDS ..]  five numbers:
                           PARENT, OPERATOR, DEPTH: the last arc of the best way to it that is
                           known, and g;
                           OLDER, NEWER: its neighbours in its bucket of the open list, 0 for none;
                           OLDER is CLOSED where it is not open
    slots                  an open addressing hash table of nodes, 0 where empty; the hash
                           finds the place to look at, whole states are compared
    heads[row * width + h] the open list: the node with f = base + row and that h which was
                           put there last
    numbers                what outlives a slice: see the constants
    """

    states: NDArray[np.uint8 | np.uint16]
    fields: NDArray[np.uint32]
    slots: NDArray[np.uint32]
    heads: NDArray[np.uint32]
    numbers: NDArray[np.int64]


class Shape(NamedTuple):
    """Sizes of a search.

    `base` is h of the start, `rise` the most by which h grows along a move, `width` one more than
    the largest h; `branching` the most operators of one state.
    """

    base: int
    rise: int
    width: int
    branching: int


@kernel
def _place(key: Number, here: Number, cells: Number, states: Array, slots: Array) -> Number:
    """The slot of the state that begins at states[here], or the empty one where it belongs."""
    size = np.uint64(slots.size)
    place = ((key >> np.uint64(32)) * size) >> np.uint64(32)
    while slots[place] != np.uint32(0):
        there = np.uint64(slots[place]) * cells
        i: Number = np.uint64(0)
        while i < cells and states[here + i] == states[there + i]:
            i += np.uint64(1)
        if i == cells:
            break
        place += np.uint64(1)
        if place == size:
            place = np.uint64(0)
    return place


@kernel
def _push(node: Number, bucket: Number, fields: Array, heads: Array) -> None:
    """Puts a node first into a bucket."""
    head = np.uint64(heads[bucket])
    fields[node * FIELDS + OLDER] = np.uint32(head)
    fields[node * FIELDS + NEWER] = np.uint32(0)
    if head != np.uint64(0):
        fields[head * FIELDS + NEWER] = np.uint32(node)
    heads[bucket] = np.uint32(node)


@kernel
def _unlink(node: Number, bucket: Number, fields: Array, heads: Array) -> None:
    """Takes a node out of its bucket."""
    older = np.uint64(fields[node * FIELDS + OLDER])
    newer = np.uint64(fields[node * FIELDS + NEWER])
    if newer == np.uint64(0):
        heads[bucket] = np.uint32(older)
    else:
        fields[newer * FIELDS + OLDER] = np.uint32(older)
    if older != np.uint64(0):
        fields[older * FIELDS + NEWER] = np.uint32(newer)
    fields[node * FIELDS + OLDER] = CLOSED


@kernel
def _look(
    here: Number, cells: Number, states: Array, distance: Array, hashes: Array
) -> tuple[Number, Number, Number]:
    """The blank's cell (or 0), the sum of distances and the hash of the state at states[here]."""
    blank: Number = np.uint64(0)
    total: Number = np.int64(0)
    key: Number = np.uint64(0)
    for cell in range(cells):
        tile = np.uint64(states[here + cell])
        if tile == np.uint64(0):
            blank = cell
        total += np.int64(distance[tile * cells + cell])
        key ^= hashes[tile * cells + cell]
    return blank, total, key


@kernel
def _next_bucket(
    row: Number, height: Number, last_row: Number, width: Number, heads: Array
) -> tuple[Number, Number]:
    """The first bucket from (row, height) on that is not empty, or (last_row, 0)."""
    while row < last_row:
        while height < width:
            if heads[np.uint64(row * width + height)] != np.uint32(0):
                return row, height
            height += 1
        row += 1
        height = 0
    return row, height


@kernel
def add_start(rules: AStarRules, operators: Operators, lookups: Lookups, nodes: Nodes) -> Number:
    """Makes the state that stands in states[N:] node 1 and opens it in row 0; returns its h.

    UNREACHABLE or more, and nothing is opened, where one of its tiles is stuck.
    """
    size: Number = np.uint64(operators.goal.size)
    _, total, _ = _look(size, size, nodes.states, operators.distance, rules.hashes)
    if total >= UNREACHABLE:
        return total
    divisor, distance = operators.divisor, operators.distance
    h = distance_bound(total, divisor, size, size, nodes.states, distance)
    h += looked_up(lookups, size, size, nodes.states)
    nodes.fields[FIELDS + DEPTH] = np.uint32(0)
    _push(np.uint64(1), np.uint64(h), nodes.fields, nodes.heads)
    nodes.numbers[COUNT] = 2
    nodes.numbers[HEIGHT] = h
    return h


@kernel
def enter(first: int, last: int, rules: AStarRules, operators: Operators, nodes: Nodes) -> None:
    """Puts the nodes first .. last - 1 into the hash table."""
    size: Number = np.uint64(operators.goal.size)
    states, slots = nodes.states, nodes.slots
    distance, hashes = operators.distance, rules.hashes
    for node in range(np.uint64(first), np.uint64(last)):
        _, _, key = _look(node * size, size, states, distance, hashes)
        slots[_place(key, node * size, size, states, slots)] = np.uint32(node)


@kernel
def expand(
    expansions: int,
    limit: int,
    shape: Shape,
    rules: AStarRules,
    operators: Operators,
    lookups: Lookups,
    nodes: Nodes,
) -> int:
    """Expands at most so many nodes; returns why it stopped.

    The next node is that of the smallest f; of these that of the smallest h, so of the largest g;
    of these the one that was opened last. Its children come in the order of the operators. A
    child with f of `limit` or more, or with a stuck tile, is not stored. A better way to a known
    state opens its node (again).
    """
    choice_first, choice, hashes = rules.choice_first, rules.choice, rules.hashes
    goal, distance, divisor = operators.goal, operators.distance, operators.divisor
    move_first, need = operators.move_first, operators.need
    move_cell, move_source = operators.move_cell, operators.move_source
    states, fields, slots = nodes.states, nodes.fields, nodes.slots
    heads, numbers = nodes.heads, nodes.numbers
    base, rise, width = shape.base, shape.rise, shape.width
    branching = shape.branching
    has_lookups = lookups.begin.size > 1
    cells: Number = np.uint64(goal.size)
    rows: Number = heads.size // width
    capacity: Number = fields.size // np.int64(FIELDS)
    count: Number = np.uint64(numbers[COUNT])
    row, height = numbers[ROW], numbers[HEIGHT]
    status, done = PAUSED, 0
    last_row = min(rows, max(limit - base, 0))
    while True:
        row, height = _next_bucket(row, height, last_row, width, heads)
        if row >= last_row:
            status = NOTHING_LEFT
            break
        bucket: Number = np.uint64(row * width + height)
        node: Number = np.uint64(heads[bucket])
        here = node * cells
        if height == 0 and is_goal(goal, here, states):
            numbers[GOAL] = np.int64(node)
            status = SOLVED
            break
        if done == expansions:
            break
        if np.int64(count) + branching > capacity:
            status = FULL
            break
        if row + 1 + rise >= rows:
            status = MORE_ROWS
            break
        _unlink(node, bucket, fields, heads)
        done += 1
        blank, total, key = _look(here, cells, states, distance, hashes)
        if choice_first.size == 2:
            blank = np.uint64(0)
        g: Number = np.int64(fields[node * FIELDS + DEPTH]) + 1
        for edge in range(
            np.uint64(choice_first[blank]), np.uint64(choice_first[blank + np.uint64(1)])
        ):
            chosen: Number = np.uint64(choice[edge])
            if not applies(np.uint64(need[chosen]), here, cells, states):
                continue
            # If the child is a new one it stays where it is written, behind the last node.
            there = count * cells
            move_made = Edge(
                np.uint64(move_first[chosen]),
                np.uint64(move_first[chosen + np.uint64(1)]),
                here,
                there,
                total,
                key,
            )
            child_total, child_key = write_child(
                move_made, cells, move_cell, move_source, distance, hashes, states
            )
            numbers[GENERATED] += 1
            if child_total >= UNREACHABLE:
                continue
            h = distance_bound(child_total, divisor, there, cells, states, distance)
            if has_lookups:
                h += looked_up(lookups, there, cells, states)
            if g + h >= limit:
                continue
            place = _place(child_key, there, cells, states, slots)
            child: Number = np.uint64(slots[place])
            if child == np.uint64(0):
                child = count
                slots[place] = np.uint32(child)
                count += np.uint64(1)
            elif g >= np.int64(fields[child * FIELDS + DEPTH]):
                continue
            elif fields[child * FIELDS + OLDER] == CLOSED:
                numbers[REOPENED] += 1
            else:
                before: Number = max(np.int64(fields[child * FIELDS + DEPTH]) + h - base, 0)
                _unlink(child, np.uint64(before * width + h), fields, heads)
            fields[child * FIELDS + PARENT] = np.uint32(node)
            fields[child * FIELDS + OPERATOR] = np.uint32(chosen)
            fields[child * FIELDS + DEPTH] = np.uint32(g)
            child_row: Number = max(g + h - base, 0)
            _push(child, np.uint64(child_row * width + h), fields, heads)
            if child_row < row:
                row, height = child_row, h
            elif child_row == row:
                height = min(height, h)
    numbers[COUNT] = np.int64(count)
    numbers[ROW], numbers[HEIGHT] = row, height
    numbers[EXPANSIONS] += done
    return status
