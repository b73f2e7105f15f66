"""A formula whose cubes a team refutes: processes, other machines, and a store that keeps them."""

import time

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import Encoder
from plansolve.errors import InternalError
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Attempt, Job
from plansolve.solvers.formula.cube_unit import CubeAnswer, CubeUnit, FormulaRecipe, LoadedFormula
from plansolve.solvers.protocol import HorizonRecord
from plansolve.solvers.units.team import Team

__all__ = ["can_share", "solve_with_team"]


def can_share(job: Job) -> bool:
    """Return whether a team may refute a job's formulas: its solver can be stopped, and no proof
    is asked for, which would have to be put together of all workers' parts.
    """
    return job.backend.cubes and job.proofs is None


def solve_with_team(job: Job, encoder: Encoder, horizon: int, team: Team) -> Attempt:
    """Encode, and have the team solve one cube after the other; the first plan ends the work.

    Raise `CutShort` where a cube could not be done.
    """
    begin = time.perf_counter()
    builder = CnfBuilder()
    formula = LoadedFormula(builder, encoder.encode(builder, horizon))
    encoded = time.perf_counter()
    recipe = FormulaRecipe.of(job, horizon)
    recipe.remember(formula)
    units = [
        CubeUnit(recipe, formula.identity, job.backend.name, cube)
        for cube in formula.decode.branches()
    ]
    answers: list[CubeAnswer] = []
    plan: Plan | None = None
    for answered in team.run(units, horizon):
        if answered is not None:
            answers.append(answered.answer)
            if answered.answer.plan is not None:
                plan = answered.answer.plan
                team.drop()
    if plan is None and len(answers) < len(units):
        raise InternalError("some cubes of a formula are without an answer")
    return Attempt(
        plan,
        HorizonRecord(
            engine="cnf",
            horizon=horizon,
            refuted=plan is None,
            variables=builder.variables,
            constraints=len(builder.clauses),
            conflicts=sum(answer.conflicts for answer in answers),
            cubes=len(units),
            encode_seconds=round(encoded - begin, 4),
            solve_seconds=round(time.perf_counter() - encoded, 4),
        ),
    )
