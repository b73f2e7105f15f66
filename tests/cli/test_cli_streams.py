"""Pipes that close, terminals of all kinds, and homes that are not there, for the real process."""

import re
import shlex
import subprocess
import sys

import pytest
from support.fixtures.processes import command, environment
from support.fixtures.terminal import Terminal

from plansolve.cli.main import cli

# Without perimeters the hard board takes SAT minutes.
SLOW = ("--engine", "cnf", "--lemmas", "distance,tile-blank,no-undo,waste-counter")
HEAVY = ["numpy", "ortools", "pysat", "rich", "psutil", "numba", "pandas"]
LOADED = """
import sys
from plansolve.cli.main import main
sys.argv = ["plansolve", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
EACH_HELP = """
import sys
from plansolve.cli.main import main
for name in sys.argv[1:]:
    sys.argv = ["plansolve", name, "--help"]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, end.code
"""
# On a machine of any speed.
WORK_IS_QUICK = """
from plansolve.cli import progress
from plansolve.cli.main import main
progress.LIVE_SECONDS = float("inf")
main()
"""


@pytest.mark.parametrize("arguments", [["--help"], ["list", "puzzles"], ["solve", "--help-all"]])
def test_start_imports_nothing_heavy(plansolve_process, arguments):
    done = plansolve_process(*arguments, command=[sys.executable, "-c", LOADED])
    loaded = set(done.err.split())
    assert "plansolve" in loaded
    assert loaded.isdisjoint(HEAVY), loaded & set(HEAVY)


def test_a_reader_that_stops_in_the_midst_of_much_output(seeds):
    # Four times of what a pipe holds.
    process = subprocess.Popen(
        [*command(), "encode", str(seeds / "fifteen.puz"), "--horizon", "25"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout.readline() == b"c plansolve: a shortest plan of exactly 25 moves\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()


@pytest.mark.parametrize(
    ("words", "code", "out"),
    [
        ("< board", 0, "DLLUU\n"),
        ("--optimal -q < board", 0, "DLLUU\n"),
        ("convert --to line < board", 0, "412053786\n"),
        ("< empty", 2, ""),
        ("solve < /dev/null", 2, ""),
        ("< /dev/null", 0, "Usage: plansolve [OPTIONS] "),
    ],
)
def test_a_piped_board_needs_no_argument(plansolve_process, tmp_path, words, code, out):
    (tmp_path / "board").write_text("4 1 2\n0 5 3\n7 8 6\n")
    (tmp_path / "empty").write_text("")
    shell = ["sh", "-c", f"{shlex.join(command())} {words}"]
    done = plansolve_process(command=shell, cwd=tmp_path)
    assert (done.code, done.out[: len(out)]) == (code, out)
    assert done.out == out or out.startswith("Usage")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">/dev/full 2>/dev/full"])
def test_closed_streams_are_no_internal_error(plansolve_process, seeds, closed):
    board = "-" if closed == "<&-" else "cis521-a.json"
    shell = ["sh", "-c", f"{shlex.join(command())} {board} {closed}"]
    done = plansolve_process(command=shell, cwd=seeds)
    # A plan that nobody can read must not pass for one that was delivered.
    assert done.code == (0 if closed == "2>&-" else 2)
    assert "internal error" not in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("home", "engine"), [("locked", "cp-sat"), ("missing", "cnf"), ("/proc", "cnf")]
)
def test_homes_and_current_folders_make_no_difference(
    plansolve_process, seeds, tmp_path, home, engine
):
    (tmp_path / "locked").mkdir(mode=0o500)
    # Modules in the current folder are not imported.
    here = tmp_path / "here"
    here.mkdir()
    for name in ("pickle", "psutil", "pysat", "queue", "click"):
        (here / f"{name}.py").write_text("raise SystemExit('imported from the folder')\n")
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    env = dict.fromkeys(names, str(tmp_path / home))
    done = plansolve_process(seeds / "cis521-a.json", "-q", "--engine", engine, env=env, cwd=here)
    assert (done.code, done.out, done.err) == (0, "DLLUU\n", "")
    assert list((tmp_path / "locked").iterdir()) == []
    assert len(list(here.iterdir())) == 5


@pytest.mark.parametrize(
    "variables",
    [
        {"COLUMNS": "1", "NO_COLOR": "1", "TERM": "dumb", "PYTHONWARNINGS": "error"},
        {"COLUMNS": "30", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_terminal_variables_do_no_harm(plansolve_process, seeds, variables):
    if "LC_ALL" in variables and not sys.prefix.isascii():
        pytest.skip("with these, Python cannot start from a folder whose name is not ASCII")
    done = plansolve_process(seeds / "simple.puz", "--engine", "cnf", "-v", env=variables)
    assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n")
    assert re.match(r"horizon 18: refuted, .*\n", done.err)
    assert re.search(r"\n24 moves, proved shortest \(.*\): .* s\n\Z", done.err)
    names = cli.list_commands(None)
    helped = plansolve_process(*names, command=[sys.executable, "-c", EACH_HELP], env=variables)
    assert (helped.code, helped.err) == (0, "")
    assert helped.out.count("Usage: plansolve") == len(names)


@pytest.fixture
def on_terminal(hard_board):
    """Starts work without end, whose standard error is a terminal."""

    def run(command, *options, **variables):
        words = [*command, str(hard_board), *SLOW, "--optimal", *options]
        return Terminal(words, environment(variables), errors_only=True)

    return run


def cursor_is_visible(text):
    return text.rfind("\x1b[?25h") >= text.rfind("\x1b[?25l")


def test_a_live_line_and_a_cursor_afterwards(talkative_command_line, on_terminal):
    limit = ("--time-limit", "1")
    terminal = on_terminal(talkative_command_line, *limit, TERM="xterm-256color", NO_COLOR="1")
    assert terminal.end() == 23
    assert not re.search(r"\x1b\[[0-9;]*[34]\d[0-9;]*m", terminal.text)
    assert "\x1b[?25l" in terminal.text and cursor_is_visible(terminal.text)
    last = terminal.text.rstrip("\n").rpartition("\n")[2]
    # The search beside the proof may have found a plan.
    assert ("not proved shortest" if terminal.out else "gave up (time limit reached)") in last
    assert "every plan has " in last


@pytest.mark.parametrize(
    ("kind", "options", "said"), [("dumb", (), r"[^\x1b]+"), ("xterm-256color", ("-q",), "")]
)
def test_a_terminal_without_a_live_line(talkative_command_line, on_terminal, kind, options, said):
    terminal = on_terminal(talkative_command_line, *options, "--time-limit", "1", TERM=kind)
    assert terminal.end() == 23
    assert re.fullmatch(said, terminal.text)


def test_control_c_in_a_terminal(on_terminal):
    terminal = on_terminal(command(), TERM="xterm-256color")
    terminal.interrupt(after="tries ")
    assert terminal.end() == 130
    assert cursor_is_visible(terminal.text)
    told = "not proved shortest" if terminal.out else "gave up"
    assert f"{told} (interrupted)" in terminal.text and "Traceback" not in terminal.text


def test_a_quick_run_shows_no_live_line(seeds):
    words = [sys.executable, "-c", WORK_IS_QUICK, str(seeds / "cis521-a.json")]
    terminal = Terminal(words, environment({"TERM": "xterm-256color"}), errors_only=True)
    assert (terminal.end(), terminal.out) == (0, "DLLUU\n")
    assert "\x1b" not in terminal.text
    assert terminal.text.count("\n") == 1
