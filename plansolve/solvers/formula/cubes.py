"""A solver that reads a formula once, and forks of it that solve the formula under a cube each.

A cube is a conjunction of literals that is assumed (Heule, Kullmann, Wieringa, Biere 2011). Each
fork begins with the same state, so that its answer and its conflicts depend on nothing but formula
and cube. What it learns follows from the formula alone, and so does the negation of a cube that it
has refuted. So the proofs of all cubes, one after the other, are one ordinary DRUP proof of the
formula, once it ends with what follows from the cubes' negations.
"""

import ctypes
import os
import pickle
import select
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeAlias

from pysat.solvers import Solver

from plansolve.errors import EngineError
from plansolve.solvers.limits import cause_of_death, is_unwanted
from plansolve.storage.files import FAST, write_lines

_PR_SET_PDEATHSIG = 1

Cube: TypeAlias = tuple[int, ...]

_POLL_SECONDS = 0.1
_CONFLICTS_A_SLICE = 1000
"""A solver cannot be interrupted, and holds the interpreter's lock: it is asked for so much."""


@dataclass(frozen=True)
class CubeResult:
    """The true variables of a model, or None where the cube is refuted; and the conflicts."""

    model: list[int] | None
    conflicts: int


class CubeSolver:
    """A solver that has read a formula; it may be asked from several threads.

    The back end has to take assumptions. It keeps proofs with `with_proof`.
    """

    def __init__(self, clauses: list[list[int]], backend: str, *, with_proof: bool = False) -> None:
        self._clauses, self._backend, self._with_proof = clauses, backend, with_proof
        self._solver = self._read()

    def solve(self, cube: Cube, proof: Path | None = None) -> CubeResult | None:
        """Look for a model under the cube; return None where nobody wants it any more.

        The proof that there is none goes to the file `proof`, compressed. Raise `EngineError` where
        the solver fails, `MemoryError` where it asks for too much, and `CutShort` where it dies.
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
        # Some back ends do not know the option.
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
        """Return what the solver has come to, and write the proof."""
        if not isinstance(satisfiable, bool):
            raise EngineError(f"{self._backend} gave no answer")
        model = [x for x in solver.get_model() if x > 0] if satisfiable else None
        if model is None and proof is not None:
            has_fallen = not solver.get_core()
            lines = solver.get_proof()
            # A formula that falls while it is read is not written about.
            if lines.count("0") not in (1, 1 - has_fallen):
                raise EngineError(f"{self._backend} has written a proof that breaks off")
            write_lines(proof, _without_assumptions(lines, cube), FAST)
        return CubeResult(model, int(solver.accum_stats()["conflicts"]))

    def _fork(self, cube: Cube, proof: Path | None) -> tuple[int, BinaryIO]:
        """Start a fork that solves; return its number, and where its answer comes from."""
        answers, write = os.pipe()
        parent = os.getpid()
        try:
            with warnings.catch_warnings():
                # Python warns of other threads that may hold a lock: the fork takes none of theirs.
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
        """Do what the fork has to do, to its end."""
        try:
            _end_with(parent)
            trace = None if proof is None else self._trace()
            # Whoever waits for the end of the parent's pipes must not wait for this process.
            kept = sorted({2, write} | (set() if trace is None else {trace}))
            for low, high in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
                os.closerange(low + 1, high)
            answer: object
            try:
                if trace is not None:
                    self._write_to_own_file(trace)
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

    def _trace(self) -> int:
        """Return the descriptor of the file to which the solver writes its proof."""
        return int(self._solver.solver.prfile.fileno())

    @staticmethod
    def _write_to_own_file(trace: int) -> None:
        """Have a fork's solver write to another file than those of other forks.

        The solver begins to write when it has read the formula, so that nothing is lost.
        """
        with tempfile.TemporaryFile() as own:
            os.dup2(own.fileno(), trace)


def _end_with(parent: int) -> None:
    """Have Linux end this fork with the thread that waits for it; end it where that has ended."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _without_assumptions(lines: Iterable[str], cube: Cube) -> Iterator[str]:
    """Return the proof that a cube is refuted, from what the solver has written.

    It writes the empty clause where the refutation ends: what follows from the formula alone is the
    cube's negation. Where the formula itself falls while it is read it writes nothing.
    """
    negation = " ".join(map(str, [*(-x for x in cube), 0]))
    for line in lines:
        if line != "0":
            yield line
    yield negation
