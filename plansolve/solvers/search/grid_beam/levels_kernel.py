"""The levels of a staged beam: from the best boards with k moves to the best with k + 1."""

import numpy as np

from plansolve.solvers.search.grid_beam.arrays_kernel import (
    ALPHA,
    ARENA,
    BANK,
    BITS,
    BLANK_HOME,
    CONFLICT,
    CONTEXT,
    COUNT,
    DONE,
    FIRST_OUT,
    FREE,
    FRONT,
    FULL,
    INPUTS,
    KEEP,
    KIND,
    LAST,
    LEVEL,
    LIMIT,
    NODES,
    ONE,
    OTHER,
    OUT,
    OUTPUTS,
    PAIR,
    ROOM,
    RUNNING,
    SALT,
    SINGLE,
    SLACK,
    START,
    TAKEN,
    WIDTH,
    WINDOW,
    WORK,
    Arrays,
    Number,
)
from plansolve.solvers.search.grid_beam.distances_kernel import stage_distance
from plansolve.solvers.search.grid_beam.guidance_kernel import conflicts_made
from plansolve.solvers.search.grid_beam.pool_kernel import finish, is_known
from plansolve.storage.jit import Array, kernel

__all__ = ["advance"]

# From this level of a stage on the distance counts for ever more, so that no stage goes on forever.
_RAMP = 40
_LEVELS = 1500


@kernel
def _expand(
    numbers: Array, weight: Number, beam: Arrays, store: Arrays, market: Arrays, tree: Arrays,
    guide: Array, codes: Arrays, reach: Arrays, lines: Arrays,
) -> Number:  # fmt: skip
    """Makes the children of a level: finished ones go to the pool, others are offered.

    Returns the number of offers.
    """
    boards, slots, marks = beam
    offers, offer_marks, _, _ = market
    tile_mark, cell_mark = codes
    first, there, _, _, _, filled, rows, local, door, window, far = reach
    line_of = lines[2]
    context = np.uint64(numbers[CONTEXT])
    kind = numbers[KIND + numbers[CONTEXT]]
    size = np.uint64(numbers[WINDOW + numbers[CONTEXT]])
    free = np.uint64(numbers[FREE])
    blank_home = np.uint64(numbers[BLANK_HOME])
    conflict = numbers[CONFLICT]
    level = numbers[LEVEL] + 1
    begin = np.uint64(numbers[FRONT] * numbers[ROOM])
    made = np.uint64(0)
    for s in range(begin, begin + np.uint64(numbers[COUNT])):
        blank, came = np.uint64(slots[s, 0]), np.uint64(slots[s, 1])
        h = np.int64(slots[s, 2])
        a, b = np.uint64(slots[s, 3]), np.uint64(slots[s, 4])
        mark = marks[s]
        for e in range(first[blank], first[blank + np.uint64(1)]):
            to = there[e]
            if to >= free or to == came:
                continue
            tile = np.uint64(boards[s, to])
            child = h + np.int64(guide[tile, blank]) - np.int64(guide[tile, to])
            if conflict:
                # A move along a row changes two columns, and the other way round.
                line_kind = np.uint64(line_of[0, to] == line_of[0, blank])
                home = line_of[line_kind, tile]
                if home == line_of[line_kind, to]:
                    child -= conflict * conflicts_made(
                        boards, s, free, home, line_kind, to, tile, blank_home, lines
                    )
                elif home == line_of[line_kind, blank]:
                    child += conflict * conflicts_made(
                        boards, s, free, home, line_kind, blank, tile, blank_home, lines
                    )
            p = blank if a == to else a
            q = blank if b == to else b
            distance = np.int64(0)
            if kind == SINGLE and filled[context, p]:
                distance = np.int64(rows[context, p, to])
            elif kind == PAIR and local[context, p] != OUT and local[context, q] != OUT:
                entry = np.uint64(door[context, to])
                i = np.uint64(local[context, p]) * size + np.uint64(local[context, q])
                i = i * size + np.uint64(local[context, entry])
                distance = np.int64(window[context, i]) + np.int64(far[to, entry])
            elif kind != LAST:
                distance = stage_distance(
                    numbers, np.int64(context), numbers[FREE], np.int64(p), np.int64(q),
                    np.int64(to), reach,
                )  # fmt: skip
            changed = mark + tile_mark[tile] * (cell_mark[blank] - cell_mark[to])
            if distance == 0 and (kind != LAST or child == 0):
                finish(
                    numbers, boards, s, blank, to, np.int64(blank), child, np.int64(slots[s, 5]),
                    level, changed, store, tree, reach,
                )  # fmt: skip
                continue
            offers[made, 0] = s - begin
            offers[made, 1] = to
            offers[made, 2] = child
            offers[made, 3] = child + ((weight * distance) >> 2)
            offer_marks[made] = changed
            made += np.uint64(1)
    return np.int64(made)


