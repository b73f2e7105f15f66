"""The kinds of tables that the store may hold, and who builds them for a problem."""

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import WORD_CELLS

if TYPE_CHECKING:
    from plansolve.storage.store import Store, Tell


class TableKind(NamedTuple):
    """One kind of tables, for the problems that it `fits`.

    `builder` names the function that puts theirs into a store: its module loads numba.
    """

    fits: Callable[[Problem], bool]
    builder: str


_PERMUTATIONS = TableKind(
    lambda problem: problem.structure.is_free, "plansolve.patterns.choose:build_permutation"
)
KINDS: Mapping[str, TableKind] = {
    "additive": TableKind(
        lambda problem: problem.structure.blank_graph is not None,
        "plansolve.patterns.additive:goal_sets",
    ),
    "permutation": _PERMUTATIONS,
    "reach": _PERMUTATIONS,
    "placement": TableKind(
        lambda problem: problem.puzzle.cells <= WORD_CELLS,
        "plansolve.patterns.placement_tables:build_placements",
    ),
}


def build_for(problem: Problem, size: int | None, store: "Store", tell: "Tell") -> None:
    """Put the tables of a problem's goal into the store, of the first kind that fits.

    Patterns have at most `size` tiles, or the default for None. Raise `OptionError` where no kind
    fits, or nothing can move.
    """
    if not problem.puzzle.operators:
        raise OptionError(f"no tables: {problem.puzzle.name} has no moves")
    builder = next((kind.builder for kind in KINDS.values() if kind.fits(problem)), None)
    if builder is None:
        raise OptionError(f"there are no pattern databases for puzzles like {problem.puzzle.name}")
    resolve_name(builder)(problem, size=size, store=store, tell=tell)
