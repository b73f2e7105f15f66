"""The away-move counter, and what other lemmas add to it.

Where each move changes the sum of the tiles' distances to their goals by exactly one, a plan of T
moves has exactly (T - sum) / 2 moves that lead away from the goal. Two tiles in conflict in a
line need one more of them, which must still be to come; so do the tiles of a minimal placement.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.bounds.distance import tile_distance_sum
from plansolve.bounds.linear_conflict import lines, reversed_pairs
from plansolve.encoders.blank_walk import BlankLayer
from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.deep_lemmas import is_deep
from plansolve.encoders.lemmas.registry import LINEAR_CONFLICT, PATTERN_EXCESS
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.pattern_excess import PatternExcess

__all__ = ["AwayCounter"]


class AwayCounter:
    """Counts the moves that lead away; for symmetric, two-coloured blank graphs.

    Elsewhere a move may change the sum by something else than one, and nothing is added.
    """

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        graph = problem.blank_graph
        self._problem = problem
        self._successors = graph.successors
        self._applies = graph.is_symmetric and graph.colouring is not None
        self._distances = [
            problem.structure.tile_distances_to(problem.home[tile]) for tile in problem.puzzle.tiles
        ]
        self._sum = tile_distance_sum(problem)
        self._conflicts = (
            [(line, reversed_pairs(line, problem.goal)) for line in lines(problem.structure)]
            if LINEAR_CONFLICT in lemmas
            else []
        )
        self._has_patterns = PATTERN_EXCESS in lemmas

    @cached_property
    def _patterns(self) -> "PatternExcess":
        # Only this lemma needs numpy and numba.
        from plansolve.encoders.lemmas.pattern_excess import PatternExcess

        return PatternExcess(self._problem)

    def encode(
        self,
        builder: Builder,
        blanks: Sequence[BlankLayer],
        at: Sequence[Mapping[int, Sequence[int]]],
    ) -> None:
        """Adds the counter, and the lemmas on top of it that are asked for.

        `at[t][cell]` holds the literal of each tile; it need not be right in the blank's cell.
        """
        if not self._applies:
            return
        horizon = len(blanks) - 1
        away = [builder.new("waste", t, 1) for t in range(horizon)]
        builder.note("unit", 2)
        for t in range(horizon):
            self._define_away(builder, away[t], blanks[t], blanks[t + 1], at[t])
        counter = builder.prefix_counter(away, (horizon - self._sum) // 2)
        has_patterns = self._has_patterns and is_deep(self._problem, horizon)
        for t in range(1, horizon):
            counter.limit(t, self._conflict_indicators(builder, t, blanks[t], at[t]))
            if has_patterns:
                for literals in self._patterns.indicators(builder, t, blanks[t], at[t]):
                    counter.limit(t, literals)

    def _define_away(
        self,
        builder: Builder,
        away: int,
        here: BlankLayer,
        there: BlankLayer,
        row: Mapping[int, Sequence[int]],
    ) -> None:
        for cell, blank in here.items():
            for target in self._successors[cell]:
                if target in there:
                    for literal, steps in zip(row[target], self._distances, strict=True):
                        if literal != FALSE:
                            leads = away if steps[cell] > steps[target] else -away
                            builder.clause(-blank, -there[target], -literal, leads)

    def _conflict_indicators(
        self, builder: Builder, t: int, blanks: BlankLayer, row: Mapping[int, Sequence[int]]
    ) -> list[int]:
        """One literal a line, implied by each pair of tiles that are reversed in it."""
        indicators = []
        for line, pairs in self._conflicts:
            clauses = []
            for (a, cell_a), (b, cell_b) in pairs:
                first, second = row[cell_a][a - 1], row[cell_b][b - 1]
                if first != FALSE and second != FALSE:
                    # A literal is out of date in the blank's cell: there it proves nothing.
                    stale = (blanks.get(cell_a, FALSE), blanks.get(cell_b, FALSE))
                    clauses.append((-first, -second, *stale))
            if clauses:
                indicators.append(builder.new("conflict", t, *line))
                for clause in clauses:
                    builder.clause(*clause, indicators[-1])
        return indicators
