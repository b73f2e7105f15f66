"""Walks of the blank, or sequences of operators, that no shortest plan need begin or end with.

See `perimeter_search` and `operator_search`.
"""

from collections.abc import Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.encoders.lemmas.no_undo import NO_UNDO
from plansolve.encoders.lemmas.tables import (
    FIRST_HORIZON,
    FROM_CELLS,
    worth_operator_tables,
    worth_tables,
)
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.operator_search import OperatorPerimeter
    from plansolve.encoders.lemmas.perimeter_search import PerimeterSearch

__all__ = ["DEEP_MEMORY", "DEEP_PERIMETER", "PERIMETER", "SEARCH_TREE"]


class Perimeter:
    """The lemma for one problem, in formulas that are worth tables.

    `as_tree` it is in all of them, with each dead end as a step of its own. With `DEEP_PERIMETER`
    on top deep searches follow.
    """

    def __init__(
        self, problem: Problem, on_top: Collection[Lemma], *, as_tree: bool = False
    ) -> None:
        self._problem, self._as_tree = problem, as_tree
        self._is_deep = DEEP_PERIMETER in on_top

    @cached_property
    def _search(self) -> "PerimeterSearch":
        # Only this lemma needs numba.
        from plansolve.encoders.lemmas.perimeter_search import PerimeterSearch

        return PerimeterSearch(self._problem, as_tree=self._as_tree, is_deep=self._is_deep)

    @cached_property
    def _operators(self) -> "OperatorPerimeter":
        from plansolve.encoders.lemmas.operator_search import OperatorPerimeter

        return OperatorPerimeter(self._problem)

    def add(self, builder: Builder, layers: Layers) -> None:
        """Forbid what the searches from both ends prune."""
        # A tree was asked for by name, so a short horizon has one too.
        is_always = self._as_tree or builder.is_costly
        horizon = max(layers.horizon, FIRST_HORIZON) if is_always else layers.horizon
        if not layers.blanks:
            if worth_operator_tables(self._problem.puzzle, horizon):
                self._operators.add(builder, layers.moves)
        elif worth_tables(self._problem, horizon):
            self._search.add(builder, layers.blanks)


PERIMETER = Lemma(
    name="perimeter",
    keeps="one plan",
    argument="a plan does not begin, or end, with a walk of the blank, or with moves, to a board "
    "that is too far from the other end by pattern databases, or that a shorter or earlier walk "
    "reaches",
    encodings=dict.fromkeys(
        ("half-layer", "full-layer", "permutation"), Default(FROM_CELLS, with_cpsat=True)
    ),
    # Where it leaves nothing, nothing else need be written.
    is_first=True,
    tells_apart=True,
    clauses=Perimeter,
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
    # A check would build the larger databases as well, and has no room for so many boards.
)

SEARCH_TREE = Lemma(
    name="search-tree",
    keeps="one plan",
    argument="as perimeter, but each dead end is a step of the proof, which other checkers follow",
    encodings={"half-layer": Default(None)},
    # The walk straight back is neither pruned nor followed.
    base=NO_UNDO.name,
    is_first=True,
    clauses=partial(Perimeter, as_tree=True),
)
