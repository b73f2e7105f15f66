"""Breadth-first search from both ends, in plain Python: ready at once, and enough for small boards.

A layer holds the boards at one distance from the start, or to the goal, each with the operator on
the way to it. The side whose layer is smaller goes on. When the layers have d and e moves behind
them and no board in common, no plan has d + e moves; the first common board gives a shortest plan
(Pohl 1971).
"""

import pickle
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import TypeAlias

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, FEW_CELLS, Plan, Puzzle, State
from plansolve.model.structure import raised_to_parity
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report

_BY = "breadth-first search"
# A board of nine cells with what belongs to it, and its share of a table that has just grown.
_BOARD_BYTES = 600

_MOST_GOALS = 400_000
"""Boards that an open goal allows: all of nine cells, and others as far as a second goes."""

_TELL_SECONDS = 0.2
"""Small boards are done sooner; to hear of each layer would take those who listen as long."""

_Move: TypeAlias = tuple[int | None, Callable[[State], State], str]
"""The cell in which a move needs a gap, a function that makes it, and its name."""


def breadth_first(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Report until a shortest plan, or that there is none; end where memory does.

    No report is made if an open goal allows more boards than can be listed.
    """
    puzzle = problem.puzzle
    # Many boards have one goal.
    backwards = _kept if puzzle.cells <= FEW_CELLS else _backwards
    if problem.is_solved:
        yield Report(_BY, plan=())
        return
    if len(list(islice(puzzle.goal_boards(), _MOST_GOALS + 1))) > _MOST_GOALS:
        return
    sides = (_Side(_Layers([problem.start], _forwards(puzzle))), _Side(backwards(puzzle.pickled)))
    parity = problem.structure.plan_parity(problem.start)
    possible, told = 0, time.monotonic()
    while not incumbent.is_closed:
        side, other = sorted(sides, key=lambda s: len(s.layer))
        if not side.layer:
            yield Report(_BY, lower_bound=NO_PLAN, counts=_counts(sides))
            return
        if sum(s.reached for s in sides) * _BOARD_BYTES > budget.memory:
            yield Report(_BY, lower_bound=possible, counts=_counts(sides))
            return
        side.depth += 1
        meeting = min(side.layer & other.layer, default=None)
        bound = sides[0].depth + sides[1].depth
        if meeting is not None:
            plan = sides[0].way(meeting)[::-1] + sides[1].way(meeting)
            yield Report(_BY, plan=plan, lower_bound=bound, counts=_counts(sides))
            return
        possible = raised_to_parity(bound + 1, parity)
        if (now := time.monotonic()) > told + _TELL_SECONDS:
            told = now
            yield Report(_BY, lower_bound=possible, counts=_counts(sides))


class _Layers:
    """The boards that can be reached from some boards, by their distance, as far as was asked.

    `reached[d]` is how many there are up to distance d.
    """

    def __init__(self, boards: Collection[State], moves: Iterable[_Move]) -> None:
        self.parents: dict[State, tuple[State, str] | None] = dict.fromkeys(boards)
        self.reached = [len(boards)]
        self._layers = [set(boards)]
        board = next(iter(boards))
        by_need: dict[int | None, list[_Move]] = {}
        for move in moves:
            by_need.setdefault(move[0], []).append(move)
        free = by_need.get(None, [])
        gaps = board.count(BLANK)
        self._free = free if gaps != 1 else None
        self._bound = [(b, own) for b, own in by_need.items() if b is not None] if gaps > 1 else []
        self._by_blank = [free + by_need.get(cell, []) for cell in range(len(board))]

    def at(self, depth: int) -> set[State]:
        """Return the boards at that distance; none if they come to an end sooner."""
        while len(self._layers) <= depth:
            self._grow()
        return self._layers[depth]

    def _grow(self) -> None:
        following, parents, free, by_blank = set(), self.parents, self._free, self._by_blank
        for board in self._layers[-1]:
            moves = by_blank[board.index(BLANK)] if free is None else free
            if self._bound:
                moves = moves + [
                    m for cell, own in self._bound if board[cell] == BLANK for m in own
                ]
            for _, move, name in moves:
                after = move(board)
                if after not in parents:
                    parents[after] = board, name
                    following.add(after)
        self._layers.append(following)
        self.reached.append(len(parents))


@dataclass
class _Side:
    """The progress of the search from one end."""

    layers: _Layers
    depth: int = 0

    @property
    def layer(self) -> set[State]:
        return self.layers.at(self.depth)

    @property
    def reached(self) -> int:
        return self.layers.reached[self.depth]

    def way(self, board: State) -> Plan:
        """Return the names of the operators on the way back to this side's end."""
        names = []
        while (step := self.layers.parents[board]) is not None:
            board, name = step
            names.append(name)
        return tuple(names)


def _forwards(puzzle: Puzzle) -> Iterator[_Move]:
    same = tuple(range(puzzle.cells))
    for operator in puzzle.operators:
        yield operator.blank, itemgetter(*operator.apply(same)), operator.name


def _backwards(rules: bytes) -> _Layers:
    puzzle: Puzzle = pickle.loads(rules)
    moves = list[_Move]()
    for operator in puzzle.operators:
        goes, blank = operator.destinations(puzzle.cells), operator.blank
        # Afterwards the blank is where its content was taken to.
        moves.append((None if blank is None else goes[blank], itemgetter(*goes), operator.name))
    return _Layers([*puzzle.goal_boards()], moves)


_kept = lru_cache(maxsize=2)(_backwards)
"""For boards of few cells: all that there are around a goal take a hundred megabytes at most."""


def _counts(sides: tuple[_Side, _Side]) -> dict[str, int]:
    return {"nodes": sum(side.reached for side in sides)}
