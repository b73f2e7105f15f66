"""The compiled part of tracing: unit propagation, and the clauses that come and go.

Two literals of each clause are watched (Moskewicz et al., 2001), each with a blocking literal
(Sörensson and Eén, 2009). Deleted clauses leave the watch lists when these are next looked
through, and the memory when half of it is theirs. (To keep what was propagated for the literals
that consecutive clauses share, as solvers do, was tried: it saves less than a tenth of the work.)

The arena (int32) holds the clauses: for each its length (negative once it is deleted), its number
and its literals; a place in it is where the literals begin. A literal is 2 * variable, plus 1 if
negative. The pool (uint64) holds the watch lists; an entry is the place of the clause (32 bits),
its blocking literal (31 bits), and a bit that tells whether the clause has just two literals.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "CLAUSES", "ENDED", "FAILED", "HEADER", "LOGGED", "REFUTED", "RUNNING", "STEP", "TOP",
    "TracerState", "advance",
]  # fmt: skip

Integer: TypeAlias = Any
"""A number as a kernel sees it, of 32 or 64 bits."""

HEADER = 2
"""The numbers before a clause's literals in the arena."""

STEP, TOP, _ARENA, _GARBAGE, _POOL, CLAUSES, _STAMP, _FALSIFIED, LOGGED = range(9)
"""The places in `TracerState.numbers` of the counters: the next step; how long the trail, the
arena and the pool are, and how much of the arena deleted clauses take; the clauses numbered and the
steps stamped; the clause that the last conflict has falsified; and how long the log is."""

_TRUE, _FALSE, _OPEN = 1, -1, 0
"""The values of a literal."""

RUNNING, REFUTED, FAILED, ENDED = 0, 1, 2, 3
"""How a call of `advance` may end."""

_FIXPOINT, _CONFLICT, _POOL_FULL = 0, 1, 2
_LEAST_GARBAGE = 1 << 16
_SLICE = 1 << 19


@typed
class TracerState(NamedTuple):
    """The arrays of the tracer whose sizes stay, but for the log's.

    By literal 2 * variable + (1 if negative): `values`; `starts`, `sizes` and `room`: where in
    the pool the literal's watch list begins, how long it is, and how long it can become there;
    `marks`: the stamp of the last step that named the literal.
    `trail`: the literals that are true, in the order in which they became so.
    By clause number: `where` the clause's literals begin in the arena; `chain` the next clause of
    the same bucket. `buckets`: the first clause of each, or -1.
    By variable: `reasons`, the number of the clause that propagated it, or -1 where it is assumed;
    `since`, how many clauses there were when it became true or false for good, or 0.
    `numbers`: the counters that pass from call to call.
    `log`: what the checked additions follow from, and at last the empty clause, as `_log_causes`
    notes it; `log_ends`: where it ends for each clause number.
    """

    values: NDArray[np.int8]
    trail: NDArray[np.int32]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]
    room: NDArray[np.int32]
    marks: NDArray[np.int64]
    buckets: NDArray[np.int32]
    chain: NDArray[np.int32]
    where: NDArray[np.int64]
    reasons: NDArray[np.int32]
    since: NDArray[np.int32]
    numbers: NDArray[np.int64]
    log: NDArray[np.int32]
    log_ends: NDArray[np.int64]


@kernel
def advance(
    literals: Array,
    ends: Array,
    deletes: Array,
    is_proof: Integer,
    arena: Array,
    pool: Array,
    state: TracerState,
) -> tuple[Integer, Array, Array]:
    """Do steps until one settles the matter, the clauses end, or a slice of work is done.

    The additions of a proof are checked, those of the formula are not. Stop, too, where the log
    might become too short: a step may add an entry for each variable, and two.
    """
    numbers = state.numbers
    work = 0
    step = numbers[STEP]
    while step < ends.size:
        if work > _SLICE or numbers[LOGGED] + 2 * state.trail.size > state.log.size:
            return RUNNING, arena, pool
        begin = ends[step - 1] if step else np.int64(0)
        needed = numbers[_ARENA] + HEADER + ends[step] - begin
        if needed > arena.size:
            arena = _larger(arena, numbers[_ARENA], max(needed, 2 * arena.size))
        place = numbers[_ARENA] + HEADER
        size, bucket = _copy_set(literals, begin, ends[step], place, arena, state)
        work += 1 + size
        if deletes[step]:
            pool = _delete(size, bucket, arena, pool, state)
        else:
            if is_proof:
                follows, propagated, pool = _follows(place, size, arena, pool, state)
                work += propagated
                if not follows:
                    return FAILED, arena, pool
            state.log_ends[np.uintp(numbers[CLAUSES])] = numbers[LOGGED]
            _enter(place, size, bucket, arena, state)
            refuted, pool = _attach(place, size, arena, pool, state)
            if refuted:
                numbers[_STAMP] += 1
                _log_causes(numbers[TOP], arena, state)
                return REFUTED, arena, pool
        step += 1
        numbers[STEP] = step
    return ENDED, arena, pool


