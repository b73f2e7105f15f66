"""Walks with which no shortest plan need begin or end; `board_search` finds them.

If the search from the start runs out of room, *deep* searches may follow, with larger pattern
databases and room for more boards. They matter only if one leaves no walk; otherwise the formula is
the same as without them.
"""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import (
    FIRST_HORIZON,
    FROM_CELLS,
    Default,
    Layers,
    Lemma,
    worth_operator_tables,
    worth_tables,
)
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.board_search import BothEnds


class Perimeter:
    """The lemma for one problem, in formulas for which tables pay off."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem, self._is_deep = problem, DEEP_PERIMETER in on_top

    @cached_property
    def _ends(self) -> "BothEnds":
        # Only this lemma needs numba.
        from plansolve.encoders.lemmas.board_search import blank_ends, operator_ends

        has_graph = self._problem.structure.blank_graph is not None
        return (blank_ends if has_graph else operator_ends)(self._problem)

    def add(self, builder: Builder, layers: Layers) -> None:
        horizon = max(layers.horizon, FIRST_HORIZON) if builder.is_costly else layers.horizon
        if layers.blanks:
            is_worth = worth_tables(self._problem, horizon)
        else:
            is_worth = worth_operator_tables(self._problem.puzzle, horizon)
        if is_worth and layers.horizon:
            self._ends.add(builder, layers, is_deep=self._is_deep)


PERIMETER = Lemma(
    name="perimeter",
    keeps="one plan",
    argument="no plan begins or ends with moves to a board that pattern databases show to be too "
    "far from the other end, or that a shorter or earlier sequence reaches",
    encodings=dict.fromkeys(
        ("half-layer", "full-layer", "permutation"), Default(FROM_CELLS, with_cpsat=True)
    ),
    # If it refutes the length, nothing else need be written.
    is_first=True,
    tells_apart=True,
    clauses=Perimeter,
    is_for_gaps=True,
)

DEEP_MEMORY = 5 << 30
"""Bytes that a deep search may take, most of them while its larger databases are built."""

DEEP_PERIMETER = Lemma(
    name="deep-perimeter",
    keeps="one plan",
    argument="as perimeter, with larger pattern databases and room for more boards",
    encodings=dict.fromkeys(("half-layer", "full-layer"), Default(FROM_CELLS, with_cpsat=True)),
    base=PERIMETER.name,
    tells_apart=True,
    is_for_gaps=True,
)
