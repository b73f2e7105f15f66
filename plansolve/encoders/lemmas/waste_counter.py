"""The waste counter of blank graphs in which a move may change the distances by more than one.

D is the sum of the tiles' one-tile distances to their goal cells. A move moves one tile, so it
brings D down by at most one; its *waste* is 1 + the change of D, at least 0. A plan of T moves
brings D from its value s at the start to 0, so that the waste of its moves adds up to T - s.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from plansolve.bounds.distance import tile_distance_sum
from plansolve.encoders.blank_walk import BlankLayer
from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.registry import WASTE_EXCESS
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE

__all__ = ["WasteCounter"]


class WasteCounter:
    """Counts the waste of all moves; for any blank graph."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        structure, home = problem.structure, problem.home
        self._successors = problem.blank_graph.successors
        self._distances = [structure.tile_distances_to(home[t]) for t in problem.puzzle.tiles]
        self._sum = tile_distance_sum(problem)
        self._most = max(
            (
                1 + steps[cell] - steps[target]
                for cell, targets in enumerate(self._successors)
                for target in targets
                for steps in self._distances
                if steps[cell] != UNREACHABLE != steps[target]
            ),
            default=0,
        )
        self._excess = None
        if WASTE_EXCESS in lemmas:
            # Only this lemma needs numpy.
            from plansolve.encoders.lemmas.waste_excess import WasteExcess

            self._excess = WasteExcess(problem)

    def encode(
        self,
        builder: Builder,
        blanks: Sequence[BlankLayer],
        layers: Sequence[Mapping[int, Sequence[int]]],
    ) -> None:
        """Adds the counter, and the excess of patterns of tiles if asked for.

        `layers[t][cell]` holds the literal of each tile after t moves.
        """
        horizon = len(blanks) - 1
        total = horizon - self._sum
        if total < 0:
            builder.clause()
            return
        levels = min(self._most, total)
        # wasted[t][j - 1]: move t + 1 has a waste of j or more.
        wasted = [[builder.new("waste", t, j + 1) for j in range(levels)] for t in range(horizon)]
        for t in range(horizon):
            for less, more in pairwise(wasted[t]):
                builder.clause(-more, less)
            self._define(builder, wasted[t], total, blanks[t], blanks[t + 1], layers[t])
        counter = builder.prefix_counter([w for ladder in wasted for w in ladder], total)
        if self._excess:
            for t in range(1, horizon):
                for indicators in self._excess.indicators(builder, t, layers[t], horizon, total):
                    counter.limit(t * levels, indicators)

    def _define(
        self,
        builder: Builder,
        ladder: Sequence[int],
        total: int,
        here: BlankLayer,
        there: BlankLayer,
        rows: Mapping[int, Sequence[int]],
    ) -> None:
        """Fixes the waste of one move by the blank's way and the tile that it meets."""
        for cell, blank in here.items():
            for target in self._successors[cell]:
                if target not in there:
                    continue
                for literal, steps in zip(rows[target], self._distances, strict=True):
                    # From such a cell a tile never gets home, so it is not there.
                    if literal == FALSE or steps[target] == UNREACHABLE:
                        continue
                    waste = 1 + steps[cell] - steps[target]
                    move = (-blank, -there[target], -literal)
                    if waste > total:
                        builder.clause(*move)
                        continue
                    # The rest of the ladder follows.
                    if waste:
                        builder.clause(*move, ladder[waste - 1])
                    if waste < len(ladder):
                        builder.clause(*move, -ladder[waste])
