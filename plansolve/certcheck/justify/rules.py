"""The rules of a problem in the form in which clauses are compared with them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, product

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.elementary import end_cells
from plansolve.certcheck.justify.rules_kernel import Reachability
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK

__all__ = ["has_no_plan", "reachability"]

_MOST_STATES = 1 << 29
_FEW_BOARDS = 30


def has_no_plan(problem: Problem, horizon: int) -> bool:
    """Return True if a search over few boards shows that no plan has so many moves."""
    layer = {problem.start}
    for _ in range(horizon):
        layer = {
            operator.apply(board)
            for board in layer
            for operator in problem.puzzle.operators
            if operator.applies_to(board)
        }
        if len(layer) > _FEW_BOARDS:
            return False
    return not any(map(problem.puzzle.is_goal, layer))


def reachability(problem: Problem, horizon: int) -> Reachability:
    """Return the arrays for plans of so many moves; raise `ProofError` for too large ones."""
    puzzle, cells = problem.puzzle, problem.puzzle.cells
    contents = puzzle.kinds[-1] + 1
    needs = [-1 if op.blank is None else op.blank for op in puzzle.operators]
    # Of several gaps none is followed.
    width = cells if puzzle.has_one_blank and max(needs, default=-1) >= 0 else 1
    shape = (contents, horizon + 1, cells * width)
    if np.prod(shape, dtype=np.float64) > _MOST_STATES:
        raise ProofError(f"plans of {horizon} moves on {cells} cells are too many to be followed")
    after = np.array([op.destinations(cells) for op in puzzle.operators], np.int32)
    after = after.reshape(-1, cells)
    choices = [[o for o, n in enumerate(needs) if width == 1 or n in (-1, b)] for b in range(width)]
    copies = Counter(puzzle.pieces)
    found = Reachability(
        width=width,
        copies=np.array([copies[kind] for kind in range(contents)], np.int32),
        after=after,
        first=np.cumsum([0, *map(len, choices)], dtype=np.int32),
        choices=np.array([o for row in choices for o in row], np.int32),
        need=np.array(needs if puzzle.gaps > 1 else [-1] * len(needs), np.int32),
        alive=np.zeros(shape, np.bool_),
    )
    blank = problem.start.index(BLANK) if width > 1 else 0
    ends = end_cells(puzzle)
    for kind in puzzle.kinds:
        begins = [c * width + blank for c, there in enumerate(problem.start) if there == kind]
        goals = [
            cell * width + b
            for cell, b in product(ends[kind], ends[BLANK] if width > 1 else (0,))
            # No other piece is in the blank's cell.
            if width == 1 or (cell == b) == (kind == BLANK)
        ]
        steps = np.array([*_steps(found, kind)], np.int64).reshape(-1, 2).T
        forward = _reached(begins, steps, shape[1:])
        found.alive[kind] = forward & _reached(goals, steps[::-1], shape[1:])[::-1]
    return found


def _steps(rules: Reachability, kind: int) -> Iterable[tuple[int, int]]:
    """Yield the states before and after each move, of a piece of that kind and the blank."""
    cells, width = rules.after.shape[1], rules.width
    for b in range(width):
        for o in rules.choices[rules.first[b] : rules.first[b + 1]].tolist():
            goes = rules.after[o].tolist()
            there = goes[b] if width > 1 else 0
            for x in range(cells):
                if kind == BLANK or rules.need[o] != x:
                    yield x * width + b, goes[x] * width + there


def _reached(begins: Sequence[int], steps: Array, shape: tuple[int, ...]) -> Array:
    """Return [t, state] (bool): whether t steps lead from one of these states to that one."""
    reached = np.zeros(shape, np.bool_)
    reached[0, begins] = True
    source, target = steps[:, np.argsort(steps[1], kind="stable")]
    first = np.flatnonzero(np.diff(target, prepend=-1))
    if len(first):
        for before, after in pairwise(reached):
            after[target[first]] = np.logical_or.reduceat(before[source], first)
    return reached
