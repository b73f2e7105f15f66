"""Distances of the tiles of one stage from home, when only they and the blank matter."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

# Kinds of stages: that of all tiles that are left, of one tile, of the last two of a line. The
# number tells how many cells are locked after it.
LAST, SINGLE, PAIR = 0, 1, 2

OUT = 255
"""No cell of a window."""

FAR = 65535
"""No way."""


@typed
class GridArcs(NamedTuple):
    """The grid: there[first[c]] to there[first[c + 1] - 1] are beside cell c, and back[e]
    is the arc that takes back arc e.
    """

    first: NDArray[np.uint64]
    there: NDArray[np.uint64]
    back: NDArray[np.int64]


@typed
class Turns(NamedTuple):
    """The moves of the blank round a corner of a tile, two at a time, backwards.

    For first[e] <= i < first[e + 1] arc[i] becomes arc e by way of cell via[i]; an arc tells that
    the tile stands in the cell that it leaves and the blank in the one that it leads to.
    """

    first: NDArray[np.int64]
    arc: NDArray[np.int64]
    via: NDArray[np.int64]


@typed
class StageDistances(NamedTuple):
    """The distance of a stage's tiles `one` and `other`, in three tables.

    A single tile goes home, one of a pair into the window, a square at the end of its line:
    targets  uint8 [cells], whether a cell is where the tile has to go
    side     uint16 [arcs], the moves if it stands where the arc begins, the blank where it ends
    rows     uint16 [cells, cells], by the cells of tile and blank, for those of the tile that
             filled (uint8 [cells]) tells
    queue    int32, scratch

    A pair goes home in the window, which has `size` cells:
    local    uint8 [cells], the number of a cell in the window, or OUT
    door     uint16 [cells], the cell of the window that is nearest
    window   uint16 [size ** 3], by the numbers of the cells of the pair and the blank
    most     the largest entry

    far      uint16 [cells, cells], the distances of cells
    """

    kind: int
    one: int
    other: int
    first: NDArray[np.uint64]
    there: NDArray[np.uint64]
    targets: NDArray[np.uint8]
    side: NDArray[np.uint16]
    rows: NDArray[np.uint16]
    filled: NDArray[np.uint8]
    queue: NDArray[np.int32]
    local: NDArray[np.uint8]
    door: NDArray[np.uint16]
    window: NDArray[np.uint16]
    size: int
    most: int
    far: NDArray[np.uint16]


@kernel
def side_distances(free: int, arcs: GridArcs, turns: Turns, distances: StageDistances) -> None:
    """Fill in `side`, for a grid whose first locked cell is `free`.

    Dijkstra's algorithm backwards: the tile slides into the blank, or the blank goes round a corner
    of the tile. `queue` holds one list each for this, the next and the next but one distance.
    """
    first, there, back = arcs
    turn_first, turn_arc, turn_via = turns
    is_target, side, queue = distances.targets, distances.side, distances.queue
    cells = len(first) - 1
    room = len(queue) // 3
    pending = np.zeros(3, np.int64)
    for e in range(len(there)):
        side[e] = FAR
    for cell in range(min(cells, free)):
        if is_target[cell]:
            for e in range(first[cell], first[cell + 1]):
                if there[e] < free:
                    side[e] = 0
                    queue[pending[0]] = e
                    pending[0] += 1
    distance = 0
    while pending[0] + pending[1] + pending[2] > 0:
        now = distance % 3
        for i in range(pending[now]):
            e = queue[now * room + i]
            if side[e] != distance:
                continue
            before = back[e]
            if side[before] > distance + 1:
                side[before] = distance + 1
                bucket = (distance + 1) % 3
                queue[bucket * room + pending[bucket]] = before
                pending[bucket] += 1
            for turn in range(turn_first[e], turn_first[e + 1]):
                before = turn_arc[turn]
                if turn_via[turn] < free and there[before] < free and side[before] > distance + 2:
                    side[before] = distance + 2
                    bucket = (distance + 2) % 3
                    queue[bucket * room + pending[bucket]] = before
                    pending[bucket] += 1
        pending[now] = 0
        distance += 1


@kernel
def fill_row(distances: StageDistances, free: int, tile: int) -> None:
    """Fill in the row of the tile that stands in cell `tile`. Breadth first from its sides."""
    first, there, side = distances.first, distances.there, distances.side
    row, queue = distances.rows[tile], distances.queue
    distances.filled[tile] = 1
    if distances.targets[tile]:
        for cell in range(free):
            row[cell] = 0
        return
    for cell in range(free):
        row[cell] = FAR
    level, last = FAR, 0
    for e in range(first[tile], first[tile + 1]):
        if side[e] != FAR:
            level = min(level, side[e])
            last = max(last, side[e])
    head, tail = 0, 0
    while level <= last or head < tail:
        for e in range(first[tile], first[tile + 1]):
            cell = there[e]
            if side[e] == level and row[cell] == FAR:
                row[cell] = level
                queue[tail] = cell
                tail += 1
        end = tail
        level += 1
        while head < end:
            for e in range(first[queue[head]], first[queue[head] + 1]):
                cell = there[e]
                if cell < free and cell != tile and row[cell] == FAR:
                    row[cell] = level
                    queue[tail] = cell
                    tail += 1
            head += 1


@kernel
def fill_window(distances: StageDistances, cells: Array) -> int:
    """Fill in `window`, and return its largest entry; `cells` (int64) are those of the window.

    Nothing leaves the window. A blank that shares its cell with one of the tiles stands for one
    that has come from outside: it has to take a step first.
    """
    first, there, size = distances.first, distances.there, distances.size
    local, table, queue = distances.local, distances.window, distances.queue
    one: Any = np.int64(local[distances.one])
    other: Any = np.int64(local[distances.other])
    square = size * size
    for i in range(size * square):
        table[i] = FAR
    tail = 0
    for blank in range(size):
        if blank != one and blank != other:
            i = one * square + other * size + blank
            table[i] = 0
            queue[tail] = i
            tail += 1
    head = 0
    largest = 0
    while head < tail:
        i = queue[head]
        head += 1
        a, b, blank = i // square, i // size % size, i % size
        largest = table[i]
        cell = cells[blank]
        for e in range(first[cell], first[cell + 1]):
            to = local[there[e]]
            if to < size:
                p = blank if a == to else a
                q = blank if b == to else b
                j = p * square + q * size + to
                if table[j] == FAR:
                    table[j] = largest + 1
                    queue[tail] = j
                    tail += 1
    for a in range(size):
        for b in range(size):
            if a == b:
                continue
            for blank in (a, b):
                best = FAR
                cell = cells[blank]
                for e in range(first[cell], first[cell + 1]):
                    to = local[there[e]]
                    if to < size and to != a and to != b:
                        best = min(best, table[(a * size + b) * size + to] + 1)
                table[(a * size + b) * size + blank] = min(best, FAR)
    return largest


@kernel
def stage_distance(distances: StageDistances, free: Any, a: Any, b: Any, blank: Any) -> Any:
    """Return the distance of the stage's tile or tiles in cells a and b, for any stage.

    A tile outside the window of a pair is brought there first. If both are outside, the second one
    takes the blank's way to it and five moves a cell; the order of the two that takes less counts.
    """
    kind, local, door = distances.kind, distances.local, distances.door
    rows, far = distances.rows, distances.far
    if kind == LAST:
        return 0
    a_is_in = kind == PAIR and local[a] != OUT
    b_is_in = kind == PAIR and local[b] != OUT
    if a_is_in and b_is_in:
        i = (np.int64(local[a]) * distances.size + local[b]) * distances.size
        i += local[door[blank]]
        return np.int64(distances.window[i]) + far[blank, door[blank]]
    base = 0 if kind == SINGLE else distances.most + 1
    from_a: Any = FAR
    from_b: Any = FAR
    if not a_is_in:
        if not distances.filled[a]:
            fill_row(distances, free, a)
        from_a = np.int64(rows[a, blank])
    if kind == PAIR and not b_is_in:
        if not distances.filled[b]:
            fill_row(distances, free, b)
        from_b = np.int64(rows[b, blank])
    if kind == PAIR and not a_is_in and not b_is_in:
        door_a, door_b = door[a], door[b]
        from_a += far[door_a, b] + 5 * far[b, door_b]
        from_b += far[door_b, a] + 5 * far[a, door_a]
    return base + min(from_a, from_b)
