"""Breadth-first search from both ends, in plain Python: ready at once, and enough for small boards.

A layer holds the boards at one distance from the start, or to the goal, each with the operator on
the way to it. The side whose layer is smaller goes on. When the layers have d and e moves behind
them and no board in common, no plan has d + e moves; the first common board gives a shortest plan
(Pohl 1971).
"""

from collections.abc import Iterator

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Plan, State
from plansolve.model.structure import raised_to_parity
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report

__all__ = ["breadth_first"]

_BY = "breadth-first search"
# A board of nine cells with what belongs to it, and its share of a table that has just grown.
_BOARD_BYTES = 600


def breadth_first(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Report until a shortest plan, or that there is none; end where memory does."""
    operators = problem.puzzle.operators
    sides = (_Side(problem.start, operators), _Side(problem.goal, _reversed(operators)))
    parity = problem.structure.plan_parity(problem.start)
    if problem.start == problem.goal:
        yield Report(_BY, plan=())
        return
    while not incumbent.is_closed:
        side, other = sorted(sides, key=lambda s: len(s.layer))
        if not side.layer:
            yield Report(_BY, lower_bound=NO_PLAN, counts=_counts(sides))
            return
        if sum(len(s.parents) for s in sides) * _BOARD_BYTES > budget.memory:
            return
        meeting = side.advance(other.layer)
        bound = sides[0].depth + sides[1].depth
        if meeting is not None:
            plan = sides[0].way(meeting)[::-1] + sides[1].way(meeting)
            yield Report(_BY, plan=plan, lower_bound=bound, counts=_counts(sides))
            return
        possible = raised_to_parity(bound + 1, parity)
        yield Report(_BY, lower_bound=possible, counts=_counts(sides))


class _Side:
    """The boards that have been reached from one end, layer by layer."""

    def __init__(self, board: State, operators: list[Operator] | tuple[Operator, ...]) -> None:
        self.layer = {board}
        self.parents: dict[State, tuple[State, str] | None] = {board: None}
        self.depth = 0
        self._by_blank: dict[int | None, list[Operator]] = {}
        for operator in operators:
            self._by_blank.setdefault(operator.blank, []).append(operator)

    def advance(self, others: set[State]) -> State | None:
        """Go one move further; return a board that is among the others', if there is one."""
        following = set()
        for board in self.layer:
            choices = self._by_blank.get(None, [])
            if 0 in board:
                choices = choices + self._by_blank.get(board.index(0), [])
            for operator in choices:
                after = operator.apply(board)
                if after not in self.parents:
                    self.parents[after] = board, operator.name
                    following.add(after)
        self.layer = following
        self.depth += 1
        return min(following & others, default=None)

    def way(self, board: State) -> Plan:
        """The names of the operators on the way back to this side's end."""
        names = []
        while (step := self.parents[board]) is not None:
            board, name = step
            names.append(name)
        return tuple(names)


def _reversed(operators: tuple[Operator, ...]) -> list[Operator]:
    """The operators that take each one back, under its name."""
    found = []
    for operator in operators:
        back = tuple((source, cell) for cell, source in operator.moves)
        blank = operator.blank
        if blank is not None:
            # Afterwards the blank is where its content was taken to.
            blank = next((cell for cell, source in operator.moves if source == blank), blank)
        found.append(Operator(operator.name, back, blank))
    return found


def _counts(sides: tuple[_Side, _Side]) -> dict[str, int]:
    return {"nodes": sum(len(side.parents) for side in sides)}
