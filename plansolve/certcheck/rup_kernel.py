"""The compiled part of the proof checker: unit propagation, and the clauses that come and go.

Two literals of each clause are watched (Moskewicz et al., 2001), each with a blocking literal
(Sörensson and Eén, 2009). Deleted clauses leave the watch lists when these are next looked
through, and the memory when half of it is theirs. (To keep what was propagated for the literals
that consecutive clauses share, as solvers do, was tried: it saves less than a tenth of the work.)

The arena (int32) holds the clauses: for each its length (negative once it is deleted), its number
and its literals; a place in it is where the literals begin. A literal is 2 * variable, plus 1 if
negative. The pool (uint64) holds the watch lists; an entry is the place of the clause (32 bits),
its blocking literal (31 bits), and a bit that tells whether the clause has just two literals.
"""

import numpy as np

from plansolve.certcheck.rup_log_kernel import log_causes
from plansolve.certcheck.rup_state import (
    ARENA,
    CLAUSES,
    FALSE,
    FALSIFIED,
    GARBAGE,
    HEADER,
    LOGGED,
    MISSING,
    OPEN,
    POOL,
    STAMP,
    STEP,
    TOP,
    TRUE,
    CheckerState,
    Integer,
)  # fmt: skip
from plansolve.storage.jit import Array, kernel

__all__ = ["ENDED", "FAILED", "REFUTED", "RUNNING", "advance"]

RUNNING, REFUTED, FAILED, ENDED = 0, 1, 2, 3
"""How a call of `advance` may end."""

_FIXPOINT, _CONFLICT, _POOL_FULL = 0, 1, 2
_LEAST_GARBAGE = 1 << 16
_SLICE = 1 << 19


@kernel
def advance(
    literals: Array,
    ends: Array,
    deletes: Array,
    part: Integer,
    parts: Integer,
    arena: Array,
    pool: Array,
    state: CheckerState,
) -> tuple[Integer, Array, Array]:
    """Do steps until one settles the matter, the clauses end, or a slice of work is done.

    Of so many `parts` of the additions check one, `part`, and take in the others unchecked; where
    `parts` is 0, take in all of them unchecked. Stop, too, where the log might become too short: a
    step may add an entry for each variable, and two.
    """
    numbers = state.numbers
    work = 0
    step = numbers[STEP]
    while step < ends.size:
        is_full = state.log_ends.size and numbers[LOGGED] + 2 * state.trail.size > state.log.size
        if work > _SLICE or is_full:
            return RUNNING, arena, pool
        begin = ends[step - 1] if step else np.int64(0)
        needed = numbers[ARENA] + HEADER + ends[step] - begin
        if needed > arena.size:
            arena = _larger(arena, numbers[ARENA], max(needed, 2 * arena.size))
        place = numbers[ARENA] + HEADER
        size, bucket = _copy_set(literals, begin, ends[step], place, arena, state)
        work += 1 + size
        if deletes[step]:
            pool = _delete(place, size, bucket, arena, pool, state)
        else:
            # By turns: neighbours take about as long.
            if parts and numbers[CLAUSES] % parts == part:
                follows, propagated, pool = _follows(place, size, arena, pool, state)
                work += propagated
                if not follows:
                    return FAILED, arena, pool
            if state.log_ends.size:
                state.log_ends[np.uintp(numbers[CLAUSES])] = numbers[LOGGED]
            _enter(place, size, bucket, arena, state)
            refuted, pool = _attach(place, size, arena, pool, state)
            if refuted:
                if state.log_ends.size:
                    numbers[STAMP] += 1
                    log_causes(numbers[TOP], arena, state)
                return REFUTED, arena, pool
        step += 1
        numbers[STEP] = step
    return ENDED, arena, pool


