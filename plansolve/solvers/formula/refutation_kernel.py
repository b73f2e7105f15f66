"""The compiled part of tracing a refutation: unit propagation, forward once and then backward.

Two literals of each clause are watched (Moskewicz et al. 2001), each with a blocking literal
(Sörensson and Eén 2009). Forward, clauses come and go and only what holds without assumptions is
propagated, up to the first conflict. Backward from there, each clause that is needed is checked
against those before it (Goldberg and Novikov 2003), which shows what else is needed.

A literal is 2 * variable, plus 1 if negative. Clauses are numbered as they are added. With n of
them, row n is the empty clause and row n + v the value that variable v has for good.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import kernel, typed

Number: TypeAlias = Any

AT, _TOP, LOGGED, TRACED = range(4)
"""The places in `State.numbers` of the counters: the step, and how long the trail, the log and the
list of traced rows are."""

RUNNING, ENDED, FAILED = range(3)
"""The ways in which `backward` ends; FAILED is at the clause that the step adds."""

_TRUE, _FALSE, _OPEN = 1, -1, 0
_SLICE = 1 << 20


@typed
class State(NamedTuple):
    """The arrays of a trace.

    By clause: `ends`, where its `literals` end; the first two are watched. By step: `steps`, the
    number c of a clause that is added, or ~c where it is deleted; `bottoms`, how long the trail was
    before. By literal: `values`; `starts` and `sizes`, where in `pool` its watch list begins, with
    room for all clauses that have it, and how long it is; an entry is a clause (32 bits) and its
    blocking literal. By variable: `reasons`, the clause that propagated it, or -1; `places`, where
    on the `trail` it is; `seen`, a mark; `fixed` has room for a list of them. By row: `needed`.
    `log`: the rows that each of the `traced` rows follows from, up to `log_ends`, last ones first.
    """

    literals: NDArray[np.int32]
    ends: NDArray[np.int64]
    steps: NDArray[np.int64]
    bottoms: NDArray[np.int32]
    values: NDArray[np.int8]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]
    pool: NDArray[np.uint64]
    reasons: NDArray[np.int32]
    places: NDArray[np.int32]
    seen: NDArray[np.bool_]
    fixed: NDArray[np.int32]
    trail: NDArray[np.int32]
    needed: NDArray[np.bool_]
    log: NDArray[np.int32]
    traced: NDArray[np.int32]
    log_ends: NDArray[np.int64]
    numbers: NDArray[np.int64]


@kernel
def forward(state: State) -> bool:
    """Take steps until unit propagation meets a conflict, and log that; return False for none."""
    numbers = state.numbers
    for at in range(state.steps.size):
        numbers[AT], state.bottoms[at] = at, numbers[_TOP]
        clause = state.steps[at]
        if clause < 0:
            _unwatch(~clause, state)
            continue
        conflict = _attach(clause, state)
        if conflict >= 0:
            _trace(np.int64(state.ends.size), conflict, numbers[_TOP], state)
            return True
    return False


@kernel
def backward(first: Number, state: State) -> int:
    """Take steps back; log what needed values, and needed clauses from `first` on, follow from.

    Stop, too, where the log might become too short, or when a slice of work is done.
    """
    numbers, clauses = state.numbers, state.ends.size
    work = 0
    while numbers[AT] >= 0:
        if work > _SLICE or numbers[LOGGED] + 2 * state.trail.size > state.log.size:
            return RUNNING
        top, bottom = numbers[_TOP], state.bottoms[numbers[AT]]
        clause = state.steps[numbers[AT]]
        if top > bottom:
            variable = state.trail[top - 1] >> 1
            if state.needed[clauses + variable]:
                _trace(clauses + variable, np.int64(state.reasons[variable]), top, state)
            _undo(top - 1, state)
            continue
        if clause < 0:
            _watch_both(~clause, state)
        elif clause >= first:
            _unwatch(clause, state)
            if state.needed[clause]:
                begin, end = _span(clause, state)
                for k in range(begin, end):
                    if state.values[state.literals[k]] == _OPEN:
                        _assign(state.literals[k] ^ 1, -1, state)
                conflict = _propagate(bottom, state)
                if conflict < 0:
                    return FAILED
                work += numbers[_TOP] - bottom
                _trace(clause, conflict, bottom, state)
                _undo(bottom, state)
        numbers[AT] -= 1
    return ENDED


@kernel
def _span(clause: Number, state: State) -> tuple[Number, Number]:
    begin = state.ends[np.uintp(clause - 1)] if clause else np.int64(0)
    return begin, state.ends[np.uintp(clause)]


@kernel
def _attach(clause: Number, state: State) -> Number:
    """Watch a clause; return a clause that is falsified by what it propagates, or -1."""
    begin, end = _span(clause, state)
    found = 0
    for k in range(begin, end):
        literal = state.literals[k]
        if state.values[literal] == _TRUE:
            return -1  # for good: it need not be watched
        if state.values[literal] == _OPEN and found < 2:
            state.literals[k] = state.literals[begin + found]
            state.literals[begin + found] = literal
            found += 1
    if found == 0:
        return clause
    if found == 2:
        _watch_both(clause, state)
        return -1
    top = state.numbers[_TOP]
    _assign(state.literals[begin], clause, state)
    return _propagate(top, state)


@kernel
def _watch_both(clause: Number, state: State) -> None:
    begin, end = _span(clause, state)
    if end - begin > 1:
        one, other = state.literals[begin], state.literals[begin + 1]
        _watch(one, clause, other, state)
        _watch(other, clause, one, state)


@kernel
def _watch(literal: Number, clause: Number, blocker: Number, state: State) -> None:
    place = state.starts[np.uintp(literal)] + state.sizes[np.uintp(literal)]
    state.pool[np.uintp(place)] = (np.uint64(clause) << np.uint64(32)) | np.uint64(blocker)
    state.sizes[np.uintp(literal)] += 1


@kernel
def _unwatch(clause: Number, state: State) -> None:
    """Take a clause out of its watch lists, if it is there."""
    begin, end = _span(clause, state)
    for k in range(begin, min(end, begin + 2)):
        literal = state.literals[k]
        start = state.starts[literal]
        last = start + state.sizes[literal] - 1
        for place in range(start, last + 1):
            if state.pool[np.uintp(place)] >> np.uint64(32) == np.uint64(clause):
                state.pool[np.uintp(place)] = state.pool[np.uintp(last)]
                state.sizes[literal] -= 1
                break


@kernel
def _assign(literal: Number, reason: Number, state: State) -> None:
    """Make a literal true; it is still to be propagated."""
    top = state.numbers[_TOP]
    state.reasons[np.uintp(literal >> 1)] = reason
    state.places[np.uintp(literal >> 1)] = top
    state.values[np.uintp(literal)] = _TRUE
    state.values[np.uintp(literal ^ 1)] = _FALSE
    state.trail[np.uintp(top)] = literal
    state.numbers[_TOP] = top + 1


@kernel
def _undo(bottom: Number, state: State) -> None:
    for k in range(bottom, state.numbers[_TOP]):
        literal = state.trail[np.uintp(k)]
        state.values[np.uintp(literal)] = state.values[np.uintp(literal ^ 1)] = _OPEN
    state.numbers[_TOP] = bottom


@kernel
def _propagate(head: Number, state: State) -> Number:
    """Propagate the literals of the trail from `head` on; return a falsified clause, or -1."""
    literals, values, pool = state.literals, state.values, state.pool
    conflict = np.int64(-1)
    while head < state.numbers[_TOP] and conflict < 0:
        false = state.trail[np.uintp(head)] ^ 1
        head += 1
        start = write = state.starts[np.uintp(false)]
        for read in range(start, start + state.sizes[np.uintp(false)]):
            entry = pool[np.uintp(read)]
            if conflict < 0 and values[np.uintp(entry & np.uint64(0xFFFFFFFF))] != _TRUE:
                clause = np.int64(entry >> np.uint64(32))
                begin, end = _span(clause, state)
                other = literals[np.uintp(begin)] ^ literals[np.uintp(begin + 1)] ^ false
                literals[np.uintp(begin)], literals[np.uintp(begin + 1)] = other, false
                entry = (np.uint64(clause) << np.uint64(32)) | np.uint64(other)
                if values[np.uintp(other)] != _TRUE:
                    k = begin + 2
                    while k < end and values[np.uintp(literals[np.uintp(k)])] == _FALSE:
                        k += 1
                    if k < end:
                        literals[np.uintp(begin + 1)] = literals[np.uintp(k)]
                        literals[np.uintp(k)] = false
                        _watch(literals[np.uintp(begin + 1)], clause, other, state)
                        continue
                    if values[np.uintp(other)] == _FALSE:
                        conflict = clause
                    else:
                        _assign(other, clause, state)
            pool[np.uintp(write)] = entry
            write += 1
        state.sizes[np.uintp(false)] = write - start
    return conflict


@kernel
def _trace(row: Number, clause: Number, bottom: Number, state: State) -> None:
    """Log what a row follows from: from the clause that is falsified back to what is assumed.

    These are the hints of LRAT (Cruz-Filipe et al. 2017), last ones first. Literals on the trail
    below `bottom` are true for good.
    """
    numbers, count, at = state.numbers, 0, state.numbers[_TOP]
    while clause >= 0:
        _log(clause, state)
        begin, end = _span(clause, state)
        for k in range(begin, end):
            variable = state.literals[np.uintp(k)] >> 1
            is_false = state.values[np.uintp(state.literals[np.uintp(k)])] == _FALSE
            if is_false and not state.seen[np.uintp(variable)]:
                state.seen[np.uintp(variable)] = True
                if state.places[np.uintp(variable)] < bottom:
                    state.fixed[count] = variable
                    count += 1
        clause = np.int64(-1)
        while clause < 0 and at > bottom:
            at -= 1
            variable = state.trail[np.uintp(at)] >> 1
            if state.seen[np.uintp(variable)]:
                state.seen[np.uintp(variable)] = False
                clause = np.int64(state.reasons[np.uintp(variable)])
    for k in range(count):
        variable = state.fixed[k]
        state.seen[variable] = False
        begin, end = _span(state.reasons[variable], state)
        is_unit = end - begin == 1
        _log(state.reasons[variable] if is_unit else state.ends.size + variable, state)
    state.traced[numbers[TRACED]] = row
    state.log_ends[numbers[TRACED]] = numbers[LOGGED]
    numbers[TRACED] += 1


@kernel
def _log(row: Number, state: State) -> None:
    state.needed[np.uintp(row)] = True
    state.log[np.uintp(state.numbers[LOGGED])] = row
    state.numbers[LOGGED] += 1
