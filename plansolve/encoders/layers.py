"""The encodings for blank graphs: the walk of the blank, and the contents of cells after each move.

*Full layers* hold the content of every cell after every move, for any blank graph. *Half layers*
are for graphs whose cells have two colours. There each move takes the blank to the other colour, so
a cell's content can change only every second move. Variables are needed only for the contents of
cells whose colour is not that of the blank's cell: half of the cells for each t. The other half has
the contents of t - 1, which are out of date ("stale") only in the blank's own cell.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.encoding import Encoding
from plansolve.encoders.lemmas.distance import DISTANCE, TileBlankTimes
from plansolve.encoders.lemmas.duplicate_sequences import NO_UNDO, forbid_going_back
from plansolve.encoders.lemmas.lemma import BlankLayer, Layers
from plansolve.encoders.lemmas.registry import prepare
from plansolve.errors import PlanError
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import BLANK, Plan
from plansolve.model.structure import BlankGraph, breadth_first

# Measured on 15-puzzles: some sixty cubes take together no more conflicts than the whole formula.
# Splitting at layers in the middle of the plan takes ten times as many.
_ENOUGH_CELLS = 5
_MOVES_BETWEEN = 4


class BlankWalk:
    """Encodes where the blank is after each move."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        self._graph, self._lemmas = (graph := problem.blank_graph), lemmas
        self._start, self._goal = problem.start.index(BLANK), problem.goal.index(BLANK)
        self._earliest = breadth_first(graph.successors, self._start)
        self._remaining = breadth_first(graph.predecessors, self._goal)

    def encode(self, builder: Builder, horizon: int) -> list[BlankLayer]:
        """Return the layers 0..horizon.

        In each layer exactly one literal holds. An arc of the blank graph joins those of successive
        layers, and the first and the last are those of the blank's start and goal cells.
        """
        layers = []
        for t in range(horizon + 1):
            cells = [c for c in range(len(self._earliest)) if self._possible(t, horizon, c)]
            fixed = t in (0, horizon) and bool(cells)
            layers.append(
                {cell: TRUE if fixed else builder.new("at", t, cell, BLANK) for cell in cells}
            )
            builder.exactly_one(layers[t].values())
        for here, there in pairwise(layers):
            for cell, literal in here.items():
                after = (there[d] for d in self._graph.successors[cell] if d in there)
                builder.clause(-literal, *after)
            for cell, literal in there.items():
                before = (here[b] for b in self._graph.predecessors[cell] if b in here)
                builder.clause(-literal, *before)
        if NO_UNDO.name in self._lemmas:
            forbid_going_back(builder, layers)
        return layers

    def _possible(self, t: int, horizon: int, cell: int) -> bool:
        if (t == 0 and cell != self._start) or (t == horizon and cell != self._goal):
            return False
        colour = self._graph.colouring
        if colour and colour[cell] != colour[self._start] ^ (t & 1):
            return False
        return DISTANCE.name not in self._lemmas or (
            self._earliest[cell] <= t and self._remaining[cell] <= horizon - t
        )


def add_moves(
    builder: Builder,
    graph: BlankGraph,
    here: BlankLayer,
    there: BlankLayer,
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
) -> None:
    """State that the tile in the blank's new cell before the move is in its old cell afterwards.

    `before[cell][tile]` and `after[cell][tile]` are literals of the layers around the move.
    """
    for cell, blank in here.items():
        for target in graph.successors[cell]:
            if target in there:
                arrival = there[target]
                builder.equal_rows((-blank, -arrival), before[target], after[cell])


@dataclass(frozen=True)
class WalkDecoder:
    """Reads the plan from the walk of the blank."""

    problem: Problem
    layers: list[BlankLayer]

    def __call__(self, true: Collection[int]) -> Plan:
        path = []
        for t, layer in enumerate(self.layers):
            cells = [c for c, literal in layer.items() if literal == TRUE or literal in true]
            if len(cells) != 1:
                raise PlanError(f"the model has {len(cells)} places for the blank after move {t}")
            path += cells
        graph = self.problem.blank_graph
        if any(d not in graph.names[b] for b, d in pairwise(path)):
            raise PlanError("the model takes the blank where no move leads")
        return graph.plan(path)

    def blocking_clause(self, plan: Plan) -> list[int]:
        """Return the clause that excludes this plan, see `Decoder`: the walk leaves its path."""
        path = [self.problem.start.index(BLANK)]
        for operator in operators_of(self.problem, plan):
            path += [cell for cell, source in operator.moves if source == path[-1] != cell]
        on_path = (layer[cell] for layer, cell in zip(self.layers, path, strict=True))
        return [-literal for literal in on_path if literal != TRUE]

    def choices(self) -> list[list[int]]:
        """Return the blank's cells soon after the start, and some moves later, see `Decoder`."""
        cells = [[x for x in layer.values() if x != TRUE] for layer in self.layers]
        for t, first in enumerate(cells):
            if len(first) >= _ENOUGH_CELLS:
                return [c for c in cells[t : t + 2 * _MOVES_BETWEEN : _MOVES_BETWEEN] if c]
        return list(filter(None, [max(cells, key=len)]))


