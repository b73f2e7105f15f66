"""The raising loop: one horizon after the other, from a proved bound until there is a plan."""

from collections.abc import Iterator

from plansolve.model.problem import Problem
from plansolve.model.structure import raised_to_parity
from plansolve.solvers.formula.attempt import HorizonSolver, Job
from plansolve.solvers.protocol import Budget, Incumbent, Report

__all__ = ["cnf", "cp_sat"]


def cnf(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """The engine `cnf`: clauses for a SAT solver."""
    return _raise_horizon(Job.of(problem, "cnf", budget.options), incumbent, budget)


def cp_sat(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """The engine `cp-sat`: the same as a CP-SAT model."""
    return _raise_horizon(Job.of(problem, "cp-sat", budget.options), incumbent, budget)


def _raise_horizon(job: Job, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Attempt horizons from the proved lower bound on; the first plan is a shortest one.

    No horizon that a plan can have is left out. One that another search has refuted meanwhile is.
    """
    parity = job.problem.structure.plan_parity(job.problem.start)
    step = 1 if parity is None else 2
    horizon = raised_to_parity(incumbent.lower_bound, parity)
    yield Report(job.engine, lower_bound=horizon, trying=horizon, options=job.options)
    solver = HorizonSolver(job, budget.threads, budget.memory)
    conflicts = 0
    while not incumbent.is_closed:
        attempt = solver.attempt(horizon)
        conflicts += attempt.record.conflicts or 0
        if attempt.refuted:
            horizon += step
            incumbent.raise_lower_bound(horizon)
        yield Report(
            job.engine,
            plan=attempt.plan,
            lower_bound=horizon,
            counts={"conflicts": conflicts},
            record=attempt.record,
            trying=horizon if attempt.refuted else 0,
        )
        if not attempt.refuted:
            return
        horizon = raised_to_parity(incumbent.lower_bound, parity)
