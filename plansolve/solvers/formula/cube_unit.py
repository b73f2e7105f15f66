"""The work unit of SAT: one formula under one cube, encoded and refuted by whoever takes it.

A cube is an assumption (Heule, Kullmann, Wieringa, Biere 2011): a literal of which the decoder says
that each model satisfies one of its kind, so that the formula is refuted when all its cubes are.
Each unit has a solver of its own: its conflicts do not depend on what its worker did before.
"""

import time
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any

from pysat.solvers import Solver

from plansolve.checker import check_plan
from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.errors import InternalError
from plansolve.formats import read_problem
from plansolve.formats.identity import problem_text
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.processes.stopping import is_unwanted
from plansolve.solvers.units.team import host

__all__ = ["CubeAnswer", "CubeUnit", "FormulaRecipe", "LoadedFormula"]

_VERSION = 1
"""Raised where encoders change, so that a literal means something else."""
_CONFLICTS_A_SLICE = 1000
"""A solver cannot be interrupted, and holds the interpreter's lock: it is asked for so much."""


@dataclass(frozen=True)
class LoadedFormula:
    """A formula, and what makes a plan of its models."""

    builder: CnfBuilder
    decode: Decoder

    @property
    def identity(self) -> str:
        """The numbers by which another encoder would be noticed."""
        return f"{self.builder.variables} {len(self.builder.clauses)}"


@dataclass(frozen=True)
class FormulaRecipe:
    """How a process encodes a formula: the canonical text of its problem, a horizon, names."""

    text: str
    horizon: int
    encoding: str
    lemmas: tuple[str, ...]

    @classmethod
    def of(cls, job: Job, horizon: int) -> "FormulaRecipe":
        """Return the recipe of a job's formula of one horizon."""
        lemmas = tuple(sorted(job.lemmas))
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

    def remember(self, formula: LoadedFormula) -> None:
        """Take a formula that this process has encoded already."""
        with _encoding:
            _loaded.clear()
            _loaded[self] = formula


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
    """One cube of a formula; `identity` is that of the formula, so that all speak of the same."""

    formula: FormulaRecipe
    identity: str
    backend: str
    cube: int

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
        satisfiable: bool | None = None
        with Solver(name=self.backend, bootstrap_with=loaded.builder.clauses) as solver:
            while satisfiable is None and not is_unwanted():
                solver.conf_budget(_CONFLICTS_A_SLICE)
                satisfiable = solver.solve_limited(assumptions=[self.cube])
            plan = loaded.decode(set(solver.get_model())) if satisfiable else None
            return CubeAnswer(
                int(solver.accum_stats()["conflicts"]),
                plan,
                is_done=satisfiable is not None,
                seconds=time.perf_counter() - begin,
            )

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
