"""The other goals that a board may be meant for, where nobody has said which it is."""

from plansolve.analysis.solvability import why_unsolvable
from plansolve.formats.document import BoardDocument
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import goals_of


def goals_within_reach(problem: Problem) -> list[str]:
    """Return the names of the other goals of the family that nothing is known against."""
    return [
        name
        for name, goal in goals_of(problem.puzzle).items()
        if goal != problem.goal
        and not why_unsolvable(Problem(problem.puzzle.with_goal(goal), problem.start))
    ]


def hint_at_goal(problem: Problem, document: BoardDocument) -> str:
    """Return one line about the goal that boards like this often have; "" for none to speak of.

    That is the goal that the board is already, or one that its form suggests and it can reach.
    """
    if document.goal is not None:
        return ""
    for name, goal in goals_of(problem.puzzle).items():
        if goal == problem.start != problem.goal:
            return f"this board is the goal {name}: is --goal {name} meant?"
    if document.often and document.often in goals_within_reach(problem):
        return f"boards written like this often have another goal: --goal {document.often}"
    return ""