@kernel
def _copy_set(
    literals: Array, begin: Integer, end: Integer, place: Integer, arena: Array, state: CheckerState
) -> tuple[Integer, Integer]:
    """Copy and mark the different literals of a clause; return their number and its bucket."""
    state.numbers[STAMP] += 1
    stamp = state.numbers[STAMP]
    size = 0
    total = np.uint64(0)
    for k in range(begin, end):
        literal = np.int64(literals[np.uintp(k)])
        index = 2 * abs(literal) + (literal < 0)
        if state.marks[np.uintp(index)] == stamp:
            continue
        state.marks[np.uintp(index)] = stamp
        arena[np.uintp(place + size)] = index
        size += 1
        # The finishing steps of splitmix64; the sum does not depend on the order.
        mixed = np.uint64(index) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total += mixed ^ (mixed >> np.uint64(31))
    return size, np.int64(total & np.uint64(state.buckets.size - 1))


@kernel
def _enter(
    place: Integer, size: Integer, bucket: Integer, arena: Array, state: CheckerState
) -> None:
    """Make the clause that was copied to the arena's end a clause of the database."""
    clause = state.numbers[CLAUSES]
    state.numbers[CLAUSES] += 1
    state.numbers[ARENA] = place + size
    arena[np.uintp(place - 2)] = size
    arena[np.uintp(place - 1)] = clause
    state.where[np.uintp(clause)] = place
    state.chain[np.uintp(clause)] = state.buckets[np.uintp(bucket)]
    state.buckets[np.uintp(bucket)] = clause


@kernel
def _delete(
    copied: Integer, size: Integer, bucket: Integer, arena: Array, pool: Array, state: CheckerState
) -> Array:
    """Delete a clause that equals the one that was copied to the arena's end."""
    before = np.int64(-1)
    clause = np.int64(state.buckets[np.uintp(bucket)])
    while clause >= 0 and not _equals(state.where[np.uintp(clause)], size, arena, state):
        before = clause
        clause = np.int64(state.chain[np.uintp(clause)])
    if clause < 0:
        state.numbers[MISSING] += 1
        return pool
    if before < 0:
        state.buckets[np.uintp(bucket)] = state.chain[np.uintp(clause)]
    else:
        state.chain[np.uintp(before)] = state.chain[np.uintp(clause)]
    place = state.where[np.uintp(clause)]
    # The watch lists notice it when they come across it.
    arena[np.uintp(place - 2)] = -size
    state.numbers[GARBAGE] += size + HEADER
    garbage = state.numbers[GARBAGE]
    if garbage > _LEAST_GARBAGE and 2 * garbage > state.numbers[ARENA]:
        pool = _collect(arena, pool, state)
    return pool


@kernel
def _equals(place: Integer, size: Integer, arena: Array, state: CheckerState) -> bool:
    """Whether a clause has exactly the literals that the present step has marked."""
    if arena[np.uintp(place - 2)] != size:
        return False
    stamp = state.numbers[STAMP]
    for k in range(place, place + size):
        if state.marks[np.uintp(arena[np.uintp(k)])] != stamp:
            return False
    return True


@kernel
def _follows(
    place: Integer, size: Integer, arena: Array, pool: Array, state: CheckerState
) -> tuple[bool, Integer, Array]:
    """Whether a clause has the RUP property; the number of literals propagated; the pool."""
    bottom = state.numbers[TOP]
    follows = False
    for k in range(place, place + size):
        literal = arena[np.uintp(k)]
        value = state.values[np.uintp(literal)]
        if value == TRUE:
            # It is true without assumptions, or the clause has its negation too.
            follows = True
            break
        if value == OPEN:
            _assign(literal ^ 1, -1, state)
    if not follows:
        follows, pool = _propagate_from(bottom, arena, pool, state)
        if follows and state.log_ends.size:
            log_causes(bottom, arena, state)
    top = state.numbers[TOP]
    for k in range(bottom, top):
        literal = state.trail[np.uintp(k)]
        state.values[np.uintp(literal)] = OPEN
        state.values[np.uintp(literal ^ 1)] = OPEN
    state.numbers[TOP] = bottom
    return follows, top - bottom, pool


