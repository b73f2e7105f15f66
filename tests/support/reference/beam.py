"""Beam search once more, in plain Python: a list for each layer, and a set of the boards seen."""

from math import inf
from typing import Any, NamedTuple


class Child(NamedTuple):
    """A state made from the parent of that number; a state is a tuple that begins with its board.

    `rank` is None but where the state is the goal: of several the smallest rank is taken.
    """

    key: int
    parent: int
    move: int
    state: tuple[Any, ...]
    rank: int | None


def beam(start, expand, width, *, patience, unit=1):
    """The moves of the plan, None where there is none, and the number of states expanded.

    `expand` yields the children of a layer that may enter the next one.
    """
    layer, seen, steps, states = [start], {start[0]}, [], 0
    best, stalled = inf, 0
    while layer and stalled < patience:
        children = [*expand(layer)]
        states += len(layer)
        if goals := [child for child in children if child.rank is not None]:
            goal = min(goals, key=lambda child: child.rank)
            moves, parent = [goal.move], goal.parent
            for step in reversed(steps):
                moves.append(step[parent].move)
                parent = step[parent].parent
            return moves[::-1], states
        least = min((child.key // unit for child in children), default=inf)
        best, stalled = (least, 0) if least < best else (best, stalled + 1)
        chosen = []
        for child in sorted(children, key=lambda child: child.key):
            if len(chosen) < width and child.state[0] not in seen:
                seen.add(child.state[0])
                chosen.append(child)
        steps.append(chosen)
        layer = [child.state for child in chosen]
    return None, states
