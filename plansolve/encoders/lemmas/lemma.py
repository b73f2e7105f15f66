"""The interface of lemmas: parts of an encoding that can be switched on and off.

Preparing lemmas that need tables takes about a second.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from plansolve.bounds.distance import tile_distance_sum
from plansolve.encoders.builder import FALSE, Builder
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS, Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Keeps: TypeAlias = Literal["every plan", "shortest plans", "one plan"]
"""The plans of exactly T moves that a lemma keeps.

"every plan": all of them. "shortest plans": all of them if no shorter plan exists. "one plan":
at least one of them if no shorter plan exists.
"""

BlankLayer: TypeAlias = dict[int, int]
"""The literal of each cell in which the blank can be after a number of moves."""


class Default(NamedTuple):
    """The boards for which an encoding uses a lemma by default.

    On boards of `from_cells` cells or more (None: never) with SAT solvers, and with CP-SAT if it is
    to use the lemma at all.
    """

    from_cells: int | None = 0
    with_cpsat: bool = False


ALWAYS = Default(0, with_cpsat=True)


@dataclass(frozen=True)
class Layers:
    """The literals of one formula that lemmas write clauses about.

    `at[t][cell]` holds a literal for each content after t moves: for each tile if there is a blank
    graph, otherwise for each kind in the goal, in the order of the numbers. `blanks[t]` are the
    blank's cells in encodings of a blank graph; in those of operators `moves[t]` has the literal of
    each operator as move t + 1. If `is_stale`, the literals of `at` may be out of date in the
    blank's own cell, but nowhere else.
    """

    at: Sequence[Sequence[Sequence[int]]] = ()
    blanks: Sequence[BlankLayer] = ()
    is_stale: bool = False
    moves: Sequence[Sequence[int]] = ()

    @property
    def horizon(self) -> int:
        """The number of moves."""
        return max(len(self.at), len(self.blanks), len(self.moves) + 1) - 1

    def stale(self, t: int) -> BlankLayer:
        """Return the cells whose literals are stale after t moves while the blank's one holds."""
        return self.blanks[t] if self.is_stale else {}

    def walk_literals(self, cells: int) -> "NDArray[np.int64]":
        """Return in row t the literals of the blank's cells after t moves."""
        import numpy as np

        literals = np.full((len(self.blanks), cells), FALSE, np.int64)
        for t, layer in enumerate(self.blanks):
            literals[t, list(layer)] = list(layer.values())
        return literals

    def steps(self, cells: int) -> "NDArray[np.int64]":
        """Return the literals of each step: its moves, or the blank's cell before and after."""
        import numpy as np

        if not self.blanks:
            return np.array(self.moves, np.int64)
        walk = self.walk_literals(cells)
        return np.hstack((walk[:-1], walk[1:]))


class ClauseLemma(Protocol):
    """A lemma prepared for one problem; what all horizons share is computed once."""

    def add(self, builder: Builder, layers: Layers) -> None:
        """Add the clauses of one formula."""


@dataclass(frozen=True)
class Lemma:
    """A part of an encoding that follows from the rest by an argument outside the formula.

    `encodings` names the encodings that support the lemma. `base` is another lemma on which it
    builds. `clauses` prepares it for a problem, given the chosen lemmas on top of it; if it is
    None, encodings or the base take the lemma into account in their own clauses. A lemma that
    `is_first` is about `blanks` and `moves` alone, and is added before anything else. If it
    `tells_apart`, its argument holds only for distinct pieces and one goal board; if it
    `is_for_gaps`, only for moves that need at most a gap. If it `is_plain`, its clauses follow from
    the rules for one piece and the blank, as `certcheck` requires for certificates.
    """

    name: str
    keeps: Keeps
    argument: str
    encodings: Mapping[str, Default] = field(hash=False)
    base: str | None = None
    clauses: Callable[[Problem, Collection["Lemma"]], ClauseLemma] | None = None
    is_first: bool = False
    tells_apart: bool = False
    is_for_gaps: bool = False
    is_plain: bool = False


FROM_CELLS = FEW_CELLS + 1
"""Encodings have lemmas that need tables by default on boards of so many cells or more."""

# Smaller boards have no pattern databases.
_LEAST_CELLS = 3
FIRST_HORIZON = 34
"""Shorter horizons are refuted faster than tables are built: measured on 15-puzzles."""

_LARGE, _LEAST_SLACK = 25, 12
"""On more cells, tables and perimeters take seconds, and horizons with less slack beyond the tile
distances are refuted faster.
"""

FIRST_DIRECTED_HORIZON = 30
"""The same for moves with a direction: measured on Lloyd's squares."""

FIRST_FREE_HORIZON = 8
"""The same for moves that need no blank and move many tiles: measured on 2023 boards."""

_MOST_OPERATORS = 255


def worth_tables(problem: Problem, horizon: int) -> bool:
    """Return True if the formula of this horizon has the clauses of lemmas that need tables.

    On few cells, where tables cost almost nothing, all formulas have them; boards of more than 64
    cells have no tables.
    """
    cells = problem.puzzle.cells
    if not FEW_CELLS < cells <= WORD_CELLS:
        return _LEAST_CELLS <= cells <= FEW_CELLS
    if not problem.blank_graph.is_symmetric:
        return horizon >= FIRST_DIRECTED_HORIZON
    if cells > _LARGE and horizon < tile_distance_sum(problem) + _LEAST_SLACK:
        return False
    return horizon >= FIRST_HORIZON


def worth_operator_tables(puzzle: Puzzle, horizon: int) -> bool:
    """Return the same for a search along operators, possible only if none needs a blank."""
    operators, cells = puzzle.operators, puzzle.cells
    if any(operator.blank is not None for operator in operators) or not operators:
        return False
    if len(operators) > _MOST_OPERATORS or not _LEAST_CELLS <= cells <= WORD_CELLS:
        return False
    return cells <= FEW_CELLS or horizon >= FIRST_FREE_HORIZON
