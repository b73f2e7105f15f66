"""The raising loop: one horizon after the other, from a proved bound until there is a plan."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pkgutil import resolve_name

from plansolve.encoders.lemmas.perimeter import DEEP_MEMORY, DEEP_PERIMETER
from plansolve.model.problem import Problem
from plansolve.model.structure import raised_to_parity
from plansolve.solvers.formula.attempt import Attempt, Job, SolveFormula
from plansolve.solvers.formula.cubes import solve_with_team
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.units.executors import thread_executor
from plansolve.solvers.units.team import Team, open_team

_SOLVERS = {
    "cnf": "plansolve.solvers.formula.cnf:solve_with_pysat",
    "cp-sat": "plansolve.solvers.formula.cp_sat:solve_with_cpsat",
}
"""The engines, each with its `attempt.SolveFormula`."""
BREADTH_FIRST = "breadth-first search"
"""The technique that the lemma `perimeter` uses instead of the solver."""
_LONG = 25
"""A formula with so many times the conflicts of one that is split at all is split into many
cubes.
"""


def cnf(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Run the engine `cnf`: clauses for a SAT solver."""
    with open_team(budget, problem, "cnf") as team:
        yield from _raise_horizon(Job(problem, budget.options), incumbent, budget, team)


def cp_sat(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Run the engine `cp-sat`: the same as a CP-SAT model."""
    return _raise_horizon(Job(problem, budget.options, "cp-sat"), incumbent, budget)


def _raise_horizon(
    job: Job, incumbent: Incumbent, budget: Budget, team: Team | None = None
) -> Iterator[Report]:
    """Attempt horizons from the proved lower bound on; the first plan is a shortest one.

    Horizons are skipped only if no plan can have that length, or another search has refuted it.
    """
    parity = job.problem.structure.plan_parity(job.problem.start)
    step = 1 if parity is None else 2
    horizon = raised_to_parity(incumbent.lower_bound, parity)
    yield Report(job.engine, lower_bound=horizon, trying=horizon, options=job.options)
    solver = HorizonSolver(job, budget.threads, budget.memory, team=team)
    conflicts = 0
    while not incumbent.is_closed:
        attempt = solver.attempt(horizon)
        conflicts += attempt.record.conflicts or 0
        if attempt.refuted:
            horizon += step
            incumbent.raise_lower_bound(horizon)
        yield Report(
            BREADTH_FIRST if attempt.record.by_search else job.engine,
            plan=attempt.plan,
            lower_bound=horizon,
            counts={"conflicts": conflicts} | ({} if team is None else team.counts()),
            record=attempt.record,
            trying=horizon if attempt.refuted else 0,
        )
        if not attempt.refuted:
            return
        horizon = raised_to_parity(incumbent.lower_bound, parity)


class HorizonSolver:
    """Attempts horizons of one job, each with a new solver.

    Once a horizon has taken `many_conflicts` (fewer are done before other workers have read the
    formula), the next ones are split into cubes for a `team`, or else for `threads` threads with a
    fork each, if `memory` (bytes) is enough. Without enough of it there are no deep searches
    either.
    """

    def __init__(
        self,
        job: Job,
        threads: int = 1,
        memory: int | None = None,
        *,
        many_conflicts: int = 2_000,
        team: Team | None = None,
    ) -> None:
        self._job = job
        # The parts of a proof are files of this machine.
        self._team = team if job.backend.cubes and job.proofs is None else None
        self._backend, self._proofs = job.backend.name, job.proofs
        lemmas = job.lemmas
        if memory is not None and memory < DEEP_MEMORY:
            lemmas -= {DEEP_PERIMETER.name}
        self._encoder = job.encoding.prepare(job.problem, lemmas)
        # Imported when asked for: OR-Tools alone takes half a second.
        self._solve: SolveFormula = resolve_name(_SOLVERS[job.engine])
        self._threads, self._memory = threads, memory
        self._many_conflicts = many_conflicts
        self._conflicts = 0

    def attempt(self, horizon: int) -> Attempt:
        """Look for a plan of exactly `horizon` moves (without detours that a lemma excludes)."""
        # Longer horizons are harder, except for lemmas that begin at some length.
        helpers = self._helpers() if self._conflicts >= self._many_conflicts else None
        if helpers is None:
            attempt = self._solve(self._encoder, horizon, self._backend, self._proofs)
        else:
            is_long = self._conflicts >= self._many_conflicts * _LONG
            attempt = solve_with_team(self._job, self._encoder, horizon, helpers, is_long=is_long)
        self._conflicts = max(self._conflicts, attempt.record.conflicts or 0)
        return attempt

    def _helpers(self) -> AbstractContextManager[Team] | None:
        """Return the team for the cubes of a hard formula; None to solve the formula whole."""
        if not self._job.backend.cubes:
            return None
        if self._team is not None:
            return nullcontext(self._team)
        # Without forks, threads would wait for each other.
        width = self._threads if sys.platform == "linux" else 1
        if width > 1 and self._memory is not None:
            import psutil

            # Each fork needs as much memory as this process now; a finished search needed more.
            needed = int(psutil.Process().memory_full_info().uss)
            width = min(width, self._memory // max(1, needed) - 1)
        return _forks(width) if width > 1 else None


@contextmanager
def _forks(width: int) -> Iterator[Team]:
    """Yield a team that solves so many cubes at a time, each in a fork of this process."""
    with thread_executor(width) as executor:
        yield Team(executor)
