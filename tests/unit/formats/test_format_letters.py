"""Boards of letters, of which some may be alike, with their goals in the same or another file."""

import pytest

from plansolve.errors import GoalError, InputError
from plansolve.formats import detect, read_problem, write_problem
from plansolve.model.puzzle import OPEN
from plansolve.solvers.engine.solve import solve

RATE = "RATE\nYOUR\nMIND\nPLA."
GOAL = "RATE\nYOUR\nMIND\nPAL."
SPACED = "\n".join(" ".join(row) for row in GOAL.split("\n"))


def rows(problem):
    return problem.puzzle.board_text(problem.start).replace(" ", "").split("\n")


@pytest.mark.parametrize("text", [RATE, RATE.replace(".", "_"), SPACED])
def test_letters_are_recognised(text):
    assert detect(text).name == detect(f"# RATE\n{text}\ngoal:\n{GOAL}").name == "letters"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ABC\nDEF\nGH+", "lloyd"),
        ("ABC\nDEF\nGHI", "lloyd"),
        ("x 1\n2 3", "puz"),
        ("1 2 3\n4 - 5\n6 7 .", "puz"),
        ("a 1\nb .", "puz"),
    ],
)
def test_what_is_no_board_of_letters(text, name):
    try:
        assert detect(text).name == name
    except InputError:
        assert name == "puz" and "a" in text


def test_the_goal_may_stand_in_the_file_or_beside_it():
    one = read_problem(f"{RATE}\ngoal:\n{GOAL}\n")
    assert one == read_problem(RATE, goal=GOAL) == read_problem(RATE, goal=SPACED)
    assert one == read_problem([*map(list, RATE.split("\n"))], goal=[*map(list, GOAL.split("\n"))])
    assert rows(one) == RATE.split("\n") and one.puzzle.labels == tuple(".RATEYOUMINDPL")
    assert one.goal == (1, 2, 3, 4, 5, 6, 7, 1, 8, 9, 10, 11, 12, 2, 13, 0)
    assert write_problem(one, "letters").endswith("M I N D\nP A L .\n")
    assert read_problem(write_problem(one, "json")) == one


def test_numbers_may_be_alike_where_board_and_goal_have_the_same():
    problem = read_problem("2 1 2\n1 . 2", goal="1 1 2\n2 2 .")
    assert problem.puzzle.pieces == (0, 1, 1, 2, 2, 2)
    with pytest.raises(InputError, match="2 appears twice"):
        read_problem("2 1 3\n4 . 2")
    with pytest.raises(GoalError, match="2 appears twice"):
        read_problem("2 1 3\n4 . 5", goal="1 2 3\n4 2 .")


def test_open_cells_and_holes():
    problem = read_problem("ab-\nba.", goal="b*-\n*a.")
    assert problem.goal == (1, OPEN, 5, OPEN, 2, 0)
    assert problem.puzzle.name == "sliding:holes=3" and problem.start == (2, 1, 5, 1, 2, 0)
    for name in ("letters", "json"):
        assert read_problem(write_problem(problem, name)) == problem
    assert str(problem) == "a b -\nb a ."


def test_other_puzzles_have_letters_too(kept_workers):
    problem = read_problem("A B\nB A", puzzle="loopover", goal="A A\nB B")
    assert solve(problem, workers=kept_workers, optimal=True).length == 1
    rings = read_problem("Y R R Y\nY B B Y", puzzle="hungarian-rings:apart=2,colours=3")
    assert rings.puzzle.name == "hungarian-rings:apart=2,colours=3"
    lloyd = read_problem("ABA\nB+C\nCCD", puzzle="lloyd", goal="AAB\nBCC\nCD+")
    assert lloyd.puzzle.pieces == (0, 1, 1, 2, 2, 3, 3, 3, 4)
    with pytest.raises(InputError, match="have just one piece A"):
        read_problem("A A B C D E", puzzle="top-spin", goal="A B A C D E")
