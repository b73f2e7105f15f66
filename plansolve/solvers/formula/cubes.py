"""One formula on several cores: split into cubes, each refuted by a process of its own.

A cube is an assumption (Heule, Kullmann, Wieringa, Biere 2011): the literals that a decoder names
as `branches`, of which each model satisfies one. Forks of this process take them one by one. A
solver learns what follows from the formula alone, also while it assumes a cube, and the negation
of a cube that it has refuted follows too. So the proofs of all processes, one after the other, are
one ordinary DRUP proof of the formula, whose end, the empty clause, shows that the cubes cover it.
"""

import os
import pickle
import secrets
import selectors
import signal
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from pysat.solvers import Solver

from plansolve.errors import EngineError
from plansolve.solvers.formula.proof_files import write_lines
from plansolve.solvers.limits import cause_of_death
from plansolve.solvers.processes.orphans import end_with
from plansolve.solvers.result import StopReason

__all__ = ["CubesAnswer", "can_split", "solve_cubes"]

_LEAST_CUBES = 2
_MOST_CUBES = 255  # they are numbered by bytes


@dataclass(frozen=True)
class CubesAnswer:
    """The true variables of a model, or None; and the conflicts of all processes.

    `proofs` are the files with the parts of the proof, compressed, where one was asked for.
    """

    model: Collection[int] | None
    conflicts: int
    proofs: tuple[Path, ...]


def can_split(branches: Sequence[int]) -> bool:
    """Return whether forks can share these cubes; elsewhere than on Linux they might outlive us."""
    return sys.platform == "linux" and _LEAST_CUBES <= len(branches) <= _MOST_CUBES


def solve_cubes(
    clauses: list[list[int]],
    cubes: Sequence[int],
    backend: str,
    processes: int,
    proofs: Path | None = None,
) -> CubesAnswer | None:
    """Solve the formula under one cube after the other, by so many processes side by side.

    The back end has to take assumptions. With `proofs`, a folder, each process leaves its part of
    the proof there. None where the system lets no process start. Raises `EngineError` where one
    fails, `MemoryError` where one needs too much, and `CutShort` where one dies.
    """
    todo, fill = os.pipe()
    os.write(fill, bytes(range(len(cubes))))
    os.close(fill)
    running: dict[BinaryIO, int] = {}
    parts: list[Path] = []
    # The folder may hold files of others.
    ours = f"cubes-{secrets.token_hex(8)}"
    found = None
    try:
        for i in range(min(processes, len(cubes))):
            part = None if proofs is None else proofs / f"{ours}.{i}"
            try:
                answers, pid = _fork(_CubeWork(clauses, cubes, backend, part), todo)
            except OSError:
                # There are too many processes: those that are there take all cubes.
                break
            running[answers] = pid
            parts += [] if part is None else [part]
        if running:
            found = _gather(running, tuple(parts))
        return found
    finally:
        os.close(todo)
        for answers, pid in running.items():
            answers.close()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        if proofs is not None and (found is None or found.model is not None):
            # Those too that a killed process had begun.
            for part in proofs.glob(f"{ours}.*"):
                part.unlink()


def _gather(running: dict[BinaryIO, int], parts: tuple[Path, ...]) -> CubesAnswer:
    """Wait for all processes, or for one that has found a model."""
    conflicts = 0
    with selectors.DefaultSelector() as selector:
        for answers in running:
            selector.register(answers, selectors.EVENT_READ, answers)
        while selector.get_map():
            for key, _ in selector.select():
                selector.unregister(key.fileobj)
                try:
                    # It was written by a fork of this process.
                    answer = pickle.load(key.data)
                except (EOFError, pickle.UnpicklingError):
                    pid = running.pop(key.data)
                    key.data.close()
                    raise _cause_of_death(pid) from None
                if isinstance(answer, BaseException):
                    raise answer
                model, more = answer
                conflicts += more
                if model is not None:
                    return CubesAnswer(model, conflicts, ())
    return CubesAnswer(None, conflicts, parts)


def _cause_of_death(pid: int) -> Exception:
    """Return why a process has ended without an answer."""
    _, status = os.waitpid(pid, 0)
    cut = cause_of_death(os.waitstatus_to_exitcode(status))
    return MemoryError(cut.detail) if cut.reason == StopReason.MEMORY else cut


@dataclass(frozen=True)
class _CubeWork:
    """What each process is to do, and where its part of the proof goes."""

    clauses: list[list[int]]
    cubes: Sequence[int]
    backend: str
    proof: Path | None

    def run(self, todo: int) -> tuple[list[int] | None, int]:
        """Take cubes until none is left; return the variables of a model or None, and conflicts."""
        proof = {} if self.proof is None else {"with_proof": True}
        refuted: list[int] = []
        ends = 0
        has_fallen = False
        with Solver(name=self.backend, bootstrap_with=self.clauses, **proof) as solver:
            while number := os.read(todo, 1):
                cube = self.cubes[number[0]]
                satisfiable = solver.solve(assumptions=[cube])
                if not isinstance(satisfiable, bool):
                    raise EngineError(f"{self.backend} gave no answer")
                if satisfiable:
                    model = [x for x in solver.get_model() if x > 0]
                    return model, int(solver.accum_stats()["conflicts"])
                refuted.append(cube)
                ends += not has_fallen
                has_fallen |= not solver.get_core()
            if self.proof is not None:
                lines = solver.get_proof()
                # One that falls while it is read is not written about.
                if lines.count("0") not in (ends, ends - has_fallen):
                    raise EngineError(f"{self.backend} has written a proof that breaks off")
                write_lines(self.proof, _without_assumptions(lines, refuted))
            return None, int(solver.accum_stats()["conflicts"])


def _without_assumptions(lines: Iterable[str], refuted: Sequence[int]) -> Iterator[str]:
    """Return the proof that the cubes are refuted, from what the solver has written.

    It writes the empty clause where a cube's refutation ends: what follows from the formula alone
    is the cube's negation. Once the formula itself is refuted it writes nothing more.
    """
    negations = [f"{-cube} 0" for cube in refuted]
    for line in lines:
        yield negations.pop(0) if line == "0" and negations else line
    yield from negations


def _fork(work: _CubeWork, todo: int) -> tuple[BinaryIO, int]:
    """Start a process that does the work; return where its answer comes from, and its number."""
    answer, write = os.pipe()
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            # Python warns of other threads that may hold a lock: the fork takes none of theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    except OSError:
        os.close(answer)
        os.close(write)
        raise
    if pid == 0:
        _serve(work, todo, write, parent)
    os.close(write)
    return os.fdopen(answer, "rb"), pid


def _serve(work: _CubeWork, todo: int, write: int, parent: int) -> NoReturn:
    """Do what the forked process has to do, from the fork to its end."""
    try:
        end_with(parent)
        # Whoever waits for the end of the parent's pipes must not wait for this process.
        kept = sorted((2, todo, write))
        for low, high in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
            os.closerange(low + 1, high)
        answer: object
        try:
            answer = work.run(todo)
        except MemoryError as error:
            answer = MemoryError(str(error))
        except Exception as error:
            answer = EngineError(f"{work.backend}: {type(error).__name__}: {error}")
        with os.fdopen(write, "wb") as stream:
            pickle.dump(answer, stream)
    finally:
        os._exit(0)
