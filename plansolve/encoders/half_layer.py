"""The half-layer encoding, for blank graphs whose cells have two colours.

Each move takes the blank to the other colour, so a cell's content can change only every second
move: a content variable is needed only for the cells of the colour that the blank is not on, half
of them for each t. The content of the other half is the one of t - 1, which is out of date
("stale") in the blank's own cell and nowhere else.
"""

from collections.abc import Collection

from plansolve.encoders.blank_walk import BlankWalk, WalkDecoder, add_moves
from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.encoding import Encoding
from plansolve.encoders.lemmas.distance import TileBlankTimes
from plansolve.encoders.lemmas.lemma import BlankLayer, Layers
from plansolve.encoders.lemmas.registry import prepare
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import Structure

__all__ = ["HALF_LAYER", "HalfLayer"]


class HalfLayer:
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        graph = problem.blank_graph
        assert graph.colouring is not None
        self._problem, self._graph = problem, graph
        self._colour = graph.colouring
        self._walk = BlankWalk(problem, graph, lemmas)
        self._times = TileBlankTimes(problem, graph, lemmas)
        self._first = prepare(problem, lemmas, is_first=True)
        self._lemmas = prepare(problem, lemmas)

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Write "there is a plan of exactly `horizon` moves"; return the decoder of models."""
        if horizon == 0 and self._problem.start != self._problem.goal:
            builder.clause()
        tiles = range(len(self._problem.puzzle.tiles))
        blanks = self._walk.encode(builder, horizon)
        for lemma in self._first:
            lemma.add(builder, Layers(blanks=blanks))
            if builder.is_contradiction:
                return WalkDecoder(self._problem, self._graph, blanks)
        # fresh[t]: the cells that the blank's colour leaves free to be written at t, with the
        # literal of each tile. at[t]: those, and the older ones of the other colour.
        fresh = [self._fresh_rows(builder, t, horizon, blanks[t]) for t in range(horizon + 1)]
        at = [[self._constants(content) for content in self._problem.start]]
        for written in fresh:
            at.append([written.get(cell, row) for cell, row in enumerate(at[-1])])
        del at[0]
        for t in range(horizon + 1):
            for row in fresh[t].values():
                builder.exactly_one(row)
            for i in tiles:
                builder.at_most_one(row[i] for row in fresh[t].values())
                builder.clause(*(row[i] for row in at[t]))
        for t in range(horizon):
            for cell, after in fresh[t + 1].items():
                builder.equal_rows((blanks[t].get(cell, FALSE),), at[t][cell], after)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], at[t], at[t + 1])
        for t in range(1, horizon):
            self._times.add_mutexes(builder, t, horizon - t, fresh[t].items(), blanks[t])
        for lemma in self._lemmas:
            lemma.add(builder, Layers(at, blanks, is_stale=True))
        return WalkDecoder(self._problem, self._graph, blanks)

    def _fresh_rows(
        self, builder: Builder, t: int, horizon: int, blanks: BlankLayer
    ) -> dict[int, list[int]]:
        problem = self._problem
        blank_colour = self._colour[problem.start.index(BLANK)] ^ (t & 1)
        rows = {}
        for cell, colour in enumerate(self._colour):
            if colour == blank_colour:
                continue
            if t == 0:
                rows[cell] = self._constants(problem.start[cell])
                if horizon <= 1 and problem.goal[cell] not in (BLANK, problem.start[cell]):
                    builder.clause()
            elif t >= horizon - 1 and problem.goal[cell] != BLANK:
                # Not written again before the end.
                rows[cell] = self._constants(problem.goal[cell])
            else:
                rows[cell] = self._times.new_row(builder, t, horizon - t, cell, blanks)
        return rows

    def _constants(self, content: int) -> list[int]:
        return [TRUE if tile == content else FALSE for tile in self._problem.puzzle.tiles]


def _is_two_coloured(structure: Structure) -> bool:
    return structure.blank_graph is not None and structure.blank_graph.colouring is not None


HALF_LAYER = Encoding(
    name="half-layer",
    needs="a blank graph with two colours",
    fits=_is_two_coloured,
    prepare=HalfLayer,
)
