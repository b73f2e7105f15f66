"""The first of all shortest plans, in the order that lemmas keep one plan by."""

from itertools import pairwise

from plansolve.model.puzzle import BLANK


def first_shortest(problem, table):
    """The boards and operators of the first shortest plan: by the blank's walk, or by operators."""
    operators = problem.puzzle.operators
    boards, taken = [problem.start], []
    while boards[-1] != problem.goal:
        board = boards[-1]
        steps = [
            (index, op, op.apply(board))
            for index, op in enumerate(operators)
            if op.applies_to(board) and table.get(op.apply(board)) == table[board] - 1
        ]
        # Each step of the earliest walk is to the smallest cell from which the goal is near enough.
        _, op, after = min(
            steps, key=lambda s: (s[2].index(BLANK) if problem.puzzle.has_blank else 0, s[0])
        )
        boards.append(after)
        taken.append(op)
    assert all(a != b for a, b in pairwise(boards))
    return boards, taken