@kernel
def _join(
    numbers: Array, weight: Number, made: Number, store: Arrays, market: Arrays, tree: Arrays,
    reach: Arrays,
) -> Number:  # fmt: skip
    """Offers the stage's first boards that have as many moves as the level; they are in order."""
    pool, files, pool_marks, sequence, _, _ = store
    offers, offer_marks, _, _ = market
    context = numbers[CONTEXT]
    kind, one, other = numbers[KIND + context], numbers[ONE + context], numbers[OTHER + context]
    while numbers[TAKEN] < numbers[INPUTS]:
        i = numbers[BANK] * numbers[ROOM] + sequence[numbers[TAKEN]]
        level = np.int64(files[i, 4])
        if level > numbers[LEVEL]:
            break
        numbers[TAKEN] += 1
        a: Number = np.int64(0)
        b: Number = np.int64(0)
        for cell in range(numbers[FREE]):
            if pool[i, cell] == one:
                a = cell
            if pool[i, cell] == other:
                b = cell
        blank, h = np.int64(files[i, 0]), np.int64(files[i, 2])
        distance = stage_distance(numbers, context, numbers[FREE], a, b, blank, reach)
        if distance == 0 and (kind != LAST or h == 0):
            finish(
                numbers, pool, np.uint64(i), np.uint64(blank), np.uint64(blank),
                np.int64(files[i, 1]), h, np.int64(files[i, 3]), level, pool_marks[i], store, tree,
                reach,
            )  # fmt: skip
            continue
        offers[made, 0] = -1 - i
        offers[made, 1] = blank
        offers[made, 2] = h
        offers[made, 3] = h + ((weight * distance) >> 2)
        offer_marks[made] = pool_marks[i]
        made += 1
    return made


@kernel
def _sort(made: Number, market: Arrays) -> Number:
    """Sorts the offers by score into `order`, by counting; returns the best score.

    All scores far above the best are alike.
    """
    offers, _, order, counts = market
    offered = np.uint64(made)
    best: Number = np.int64(1) << 60
    worst: Number = np.int64(0)
    for i in range(offered):
        score = np.int64(offers[i, 3])
        best = min(best, score)
        worst = max(worst, score)
    buckets: Number = max(0, min(worst - best + 1, len(counts) - 1))
    for i in range(buckets + 1):
        counts[i] = 0
    for i in range(offered):
        bucket: Number = np.uint64(min(np.int64(offers[i, 3]) - best + 1, buckets))
        counts[bucket] += 1
    for i in range(buckets):
        counts[i + 1] += counts[i]
    # The counts up to a bucket: its last offer comes last, so that the order is filled backwards.
    for i in range(offered):
        j = offered - np.uint64(1) - i
        bucket = np.uint64(min(np.int64(offers[j, 3]) - best + 1, buckets))
        counts[bucket] -= 1
        order[counts[bucket]] = j
    return best


