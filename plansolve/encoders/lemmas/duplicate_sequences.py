"""Walks of the blank that a shorter or earlier one replaces; `duplicate_walks` lists them."""

from collections.abc import Collection

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.encoders.lemmas.tables import FROM_CELLS, worth_tables
from plansolve.model.problem import Problem

__all__ = ["DUPLICATE_SEQUENCES"]


class DuplicateSequenceClauses:
    """The lemma for one problem, in formulas that are worth tables."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem = problem

    def add(self, builder: Builder, layers: Layers) -> None:
        """Forbid the walks from every time on."""
        if worth_tables(self._problem, layers.horizon):
            # Only this lemma needs numpy.
            from plansolve.encoders.lemmas.duplicate_walks import add_duplicate_walks

            add_duplicate_walks(builder, self._problem.blank_graph, layers.blanks)


DUPLICATE_SEQUENCES = Lemma(
    name="duplicate-sequences",
    keeps="one plan",
    argument="the blank does not go along a walk of up to ten moves that has the effect of a "
    "shorter walk from the same cell, or of one as long that is earlier in the order of the cells",
    encodings={"half-layer": Default(FROM_CELLS), "full-layer": Default(FROM_CELLS)},
    clauses=DuplicateSequenceClauses,
)
