"""A* over whole states by weighted bounds, in slices (Hart, Nilsson, Raphael 1968; ARA*: Likhachev,
Gordon, Thrun 2003).

    for each weight w, from large to 1
        OPEN := OPEN and INCONS, in the order of g + w * h;  CLOSED := INCONS := {}
        while the least g + w * h in OPEN is below the length of the best plan
            expand its node, and put it into CLOSED
            a child that is new, or to which this way is shorter than the one that is known,
                is a plan, if it is the goal; goes into INCONS, if it is in CLOSED; else into OPEN

With the last weight closed nodes are opened again, as h need not be consistent. Plain A* has only
that one, and takes the node with the smallest h of those with the least f.

**What is proved.** Of the nodes on a shortest plan, take the first that was not expanded since its
way got as short as it can be. It is in OPEN or INCONS, for when the node before it was expanded its
way was found; its g is right and its h no larger than what is left, so its f = g + h is not above
the shortest plan's length. Unless it was left out, because f was not below the length of a known
plan. So no plan is shorter than the least f in OPEN and INCONS, or else than the best plan that is
known; whatever the order of the expansions, and with any admissible h. An f below that of the start
counts as that, which is a lower bound too (`base`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.placement_kernel import PlacementScratch, PlacementTables, look_up, stand
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
from plansolve.storage.jit import Array, inlined, kernel, typed

_NO_WAY = 255


@typed
class BoundTables(NamedTuple):
    """Tables of one kind or of none: those that there are not are None.

    additive     sums for a blank graph; `places` has room for the indices of their patterns
    placements   lookups for any puzzle; `scratch` is for them
    """

    additive: AdditiveSets | None
    places: NDArray[np.uint32]
    placements: PlacementTables | None
    scratch: PlacementScratch | None


@kernel
def table_bound(tables: BoundTables, here: Number, cells: Number, states: Array) -> Number:
    """Return the tables' bound for the board at states[here]; `UNREACHABLE` if it has no plan."""
    summed = _largest_sum(tables.additive, tables.places, here, cells, states)
    return max(summed, _largest(tables.placements, tables.scratch, here, cells, states))


@kernel
def _largest_sum(
    sets: AdditiveSets | None, places: Array, here: Number, cells: Number, states: Array
) -> Number:
    """Return the largest of the sums of a board's additive patterns, 0 where there are none."""
    if sets is None:
        return np.int64(0)
    table, base, group, weight, first = sets
    one, largest = np.uint64(1), np.int64(0)
    for g in range(np.uint64(base.size)):
        places[g] = base[g]
    for s in range(np.uint64(first.size) - one):
        for cell in range(cells):
            row = s * cells + np.uint64(states[here + cell])
            places[np.uint64(group[row])] += weight[row * cells + cell]
        total = np.int64(0)
        for g in range(np.uint64(first[s]), np.uint64(first[s + one])):
            entry = np.int64(table[np.uint64(places[g])])
            if entry == _NO_WAY:
                return np.int64(UNREACHABLE)
            total += entry
        largest = max(largest, total)
    return largest


@kernel
def _largest(
    tables: PlacementTables | None,
    scratch: PlacementScratch | None,
    here: Number,
    cells: Number,
    states: Array,
) -> Number:
    """Return the largest of a board's lookups of placements, 0 where there are none."""
    if tables is None or scratch is None:
        return np.int64(0)
    largest = np.int64(0)
    stand(states, here, cells, tables, scratch)
    for lookup in range(np.uint64(tables.base.size)):
        entry = np.int64(look_up(lookup, cells, tables, scratch.where, np.uint64(0)))
        if entry == _NO_WAY:
            return np.int64(UNREACHABLE)
        largest = max(largest, entry)
    return largest


FIELDS = np.uint64(5)
PARENT, DEPTH, HEIGHT, OLDER, NEWER = map(np.uint64, range(5))
CLOSED, INCONSISTENT, DORMANT = map(np.uint32, (0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD))
"""OLDER of nodes that are not in OPEN: expanded; in INCONS; expanded with an earlier weight, with
too large an f, or a goal."""
LAST_NODE = (1 << 32) - 4
"""Larger numbers stand for states of a node."""

COUNT, KEY, EXPANSIONS, GENERATED, REOPENED, GOAL = range(6)
"""Places in `numbers`: the first node number that is free; the first key that may hold a node;
nodes expanded, children generated, nodes opened again that were expanded before; the goal's node if
the last expansion has met it, or else 0."""
NUMBERS = 6

PAUSED, SOLVED, NOTHING_LEFT, FULL, MORE_ROWS = range(5)
"""The reasons for the end of a slice: it has done its expansions; the last expansion met the goal;
no open node has a key below the limit; the next node's children may have no room, or one no row."""


@typed
class Choices(NamedTuple):
    """The operators that apply in each cell of the blank, and the hash keys, with N cells.

    choice[choice_first[b] ..  the operators that may be applied while the blank is in cell
           choice_first[b+1]]  b; all are in row 0 where there is no blank, or several gaps
    hashes[tile * N + cell]    random: a state's hash is their XOR
    """

    choice_first: NDArray[np.uint32]
    choice: NDArray[np.uint32]
    hashes: NDArray[np.uint64]


