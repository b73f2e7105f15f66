"""The engine `cp-sat`: a CP-SAT model for OR-Tools."""

import time
from pathlib import Path

from ortools.sat.python import cp_model

from plansolve.encoders.cpsat import CpSatBuilder
from plansolve.encoders.registry import Encoder
from plansolve.errors import EngineError
from plansolve.solvers.formula.attempt import Attempt
from plansolve.solvers.protocol import HorizonRecord


def solve_with_cpsat(encoder: Encoder, horizon: int, backend: str, proofs: Path | None) -> Attempt:
    """Build the model and solve it on one core; it has no proofs."""
    assert proofs is None
    begin = time.perf_counter()
    builder = CpSatBuilder()
    decode = encoder.encode(builder, horizon)
    encoded = time.perf_counter()
    plan, conflicts = None, 0
    if not builder.is_refuted_by_search:
        model, conflicts = _solve_whole(builder, backend)
        plan = None if model is None else decode(model)
    return Attempt(
        plan,
        HorizonRecord(
            engine="cp-sat",
            horizon=horizon,
            refuted=plan is None,
            variables=builder.variables,
            constraints=len(builder.model.proto.constraints),
            conflicts=conflicts,
            cubes=1,
            encode_seconds=round(encoded - begin, 4),
            solve_seconds=round(time.perf_counter() - encoded, 4),
            boards=builder.boards_searched,
            by_search=builder.is_refuted_by_search,
        ),
    )


def _solve_whole(builder: CpSatBuilder, backend: str) -> tuple[set[int] | None, int]:
    """Return the true variables of a model or None, and the number of conflicts."""
    solver = cp_model.CpSolver()
    # Measured: these models are purely Boolean and deep, so relaxations, probing and the search
    # for symmetries only cost time.
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.cp_model_probing_level = 0
    status = solver.solve(builder.model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE):
        raise EngineError(f"{backend} ended with status {solver.status_name(status)}")
    is_refuted = status == cp_model.INFEASIBLE
    return None if is_refuted else builder.true_variables(solver), solver.num_conflicts
