"""Trims refutations: the clauses of the formula that the proof needs, and the steps that it needs.

A solver writes down what it learns, and learns much that comes to nothing. The proof is checked
forward once, which shows what each step follows from; from the empty clause back, that tells what
is needed, and gives each step its hints (Goldberg and Novikov 2003). (To trim
once more what is left makes it smaller by some hundredths: not worth the time.)
"""

import numpy as np

from plansolve.certcheck.clauses import Array, Clauses, HintedProof, Proof
from plansolve.solvers.formula import trim_kernel as kernel
from plansolve.solvers.formula.trace import trace_refutation

__all__ = ["trimmed"]


def trimmed(formula: Clauses, proof: Proof) -> tuple[Clauses, HintedProof]:
    """Return the clauses of the formula that are needed, in their order, and the proof for them.

    Raise `ProofError` for a proof that does not refute the formula.
    """
    trace = trace_refutation(formula, proof)
    clauses = _numbered(formula, proof, len(trace.log_ends))
    traced = kernel.Traced(trace.log, trace.log_ends, trace.reasons, trace.since, trace.trail)
    first, count = len(formula), len(trace.log_ends)
    needed = kernel.Needed(np.zeros(count, np.bool_), np.zeros(formula.variables + 1, np.bool_))
    kernel.mark(clauses, traced, needed)
    numbers = np.flatnonzero(needed.clause[:first])
    sizes = clauses.ends - clauses.begins
    values = np.flatnonzero(needed.value)
    most = max(count - first, 0) + len(values) + 1
    added = kernel.Added(
        np.zeros(int(sizes[first:].sum()) + len(values), np.int32),
        np.zeros(most, np.int64),
        np.zeros(len(trace.log) + int(sizes[trace.reasons[values]].sum()), np.int32),
        np.zeros(most, np.int64),
    )
    ends = kernel.write(clauses, traced, needed, first, added)
    steps = Clauses(formula.variables, added.literals[: ends[1]], added.ends[: ends[0]])
    core = _chosen(formula, numbers)
    return core, HintedProof(
        len(core) + 1, steps, added.hints[: ends[2]], added.hint_ends[: ends[0]]
    )


def _numbered(formula: Clauses, proof: Proof, count: int) -> kernel.Numbered:
    """Return the clauses of both by the numbers under which they were taken in, the first ones."""
    adds = ~proof.deletes
    begins = np.concatenate(([0], proof.ends[:-1]))[adds] + len(formula.literals)
    ends = proof.ends[adds] + len(formula.literals)
    starts = np.concatenate(([0], formula.ends[:-1]))
    return kernel.Numbered(
        np.concatenate((formula.literals, proof.literals)),
        np.concatenate((starts, begins))[:count].astype(np.int64),
        np.concatenate((formula.ends, ends))[:count].astype(np.int64),
    )


def _chosen(formula: Clauses, numbers: Array) -> Clauses:
    """Return some clauses of a formula."""
    sizes = np.diff(formula.ends, prepend=0)
    kept = np.zeros(len(formula), np.bool_)
    kept[numbers] = True
    return Clauses(
        formula.variables,
        formula.literals[np.repeat(kept, sizes)],
        np.cumsum(sizes[numbers]).astype(np.int64),
    )
