"""A formula whose cubes a team refutes: forks, processes, machines, and a store that keeps them."""

import gzip
import secrets
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import chain, product
from pathlib import Path

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import Encoder
from plansolve.errors import InternalError
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Attempt, Job
from plansolve.solvers.formula.cube_unit import CubeAnswer, CubeUnit, FormulaRecipe, LoadedFormula
from plansolve.solvers.protocol import HorizonRecord
from plansolve.solvers.units.team import Team


def solve_with_team(
    job: Job,
    encoder: Encoder,
    horizon: int,
    helpers: AbstractContextManager[Team],
    *,
    is_long: bool,
) -> Attempt:
    """Encode, and have a team solve one cube after the other; the first plan ends the work.

    The cubes are the combinations of the decoder's choices, or those of the first choice alone
    unless it `is_long`: each costs some hundredths of a second whatever is in it.

    Where the job asks for proofs, the team's members must be of this process. Raise `CutShort`
    where a cube could not be done, `MemoryError` and `EngineError` as `CubeSolver` does.
    """
    begin = time.perf_counter()
    builder = CnfBuilder()
    formula = LoadedFormula(builder, encoder.encode(builder, horizon))
    choices = formula.decode.choices()[: None if is_long else 1]
    encoded = time.perf_counter()
    recipe = FormulaRecipe.of(job, horizon)
    parts = None if job.proofs is None else _Parts(job.proofs)
    identity, backend = formula.identity, job.backend.name
    units = [
        CubeUnit(recipe, identity, backend, cube, None if parts is None else parts.path(number))
        for number, cube in enumerate(product(*choices))
    ]
    try:
        with recipe.held(formula), helpers as team:
            plan, answers = _solved(units, horizon, team)
        if parts is not None and plan is None:
            # With numba, which a solver does without.
            from plansolve.solvers.formula.refutation import keep_refutation

            proof = chain(parts.lines(), _closing(choices))
            keep_refutation(parts.folder, str(horizon), builder, proof)
    finally:
        # Whoever worked on what is not needed any more has ended.
        if parts is not None:
            parts.clear()
    return Attempt(
        plan,
        HorizonRecord(
            engine="cnf",
            horizon=horizon,
            refuted=plan is None,
            variables=builder.variables,
            constraints=len(builder.clauses),
            boards=builder.boards_searched,
            by_search=builder.is_refuted_by_search,
            conflicts=sum(answer.conflicts for answer in answers),
            cubes=len(units),
            encode_seconds=round(encoded - begin, 4),
            solve_seconds=round(time.perf_counter() - encoded, 4),
        ),
    )


def _solved(
    units: list[CubeUnit], horizon: int, team: Team
) -> tuple[Plan | None, list[CubeAnswer]]:
    """Return the first plan, or None where each cube is refuted; and the answers."""
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
    return plan, answers


class _Parts:
    """The parts of a proof, one a cube, in a folder that may hold files of others."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._name = folder, f"cubes-{secrets.token_hex(8)}"
        self._paths: list[Path] = []

    def path(self, number: int) -> Path:
        """Return where the proof of a cube goes."""
        self._paths.append(self.folder / f"{self._name}.{number}")
        return self._paths[-1]

    def lines(self) -> Iterator[str]:
        """Yield the lines of all parts."""
        for path in self._paths:
            with gzip.open(path, "rt") as part:
                yield from part

    def clear(self) -> None:
        """Delete what is left, also what a process that was ended had begun."""
        for path in self.folder.glob(f"{self._name}.*"):
            path.unlink(missing_ok=True)


def _closing(choices: list[list[int]]) -> Iterator[str]:
    """Return what follows from the cubes' negations: those of shorter cubes, at last of none."""
    for depth in reversed(range(len(choices))):
        for cube in product(*choices[:depth]):
            yield " ".join(map(str, [*(-x for x in cube), 0]))
