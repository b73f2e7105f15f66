"""Shorter plans from longer ones: between boards of the plan that are a few moves apart."""

from collections.abc import Iterator
from itertools import chain

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, Puzzle, State

__all__ = ["without_detours"]


def without_detours(problem: Problem, plan: Plan, boards: int) -> Plan:
    """A plan that passes boards of `plan`, as short as it can be with the shortcuts known.

    From each board of the plan, about `boards` boards are looked at breadth first; one that the
    plan comes to later is joined directly. With 0, only the plan's loops are cut out.
    """
    path = [problem.start]
    for name in plan:
        path.append(problem.puzzle.applicable(path[-1])[name].apply(path[-1]))
    last = {board: index for index, board in enumerate(path)}
    length = [len(plan) + 1] * len(path)
    arrival: list[tuple[int, Plan]] = [(0, ())] * len(path)
    begin = last[problem.start]
    length[begin] = 0
    for index in range(begin, len(path)):
        if length[index] > len(plan):
            # Another way leads round this board, or the plan comes back to it.
            continue
        onward = [(path[index + 1], plan[index : index + 1])] if index < len(plan) else []
        for board, moves in chain(onward, _near(problem.puzzle, path[index], boards)):
            later = last.get(board, index)
            if later > index and length[index] + len(moves) < length[later]:
                length[later] = length[index] + len(moves)
                arrival[later] = index, moves
    parts: list[Plan] = []
    index = len(plan)
    while index != begin:
        index, moves = arrival[index]
        parts.append(moves)
    return tuple(chain.from_iterable(reversed(parts)))


def _near(puzzle: Puzzle, board: State, boards: int) -> Iterator[tuple[State, Plan]]:
    """The boards near `board` and the moves to each, nearest first."""
    seen = {board}
    queue: list[tuple[State, Plan]] = [(board, ())]
    for state, moves in queue:
        if len(seen) > boards:
            return
        for name, operator in puzzle.applicable(state).items():
            after = operator.apply(state)
            if after not in seen:
                seen.add(after)
                queue.append((after, (*moves, name)))
                yield queue[-1]
