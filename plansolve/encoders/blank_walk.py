"""The walk of the blank: the spine of both blank-graph encodings, and the plan that it spells."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plansolve.encoders.builder import TRUE, Builder
from plansolve.encoders.lemmas.distance import DISTANCE
from plansolve.encoders.lemmas.duplicate_sequences import NO_UNDO, forbid_going_back
from plansolve.encoders.lemmas.lemma import BlankLayer
from plansolve.errors import PlanError
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import BLANK, Plan
from plansolve.model.structure import BlankGraph, breadth_first

__all__ = ["BlankWalk", "WalkDecoder", "add_moves"]

# Measured on 15-puzzles: some sixty cubes with together no more conflicts than the whole formula.
# Layers in the middle of the plan cut it into parts that take ten times as many.
_ENOUGH_CELLS = 5
_MOVES_BETWEEN = 4


class BlankWalk:
    """Encodes where the blank is after each move."""

    def __init__(self, problem: Problem, graph: BlankGraph, lemmas: Collection[str]) -> None:
        self._graph, self._lemmas = graph, lemmas
        self._start, self._goal = problem.start.index(BLANK), problem.goal.index(BLANK)
        self._earliest = breadth_first(graph.successors, self._start)
        self._remaining = breadth_first(graph.predecessors, self._goal)

    def encode(self, builder: Builder, horizon: int) -> list[BlankLayer]:
        """The layers 0..horizon.

        In each exactly one literal holds, those of successive layers are joined by an arc of the
        blank graph, and the first and the last are the blank's start and goal cells.
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
    """The tile that stood in the blank's new cell before the move is in its old one afterwards.

    `before[cell][tile]` and `after[cell][tile]` are literals of the layers around the move.
    """
    for cell, blank in here.items():
        for target in graph.successors[cell]:
            if target in there:
                arrival = there[target]
                builder.equal_rows((-blank, -arrival), before[target], after[cell])


@dataclass(frozen=True)
class WalkDecoder:
    """Reads the plan off the walk of the blank."""

    problem: Problem
    graph: BlankGraph
    layers: list[BlankLayer]

    def __call__(self, true: Collection[int]) -> Plan:
        """The plan of a model, see `Decoder`."""
        path = []
        for t, layer in enumerate(self.layers):
            cells = [c for c, literal in layer.items() if literal == TRUE or literal in true]
            if len(cells) != 1:
                raise PlanError(f"the model has {len(cells)} places for the blank after {t} moves")
            path += cells
        if any(d not in self.graph.names[b] for b, d in pairwise(path)):
            raise PlanError("the model takes the blank where no move does")
        return self.graph.plan(path)

    def blocking_clause(self, plan: Plan) -> list[int]:
        """The clause without this plan, see `Decoder`: the walk leaves its path somewhere."""
        path = [self.problem.start.index(BLANK)]
        for operator in operators_of(self.problem, plan):
            path += [cell for cell, source in operator.moves if source == path[-1] != cell]
        on_path = (layer[cell] for layer, cell in zip(self.layers, path, strict=True))
        return [-literal for literal in on_path if literal != TRUE]

    def choices(self) -> list[list[int]]:
        """The blank's cells soon after the start, and some moves later, see `Decoder`."""
        cells = [[x for x in layer.values() if x != TRUE] for layer in self.layers]
        for t, first in enumerate(cells):
            if len(first) >= _ENOUGH_CELLS:
                return [c for c in cells[t : t + 2 * _MOVES_BETWEEN : _MOVES_BETWEEN] if c]
        return list(filter(None, [max(cells, key=len)]))
