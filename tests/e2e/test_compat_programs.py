"""The drop-in programs as their courses and their contest start them, some in a terminal."""

import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from support.fixtures.processes import environment
from support.fixtures.terminal import Terminal
from support.fixtures.waiting import PATIENCE, is_over, wait_until
from support.reference import rules as by_hand

from plansolve import compat
from plansolve.instances.instance_set import load_instance_set

SEEDS = Path(__file__).parents[2] / "instances" / "seeds"
PROGRAMS = Path(compat.__path__[0])
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PERFECTION = "ABCDEFGHIJKLMNOPQRSTUVWX+"


def module(name, *arguments):
    return [sys.executable, "-m", f"plansolve.compat.{name}", *map(str, arguments)]


def run(name, *arguments, stdin=b"", **variables):
    """The exit code, and what the program wrote."""
    done = subprocess.run(
        module(name, *arguments),
        input=stdin,
        capture_output=True,
        env=environment() | variables,
        timeout=4 * PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def here(monkeypatch, capsys):
    """Runs a program in this process, which starts no Python: for wrong input, which ends early."""

    def here(name, *arguments):
        monkeypatch.setattr("sys.argv", [name, *map(str, arguments)])
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        try:
            with pytest.raises(SystemExit) as ended:
                runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        return (ended.value.code, *capsys.readouterr())

    return here


def transported(square, moves):
    """The square after the contest's moves, all of which must be legal; by rules of its own."""
    board = by_hand.fold([0 if letter == "+" else letter for letter in square], 5)
    for move in moves:
        board = by_hand.lloyd(board, move)
        assert board is not None, f"{move} is illegal"
    return "".join(letter or "+" for letter in by_hand.flat(board))


def one_line(out):
    """The moves in the output of the contest's program, which holds nothing else."""
    assert re.fullmatch("[durlt]*\n", out), out
    return out[:-1]


def square_file(folder, letters):
    path = folder / "square"
    path.write_text("".join(f"{letters[i : i + 5]}\n" for i in range(0, 25, 5)))
    assert path.stat().st_size == 30
    return path


RANDOM_SQUARE = "JSFNCIKHETBDUO+WXVRGALMQP"


def test_lloyd_prints_one_line_for_the_contest_s_example_and_ignores_its_input():
    square = "".join((SEEDS / "lloyd.txt").read_text().split())
    code, out, err = run("lloyd", SEEDS / "lloyd.txt", stdin=b"dddd\nq\n\x00" * 1000)
    assert (code, err) == (0, "")
    moves = one_line(out)
    assert transported(square, moves) == PERFECTION
    # The optimum, which breadth-first searches from both ends have proved.
    assert len(moves) == 9


def test_lloyd_reaches_perfection_in_the_seconds_that_it_is_given(here, tmp_path):
    assert here("lloyd", square_file(tmp_path, PERFECTION)) == (0, "\n", "")
    code, out, err = run("lloyd", square_file(tmp_path, RANDOM_SQUARE), "2.5")
    assert (code, err) == (0, "")
    assert transported(RANDOM_SQUARE, one_line(out)) == PERFECTION


@pytest.mark.slow
def test_lloyd_shortens_a_random_plan_to_the_winner_s_and_below(tmp_path):
    code, out, err = run("lloyd", square_file(tmp_path, RANDOM_SQUARE), "40")
    assert (code, err) == (0, "")
    moves = one_line(out)
    assert transported(RANDOM_SQUARE, moves) == PERFECTION
    # 77 is proved to be the optimum, and the winner of 1995 needed 90.6 on average.
    assert 77 <= len(moves) <= 91


@pytest.mark.parametrize(
    ("number", "is_busy"),
    [(signal.SIGINT, True), *(pytest.param(number, False, marks=pytest.mark.slow)
                              for number in (signal.SIGTERM, signal.SIGHUP))],
)  # fmt: skip
def test_lloyd_prints_its_best_plan_after_a_signal(tmp_path, number, is_busy):
    process = subprocess.Popen(
        # Python starts slowly; a line on stdout tells that the signal will be received.
        [
            sys.executable,
            "-c",
            "import plansolve.compat.lloyd as lloyd; catch = lloyd.Stop.catch\n"
            "def caught(stop): catch(stop); print('ready', flush=True)\n"
            "lloyd.Stop.catch = caught; lloyd.run_program(lloyd.main, 'lloyd: ')",
            square_file(tmp_path, RANDOM_SQUARE),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        if is_busy:
            wait_until(lambda: psutil.Process(process.pid).children(), "a child process")
        children = psutil.Process(process.pid).children()
        process.send_signal(number)
        # A second one while the first is dealt with changes nothing.
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, err.decode()) == (0, "")
    assert transported(RANDOM_SQUARE, one_line(out.decode())) == PERFECTION
    wait_until(lambda: all(map(is_over, children)), "the end of the children")


USAGE = "usage: python -m plansolve.compat.slidingpuzzle "
PARSE = "Error: couldn't parse start state file: "
SQUARE = str(SEEDS / "lloyd.txt")
MANY = "25 numbers are expected, not 26"
ROWS = "ABCDE\nFGHIJ\nKLMNO\nPQRST\n"


@pytest.mark.parametrize(
    ("name", "arguments", "text", "said"),
    [
        ("lloyd", ["FILE"], f"{ROWS}UVWXX\n", "line 5: X appears twice, + is missing"),
        ("lloyd", ["FILE"], None, "No such file"),
        ("lloyd", [], None, "expected the name of a file"),
        ("lloyd", [SQUARE, "soon"], None, "'soon' is not a duration"),
        ("lloyd", [SQUARE, "1", "2"], None, "expected the name of a file"),
        ("solver2023", ["FILE"], "1 2 3\n", f"{PARSE}25 numbers are expected, not 3"),
        ("solver2023", ["FILE"], "1 2 x", f"{PARSE}line 1: 'x' is not a number from 1 to 25"),
        ("solver2023", ["FILE"], " ".join(map(str, range(26))), f"{PARSE}{MANY}"),
        ("solver2023", ["FILE"], None, f"{PARSE}No such file"),
        ("solver2023", [], None, "Error: expected a board filename\n"),
        ("solver2023", ["a", "b"], None, "Error: expected a board filename\n"),
        ("slidingpuzzle", ["-n", "FILE"], "1 2 3\n4 4 .\n", "FILE: line 2: 4 appears twice, 5 is "),
        ("slidingpuzzle", ["FILE"], None, "No such file"),
        *(("slidingpuzzle", arguments, None, USAGE) for arguments in
          ([], ["-n"], ["-x", "FILE"], ["FILE", "FILE"])),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_on_one_line(here, tmp_path, name, arguments, text, said):
    path = tmp_path / "file"
    if text is not None:
        path.write_text(text)
    code, out, err = here(name, *(path if word == "FILE" else word for word in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("Error: " if name == "solver2023" else f"{name}: ")
    assert said.replace("FILE", str(path)) in err


def test_solver2023_prints_what_the_skeleton_prints():
    code, out, err = run("solver2023", SEEDS / "2023.txt")
    assert (code, err) == (0, "")
    rows = ["2 23 4 5 10", "1 13 7 3 11", "6 17 8 9 20", "12 14 19 15 25", "16 21 22 18 24"]
    board = "".join("".join(f"{int(n):3d} " for n in row.split()) + "\n" for row in rows)
    head = f"Start state: \n{board}Solving...\nSolution found in 4 moves:\n"
    assert out.startswith(head)
    moves = out[len(head) :]
    assert sorted(moves.split()) == ["Icc", "Oc", "R3", "U3"]
    assert moves == " ".join(moves.split()) + "\n"


@pytest.mark.slow
def test_solver2023_proves_on_a_new_machine_what_it_proves_later(tmp_path):
    walks = load_instance_set(SEEDS.parent / "torus-ring-walks").instances
    board = next(walk.problem.start for walk in walks if walk.optimal_length == 10)
    path = tmp_path / "board.txt"
    path.write_text(" ".join(map(str, board)))
    empty = {"PLANSOLVE_CACHE_DIR": str(tmp_path / "cache")}
    code, out, err = run("solver2023", path, **empty)
    assert (code, err) == (0, "")
    assert "Solution found in 10 moves:\n" in out


def test_slidingpuzzle_in_the_course_s_words(here, tmp_path):
    path = tmp_path / "easy.puz"
    path.write_text("1 2 3 4\n5 6 7 8\n9 10 11 12\n_ 13 14 15\n")
    assert here("slidingpuzzle", "-n", path) == (0, "Solution: LLL (3)\n", "")
    path.write_text("1 2 3\n4 5 x\n")
    assert here("slidingpuzzle", "-n", path) == (0, "Solution:  (0)\n", "")
    impossible = (0, "Solution: Impossible!\n", "")
    assert here("slidingpuzzle", SEEDS / "impossible.puz", "--nographics") == impossible


def test_slidingpuzzle_without_a_display_says_so():
    code, out, err = run("slidingpuzzle", SEEDS / "simple.puz")
    assert code == 0
    assert re.fullmatch(r"Solution: [UDLR]{24} \(24\)\n", out)
    assert re.fullmatch("No window: .*terminal.*\n", err)


def test_slidingpuzzle_animates_in_a_terminal(tmp_path):
    path = tmp_path / "easy.puz"
    path.write_text("1 2 3\n. 4 6\n7 5 8\n")
    terminal = Terminal(module("slidingpuzzle", path))
    assert terminal.end() == 0
    text = terminal.text
    assert text.startswith("Solution: LUL (3)\nNo window: ")
    frames = re.findall(r"move (\d) of 3: ([UDLR])(: the goal)?", text)
    # The last one is drawn again at the end.
    assert [*dict.fromkeys(frames)] == [("1", "L", ""), ("2", "U", ""), ("3", "L", ": the goal")]


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="no Xvfb: the window cannot be opened")
def test_slidingpuzzle_animates_in_a_window():
    pytest.importorskip("tkinter")
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as numbers:
            display = numbers.readline().strip()
        code = (
            "from plansolve.compat.shared import problem_of, proved\n"
            "from plansolve.compat.slidingpuzzle import Window\n"
            "problem = problem_of([[4, 1, 2], [0, 5, 3], [7, 8, 6]], 'sliding')\n"
            "window = Window(problem, proved(problem).plan)\n"
            "tiles = range(1, 9)\n"
            "print([window.cell_of(tile) for tile in tiles])\n"
            "while not window.is_done:\n"
            "    window.root.tk.dooneevent(0)\n"
            "print([window.cell_of(tile) for tile in tiles])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            env={**environment(), "DISPLAY": f":{display}"},
            timeout=PATIENCE,
            text=True,
            check=False,
        )
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)
    # Tile 1 stands in cell 1 at first, 2 in 2, 3 in 5 ...
    assert done.stdout.splitlines() == ["[1, 2, 5, 0, 4, 8, 6, 7]", str(list(range(8)))], done


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_output_that_cannot_be_written_is_no_traceback():
    words = module("solver2023", SEEDS / "2023.txt")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, env=environment())
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert done.stderr.endswith(b"standard output: No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        done = subprocess.run(words, stdout=closed, stderr=subprocess.PIPE, env=environment())
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupted_solver2023_says_so(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text(" ".join(map(str, range(25, 0, -1))))
    process = subprocess.Popen(
        module("solver2023", path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    try:
        wait_until(lambda: psutil.Process(process.pid).children(), "a child process")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, err) == (130, b"Error: interrupted\n")
    assert out.decode().endswith("Solving...\n")
