"""The compiled part of trimming: which clauses the empty one follows from, and with what hints.

Clauses are numbered as they are added, those of the formula first. `literals[begins[n] : ends[n]]`
are those of clause n. The trace is that of `trace_kernel`.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import kernel, typed

__all__ = ["Added", "Needed", "Numbered", "Traced", "mark", "write"]

Number: TypeAlias = Any


@typed
class Numbered(NamedTuple):
    """All clauses by number: their literals, and where these begin and end."""

    literals: NDArray[np.int32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


@typed
class Traced(NamedTuple):
    """The fields of a `Trace`, see there."""

    log: NDArray[np.int32]
    log_ends: NDArray[np.int64]
    reasons: NDArray[np.int32]
    since: NDArray[np.int32]
    trail: NDArray[np.int32]


@typed
class Needed(NamedTuple):
    """Which clauses are needed, by number; and which variables' values, that hold for good."""

    clause: NDArray[np.bool_]
    value: NDArray[np.bool_]


@typed
class Added(NamedTuple):
    """The steps of the trimmed proof: their literals and hints, and where these end."""

    literals: NDArray[np.int32]
    ends: NDArray[np.int64]
    hints: NDArray[np.int32]
    hint_ends: NDArray[np.int64]


@kernel
def _mark_one(entry: Number, needed: Needed) -> None:
    if entry < 0:
        needed.value[-entry] = True
    else:
        needed.clause[entry] = True


@kernel
def mark(clauses: Numbered, trace: Traced, needed: Needed) -> None:
    """Mark what the empty clause follows from, back to the formula."""
    count = trace.log_ends.size
    for place in range(trace.log_ends[count - 1], trace.log.size):
        _mark_one(trace.log[place], needed)
    at = trace.trail.size - 1
    for number in range(count - 1, -1, -1):
        # What came to hold for good when this clause was there.
        while at >= 0 and trace.since[trace.trail[at] >> 1] == number + 1:
            variable = trace.trail[at] >> 1
            if needed.value[variable]:
                reason = trace.reasons[variable]
                needed.clause[reason] = True
                for k in range(clauses.begins[reason], clauses.ends[reason]):
                    needed.value[abs(clauses.literals[k])] = True
            at -= 1
        if needed.clause[number]:
            begin = trace.log_ends[number - 1] if number else 0
            for place in range(begin, trace.log_ends[number]):
                _mark_one(trace.log[place], needed)


@kernel
def write(
    clauses: Numbered, trace: Traced, needed: Needed, first: Number, added: Added
) -> tuple[Number, Number, Number]:
    """Write the steps that are needed; `first` is the number of the first clause of the proof.

    What is needed of the formula is numbered from 1 on, and then the steps: the clauses, the values
    that hold for good, as clauses of one literal, and at last the empty clause. Return how many
    steps, literals and hints there are.
    """
    count = trace.log_ends.size
    clause_id = np.zeros(count, np.int64)
    value_id = np.zeros(trace.since.size, np.int64)
    last = np.int64(0)
    for number in range(min(first, count)):
        if needed.clause[number]:
            last += 1
            clause_id[number] = last
    steps = literals = hints = np.int64(0)
    at = 0
    for number in range(count + 1):
        is_end = number == count
        if is_end or (number >= first and needed.clause[number]):
            if not is_end:
                for k in range(clauses.begins[number], clauses.ends[number]):
                    added.literals[literals] = clauses.literals[k]
                    literals += 1
            begin = trace.log_ends[number - 1] if number else np.int64(0)
            end = trace.log.size if is_end else trace.log_ends[number]
            # The log runs backward; values come first, since each clause may need them.
            for place in range(begin, end):
                if trace.log[place] < 0:
                    added.hints[hints] = value_id[-trace.log[place]]
                    hints += 1
            for place in range(end - 1, begin - 1, -1):
                if trace.log[place] >= 0:
                    added.hints[hints] = clause_id[trace.log[place]]
                    hints += 1
            added.ends[steps] = literals
            added.hint_ends[steps] = hints
            steps += 1
            last += 1
            if is_end:
                break
            clause_id[number] = last
        while at < trace.trail.size and trace.since[trace.trail[at] >> 1] == number + 1:
            literal = trace.trail[at]
            variable, reason = literal >> 1, trace.reasons[literal >> 1]
            at += 1
            if not needed.value[variable]:
                continue
            if clauses.ends[reason] - clauses.begins[reason] == 1:
                value_id[variable] = clause_id[reason]
                continue
            for k in range(clauses.begins[reason], clauses.ends[reason]):
                other = abs(clauses.literals[k])
                if other != variable:
                    added.hints[hints] = value_id[other]
                    hints += 1
            added.hints[hints] = clause_id[reason]
            hints += 1
            added.literals[literals] = -variable if literal & 1 else variable
            literals += 1
            added.ends[steps] = literals
            added.hint_ends[steps] = hints
            steps += 1
            last += 1
            value_id[variable] = last
    return steps, literals, hints
