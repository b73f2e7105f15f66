"""Walks back from the goal: the boards from which a move leads to a board.

Some moves, such as Lloyd's transport, have no inverse, so a walk forward from the goal might end on
a board without a plan.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import inf
from operator import itemgetter

from plansolve.errors import OptionError
from plansolve.instances.randomness import Randomness
from plansolve.model.puzzle import BLANK, Plan, Puzzle, State

_Gather = Callable[[State], State]


@dataclass(frozen=True)
class DistanceLayers:
    """The boards whose shortest plans have 0, 1, 2 ... moves, sorted within each number."""

    puzzle: Puzzle
    layers: Sequence[Sequence[State]]

    @cached_property
    def distances(self) -> Mapping[State, int]:
        """The number of moves of a shortest plan for each board."""
        return {board: steps for steps, layer in enumerate(self.layers) for board in layer}

    def plan(self, board: State) -> Plan:
        plan = []
        while left := self.distances[board]:
            moves = self.puzzle.applicable(board).items()
            after = ((name, operator.apply(board)) for name, operator in moves)
            name, board = next(step for step in after if self.distances.get(step[1]) == left - 1)
            plan.append(name)
        return tuple(plan)


def require_walks(puzzle: Puzzle) -> None:
    """Raise `OptionError` for moves that need pieces in certain cells."""
    if puzzle.needs_kinds:
        raise OptionError(
            f"moves of {puzzle.short_name} need pieces in certain cells: scrambles and unsolvable "
            "boards cannot be made"
        )


class Predecessors:
    """The moves of a puzzle, reversed."""

    def __init__(self, puzzle: Puzzle) -> None:
        require_walks(puzzle)
        self.puzzle = puzzle
        # The moves by the cell in which they leave the blank; None for moves that need no blank.
        self._back: dict[int | None, list[_Gather]] = {}
        for operator in puzzle.operators:
            targets = operator.destinations(puzzle.cells)
            after = None if operator.blank is None else targets[operator.blank]
            self._back.setdefault(after, []).append(itemgetter(*targets))

    def of(self, board: State) -> tuple[State, ...]:
        """Return the other boards from which one move leads to `board`, each once."""
        back = self._back.get(None, ())
        if self.puzzle.has_blank:
            gaps = (cell for cell, kind in enumerate(board) if kind == BLANK)
            back = [*back, *chain.from_iterable(self._back.get(cell, ()) for cell in gaps)]
        before = dict.fromkeys(gather(board) for gather in back)
        before.pop(board, None)
        return tuple(before)

    def walk(self, board: State, steps: int, randomness: Randomness) -> State:
        """Return a board from which `steps` random moves lead to `board`.

        If possible, the walk avoids two or three steps in a row that fewer steps can replace. Raise
        `OptionError` if no move leads to a board on the way.
        """
        last: State | None = None
        # The boards one move from the board before this one, and from the one before that.
        near: tuple[Collection[State], Collection[State]] = ((), ())
        for _ in range(steps):
            before = self.of(board)
            if not before:
                where = "the goal, or to a board on the way back"
                raise OptionError(f"no move of {self.puzzle.name} leads to {where}")
            left = [other for other in before if other != last]
            first = following = randomness.one_of(left or before)
            while left and self._is_shortened(following, *near):
                left.remove(following)
                following = randomness.one_of(left) if left else first
            board, last = following, board
            near = ({*before, last}, near[0])
        return board

    def _is_shortened(
        self, board: State, near: Collection[State], nearer: Collection[State]
    ) -> bool:
        """Return True if the last two steps of a walk could be one or none, or three be two.

        At most one move leads from the boards `near` to the begin of the last two steps, and from
        `nearer` to that of the last three.
        """
        if board in near or board in nearer:
            return True
        moves = self.puzzle.applicable(board).values() if nearer else ()
        return any(operator.apply(board) in nearer for operator in moves)

    def layers(self, length: int, most_boards: int) -> DistanceLayers | None:
        """Return all boards with a plan of at most `length` moves; None for too many."""
        layers = self._layers(most_boards, length)
        return None if layers is None else DistanceLayers(self.puzzle, [*map(sorted, layers)])

    def all_boards(self, most_boards: int) -> tuple[State, ...] | None:
        """Return all boards that have a plan, sorted; None for more than `most_boards`."""
        layers = self._layers(most_boards)
        return None if layers is None else tuple(sorted(chain(*layers)))

    def _layers(self, most_boards: int, farthest: float = inf) -> list[list[State]] | None:
        """Return the boards that are 0, 1, 2 ... moves from the goal; None for too many."""
        goals = list(islice(self.puzzle.goal_boards(), most_boards + 1))
        if len(goals) > most_boards:
            return None
        layers, seen = [goals], set(goals)
        while len(layers) <= farthest:
            following: list[State] = []
            for board in layers[-1]:
                fresh = [before for before in self.of(board) if before not in seen]
                seen.update(fresh)
                following += fresh
                if len(seen) > most_boards:
                    return None
            if not following:
                break
            layers.append(following)
        return layers
