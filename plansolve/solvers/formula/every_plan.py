"""All shortest plans by SAT: a blocking clause excludes each model's plan, until there is no other.

A count of its own, independent of the searches that count plans.
"""

from collections.abc import Iterator

from pysat.solvers import Solver

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.registry import keeps_shortest_plans
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.cnf_engine import answer
from plansolve.solvers.lightest_plan import lightest_plan
from plansolve.solvers.protocol import Budget, Incumbent, Report

# Not every back end takes a formula without clauses.
_NO_CLAUSES = [[1, -1]]


def every_plan(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield the plans of the proved optimal length, told apart by what their moves do to cells."""
    length = incumbent.upper_bound
    job = Job.of(problem, "cnf", budget.options)
    backend = job.backend
    if not backend.incremental:
        raise OptionError(f"{backend.name} cannot go on after an answer: choose another back end")
    kept = frozenset(filter(keeps_shortest_plans, job.lemmas))
    builder = CnfBuilder()
    decode = job.encoding.prepare(problem, kept).encode(builder, length)
    found = set[Plan]()
    with Solver(name=backend.name, bootstrap_with=builder.clauses or _NO_CLAUSES) as solver:
        while answer(solver, backend.name):
            named = decode({x for x in solver.get_model() if x > 0})
            before = len(builder.clauses)
            builder.clause(*decode.blocking_clause(named))
            solver.append_formula(builder.clauses[before:])
            plan = lightest_plan(problem, named)
            if plan not in found:
                found.add(plan)
                yield Report(
                    job.engine, plan=plan, lower_bound=length, counts={"plans": len(found)}
                )
    yield Report(job.engine, lower_bound=length, counts={"plans": len(found)}, is_complete=True)
