"""A formula split into cubes, the work units of SAT, which each worker encodes and refutes.

A cube is a conjunction of assumed literals (Heule, Kullmann, Wieringa, Biere 2011). Each model
satisfies one literal of each choice that the decoder names, so the formula is refuted if the cubes
of all combinations are. A team solves them: forks, processes, machines, and a store of answers.

A solver reads a formula once, and forks of it solve the formula under a cube each. Each fork begins
with the same state, so that its answer and its conflicts depend on nothing but formula and cube.
The clauses that it learns follow from the formula alone, and so does the negation of a refuted
cube. So the proofs of all cubes, one after the other, are one ordinary DRUP proof of the
formula, once it ends with what follows from the cubes' negations.
"""

import ctypes
import gzip
import os
import pickle
import select
import signal
import sys
import time
import warnings
from array import array
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import chain, product
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock
from typing import Any, BinaryIO, NoReturn, TypeAlias

from pysat.solvers import Solver

from plansolve.checker import check_plan
from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.encoding import Encoder
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER
from plansolve.errors import EngineError, InternalError
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.json_reader import Whole
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Attempt, Found, Job, attempted
from plansolve.solvers.limits import cause_of_death, is_unwanted
from plansolve.solvers.protocol import Options
from plansolve.solvers.units.team import Team, UnitAnswer
from plansolve.storage.files import FAST, write_lines

_VERSION = 1
"""Raised when encoders change, so that a literal means something else."""

_PR_SET_PDEATHSIG = 1

Cube: TypeAlias = tuple[int, ...]

_POLL_SECONDS = 0.1
_CONFLICTS_A_SLICE = 1000
"""Conflicts per call: a solver cannot be interrupted, and holds the interpreter's lock."""


@dataclass(frozen=True)
class CubeResult:
    """The true variables of a model, or None if the cube is refuted, and the conflicts."""

    model: list[int] | None
    conflicts: int


class CubeSolver:
    """A solver that has read a formula; several threads may use it.

    The back end must accept assumptions. It writes proofs with `with_proof`.
    """

    def __init__(self, clauses: list[list[int]], backend: str, *, with_proof: bool = False) -> None:
        self._clauses, self._backend, self._with_proof = clauses, backend, with_proof
        self._solver = self._read()

    def solve(self, cube: Cube, proof: Path | None = None) -> CubeResult | None:
        """Look for a model under the cube; return None if it is no longer wanted.

        A proof that there is none is written to the file `proof`, compressed. Raise `EngineError`
        if the solver fails, `MemoryError` if it needs too much, and `CutShort` if it dies.
        """
        if is_unwanted():
            return None
        if sys.platform != "linux":
            # A fork might outlive us.
            return self._solve_here(cube, proof)
        try:
            pid, answers = self._fork(cube, proof)
        except OSError:
            # There are too many processes.
            return self._solve_here(cube, proof)
        is_dead = False
        try:
            while not select.select([answers], [], [], _POLL_SECONDS)[0]:
                if is_unwanted():
                    return None
            try:
                # It was written by a fork of this process.
                answer = pickle.load(answers)
            except (EOFError, pickle.UnpicklingError):
                is_dead = True
                _, status = os.waitpid(pid, 0)
                raise cause_of_death(os.waitstatus_to_exitcode(status)) from None
            if isinstance(answer, BaseException):
                raise answer
            assert isinstance(answer, CubeResult)
            return answer
        finally:
            answers.close()
            if not is_dead:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

    def _read(self) -> Solver:
        # Some back ends lack the option.
        proof = {"with_proof": True} if self._with_proof else {}
        return Solver(name=self._backend, bootstrap_with=self._clauses, **proof)

    def _solve_here(self, cube: Cube, proof: Path | None) -> CubeResult | None:
        with self._read() as solver:
            while not is_unwanted():
                solver.conf_budget(_CONFLICTS_A_SLICE)
                satisfiable = solver.solve_limited(assumptions=list(cube))
                if satisfiable is not None:
                    return self._result(solver, satisfiable, cube, proof)
        return None

    def _result(
        self, solver: Solver, satisfiable: object, cube: Cube, proof: Path | None
    ) -> CubeResult:
        """Return the solver's answer, and write the proof."""
        if not isinstance(satisfiable, bool):
            raise EngineError(f"{self._backend} gave no answer")
        model = [x for x in solver.get_model() if x > 0] if satisfiable else None
        if model is None and proof is not None:
            has_fallen = not solver.get_core()
            lines = solver.get_proof()
            # A formula that falls while it is read is not written about.
            if lines.count("0") not in (1, 1 - has_fallen):
                raise EngineError(f"{self._backend} wrote an incomplete proof")
            write_lines(proof, _without_assumptions(lines, cube), FAST)
        return CubeResult(model, int(solver.accum_stats()["conflicts"]))

    def _fork(self, cube: Cube, proof: Path | None) -> tuple[int, BinaryIO]:
        """Start a fork that solves; return its process number, and the stream of its answer."""
        answers, write = os.pipe()
        parent = os.getpid()
        try:
            with warnings.catch_warnings():
                # Python warns of locks that other threads may hold; the fork takes none of them.
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
        except OSError:
            os.close(answers)
            os.close(write)
            raise
        if pid == 0:
            self._serve(cube, proof, write, parent)
        os.close(write)
        return pid, os.fdopen(answers, "rb")

    def _serve(self, cube: Cube, proof: Path | None, write: int, parent: int) -> NoReturn:
        """Do the work of the fork, and end it."""
        try:
            _end_with(parent)
            # The file to which the solver writes its proof.
            trace = None if proof is None else self._solver.solver.prfile.fileno()
            # Readers of the parent's pipes must not wait for this process.
            kept = sorted({2, write} | (set() if trace is None else {trace}))
            for low, high in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
                os.closerange(low + 1, high)
            answer: object
            try:
                if trace is not None:
                    # Not that of other forks. The solver begins to write when it has read the
                    # formula, so that nothing is lost.
                    with TemporaryFile() as own:
                        os.dup2(own.fileno(), trace)
                satisfiable = self._solver.solve(assumptions=list(cube))
                answer = self._result(self._solver, satisfiable, cube, proof)
            except MemoryError as error:
                answer = MemoryError(str(error))
            except Exception as error:
                answer = EngineError(f"{self._backend}: {type(error).__name__}: {error}")
            with os.fdopen(write, "wb") as stream:
                pickle.dump(answer, stream)
        finally:
            os._exit(0)


