"""The full-layer encoding, for any blank graph: the content of every cell after every move."""

from collections.abc import Collection

from plansolve.encoders.blank_walk import BlankLayer, BlankWalk, WalkDecoder, add_moves
from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.lemmas.reachability import TileBlankTimes
from plansolve.encoders.lemmas.registry import WASTE_COUNTER
from plansolve.encoders.lemmas.waste_counter import WasteCounter
from plansolve.model.problem import Problem

__all__ = ["FullLayer"]


class FullLayer:
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        graph = problem.blank_graph
        self._problem, self._graph = problem, graph
        self._walk = BlankWalk(problem, graph, lemmas)
        self._times = TileBlankTimes(problem, graph, lemmas)
        self._waste = WasteCounter(problem, lemmas) if WASTE_COUNTER in lemmas else None

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Writes "there is a plan of exactly `horizon` moves"; returns the decoder of models."""
        blanks = self._walk.encode(builder, horizon)
        layers = [self._rows(builder, t, horizon, blanks[t]) for t in range(horizon + 1)]
        for t, layer in enumerate(layers):
            for cell, row in layer.items():
                builder.exactly_one([*row, blanks[t].get(cell, FALSE)])
            for column in zip(*layer.values(), strict=True):
                builder.exactly_one(column)
        for t in range(horizon):
            for cell, after in layers[t + 1].items():
                leaves, arrives = blanks[t].get(cell, FALSE), blanks[t + 1].get(cell, FALSE)
                # The two directions say more than equality away from the blank.
                for old, new in zip(layers[t][cell], after, strict=True):
                    if old != new:
                        builder.clause(arrives, -old, new)
                        builder.clause(leaves, old, -new)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], layers[t], layers[t + 1])
        for t in range(1, horizon):
            self._times.add_mutexes(builder, t, horizon - t, layers[t], blanks[t])
        if self._waste:
            self._waste.encode(builder, blanks, layers)
        return WalkDecoder(self._problem, self._graph, blanks)

    def _rows(
        self, builder: Builder, t: int, horizon: int, blanks: BlankLayer
    ) -> dict[int, list[int]]:
        problem = self._problem
        if t in (0, horizon):
            if horizon == 0 and problem.start != problem.goal:
                builder.clause()
            return {
                cell: [TRUE if tile == content else FALSE for tile in problem.puzzle.tiles]
                for cell, content in enumerate(problem.goal if t else problem.start)
            }
        return {
            cell: self._times.new_row(builder, t, horizon - t, cell, blanks)
            for cell in range(problem.puzzle.cells)
        }
