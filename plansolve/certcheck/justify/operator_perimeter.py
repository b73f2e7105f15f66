"""Sequences of operators that no plan in question begins or ends with, by search from both ends.

See `perimeter`. A board is told by the homes of what stands in its cells: those in the goal, or
those in the start for the search from the goal. Operators permute cells, whatever is in them. So
where each move can be taken back by one move, a board is as far from the start as it would be from
a goal like the start, and the same tables bound both.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify import perimeter_kernel as kernel
from plansolve.certcheck.justify.duplicates import DuplicateSequences
from plansolve.certcheck.justify.perimeter import SearchFromEnd, Walk
from plansolve.certcheck.justify.perimeter_bounds import PerimeterBounds
from plansolve.certcheck.justify.rules import Rules
from plansolve.certcheck.pattern_tables import free_table
from plansolve.certcheck.search.free_lookups import (
    can_be_taken_back,
    counted_as_odd,
    free_lookups,
    is_symmetry,
)
from plansolve.certcheck.search.moves import Effect, FreeMoves
from plansolve.certcheck.search.proof import MOST_ENTRIES
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import WORD_CELLS
from plansolve.model.structure import permutation_parity

__all__ = ["sequences_not_taken"]

_MOST_OPERATORS = 255
_AT_ONCE = 1 << 20
"""Steps between two looks at the clock."""


def sequences_not_taken(
    sequences: Collection[Walk],
    rules: Rules,
    duplicates: DuplicateSequences,
    bounds: PerimeterBounds,
    horizon: int,
    *,
    from_start: bool,
    deadline: float | None,
) -> set[Walk]:
    """Return those of the sequences that are not taken; all begin, or all end, with the plan.

    The search goes as far as the longest of them, or their depth if that is more. The bound on
    what is left is the largest of the lookups. Raise `ProofError` for lookups that are
    no bounds or too large, and `TimeoutError` at the deadline.
    """
    problem, puzzle = rules.problem, rules.problem.puzzle
    is_small = puzzle.cells <= WORD_CELLS and 0 < len(puzzle.operators) <= _MOST_OPERATORS
    if not is_small or not problem.structure.is_free:
        return set()
    free = FreeMoves(problem)
    if not free.sources or not (from_start or can_be_taken_back(free.sources)):
        return set()
    lookups = _lookups(free, bounds)
    step = 1 if from_start else -1
    search = _SequenceSearch(
        problem, duplicates, lookups, from_start, any(counted_as_odd(free.is_odd))
    )
    asked = {sequence[::step] for sequence in sequences}
    depth = max(bounds.depth["goal" if from_start else "start"], *map(len, asked))
    search.run(depth, horizon, deadline)
    return {sequence[::step] for sequence in search.pruned(asked)}


def _lookups(free: FreeMoves, bounds: PerimeterBounds) -> kernel.Bounds:
    """Return the lookups, each of which is a bound of its own; raise `ProofError`."""
    for number, image in enumerate(bounds.symmetries):
        if not is_symmetry(image, free.sources):
            raise ProofError(f"legend: symmetry {number} does not keep the rules")
    if any(look.is_inverse for look in bounds.lookups) and not can_be_taken_back(free.sources):
        raise ProofError(
            "legend: an inverse board is looked up, but some move cannot be taken back"
        )
    odd = counted_as_odd(free.is_odd)
    entries = sum((1 + any(odd)) * free.cells ** len(homes) for homes in bounds.tables)
    if entries > MOST_ENTRIES:
        raise ProofError(f"legend: tables of {entries:,} entries are more than are built here")
    tables = [(homes, _table(free.sources, odd, homes)) for homes in bounds.tables]
    lookups = free_lookups(free.cells, any(odd), tables, bounds.symmetries, bounds.lookups)
    return kernel.Bounds(lookups, np.arange(len(bounds.lookups)))


@lru_cache(maxsize=4)
def _table(sources: tuple[Effect, ...], odd: tuple[bool, ...], homes: tuple[int, ...]) -> Array:
    """Return a table, which the next length and the next problem with these moves have as well."""
    return free_table(sources, odd, homes)


class _SequenceSearch(SearchFromEnd):
    """One along operators; a step ends with the operator."""

    def __init__(
        self,
        problem: Problem,
        duplicates: DuplicateSequences,
        bounds: kernel.Bounds,
        from_start: bool,
        counts_odd: bool,
    ) -> None:
        puzzle = problem.puzzle
        here, there = problem.start, problem.goal
        if not from_start:
            here, there = there, here
        board = [there.index(piece) for piece in here]
        identity = tuple(range(puzzle.cells))
        source = np.array([operator.apply(identity) for operator in puzzle.operators], np.uint8)
        odd = np.array([permutation_parity(row, identity) for row in source.tolist()], np.uint8)
        if not from_start:
            source = np.argsort(source, axis=1).astype(np.uint8)
        operators = range(len(source))
        # May o follow p in the search? In the last row, where there is no p. Other walks reach the
        # same boards anyway; but as the encoder leaves these out, what it calls a dead end is one.
        may_follow = np.zeros((len(source) + 1, len(source)), np.bool_)
        for o in operators:
            may_follow[-1, o] = not duplicates.are_replaced((o,))
            for p in operators:
                pair = (p, o) if from_start else (o, p)
                may_follow[p, o] = not duplicates.are_replaced(pair)
        self._may_follow = may_follow & may_follow[-1]
        self._from_start = from_start
        super().__init__(
            board,
            len(source),
            kernel.CellMoves(source, odd * counts_odd),
            bounds,
            is_odd=counts_odd and permutation_parity(tuple(board), identity) == 1,
        )

    def _steps(self, layer: Array, last: Array, done: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the steps of some boards, or, from the goal, those that begin with one operator."""
        if self._from_start:
            at_once = _AT_ONCE // len(self._may_follow)
            for begin in range(0, len(layer), at_once):
                some = slice(begin, begin + at_once)
                places, moves = np.nonzero(self._may_follow[last[some]])
                yield layer[some][places], moves, moves
            return
        for move, follows in enumerate(self._may_follow.T):
            nodes = layer[follows[last]]
            moves = np.full(len(nodes), move)
            for begin in range(0, len(nodes), _AT_ONCE):
                some = slice(begin, begin + _AT_ONCE)
                yield nodes[some], moves[some], moves[some]

    def _moves_of(self, walks: Array) -> tuple[Array, Array]:
        return walks, walks
