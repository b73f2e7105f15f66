"""Check an LRAT proof, whose steps name the clauses that they follow from.

That takes no search: one pass over the hints, in time that grows with their literals (Cruz-Filipe,
Heule, Hunt, Kaufmann and Schneider-Kamp 2017). Steps that need more than unit propagation (RAT) are
not accepted.
"""

import time
from collections.abc import Callable

import numpy as np

from plansolve.certcheck import lrat_kernel as kernel
from plansolve.certcheck.clauses import Clauses, HintedProof
from plansolve.errors import ProofError
from plansolve.storage.jit import interruptible

__all__ = ["check_hints"]

_SHOWN_LITERALS = 12


def check_hints(
    formula: Clauses,
    proof: HintedProof,
    progress: Callable[[int, int], None] | None = None,
    deadline: float | None = None,
) -> str | None:
    """Return None if the proof shows that the formula has no model, and else what is wrong.

    `progress` is told now and then how many of how many steps are done. Raise `TimeoutError` at
    the deadline, a time of `time.monotonic`, and `ProofError` for a proof of another formula.
    """
    steps = proof.steps
    if proof.first != len(formula) + 1 or steps.variables > formula.variables:
        raise ProofError(
            f"the steps count from {proof.first} on, the formula has {len(formula)} clauses"
        )
    state = kernel.Followed(
        literals=np.concatenate((formula.literals, steps.literals)),
        ends=np.concatenate((formula.ends, steps.ends + len(formula.literals))),
        hints=np.require(proof.hints, np.int32, ["C", "W"]),
        hint_ends=np.require(proof.hint_ends, np.int64, ["C", "W"]),
        values=np.zeros(2 * formula.variables + 2, np.int8),
        trail=np.zeros(formula.variables + 1, np.int64),
        step=np.zeros(1, np.int64),
    )
    status = kernel.RUNNING
    while status == kernel.RUNNING:
        with interruptible():
            status = kernel.follow(len(formula), state)
        done = int(state.step[0])
        if progress is not None:
            progress(done, len(steps))
        if status == kernel.RUNNING and deadline is not None and time.monotonic() > deadline:
            raise TimeoutError(f"time limit reached after {done} of {len(steps)} steps")
    if status == kernel.REFUTED:
        return None
    if status == kernel.ENDED:
        return "the proof ends before the empty clause"
    begin, end = int(steps.ends[done - 1]) if done else 0, int(steps.ends[done])
    shown = " ".join(map(str, steps.literals[begin : min(end, begin + _SHOWN_LITERALS)]))
    what = f"the clause {shown or 'without literals'}"
    if end - begin > _SHOWN_LITERALS:
        what += " ..."
    why = "one leaves two literals open" if status == kernel.NO_UNIT else "none becomes false"
    return f"step {proof.first + done}: {what} does not follow from its hints: {why}"
