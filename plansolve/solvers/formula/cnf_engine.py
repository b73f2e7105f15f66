"""The engine `cnf`: clauses for a SAT solver of PySAT."""

import time
from pathlib import Path

from pysat.solvers import Solver, SolverNames

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import Encoder
from plansolve.errors import EngineError
from plansolve.solvers.formula.attempt import Attempt
from plansolve.solvers.protocol import HorizonRecord


def solve_with_pysat(encoder: Encoder, horizon: int, backend: str, proofs: Path | None) -> Attempt:
    """Encode and solve; raise `EngineError` where this PySAT lacks the back end."""
    if not hasattr(SolverNames, backend):
        raise EngineError(f"the installed python-sat has no back end {backend}: upgrade it")
    begin = time.perf_counter()
    builder = CnfBuilder()
    decode = encoder.encode(builder, horizon)
    encoded = time.perf_counter()
    model, conflicts = _solve_whole(builder, horizon, backend, proofs)
    plan = None if model is None else decode(model)
    return Attempt(
        plan,
        HorizonRecord(
            engine="cnf",
            horizon=horizon,
            refuted=plan is None,
            variables=builder.variables,
            constraints=len(builder.clauses),
            conflicts=conflicts,
            cubes=1,
            encode_seconds=round(encoded - begin, 4),
            solve_seconds=round(time.perf_counter() - encoded, 4),
            boards=builder.boards_searched,
            by_search=builder.is_refuted_by_search,
        ),
    )


def _solve_whole(
    builder: CnfBuilder, horizon: int, backend: str, proofs: Path | None
) -> tuple[set[int] | None, int | None]:
    """Return the true variables of a model or None, and the number of conflicts."""
    if builder.is_refuted_by_search:
        return None, 0
    # Not every back end takes a formula without clauses.
    clauses = builder.clauses or [[builder.new()]]
    # Lingeling has no such option, and glucose writes its proof to a file.
    proof = {"with_proof": True} if proofs else {}
    with Solver(name=backend, bootstrap_with=clauses, **proof) as solver:
        satisfiable = answer(solver, backend)
        conflicts = _conflicts(solver)
        if satisfiable:
            return {x for x in solver.get_model() if x > 0}, conflicts
        if proofs:
            # With numba, which a solver does without.
            from plansolve.solvers.formula.refutation import keep_refutation

            keep_refutation(proofs, str(horizon), builder, proof_of(solver, backend))
    return None, conflicts


def answer(solver: Solver, backend: str) -> bool:
    """Return whether the formula has a model; raise `EngineError` where the solver does not say."""
    satisfiable = solver.solve()
    if not isinstance(satisfiable, bool):
        raise EngineError(f"{backend} gave no answer")
    return satisfiable


def proof_of(solver: Solver, backend: str) -> list[str]:
    """Return the lines of the proof; raise `EngineError` where a full disk has cut it off."""
    lines: list[str] = solver.get_proof()
    # A formula that falls while it is read needs no proof. CaDiCaL deletes clauses after the end.
    if lines and "0" not in lines:
        raise EngineError(f"{backend} has written a proof that breaks off: is the disk full?")
    return lines


def _conflicts(solver: Solver) -> int | None:
    try:
        return int(solver.accum_stats()["conflicts"])
    except NotImplementedError:
        return None
