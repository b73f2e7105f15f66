"""`plansolve play`: scripted through a pipe, and by key through a pseudo-terminal."""

import contextlib
import io
import json
import os
import pty
import re
import select
import signal
import sys
import termios
import time

import click
import pytest
from rich.console import Console
from support.reference.rules import flat, fold, slide

from plansolve.apps.play.terminal_screen import TerminalScreen
from plansolve.cli.play import command
from plansolve.errors import InputError, PlanError
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding import sliding
from plansolve.replay.terminal import animate

BOARD = "1 2 3\n4 0 5\n7 8 6\n"
SECONDS = 60


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "board.puz"
    path.write_text(BOARD)
    return path


@pytest.fixture
def play(monkeypatch, capsys):
    """Plays in this process, which saves its start; what was shown."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        assert command.main([*map(str, arguments)], standalone_mode=False) == 0
        return capsys.readouterr().out

    return run


# Through a pipe


def test_a_game_from_a_pipe(plansolve_process, board):
    done = plansolve_process("play", board, stdin="DD\n\nundo\nLU\nnever read\n")
    assert done.code == 0
    assert done.out.splitlines() == [
        *("1 2 3", "4 0 5", "7 8 6", "0 moves, 6 of 8 tiles in place"),
        "type moves, or: undo hint solve reset help quit",
        "move 2, D, cannot be made here; possible: U L R",
        *("1 0 3", "4 2 5", "7 8 6", "1 move, 5 of 8 tiles in place"),
        *("1 2 3", "4 0 5", "7 8 6", "0 moves, 6 of 8 tiles in place"),
        *("1 2 3", "4 5 6", "7 8 0", "2 moves, 8 of 8 tiles in place"),
        "solved in 2 moves",
        "looking for the shortest plan, at most 10 s; Ctrl-C ends the search",
        "no plan is shorter: that is the optimum",
    ]


def test_a_longer_way_is_told_the_optimum(play, board):
    out = play(board, stdin="hint\nLRLU\n")
    assert "hint: L (2 moves to go, proved shortest)\n" in out
    assert out.endswith("solved in 4 moves, with 1 hint\nthe shortest plan has 2 moves, 2 fewer\n")


def test_the_end_of_the_input_ends_the_game(play, board):
    for lines in ("U\n", "U", "U\nquit\nnever read\n", "u\nq\n"):
        out = play(board, stdin=lines)
        assert out.endswith("\nnot solved, 1 move made\n")
    assert play(board).endswith("\nnot solved, 0 moves made\n")


def test_commands(play, board):
    out = play(board, stdin="help\nreset\nundo\nUR\nundo 9\nundo x\nUR\nreset\nfly\n")
    assert "Type moves: U L R D;" in out and "undo [N]" in out
    assert "arrow" not in out
    assert "there is no move to take back\n" in out
    assert "undo 'x': a number of moves is expected\n" in out
    assert out.count("0 moves, 6 of 8 tiles in place\n") == 4
    assert "'f' (in 'fly') is not a move of sliding" in out
    assert out.endswith("not solved, 0 moves made\n")


def test_moves_of_the_blank(play, board):
    out = play(board, "--moves", "blank", stdin="LLL\nhint\nreset\nright down\n")
    assert "move 2, L, cannot be made here; possible: D U R" in out
    assert "hint: R (3 moves to go, proved shortest)" in out
    assert "solved in 2 moves" in out


def test_the_solver_finishes(play, board):
    out = play(board, stdin="D\nsolve\n")
    assert "ULU (3 moves to go, proved shortest)\n" in out
    assert "solved in 4 moves, 3 of them by plansolve\n" in out
    assert out.endswith("the shortest plan has 2 moves, 2 fewer\n")


def test_hints_lead_to_the_goal_of_other_puzzles(play, tmp_path):
    torus = tmp_path / "torus"
    torus.write_text("5 1 2 3 4\n6 7 8 9 10\n11 12 13 14 15\n16 17 18 19 20\n21 22 23 24 25\n")
    out = play(torus, stdin="hint\nl1\n")
    assert "hint: L1 (1 move to go, proved shortest)" in out
    assert out.endswith("that is the optimum\n")


def test_what_is_not_proved_is_not_said(play, hard_board):
    # Far too little time for a plan or a proof, let alone both.
    out = play(hard_board, "--time-limit", "0.001", stdin="hint\n")
    assert "proved shortest)" not in out.replace("not proved shortest", "")
    assert re.search(r"no plan found \(time limit reached\), which does not say", out)


def test_an_unsolvable_board_says_so_when_it_is_asked(play, tmp_path):
    board = tmp_path / "board"
    board.write_text("2 1 3\n4 5 6\n7 8 0\n")
    out = play(board, stdin="solve\nhint\n")
    assert out.count("this board has no plan: parity") == 2


def test_a_random_board_is_the_seed_s(play):
    first, again = (play("--size", "3x3", "--seed", "1") for _ in range(2))
    assert first == again
    assert first.startswith("sliding 3x3, seed 1\n2 1 3\n8 5 4\n6 7 0\n0 moves")
    other = play("--puzzle", "lloyd", "--seed", "1")
    assert other.startswith("lloyd 5x5, seed 1\n")


def test_a_move_that_is_called_like_a_command(play, tmp_path):
    swap = {"name": "undo", "moves": [[0, 1], [1, 0]]}
    turn = {"name": "q", "moves": [[0, 1], [1, 2], [2, 0]]}
    rules = {"name": "own", "rows": 1, "columns": 3, "goal": [[1, 2, 3]], "operators": [swap, turn]}
    board = tmp_path / "board.json"
    board.write_text(json.dumps({"puzzle": rules, "board": [[1, 3, 2]]}))
    out = play(board, stdin="undo\nq\n")
    assert "\n3 1 2\n1 move, " in out and "\n1 2 3\n2 moves, " in out
    assert out.endswith("that is the optimum\n")


def test_nothing_to_play(plansolve, tmp_path):
    board = tmp_path / "board"
    board.write_text("1 2\n3 0\n")
    done = plansolve("play", board, stdin="U\n")
    assert done.code == 0 and done.out.endswith("the board is the goal already\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-"], ["standard input holds what is typed"]),
        (["no-such-board"], ["No such file"]),
        (["no-such-board", "--size", "3x3"], ["random board"]),
        (["--format", "puz"], ["--format"]),
        (["--size", "0x3"], ["0x3"]),
        (["--puzzle", "torus-ring", "--moves", "blank"], ["torus-ring has no blank"]),
        (["--time-limit", "soon"], ["'soon'"]),
    ],
)
def test_what_is_wrong_is_told(arguments, words):
    with pytest.raises((InputError, click.UsageError)) as error:
        command.main(arguments, standalone_mode=False)
    for word in words:
        assert word in str(error.value)


def test_bytes_that_are_no_text(plansolve, board):
    done = plansolve("play", board, stdin=b"\xff\xfe\x00\nLU\n")
    assert "is not a move" in done.out and "solved in 2 moves" in done.out


# Through a pseudo-terminal


class Terminal:
    """The command in a terminal of its own; `out` is what it has shown."""

    def __init__(self, command, environment):
        self.out, self._seen = "", 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, environment)
        self.before = termios.tcgetattr(self.terminal)

    def until(self, text):
        """Reads until `text` has been shown after what was waited for before."""
        end = time.monotonic() + SECONDS
        while (found := self.out.find(text, self._seen)) < 0:
            assert self._read(end - time.monotonic()), f"{text!r} is not in {self.out!r}"
        self._seen = found + len(text)

    def type(self, text):
        """Waits for the prompt, and types."""
        self.until("> ")
        self.wait_for_keys()
        os.write(self.terminal, text.encode())

    def wait_for_keys(self):
        """Waits until single keys are read."""
        end = time.monotonic() + SECONDS
        while termios.tcgetattr(self.terminal)[3] & termios.ICANON:
            assert time.monotonic() < end
            select.select([], [], [], 0.01)

    def end(self):
        """Reads to the end; the exit code."""
        mode = termios.tcgetattr(self.terminal)
        while self._read(SECONDS):
            mode = termios.tcgetattr(self.terminal)
        assert mode == self.before
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def _read(self, seconds):
        assert select.select([self.terminal], [], [], max(0.0, seconds))[0], self.out
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # how Linux tells that the program is gone
            return False
        self.out += data.decode()
        return bool(data)


@pytest.fixture
def terminal(command_line, clean_environment):
    opened = []

    def open_terminal(*arguments, **variables):
        environment = clean_environment(
            {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "30", **variables}
        )
        opened.append(Terminal([*command_line, "play", *map(str, arguments)], environment))
        return opened[-1]

    yield open_terminal
    for each in opened:
        os.close(each.terminal)


def test_arrow_keys(terminal, board):
    game = terminal(board)
    game.type("\x1b[B")  # down: tile 2 goes down
    game.until("1 move, 5 of 8")
    game.type("\x1bOA")  # and up again, as terminals in another mode say it
    game.until("2 moves, 6 of 8")
    game.type("\x1b[1;5D")  # left, with Ctrl
    game.until("3 moves, 7 of 8")
    game.type("\x1b[D")  # there is no tile that could go left
    game.type("\x1b[A")
    game.until("solved in 4 moves")
    game.until("the shortest plan has 2 moves, 2 fewer")
    assert game.end() == 0
    # Boards are drawn over each other, and what is in place is marked.
    assert "\x1b[4A\x1b[J" in game.out
    assert "\x1b[1;32m 7 \x1b[0m" in game.out


def test_arrow_keys_that_move_the_blank(terminal, board):
    game = terminal(board, "--moves", "blank")
    game.type("\x1b[C")
    game.until("1 move, 7 of 8")
    game.type("\x1b[B")
    game.until("that is the optimum")
    assert game.end() == 0


def test_lines_are_edited(terminal, board):
    game = terminal(board)
    game.type("quit\x15hinx\x7ft\n")  # a line thrown away, a letter corrected
    game.until("hint: L (2 moves to go, proved shortest)")
    game.type("é\x7f\x1b\x1b[3~LU\n")  # keys that mean nothing here
    game.until("that is the optimum")
    assert game.end() == 0


def test_no_colours(terminal, board):
    game = terminal(board, NO_COLOR="1")
    game.type("\x04")
    assert game.end() == 0
    assert "not solved, 0 moves made" in game.out
    assert "32m" not in game.out and "\x1b[1m 7 " in game.out


def test_a_terminal_that_cannot_move_its_cursor(terminal, board):
    game = terminal(board, TERM="dumb")
    game.until("quit")
    os.write(game.terminal, b"LU\n")
    game.until("that is the optimum")
    assert game.end() == 0
    assert "\x1b" not in game.out


def test_the_solver_shows_its_moves(terminal, board):
    game = terminal(board)
    game.type("solve\n")
    game.until("move 1 of 2: L")
    game.until("move 2 of 2: U: the goal")
    game.until("solved in 2 moves, 2 of them by plansolve")
    assert game.end() == 0


def test_ctrl_c_at_the_prompt_ends_the_game(terminal, board):
    game = terminal(board)
    game.type("U\x03")
    assert game.end() == 130
    assert "not solved, 0 moves made" in game.out and "Traceback" not in game.out


def test_ctrl_c_ends_a_search_and_not_the_game(terminal, tmp_path):
    board = tmp_path / "board"
    # No proof for this one within any test's patience.
    lloyd = make_puzzle("lloyd", 5, 5)
    letters = "".join(lloyd.labels[tile] for tile in (*range(24, 0, -1), 0))
    board.write_text("".join(f"{letters[i : i + 5]}\n" for i in range(0, 25, 5)))
    game = terminal(board, "--time-limit", "10m")
    game.type("hint\n")
    game.until("a plan of")
    os.write(game.terminal, b"\x03")
    game.until("not proved shortest")
    game.type("quit\n")
    assert game.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_as_before_when_the_game_is_ended(terminal, board, number):
    game = terminal(board)
    game.until("> ")
    game.wait_for_keys()
    os.kill(game.process, number)
    assert game.end() == 130


# The animation


def shown(problem, plan, *, is_terminal, **options):
    text = io.StringIO()
    console = Console(file=text, force_terminal=is_terminal, width=80, height=24, _environ={})
    animate(problem, plan, console, 1e9, **options)
    return text.getvalue()


def boards_in(text, rows):
    """The boards under the titles, as rows of numbers; pictures may come twice."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)
    parts = re.split(r"(?:start, .*|move \d+ of .*)\n", plain)[1:]
    return [
        tuple(
            tuple(int(n) for n in line.replace(".", "0").split())
            for line in part.split("\n")[:rows]
        )
        for part in parts
    ]


