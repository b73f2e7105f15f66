"""Short sequences of operators that a shortest plan need not contain.

They are the forbidden sequences of `analysis.duplicate_sequences`, which gives the argument for
them, from every cell that the blank may be in.
"""

from collections import Counter

from plansolve.analysis.duplicate_sequences import (
    EVERY_PLAN,
    ONE_PLAN,
    SAME_LENGTH,
    MoveGraph,
    forbidden_sequences,
)
from plansolve.model.puzzle import Puzzle

__all__ = ["forbidden_operators"]

_LONGEST = 3
_MOST_SEQUENCES = 60_000
_MOST_BYTES = 64 << 20


def forbidden_operators(puzzle: Puzzle, shorter: bool, earlier: bool) -> list[tuple[int, ...]]:
    """Sequences of up to three operators, by number, whose effect another sequence has as well.

    With `shorter`, those that a sequence of fewer operators replaces: no shortest plan contains
    one. With `earlier`, those that one of as many operators replaces which comes before it in the
    order of the operators: one shortest plan without them is left. None contains a shorter
    forbidden one. Length three is left out where there are too many sequences to look at.
    """
    keep = SAME_LENGTH if not shorter else ONE_PLAN if earlier else EVERY_PLAN
    graph = MoveGraph.of_puzzle(puzzle)
    starts = Counter[tuple[int, ...]]()
    for rows in forbidden_sequences(graph, _LONGEST, keep, _MOST_SEQUENCES, _MOST_BYTES):
        starts.update(map(tuple, rows[:, 1:].tolist()))
    bound = {i for i, operator in enumerate(puzzle.operators) if operator.blank is not None}
    # What the blank's place does not decide must be forbidden wherever the blank is.
    return [
        sequence
        for sequence, count in starts.items()
        if count == graph.vertices or not bound.isdisjoint(sequence)
    ]
