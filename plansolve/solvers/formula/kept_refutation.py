"""Keeps what is needed of a refutation: formula, legend, and the LRAT proof.

`certcheck.files` says what the files are called and what is in them.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from plansolve.certcheck.clauses import Clauses, HintedProof, lines_of, rows_of
from plansolve.certcheck.dimacs import Readable, read_drup
from plansolve.certcheck.files import formula_file, legend_file, proof_file
from plansolve.encoders.cnf import CnfBuilder
from plansolve.errors import EngineError, ProofError
from plansolve.solvers.formula.proof_files import write_lines
from plansolve.solvers.formula.trim import trimmed

__all__ = ["keep_refutation"]

_MOST_PROOF = 1 << 40
_STEPS_A_DELETION = 1 << 12


def keep_refutation(folder: Path, name: str, builder: CnfBuilder, proof: Readable) -> None:
    """Write the clauses that a DRUP proof needs, what their variables mean, and the proof.

    Raise `EngineError` for a proof that does not hold.
    """
    formula = Clauses.of(builder.variables, builder.clauses)
    try:
        learnt = read_drup(proof, formula.variables, _MOST_PROOF)
        core, steps = trimmed(formula, learnt)
    except ProofError as error:
        raise EngineError(f"the solver has written a proof that does not hold: {error}") from None
    write_lines(folder / formula_file(name), _dimacs(core))
    write_lines(folder / legend_file(name), builder.legend({*abs(core.literals).tolist()}))
    write_lines(folder / proof_file(name), _lrat(steps))


def _dimacs(formula: Clauses) -> Iterator[str]:
    yield f"p cnf {formula.variables} {len(formula)}"
    yield from lines_of(formula)


def _lrat(proof: HintedProof) -> Iterator[str]:
    """Yield the lines of a proof, and now and then one that deletes what no later step names."""
    last = np.zeros(proof.first + len(proof.steps), np.int64)
    named_by = np.repeat(np.arange(len(proof.steps)), np.diff(proof.hint_ends, prepend=0))
    np.maximum.at(last, proof.hints, named_by)
    order = np.argsort(last, kind="stable")
    # Nothing has the number 0, and nothing follows from the last step.
    order, deleted = order[(order > 0) & (order < len(last) - 1)], 0
    last_use = last[order]
    both = zip(lines_of(proof.steps), rows_of(proof.hints, proof.hint_ends), strict=True)
    for place, (step, causes) in enumerate(both):
        number = proof.first + place
        yield f"{number} {step} {causes}"
        is_last = number == len(last) - 1
        if place % _STEPS_A_DELETION == _STEPS_A_DELETION - 1 and not is_last:
            known = int(np.searchsorted(last_use, place, side="right"))
            if known > deleted:
                numbers = " ".join(map(str, np.sort(order[deleted:known]).tolist()))
                yield f"{number} d {numbers} 0"
                deleted = known
