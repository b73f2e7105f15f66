"""A formula in cubes, the work units of SAT: encoded and refuted by whoever takes one.

Of each choice that the decoder names each model satisfies one literal, so that the formula is
refuted when the cubes of all combinations are. A team takes them: forks, processes, machines, and a
store that keeps them. A unit's conflicts do not depend on what its worker did before, see `cubes`.
"""

import gzip
import secrets
import time
from array import array
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import chain, product
from pathlib import Path
from threading import Lock
from typing import Any

from plansolve.checker import check_plan
from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.encoding import Encoder
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER
from plansolve.errors import InternalError
from plansolve.formats import read_problem
from plansolve.formats.identity import problem_text
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Attempt, Job
from plansolve.solvers.formula.cubes import Cube, CubeSolver
from plansolve.solvers.units.team import Team, host

_VERSION = 1
"""Raised where encoders change, so that a literal means something else."""


@dataclass(frozen=True)
class LoadedFormula:
    """A formula, and what makes a plan of its models."""

    builder: CnfBuilder
    decode: Decoder
    _solvers: dict[tuple[str, bool], CubeSolver] = field(default_factory=dict)
    _reading: Lock = field(default_factory=Lock)

    @cached_property
    def identity(self) -> str:
        """A name for all clauses in their order, by which another encoder is noticed.

        What refutes one cube may keep a plan that is in another one. So only cubes of the same
        clauses refute a horizon together.
        """
        clauses = self.builder.clauses
        digest = sha256(array("q", map(len, clauses)).tobytes())
        digest.update(array("i", chain.from_iterable(clauses)).tobytes())
        return digest.hexdigest()

    def solver(self, backend: str, *, with_proof: bool) -> CubeSolver:
        """Return the solver of a back end, which reads the formula once for all cubes."""
        with self._reading:
            kind = backend, with_proof
            if kind not in self._solvers:
                # Not every back end takes a formula without clauses.
                clauses = self.builder.clauses or [[self.builder.new()]]
                self._solvers[kind] = CubeSolver(clauses, backend, with_proof=with_proof)
            return self._solvers[kind]


@dataclass(frozen=True)
class FormulaRecipe:
    """How a process encodes a formula: the canonical text of its problem, a horizon, names."""

    text: str
    horizon: int
    encoding: str
    lemmas: tuple[str, ...]

    @classmethod
    def of(cls, job: Job, horizon: int) -> "FormulaRecipe":
        """Return the recipe of a job's formula of one horizon, which deep searches do not change.

        One that they refute is not cut.
        """
        lemmas = tuple(sorted(job.lemmas - {DEEP_PERIMETER.name}))
        return cls(problem_text(job.problem), horizon, job.encoding.name, lemmas)

    def loaded(self) -> LoadedFormula:
        """Return the formula, which a process encodes once for all its cubes."""
        with _encoding:
            if self not in _loaded:
                _loaded.clear()
                job = Job(read_problem(self.text), "cnf", None, self.encoding, self.lemmas)
                builder = CnfBuilder()
                encoder = job.encoding.prepare(job.problem, job.lemmas)
                _loaded[self] = LoadedFormula(builder, encoder.encode(builder, self.horizon))
            return _loaded[self]

    @contextmanager
    def held(self, formula: LoadedFormula) -> Iterator[None]:
        """Have this process use a formula that it has encoded already, while the context lasts."""
        with _encoding:
            _loaded.clear()
            _loaded[self] = formula
        try:
            yield
        finally:
            with _encoding:
                _loaded.pop(self, None)


_encoding = Lock()
_loaded: dict[FormulaRecipe, LoadedFormula] = {}


@dataclass(frozen=True)
class CubeAnswer:
    """What came of a cube: a plan, or None where it is refuted; and the conflicts that it took."""

    conflicts: int
    plan: Plan | None
    is_done: bool = True
    seconds: float = 0.0
    host: str = field(default_factory=host)

    def document(self) -> dict[str, Any]:
        """Return what the work came to, ready for JSON."""
        plan = None if self.plan is None else list(self.plan)
        return {"conflicts": self.conflicts, "plan": plan}


@dataclass(frozen=True)
class CubeUnit:
    """One cube of a formula; `identity` is that of the formula, so that all speak of the same.

    The proof that it is refuted goes to the file `proof`, if that is given.
    """

    formula: FormulaRecipe
    identity: str
    backend: str
    cube: Cube
    proof: Path | None = None

    @property
    def key(self) -> str:
        """The SHA-256 of the formula, the solver and the cube."""
        return sha256(f"cube {_VERSION} {self!r}".encode()).hexdigest()

    def run(self) -> CubeAnswer:
        """Look for a model under the cube."""
        begin = time.perf_counter()
        loaded = self.formula.loaded()
        if loaded.identity != self.identity:
            raise InternalError("a worker has another formula, of another version of plansolve?")
        solver = loaded.solver(self.backend, with_proof=self.proof is not None)
        found = solver.solve(self.cube, self.proof)
        seconds = time.perf_counter() - begin
        if found is None:
            return CubeAnswer(0, None, is_done=False, seconds=seconds)
        plan = None if found.model is None else loaded.decode(set(found.model))
        return CubeAnswer(found.conflicts, plan, seconds=seconds)

    def answer(self, document: dict[str, Any], seconds: float) -> CubeAnswer:
        """Return the answer of a document; raise `ValueError` for one that no solver gives."""
        conflicts, plan = document["conflicts"], document["plan"]
        if not isinstance(conflicts, int) or conflicts < 0:
            raise ValueError("its conflicts are no number")
        if plan is None:
            return CubeAnswer(conflicts, None, seconds=seconds)
        if not (isinstance(plan, list) and all(isinstance(move, str) for move in plan)):
            raise ValueError("its plan is no list of moves")
        if not check_plan(read_problem(self.formula.text), tuple(plan)).solves:
            raise ValueError("its plan does not reach the goal")
        return CubeAnswer(conflicts, tuple(plan), seconds=seconds)


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
    times, conflicts = (begin, encoded, time.perf_counter()), sum(own.conflicts for own in answers)
    count, cubes = len(builder.clauses), len(units)
    return Attempt.of("cnf", horizon, builder, count, plan, conflicts, times, cubes)


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
