"""The CNF target: every constraint as clauses."""

import gc
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from plansolve.encoders.builder import FALSE, TRUE, Builder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CnfBuilder(Builder):
    """Collects clauses as lists of DIMACS literals, constants folded away."""

    def __init__(self) -> None:
        super().__init__()
        self.clauses: list[list[int]] = []
        self.meanings: list[tuple[int | str, ...]] = []

    @property
    def constraints(self) -> int:
        return len(self.clauses)

    def new(self, *meaning: int | str) -> int:
        self.variables += 1
        self.meanings.append(meaning)
        return self.variables

    def clause(self, *literals: int) -> None:
        if TRUE in literals:
            return
        kept = [x for x in literals if x != FALSE] if FALSE in literals else list(literals)
        if kept:
            self.clauses.append(kept)
        else:
            # DIMACS writers and solvers disagree about the empty clause; two contradictory units
            # mean the same to all of them.
            self.is_contradiction = True
            contradiction = self.new("never")
            self.clauses += [[contradiction], [-contradiction]]

    def some_clauses(self) -> list[list[int]]:
        """Return the clauses; if there are none, a tautology, since solvers need a clause."""
        return self.clauses or [[self.new()]]

    def equal_rows(
        self, unless: tuple[int, ...], left: Sequence[int], right: Sequence[int]
    ) -> None:
        """State that left[i] and right[i] are equal for all i, unless one of the literals holds.

        Most clauses of an encoding come from here, so those without constants take a short cut.
        """
        constants = (TRUE, FALSE)
        if TRUE in unless:
            return
        kept = [x for x in unless if x != FALSE]
        for a, b in zip(left, right, strict=True):
            if a == b:
                continue
            if a in constants or b in constants:
                self.clause(*kept, -a, b)
                self.clause(*kept, a, -b)
            else:
                self.clauses.append([*kept, -a, b])
                self.clauses.append([*kept, a, -b])

    def clauses_without_constants(self, clauses: "NDArray[np.int64]") -> None:
        # Python's garbage collection of new lists takes as long as making them.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            self.clauses += clauses.tolist()
        finally:
            if was_enabled:
                gc.enable()

    def at_most_one(self, literals: Iterable[int]) -> None:
        """State that no two of the literals hold: pairwise, which is best up to some thirty."""
        several = [x for x in literals if x != FALSE]
        if TRUE in several:
            several.remove(TRUE)
            for other in several:
                self.clause(-other)
        else:
            self.clauses.extend([-a, -b] for a, b in combinations(several, 2))

    def prefix_counter(self, events: Sequence[int], total: int) -> "UnaryCounter":
        """Return a sequential counter (Sinz 2005), equivalent in both directions."""
        return UnaryCounter(self, events, total)

    def dimacs(self, comments: Iterable[str] = ()) -> Iterator[str]:
        """Yield the lines of a DIMACS file, without line ends."""
        yield from (f"c {comment}" for comment in comments)
        yield f"p cnf {self.variables} {len(self.clauses)}"
        for clause in self.clauses:
            yield f"{' '.join(map(str, clause))} 0"

    def legend(self, variables: Collection[int]) -> Iterator[str]:
        """Yield the lines of the file that says what variables mean, see `certcheck.refutation`."""
        for number in sorted(variables):
            yield f"{number} {' '.join(map(str, self.meanings[number - 1]))}"


class UnaryCounter:
    """`_at_least[t][s]`: at least s of the first t events have happened, 0 <= s <= total.

    Facts that follow from the total are constants: s cannot exceed t, and the rest must have room
    for total - s events.
    """

    def __init__(self, builder: CnfBuilder, events: Sequence[int], total: int) -> None:
        count = len(events)
        if not 0 <= total <= count:
            builder.clause()
            total = 0
        self._builder, self._total = builder, total
        self._at_least = [self._row(t, count, total) for t in range(count + 1)]
        for t, event in enumerate(events):
            before, after = self._at_least[t], self._at_least[t + 1]
            for s in range(1, total + 1):
                builder.clause(-before[s], after[s])
                builder.clause(-before[s - 1], -event, after[s])
                builder.clause(-after[s], before[s], event)
                builder.clause(-after[s], before[s - 1])
            builder.clause(-before[total], -event)

    def _row(self, t: int, count: int, total: int) -> list[int]:
        row = []
        for s in range(total + 1):
            if s <= total - (count - t):
                row.append(TRUE)
            elif s > t:
                row.append(FALSE)
            else:
                row.append(TRUE if s == 0 else self._builder.new())
        return row

    def limit(self, prefix: int, literals: Sequence[int]) -> None:
        """Say that of the first `prefix` events and `literals` together at most the total hold."""
        builder, total = self._builder, self._total
        row = self._at_least[prefix]
        several = [literal for literal in literals if literal != FALSE]
        for i, literal in enumerate(several, start=1):
            builder.clause(-row[total], -literal)
            if i == len(several):
                break
            # One direction is enough: only lower bounds on the sums matter.
            following = [TRUE]
            for s in range(1, total + 1):
                if row[s] == TRUE or row[s - 1] == FALSE:
                    following.append(row[s])
                    continue
                grown = builder.new()
                builder.clause(-row[s], grown)
                builder.clause(-row[s - 1], -literal, grown)
                following.append(grown)
            row = following
