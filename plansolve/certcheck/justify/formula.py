"""Justify every clause of one formula: it holds for every plan of the length in question.

    if there is plainly no plan of that length: every clause holds
    for each clause: the rules for one piece and the blank exclude its negation     (`rules_kernel`)

A clause of which this is not seen may be true, but is not accepted.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from plansolve.certcheck.clauses import Array, Clauses
from plansolve.certcheck.justify.legend import AT, MOVE, NEVER, STEP, Legend
from plansolve.certcheck.justify.rules import has_no_plan, reachability
from plansolve.certcheck.justify.rules_kernel import ClauseWork, MeantClauses, true_of_every_plan
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.storage.jit import interruptible

__all__ = ["Unjustified", "justify"]

_AT_ONCE = 1 << 12
_SHOWN_LITERALS = 12
_MEANINGS = {
    AT: "{2} in cell {1} after {0} moves",
    MOVE: "move {0} is operator {1}",
    STEP: "move {0} takes cell {1} to cell {2}",
    NEVER: "nothing",
}


class Unjustified(ProofError):
    """A clause, counted from 1, that is not seen to hold for every plan."""

    def __init__(self, clause: int, text: str) -> None:
        super().__init__(f"clause {clause}: {text}")
        self.clause = clause


def justify(
    problem: Problem,
    horizon: int,
    formula: Clauses,
    legend: Legend,
    *,
    threads: int = 1,
    deadline: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Return why all clauses hold for every plan of `horizon` moves: "rules", or "no way".

    Raise `Unjustified` for a clause that is not seen to hold, `ProofError` for what is too large,
    and `TimeoutError` at the deadline, a time of `time.monotonic`. `progress` is told now and then
    how many of how many clauses are done.
    """
    rules = reachability(problem, horizon)
    possible = rules.possible()[list(problem.puzzle.kinds)]
    # A content that has no place, or a cell that has no content.
    is_possible = possible.any(axis=2).all() and possible.any(axis=0).all()
    if not is_possible or has_no_plan(problem, horizon):
        # Then all that is said of a plan of this length is true.
        return "no way"
    clauses = MeantClauses(
        np.require(formula.literals, np.int32, ["C", "W"]),
        np.require(formula.ends, np.int64, ["C", "W"]),
        np.require(legend.kind, np.int8, ["C", "W"]),
        np.require(legend.row, np.int32, ["C", "W"]),
    )
    found = np.zeros(len(formula), np.bool_)

    def follow_rules(some: Array) -> None:
        true_of_every_plan(clauses, some, rules, ClauseWork.of(rules), found)

    pieces = [
        np.arange(begin, min(begin + _AT_ONCE, len(formula)), dtype=np.int64)
        for begin in range(0, len(formula), _AT_ONCE)
    ]
    # The kernel holds no lock, and each piece has its own entries of what is found.
    with interruptible(), ThreadPoolExecutor(threads) as pool:
        try:
            for some, _ in zip(pieces, pool.map(follow_rules, pieces), strict=True):
                missing = some[~found[some]]
                if len(missing):
                    number = int(missing[0])
                    raise Unjustified(number + 1, _shown(clauses, number))
                progress(int(some[-1]) + 1, len(found))
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError("time limit reached while the clauses were justified")
        finally:
            pool.shutdown(cancel_futures=True)
    return "rules"


def _shown(clauses: MeantClauses, number: int) -> str:
    begin = int(clauses.ends[number - 1]) if number else 0
    end = min(int(clauses.ends[number]), begin + _SHOWN_LITERALS)
    parts = []
    for literal in clauses.literals[begin:end].tolist():
        text = _MEANINGS.get(int(clauses.kind[abs(literal)]), "a variable without a meaning")
        meaning = text.format(*clauses.row[abs(literal)].tolist())
        parts.append(f"{'not ' if literal < 0 else ''}{meaning}")
    return f"nothing shows that {' or '.join(parts) or 'it'} holds"
