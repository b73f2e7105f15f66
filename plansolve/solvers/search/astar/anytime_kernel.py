"""ARA*, in slices: A* by weighted bounds, one weight after another (Likhachev, Gordon, Thrun 2003).

    for each weight w, from large to 1
        OPEN := OPEN and INCONS, in the order of g + w * h;  CLOSED := INCONS := {}
        while the least g + w * h in OPEN is below the length of the best plan
            expand its node, and put it into CLOSED
            a child that is new, or to which this way is shorter than the one that is known,
                is a plan, if it is the goal; goes into INCONS, if it is in CLOSED; else into OPEN

With w = 1 what is closed is opened again, as h need not be consistent, so that this is A*. Children
are made as in `astar_kernel`: a function for both, of so many arrays, takes a third of the time.

**What is proved.** Of the nodes on a shortest plan, take the first that was not expanded since its
way got as short as it can be. It is in OPEN or INCONS, for when the node before it was expanded its
way was found; its g is right and its h no larger than what is left, so its f = g + h is not above
the shortest plan's length. Unless it was left out, because f was not below the length of a known
plan. So no plan is shorter than the least f in OPEN and INCONS, or else than the best plan that is
known; whatever the order of the expansions, and with any admissible h.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "COUNT",
    "EXPANSIONS",
    "FULL",
    "GENERATED",
    "GOAL",
    "KEY",
    "MORE_ROWS",
    "NOTHING_LEFT",
    "NUMBERS",
    "PAUSED",
    "REOPENED",
    "ROW",
    "SOLVED",
    "Heights",
    "Weighted",
    "add_start",
    "expand",
    "least_row",
    "reopen",
]

COUNT, KEY, ROW, EXPANSIONS, GENERATED, REOPENED, GOAL = range(7)
"""Places in `numbers`: the first node number that is free; the first key and the first row of the
census that may hold a node; nodes expanded, children generated, nodes opened again that were
expanded before; the goal's node, 0 while there is none."""
NUMBERS = 7

PAUSED, SOLVED, NOTHING_LEFT, FULL, MORE_ROWS = range(5)
"""Why a slice ended: as in `astar_kernel`, but that a plan counts when its last move is met."""

INCONSISTENT, DORMANT = np.uint32(0xFFFFFFFE), np.uint32(0xFFFFFFFD)
"""OLDER of nodes that are in INCONS, and of those that were expanded with an earlier weight or have
an f that is too large."""


class Weighted(NamedTuple):
    """The order of the open list, and sizes of a search.

    The bucket cost * g + weight * h has the nodes with that key: w = weight / cost. `base` is h of
    the start, `rise` the most by which h grows along a move, `branching` the most operators of one
    state.
    """

    cost: int
    weight: int
    base: int
    rise: int
    branching: int


@typed
class Heights(NamedTuple):
    """What ARA* knows beside `Nodes`.

    height[n]     h of node n
    census[row]   how many nodes of OPEN and INCONS have f = base + row; an f below that of the
                  start counts as that
    """

    height: NDArray[np.uint32]
    census: NDArray[np.uint32]


@kernel
def add_start(rules: NodeRules, nodes: Nodes, heights: Heights) -> Number:
    """Makes the state that stands in states[N:] node 1, in INCONS of row 0; returns its h.

    UNREACHABLE or more where it has no plan.
    """
    h = bound_of(np.uint64(rules.operators.goal.size), rules, nodes)
    if h < UNREACHABLE:
        nodes.fields[FIELDS + DEPTH] = np.uint32(0)
        nodes.fields[FIELDS + OLDER] = INCONSISTENT
        heights.height[1] = np.uint32(h)
        heights.census[0] = np.uint32(1)
        nodes.numbers[COUNT] = 2
    return h


@kernel
def least_row(nodes: Nodes, heights: Heights) -> Number:
    """The least row of a node in OPEN or INCONS, or the number of rows."""
    row, census = nodes.numbers[ROW], heights.census
    while row < census.size and census[np.uint64(row)] == np.uint32(0):
        row += 1
    nodes.numbers[ROW] = row
    return row