def test_animation_as_text_shows_every_board():
    problem, plan = Problem(sliding(3, 3), (1, 2, 3, 4, 0, 5, 7, 8, 6)), ("L", "U")
    boards = [fold(problem.start, 3)]
    for move in plan:
        boards.append(slide(boards[-1], move))
    assert flat(boards[-1]) == problem.goal
    for is_terminal, options in [(False, {}), (True, {"animation": False}), (True, {})]:
        text = shown(problem, plan, is_terminal=is_terminal, **options)
        assert list(dict.fromkeys(boards_in(text, 3))) == boards
        assert "move 2 of 2: U: the goal" in text
        assert ("\x1b[" in text) == is_terminal
    assert "move 1 of 2: R\n" in shown(problem, plan, is_terminal=False, convention="blank")


def test_animation_marks_the_move_and_what_is_in_place():
    problem = Problem(sliding(3, 3), (1, 2, 3, 4, 0, 5, 7, 8, 6))
    last = shown(problem, ("L",), is_terminal=True).split("move 1 of 1")[-1]
    assert "\x1b[1;7;32m 5 " in last and "\x1b[1;32m 7 " in last
    assert re.search(r"\x1b\[0m 6 ", last)


def test_pieces_that_have_colours_are_shown_in_them():
    puzzle = make_puzzle("hungarian-rings:colours=4", 2, 19)
    last = shown(Problem(puzzle, puzzle.goal), ("L",), is_terminal=True).split("move 1 of 1")[-1]
    # Of 16 colours: dark on yellow, red that has moved, white on dark grey.
    assert "\x1b[30;103m Y " in last and "\x1b[1;4;97;101m R " in last and "97;100m K " in last