class NodeRules(NamedTuple):
    """The puzzle, and its bound: the largest of what the distances and lookups add up to and of the
    tables' values.
    """

    choices: Choices
    operators: Operators
    lookups: Lookups
    tables: BoundTables


@typed
class Nodes(NamedTuple):
    """The nodes that have been met, numbered from 1 in that order, and the open list.

    states[n * N ..]       the state of node n, the tile in each cell
    fields[n * FIELDS ..]  five numbers:
                           PARENT, DEPTH: the node before it on the best known way to it, and g;
                           HEIGHT: h;
                           OLDER, NEWER: its neighbours in its bucket of the open list, 0 for none
    slots                  an open addressing hash table of nodes, 0 where empty; the hash
                           finds the place to look at, whole states are compared
    heads[key]             the open list: the node of each bucket which was put there last
    census[row]            how many nodes of OPEN and INCONS have f = base + row
    numbers                what outlives a slice
    """

    states: NDArray[np.uint8 | np.uint16]
    fields: NDArray[np.uint32]
    slots: NDArray[np.uint32]
    heads: NDArray[np.uint32]
    census: NDArray[np.uint32]
    numbers: NDArray[np.int64]


class Order(NamedTuple):
    """The order of the open list: the bucket cost * (f - base) + extra * h, from the first to the
    last, so that w = 1 + extra / cost; in a bucket the node opened last comes first.

    `base` is h of the start, `reopens` tells that w is the last weight, `branching` is the most
    operators of one state.
    """

    cost: int
    extra: int
    base: int
    reopens: bool
    branching: int


@inlined
def _row(g: Number, h: Number, order: Order) -> Number:
    return max(g + h - order.base, 0)


@inlined
def _key(g: Number, h: Number, order: Order) -> Number:
    return np.uint64(order.cost * _row(g, h, order) + order.extra * h)


@kernel
def _place_of(key: Number, here: Number, cells: Number, states: Array, slots: Array) -> Number:
    """Return the slot of the state at states[here], or the empty one where it belongs."""
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
    """Put a node first into a bucket."""
    head = np.uint64(heads[bucket])
    fields[node * FIELDS + OLDER] = np.uint32(head)
    fields[node * FIELDS + NEWER] = np.uint32(0)
    if head != np.uint64(0):
        fields[head * FIELDS + NEWER] = np.uint32(node)
    heads[bucket] = np.uint32(node)


@kernel
def _unlink(node: Number, bucket: Number, fields: Array, heads: Array) -> None:
    """Take a node out of its bucket, and close it."""
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
    """Return the blank's cell (or 0), the sum of distances and the hash of the state there."""
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
def enter(first: int, last: int, rules: NodeRules, nodes: Nodes) -> None:
    """Put the nodes first .. last - 1 into the hash table."""
    size: Number = np.uint64(rules.operators.goal.size)
    states, slots = nodes.states, nodes.slots
    distance, hashes = rules.operators.distance, rules.choices.hashes
    for node in range(np.uint64(first), np.uint64(last)):
        _, _, key = _look(node * size, size, states, distance, hashes)
        slots[_place_of(key, node * size, size, states, slots)] = np.uint32(node)


@kernel
def add_start(rules: NodeRules, nodes: Nodes) -> Number:
    """Make the state in states[N:] node 1, in INCONS; return h, UNREACHABLE if it has no plan."""
    operators, states = rules.operators, nodes.states
    here: Number = np.uint64(operators.goal.size)
    _, h, _ = _look(here, here, states, operators.distance, rules.choices.hashes)
    if h < UNREACHABLE:
        h = distance_bound(h, operators.divisor, here, here, states, operators.distance)
        h = max(
            h + looked_up(rules.lookups, here, here, states),
            table_bound(rules.tables, here, here, states),
        )
    if h < UNREACHABLE:
        nodes.fields[FIELDS + DEPTH] = np.uint32(0)
        nodes.fields[FIELDS + HEIGHT] = np.uint32(h)
        nodes.fields[FIELDS + OLDER] = INCONSISTENT
        nodes.census[0] = np.uint32(1)
        nodes.numbers[COUNT] = 2
    return h


@kernel
def sort(first: int, last: int, limit: int, order: Order, nodes: Nodes) -> None:
    """Put those of the nodes first .. last - 1 that are in OPEN or INCONS into the empty buckets.

    Those with f of `limit` or more are of no use any more.
    """
    fields, heads, census, numbers = nodes.fields, nodes.heads, nodes.census, nodes.numbers
    for node in range(np.uint64(first), np.uint64(last)):
        state = fields[node * FIELDS + OLDER]
        if state == CLOSED:
            fields[node * FIELDS + OLDER] = DORMANT
        elif state != DORMANT:
            g = np.int64(fields[node * FIELDS + DEPTH])
            h = np.int64(fields[node * FIELDS + HEIGHT])
            if g + h >= limit:
                fields[node * FIELDS + OLDER] = DORMANT
                census[np.uint64(_row(g, h, order))] -= np.uint32(1)
            else:
                key: Number = _key(g, h, order)
                _push(node, key, fields, heads)
                numbers[KEY] = min(numbers[KEY], np.int64(key))


