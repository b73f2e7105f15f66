"""Pipes that close, terminals of all kinds, and homes that are not there."""

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

COMMANDS = ["solve", "puzzles", "engines", "encode", "decode"]
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


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["--version"], *([name, "--help"] for name in COMMANDS)]
)
def test_help(plansolve, arguments):
    done = plansolve(*arguments)
    assert (done.code, done.err) == (0, "")
    if "--version" in arguments:
        assert re.fullmatch(r"plansolve \d+\.\d+\.\d+\S*\n", done.out)
    else:
        assert done.out.startswith("Usage: plansolve")
        assert max(map(len, done.out.splitlines())) <= 100


def test_help_lists_every_command(plansolve):
    out = plansolve("--help").out
    assert all(re.search(rf"^  {name} ", out, re.MULTILINE) for name in COMMANDS)


def test_without_arguments_the_help_is_readable(plansolve_process):
    done = plansolve_process()
    assert "Usage: plansolve" in done.out + done.err
    assert max(map(len, (done.out + done.err).splitlines())) <= 100


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["puzzles"], ["solve", "--help"]])
def test_start_imports_nothing_heavy(clean_environment, arguments):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        capture_output=True,
        text=True,
        env=clean_environment(),
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert "plansolve" in loaded
    assert loaded.isdisjoint(HEAVY), loaded & set(HEAVY)


@pytest.mark.parametrize(
    "arguments", [["encode", "fifteen.puz", "--horizon", "25"], ["puzzles"], ["--help"]]
)
def test_a_reader_that_has_had_enough(command_line, clean_environment, seeds, arguments):
    with subprocess.Popen(
        [*command_line, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
        cwd=seeds,
    ) as process:
        if arguments[0] == "encode":
            assert (
                process.stdout.readline() == b"c plansolve: a shortest plan of exactly 25 moves\n"
            )
        process.stdout.close()
        error = process.stderr.read()
        code = process.wait(timeout=120)
    assert error == b""
    assert code in (0, 1, 141)


def test_head_in_a_shell(command_line, clean_environment, seeds):
    command = shlex.join([*command_line, "encode", "fifteen.puz", "--horizon", "25"])
    done = subprocess.run(
        ["sh", "-c", f"{command} | head -1"],
        capture_output=True,
        text=True,
        env=clean_environment(),
        cwd=seeds,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "c plansolve: a shortest plan of exactly 25 moves\n"


def test_the_package_runs_as_a_module(clean_environment, seeds):
    done = subprocess.run(
        [sys.executable, "-m", "plansolve", "puzzles", "--help"],
        capture_output=True,
        text=True,
        env=clean_environment(),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: plansolve puzzles")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["cis521-a.json", "-q"], ["puzzles"]])
def test_a_full_disk_is_no_internal_error(command_line, clean_environment, seeds, arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command_line, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment(),
            cwd=seeds,
            timeout=120,
            check=False,
        )
    assert done.returncode != 0
    assert done.stderr.startswith("plansolve: ") and done.stderr.count("\n") == 1
    assert "No space left" in done.stderr
    assert "please report" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_internal_error(command_line, clean_environment, seeds, closed):
    board = "-" if closed == "<&-" else "cis521-a.json"
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(command_line)} {board} {closed}"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        env=clean_environment(),
        cwd=seeds,
        timeout=120,
        check=False,
    )
    # A plan that nobody can read must not pass for one that was delivered.
    assert done.returncode == (0 if closed == "2>&-" else 2)
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr


def test_home_and_cache_make_no_difference(plansolve_process, seeds, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    for home, engine in (
        (locked, "cnf"),
        (locked, "cp-sat"),
        (tmp_path / "missing", "cnf"),
        ("/proc", "cnf"),
    ):
        variables = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
        done = plansolve_process(seeds / "cis521-a.json", "-q", "--engine", engine, env=variables)
        assert (done.code, done.out, done.err) == (0, "DLLUU\n", "")
    assert list(locked.iterdir()) == []


def test_the_current_folder_stays_clean(plansolve_process, seeds, tmp_path):
    assert plansolve_process(seeds / "simple.puz", cwd=tmp_path).code == 0
    assert plansolve_process(seeds / "simple.puz", "--engine", "cp-sat", cwd=tmp_path).code == 0
    assert list(tmp_path.iterdir()) == []


def test_modules_in_the_current_folder_are_not_imported(plansolve_process, seeds, tmp_path):
    for name in ("pickle", "psutil", "pysat", "queue", "click"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the folder')\n")
    done = plansolve_process(seeds / "cis521-a.json", "-q", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "DLLUU\n", "")


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"COLUMNS": "30"}, marks=pytest.mark.slow),
        {"COLUMNS": "1"},
        pytest.param({"NO_COLOR": "1"}, marks=pytest.mark.slow),
        {"TERM": "dumb"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONWARNINGS": "error"},
    ],
)
def test_terminal_variables_do_no_harm(plansolve_process, clean_environment, seeds, variables):
    if "LC_ALL" in variables and not sys.prefix.isascii():
        pytest.skip("with these, Python cannot start from a folder whose name is not ASCII")
    done = plansolve_process(seeds / "simple.puz", "--engine", "cnf", "-v", env=variables)
    assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n")
    assert re.match(r"horizon 18: refuted, .*\n", done.err)
    assert re.search(r"\n24 moves, proved shortest \(.*\): .* s\n\Z", done.err)
    helped = subprocess.run(
        [sys.executable, "-c", EACH_HELP, *COMMANDS],
        capture_output=True,
        env=clean_environment(variables),
        timeout=120,
        check=False,
    )
    assert (helped.returncode, helped.stderr) == (0, b"")
    assert helped.stdout.count(b"Usage: plansolve") == len(COMMANDS)


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
        clean_environment({"TERM": "xterm-256color"}),
    )
    terminal.read_until(LIVE)
    code, out = terminal.end()
    assert code == 23
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


@pytest.mark.parametrize("term", [pytest.param("xterm-256color", marks=pytest.mark.slow), "dumb"])
def test_no_colour_and_dumb_terminals(talkative_command_line, clean_environment, hard_board, term):
    terminal = Terminal(
        [*talkative_command_line, str(hard_board), *SLOW, "--optimal", "--time-limit", "1"],
        clean_environment({"TERM": term, "NO_COLOR": "1"}),
    )
    code, _ = terminal.end()
    assert code == 23
    assert not re.search(r"\x1b\[[0-9;]*[34]\d[0-9;]*m", terminal.text)
    if term == "dumb":
        assert "\x1b" not in terminal.text


def test_quiet_on_a_terminal(talkative_command_line, clean_environment, hard_board):
    terminal = Terminal(
        [*talkative_command_line, str(hard_board), *SLOW, "--optimal", "-q", "--time-limit", "1"],
        clean_environment({"TERM": "xterm-256color"}),
    )
    code, _ = terminal.end()
    assert (code, terminal.text) == (23, "")


def test_a_reader_that_stops_in_the_midst_of_much_output(command_line, clean_environment, seeds):
    # Four times of what a pipe holds.
    process = subprocess.Popen(
        [*command_line, "encode", str(seeds / "fifteen.puz"), "--horizon", "25"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
    )
    assert process.stdout.read(1)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()
