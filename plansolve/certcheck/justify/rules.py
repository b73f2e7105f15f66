"""The rules of a problem in the form in which clauses are compared with them."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.elementary import end_cells, home_distances
from plansolve.certcheck.justify.rules_kernel import Reachability, reach_backward, reach_forward
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Operator

__all__ = ["Rules", "reachability"]

_MOST_STATES = 1 << 29
_FAR = 1 << 20
_FEW_BOARDS = 30


@dataclass(frozen=True)
class Rules:
    """What the operators do, worked out for one problem.

    `arcs[cell]` are the cells that the blank can go to by exchange with the tile there, in rising
    order, and `into[cell]` those that it can come from; None where an operator does anything else,
    and where pieces are alike or the goal leaves cells open: what is said of walks is not worked
    out for such boards. `distance[k][cell]` is the least number of moves that take a tile of kind k
    to its goal, `_FAR` for none.
    """

    problem: Problem
    arcs: tuple[tuple[int, ...], ...] | None
    into: tuple[tuple[int, ...], ...] | None
    distance: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, problem: Problem) -> "Rules":
        """Work them out."""
        puzzle = problem.puzzle
        steps = [_exchange(operator) for operator in puzzle.operators]
        arcs = into = None
        if puzzle.is_distinct and puzzle.has_one_blank and None not in steps:
            arcs = _sorted_rows([step for step in steps if step], puzzle.cells)
            into = _sorted_rows([step[::-1] for step in steps if step], puzzle.cells)
        return cls(
            problem,
            arcs,
            into,
            tuple(tuple(min(steps, _FAR) for steps in row) for row in home_distances(puzzle)),
        )

    def waste(self, tile: int, source: int, target: int) -> int | None:
        """Return 1 + what a tile's step adds to its distance; None where it never gets home."""
        before, after = self.distance[tile][source], self.distance[tile][target]
        return None if _FAR in (before, after) else 1 + after - before

    def most_waste(self, horizon: int) -> int:
        """Return what the waste of so many moves adds up to; negative where there is no such plan.

        `_FAR` where a move is more than an exchange, so that waste says nothing.
        """
        apart = sum(self.distance[k][cell] for cell, k in enumerate(self.problem.start) if k)
        return _FAR if self.arcs is None else horizon - apart

    def has_no_plan(self, horizon: int) -> bool:
        """Whether a search over few boards shows that no plan has so many moves."""
        problem, layer = self.problem, {self.problem.start}
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

    def is_path(self, walk: tuple[int, ...]) -> bool:
        """Whether the blank can go along these cells."""
        return self.arcs is not None and all(d in self.arcs[b] for b, d in pairwise(walk))


def reachability(rules: Rules, horizon: int) -> Reachability:
    """Return the arrays for plans of so many moves; raise `ProofError` for too large ones."""
    problem, puzzle = rules.problem, rules.problem.puzzle
    operators, cells = puzzle.operators, puzzle.cells
    contents = puzzle.kinds[-1] + 1
    needs = [-1 if op.blank is None else op.blank for op in operators]
    # Of several gaps none is followed.
    width = cells if puzzle.has_one_blank and max(needs, default=-1) >= 0 else 1
    shape = (contents, horizon + 1, cells * width)
    if np.prod(shape, dtype=np.float64) > _MOST_STATES:
        raise ProofError(f"plans of {horizon} moves on {cells} cells are too many to be followed")
    after = np.array([op.destinations(cells) for op in operators], np.int32).reshape(-1, cells)
    choices = [[o for o, n in enumerate(needs) if width == 1 or n in (-1, b)] for b in range(width)]
    first = np.cumsum([0, *map(len, choices)], dtype=np.int32)
    chosen = np.array([o for row in choices for o in row], np.int32)
    alive = np.zeros(shape, np.bool_)
    back = np.zeros(shape, np.bool_)
    blank = problem.start.index(BLANK) if width > 1 else 0
    for cell, kind in enumerate(problem.start):
        alive[kind, 0, cell * width + blank] = True
    ends = end_cells(puzzle)
    for kind, places in ends.items():
        for cell, blank in product(places, ends[BLANK] if width > 1 else (0,)):
            # No other piece is in the blank's cell.
            if width == 1 or (cell == blank) == (kind == BLANK):
                back[kind, horizon, cell * width + blank] = True
    waste, moved = _wastes(rules)
    copies = Counter(puzzle.pieces)
    reached = Reachability(
        width,
        puzzle.kinds[0],
        np.array([copies[kind] for kind in range(contents)], np.int32),
        after,
        first,
        chosen,
        np.array(needs if puzzle.gaps > 1 else [-1] * len(needs), np.int32),
        alive,
        waste,
        moved,
        rules.most_waste(horizon),
    )
    reach_forward(reached, alive)
    reach_backward(reached, back)
    alive &= back
    return reached


def _wastes(rules: Rules) -> tuple[Array, Array]:
    """Return `waste` and `moved` of `Reachability`."""
    puzzle = rules.problem.puzzle
    waste = np.full((len(puzzle.operators), len(rules.distance)), -1, np.int32)
    moved = np.full(len(puzzle.operators), -1, np.int32)
    for o, operator in enumerate(puzzle.operators):
        step = _exchange(operator)
        if rules.arcs is None or step is None:
            continue
        blank, moved[o] = step
        for tile in puzzle.tiles:
            lost = rules.waste(tile, step[1], blank)
            waste[o, tile] = -1 if lost is None else lost
    return waste, moved


def _exchange(operator: Operator) -> tuple[int, int] | None:
    """Return the blank's cells before and after an operator that exchanges it with one tile."""
    blank = operator.blank
    moves = {cell: source for cell, source in operator.moves if cell != source}
    others = [cell for cell in moves if cell != blank]
    if blank is None or len(others) != 1 or moves != {blank: others[0], others[0]: blank}:
        return None
    return blank, others[0]


def _sorted_rows(pairs: list[tuple[int, ...]], cells: int) -> tuple[tuple[int, ...], ...]:
    rows: list[set[int]] = [set() for _ in range(cells)]
    for cell, other in pairs:
        rows[cell].add(other)
    return tuple(tuple(sorted(row)) for row in rows)