@kernel
def expand(expansions: int, limit: int, order: Order, rules: NodeRules, nodes: Nodes) -> int:
    """Expand at most so many nodes; return why it stopped.

    The children come in the order of the operators. One with f of `limit` or more, or without a
    plan, is not stored. When the goal is met its node is not opened, and the slice ends with that
    expansion. A node whose child needs another row stays open, to be expanded once more.
    """
    choice_first, choice, hashes = rules.choices
    goal, move_first, move_cell, move_source, need, distance, divisor = rules.operators
    lookups, tables = rules.lookups, rules.tables
    states, fields, slots, heads, census, numbers = nodes
    has_lookups = lookups.begin.size > 1
    cells: Number = np.uint64(goal.size)
    capacity: Number = fields.size // np.int64(FIELDS)
    count: Number = np.uint64(numbers[COUNT])
    key, end = numbers[KEY], np.uint64(0)
    last = min(heads.size, order.cost * max(limit - order.base, 0))
    status, done = PAUSED, 0
    while status == PAUSED and end == np.uint64(0):
        while key < last and heads[np.uint64(key)] == np.uint32(0):
            key += 1
        if key >= last:
            status = NOTHING_LEFT
            break
        if done == expansions:
            break
        if np.int64(count) + order.branching > capacity:
            status = FULL
            break
        own = key
        node: Number = np.uint64(heads[np.uint64(own)])
        g: Number = np.int64(fields[node * FIELDS + DEPTH])
        row: Number = _row(g, np.int64(fields[node * FIELDS + HEIGHT]), order)
        _unlink(node, np.uint64(own), fields, heads)
        census[np.uint64(row)] -= np.uint32(1)
        if row + order.base >= limit:
            continue
        g += 1
        here, made = node * cells, 0
        blank, total, hashed = _look(here, cells, states, distance, hashes)
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
            begin, behind = move_first[chosen], move_first[chosen + np.uint64(1)]
            move_made = Edge(np.uint64(begin), np.uint64(behind), here, there, total, hashed)
            child_total, child_key = write_child(
                move_made, cells, move_cell, move_source, distance, hashes, states
            )
            made += 1
            if child_total >= UNREACHABLE:
                continue
            h = distance_bound(child_total, divisor, there, cells, states, distance)
            if has_lookups:
                h += looked_up(lookups, there, cells, states)
            if g + h >= limit:
                continue
            place = _place_of(child_key, there, cells, states, slots)
            child: Number = np.uint64(slots[place])
            if child == np.uint64(0):
                h = max(h, table_bound(tables, there, cells, states))
            elif g < np.int64(fields[child * FIELDS + DEPTH]):
                h = np.int64(fields[child * FIELDS + HEIGHT])
            else:
                continue
            if g + h >= limit:
                continue
            its_row: Number = _row(g, h, order)
            if its_row >= census.size:
                status = MORE_ROWS
                break
            state = DORMANT
            if child == np.uint64(0):
                child = count
                slots[place] = np.uint32(child)
                fields[child * FIELDS + HEIGHT] = np.uint32(h)
                count += np.uint64(1)
            else:
                before: Number = np.int64(fields[child * FIELDS + DEPTH])
                state = fields[child * FIELDS + OLDER]
                if state < DORMANT:
                    _unlink(child, _key(before, h, order), fields, heads)
                if state < DORMANT or state == INCONSISTENT:
                    census[np.uint64(_row(before, h, order))] -= np.uint32(1)
                else:
                    numbers[REOPENED] += 1
            fields[child * FIELDS + PARENT] = np.uint32(node)
            fields[child * FIELDS + DEPTH] = np.uint32(g)
            if h == 0 and is_goal(goal, there, states):
                fields[child * FIELDS + OLDER] = DORMANT
                end = child
                continue
            census[np.uint64(its_row)] += np.uint32(1)
            if state == INCONSISTENT or (state == CLOSED and not order.reopens):
                fields[child * FIELDS + OLDER] = INCONSISTENT
                continue
            its_key: Number = _key(g, h, order)
            _push(child, its_key, fields, heads)
            key = min(key, np.int64(its_key))
        if status == MORE_ROWS:
            _push(node, np.uint64(own), fields, heads)
            census[np.uint64(row)] += np.uint32(1)
            key = min(key, own)
        else:
            done += 1
            numbers[GENERATED] += made
    numbers[COUNT] = np.int64(count)
    numbers[KEY] = key
    numbers[EXPANSIONS] += done
    numbers[GOAL] = np.int64(end)
    return status if end == np.uint64(0) else SOLVED
