"""One attempt: encode a problem for one horizon, solve the formula, decode the plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plansolve.encoders.registry import Encoder, Encoding, choose_encoding, choose_lemmas
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.backends import Backend, choose_backend

__all__ = ["Attempt", "HorizonSolver", "Job", "Solution"]

# Fewer are over before other processes have read the formula.
_MANY_CONFLICTS = 2_000


@dataclass(frozen=True)
class Job:
    """What to solve and how; `encoding` and `lemmas` as for `choose_encoding` and `choose_lemmas`.

    `proofs` is a folder that receives each refuted formula and its proof, see `proof_files`.
    Raises `OptionError` where the choices do not exist or do not go together.
    """

    problem: Problem
    engine: str = "cnf"
    backend: str | None = None
    encoding: str | None = None
    lemmas: tuple[str, ...] | None = None
    proofs: str | None = None

    def __post_init__(self) -> None:
        self.resolve()

    def resolve(self) -> tuple[Backend, Encoding, frozenset[str]]:
        """The back end, the encoding and the lemmas that are meant."""
        encoding = choose_encoding(self.problem.structure, self.encoding)
        cells = self.problem.puzzle.cells
        lemmas = choose_lemmas(encoding, self.lemmas, self.engine, cells=cells)
        backend = choose_backend(self.engine, self.backend)
        if self.proofs is not None and not backend.proof:
            raise OptionError(f"{backend.name} writes no proofs: choose another back end")
        return backend, encoding, lemmas


@dataclass(frozen=True)
class Solution:
    """A back end's answer to one formula: the plan, or None where there is no model.

    `conflicts` is None where the back end does not count them. `cubes` is how many parts the
    formula was split into.
    """

    plan: Plan | None
    variables: int
    constraints: int
    conflicts: int | None
    cubes: int
    encode_seconds: float
    solve_seconds: float


@dataclass(frozen=True)
class Attempt:
    """What came out of one horizon."""

    horizon: int
    solution: Solution

    @property
    def refuted(self) -> bool:
        """Whether there is no plan of this length."""
        return self.solution.plan is None

    def statistics(self) -> Mapping[str, int | float | bool | None]:
        """The figures, ready for JSON."""
        solution = self.solution
        return {
            "horizon": self.horizon,
            "refuted": self.refuted,
            "variables": solution.variables,
            "constraints": solution.constraints,
            "conflicts": solution.conflicts,
            "cubes": solution.cubes,
            "encode_seconds": round(solution.encode_seconds, 4),
            "solve_seconds": round(solution.solve_seconds, 4),
        }


class SolveFormula(Protocol):
    """Encodes for a horizon and solves with the named back end."""

    def __call__(
        self, encoder: Encoder, horizon: int, backend: str, threads: int, proofs: Path | None
    ) -> Solution:
        """The back end's answer; the proof of a refutation goes to the folder `proofs`."""


class HorizonSolver:
    """Attempts horizons of one job, a fresh solver for each.

    A hard one is split between `threads` processes, if `memory` (bytes) is enough for them.
    """

    def __init__(self, job: Job, threads: int = 1, memory: int | None = None) -> None:
        self._backend, encoding, lemmas = job.resolve()
        self._encoder = encoding.prepare(job.problem, lemmas)
        self._solve = _engine(self._backend.engine)
        self._proofs = None if job.proofs is None else Path(job.proofs)
        self._threads, self._memory = threads, memory
        self._conflicts = 0

    def attempt(self, horizon: int) -> Attempt:
        """Looks for a plan of exactly `horizon` moves (without detours that a lemma excludes)."""
        # The longer, the harder, but for lemmas that begin with some length.
        threads = self._processes() if self._conflicts >= _MANY_CONFLICTS else 1
        solution = self._solve(self._encoder, horizon, self._backend.name, threads, self._proofs)
        self._conflicts = max(self._conflicts, solution.conflicts or 0)
        return Attempt(horizon, solution)

    def _processes(self) -> int:
        """How many may work side by side: each needs as much as this one has needed so far."""
        if self._memory is None:
            return self._threads
        import resource

        needed = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        return max(1, min(self._threads, self._memory // max(1, needed) - 1))


def _engine(name: str) -> SolveFormula:
    # Imported when asked for: OR-Tools alone takes half a second.
    if name == "cp-sat":
        from plansolve.solvers.formula.cpsat_engine import solve_with_cpsat

        return solve_with_cpsat
    from plansolve.solvers.formula.cnf_engine import solve_with_pysat

    return solve_with_pysat