@kernel
def _attach(
    place: Integer, size: Integer, arena: Array, pool: Array, state: CheckerState
) -> tuple[bool, Array]:
    """Watch a clause, while nothing is assumed; return whether it leads to a conflict."""
    found = 0
    for k in range(place, place + size):
        literal = arena[np.uintp(k)]
        value = state.values[np.uintp(literal)]
        if value == TRUE:
            return False, pool  # for good: it need not be watched
        if value == OPEN and found < 2:
            _swap(k, place + found, arena)
            found += 1
    number = arena[np.uintp(place - 1)]
    if found == 0:
        state.numbers[FALSIFIED] = number
        return True, pool
    if found == 1:
        top = state.numbers[TOP]
        _assign(np.int64(arena[np.uintp(place)]), number, state)
        refuted, pool = _propagate_from(top, arena, pool, state)
        for k in range(top, state.numbers[TOP]):
            state.since[np.uintp(state.trail[np.uintp(k)] >> 1)] = state.numbers[CLAUSES]
        return refuted, pool
    return False, _watch_two(place, size, arena, pool, state)


@kernel
def _swap(i: Integer, j: Integer, arena: Array) -> None:
    arena[np.uintp(i)], arena[np.uintp(j)] = arena[np.uintp(j)], arena[np.uintp(i)]


@kernel
def _watch_two(
    place: Integer, size: Integer, arena: Array, pool: Array, state: CheckerState
) -> Array:
    """Watch the first two literals of a clause."""
    for side in range(2):
        literal = arena[np.uintp(place + side)]
        entry = _entry(place, arena[np.uintp(place + 1 - side)], size == 2)
        while not _watch(
            literal, entry, pool, state.starts, state.sizes, state.room, state.numbers
        ):
            pool = _larger(pool, state.numbers[POOL], 2 * pool.size)
    return pool


@kernel
def _entry(place: Integer, blocker: Integer, is_binary: bool) -> Integer:
    return (
        (np.uint64(place) << np.uint64(32))
        | (np.uint64(blocker) << np.uint64(1))
        | np.uint64(is_binary)
    )


@kernel
def _watch(
    literal: Integer,
    entry: Integer,
    pool: Array,
    starts: Array,
    sizes: Array,
    room: Array,
    numbers: Array,
) -> bool:
    """Add an entry to a literal's watch list; return False if the pool has no room for it."""
    size = sizes[np.uintp(literal)]
    start = starts[np.uintp(literal)]
    if size == room[np.uintp(literal)]:
        more = max(4, 2 * size)
        used = numbers[POOL]
        if used + more > pool.size:
            return False
        for k in range(size):
            pool[np.uintp(used + k)] = pool[np.uintp(start + k)]
        start = used
        starts[np.uintp(literal)] = start
        room[np.uintp(literal)] = more
        numbers[POOL] = used + more
    pool[np.uintp(start + size)] = entry
    sizes[np.uintp(literal)] = size + 1
    return True


@kernel
def _larger(array: Array, used: Integer, size: Integer) -> Array:
    """Return an array of `size` elements that begins with the first `used` of `array`."""
    larger = np.empty(size, array.dtype)
    # One slice assigned to another would be compiled with the making of its error's text.
    for place in range(used):
        larger[np.uintp(place)] = array[np.uintp(place)]
    return larger


@kernel
def _assign(literal: Integer, reason: Integer, state: CheckerState) -> None:
    """Make a literal true; it is still to be propagated."""
    state.reasons[np.uintp(literal >> 1)] = reason
    state.values[np.uintp(literal)] = TRUE
    state.values[np.uintp(literal ^ 1)] = FALSE
    state.trail[np.uintp(state.numbers[TOP])] = literal
    state.numbers[TOP] += 1


@kernel
def _propagate_from(
    head: Integer, arena: Array, pool: Array, state: CheckerState
) -> tuple[bool, Array]:
    """Propagate the literals of the trail from `head` on; return whether there is a conflict."""
    top = state.numbers[TOP]
    while True:
        outcome, head, top = _propagate(head, top, arena, pool, state)
        if outcome != _POOL_FULL:
            break
        pool = _larger(pool, state.numbers[POOL], 2 * pool.size)
    state.numbers[TOP] = top
    return outcome == _CONFLICT, pool