@kernel
def _copy_set(
    literals: Array, begin: Integer, end: Integer, place: Integer, arena: Array, state: TracerState
) -> tuple[Integer, Integer]:
    """Copy and mark the different literals of a clause; return their number and its bucket."""
    state.numbers[_STAMP] += 1
    stamp = state.numbers[_STAMP]
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
    place: Integer, size: Integer, bucket: Integer, arena: Array, state: TracerState
) -> None:
    """Make the clause that was copied to the arena's end a clause of the database."""
    clause = state.numbers[CLAUSES]
    state.numbers[CLAUSES] += 1
    state.numbers[_ARENA] = place + size
    arena[np.uintp(place - 2)] = size
    arena[np.uintp(place - 1)] = clause
    state.where[np.uintp(clause)] = place
    state.chain[np.uintp(clause)] = state.buckets[np.uintp(bucket)]
    state.buckets[np.uintp(bucket)] = clause


@kernel
def _delete(size: Integer, bucket: Integer, arena: Array, pool: Array, state: TracerState) -> Array:
    """Delete a clause that equals the one that was copied to the arena's end, if there is one."""
    before = np.int64(-1)
    clause = np.int64(state.buckets[np.uintp(bucket)])
    while clause >= 0 and not _equals(state.where[np.uintp(clause)], size, arena, state):
        before = clause
        clause = np.int64(state.chain[np.uintp(clause)])
    if clause < 0:
        return pool
    if before < 0:
        state.buckets[np.uintp(bucket)] = state.chain[np.uintp(clause)]
    else:
        state.chain[np.uintp(before)] = state.chain[np.uintp(clause)]
    place = state.where[np.uintp(clause)]
    # The watch lists notice it when they come across it.
    arena[np.uintp(place - 2)] = -size
    state.numbers[_GARBAGE] += size + HEADER
    garbage = state.numbers[_GARBAGE]
    if garbage > _LEAST_GARBAGE and 2 * garbage > state.numbers[_ARENA]:
        pool = _collect(arena, pool, state)
    return pool


@kernel
def _equals(place: Integer, size: Integer, arena: Array, state: TracerState) -> bool:
    """Whether a clause has exactly the literals that the present step has marked."""
    if arena[np.uintp(place - 2)] != size:
        return False
    stamp = state.numbers[_STAMP]
    for k in range(place, place + size):
        if state.marks[np.uintp(arena[np.uintp(k)])] != stamp:
            return False
    return True


@kernel
def _follows(
    place: Integer, size: Integer, arena: Array, pool: Array, state: TracerState
) -> tuple[bool, Integer, Array]:
    """Whether a clause has the RUP property; the number of literals propagated; the pool."""
    bottom = state.numbers[TOP]
    follows = False
    for k in range(place, place + size):
        literal = arena[np.uintp(k)]
        value = state.values[np.uintp(literal)]
        if value == _TRUE:
            # It is true without assumptions, or the clause has its negation too.
            follows = True
            break
        if value == _OPEN:
            _assign(literal ^ 1, -1, state)
    if not follows:
        follows, pool = _propagate_from(bottom, arena, pool, state)
        if follows:
            _log_causes(bottom, arena, state)
    top = state.numbers[TOP]
    for k in range(bottom, top):
        literal = state.trail[np.uintp(k)]
        state.values[np.uintp(literal)] = _OPEN
        state.values[np.uintp(literal ^ 1)] = _OPEN
    state.numbers[TOP] = bottom
    return follows, top - bottom, pool


@kernel
def _attach(
    place: Integer, size: Integer, arena: Array, pool: Array, state: TracerState
) -> tuple[bool, Array]:
    """Watch a clause, while nothing is assumed; return whether it leads to a conflict."""
    found = 0
    for k in range(place, place + size):
        literal = arena[np.uintp(k)]
        value = state.values[np.uintp(literal)]
        if value == _TRUE:
            return False, pool  # for good: it need not be watched
        if value == _OPEN and found < 2:
            arena[np.uintp(k)] = arena[np.uintp(place + found)]
            arena[np.uintp(place + found)] = literal
            found += 1
    number = arena[np.uintp(place - 1)]
    if found == 0:
        state.numbers[_FALSIFIED] = number
        return True, pool
    if found == 1:
        top = state.numbers[TOP]
        _assign(np.int64(arena[np.uintp(place)]), number, state)
        refuted, pool = _propagate_from(top, arena, pool, state)
        for k in range(top, state.numbers[TOP]):
            state.since[np.uintp(state.trail[np.uintp(k)] >> 1)] = state.numbers[CLAUSES]
        return refuted, pool
    for side in range(2):
        literal = arena[np.uintp(place + side)]
        entry = _entry(place, arena[np.uintp(place + 1 - side)], size == 2)
        while not _watch(
            literal, entry, pool, state.starts, state.sizes, state.room, state.numbers
        ):
            pool = _larger(pool, state.numbers[_POOL], 2 * pool.size)
    return False, pool


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
        used = numbers[_POOL]
        if used + more > pool.size:
            return False
        for k in range(size):
            pool[np.uintp(used + k)] = pool[np.uintp(start + k)]
        start = used
        starts[np.uintp(literal)] = start
        room[np.uintp(literal)] = more
        numbers[_POOL] = used + more
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
def _assign(literal: Integer, reason: Integer, state: TracerState) -> None:
    """Make a literal true; it is still to be propagated."""
    state.reasons[np.uintp(literal >> 1)] = reason
    state.values[np.uintp(literal)] = _TRUE
    state.values[np.uintp(literal ^ 1)] = _FALSE
    state.trail[np.uintp(state.numbers[TOP])] = literal
    state.numbers[TOP] += 1


