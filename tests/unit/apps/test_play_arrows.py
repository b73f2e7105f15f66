"""Arrow keys of a game: which move they make, and what is said where there are several."""

from contextlib import nullcontext

import pytest
from support.fixtures.cases import row_slides

from plansolve.apps.play.arrows import ARROWS, slides_by_arrow
from plansolve.apps.play.game import Game
from plansolve.apps.play.session import Session
from plansolve.formats import read_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import default_size_of, make_puzzle


class Shown:
    """A screen that keeps what was said."""

    def __init__(self):
        self.said = []

    def say(self, text):
        self.said.append(text)

    def show(self, game):
        pass

    def progress(self):
        return nullcontext()


def session_of(problem, convention="tile"):
    game, screen = Game(problem), Shown()
    return game, screen, Session(game, None, screen, convention, has_arrows=True)


@pytest.mark.parametrize(
    ("board", "convention", "keys", "moves"),
    [
        # One tile can go that way, or none.
        ("1 2 3\n4 . .\n5 6 7", "tile", ["right", "left"], ["a2R", "b2L"]),
        ("1 . .\n2 3 4", "tile", ["down"], []),
        # Two can: the gap that moved last decides.
        ("1 . .\n2 3 4", "tile", ["right", "up", "down"], ["a1R", "a2U", "a1D"]),
        # The gap goes right where the tile goes left.
        ("1 2 3\n4 . .\n5 6 7", "blank", ["left", "right"], ["a2R", "b2L"]),
    ],
)
def test_arrows_move_tiles_into_gaps(board, convention, keys, moves):
    game, screen, session = session_of(read_problem(board), convention)
    assert all(session.arrow(key) for key in keys)
    assert game.moves == moves and screen.said == []


def test_a_gap_that_moved_last_comes_first():
    # The left gap has moved: tile 4 goes up beside it, though tile 5 could go up as well.
    game, _, session = session_of(read_problem(". 1 2 .\n3 4 5 6"))
    for key in ("left", "up"):
        session.arrow(key)
    assert game.moves == ["b1L", "b2U"]


def test_several_tiles_that_could_go_are_named():
    game, screen, session = session_of(read_problem("1 . .\n2 3 4"))
    session.arrow("up")
    assert game.moves == [] and screen.said == ["several can go up, type one: b2U c2U"]
    session.enter("c2U")
    session.arrow("up")
    assert game.moves == ["c2U", "b2U"]


def test_help_lists_what_can_be_made_where_there_are_many_moves():
    _, screen, session = session_of(read_problem("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 . 14 ."))
    session.enter("help")
    assert screen.said[0].startswith(
        "Type moves: b3D c4L a4R d3D c4R, to name those that can be made now; several at once"
    )


def test_gaps_side_by_side_do_not_change_places():
    game = Game(read_problem("1 2 3\n4 . ."))
    found = {way: slides_by_arrow(game, way, of_gap=False) for way in ARROWS}
    assert found == {"up": [], "down": ["b1D", "c1D"], "left": [], "right": ["a2R"]}


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("1 2 3\n4 . 5\n6 7 8", "The arrow keys move, too."),
        ("1 2 3\n. 4 .", "The arrow keys move a tile into the gap beside it, too; where several"),
        (make_puzzle("pancake", *default_size_of("pancake")), ""),
        (make_puzzle("top-spin", *default_size_of("top-spin")), ""),
        (row_slides(), "The arrow keys move a tile into the gap beside it, too.\n"),
    ],
)
def test_help_tells_what_arrows_do(problem, told):
    if isinstance(problem, str):
        problem = read_problem(problem)
    else:
        first = next(iter(problem.applicable(problem.goal).values()))
        problem = Problem(problem, first.apply(problem.goal))
    _, screen, session = session_of(problem)
    session.enter("help")
    (text,) = screen.said
    assert told in text and ("arrow" in text) == bool(told)