@kernel
def reopen(
    first: int, last: int, limit: int, order: Weighted, nodes: Nodes, heights: Heights
) -> None:
    """Puts those of the nodes first .. last - 1 that are in OPEN or INCONS into the empty buckets.

    Those with f of `limit` or more are of no use any more.
    """
    fields, heads, numbers = nodes.fields, nodes.heads, nodes.numbers
    height, census = heights
    for node in range(np.uint64(first), np.uint64(last)):
        state = fields[node * FIELDS + OLDER]
        if state == CLOSED:
            fields[node * FIELDS + OLDER] = DORMANT
        elif state != DORMANT:
            g, h = np.int64(fields[node * FIELDS + DEPTH]), np.int64(height[node])
            if g + h >= limit:
                fields[node * FIELDS + OLDER] = DORMANT
                row: Number = max(g + h - order.base, 0)
                census[np.uint64(row)] -= np.uint32(1)
            else:
                key: Number = order.cost * g + order.weight * h
                push(node, np.uint64(key), fields, heads)
                numbers[KEY] = min(np.int64(numbers[KEY]), key)


@kernel
def _next_key(key: Number, last: Number, heads: Array) -> Number:
    """The first key from `key` on whose bucket is not empty, or `last`."""
    while key < last and heads[np.uint64(key)] == np.uint32(0):
        key += 1
    return key


@kernel
def expand(
    expansions: int, limit: int, order: Weighted, rules: NodeRules, nodes: Nodes, heights: Heights
) -> int:
    """Expands at most so many nodes; returns why it stopped.

    Of the nodes of the smallest key the one that was opened last comes next, and its children in
    the order of the operators. A child with f of `limit` or more, or without a plan, is not stored.
    When the goal is met its node is never opened, and the slice ends with that expansion.
    """
    choice_first, choice, hashes = rules.choices
    goal, move_first, move_cell, move_source, need, distance, divisor = rules.operators
    lookups, tables = rules.lookups, rules.tables
    has_lookups, has_tables = lookups.begin.size > 1, tables.are_there.size > 0
    states, fields, slots = nodes.states, nodes.fields, nodes.slots
    heads, numbers = nodes.heads, nodes.numbers
    height, census = heights
    cost, weight, base, rise, branching = order
    cells: Number = np.uint64(goal.size)
    capacity: Number = fields.size // np.int64(FIELDS)
    count: Number = np.uint64(numbers[COUNT])
    key, least = numbers[KEY], numbers[ROW]
    status, done = PAUSED, 0
    while status == PAUSED:
        last = min(heads.size, cost * limit)
        key = _next_key(key, last, heads)
        if key >= last:
            status = NOTHING_LEFT
            break
        if done == expansions:
            break
        if np.int64(count) + branching > capacity:
            status = FULL
            break
        node: Number = np.uint64(heads[np.uint64(key)])
        g: Number = np.int64(fields[node * FIELDS + DEPTH])
        own: Number = np.int64(height[node])
        if key + cost + weight * rise >= heads.size or g + own - base + 1 + rise >= census.size:
            status = MORE_ROWS
            break
        unlink(node, np.uint64(key), fields, heads)
        census[np.uint64(max(g + own - base, 0))] -= np.uint32(1)
        if g + own >= limit:
            continue
        done += 1
        g += 1
        here = node * cells
        blank, total, hashed = look(here, cells, states, distance, hashes)
        if choice_first.size == 2:
            blank = np.uint64(0)
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
                hashed,
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
            is_end = h == 0 and is_goal(goal, there, states)
            state = DORMANT
            if child == np.uint64(0):
                child = count
                slots[place] = np.uint32(child)
                height[child] = np.uint32(h)
                count += np.uint64(1)
            else:
                before: Number = np.int64(fields[child * FIELDS + DEPTH])
                state = fields[child * FIELDS + OLDER]
                if state < DORMANT:
                    unlink(child, np.uint64(cost * before + weight * h), fields, heads)
                if state < DORMANT or state == INCONSISTENT:
                    census[np.uint64(max(before + h - base, 0))] -= np.uint32(1)
                else:
                    numbers[REOPENED] += 1
            fields[child * FIELDS + PARENT] = np.uint32(node)
            fields[child * FIELDS + OPERATOR] = np.uint32(chosen)
            fields[child * FIELDS + DEPTH] = np.uint32(g)
            if is_end:
                fields[child * FIELDS + OLDER] = DORMANT
                numbers[GOAL] = np.int64(child)
                status = SOLVED
                continue
            row: Number = max(g + h - base, 0)
            census[np.uint64(row)] += np.uint32(1)
            least = min(least, row)
            if state == INCONSISTENT or (state == CLOSED and weight > cost):
                fields[child * FIELDS + OLDER] = INCONSISTENT
                continue
            its_key: Number = cost * g + weight * h
            push(child, np.uint64(its_key), fields, heads)
            key = min(key, its_key)
    numbers[COUNT] = np.int64(count)
    numbers[KEY], numbers[ROW] = key, least
    numbers[EXPANSIONS] += done
    return status
