"""The permutation encoding, for any puzzle: one operator per step, the content of every cell.

It is the encoding of boards without a blank, where an operator moves many tiles at once. A step
along an arc (source, cell) is a literal of its own, shared by all operators that make it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

from plansolve.encoders.builder import FALSE, TRUE, Builder, Decoder
from plansolve.encoders.encoding import Encoding
from plansolve.encoders.lemmas.distance import DISTANCE, TileTimes
from plansolve.encoders.lemmas.duplicate_sequences import MOVE_ORDER, NO_UNDO, forbidden_operators
from plansolve.encoders.lemmas.lemma import Layers
from plansolve.encoders.lemmas.registry import prepare
from plansolve.errors import PlanError
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import OPEN, Plan

Layer: TypeAlias = list[list[int]]
"""layer[cell][i]: a piece of the i-th kind, in the order of their numbers, is in the cell."""


class PermutationLayer:
    """Encodes one problem, for any number of horizons."""

    def __init__(self, problem: Problem, lemmas: Collection[str]) -> None:
        self._problem = problem
        self._has_distance = DISTANCE.name in lemmas
        self._operators = problem.puzzle.operators
        self._contents = problem.puzzle.kinds
        pieces = problem.puzzle.pieces
        self._is_single = [pieces.count(kind) == 1 for kind in self._contents]
        self._times = TileTimes(problem)
        self._forbidden = forbidden_operators(
            problem.puzzle, NO_UNDO.name in lemmas, MOVE_ORDER.name in lemmas
        )
        self._arcs: dict[tuple[int, int], list[int]] = {}
        # Operators that bring known contents to a cell.
        self._known: dict[int, list[int]] = {}
        for index, operator in enumerate(self._operators):
            is_known = operator.needs_kinds and {s for _, s in operator.moves} <= {
                *dict(operator.needs)
            }
            for cell, source in operator.moves:
                # Operators that leave out a cell keep its content there.
                if cell != source and is_known:
                    self._known.setdefault(cell, []).append(index)
                elif cell != source:
                    self._arcs.setdefault((source, cell), []).append(index)
        self._first = prepare(problem, lemmas, is_first=True)
        self._lemmas = prepare(problem, lemmas)

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Write "there is a plan of exactly `horizon` moves"; return the decoder of models."""
        chosen = [
            [builder.new("move", t, o) for o in range(len(self._operators))] for t in range(horizon)
        ]
        for lemma in self._first:
            lemma.add(builder, Layers(moves=chosen))
            if builder.is_contradiction:
                return _ChoiceDecoder(self._problem, chosen)
        layers = [self._layer(builder, t, horizon) for t in range(horizon + 1)]
        for layer in layers:
            for row in layer:
                builder.exactly_one(row)
            for column, is_single in zip(zip(*layer, strict=True), self._is_single, strict=True):
                if is_single:
                    builder.exactly_one(column)
        for t, choice in enumerate(chosen):
            self._step(builder, t, choice, layers[t], layers[t + 1])
        for sequence in self._forbidden:
            for t in range(horizon - len(sequence) + 1):
                builder.clause(*(-chosen[t + i][index] for i, index in enumerate(sequence)))
        for lemma in self._lemmas:
            lemma.add(builder, Layers(layers, moves=chosen))
        return _ChoiceDecoder(self._problem, chosen)

    def _layer(self, builder: Builder, t: int, horizon: int) -> Layer:
        known = self._problem.goal if t == horizon else (OPEN,) * self._problem.puzzle.cells
        if t == 0:
            known = self._problem.start
            if horizon == 0 and not self._problem.is_solved:
                builder.clause()
        return [
            [
                self._literal(builder, t, horizon, cell, kind)
                if there == OPEN
                else TRUE
                if kind == there
                else FALSE
                for kind in self._contents
            ]
            for cell, there in enumerate(known)
        ]

    def _literal(self, builder: Builder, t: int, horizon: int, cell: int, kind: int) -> int:
        if self._has_distance and not self._times.possible(t, horizon - t, kind, cell):
            return FALSE
        return builder.new("at", t, cell, kind)

    def _step(
        self, builder: Builder, t: int, choice: list[int], before: Layer, after: Layer
    ) -> None:
        builder.exactly_one(choice)
        for operator, literal in zip(self._operators, choice, strict=True):
            for cell, kind in operator.needs:
                builder.clause(-literal, before[cell][self._contents.index(kind)])
        leaving: list[list[int]] = [[] for _ in before]
        for cell, users in self._known.items():
            step = builder.new("step", t, cell, cell)
            leaving[cell].append(step)
            builder.clause(-step, *(choice[index] for index in users))
            for index in users:
                operator = self._operators[index]
                kind = dict(operator.needs)[dict(operator.moves)[cell]]
                builder.clause(-choice[index], step)
                builder.clause(-choice[index], after[cell][self._contents.index(kind)])
        for (source, cell), users in self._arcs.items():
            step = builder.new("step", t, source, cell)
            leaving[source].append(step)
            builder.clause(-step, *(choice[index] for index in users))
            for index in users:
                builder.clause(-choice[index], step)
            builder.equal_rows((-step,), before[source], after[cell])
        for cell, steps in enumerate(leaving):
            builder.equal_rows(tuple(steps), before[cell], after[cell])


@dataclass(frozen=True)
class _ChoiceDecoder:
    """Reads the plan from the chosen operators: chosen[t][i] is the i-th operator as move t."""

    problem: Problem
    chosen: list[list[int]]

    def __call__(self, true: Collection[int]) -> Plan:
        plan = []
        for t, choice in enumerate(self.chosen):
            operators = zip(self.problem.puzzle.operators, choice, strict=True)
            names = [operator.name for operator, literal in operators if literal in true]
            if len(names) != 1:
                raise PlanError(f"the model has {len(names)} operators for move {t + 1}")
            plan += names
        return tuple(plan)

    def blocking_clause(self, plan: Plan) -> list[int]:
        index = {id(op): i for i, op in enumerate(self.problem.puzzle.operators)}
        operators = operators_of(self.problem, plan)
        return [-row[index[id(op)]] for row, op in zip(self.chosen, operators, strict=True)]

    def choices(self) -> list[list[int]]:
        return self.chosen[:1]


PERMUTATION = Encoding(
    name="permutation", needs="nothing", fits=lambda structure: True, prepare=PermutationLayer
)
