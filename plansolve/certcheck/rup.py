"""Check that a DRUP proof refutes a formula, and trust nothing but the formula.

A clause has the RUP property (reverse unit propagation) if unit propagation from the negations of
its literals meets a conflict: then it follows from the clauses that are there (Goldberg and
Novikov, 2003). The checker goes forward: every addition must have the property with respect to
the formula and the earlier additions that are not deleted. The proof refutes the formula as soon
as unit propagation alone meets a conflict; what comes after that is not looked at.

Several checkers may share the work: each takes in every step, and checks some of the additions. A
step that one of them has not checked, another one has, with respect to the same clauses. So if none
of them finds a wrong one, each addition follows from those before it.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from plansolve.certcheck import rup_kernel as kernel
from plansolve.certcheck.clauses import Array, Clauses, Proof
from plansolve.certcheck.rup_state import CLAUSES, HEADER, LOGGED, MISSING, STEP, TOP, CheckerState
from plansolve.errors import InternalError, ProofError
from plansolve.storage.jit import interruptible

__all__ = [
    "RupVerdict",
    "Trace",
    "check_refutation",
    "trace_refutation",
]

# What the arena may come to hold: a watch refers to it by 32 bits.
_MOST_NUMBERS = 1 << 31
_SHOWN_LITERALS = 12
# Each holds a copy of the clauses.
_MOST_PARTS = 8


@dataclass(frozen=True)
class RupVerdict:
    """What the check of a proof showed.

    `refutes` tells whether the formula is proved to have no model. `step` counts from 0: the step
    that completes the refutation, or the first that does not follow; None if the formula falls
    without the proof, or if the proof ends too early. `additions` and `deletions` are the steps
    that were looked at; `missing` of the deletions name a clause that is not there.
    """

    refutes: bool
    step: int | None
    reason: str
    additions: int
    deletions: int
    missing: int


@dataclass(frozen=True, eq=False)
class Trace:
    """What each step of a refutation follows from; clauses are numbered as they are added.

    `log`, `log_ends`, `reasons` and `since` are those of `CheckerState`, as far as they are filled;
    `trail` holds the literals that hold for good. The last entries of `log` are the empty clause's.
    """

    log: Array
    log_ends: Array
    reasons: Array
    since: Array
    trail: Array


def check_refutation(
    formula: Clauses,
    proof: Proof,
    progress: Callable[[int, int], None] | None = None,
    deadline: float | None = None,
    threads: int = 1,
    *,
    steps_a_thread: int = 2_000,
    spare_room: int = 1 << 16,
) -> RupVerdict:
    """Return whether `proof` shows by reverse unit propagation that `formula` has no model.

    A clause is the set of its literals: neither order nor repetitions matter. One that is there
    several times goes away when it is deleted as often. Deleting a clause that is not there
    does no harm, and is counted. Deleting a clause does not take back the literals that unit
    propagation has derived from it without any assumption: they follow from the formula.

    `progress` is told now and then how many of how many steps are done; `deadline` is a time of
    `time.monotonic`. `threads` checkers share a long proof, each with a copy of the clauses; with
    fewer than `steps_a_thread` for each, it is checked before others have taken in the formula.
    Arrays begin with `spare_room` numbers more than the formula has, and grow where they must.

    Raise `TimeoutError` once the deadline has passed (nothing is known then), and `ProofError` for
    a proof that is too large to check or of another formula's variables.
    """
    if proof.variables > formula.variables:
        raise ProofError(
            f"the proof is about {proof.variables} variables, the formula has {formula.variables}"
        )
    parts = max(1, min(threads, _MOST_PARTS, len(proof) // steps_a_thread))
    common = _Common(formula, proof, parts, deadline, spare_room)
    checkers = [_Checker(common, part) for part in range(parts)]
    with ThreadPoolExecutor(parts) as pool:
        # This thread takes the first part, as signals come to it.
        others = [pool.submit(checker.run) for checker in checkers[1:]]
        mine = checkers[0].run(progress)
        ends = [mine, *(other.result() for other in others)]
    # A step that does not follow may have been taken in by the others, so the first one counts.
    failures = [i for i, end in enumerate(ends) if end[0] == kernel.FAILED]
    decisive = min(failures, key=lambda i: ends[i][1] or 0, default=0)
    status, step = ends[decisive]
    if not failures and any(end != ends[0] for end in ends):
        raise InternalError(f"checkers of one proof contradict each other: {ends}")
    if step is None:
        return RupVerdict(True, None, "the formula falls by unit propagation alone", 0, 0, 0)
    seen = min(step + 1, len(proof))
    deletions = int(np.count_nonzero(proof.deletes[:seen]))
    return RupVerdict(
        refutes=status == kernel.REFUTED,
        step=None if status == kernel.ENDED else step,
        reason=_reason(status, step, proof),
        additions=seen - deletions,
        deletions=deletions,
        missing=checkers[decisive].missing,
    )


def trace_refutation(formula: Clauses, proof: Proof, deadline: float | None = None) -> Trace:
    """Check a proof as `check_refutation` does, and return what each step follows from.

    Raise `ProofError` too where the proof does not refute the formula.
    """
    checker = _Checker(_Common(formula, proof, 1, deadline, 1 << 16), 0, has_log=True)
    status, step = checker.run()
    if status != kernel.REFUTED:
        raise ProofError(f"no refutation: {_reason(status, step or 0, proof)}")
    return checker.trace


def _reason(status: int, step: int, proof: Proof) -> str:
    if status == kernel.REFUTED:
        return "the empty clause follows by unit propagation"
    if status == kernel.ENDED:
        return "the proof ends before the empty clause follows by unit propagation"
    begin, end = int(proof.ends[step - 1]) if step else 0, int(proof.ends[step])
    if begin == end:
        return "the empty clause does not follow by unit propagation"
    shown = " ".join(map(str, proof.literals[begin : min(end, begin + _SHOWN_LITERALS)]))
    more = " ..." if end - begin > _SHOWN_LITERALS else ""
    return f"the clause {shown}{more} does not follow by unit propagation"


class _Common:
    """What the checkers of one proof share: the task, and whether it is worth going on.

    `first_failure` is the smallest step that one of them has found not to follow; `stop` is set
    where one of them cannot go on.
    """

    def __init__(
        self,
        formula: Clauses,
        proof: Proof,
        parts: int,
        deadline: float | None,
        spare_room: int,
    ) -> None:
        self.formula, self.proof, self.parts, self.deadline = formula, proof, parts, deadline
        self.spare_room = spare_room
        self.stop = threading.Event()
        self.first_failure = len(proof)
        self._lock = threading.Lock()

    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def failed(self, step: int) -> None:
        """Note that a step does not follow."""
        with self._lock:
            self.first_failure = min(self.first_failure, step)


class _Checker:
    """One of the checkers that share a proof: it checks every so many-th addition."""

    def __init__(self, common: _Common, part: int, *, has_log: bool = False) -> None:
        formula, proof = common.formula, common.proof
        variables = formula.variables
        clauses = len(formula) + len(proof) - int(np.count_nonzero(proof.deletes))
        numbers = len(formula.literals) + len(proof.literals) + HEADER * clauses
        if numbers >= _MOST_NUMBERS:
            raise ProofError(f"the proof is too large: {len(proof.literals)} literals")
        width = 2 * variables + 2
        self._common, self._part = common, part
        self._arena = np.empty(2 * len(formula.literals) + common.spare_room, np.int32)
        self._pool = np.empty(4 * len(formula) + common.spare_room, np.uint64)
        self._state = CheckerState(
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
            numbers=np.zeros(10, np.int64),
            log=np.empty(4 * variables + common.spare_room if has_log else 0, np.int32),
            log_ends=np.zeros(clauses if has_log else 0, np.int64),
        )

    @property
    def missing(self) -> int:
        """The number of deletions of clauses that are not there."""
        return int(self._state.numbers[MISSING])

    @property
    def trace(self) -> Trace:
        """What each step follows from."""
        state = self._state
        numbers = state.numbers
        return Trace(
            log=state.log[: numbers[LOGGED]],
            log_ends=state.log_ends[: numbers[CLAUSES]],
            reasons=state.reasons,
            since=state.since,
            trail=state.trail[: numbers[TOP]],
        )

    def run(self, progress: Callable[[int, int], None] | None = None) -> tuple[int, int | None]:
        """Take in formula and proof; return how that ended, and the step, None for the formula.

        It ends as `RUNNING` where another checker's failure leaves nothing to find.
        """
        common = self._common
        formula, proof = common.formula, common.proof
        kept = np.zeros(len(formula), np.bool_)
        try:
            status = self._advance(formula.literals, formula.ends, kept, 0, None)
            if status == kernel.REFUTED:
                return status, None
            status = self._advance(
                proof.literals, proof.ends, proof.deletes, common.parts, progress
            )
        except BaseException:
            common.stop.set()
            raise
        step = int(self._state.numbers[STEP])
        if status == kernel.FAILED:
            common.failed(step)
        return status, step

    def _advance(
        self,
        literals: Array,
        ends: Array,
        deletes: Array,
        parts: int,
        progress: Callable[[int, int], None] | None,
    ) -> int:
        """Take in steps, unchecked where `parts` is 0; return how that ended."""
        common = self._common
        # One compiled version for all: of arrays that can be written, and lie in one piece.
        literals = np.require(literals, np.int32, ["C", "W"])
        ends = np.require(ends, np.int64, ["C", "W"])
        deletes = np.require(deletes, np.bool_, ["C", "W"])
        self._state.numbers[STEP] = 0
        status, step = kernel.RUNNING, 0
        while status == kernel.RUNNING and not common.stop.is_set():
            if parts and step > common.first_failure:
                break
            with interruptible():
                status, self._arena, self._pool = kernel.advance(
                    literals, ends, deletes, self._part, parts, self._arena, self._pool,
                    self._state,
                )  # fmt: skip
            step = int(self._state.numbers[STEP])
            if 2 * int(self._state.numbers[LOGGED]) > len(self._state.log):
                log = np.concatenate((self._state.log, np.empty_like(self._state.log)))
                self._state = self._state._replace(log=log)
            if progress is not None:
                progress(step, len(ends))
            if status == kernel.RUNNING and common.is_late():
                raise TimeoutError(f"time limit reached after {step} of {len(ends)} steps")
        return status
