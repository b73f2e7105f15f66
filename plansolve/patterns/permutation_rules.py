"""The rules of a puzzle whose moves only permute the cells, in the form that tables are built from.

Everything is told relative to the goal: a board is an *arrangement*, the goal cell (the *home*) of
what stands in each cell, and the goal is the identity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from plansolve.analysis.group import inverse
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import permutation_parity


@dataclass(frozen=True)
class PermutationRules:
    """The distinct permutations of the cells that one move can make.

    `sources[o][cell]` is the cell that the o-th one, `names[o]`, fills `cell` from. Those that
    change the same cells follow one another.
    """

    cells: int
    names: tuple[str, ...]
    sources: tuple[tuple[int, ...], ...]

    @cached_property
    def destinations(self) -> tuple[tuple[int, ...], ...]:
        """For each permutation, the cell that the content of each cell goes to."""
        return tuple(inverse(source) for source in self.sources)

    @cached_property
    def is_odd(self) -> tuple[bool, ...]:
        """True for each odd permutation."""
        identity = tuple(range(self.cells))
        return tuple(permutation_parity(source, identity) == 1 for source in self.sources)

    @property
    def differ_in_parity(self) -> bool:
        """True if some permutations are odd and others even."""
        return len(set(self.is_odd)) == 2

    @cached_property
    def is_inverse_closed(self) -> bool:
        """True if each permutation can be taken back by one move."""
        return set(self.sources) == set(self.destinations)

    def after(self, arrangement: Sequence[int], index: int) -> tuple[int, ...]:
        """Return the arrangement after the permutation of that index."""
        return tuple(map(arrangement.__getitem__, self.sources[index]))


def permutation_rules(puzzle: Puzzle) -> PermutationRules | None:
    """Return the puzzle's permutations, or None where a move depends on where the blank is.

    Operators that change nothing are left out, and of several with the same effect all but one of
    least penalty.
    """
    if any(operator.blank is not None for operator in puzzle.operators):
        return None
    chosen: dict[tuple[int, ...], Operator] = {}
    for operator in puzzle.operators:
        source = operator.apply(tuple(range(puzzle.cells)))
        if operator.penalty < chosen.setdefault(source, operator).penalty:
            chosen[source] = operator
    chosen.pop(tuple(range(puzzle.cells)), None)
    groups: dict[frozenset[int], list[tuple[int, ...]]] = {}
    for source in chosen:
        support = frozenset(cell for cell, origin in enumerate(source) if cell != origin)
        groups.setdefault(support, []).append(source)
    sources = [source for group in groups.values() for source in group]
    return PermutationRules(
        puzzle.cells, tuple(chosen[source].name for source in sources), tuple(sources)
    )
