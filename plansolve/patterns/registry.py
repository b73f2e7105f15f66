"""The kinds of tables that the store may hold: who builds them for a problem, and who verifies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plansolve.errors import OptionError
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plansolve.storage.store import Store, Tell

__all__ = ["KINDS", "TableKind", "kind_for"]


@dataclass(frozen=True)
class TableKind:
    """One kind of tables.

    `fits` says whether a problem has such tables. `build(problem, size, store, tell)` puts those of
    the problem's goal into the store, with patterns of at most `size` tiles or the default for
    None. `verify(content, table, tell)` returns what is wrong with the bytes that a key of that
    content describes, in words; the content comes from a file and may be anything.
    """

    name: str
    fits: Callable[[Problem], bool]
    build: "Callable[[Problem, int | None, Store, Tell], None]"
    verify: "Callable[[Mapping[str, Any], NDArray[np.uint8], Tell], list[str]]"


# The modules behind the kinds load numba, so they are imported only where tables are made.


def _build_additive(problem: Problem, size: int | None, store: "Store", tell: "Tell") -> None:
    from plansolve.patterns.additive import goal_sets

    goal_sets(problem, size=size, store=store, tell=tell)


def _verify_additive(
    content: Mapping[str, Any], table: "NDArray[np.uint8]", tell: "Tell"
) -> list[str]:
    from plansolve.patterns.verify import verify_additive

    return verify_additive(content, table, tell)


def _build_permutation(problem: Problem, size: int | None, store: "Store", tell: "Tell") -> None:
    from plansolve.patterns.permutation_choice import build_permutation

    build_permutation(problem, size, store, tell)


def _verify_permutation(
    content: Mapping[str, Any], table: "NDArray[np.uint8]", tell: "Tell"
) -> list[str]:
    from plansolve.patterns.permutation_verify import verify_permutation

    return verify_permutation(content, table, tell)


KINDS: Mapping[str, TableKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            TableKind(
                "additive",
                lambda problem: problem.structure.blank_graph is not None,
                _build_additive,
                _verify_additive,
            ),
            TableKind(
                "permutation",
                lambda problem: problem.structure.is_free,
                _build_permutation,
                _verify_permutation,
            ),
        )
    }
)


def kind_for(problem: Problem) -> TableKind:
    """The first kind that fits; raises `OptionError` where none does."""
    for kind in KINDS.values():
        if kind.fits(problem):
            return kind
    raise OptionError(f"there are no pattern databases for puzzles like {problem.puzzle.name}")