@kernel
def _propagate(
    head: Integer, top: Integer, arena: Array, pool: Array, state: CheckerState
) -> tuple[Integer, Integer, Integer]:
    """Propagate the literals of the trail from `head` on; return the outcome and its state."""
    values, trail, reasons = state.values, state.trail, state.reasons
    starts, sizes, room, numbers = state.starts, state.sizes, state.room, state.numbers
    while head < top:
        false = trail[np.uintp(head)] ^ 1
        start = starts[np.uintp(false)]
        stop = start + sizes[np.uintp(false)]
        read = write = start
        outcome = _FIXPOINT
        while read < stop:
            entry = pool[np.uintp(read)]
            read += 1
            unit = np.int32((entry >> np.uint64(1)) & np.uint64(0x7FFFFFFF))
            value = values[np.uintp(unit)]
            if value == TRUE:
                pool[np.uintp(write)] = entry
                write += 1
                continue
            place = np.int64(entry >> np.uint64(32))
            size = arena[np.uintp(place - 2)]
            if size < 0:
                continue
            if not entry & np.uint64(1):
                unit = arena[np.uintp(place)]
                if unit == false:
                    unit = arena[np.uintp(place + 1)]
                    arena[np.uintp(place)] = unit
                    arena[np.uintp(place + 1)] = false
                entry = _entry(place, unit, False)
                value = values[np.uintp(unit)]
                if value == TRUE:
                    pool[np.uintp(write)] = entry
                    write += 1
                    continue
                k = place + 2
                end = place + size
                while k < end and values[np.uintp(arena[np.uintp(k)])] == FALSE:
                    k += 1
                if k < end:
                    literal = arena[np.uintp(k)]
                    if _watch(literal, entry, pool, starts, sizes, room, numbers):
                        arena[np.uintp(place + 1)] = literal
                        arena[np.uintp(k)] = false
                        continue
                    outcome = _POOL_FULL
            pool[np.uintp(write)] = entry
            write += 1
            if outcome == _POOL_FULL:
                break
            if value == FALSE:
                outcome = _CONFLICT
                numbers[FALSIFIED] = arena[np.uintp(place - 1)]
                break
            reasons[np.uintp(unit >> 1)] = arena[np.uintp(place - 1)]
            values[np.uintp(unit)] = TRUE
            values[np.uintp(unit ^ 1)] = FALSE
            trail[np.uintp(top)] = unit
            top += 1
        if write < read:
            while read < stop:
                pool[np.uintp(write)] = pool[np.uintp(read)]
                read += 1
                write += 1
            sizes[np.uintp(false)] = write - start
        if outcome != _FIXPOINT:
            return outcome, head, top
        head += 1
    return _FIXPOINT, head, top


@kernel
def _collect(arena: Array, pool: Array, state: CheckerState) -> Array:
    """Move the clauses that are left together, and build all watch lists anew."""
    numbers, sizes = state.numbers, state.sizes
    sizes[:] = 0
    old = new = np.int64(0)
    while old < numbers[ARENA]:
        size = np.int64(arena[np.uintp(old)])
        if size < 0:
            old += HEADER - size
            continue
        state.where[np.uintp(arena[np.uintp(old + 1)])] = new + HEADER
        for k in range(size + HEADER):
            arena[np.uintp(new + k)] = arena[np.uintp(old + k)]
        old += size + HEADER
        new += size + HEADER
        # Room for the watches that it may get.
        for side in range(2):
            if side < size:
                sizes[np.uintp(arena[np.uintp(new - size + side)])] += 1
    numbers[ARENA] = new
    numbers[GARBAGE] = 0
    numbers[POOL] = 0
    for literal in range(sizes.size):
        state.starts[literal] = numbers[POOL]
        state.room[literal] = 2 + sizes[literal]
        numbers[POOL] += state.room[literal]
        sizes[literal] = 0
    while numbers[POOL] > pool.size:
        pool = np.empty(2 * pool.size, np.uint64)
    place = np.int64(HEADER)
    while place < new:
        size = np.int64(arena[np.uintp(place - 2)])
        _, pool = _attach(place, size, arena, pool, state)
        place += size + HEADER
    return pool
