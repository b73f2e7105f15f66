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

from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.search.astar.nodes_kernel import (
    CLOSED,
    DEPTH,
    FIELDS,
    OLDER,
    OPERATOR,
    PARENT,
    NodeRules,
    Nodes,
    bound_of,
    look,
    place_of,
    push,
    unlink,
)
from plansolve.solvers.search.astar.table_bound_kernel import table_bound
from plansolve.solvers.search.node_kernel import (
    Edge,
    Number,
    applies,
    distance_bound,
    is_goal,
    looked_up,
    write_child,
)
from plansolve.storage.jit import Array, kernel

__all__ = [
    "COUNT",
    "EXPANSIONS",
    "FULL",
    "GENERATED",
    "GOAL",
    "HEIGHT",
    "MORE_ROWS",
    "NOTHING_LEFT",
    "NUMBERS",
    "PAUSED",
    "REOPENED",
    "ROW",
    "SOLVED",
    "Shape",
    "add_start",
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


class Shape(NamedTuple):
    """Sizes of a search.

    `base` is h of the start, `rise` the most by which h grows along a move, `width` one more than
    the largest h; `branching` the most operators of one state. The bucket row * width + h of the
    open list has the nodes with f = base + row and that h.
    """

    base: int
    rise: int
    width: int
    branching: int


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
def add_start(rules: NodeRules, nodes: Nodes) -> Number:
    """Makes the state that stands in states[N:] node 1 and opens it in row 0; returns its h.

    UNREACHABLE or more, and nothing is opened, where it has no plan.
    """
    h = bound_of(np.uint64(rules.operators.goal.size), rules, nodes)
    if h >= UNREACHABLE:
        return h
    nodes.fields[FIELDS + DEPTH] = np.uint32(0)
    push(np.uint64(1), np.uint64(h), nodes.fields, nodes.heads)
    nodes.numbers[COUNT] = 2
    nodes.numbers[HEIGHT] = h
    return h


@kernel
def expand(expansions: int, limit: int, shape: Shape, rules: NodeRules, nodes: Nodes) -> int:
    """Expands at most so many nodes; returns why it stopped.

    The next node is that of the smallest f; of these that of the smallest h, so of the largest g;
    of these the one that was opened last. Its children come in the order of the operators. A
    child with f of `limit` or more, or without a plan, is not stored. A better way to a known
    state opens its node (again).
    """
    choice_first, choice, hashes = rules.choices
    goal, move_first, move_cell, move_source, need, distance, divisor = rules.operators
    lookups, tables = rules.lookups, rules.tables
    has_lookups, has_tables = lookups.begin.size > 1, tables.are_there.size > 0
    states, fields, slots = nodes.states, nodes.fields, nodes.slots
    heads, numbers = nodes.heads, nodes.numbers
    base, rise, width, branching = shape
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
        unlink(node, bucket, fields, heads)
        done += 1
        blank, total, key = look(here, cells, states, distance, hashes)
        if choice_first.size == 2:
            blank = np.uint64(0)
        g: Number = np.int64(fields[node * FIELDS + DEPTH]) + 1
        for edge in range(
            np.uint64(choice_first[blank]), np.uint64(choice_first[blank + np.uint64(1)])
        ):
            chosen: Number = np.uint64(choice[edge])
            if not applies(np.uint64(need[chosen]), here, cells, states):
                continue
            there = count * cells
            # If the child is a new one it stays where it is written, behind the last node.
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
            place = place_of(child_key, there, cells, states, slots)
            child: Number = np.uint64(slots[place])
            if child != np.uint64(0) and g >= np.int64(fields[child * FIELDS + DEPTH]):
                continue
            if has_tables:
                h = max(h, table_bound(tables, there, cells, states))
                if g + h >= limit:
                    continue
            if child == np.uint64(0):
                child = count
                slots[place] = np.uint32(child)
                count += np.uint64(1)
            elif fields[child * FIELDS + OLDER] == CLOSED:
                numbers[REOPENED] += 1
            else:
                before: Number = max(np.int64(fields[child * FIELDS + DEPTH]) + h - base, 0)
                unlink(child, np.uint64(before * width + h), fields, heads)
            fields[child * FIELDS + PARENT] = np.uint32(node)
            fields[child * FIELDS + OPERATOR] = np.uint32(chosen)
            fields[child * FIELDS + DEPTH] = np.uint32(g)
            child_row: Number = max(g + h - base, 0)
            push(child, np.uint64(child_row * width + h), fields, heads)
            if child_row < row:
                row, height = child_row, h
            elif child_row == row:
                height = min(height, h)
    numbers[COUNT] = np.int64(count)
    numbers[ROW], numbers[HEIGHT] = row, height
    numbers[EXPANSIONS] += done
    return status
