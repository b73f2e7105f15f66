"""The CP-SAT target: cardinalities and counters go to OR-Tools as they are."""

from collections.abc import Iterable, Sequence

from ortools.sat.python import cp_model

from plansolve.encoders.builder import FALSE, TRUE, Builder

__all__ = ["CpSatBuilder"]


class CpSatBuilder(Builder):
    """Fills `model`; variable v is `variable[v]`."""

    is_costly = True

    def __init__(self) -> None:
        super().__init__()
        self.model = cp_model.CpModel()
        self.variable: list[cp_model.IntVar] = [self.model.new_constant(1)]

    def new(self, *meaning: int | str) -> int:
        """A fresh Boolean variable."""
        self.variables += 1
        self.variable.append(self.model.new_bool_var(""))
        return self.variables

    def literal(self, number: int) -> cp_model.LiteralT:
        """The model's literal for a DIMACS one."""
        if number == TRUE:
            return self.variable[0]
        if number == FALSE:
            return ~self.variable[0]
        return self.variable[number] if number > 0 else ~self.variable[-number]

    def clause(self, *literals: int) -> None:
        """At least one of the literals holds."""
        if TRUE not in literals:
            kept = [self.literal(x) for x in literals if x != FALSE]
            self.is_contradiction |= not kept
            self.model.add_bool_or(kept)

    def at_most_one(self, literals: Iterable[int]) -> None:
        """No two of the literals hold."""
        self.model.add_at_most_one(self.literal(x) for x in literals if x != FALSE)

    def exactly_one(self, literals: Iterable[int]) -> None:
        """One of the literals holds, and no other."""
        self.model.add_exactly_one(self.literal(x) for x in literals if x != FALSE)

    def true_variables(self, solver: cp_model.CpSolver) -> set[int]:
        """The numbers of the variables that are true in the solution of `solver`."""
        return {
            number
            for number, variable in enumerate(self.variable)
            if number and solver.boolean_value(variable)
        }

    def prefix_counter(self, events: Sequence[int], total: int) -> "LinearCounter":
        """A linear equation."""
        return LinearCounter(self, events, total)


class LinearCounter:
    """The counter as linear constraints over the events themselves."""

    def __init__(self, builder: CpSatBuilder, events: Sequence[int], total: int) -> None:
        self._builder = builder
        self._total = total
        self._events = [builder.literal(event) for event in events]
        builder.model.add(cp_model.LinearExpr.sum(self._events) == total)

    def limit(self, prefix: int, literals: Sequence[int]) -> None:
        """The events among the first `prefix`, and `literals`, are together at most the total."""
        extra = [self._builder.literal(x) for x in literals if x != FALSE]
        if extra:
            self._builder.model.add(
                cp_model.LinearExpr.sum(self._events[:prefix] + extra) <= self._total
            )
