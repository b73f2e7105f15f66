"""The half-layer encoding, for blank graphs whose cells have two colours.

Each move takes the blank to the other colour, so a cell's content can change only every second
move: a content variable is needed only for the cells of the colour that the blank is not on, half
of them for each t. The content of the other half is the one of t - 1, which is out of date
("stale") in the blank's own cell and nowhere else.
"""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.encoders.blank_walk import BlankLayer, BlankWalk, WalkDecoder, add_moves
from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.lemmas.away_counter import AwayCounter
from plansolve.encoders.lemmas.deep_lemmas import is_deep
from plansolve.encoders.lemmas.reachability import TileBlankTimes
from plansolve.encoders.lemmas.registry import AWAY_COUNTER, DUPLICATE_WORDS, PERIMETER
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.perimeter import Perimeter

__all__ = ["HalfLayer"]


class HalfLayer:
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        graph = problem.blank_graph
        assert graph.colouring is not None
        self._problem, self._graph = problem, graph
        self._colour = graph.colouring
        self._walk = BlankWalk(problem, graph, lemmas)
        self._times = TileBlankTimes(problem, graph, lemmas)
        self._counter = AwayCounter(problem, lemmas) if AWAY_COUNTER in lemmas else None
        self._lemmas = lemmas

    @cached_property
    def _perimeter(self) -> "Perimeter":
        # Only this lemma needs numba.
        from plansolve.encoders.lemmas.perimeter import Perimeter

        return Perimeter(self._problem)

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Writes "there is a plan of exactly `horizon` moves"; returns the decoder of models."""
        if horizon == 0 and self._problem.start != self._problem.goal:
            builder.clause()
        tiles, cells = self._problem.puzzle.tiles, range(self._problem.puzzle.cells)
        blanks = self._walk.encode(builder, horizon)
        # fresh[t]: the cells that the blank's colour leaves free to be written at t, with the
        # literal of each tile. at[t]: those, and the older ones of the other colour.
        fresh = [self._fresh_rows(builder, t, horizon, blanks[t]) for t in range(horizon + 1)]
        start = {cell: self._constants(self._problem.start[cell]) for cell in cells}
        at = [
            {
                cell: fresh[t][cell]
                if cell in fresh[t]
                else fresh[t - 1][cell]
                if t
                else start[cell]
                for cell in cells
            }
            for t in range(horizon + 1)
        ]
        for t in range(horizon + 1):
            for row in fresh[t].values():
                builder.exactly_one(row)
            for i in range(len(tiles)):
                builder.at_most_one(row[i] for row in fresh[t].values())
                builder.clause(*(row[i] for row in at[t].values()))
        for t in range(horizon):
            for cell, after in fresh[t + 1].items():
                builder.equal_rows((blanks[t].get(cell, FALSE),), at[t][cell], after)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], at[t], fresh[t + 1])
        for t in range(1, horizon):
            self._times.add_mutexes(builder, t, horizon - t, fresh[t], blanks[t])
        if self._counter:
            self._counter.encode(builder, blanks, at)
        if is_deep(self._problem, horizon):
            if DUPLICATE_WORDS in self._lemmas:
                # Only this lemma needs numpy.
                from plansolve.encoders.lemmas.duplicate_words import add_duplicate_words

                add_duplicate_words(builder, self._graph, blanks)
            if PERIMETER in self._lemmas and self._graph.is_symmetric:
                self._perimeter.add_clauses(builder, blanks)
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
