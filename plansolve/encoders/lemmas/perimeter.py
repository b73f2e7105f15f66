"""Walks of the blank that no shortest plan need begin or end with, see `perimeter_search`."""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.encoders.lemmas.tables import FROM_CELLS, worth_tables
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.perimeter_search import PerimeterSearch

__all__ = ["PERIMETER"]


class Perimeter:
    """The lemma for one problem, in formulas that are worth tables; symmetric graphs only."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem = problem

    @cached_property
    def _search(self) -> "PerimeterSearch":
        # Only this lemma needs numba.
        from plansolve.encoders.lemmas.perimeter_search import PerimeterSearch

        return PerimeterSearch(self._problem)

    def add(self, builder: Builder, layers: Layers) -> None:
        """Forbid what the searches from both ends prune."""
        if self._problem.blank_graph.is_symmetric and worth_tables(self._problem, layers.horizon):
            self._search.add(builder, layers.blanks)


PERIMETER = Lemma(
    name="perimeter",
    keeps="one plan",
    argument="the blank does not begin, or end, with a walk to a board that is too far from the "
    "other end by pattern databases, or that a shorter or earlier walk reaches",
    encodings={"half-layer": Default(FROM_CELLS)},
    clauses=Perimeter,
)