class _BlankLayers(ABC):
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        self._problem, self._graph = problem, problem.blank_graph
        self._walk = BlankWalk(problem, lemmas)
        self._times = TileBlankTimes(problem, self._graph, lemmas)
        self._first = prepare(problem, lemmas, is_first=True)
        self._lemmas = prepare(problem, lemmas)

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Write "there is a plan of exactly `horizon` moves"; return the decoder of models."""
        if horizon == 0 and self._problem.start != self._problem.goal:
            builder.clause()
        blanks = self._walk.encode(builder, horizon)
        for lemma in self._first:
            lemma.add(builder, Layers(blanks=blanks))
            if builder.is_contradiction:
                return WalkDecoder(self._problem, blanks)
        layers = self._written(builder, horizon, blanks)
        for lemma in self._lemmas:
            lemma.add(builder, layers)
        return WalkDecoder(self._problem, blanks)

    @abstractmethod
    def _written(self, builder: Builder, horizon: int, blanks: Sequence[BlankLayer]) -> Layers:
        """Write the contents of the cells after each move, and return their literals."""

    def _constants(self, content: int) -> list[int]:
        return [TRUE if tile == content else FALSE for tile in self._problem.puzzle.tiles]


class FullLayer(_BlankLayers):
    """Encodes the content of every cell after every move."""

    def _written(self, builder: Builder, horizon: int, blanks: Sequence[BlankLayer]) -> Layers:
        layers = [self._rows(builder, t, horizon, blanks[t]) for t in range(horizon + 1)]
        for t, layer in enumerate(layers):
            for cell, row in enumerate(layer):
                builder.exactly_one([*row, blanks[t].get(cell, FALSE)])
            for column in zip(*layer, strict=True):
                builder.exactly_one(column)
        for t in range(horizon):
            for cell, after in enumerate(layers[t + 1]):
                leaves, arrives = blanks[t].get(cell, FALSE), blanks[t + 1].get(cell, FALSE)
                # The two directions imply equality away from the blank.
                for old, new in zip(layers[t][cell], after, strict=True):
                    if old != new:
                        builder.clause(arrives, -old, new)
                        builder.clause(leaves, old, -new)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], layers[t], layers[t + 1])
        for t in range(1, horizon):
            self._times.add_mutexes(builder, t, horizon - t, enumerate(layers[t]), blanks[t])
        return Layers(layers, blanks)

    def _rows(self, builder: Builder, t: int, horizon: int, blanks: BlankLayer) -> list[list[int]]:
        problem = self._problem
        if t in (0, horizon):
            return [*map(self._constants, problem.goal if t else problem.start)]
        return [
            self._times.new_row(builder, t, horizon - t, cell, blanks)
            for cell in range(problem.puzzle.cells)
        ]


class HalfLayer(_BlankLayers):
    """Encodes the content of the cells whose colour is not that of the blank's cell."""

    def _written(self, builder: Builder, horizon: int, blanks: Sequence[BlankLayer]) -> Layers:
        # fresh[t]: the cells that are written at t, with the literal of each tile. at[t]: these
        # cells, and the older ones of the other colour.
        fresh = [self._fresh_rows(builder, t, horizon, blanks[t]) for t in range(horizon + 1)]
        at = [[self._constants(content) for content in self._problem.start]]
        for written in fresh:
            at.append([written.get(cell, row) for cell, row in enumerate(at[-1])])
        del at[0]
        for t in range(horizon + 1):
            for row in fresh[t].values():
                builder.exactly_one(row)
            for i in range(len(self._problem.puzzle.tiles)):
                builder.at_most_one(row[i] for row in fresh[t].values())
                builder.clause(*(row[i] for row in at[t]))
        for t in range(horizon):
            for cell, after in fresh[t + 1].items():
                builder.equal_rows((blanks[t].get(cell, FALSE),), at[t][cell], after)
            add_moves(builder, self._graph, blanks[t], blanks[t + 1], at[t], at[t + 1])
        for t in range(1, horizon):
            self._times.add_mutexes(builder, t, horizon - t, fresh[t].items(), blanks[t])
        return Layers(at, blanks, is_stale=True)

    def _fresh_rows(
        self, builder: Builder, t: int, horizon: int, blanks: BlankLayer
    ) -> dict[int, list[int]]:
        problem, colouring = self._problem, self._graph.colouring
        assert colouring is not None
        blank_colour = colouring[problem.start.index(BLANK)] ^ (t & 1)
        rows = {}
        for cell, colour in enumerate(colouring):
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


FULL_LAYER = Encoding(
    name="full-layer",
    needs="a blank graph",
    fits=lambda structure: structure.blank_graph is not None,
    prepare=FullLayer,
)
HALF_LAYER = Encoding(
    name="half-layer",
    needs="a two-colourable blank graph",
    fits=lambda structure: bool(structure.blank_graph and structure.blank_graph.colouring),
    prepare=HalfLayer,
)
