"""What the proof checker knows between two calls of its kernel."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import typed

__all__ = [
    "ARENA", "CLAUSES", "FALSE", "FALSIFIED", "GARBAGE", "HEADER", "LOGGED", "MISSING", "OPEN",
    "POOL", "STAMP", "STEP", "TOP", "TRUE", "CheckerState", "Integer",
]  # fmt: skip

Integer: TypeAlias = Any
"""A number as a kernel sees it, of 32 or 64 bits."""

HEADER = 2
"""The numbers before a clause's literals in the arena."""

STEP, TOP, ARENA, GARBAGE, POOL, CLAUSES, STAMP, MISSING, FALSIFIED, LOGGED = range(10)
"""The places in `CheckerState.numbers` of the counters: the next step; how long the trail, the
arena and the pool are, and how much of the arena deleted clauses take; the clauses numbered, the
steps stamped, and the deletions of clauses that are not there; the clause that the last conflict
has falsified; and how long the log is."""

TRUE, FALSE, OPEN = 1, -1, 0
"""The values of a literal."""


@typed
class CheckerState(NamedTuple):
    """The arrays of the checker whose sizes stay.

    By literal 2 * variable + (1 if negative): `values`; `starts`, `sizes` and `room`: where in
    the pool the literal's watch list begins, how long it is, and how long it can become there;
    `marks`: the stamp of the last step that named the literal.
    `trail`: the literals that are true, in the order in which they became so.
    By clause number: `where` the clause's literals begin in the arena; `chain` the next clause of
    the same bucket. `buckets`: the first clause of each, or -1.
    By variable: `reasons`, the number of the clause that propagated it, or -1 where it is assumed;
    `since`, how many clauses there were when it became true or false for good, or 0.
    `numbers`: the counters that pass from call to call.
    `log`: what the checked additions follow from, and at last the empty clause, as `log_causes`
    notes it; `log_ends`: where it ends for each clause number. Both are empty if nothing is to be
    logged.
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
