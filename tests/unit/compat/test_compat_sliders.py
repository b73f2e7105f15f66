"""The functions of the game of sliders, as the project's text describes them."""

import io
import random

import pytest
from support.reference.rules import replayed

from plansolve.compat.sliders import (
    generate,
    get_board_size,
    is_solved,
    is_valid,
    move,
    move_down,
    move_left,
    move_random,
    move_right,
    move_up,
    play,
    play_interactive,
    print_board,
    reset,
    rotate,
    shuffle,
)
from plansolve.errors import BoardError, OptionError

WAYS = {"L": "left", "R": "right", "U": "up", "D": "down"}


def walked(board, letters):
    """The board after the moves of number 0, all of which must be possible."""
    return replayed(board, map(WAYS.get, letters))


def answer(monkeypatch, capsys, lines, *arguments):
    """Return what play_interactive returns and prints for these typed lines."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    returned = play_interactive(*arguments)
    return returned, capsys.readouterr().out


def shown(*rows):
    return "Current board is:\n" + "".join(row.replace(" ", "\t") + "\n" for row in rows)


def test_the_game_of_the_project_s_text(capsys):
    b = generate(3, 3)
    print_board(b)
    assert capsys.readouterr().out == "0\t1\t2\n3\t4\t5\n6\t7\t8\n"
    assert is_valid(b) is True
    assert is_solved(b) is True
    assert get_board_size(b) == (3, 3)
    # The text has `b = reset(b)` further down: reset returns None.
    assert reset(b) is None
    assert move(b, "RD") == 2
    assert b == [[1, 4, 2], [3, 0, 5], [6, 7, 8]]
    assert (is_valid(b), is_solved(b)) == (True, False)
    assert (move_left(b), move_left(b)) == (1, 0)
    assert b == [[1, 4, 2], [0, 3, 5], [6, 7, 8]]
    assert (move_up(b), move_up(b)) == (1, 0)
    assert b == [[0, 4, 2], [1, 3, 5], [6, 7, 8]]
    move_down(b)
    f = rotate(b)
    assert f == [[6, 0, 1], [7, 3, 4], [8, 5, 2]]
    assert b == [[1, 4, 2], [0, 3, 5], [6, 7, 8]]
    # The text goes on with `b`, and shows `f`.
    assert play(f, "LR") == -1
    assert f == [[6, 0, 1], [7, 3, 4], [8, 5, 2]]
    reset(b)
    move_right(b)
    move_down(b)
    assert play(b, "ULRULDUDULR") == 2
    assert b == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_boards_are_changed_and_not_replaced():
    board = generate(2, 3)
    turned = rotate(board)
    assert rotate(rotate(rotate(turned))) == board == [[0, 1, 2], [3, 4, 5]]
    turned[0][0] = 9
    assert turned == [[9, 0], [4, 1], [5, 2]] and board == [[0, 1, 2], [3, 4, 5]]
    rows = list(board)
    for change in (
        lambda: move(board, "rdlu"),
        lambda: move_random(board),
        lambda: shuffle(board),
        lambda: reset(board),
        lambda: play(board, "RD"),
    ):
        change()
        assert all(row is before for row, before in zip(board, rows, strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("times", [1, 2, 3, 20])
def test_shuffle_makes_so_many_real_moves_and_does_not_solve(seed, times):
    random.seed(seed)
    board = generate(2, 2 + seed)
    before = [list(row) for row in board]
    for _ in range(4):
        made = shuffle(board, times=times)
        assert len(made) == times and set(made) <= set("LRUD")
        assert walked(before, made) == board
        assert not is_solved(board)
        before = [list(row) for row in board]
    assert len(shuffle(generate(3, 3))) == 20


def test_move_random_takes_every_way_and_never_one_over_the_edge():
    random.seed(1)
    ways = set()
    for _ in range(60):
        board = generate(3, 3)
        letter = move_random(board)
        assert board == walked(generate(3, 3), letter)
        ways.add(letter)
    assert ways == {"R", "D"}


def test_move_ignores_what_is_no_move_and_does_not_count_the_impossible():
    board = generate(3, 3)
    assert move(board, "l r?7 R-d\nRü") == 3  # l and the last R go over the edge
    assert board == walked(generate(3, 3), "RRD")


NO_BOARDS = (
    [[1, 20, 3], [4, 15, 10]], [[0, 1], [1, 2]], [[1, 2], [3, 4]], [[0, -1], [2, 3]],
    [[0, 1], [2]], [[0, True], [2, 3]], [[0.0, 1.0], [2.0, 3.0]], [["0", "1"], ["2", "3"]],
    [[]], [], [1, 2], None, "01",
)  # fmt: skip


@pytest.mark.parametrize(
    ("board", "valid"),
    [
        ([[0, 1], [2, 3]], True),
        ([[3, 2, 1, 0], [4, 5, 6, 7]], True),
        *((board, False) for board in NO_BOARDS),
    ],
)
def test_is_valid(board, valid):
    assert is_valid(board) is valid
    assert is_solved(board) is (board == [[0, 1], [2, 3]] and valid)


def test_play():
    board = generate(3, 3)
    # Moves may be a list.
    assert (move(board, ["r", "D"]), board) == (2, [[1, 4, 2], [3, 0, 5], [6, 7, 8]])
    assert (play(board, ["U", "L", "R"]), board) == (2, generate(3, 3))
    assert play([[0, 1], [2, 3]], "RD") == 0
    assert play([[0, 1], [1, 3]], "RD") == -2
    board = [[1, 0], [2, 3]]
    assert play(board, "") == -1
    # U goes over the edge and x is no move: one move solves the board, and the rest is not made.
    assert play(board, "Uxlr") == 1
    assert board == [[0, 1], [2, 3]]


@pytest.mark.parametrize(("row", "column"), [(1, 3), (3, 1), (0, 0), (11, 2), (2, 11), (-2, 2)])
def test_generate_refuses_other_sizes(row, column):
    with pytest.raises(BoardError, match="sides go from 2 to 10"):
        generate(row, column)


def test_other_wrong_arguments():
    with pytest.raises(OptionError, match="must be 1 or more"):
        shuffle(generate(2, 2), 0)
    with pytest.raises(BoardError, match="one cell"):
        move_random([[0]])
    with pytest.raises(BoardError, match="every move solves"):
        shuffle([[1, 0]], 1)


TEXT = [[1, 4, 2], [3, 0, 5], [6, 7, 8]]
ASKED = "Where do you want to move: "


@pytest.mark.parametrize(
    ("board", "typed", "returned", "after", "out"),
    [
        (TEXT, "UZL", ("UL", 2), generate(3, 3),
         shown("1 4 2", "3 0 5", "6 7 8") + ASKED + shown("1 0 2", "3 4 5", "6 7 8") + ASKED
         + "Wrong move.\n" + shown("1 0 2", "3 4 5", "6 7 8") + ASKED
         + shown("0 1 2", "3 4 5", "6 7 8") + "Congrats! You solved the board in 2 moves.\n"),
        (TEXT, "UQ", ("U", -1), [[1, 0, 2], [3, 4, 5], [6, 7, 8]], f"{ASKED}Exiting.\n"),
        # The end of the input quits.
        (TEXT, "U", ("U", -1), [[1, 0, 2], [3, 4, 5], [6, 7, 8]], f"{ASKED}\nExiting.\n"),
        ([[1, 20, 3], [4, 15, 10]], "", ("", -2), [[1, 20, 3], [4, 15, 10]],
         "The board matrix elements must be between 0:1:row*column-1\n"),
        (generate(2, 2), "", ("", 0), generate(2, 2),
         shown("0 1", "2 3") + "Congrats! You solved the board in 0 moves.\n"),
    ],
    ids=["solved", "quit", "end", "not valid", "solved already"],
)  # fmt: skip
def test_the_games_of_the_text(monkeypatch, capsys, board, typed, returned, after, out):
    board = [list(row) for row in board]
    told = answer(monkeypatch, capsys, typed, board)
    assert (told[0], board) == (returned, after)
    assert told[1].endswith(out) and (typed in ("U", "UQ") or told[1] == out)


def test_random_moves_lower_case_and_moves_over_the_edge(monkeypatch, capsys):
    random.seed(4)
    board = generate(3, 3)
    move(board, "RRDD")
    before = [list(row) for row in board]
    # From the lower right corner r and d go over the edge.
    returned, out = answer(monkeypatch, capsys, ["r", "d", "m", "", "LU", " m ", "q"], board)
    made, number = returned
    assert number == -1 and len(made) == 2
    assert walked(before, made) == board
    assert out.count("Wrong move.\n") == 4


def test_a_wrong_size_is_asked_for_again(monkeypatch, capsys):
    assert answer(monkeypatch, capsys, [])[0] == ("", -1)
    returned, out = answer(monkeypatch, capsys, ["x", "1", "11", "2", "", "10", "Q"])
    assert returned == ("", -1)
    assert out.startswith("Please type the puzzle size number.\nRow number:")
    assert out.count("Please type a number from 2 to 10.\n") == 4
    board = out.partition("Current board is:\n")[2].splitlines()[:2]
    assert [len(row.split("\t")) for row in board] == [10, 10]
