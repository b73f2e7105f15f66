"""The engine `cnf`: clauses for a SAT solver of PySAT; and all shortest plans by it.

To list these, a blocking clause excludes each model's plan until there is no other: a count that is
independent of the searches that count plans.
"""

from collections.abc import Iterator
from pathlib import Path

from pysat.solvers import Solver, SolverNames

from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.encoding import Encoder
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.errors import EngineError, OptionError
from plansolve.model.problem import Problem, lightest_plan
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.attempt import Attempt, Found, Job, attempted
from plansolve.solvers.protocol import Budget, Incumbent, Report


def solve_with_pysat(encoder: Encoder, horizon: int, backend: str, proofs: Path | None) -> Attempt:
    """Encode and solve; raise `EngineError` if this PySAT lacks the back end."""
    if not hasattr(SolverNames, backend):
        raise EngineError(f"the installed python-sat has no back end {backend}: upgrade it")
    builder = CnfBuilder()

    def solve(decode: Decoder) -> Found:
        # Lingeling has no such option, and glucose writes its proof to a file.
        proof = {"with_proof": True} if proofs else {}
        with Solver(name=backend, bootstrap_with=builder.some_clauses(), **proof) as solver:
            has_model, conflicts = answer(solver, backend), _conflicts(solver)
            if has_model:
                return Found(decode({x for x in solver.get_model() if x > 0}), conflicts)
            if proofs:
                # This loads numba, which a solver does not need.
                from plansolve.solvers.formula.refutation import keep_refutation

                keep_refutation(proofs, str(horizon), builder, proof_of(solver, backend))
        return Found(None, conflicts)

    return attempted("cnf", encoder, horizon, builder, solve)


def answer(solver: Solver, backend: str) -> bool:
    """Return True if the formula has a model; raise `EngineError` if the solver does not say."""
    satisfiable = solver.solve()
    if not isinstance(satisfiable, bool):
        raise EngineError(f"{backend} gave no answer")
    return satisfiable


def proof_of(solver: Solver, backend: str) -> list[str]:
    """Return the lines of the proof; raise `EngineError` if a full disk has cut it off."""
    lines: list[str] = solver.get_proof()
    # A formula that is refuted while it is read needs no proof. CaDiCaL deletes clauses at the end.
    if lines and "0" not in lines:
        raise EngineError(f"{backend} wrote an incomplete proof: is the disk full?")
    return lines


def _conflicts(solver: Solver) -> int | None:
    try:
        return int(solver.accum_stats()["conflicts"])
    except NotImplementedError:
        return None


def every_plan(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield the plans of the proved optimal length that differ in the effects of their moves."""
    length = incumbent.upper_bound
    job = Job(problem, budget.options)
    backend = job.backend
    if not backend.incremental:
        raise OptionError(f"{backend.name} gives only one answer: choose another back end")
    kept = {name for name in job.lemmas if LEMMAS[name].keeps != "one plan"}
    builder = CnfBuilder()
    decode = job.encoding.prepare(problem, kept).encode(builder, length)
    found = set[Plan]()
    with Solver(name=backend.name, bootstrap_with=builder.some_clauses()) as solver:
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