@kernel
def _propagate_from(
    head: Integer, arena: Array, pool: Array, state: TracerState
) -> tuple[bool, Array]:
    """Propagate the literals of the trail from `head` on; return whether there is a conflict."""
    top = state.numbers[TOP]
    while True:
        outcome, head, top = _propagate(head, top, arena, pool, state)
        if outcome != _POOL_FULL:
            break
        pool = _larger(pool, state.numbers[_POOL], 2 * pool.size)
    state.numbers[TOP] = top
    return outcome == _CONFLICT, pool


@kernel
def _propagate(
    head: Integer, top: Integer, arena: Array, pool: Array, state: TracerState
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
            if value == _TRUE:
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
                if value == _TRUE:
                    pool[np.uintp(write)] = entry
                    write += 1
                    continue
                k = place + 2
                end = place + size
                while k < end and values[np.uintp(arena[np.uintp(k)])] == _FALSE:
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
            if value == _FALSE:
                outcome = _CONFLICT
                numbers[_FALSIFIED] = arena[np.uintp(place - 1)]
                break
            reasons[np.uintp(unit >> 1)] = arena[np.uintp(place - 1)]
            values[np.uintp(unit)] = _TRUE
            values[np.uintp(unit ^ 1)] = _FALSE
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
def _collect(arena: Array, pool: Array, state: TracerState) -> Array:
    """Move the clauses that are left together, and build all watch lists anew."""
    numbers, sizes = state.numbers, state.sizes
    sizes[:] = 0
    old = new = np.int64(0)
    while old < numbers[_ARENA]:
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
    numbers[_ARENA] = new
    numbers[_GARBAGE] = 0
    numbers[_POOL] = 0
    for literal in range(sizes.size):
        state.starts[literal] = numbers[_POOL]
        state.room[literal] = 2 + sizes[literal]
        numbers[_POOL] += state.room[literal]
        sizes[literal] = 0
    while numbers[_POOL] > pool.size:
        pool = np.empty(2 * pool.size, np.uint64)
    place = np.int64(HEADER)
    while place < new:
        size = np.int64(arena[np.uintp(place - 2)])
        _, pool = _attach(place, size, arena, pool, state)
        place += size + HEADER
    return pool


@kernel
def _log_causes(bottom: Integer, arena: Array, state: TracerState) -> None:
    """Log what led to the conflict, backward from the clause that is falsified.

    These are the hints of LRAT (Cruz-Filipe et al. 2017). An entry is the number of a clause, or
    -v: that variable v has its value for good. The literals on the trail from `bottom` on are
    assumed or propagated; those that the present step has marked are the ones that the clause
    assumes to be false.
    """
    numbers, marks, stamp = state.numbers, state.marks, state.numbers[_STAMP]
    clause = np.int64(numbers[_FALSIFIED])
    at = np.int64(numbers[TOP])
    while True:
        state.log[np.uintp(numbers[LOGGED])] = clause
        numbers[LOGGED] += 1
        place = state.where[np.uintp(clause)]
        for k in range(place, place + arena[np.uintp(place - HEADER)]):
            literal = arena[np.uintp(k)]
            if state.values[np.uintp(literal)] == _TRUE or marks[np.uintp(literal)] == stamp:
                continue
            marks[np.uintp(literal)] = stamp
            if state.since[np.uintp(literal >> 1)]:
                state.log[np.uintp(numbers[LOGGED])] = -(literal >> 1)
                numbers[LOGGED] += 1
        clause = np.int64(-1)
        while clause < 0 and at > bottom:
            at -= 1
            literal = state.trail[np.uintp(at)]
            if marks[np.uintp(literal ^ 1)] == stamp:
                clause = np.int64(state.reasons[np.uintp(literal >> 1)])
        if clause < 0:
            return
