"""Sequences of moves with the effect of a shorter or earlier one, whatever the tiles are.

They are the forbidden sequences of `analysis.duplicate_sequences`, which gives the argument for
them. Walks of the blank are in the order of their cells, sequences of operators in the order of the
operators.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import (
    ALWAYS,
    FROM_CELLS,
    BlankLayer,
    Default,
    Layers,
    Lemma,
    worth_tables,
)
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The longest sequences of operators, and walks of the blank.
_LONGEST, _LONGEST_WALK = 3, 10
_MOST_SEQUENCES, _MOST_WALKS = 60_000, 500_000
_MOST_BYTES = 64 << 20


class DuplicateWalks:
    """The lemma about walks of the blank, in formulas for which tables pay off."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem = problem

    def add(self, builder: Builder, layers: Layers) -> None:
        if not worth_tables(self._problem, layers.horizon):
            return
        # Only now is numpy needed.
        import numpy as np

        literals = layers.walk_literals(self._problem.puzzle.cells)
        arcs = tuple(tuple(sorted(targets)) for targets in self._problem.blank_graph.successors)
        for walks in duplicate_walks(arcs):
            moves = np.arange(walks.shape[1])
            for t in range(len(literals) - len(moves) + 1):
                builder.clauses_from(-literals[t + moves, walks])


NO_UNDO = Lemma(
    name="no-undo",
    keeps="shortest plans",
    argument="no two or three successive moves have the effect of fewer moves",
    encodings={"half-layer": ALWAYS, "full-layer": ALWAYS, "permutation": ALWAYS},
    is_for_gaps=True,
)

MOVE_ORDER = Lemma(
    name="move-order",
    keeps="one plan",
    argument="no two or three successive moves have the effect of as many moves that come "
    "earlier in the order of the operators",
    encodings={"permutation": ALWAYS},
    is_for_gaps=True,
)

DUPLICATE_SEQUENCES = Lemma(
    name="duplicate-sequences",
    keeps="one plan",
    argument="no walk of the blank of up to ten moves has the effect of a shorter walk from the "
    "same cell, or of one of equal length that comes earlier in the order of the cells",
    encodings={"half-layer": Default(FROM_CELLS), "full-layer": Default(FROM_CELLS)},
    clauses=DuplicateWalks,
)


def forbid_going_back(builder: Builder, blanks: Sequence[BlankLayer]) -> None:
    """Forbid the blank to go straight back: the lemma `no-undo` for blank graphs."""
    for here, later in zip(blanks, blanks[2:], strict=False):
        for cell, literal in here.items():
            if cell in later:
                builder.clause(-literal, -later[cell])


def forbidden_operators(puzzle: Puzzle, shorter: bool, earlier: bool) -> list[tuple[int, ...]]:
    """Return sequences of up to three operators, by number, with the effect of another sequence.

    With `shorter`, those that a sequence of fewer operators replaces: no shortest plan contains
    one. With `earlier`, those that an earlier sequence of as many operators replaces: one shortest
    plan without them is left. None contains a shorter forbidden one. Length three is left out if
    there are too many sequences.
    """
    if not (shorter or earlier):
        return []
    # Only now is numpy needed.
    from plansolve.analysis import duplicate_sequences as duplicates

    keep = duplicates.ONE_PLAN if earlier else duplicates.EVERY_PLAN
    keep = keep if shorter else duplicates.SAME_LENGTH
    graph = duplicates.MoveGraph.of_puzzle(puzzle)
    starts = Counter[tuple[int, ...]]()
    for rows in duplicates.forbidden_sequences(graph, _LONGEST, keep, _MOST_SEQUENCES, _MOST_BYTES):
        starts.update(map(tuple, rows[:, 1:].tolist()))
    bound = {i for i, operator in enumerate(puzzle.operators) if operator.blank is not None}
    # Sequences that do not depend on the blank are forbidden for every place of it.
    return [
        sequence
        for sequence, count in starts.items()
        if count == graph.vertices or not bound.isdisjoint(sequence)
    ]


@lru_cache(maxsize=8)
def duplicate_walks(arcs: tuple[tuple[int, ...], ...]) -> list["NDArray[np.int64]"]:
    """Return the forbidden walks of 2, 3, ... moves, each as the rows of an array of cells.

    `arcs` has the cells to which the blank can go from each cell, in order. No walk contains a
    shorter one. Large boards get shorter walks than asked for.
    """
    from plansolve.analysis import duplicate_sequences as duplicates

    graph = duplicates.MoveGraph.of_blank(arcs)
    return duplicates.forbidden_sequences(
        graph, _LONGEST_WALK, duplicates.ONE_PLAN, _MOST_WALKS, _MOST_BYTES
    )
