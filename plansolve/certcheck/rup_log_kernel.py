"""What an addition to a proof follows from: the hints of LRAT (Cruz-Filipe et al. 2017)."""

import numpy as np

from plansolve.certcheck.rup_state import (
    FALSIFIED,
    HEADER,
    LOGGED,
    STAMP,
    TOP,
    TRUE,
    CheckerState,
    Integer,
)  # fmt: skip
from plansolve.storage.jit import Array, kernel

__all__ = ["log_causes"]


@kernel
def log_causes(bottom: Integer, arena: Array, state: CheckerState) -> None:
    """Log what led to the conflict, backward from the clause that is falsified.

    An entry is the number of a clause, or -v: that variable v has its value for good. The literals
    on the trail from `bottom` on are assumed or propagated; those that the present step has marked
    are the ones that the clause assumes to be false.
    """
    numbers, marks, stamp = state.numbers, state.marks, state.numbers[STAMP]
    clause = np.int64(numbers[FALSIFIED])
    at = np.int64(numbers[TOP])
    while True:
        state.log[np.uintp(numbers[LOGGED])] = clause
        numbers[LOGGED] += 1
        place = state.where[np.uintp(clause)]
        for k in range(place, place + arena[np.uintp(place - HEADER)]):
            literal = arena[np.uintp(k)]
            if state.values[np.uintp(literal)] == TRUE or marks[np.uintp(literal)] == stamp:
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
