"""How far the tiles of one stage are from home, when only they and the blank matter."""

import numpy as np

from plansolve.solvers.search.grid_beam.arrays_kernel import (
    FAR,
    KIND,
    LAST,
    OUT,
    PAIR,
    SINGLE,
    WINDOW,
    WINDOW_MOST,
    Arrays,
    Number,
)
from plansolve.storage.jit import Array, kernel

__all__ = ["fill_row", "fill_window", "side_distances", "stage_distance"]


@kernel
def side_distances(
    free: Number,
    arcs: Arrays,
    turns: Arrays,
    is_target: Array,
    queue: Array,
    side: Array,
) -> None:
    """Fills `side[e]`: the moves until a tile is in one of the target cells, where the tile
    stands in the cell that arc e leaves and the blank in the cell that it leads to.

    `arcs` are `first`, `there`, and for each arc the one that comes back. The tile slides into
    the blank, or the blank goes round a corner of the tile, in two moves: `turns` are three
    tables, with arc e turned into `turn_arc[i]` by way of cell `turn_via[i]` for `turn_first[e] <=
    i < turn_first[e + 1]`. Dijkstra's algorithm backwards, with one list each for this, the next
    and the next but one distance; `queue` is int32, at least three times as long as the arcs.
    """
    first, there, back = arcs
    turn_first, turn_arc, turn_via = turns
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
def fill_row(
    tile: Number,
    free: Number,
    first: Array,
    there: Array,
    targets: Array,
    side: Array,
    queue: Array,
    rows: Array,
    context: Number,
) -> None:
    """Fills `rows[context, tile, blank]`: the moves until the tile that stands in cell `tile` is
    in a target cell, for each cell of the blank. Breadth first from the tile's sides.

    `targets` and `side` have a row for each context too; `queue` is int32.
    """
    if targets[context, tile]:
        for cell in range(free):
            rows[context, tile, cell] = 0
        return
    for cell in range(free):
        rows[context, tile, cell] = FAR
    level, last = FAR, 0
    for e in range(first[tile], first[tile + 1]):
        value = side[context, e]
        if value != FAR:
            level = min(level, value)
            last = max(last, value)
    head, tail = 0, 0
    while level <= last or head < tail:
        for e in range(first[tile], first[tile + 1]):
            cell = there[e]
            if side[context, e] == level and rows[context, tile, cell] == FAR:
                rows[context, tile, cell] = level
                queue[tail] = cell
                tail += 1
        end = tail
        level += 1
        while head < end:
            for e in range(first[queue[head]], first[queue[head] + 1]):
                cell = there[e]
                if cell < free and cell != tile and rows[context, tile, cell] == FAR:
                    rows[context, tile, cell] = level
                    queue[tail] = cell
                    tail += 1
            head += 1


@kernel
def fill_window(
    size: Number,
    one: Number,
    other: Number,
    window: Array,
    local: Array,
    arcs: Arrays,
    queue: Array,
    table: Array,
) -> Number:
    """Fills `table[(a * size + b) * size + blank]`, the moves until two tiles in a window
    of `size` cells are in its cells `one` and `other`, and returns the largest entry.

    `window[i]` is a cell, `local` its index in the window, at least `size` for cells outside.
    Nothing leaves the window. A blank that shares its cell with one of the tiles stands for one
    that has come from outside: it has to take a step first. `queue` is int32, size cubed.
    """
    first, there, _ = arcs
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
        cell = window[blank]
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
                cell = window[blank]
                for e in range(first[cell], first[cell + 1]):
                    to = local[there[e]]
                    if to < size and to != a and to != b:
                        best = min(best, table[(a * size + b) * size + to] + 1)
                table[(a * size + b) * size + blank] = min(best, FAR)
    return largest


@kernel
def stage_distance(
    numbers: Array,
    context: Number,
    free: Number,
    a: Number,
    b: Number,
    blank: Number,
    reach: Arrays,
) -> Number:
    """The distance of the stage's tile or tiles in cells a and b, whatever the kind of stage.

    A tile outside the window of a pair is brought there first; where both are, the one with which
    this takes less in all, so that the distance falls by at most one with each move.
    """
    first, there, targets, side, queue, filled, rows, local, door, window, far = reach
    kind = numbers[KIND + context]
    if kind == LAST:
        return 0
    a_is_in = kind == PAIR and local[context, a] != OUT
    b_is_in = kind == PAIR and local[context, b] != OUT
    if a_is_in and b_is_in:
        size = numbers[WINDOW + context]
        i = (np.int64(local[context, a]) * size + local[context, b]) * size
        i += local[context, door[context, blank]]
        return np.int64(window[context, i]) + far[blank, door[context, blank]]
    base = 0 if kind == SINGLE else numbers[WINDOW_MOST + context] + 1
    from_a: Number = FAR
    from_b: Number = FAR
    for turn in range(2):
        if (turn == 0 and a_is_in) or (turn == 1 and (b_is_in or kind == SINGLE)):
            continue
        tile = b if turn else a
        if not filled[context, tile]:
            filled[context, tile] = 1
            fill_row(tile, free, first, there, targets, side, queue, rows, context)
        if turn:
            from_b = np.int64(rows[context, tile, blank])
        else:
            from_a = np.int64(rows[context, tile, blank])
    if kind == PAIR and not a_is_in and not b_is_in:
        door_a, door_b = door[context, a], door[context, b]
        from_a += far[door_a, b] + 5 * far[b, door_b]
        from_b += far[door_b, a] + 5 * far[a, door_a]
    return base + min(from_a, from_b)
