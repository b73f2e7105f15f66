"""The waste counter: by how much the moves of a plan fall short of bringing the tiles home.

D is the sum of the tiles' one-tile distances to their goal cells. A move moves one tile, so it
brings D down by at most one; its *waste* is 1 + the change of D, at least 0. A plan of T moves
brings D from its value s at the start to 0, so that the waste of its moves adds up to T - s.

If every waste is even it is counted in units of two. On boards of sliding tiles a move then wastes
one unit or none: it leads its tile away from its goal cell, or nearer to it.

Linear conflicts are waste that is still to come (Hansson, Mayer, Yung 1992). Two tiles whose homes
are in their line, in reverse order, must pass each other: one of them leaves the line, which wastes
two moves. A move leaves one line only, so the waste forced for several lines adds up.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise

from plansolve.bounds.distance import tile_distance_sum
from plansolve.bounds.linear_conflict import lines, reversed_pairs
from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.lemma import ALWAYS, Default, Layers, Lemma
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE


class WasteCounter:
    """Counts the waste of all moves; for any blank graph."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._successors, structure = problem.blank_graph.successors, problem.structure
        # For each tile, the distances of the cells from its goal cell.
        self._distances = [
            structure.tile_distances_to(problem.home[tile]) for tile in problem.puzzle.tiles
        ]
        self._sum = tile_distance_sum(problem)
        wastes = {
            1 + steps[cell] - steps[target]
            for cell, targets in enumerate(self._successors)
            for target in targets
            for steps in self._distances
            if steps[cell] != UNREACHABLE != steps[target]
        }
        self._unit = 1 if any(waste % 2 for waste in wastes) else 2
        self._most = max(wastes, default=0) // self._unit
        self._conflicts = [
            reversed_pairs(line, problem.goal)
            for line in lines(structure)
            if LINEAR_CONFLICT in on_top
        ]

    def add(self, builder: Builder, layers: Layers) -> None:
        """Add the counter, and what the lemmas on top of it force."""
        horizon = layers.horizon
        total, rest = divmod(horizon - self._sum, self._unit)
        if rest or total < 0:
            builder.clause()
            return
        levels = min(self._most, total)
        # wasted[t][j - 1]: move t + 1 wastes j units or more (an order encoding).
        wasted = [[builder.new() for _ in range(levels)] for t in range(horizon)]
        for t in range(horizon):
            for less, more in pairwise(wasted[t]):
                builder.clause(-more, less)
            self._define(builder, wasted[t], total, layers, t)
        counter = builder.prefix_counter([w for units in wasted for w in units], total)
        for t in range(1, horizon if self._conflicts else 0):
            counter.limit(t * levels, self._conflict(builder, layers, t))

    def _conflict(self, builder: Builder, layers: Layers, t: int) -> list[int]:
        """Return a literal for each line, implied by each pair of tiles that are reversed in it."""
        row, stale = layers.at[t], layers.stale(t)
        indicators = []
        for pairs in self._conflicts:
            clauses = []
            for (a, cell_a), (b, cell_b) in pairs:
                first, second = row[cell_a][a - 1], row[cell_b][b - 1]
                if first != FALSE and second != FALSE:
                    out_of_date = (stale.get(cell_a, FALSE), stale.get(cell_b, FALSE))
                    clauses.append((-first, -second, *out_of_date))
            if clauses:
                indicators.append(builder.new())
                for clause in clauses:
                    builder.clause(*clause, indicators[-1])
        return indicators

    def _define(
        self, builder: Builder, wasted: Sequence[int], total: int, layers: Layers, t: int
    ) -> None:
        """Fix the waste of move t + 1 by the blank's move and the tile that it meets."""
        there = layers.blanks[t + 1]
        for cell, blank in layers.blanks[t].items():
            for target in self._successors[cell]:
                if target not in there:
                    continue
                for literal, steps in zip(layers.at[t][target], self._distances, strict=True):
                    # From such a cell a tile never gets home, so it is never there.
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
    argument="a move lowers the sum of tile distances by at most one; its waste is 1 + the change "
    "of the sum, and the wastes of all moves add up to T - the sum of the start",
    encodings={"half-layer": ALWAYS, "full-layer": Default(0)},
    clauses=WasteCounter,
)

LINEAR_CONFLICT = Lemma(
    name="linear-conflict",
    keeps="every plan",
    argument="two tiles that must pass each other in their goal line waste two more moves for "
    "that line (Hansson, Mayer, Yung 1992)",
    encodings={"half-layer": ALWAYS},
    base=WASTE_COUNTER.name,
)
