"""The waste counter: how far the moves of a plan fall short of bringing the tiles home.

D is the sum of the tiles' one-tile distances to their goal cells. A move moves one tile, so it
brings D down by at most one; its *waste* is 1 + the change of D, at least 0. A plan of T moves
brings D from its value s at the start to 0, so that the waste of its moves adds up to T - s.

Where every waste is even it is counted in units of two. On boards of sliding tiles a move then
wastes one unit or none: it leads its tile away from its goal cell, or nearer to it. What a board
forces beyond D (linear conflicts, the excess of patterns) is waste that is still to come.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise

from plansolve.bounds.distance import tile_distance_sum
from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.lemma import ALWAYS, Default, Layers, Lemma
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE

__all__ = ["WASTE_COUNTER", "waste_unit"]


def waste_unit(problem: Problem) -> int:
    """What the waste of moves is counted in: 2 where that of each move is even, else 1."""
    return 1 if any(waste % 2 for waste in _wastes(problem)) else 2


def _wastes(problem: Problem) -> set[int]:
    """The wastes that moves of single tiles have."""
    distances = _distances(problem)
    return {
        1 + steps[cell] - steps[target]
        for cell, targets in enumerate(problem.blank_graph.successors)
        for target in targets
        for steps in distances
        if steps[cell] != UNREACHABLE != steps[target]
    }


def _distances(problem: Problem) -> list[list[int]]:
    """For each tile the distances of the cells from its goal cell."""
    home, structure = problem.home, problem.structure
    return [structure.tile_distances_to(home[tile]) for tile in problem.puzzle.tiles]


class WasteCounter:
    """Counts the waste of all moves; for any blank graph."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._successors = problem.blank_graph.successors
        self._distances = _distances(problem)
        self._sum = tile_distance_sum(problem)
        self._unit = waste_unit(problem)
        self._most = max(_wastes(problem), default=0) // self._unit
        self._on_top = [lemma.forced_waste(problem) for lemma in on_top if lemma.forced_waste]

    def add(self, builder: Builder, layers: Layers) -> None:
        """Add the counter, and what the lemmas on top of it force."""
        horizon = layers.horizon
        total, rest = divmod(horizon - self._sum, self._unit)
        if rest or total < 0:
            builder.clause()
            return
        levels = min(self._most, total)
        # wasted[t][j - 1]: move t + 1 wastes j units or more (an order encoding).
        wasted = [[builder.new("waste", t, j + 1) for j in range(levels)] for t in range(horizon)]
        if self._unit > 1:
            builder.note("unit", self._unit)
        for t in range(horizon):
            for less, more in pairwise(wasted[t]):
                builder.clause(-more, less)
            self._define(builder, wasted[t], total, layers, t)
        counter = builder.prefix_counter([w for units in wasted for w in units], total)
        for t in range(1, horizon):
            for lemma in self._on_top:
                for literals in lemma.forced(builder, t, layers, total):
                    counter.limit(t * levels, literals)

    def _define(
        self, builder: Builder, wasted: Sequence[int], total: int, layers: Layers, t: int
    ) -> None:
        """Fix the waste of move t + 1 by the blank's way and the tile that it meets."""
        there = layers.blanks[t + 1]
        for cell, blank in layers.blanks[t].items():
            for target in self._successors[cell]:
                if target not in there:
                    continue
                for literal, steps in zip(layers.at[t][target], self._distances, strict=True):
                    # From such a cell a tile never gets home, so it is not there.
                    if literal == FALSE or steps[target] == UNREACHABLE:
                        continue
                    waste = (1 + steps[cell] - steps[target]) // self._unit
                    move = (-blank, -there[target], -literal)
                    if waste > total:
                        builder.clause(*move)
                        continue
                    # The other levels follow.
                    if waste:
                        builder.clause(*move, wasted[waste - 1])
                    if waste < len(wasted):
                        builder.clause(*move, -wasted[waste])


WASTE_COUNTER = Lemma(
    name="waste-counter",
    keeps="every plan",
    argument="a move brings the sum of tile distances down by at most one, and what the T moves "
    "fall short of that adds up to T - sum",
    encodings={"half-layer": ALWAYS, "full-layer": Default(0)},
    clauses=WasteCounter,
)
