"""The kinds of tables that the store may hold: who builds them for a problem, and who verifies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import WORD_CELLS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plansolve.storage.store import Store, Tell

__all__ = ["KINDS", "TableKind", "kind_for"]


@dataclass(frozen=True)
class TableKind:
    """One kind of tables, for the problems that it `fits`.

    `builder` and `verifier` name functions, whose modules load numba.
    """

    name: str
    fits: Callable[[Problem], bool]
    builder: str
    verifier: str

    def build(self, problem: Problem, size: int | None, store: "Store", tell: "Tell") -> None:
        """Put the tables of the problem's goal into the store.

        Patterns have at most `size` tiles, or the default for None.
        """
        resolve_name(self.builder)(problem, size=size, store=store, tell=tell)

    def verify(
        self, content: Mapping[str, Any], table: "NDArray[np.uint8]", tell: "Tell"
    ) -> list[str]:
        """Return what is wrong with the bytes that a key of that content describes, in words.

        The content comes from a file and may be anything.
        """
        wrong: list[str] = resolve_name(self.verifier)(content, table, tell)
        return wrong


KINDS: Mapping[str, TableKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            TableKind(
                "additive",
                lambda problem: problem.structure.blank_graph is not None,
                "plansolve.patterns.additive:goal_sets",
                "plansolve.patterns.verify:verify_additive",
            ),
            TableKind(
                "permutation",
                lambda problem: problem.structure.is_free,
                "plansolve.patterns.choose:build_permutation",
                "plansolve.patterns.permutation_verify:verify_permutation",
            ),
            TableKind(
                "reach",
                lambda problem: problem.structure.is_free,
                "plansolve.patterns.choose:build_permutation",
                "plansolve.patterns.reach_verify:verify_reach",
            ),
            TableKind(
                "placement",
                lambda problem: problem.puzzle.cells <= WORD_CELLS,
                "plansolve.patterns.placement_tables:build_placements",
                "plansolve.patterns.placement_verify:verify_placements",
            ),
        )
    }
)


def kind_for(problem: Problem) -> TableKind:
    """The first kind that fits; raises `OptionError` where none does, or nothing can move."""
    if not problem.puzzle.operators:
        raise OptionError(f"no tables: {problem.puzzle.name} has no moves")
    for kind in KINDS.values():
        if kind.fits(problem):
            return kind
    raise OptionError(f"there are no pattern databases for puzzles like {problem.puzzle.name}")
