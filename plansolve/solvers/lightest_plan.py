"""Of plans that make the same moves by different operators, the one of least penalty."""

from plansolve.model.problem import Problem, boards_of, operators_of
from plansolve.model.puzzle import Plan

__all__ = ["lightest_plan"]


def lightest_plan(problem: Problem, plan: Plan) -> Plan:
    """Return the same moves by the operators of least penalty: one name for each such plan.

    Moves are the same if they do the same to the cells. Where pieces are alike, another one may
    lead to the same board.
    """
    cells, names = problem.puzzle.cells, []
    for board, operator in zip(boards_of(problem, plan), operators_of(problem, plan), strict=False):
        goes = operator.destinations(cells)
        choices = problem.puzzle.applicable(board).values()
        same = [choice for choice in choices if choice.destinations(cells) == goes]
        names.append(min(same, key=lambda choice: choice.penalty).name)
    return tuple(names)
