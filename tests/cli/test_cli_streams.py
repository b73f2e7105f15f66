"""Pipes that close, terminals of all kinds, and homes that are not there, for the real process."""

import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time

import pytest

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


@pytest.mark.parametrize("arguments", [["--help"], ["puzzles"], ["solve", "--help"]])
def test_start_imports_nothing_heavy(plansolve_process, arguments):
    done = plansolve_process(*arguments, command=[sys.executable, "-c", LOADED])
    loaded = set(done.err.split())
    assert "plansolve" in loaded
    assert loaded.isdisjoint(HEAVY), loaded & set(HEAVY)


def test_a_reader_that_stops_in_the_midst_of_much_output(command_line, clean_environment, seeds):
    # Four times of what a pipe holds.
    process = subprocess.Popen(
        [*command_line, "encode", str(seeds / "fifteen.puz"), "--horizon", "25"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
    )
    assert process.stdout.readline() == b"c plansolve: a shortest plan of exactly 25 moves\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()


def test_the_package_runs_as_a_module(plansolve_process):
    module = [sys.executable, "-m", "plansolve"]
    done = plansolve_process("puzzles", "--help", command=module)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: plansolve puzzles")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_internal_error(plansolve_process, command_line, seeds, closed):
    board = "-" if closed == "<&-" else "cis521-a.json"
    shell = ["sh", "-c", f"{shlex.join(command_line)} {board} {closed}"]
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


class Terminal:
    """A run whose stderr is a pseudo-terminal, and whose stdout is a pipe."""

    def __init__(self, arguments, env):
        self.screen, slave = pty.openpty()
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=slave,
            env=env,
        )
        os.close(slave)
        self.text = ""

    def read_until(self, wanted: str | None, seconds: float = 60.0) -> None:
        """Reads until the text is seen, or with None until the other end closes."""
        deadline = time.monotonic() + seconds
        while wanted is None or wanted not in self.text:
            assert time.monotonic() < deadline, self.text
            if not select.select([self.screen], [], [], 1.0)[0]:
                continue
            try:
                data = os.read(self.screen, 65536)
            except OSError:
                data = b""
            if not data:
                assert wanted is None, self.text
                return
            self.text += data.decode("utf-8", "replace")

    def end(self) -> tuple[int, str]:
        try:
            self.read_until(None)
            out, _ = self.process.communicate(timeout=60)
            return self.process.returncode, out.decode()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.communicate()
            os.close(self.screen)

    @property
    def cursor_is_visible(self) -> bool:
        return self.text.rfind("\x1b[?25h") >= self.text.rfind("\x1b[?25l")


LIVE = "every plan has "


def test_a_live_line_and_a_cursor_afterwards(talkative_command_line, clean_environment, hard_board):
    terminal = Terminal(
        [*talkative_command_line, str(hard_board), *SLOW, "--optimal", "--time-limit", "1"],
        clean_environment({"TERM": "xterm-256color", "NO_COLOR": "1"}),
    )
    terminal.read_until(LIVE)
    code, out = terminal.end()
    assert code == 23
    assert not re.search(r"\x1b\[[0-9;]*[34]\d[0-9;]*m", terminal.text)
    assert "\x1b[?25l" in terminal.text and terminal.cursor_is_visible
    last = terminal.text.rstrip("\r\n").rpartition("\n")[2]
    # The search beside the proof may have found a plan.
    assert ("not proved shortest" if out else "gave up (time limit reached)") in last
    assert LIVE in last


def test_control_c_in_a_terminal(command_line, clean_environment, hard_board):
    terminal = Terminal(
        [*command_line, str(hard_board), *SLOW, "--optimal"],
        clean_environment({"TERM": "xterm-256color"}),
    )
    terminal.read_until("tries ")
    terminal.process.send_signal(signal.SIGINT)
    code, out = terminal.end()
    assert code == 130
    assert terminal.cursor_is_visible
    assert ("not proved shortest" if out else "gave up") + " (interrupted)" in terminal.text
    assert "Traceback" not in terminal.text


def test_a_quick_run_shows_no_live_line(clean_environment, seeds):
    terminal = Terminal(
        [sys.executable, "-c", WORK_IS_QUICK, str(seeds / "cis521-a.json")],
        clean_environment({"TERM": "xterm-256color"}),
    )
    code, out = terminal.end()
    assert (code, out) == (0, "DLLUU\n")
    assert "\x1b" not in terminal.text
    assert terminal.text.count("\n") == 1


def test_a_dumb_terminal(talkative_command_line, clean_environment, hard_board):
    terminal = Terminal(
        [*talkative_command_line, str(hard_board), *SLOW, "--optimal", "--time-limit", "1"],
        clean_environment({"TERM": "dumb"}),
    )
    code, _ = terminal.end()
    assert code == 23
    assert "\x1b" not in terminal.text


def test_quiet_on_a_terminal(talkative_command_line, clean_environment, hard_board):
    terminal = Terminal(
        [*talkative_command_line, str(hard_board), *SLOW, "--optimal", "-q", "--time-limit", "1"],
        clean_environment({"TERM": "xterm-256color"}),
    )
    code, _ = terminal.end()
    assert (code, terminal.text) == (23, "")
