"""The rules of puzzles in the forms that tables are built from.

*Permutation rules* are those of a puzzle whose moves only permute the cells, relative to the goal:
a board is an *arrangement*, the goal cell (the *home*) of what stands in each cell, and the goal is
the identity. *Placement rules* are those of any puzzle, whose pieces may be alike.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import NamedTuple

from plansolve.analysis.group import inverse
from plansolve.model.puzzle import BLANK, OPEN, WORD_CELLS, Operator, Puzzle
from plansolve.model.structure import permutation_parity


@dataclass(frozen=True)
class PermutationRules:
    """The distinct permutations of the cells that one move can make.

    `sources[o][cell]` is the cell from which the o-th permutation, `names[o]`, fills `cell`.
    Permutations that change the same cells are neighbours.
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
        identity = tuple(range(self.cells))
        return tuple(permutation_parity(source, identity) == 1 for source in self.sources)

    @property
    def differ_in_parity(self) -> bool:
        return len(set(self.is_odd)) == 2

    @cached_property
    def is_inverse_closed(self) -> bool:
        """True if one move can undo each permutation."""
        return set(self.sources) == set(self.destinations)

    def after(self, arrangement: Sequence[int], index: int) -> tuple[int, ...]:
        return tuple(map(arrangement.__getitem__, self.sources[index]))


def permutation_rules(puzzle: Puzzle) -> PermutationRules | None:
    """Return the puzzle's permutations, or None if a move depends on the blank.

    Operators that change nothing are left out, and of several with the same effect all but one of
    least penalty.
    """
    if any(operator.needs for operator in puzzle.operators):
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


_MOST_PLACEMENTS = 20_000_000
"""The most placements of one kind and the blank; such a table is built in some seconds."""
_MOST_BESIDE_GAPS = 2_000_000
"""The most placements of one kind and several gaps, which must leave room for more kinds."""


class PieceClass(NamedTuple):
    """Pieces that are alike: their number and goal cells; the rest end in open cells."""

    homes: tuple[int, ...]
    copies: int


@dataclass(frozen=True)
class PlacementRules:
    """The distinct operators of a puzzle, what each needs, and its pieces by their kind.

    `destinations[o][cell]` is the cell that operator o takes a cell's content to, and `needs[o]`
    the cell in which a gap must be, or None; `blank`, the class of the gaps, is None if no operator
    needs one. `classes` has all other kinds with goal cells, and `open` are the cells that the goal
    leaves open. If they are `relaxed`, `needs` does not say what operators need.
    """

    cells: int
    destinations: tuple[tuple[int, ...], ...]
    needs: tuple[int | None, ...]
    blank: PieceClass | None
    classes: Mapping[int, PieceClass]
    open: tuple[int, ...]
    relaxed: bool = False


def placement_rules(puzzle: Puzzle) -> PlacementRules | None:
    """Return the puzzle's rules; None if no tables are made.

    No tables are made for boards of more than 64 cells, for moves that need more than a gap, and if
    every kind that the goal places, besides the blank, has so many pieces that its table would be
    too large. If the gaps make all tables too large, the rules are relaxed: operators need no gap,
    which makes no plan longer.
    """
    if puzzle.cells > WORD_CELLS or puzzle.needs_kinds:
        return None
    same = tuple(range(puzzle.cells))
    effects = dict.fromkeys(
        (operator.destinations(puzzle.cells), operator.blank) for operator in puzzle.operators
    )
    effective = [effect for effect in effects if effect[0] != same]
    classes = {
        kind: PieceClass(
            tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == kind),
            puzzle.pieces.count(kind),
        )
        for kind in puzzle.kinds
    }
    gaps = classes.pop(BLANK, None)
    needs = tuple(need for _, need in effective)
    for blank in (gaps, None) if any(need is not None for need in needs) else (None,):
        copies = 0 if blank is None else blank.copies
        most = _MOST_BESIDE_GAPS if copies > 1 else _MOST_PLACEMENTS
        room = most // comb(puzzle.cells, copies)
        placed = {
            kind: own
            for kind, own in classes.items()
            if own.homes and comb(puzzle.cells - copies, own.copies) <= room
        }
        if placed:
            return PlacementRules(
                puzzle.cells,
                tuple(goes for goes, _ in effective),
                needs if blank is not None else (None,) * len(needs),
                blank,
                placed,
                tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == OPEN),
                relaxed=blank is None and any(need is not None for need in needs),
            )
    return None


def independent_kinds(rules: PlacementRules) -> list[frozenset[int]]:
    """Return the kinds that have goal cells and can move, in parts of which no move joins two.

    A table that counts the moves of its own pieces only may be added to others if each operator, on
    any board, moves pieces of at most one of the patterns (Korf and Felner 2002; Yang et al., A
    general theory of additive state space abstractions, JAIR 2008).

    A piece may be in any cell that moves join to a goal cell of its kind: if one is elsewhere,
    there is no plan, and every bound holds.
    """
    moved = [
        {cell: to for cell, to in enumerate(goes) if to != cell and cell != need}
        for goes, need in zip(rules.destinations, rules.needs, strict=True)
    ]
    part = _joined(range(rules.cells), [arc for own in moved for arc in own.items()])
    in_part: dict[int, list[int]] = {}
    for kind, own in rules.classes.items():
        cells = own.homes if own.copies == len(own.homes) else (*own.homes, *rules.open)
        for number in {part[cell] for cell in cells}:
            in_part.setdefault(number, []).append(kind)
    together = [
        [kind for number in {part[cell] for cell in cells} for kind in in_part.get(number, ())]
        for cells in moved
    ]
    pairs = [
        (kinds[0], kind)
        for kinds, cells in zip(together, moved, strict=True)
        for kind in kinds
        if len(cells) > 1
    ]
    movable = {kind for kinds in together for kind in kinds}
    found: dict[int, list[int]] = {}
    for kind, number in _joined(rules.classes, pairs).items():
        if kind in movable:
            found.setdefault(number, []).append(kind)
    return [frozenset(kinds) for kinds in found.values()]


def _joined(items: Iterable[int], pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return for each item the representative of the component that the pairs join."""
    above = {item: item for item in items}

    def top(item: int) -> int:
        while above[item] != item:
            item = above[item]
        return item

    for first, second in pairs:
        above[top(first)] = top(second)
    return {item: top(item) for item in above}
