"""The interface of formula builders: variables, clauses, cardinalities and counters."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from plansolve.model.puzzle import Plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRUE = 1 << 40
"""The literal that always holds; builders fold it away. Its negation is `FALSE`."""

FALSE = -TRUE


class Decoder(Protocol):
    """Translates between models of one formula and plans."""

    def __call__(self, true: Collection[int]) -> Plan:
        """Return the plan that a model spells, given its true variables.

        Raise `PlanError` for a set that is no model.
        """

    def blocking_clause(self, plan: Plan) -> list[int]:
        """Return the clause that all models satisfy except those of this legal plan.

        Constants are left out: if the clause is empty, no other plan has a model.
        """

    def choices(self) -> list[list[int]]:
        """Return lists of variables; each model satisfies exactly one variable of each list.

        Their combinations are the cubes into which a hard formula is split. That one variable of a
        list holds must follow from the formula by unit propagation, to prove that the cubes cover
        it.
        """


class PrefixCounter(Protocol):
    """Counts how many of a sequence of events have happened; the total is known beforehand."""

    def limit(self, prefix: int, literals: Sequence[int]) -> None:
        """Say that of the first `prefix` events and `literals` together at most the total hold."""


class Builder(ABC):
    """Receives the constraints of one encoding.

    Literals are non-zero ints as in DIMACS, a negative one negates; `TRUE` and `FALSE` may stand
    wherever a literal may.
    """

    is_costly = False
    """True if solvers are so slow that lemmas which search pay off at any horizon."""

    def __init__(self) -> None:
        self.variables = 0
        # True if the empty clause is a constraint, so that no other constraint matters.
        self.is_contradiction = False
        # The number of boards in breadth-first searches, and True if these refuted the formula.
        self.boards_searched = 0
        self.is_refuted_by_search = False

    @property
    @abstractmethod
    def constraints(self) -> int:
        """The number of constraints so far."""

    def refute_by_search(self) -> None:
        """Add the empty clause, since breadth-first search has shown that there is no plan."""
        self.is_refuted_by_search = True
        self.clause()

    @abstractmethod
    def new(self, *meaning: int | str) -> int:
        """Return a fresh variable, as its positive literal; without a meaning no certificate can
        have it, see `certcheck.refutation`.
        """

    @abstractmethod
    def clause(self, *literals: int) -> None:
        """State that at least one of the literals holds."""

    @abstractmethod
    def at_most_one(self, literals: Iterable[int]) -> None:
        """State that no two of the literals hold."""

    @abstractmethod
    def prefix_counter(self, events: Sequence[int], total: int) -> PrefixCounter:
        """Say that exactly `total` of the events happen; return the counter over their prefixes."""

    def equal_rows(
        self, unless: tuple[int, ...], left: Sequence[int], right: Sequence[int]
    ) -> None:
        """State that left[i] and right[i] are equal for all i, unless one of the literals holds."""
        for a, b in zip(left, right, strict=True):
            if a != b:
                self.clause(*unless, -a, b)
                self.clause(*unless, a, -b)

    def clauses_without_constants(self, clauses: "NDArray[np.int64]") -> None:
        """Add a clause for each row; none is empty or holds `TRUE` or `FALSE`."""
        for clause in clauses.tolist():
            self.clause(*clause)

    def clauses_from(self, literals: "NDArray[np.int64]") -> None:
        """Add a clause for each row; constants are folded away in all rows at once."""
        import numpy as np

        # Numpy is slow along short rows.
        literals = literals[(np.ascontiguousarray(literals.T) != TRUE).all(axis=0)]
        kept = literals != FALSE
        width = np.count_nonzero(kept, axis=1)
        for size in np.flatnonzero(np.bincount(width)).tolist():
            rows = np.flatnonzero(width == size)
            if size:
                clauses = literals[rows][kept[rows]].reshape(len(rows), size)
                self.clauses_without_constants(clauses)
            else:
                self.clause()

    def exactly_one(self, literals: Iterable[int]) -> None:
        """State that exactly one of the literals holds."""
        several = list(literals)
        self.clause(*several)
        self.at_most_one(several)
