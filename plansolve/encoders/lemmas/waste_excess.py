"""What patterns of tiles waste, from additive pattern databases; on top of the waste counter."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.encoders.lemmas.tables import worth_tables
from plansolve.encoders.lemmas.waste_counter import WASTE_COUNTER
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.excess_clauses import ExcessClauses

__all__ = ["WASTE_EXCESS"]


class WasteExcess:
    """The excess of patterns of tiles, in formulas that are worth tables."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    @cached_property
    def _clauses(self) -> "ExcessClauses":
        # Only this lemma needs numpy and numba.
        from plansolve.encoders.lemmas.excess_clauses import ExcessClauses

        return ExcessClauses(self._problem)

    def forced(
        self, builder: Builder, t: int, layers: Layers, total: int
    ) -> Sequence[Sequence[int]]:
        """For each partition, literals of which no more hold than units of waste are to come."""
        if not worth_tables(self._problem, layers.horizon):
            return []
        return self._clauses.forced(builder, t, layers, total)


WASTE_EXCESS = Lemma(
    name="waste-excess",
    keeps="every plan",
    argument="the moves that patterns of tiles need beyond their tile distances, added over a "
    "partition of the tiles, are at most the waste still to come (Korf, Felner 2002)",
    # Where perimeters go deep it makes formulas four times as long, and refutations no shorter.
    encodings={"half-layer": Default(None), "full-layer": Default(None)},
    base=WASTE_COUNTER.name,
    forced_waste=WasteExcess,
)
