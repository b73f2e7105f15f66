"""Linear conflict: tiles in reverse in their goal line force waste (Hansson, Mayer, Yung 1992).

Two tiles whose homes are in the line that they stand in, in reverse order, have to pass each other:
one of them leaves the line, which wastes two moves. A move leaves one line only, so what is forced
for one line comes on top of what is forced for another.
"""

from collections.abc import Sequence

from plansolve.bounds.linear_conflict import lines, reversed_pairs
from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.lemma import ALWAYS, Layers, Lemma
from plansolve.encoders.lemmas.waste_counter import WASTE_COUNTER
from plansolve.model.problem import Problem

__all__ = ["LINEAR_CONFLICT"]


class LinearConflictWaste:
    """The pairs of tiles that are in conflict, for each line of a blank graph that has any."""

    def __init__(self, problem: Problem) -> None:
        self._conflicts = [
            (line, reversed_pairs(line, problem.goal)) for line in lines(problem.structure)
        ]

    def forced(
        self, builder: Builder, t: int, layers: Layers, total: int
    ) -> Sequence[Sequence[int]]:
        """One literal a line, implied by each pair of tiles that are reversed in it."""
        row, stale = layers.at[t], layers.stale(t)
        indicators = []
        for line, pairs in self._conflicts:
            clauses = []
            for (a, cell_a), (b, cell_b) in pairs:
                first, second = row[cell_a][a - 1], row[cell_b][b - 1]
                if first != FALSE and second != FALSE:
                    out_of_date = (stale.get(cell_a, FALSE), stale.get(cell_b, FALSE))
                    clauses.append((-first, -second, *out_of_date))
            if clauses:
                indicators.append(builder.new("conflict", t, *line))
                for clause in clauses:
                    builder.clause(*clause, indicators[-1])
        return [indicators]


LINEAR_CONFLICT = Lemma(
    name="linear-conflict",
    keeps="every plan",
    argument="two tiles that have to pass each other in their goal line waste two more moves for "
    "that line (Hansson, Mayer, Yung 1992)",
    encodings={"half-layer": ALWAYS},
    base=WASTE_COUNTER.name,
    forced_waste=LinearConflictWaste,
)
