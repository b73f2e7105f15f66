"""Keeps what is needed of a refutation: formula, legend, and the LRAT proof.

`certcheck.files` says what the files are called and what is in them.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from plansolve.certcheck.clauses import Clauses, HintedProof, Proof, lines_of, rows_of
from plansolve.certcheck.dimacs import Readable, read_drup
from plansolve.certcheck.files import formula_file, legend_file, proof_file
from plansolve.encoders.cnf import CnfBuilder
from plansolve.errors import EngineError, ProofError
from plansolve.solvers.formula.proof_files import write_lines
from plansolve.solvers.formula.trim import trimmed

__all__ = ["keep_refutation"]

_MOST_PROOF = 1 << 40


def keep_refutation(folder: Path, name: str, builder: CnfBuilder, proof: Readable) -> None:
    """Write the clauses that a DRUP proof needs, what their variables mean, and the proof.

    It begins with the clauses that the builder derived. Raise `EngineError` for a proof that does
    not hold.
    """
    formula = Clauses.of(builder.variables, builder.clauses)
    try:
        learnt = read_drup(proof, formula.variables, _MOST_PROOF)
        core, steps = trimmed(formula, _after(builder, learnt))
    except ProofError as error:
        raise EngineError(f"the solver has written a proof that does not hold: {error}") from None
    write_lines(folder / formula_file(name), _dimacs(core))
    write_lines(folder / legend_file(name), builder.legend({*abs(core.literals).tolist()}))
    write_lines(folder / proof_file(name), _lrat(steps))


def _after(builder: CnfBuilder, learnt: Proof) -> Proof:
    """Return the proof whose first steps are the clauses that the builder derived."""
    first = Clauses.of(builder.variables, builder.derived)
    return Proof(
        learnt.variables,
        np.concatenate((first.literals, learnt.literals)),
        np.concatenate((first.ends, learnt.ends + len(first.literals))),
        np.concatenate((np.zeros(len(first), np.bool_), learnt.deletes)),
    )


def _dimacs(formula: Clauses) -> Iterator[str]:
    yield f"p cnf {formula.variables} {len(formula)}"
    yield from lines_of(formula)


def _lrat(proof: HintedProof) -> Iterator[str]:
    both = zip(lines_of(proof.steps), rows_of(proof.hints, proof.hint_ends), strict=True)
    for number, (step, causes) in enumerate(both, start=proof.first):
        yield f"{number} {step} {causes}"
