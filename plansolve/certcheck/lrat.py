"""Check an LRAT proof, whose steps name the clauses that they follow from.

That takes no search: one pass over the hints, in time that grows with their literals and memory
for the clauses that have not been deleted (Cruz-Filipe,
Heule, Hunt, Kaufmann and Schneider-Kamp 2017). Steps that need more than unit propagation (RAT) are
not accepted.
"""

import time
from collections.abc import Callable, Iterable

import numpy as np

from plansolve.certcheck import lrat_kernel as kernel
from plansolve.certcheck.clauses import Array, Clauses, HintedProof
from plansolve.errors import ProofError
from plansolve.storage.jit import interruptible

_SHOWN_LITERALS = 12


def check_hints(
    formula: Clauses,
    proof: Iterable[HintedProof],
    progress: Callable[[int, int], None] | None = None,
    deadline: float | None = None,
) -> str | None:
    """Return None if the proof shows that the formula has no model, and else what is wrong.

    The parts of the proof are taken one after the other, and of the clauses those are kept that no
    part has deleted. `progress` is told now and then how many steps are done, and 0 for their
    total, which is not known. Raise `TimeoutError` at the deadline, a time of `time.monotonic`, and
    `ProofError` for a proof of another formula.
    """
    known = _Known(formula)
    for part in proof:
        status, done = known.follow(part, deadline, progress or (lambda done, total: None))
        if status == kernel.REFUTED:
            return None
        if status != kernel.ENDED:
            return _told(part, done, status)
        known.forget(part.deleted)
    return "the proof ends before the empty clause"


class _Known:
    """The clauses that steps may still name, by their numbers, which rise."""

    def __init__(self, formula: Clauses) -> None:
        self._formula, self._next = len(formula), len(formula) + 1
        self._numbers = np.arange(1, len(formula) + 1)
        self._literals, self._ends = formula.literals, formula.ends
        self._values = np.zeros(2 * formula.variables + 2, np.int8)
        self._trail = np.zeros(formula.variables + 1, np.int64)

    def follow(
        self, part: HintedProof, deadline: float | None, progress: Callable[[int, int], None]
    ) -> tuple[int, int]:
        """Check steps and take them in; return how the kernel has ended, and at which of them."""
        steps, before = part.steps, len(self._numbers)
        if part.first != self._next or 2 * steps.variables + 2 > len(self._values):
            raise ProofError(
                f"the steps count from {part.first} on, and {self._next - 1} clauses come before"
            )
        self._numbers = np.concatenate((self._numbers, np.arange(len(steps)) + part.first))
        self._ends = np.concatenate((self._ends, steps.ends + len(self._literals)))
        self._literals = np.concatenate((self._literals, steps.literals))
        state = kernel.Followed(
            literals=self._literals,
            ends=self._ends,
            hints=self._places(part),
            hint_ends=np.require(part.hint_ends, np.int64, ["C", "W"]),
            values=self._values,
            trail=self._trail,
            step=np.zeros(1, np.int64),
        )
        status = kernel.RUNNING
        while status == kernel.RUNNING:
            with interruptible():
                status = kernel.follow(before, state)
            done = int(state.step[0])
            total = part.first - self._formula - 1 + done
            progress(total, 0)
            if status == kernel.RUNNING and deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"time limit reached after {total} steps of the proof")
        self._next += len(steps)
        return status, done

    def forget(self, deleted: Array) -> None:
        """Delete clauses by their numbers; what is not there is no loss."""
        if not len(deleted):
            return
        is_kept = ~np.isin(self._numbers, deleted)
        sizes = np.diff(self._ends, prepend=0)
        self._literals = self._literals[np.repeat(is_kept, sizes)]
        self._ends = np.cumsum(sizes[is_kept])
        self._numbers = self._numbers[is_kept]

    def _places(self, part: HintedProof) -> Array:
        """Return the hints as places among the clauses that are there, counted from 1."""
        places = np.searchsorted(self._numbers, part.hints)
        is_gone = self._numbers[places] != part.hints
        if is_gone.any():
            where = int(is_gone.argmax())
            step = int(np.searchsorted(part.hint_ends, where, side="right")) + part.first
            raise ProofError(f"step {step}: {part.hints[where]} was deleted")
        return (places + 1).astype(np.int32)


def _told(part: HintedProof, done: int, status: int) -> str:
    """Return what is wrong with one of the steps."""
    steps = part.steps
    begin, end = int(steps.ends[done - 1]) if done else 0, int(steps.ends[done])
    shown = " ".join(map(str, steps.literals[begin : min(end, begin + _SHOWN_LITERALS)]))
    what = f"the clause {shown or 'without literals'}"
    if end - begin > _SHOWN_LITERALS:
        what += " ..."
    why = "one leaves two literals open" if status == kernel.NO_UNIT else "none becomes false"
    return f"step {part.first + done}: {what} does not follow from its hints: {why}"
