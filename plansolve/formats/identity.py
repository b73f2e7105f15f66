"""One text for one problem: what a problem is called where results are kept and looked up."""

import json
from hashlib import sha256

from plansolve.errors import InputError
from plansolve.formats.given import read_problem
from plansolve.formats.json_document import puzzle_entry
from plansolve.formats.rules import written_goal
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import goal_text


def problem_text(problem: Problem) -> str:
    """Return the JSON document of a problem in its one canonical spelling.

    Equal problems have the same text, and `read_problem` makes the problem of it again.
    """
    puzzle = problem.puzzle
    document = {
        "puzzle": puzzle_entry(puzzle),
        "board": puzzle.in_rows(problem.start),
        "goal": written_goal(puzzle),
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def problem_key(problem: Problem) -> str:
    """Return the SHA-256 of the canonical text, in hexadecimal digits."""
    return sha256(problem_text(problem).encode()).hexdigest()


def goal_in(text: str) -> str | None:
    """Return the name of the goal in a canonical text, or its cells; None for any other text."""
    try:
        return goal_text(read_problem(text, format="json").puzzle)
    except InputError:
        return None