def test_holes_are_no_tiles_in_place(play, tmp_path):
    (tmp_path / "board").write_text("1 2 3\n4 - 5\n6 . 7\n")
    assert "0 moves, 6 of 7 tiles in place" in play(tmp_path / "board", stdin="quit\n")


def test_a_board_that_does_not_fit_is_printed_whole():
    problem = Problem(sliding(30, 30), (*range(1, 899), 0, 899))
    text = shown(problem, ("L",), is_terminal=True)
    assert "\x1b[1A" not in text  # nothing is drawn over
    first, last = boards_in(text, 30)
    assert (flat(first), flat(last)) == (problem.start, problem.goal)


def replayed(monkeypatch, plan, sleep):
    """What the terminal shows of a plan that the solver plays."""
    monkeypatch.setattr(time, "sleep", sleep)
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=24, _environ={})
    screen = TerminalScreen(console, "tile", contextlib.nullcontext)
    screen.replay(Problem(sliding(2, 2), (1, 2, 3, 0)), plan)
    return console.file.getvalue()


def test_ctrl_c_skips_a_plan_that_is_shown_and_does_not_end_the_game(monkeypatch):
    def interrupted(seconds):
        raise KeyboardInterrupt

    shown = replayed(monkeypatch, ("D", "U"), interrupted)
    assert "start, 2 moves" in shown and "move 1" not in shown
    assert shown.endswith("\x1b[?25h")


def test_a_long_plan_is_shown_in_twenty_seconds(monkeypatch):
    pauses = []
    replayed(monkeypatch, ("D", "U") * 5, pauses.append)
    assert pauses == [0.25] * 10
    pauses.clear()
    replayed(monkeypatch, ("D", "U") * 200, pauses.append)
    assert sum(pauses) == pytest.approx(20)


def test_an_illegal_plan_shows_nothing():
    problem = Problem(sliding(2, 2), (1, 2, 0, 3))
    text = io.StringIO()
    with pytest.raises(PlanError, match="step 2"):
        animate(problem, ("L", "L"), Console(file=text))
    assert text.getvalue() == ""