def _end_with(parent: int) -> None:
    """Make Linux end this fork with the thread that waits for it, at once if that has ended."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _without_assumptions(lines: Iterable[str], cube: Cube) -> Iterator[str]:
    """Return the proof that a cube is refuted, from the solver's output.

    At the end of the refutation the solver writes the empty clause; the formula alone implies only
    the cube's negation. If the formula is refuted while it is read, the solver writes nothing.
    """
    negation = " ".join(map(str, [*(-x for x in cube), 0]))
    for line in lines:
        if line != "0":
            yield line
    yield negation


@dataclass(frozen=True)
class LoadedFormula:
    """A formula, and the decoder of its models."""

    builder: CnfBuilder
    decode: Decoder
    _solvers: dict[tuple[str, bool], CubeSolver] = field(default_factory=dict)
    _reading: Lock = field(default_factory=Lock)

    @cached_property
    def identity(self) -> str:
        """A hash of all clauses in their order, which differs for another encoder.

        The lemmas that refute one cube may keep a plan in another cube. So only cubes of the same
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
                clauses = self.builder.some_clauses()
                self._solvers[kind] = CubeSolver(clauses, backend, with_proof=with_proof)
            return self._solvers[kind]


@dataclass(frozen=True)
class FormulaRecipe:
    """The recipe of a formula: the canonical text of its problem, a horizon, names."""

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
                names = Options(encoding=self.encoding, lemmas=self.lemmas)
                job = Job(read_problem(self.text), names)
                builder = CnfBuilder()
                encoder = job.encoding.prepare(job.problem, job.lemmas)
                _loaded[self] = LoadedFormula(builder, encoder.encode(builder, self.horizon))
            return _loaded[self]

    @contextmanager
    def held(self, formula: LoadedFormula) -> Iterator[None]:
        """Make this process use a formula that it has already encoded, while the context lasts."""
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
class CubeAnswer(UnitAnswer):
    """The outcome of a cube: a plan, or None if it is refuted, and the conflicts."""

    conflicts: Whole
    plan: Plan | None


