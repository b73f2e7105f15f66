"""The engine `cp-sat`: cardinalities and counters go to OR-Tools as they are, and its solver."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from ortools.sat.python import cp_model

from plansolve.encoders.builder import FALSE, TRUE, Builder
from plansolve.encoders.encoding import Encoder
from plansolve.errors import EngineError
from plansolve.solvers.formula.attempt import Attempt


class CpSatBuilder(Builder):
    """Fills `model`; variable v is `variable[v]`."""

    is_costly = True

    def __init__(self) -> None:
        super().__init__()
        self.model = cp_model.CpModel()
        self.variable: list[cp_model.IntVar] = [self.model.new_constant(1)]

    def new(self, *meaning: int | str) -> int:
        """Return a fresh Boolean variable."""
        self.variables += 1
        self.variable.append(self.model.new_bool_var(""))
        return self.variables

    def literal(self, number: int) -> cp_model.LiteralT:
        """Return the model's literal for a DIMACS one."""
        if number == TRUE:
            return self.variable[0]
        if number == FALSE:
            return ~self.variable[0]
        return self.variable[number] if number > 0 else ~self.variable[-number]

    def clause(self, *literals: int) -> None:
        """Say that at least one of the literals holds."""
        if TRUE not in literals:
            kept = [self.literal(x) for x in literals if x != FALSE]
            self.is_contradiction |= not kept
            self.model.add_bool_or(kept)

    def at_most_one(self, literals: Iterable[int]) -> None:
        """Say that no two of the literals hold."""
        self.model.add_at_most_one(self.literal(x) for x in literals if x != FALSE)

    def exactly_one(self, literals: Iterable[int]) -> None:
        """Say that one of the literals holds, and no other."""
        self.model.add_exactly_one(self.literal(x) for x in literals if x != FALSE)

    def true_variables(self, solver: cp_model.CpSolver) -> set[int]:
        """Return the numbers of the variables that are true in the solution of `solver`."""
        return {
            number
            for number, variable in enumerate(self.variable)
            if number and solver.boolean_value(variable)
        }

    def prefix_counter(self, events: Sequence[int], total: int) -> "LinearCounter":
        """Return a linear equation."""
        return LinearCounter(self, events, total)


class LinearCounter:
    """The counter as linear constraints over the events themselves."""

    def __init__(self, builder: CpSatBuilder, events: Sequence[int], total: int) -> None:
        self._builder = builder
        self._total = total
        self._events = [builder.literal(event) for event in events]
        builder.model.add(cp_model.LinearExpr.sum(self._events) == total)

    def limit(self, prefix: int, literals: Sequence[int]) -> None:
        """Say that of the first `prefix` events and `literals` together at most the total hold."""
        extra = [self._builder.literal(x) for x in literals if x != FALSE]
        if extra:
            self._builder.model.add(
                cp_model.LinearExpr.sum(self._events[:prefix] + extra) <= self._total
            )


def solve_with_cpsat(encoder: Encoder, horizon: int, backend: str, proofs: Path | None) -> Attempt:
    """Build the model and solve it on one core; it has no proofs."""
    assert proofs is None
    begin = time.perf_counter()
    builder = CpSatBuilder()
    decode = encoder.encode(builder, horizon)
    encoded = time.perf_counter()
    plan, conflicts = None, 0
    if not builder.is_refuted_by_search:
        model, conflicts = _solve_whole(builder, backend)
        plan = None if model is None else decode(model)
    times, constraints = (begin, encoded, time.perf_counter()), len(builder.model.proto.constraints)
    return Attempt.of("cp-sat", horizon, builder, constraints, plan, conflicts, times)


def _solve_whole(builder: CpSatBuilder, backend: str) -> tuple[set[int] | None, int]:
    """Return the true variables of a model or None, and the number of conflicts."""
    solver = cp_model.CpSolver()
    # Measured: these models are purely Boolean and deep, so relaxations, probing and the search
    # for symmetries only cost time.
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.cp_model_probing_level = 0
    status = solver.solve(builder.model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE):
        raise EngineError(f"{backend} ended with status {solver.status_name(status)}")
    is_refuted = status == cp_model.INFEASIBLE
    return None if is_refuted else builder.true_variables(solver), solver.num_conflicts
