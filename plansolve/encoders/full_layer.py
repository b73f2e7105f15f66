"""The full-layer encoding, for any blank graph: the content of every cell after every move."""

from collections.abc import Collection

from plansolve.encoders.blank_walk import BlankWalk, WalkDecoder, add_moves
from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.encoding import Encoding
from plansolve.encoders.lemmas.distance import TileBlankTimes
from plansolve.encoders.lemmas.lemma import BlankLayer, Layers
from plansolve.encoders.lemmas.registry import prepare
from plansolve.model.problem import Problem

__all__ = ["FULL_LAYER", "FullLayer"]


class FullLayer:
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        graph = problem.blank_graph
        self._problem, self._graph = problem, graph
        self._walk = BlankWalk(problem, graph, lemmas)
        self._times = TileBlankTimes(problem, graph, lemmas)
        self._first = prepare(problem, lemmas, is_first=True)
        self._lemmas = prepare(problem, lemmas)

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Write "there is a plan of exactly `horizon` moves"; return the decoder of models."""
        blanks = self._walk.encode(builder, horizon)
        for lemma in self._first:
            lemma.add(builder, Layers(blanks=blanks))
            if builder.is_contradiction:
                return WalkDecoder(self._problem, self._graph, blanks)
        layers = [self._rows(builder, t, horizon, blanks[t]) for t in range(horizon + 1)]
        for t, layer in enumerate(layers):
            for cell, row in enumerate(layer):
                builder.exactly_one([*row, blanks[t].get(cell, FALSE)])
            for column in zip(*layer, strict=True):
                builder.exactly_one(column)
        for t in range(horizon):
            for cell, after in enumerate(layers[t + 1]):
                leaves, arrives = blanks[t].get(cell, FALSE), blanks[t + 1].get(cell, FALSE)
                # The two directions say more than equality away from the blank.
                for old, new in zip(layers[t][cell], after, strict=True):
                    if old != new:
                        builder.clause(arrives, -old, new)
                        builder.clause(leaves, old, -new)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], layers[t], layers[t + 1])
        for t in range(1, horizon):
            self._times.add_mutexes(builder, t, horizon - t, enumerate(layers[t]), blanks[t])
        for lemma in self._lemmas:
            lemma.add(builder, Layers(layers, blanks))
        return WalkDecoder(self._problem, self._graph, blanks)

    def _rows(self, builder: Builder, t: int, horizon: int, blanks: BlankLayer) -> list[list[int]]:
        problem = self._problem
        if t in (0, horizon):
            if horizon == 0 and problem.start != problem.goal:
                builder.clause()
            return [
                [TRUE if tile == content else FALSE for tile in problem.puzzle.tiles]
                for content in (problem.goal if t else problem.start)
            ]
        return [
            self._times.new_row(builder, t, horizon - t, cell, blanks)
            for cell in range(problem.puzzle.cells)
        ]


FULL_LAYER = Encoding(
    name="full-layer",
    needs="a blank graph",
    fits=lambda structure: structure.blank_graph is not None,
    prepare=FullLayer,
)
