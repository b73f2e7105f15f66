"""Shorter plans from longer ones: between boards of the plan that are a few moves apart."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random

from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import Operator, Plan, Puzzle, State


def without_detours(problem: Problem, plan: Plan, boards: int) -> Plan:
    """Return a plan that passes boards of `plan`, as short as it can be with the shortcuts known.

    From each board of the plan, about `boards` boards are looked at breadth first; one that the
    plan comes to later is joined directly. With 0, only the plan's loops are cut out. Boards are
    told apart by hashes of 64 bits, since those of a long plan would fill the memory.
    """
    keys, operators = _Keys(), operators_of(problem, plan)
    path, board = [keys.of(problem.start)], list(problem.start)
    for operator in operators:
        path.append(path[-1] ^ keys.change(operator, board))
        operator.apply_to(board)
    last = {key: index for index, key in enumerate(path)}
    length = [len(plan) + 1] * len(path)
    arrival: list[tuple[int, Plan]] = [(0, ())] * len(path)
    begin = last[path[0]]
    length[begin] = 0
    board = list(problem.start)
    for index in range(begin, len(path)):
        # If another way leads round this board, or the plan comes back to it, none begins here.
        if length[index] <= len(plan):
            onward = [(path[index + 1], plan[index : index + 1])] if index < len(plan) else []
            near = _near(problem.puzzle, tuple(board), path[index], keys, boards) if boards else ()
            for key, moves in chain(onward, near):
                later = last.get(key, index)
                if later > index and length[index] + len(moves) < length[later]:
                    length[later] = length[index] + len(moves)
                    arrival[later] = index, moves
        if index < len(plan):
            operators[index].apply_to(board)
    parts: list[Plan] = []
    index = len(plan)
    while index != begin:
        index, moves = arrival[index]
        parts.append(moves)
    return tuple(chain.from_iterable(reversed(parts)))


class _Keys:
    """Random keys of pieces in cells; XORed they are the hash of a board."""

    def __init__(self) -> None:
        random = Random(1)
        self._keys = defaultdict[tuple[int, int], int](lambda: random.getrandbits(64))

    def of(self, board: State) -> int:
        key = 0
        for place in enumerate(board):
            key ^= self._keys[place]
        return key

    def change(self, operator: Operator, board: Sequence[int]) -> int:
        """Return the change that the operator is about to make to the hash of a board."""
        change = 0
        for cell, source in operator.moves:
            change ^= self._keys[cell, board[cell]] ^ self._keys[cell, board[source]]
        return change


def _near(
    puzzle: Puzzle, board: State, key: int, keys: _Keys, boards: int
) -> Iterator[tuple[int, Plan]]:
    """Return the hashes of the boards near `board` and the moves to each, nearest first."""
    seen = {key}
    queue: list[tuple[State, int, Plan]] = [(board, key, ())]
    for state, at, moves in queue:
        if len(seen) > boards:
            return
        for name, operator in puzzle.applicable(state).items():
            after = at ^ keys.change(operator, state)
            if after not in seen:
                seen.add(after)
                queue.append((operator.apply(state), after, (*moves, name)))
                yield after, queue[-1][2]