@dataclass(frozen=True)
class CubeUnit:
    """One cube of a formula; all cubes of one formula have its `identity`.

    The proof that it is refuted goes to the file `proof`, if that is given.
    """

    formula: FormulaRecipe
    identity: str
    backend: str
    cube: Cube
    proof: Path | None = None

    @property
    def key(self) -> str:
        return sha256(f"cube {_VERSION} {self!r}".encode()).hexdigest()

    def run(self) -> CubeAnswer:
        begin = time.perf_counter()
        loaded = self.formula.loaded()
        if loaded.identity != self.identity:
            raise InternalError("a worker has another formula: compare the plansolve versions")
        solver = loaded.solver(self.backend, with_proof=self.proof is not None)
        found = solver.solve(self.cube, self.proof)
        seconds = time.perf_counter() - begin
        if found is None:
            return CubeAnswer(0, None, is_done=False, seconds=seconds)
        plan = None if found.model is None else loaded.decode(set(found.model))
        return CubeAnswer(found.conflicts, plan, seconds=seconds)

    def answer(self, document: dict[str, Any], seconds: float) -> CubeAnswer:
        """Return the answer in a document; raise `ValueError` if no solver gives it."""
        found = CubeAnswer.of(document, seconds)
        problem = read_problem(self.formula.text)
        if found.plan is not None and not check_plan(problem, found.plan).solves:
            raise ValueError("its plan does not reach the goal")
        return found


def solve_with_team(
    job: Job,
    encoder: Encoder,
    horizon: int,
    helpers: AbstractContextManager[Team],
    *,
    is_long: bool,
) -> Attempt:
    """Encode, and let a team solve one cube after the other; the first plan ends the work.

    The cubes are the combinations of the decoder's choices, or those of the first choice alone
    unless it `is_long`: each costs some hundredths of a second whatever is in it.

    If the job requests proofs, the team must be in this process. Raise `CutShort` if a cube could
    not be done, `MemoryError` and `EngineError` as `CubeSolver` does.
    """
    builder = CnfBuilder()

    def solve(decode: Decoder) -> Found:
        formula, recipe = LoadedFormula(builder, decode), FormulaRecipe.of(job, horizon)
        choices = decode.choices()[: None if is_long else 1]
        cubes = [*product(*choices)]
        identity, backend = formula.identity, job.backend.name
        with ExitStack() as stack:
            parts: list[Path | None] = [None] * len(cubes)
            if job.proofs is not None:
                # The remains of an ended worker go with its folder.
                place = TemporaryDirectory(prefix="cubes-", dir=job.proofs)
                folder = Path(stack.enter_context(place))
                parts = [folder / str(number) for number in range(len(cubes))]
            units = [
                CubeUnit(recipe, identity, backend, cube, part)
                for cube, part in zip(cubes, parts, strict=True)
            ]
            with recipe.held(formula), helpers as team:
                plan, conflicts = _solved(units, horizon, team)
            if job.proofs is not None and plan is None:
                # With numba, which a solver does without.
                from plansolve.solvers.formula.refutation import keep_refutation

                proof = chain(_lines(parts), _closing(choices))
                keep_refutation(job.proofs, str(horizon), builder, proof)
        return Found(plan, conflicts, len(cubes))

    return attempted("cnf", encoder, horizon, builder, solve)


def _solved(units: list[CubeUnit], horizon: int, team: Team) -> tuple[Plan | None, int]:
    """Return the first plan, or None if each cube is refuted, and the conflicts of all."""
    plan, answers, conflicts = None, 0, 0
    for answered in team.run(units, horizon):
        if answered is not None:
            answers, conflicts = answers + 1, conflicts + answered.answer.conflicts
            if answered.answer.plan is not None:
                plan = answered.answer.plan
                team.drop()
    if plan is None and answers < len(units):
        raise InternalError("some cubes of a formula are without an answer")
    return plan, conflicts


def _lines(parts: Iterable[Path | None]) -> Iterator[str]:
    for path in filter(None, parts):
        with gzip.open(path, "rt") as part:
            yield from part


def _closing(choices: list[list[int]]) -> Iterator[str]:
    """Return the clauses that follow from the cubes' negations: those of ever shorter cubes."""
    for depth in reversed(range(len(choices))):
        for cube in product(*choices[:depth]):
            yield " ".join(map(str, [*(-x for x in cube), 0]))
