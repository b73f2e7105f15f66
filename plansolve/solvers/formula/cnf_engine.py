"""The engine `cnf`: clauses for a SAT solver of PySAT."""

import time
from pathlib import Path

from pysat.solvers import Solver, SolverNames

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import Encoder
from plansolve.errors import EngineError
from plansolve.solvers.formula.attempt import Solution
from plansolve.solvers.formula.proof_files import write_refutation

__all__ = ["answer", "solve_with_pysat"]


def solve_with_pysat(encoder: Encoder, horizon: int, backend: str, proofs: Path | None) -> Solution:
    """Encodes and solves; raises `EngineError` where this PySAT lacks the back end."""
    if not hasattr(SolverNames, backend):
        raise EngineError(f"the installed python-sat has no back end {backend}: upgrade it")
    begin = time.perf_counter()
    builder = CnfBuilder()
    decode = encoder.encode(builder, horizon)
    encoded = time.perf_counter()
    # Not every back end takes a formula without clauses.
    clauses = builder.clauses or [[builder.new()]]
    # Lingeling has no such option, and glucose writes its proof to a file.
    proof = {"with_proof": True} if proofs else {}
    with Solver(name=backend, bootstrap_with=clauses, **proof) as solver:
        satisfiable = answer(solver, backend)
        plan = decode({x for x in solver.get_model() if x > 0}) if satisfiable else None
        conflicts = _conflicts(solver)
        solved = time.perf_counter()
        if proofs and not satisfiable:
            write_refutation(proofs, str(horizon), builder, solver)
    return Solution(
        plan=plan,
        variables=builder.variables,
        constraints=len(builder.clauses),
        conflicts=conflicts,
        encode_seconds=encoded - begin,
        solve_seconds=solved - encoded,
    )


def answer(solver: Solver, backend: str) -> bool:
    """Whether the formula has a model; raises `EngineError` where the solver does not say."""
    satisfiable = solver.solve()
    if not isinstance(satisfiable, bool):
        raise EngineError(f"{backend} gave no answer")
    return satisfiable


def _conflicts(solver: Solver) -> int | None:
    try:
        return int(solver.accum_stats()["conflicts"])
    except NotImplementedError:
        return None
