"""Sequences of operators that no shortest plan need begin or end with, by search from both ends.

As `perimeter_search` does for walks of the blank: a breadth-first search over boards from the
start, and one from the goal against the moves, prune a sequence where the bound of its last board
exceeds the moves that are left, and where the board is known. Each operator permutes the cells,
whatever is in them. Of the shortest plans take the one that comes first in the order of the
operators. No part of it leads from one board to another that a shorter sequence, or an earlier one
of the same length, joins as well, so it is left.

The bound is the largest of many lookups in pattern databases. Where each move can be taken back,
boards are as far from the start as the start, put in the goal's place, is from them: then the same
databases serve the search from the goal. Elsewhere there is none from there.
"""

from collections.abc import Sequence
from functools import cached_property
from math import factorial

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import Builder
from plansolve.encoders.bulk import add_clauses
from plansolve.encoders.lemmas.board_search import MOST_BOARDS, BoardSearch
from plansolve.encoders.lemmas.operator_search_kernel import (
    ArrangementLookups,
    OperatorSteps,
    expand_operators,
)
from plansolve.encoders.lemmas.operator_sequences import forbidden_operators
from plansolve.model.problem import Problem
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.permutation_rules import PermutationRules, permutation_rules
from plansolve.storage.notices import notify_tables
from plansolve.storage.store import Store

__all__ = ["OperatorPerimeter"]

_DEEPEST = 40
# Steps that clauses may tell of; more take longer to read than they save.
_MOST_TOLD = 4_000_000


class OperatorPerimeter:
    """Searches from both ends of one problem, for any horizon; no move may depend on a blank."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        puzzle = problem.puzzle
        rules = permutation_rules(puzzle)
        assert rules is not None
        self._rules: PermutationRules = rules
        identity = tuple(range(puzzle.cells))
        self._source = np.array([op.apply(identity) for op in puzzle.operators], np.uint8)
        operators = len(self._source)
        self._left_out = np.zeros((operators + 1, operators), np.bool_)
        for sequence in forbidden_operators(puzzle, shorter=True, earlier=True):
            if len(sequence) == 1:
                self._left_out[:, sequence[0]] = True
            elif len(sequence) == 2:
                self._left_out[sequence] = True

    @cached_property
    def _lookups(self) -> ArrangementLookups:
        chooser = permutation_chooser(self._problem.puzzle)
        # The usual size, whatever the store holds: the formula depends on the problem alone.
        found = chooser.lookups(chooser.usual, store=Store(), tell=notify_tables)
        columns = found.contribution.reshape(-1, found.width)[:, : found.count]
        return ArrangementLookups(
            found.table,
            np.ascontiguousarray(columns),
            found.base[: found.count],
            found.parity[: found.count],
        )

    @cached_property
    def _notes(self) -> list[tuple[int | str, ...]]:
        """The tables by the homes of their tiles, the maps of the cells, and the lookups."""
        chooser = permutation_chooser(self._problem.puzzle)
        patterns, images = chooser.images(chooser.usual)
        maps = list(dict.fromkeys(image for _, image in images))
        notes: list[tuple[int | str, ...]] = [("table", *homes) for homes in patterns]
        notes += [("symmetry", *image) for image in maps]
        notes += [
            ("lookup", number, maps.index(image), inverse)
            for inverse in range(1 + self._rules.is_inverse_closed)
            for number, image in images
        ]
        return notes

    def add(self, builder: Builder, chosen: Sequence[Sequence[int]]) -> None:
        """Forbid what the searches prune; `chosen[t]` are the literals of move t's operators."""
        for words in self._notes:
            builder.note(*words)
        literals = np.array(chosen, np.int64).reshape(len(chosen), len(self._source))
        start, goal = self._problem.start, self._problem.goal
        self._add(builder, literals, [goal.index(content) for content in start], False)
        if not builder.is_contradiction and self._rules.is_inverse_closed:
            self._add(builder, literals[::-1], [start.index(content) for content in goal], True)

    def _add(
        self,
        builder: Builder,
        literals: NDArray[np.int64],
        arrangement: list[int],
        is_reversed: bool,
    ) -> None:
        """Search from one end; `literals[d]` are those of the operators after d moves from it."""
        horizon = len(literals)
        source, left_out = self._source, self._left_out
        if is_reversed:
            source = np.argsort(source, axis=1).astype(np.uint8)
            left_out = np.vstack((left_out[:-1].T, left_out[-1:]))
        steps = OperatorSteps(source, np.ascontiguousarray(left_out))
        search = _OperatorSearch(arrangement, steps, self._lookups, is_reversed)
        for depth in range(1, min(_DEEPEST, horizon) + 1):
            if not search.step(horizon - depth):
                break
        search.propagate_dead_ends()
        builder.note("depth", "start" if is_reversed else "goal", search.depth)
        builder.boards_searched += search.boards
        for sequences in search.pruned():
            # The first column is no operator.
            moves = sequences[:, 1:]
            add_clauses(builder, -literals[np.arange(moves.shape[1]), moves])


class _OperatorSearch(BoardSearch):
    """One along operators; what a move adds is the operator."""

    def __init__(
        self,
        arrangement: list[int],
        steps: OperatorSteps,
        lookups: ArrangementLookups,
        is_reversed: bool,
    ) -> None:
        self._operators = len(steps.source)
        most = min(MOST_BOARDS, factorial(len(arrangement)))
        super().__init__(arrangement, 0, most, _MOST_TOLD // self._operators)
        # How many children are new is not known before.
        self._reserve(most)
        self._steps_by, self._lookups, self._is_reversed = steps, lookups, is_reversed

    def step(self, left: int) -> bool:
        """Go one layer further, from where `left` moves are left; return False without room."""
        begin, count = self._layers[-2:]
        is_told = begin <= self._told
        pruned = np.empty(((count - begin) * self._operators * is_told, 2), np.int64)
        count, number = expand_operators(
            begin, count, left, self._is_reversed, self._steps_by, self._known, self._lookups,
            pruned,
        )  # fmt: skip
        if count < 0:
            return False
        self._layers.append(count)
        self._pruned.append(pruned[:number].copy())
        return True
