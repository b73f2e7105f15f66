"""The nodes of A* and of searches like it: boards in a hash table, with their best parents."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.search.astar.table_bound_kernel import BoundTables, table_bound
from plansolve.solvers.search.node_kernel import (
    Lookups,
    Number,
    Operators,
    distance_bound,
    looked_up,
)
from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "CLOSED",
    "DEPTH",
    "FIELDS",
    "LAST_NODE",
    "NEWER",
    "OLDER",
    "OPERATOR",
    "PARENT",
    "Choices",
    "NodeRules",
    "Nodes",
    "bound_of",
    "enter",
    "look",
    "place_of",
    "push",
    "unlink",
]

FIELDS = np.uint64(5)
PARENT, OPERATOR, DEPTH, OLDER, NEWER = map(np.uint64, range(5))
CLOSED = np.uint32(0xFFFFFFFF)
LAST_NODE = (1 << 32) - 4
"""Larger numbers stand for states of a node."""


@typed
class Choices(NamedTuple):
    """Which operators apply, and how states are hashed, of a puzzle with N cells.

    choice[choice_first[b] ..  the operators that may be applied while the blank is in cell
           choice_first[b+1]]  b; all are in row 0 where there is no blank, or several gaps
    hashes[tile * N + cell]    random: a state's hash is their XOR
    """

    choice_first: NDArray[np.uint32]
    choice: NDArray[np.uint32]
    hashes: NDArray[np.uint64]


class NodeRules(NamedTuple):
    """What a search reads: the puzzle and its bound, which is the largest of what the distances
    and lookups add up to and of what the tables tell.
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
                           PARENT, OPERATOR, DEPTH: the last arc of the best way to it that is
                           known, and g;
                           OLDER, NEWER: its neighbours in its bucket of the open list, 0 for none;
                           OLDER is CLOSED where it is not open
    slots                  an open addressing hash table of nodes, 0 where empty; the hash
                           finds the place to look at, whole states are compared
    heads[bucket]          the open list: the node of each bucket which was put there last
    numbers                what outlives a slice: the search's own kernel says what
    """

    states: NDArray[np.uint8 | np.uint16]
    fields: NDArray[np.uint32]
    slots: NDArray[np.uint32]
    heads: NDArray[np.uint32]
    numbers: NDArray[np.int64]


@kernel
def place_of(key: Number, here: Number, cells: Number, states: Array, slots: Array) -> Number:
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
def push(node: Number, bucket: Number, fields: Array, heads: Array) -> None:
    """Puts a node first into a bucket."""
    head = np.uint64(heads[bucket])
    fields[node * FIELDS + OLDER] = np.uint32(head)
    fields[node * FIELDS + NEWER] = np.uint32(0)
    if head != np.uint64(0):
        fields[head * FIELDS + NEWER] = np.uint32(node)
    heads[bucket] = np.uint32(node)


@kernel
def unlink(node: Number, bucket: Number, fields: Array, heads: Array) -> None:
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
def look(
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
def bound_of(here: Number, rules: NodeRules, nodes: Nodes) -> Number:
    """H of the state at states[here]; `UNREACHABLE` or more where it has no plan."""
    operators, states = rules.operators, nodes.states
    size: Number = np.uint64(operators.goal.size)
    _, total, _ = look(here, size, states, operators.distance, rules.choices.hashes)
    if total >= UNREACHABLE:
        return total
    h = distance_bound(total, operators.divisor, here, size, states, operators.distance)
    h += looked_up(rules.lookups, here, size, states)
    return max(h, table_bound(rules.tables, here, size, states))


@kernel
def enter(first: int, last: int, rules: NodeRules, nodes: Nodes) -> None:
    """Puts the nodes first .. last - 1 into the hash table."""
    size: Number = np.uint64(rules.operators.goal.size)
    states, slots = nodes.states, nodes.slots
    distance, hashes = rules.operators.distance, rules.choices.hashes
    for node in range(np.uint64(first), np.uint64(last)):
        _, _, key = look(node * size, size, states, distance, hashes)
        slots[place_of(key, node * size, size, states, slots)] = np.uint32(node)