@kernel
def _select(
    numbers: Array, made: Number, beam: Arrays, store: Arrays, market: Arrays, tree: Arrays
) -> None:
    """Makes the next level of the best offers that are new."""
    boards, slots, marks = beam
    pool, files, _, _, _, _ = store
    offers, offer_marks, order, _ = market
    closed, parents, steps = tree
    free = np.uint64(numbers[FREE])
    bits, salt = np.uint64(numbers[BITS]), np.uint64(numbers[SALT])
    one = numbers[ONE + numbers[CONTEXT]]
    other = numbers[OTHER + numbers[CONTEXT]]
    old = numbers[FRONT] * numbers[ROOM]
    slot = np.uint64(numbers[ROOM] - old)
    end = slot + np.uint64(numbers[WIDTH])
    node = numbers[NODES]
    for position in range(np.uint64(made)):
        if slot == end:
            break
        i = np.uint64(order[position])
        mark = offer_marks[i]
        if is_known(closed, mark, bits, salt):
            continue
        source, to = np.int64(offers[i, 0]), np.uint64(offers[i, 1])
        slots[slot, 0] = to
        slots[slot, 2] = offers[i, 2]
        marks[slot] = mark
        if source < 0:
            start = np.uint64(-1 - source)
            slots[slot, 1] = files[start, 1]
            slots[slot, 3] = 0
            slots[slot, 4] = 0
            slots[slot, 5] = files[start, 3]
            for cell in range(free):
                tile = pool[start, cell]
                boards[slot, cell] = tile
                if tile == one:
                    slots[slot, 3] = cell
                if tile == other:
                    slots[slot, 4] = cell
        else:
            parent = np.uint64(old + source)
            blank = np.uint64(slots[parent, 0])
            for cell in range(free):
                boards[slot, cell] = boards[parent, cell]
            boards[slot, blank] = boards[parent, to]
            boards[slot, to] = boards[parent, blank]
            slots[slot, 1] = blank
            slots[slot, 3] = blank if slots[parent, 3] == to else slots[parent, 3]
            slots[slot, 4] = blank if slots[parent, 4] == to else slots[parent, 4]
            slots[slot, 5] = node
            parents[node] = slots[parent, 5]
            steps[node] = to
            node += 1
        slot += np.uint64(1)
    numbers[COUNT] = np.int64(slot) - (numbers[ROOM] - old)
    numbers[NODES] = node
    numbers[FRONT] = 1 - numbers[FRONT]


@kernel
def advance(
    numbers: Array, work: int, beam: Arrays, store: Arrays, market: Arrays, tree: Arrays,
    guide: Array, codes: Arrays, reach: Arrays, lines: Arrays,
) -> int:  # fmt: skip
    """Goes on with a stage until it is over, the tree of nodes is full, or `work` boards have
    been expanded.

    A stage is over when there are no more boards, when its finished boards are as many as are
    to be kept and no board of the level has a better score than the worst of them, or some
    levels (`SLACK`) after the first of them. The last stage ends with the first finished board.
    """
    _, files, _, sequence, keys, heap = store
    room = numbers[ROOM]
    allowed = numbers[WORK] + work
    while numbers[WORK] < allowed:
        if numbers[NODES] + 4 * room > numbers[ARENA]:
            return FULL
        weight = numbers[ALPHA] + max(0, numbers[LEVEL] - numbers[START] - _RAMP)
        made = _expand(numbers, weight, beam, store, market, tree, guide, codes, reach, lines)
        numbers[WORK] += numbers[COUNT]
        numbers[LEVEL] += 1
        if made == 0 and numbers[TAKEN] < numbers[INPUTS]:
            following = numbers[BANK] * room + sequence[numbers[TAKEN]]
            numbers[LEVEL] = max(numbers[LEVEL], np.int64(files[following, 4]))
        made = _join(numbers, weight, made, store, market, tree, reach)
        best = _sort(made, market)
        _select(numbers, made, beam, store, market, tree)
        level = numbers[LEVEL]
        if numbers[COUNT] == 0 and numbers[TAKEN] == numbers[INPUTS]:
            return DONE
        if level >= numbers[LIMIT] or level - numbers[START] > _LEVELS:
            return DONE
        if numbers[OUTPUTS] > 0:
            if numbers[KIND + numbers[CONTEXT]] == LAST:
                return DONE
            if level > numbers[FIRST_OUT] + numbers[SLACK]:
                return DONE
            if numbers[OUTPUTS] == numbers[KEEP] and 16 * level + best >= keys[heap[0]]:
                return DONE
    return RUNNING
