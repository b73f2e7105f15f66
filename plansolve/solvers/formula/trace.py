"""Trace a DRUP proof: check that it refutes a formula, and note what each step follows from.

A clause has the RUP property (reverse unit propagation) if unit propagation from the negations of
its literals meets a conflict: then it follows from the clauses that are there (Goldberg and
Novikov, 2003). The proof is followed forward: every addition must have the property with respect to
the formula and the earlier additions that are not deleted. The proof refutes the formula as soon
as unit propagation alone meets a conflict; what comes after that is not looked at.
"""

from dataclasses import dataclass

import numpy as np

from plansolve.certcheck.clauses import Array, Clauses, Proof
from plansolve.errors import ProofError
from plansolve.solvers.formula import trace_kernel as kernel
from plansolve.storage.jit import interruptible

__all__ = ["Trace", "trace_refutation"]

# What the arena may come to hold: a watch refers to it by 32 bits.
_MOST_NUMBERS = 1 << 31
_SHOWN_LITERALS = 12


@dataclass(frozen=True, eq=False)
class Trace:
    """What each step of a refutation follows from; clauses are numbered as they are added.

    `log`, `log_ends`, `reasons` and `since` are those of `TracerState`, as far as they are filled;
    `trail` holds the literals that hold for good. The last entries of `log` are the empty clause's.
    """

    log: Array
    log_ends: Array
    reasons: Array
    since: Array
    trail: Array


def trace_refutation(formula: Clauses, proof: Proof, *, spare_room: int = 1 << 16) -> Trace:
    """Return what each step of a proof follows from by reverse unit propagation.

    A clause is the set of its literals: neither order nor repetitions matter. One that is there
    several times goes away when it is deleted as often. Deleting a clause that is not there
    does no harm. Deleting a clause does not take back the literals that unit propagation has
    derived from it without any assumption: they follow from the formula. Arrays begin with
    `spare_room` numbers more than the formula has, and grow where they must.

    Raise `ProofError` where the proof does not refute the formula, is too large, or is about other
    variables.
    """
    if proof.variables > formula.variables:
        raise ProofError(
            f"the proof is about {proof.variables} variables, the formula has {formula.variables}"
        )
    tracer = _Tracer(formula, proof, spare_room)
    kept = np.zeros(len(formula), np.bool_)
    status = tracer.advance(formula.literals, formula.ends, kept, is_proof=False)
    if status == kernel.ENDED:
        status = tracer.advance(proof.literals, proof.ends, proof.deletes, is_proof=True)
    if status == kernel.ENDED:
        raise ProofError("the proof ends before the empty clause follows by unit propagation")
    if status == kernel.FAILED:
        raise ProofError(_why_not(proof, tracer.step))
    return tracer.trace


def _why_not(proof: Proof, step: int) -> str:
    begin, end = int(proof.ends[step - 1]) if step else 0, int(proof.ends[step])
    shown = " ".join(map(str, proof.literals[begin : min(end, begin + _SHOWN_LITERALS)]))
    more = " ..." if end - begin > _SHOWN_LITERALS else ""
    what = f"clause {shown}{more}" if shown else "empty clause"
    return f"step {step + 1}: the {what} does not follow by unit propagation"


class _Tracer:
    """A formula and a proof that are taken in step by step."""

    def __init__(self, formula: Clauses, proof: Proof, spare_room: int) -> None:
        variables = formula.variables
        clauses = len(formula) + len(proof) - int(np.count_nonzero(proof.deletes))
        numbers = len(formula.literals) + len(proof.literals) + kernel.HEADER * clauses
        if numbers >= _MOST_NUMBERS:
            raise ProofError(f"the proof is too large: {len(proof.literals)} literals")
        width = 2 * variables + 2
        self._arena = np.empty(2 * len(formula.literals) + spare_room, np.int32)
        self._pool = np.empty(4 * len(formula) + spare_room, np.uint64)
        self._state = kernel.TracerState(
            values=np.zeros(width, np.int8),
            trail=np.zeros(variables + 1, np.int32),
            starts=np.zeros(width, np.int64),
            sizes=np.zeros(width, np.int32),
            room=np.zeros(width, np.int32),
            marks=np.zeros(width, np.int64),
            buckets=np.full(1 << clauses.bit_length(), -1, np.int32),
            chain=np.empty(clauses, np.int32),
            where=np.empty(clauses, np.int64),
            reasons=np.zeros(variables + 1, np.int32),
            since=np.zeros(variables + 1, np.int32),
            numbers=np.zeros(9, np.int64),
            log=np.empty(4 * variables + spare_room, np.int32),
            log_ends=np.zeros(clauses, np.int64),
        )

    @property
    def step(self) -> int:
        """The step at which the last call has ended."""
        return int(self._state.numbers[kernel.STEP])

    @property
    def trace(self) -> Trace:
        """What each step follows from."""
        state = self._state
        numbers = state.numbers
        return Trace(
            log=state.log[: numbers[kernel.LOGGED]],
            log_ends=state.log_ends[: numbers[kernel.CLAUSES]],
            reasons=state.reasons,
            since=state.since,
            trail=state.trail[: numbers[kernel.TOP]],
        )

    def advance(self, literals: Array, ends: Array, deletes: Array, *, is_proof: bool) -> int:
        """Take in steps, those of a proof with a check; return how that ended."""
        # One compiled version for all: of arrays that can be written, and lie in one piece.
        literals = np.require(literals, np.int32, ["C", "W"])
        ends = np.require(ends, np.int64, ["C", "W"])
        deletes = np.require(deletes, np.bool_, ["C", "W"])
        self._state.numbers[kernel.STEP] = 0
        status = kernel.RUNNING
        while status == kernel.RUNNING:
            with interruptible():
                status, self._arena, self._pool = kernel.advance(
                    literals, ends, deletes, is_proof, self._arena, self._pool, self._state
                )
            log, logged = self._state.log, int(self._state.numbers[kernel.LOGGED])
            if logged + 2 * len(self._state.trail) > len(log):
                log = np.concatenate((log, np.empty_like(log)))
                self._state = self._state._replace(log=log)
        return status
