"""The engine `cp-sat`: OR-Tools gets cardinalities and counters as linear constraints."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ortools.sat.python import cp_model

from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.encoding import Encoder
from plansolve.errors import EngineError
from plansolve.solvers.formula.attempt import Attempt, Found, attempted


class CpSatBuilder(Builder):
    """Fills `model`; variable v is `variable[v]`."""

    is_costly = True

    def __init__(self) -> None:
        super().__init__()
        self.model = cp_model.CpModel()
        self.variable: list[cp_model.IntVar] = [self.model.new_constant(1)]

    @property
    def constraints(self) -> int:
        return len(self.model.proto.constraints)

    def new(self, *meaning: int | str) -> int:
        self.variables += 1
        self.variable.append(self.model.new_bool_var(""))
        return self.variables

    def literal(self, number: int) -> cp_model.LiteralT:
        """Return the model's literal for a DIMACS literal."""
        if number == TRUE:
            return self.variable[0]
        if number == FALSE:
            return ~self.variable[0]
        return self.variable[number] if number > 0 else ~self.variable[-number]

    def clause(self, *literals: int) -> None:
        if TRUE not in literals:
            kept = [self.literal(x) for x in literals if x != FALSE]
            self.is_contradiction |= not kept
            self.model.add_bool_or(kept)

    def at_most_one(self, literals: Iterable[int]) -> None:
        self.model.add_at_most_one(self.literal(x) for x in literals if x != FALSE)

    def exactly_one(self, literals: Iterable[int]) -> None:
        self.model.add_exactly_one(self.literal(x) for x in literals if x != FALSE)

    def true_variables(self, solver: cp_model.CpSolver) -> set[int]:
        """Return the numbers of the variables that are true in the solution of `solver`."""
        return {
            number
            for number, variable in enumerate(self.variable)
            if number and solver.boolean_value(variable)
        }

    def prefix_counter(self, events: Sequence[int], total: int) -> "LinearCounter":
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
    builder, solver = CpSatBuilder(), cp_model.CpSolver()
    # Measured: these models are purely Boolean and deep, so relaxations, probing and the search
    # for symmetries only cost time.
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.cp_model_probing_level = 0

    def solve(decode: Decoder) -> Found:
        status = solver.solve(builder.model)
        if status == cp_model.INFEASIBLE:
            return Found(None, solver.num_conflicts)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            raise EngineError(f"{backend} ended with status {solver.status_name(status)}")
        return Found(decode(builder.true_variables(solver)), solver.num_conflicts)

    return attempted("cp-sat", encoder, horizon, builder, solve)
