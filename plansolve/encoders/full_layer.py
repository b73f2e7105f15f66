"""The full-layer encoding, for any blank graph: the content of every cell after every move."""

from collections.abc import Collection

from plansolve.encoders.blank_walk import BlankLayer, BlankWalk, add_moves, walk_decoder
from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.lemmas import DISTANCE, TILE_BLANK
from plansolve.encoders.reachability import TileBlankTimes
from plansolve.model.problem import Problem

__all__ = ["FullLayer"]


class FullLayer:
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        graph = problem.structure.blank_graph
        assert graph is not None
        self._problem, self._graph, self._lemmas = problem, graph, lemmas
        self._walk = BlankWalk(problem, graph, lemmas)
        self._times = TileBlankTimes(problem, graph)

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
                for old, new in zip(layers[t][cell], after, strict=True):
                    builder.clause(arrives, -old, new)
                    builder.clause(leaves, old, -new)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], layers[t], layers[t + 1])
        if TILE_BLANK in self._lemmas:
            for t in range(1, horizon):
                self._times.add_mutexes(builder, t, horizon - t, layers[t], blanks[t])
        return walk_decoder(self._graph, blanks)

    def _rows(
        self, builder: Builder, t: int, horizon: int, blanks: BlankLayer
    ) -> dict[int, list[int]]:
        tiles = self._problem.puzzle.tiles
        if t in (0, horizon):
            board = self._problem.goal if t else self._problem.start
            return {
                cell: [TRUE if tile == content else FALSE for tile in tiles]
                for cell, content in enumerate(board)
            }
        return {
            cell: [
                builder.new()
                if DISTANCE not in self._lemmas
                or self._times.possible_anywhere(t, horizon - t, tile, cell, blanks)
                else FALSE
                for tile in tiles
            ]
            for cell in range(self._problem.puzzle.cells)
        }
