"""Hostile programs with bubblewrap and without: the referee ends them, unharmed."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support.fixtures.waiting import wait_until
from support.hostile import programs as hostile

import plansolve
from plansolve.apps.judge.exchange import control_group
from plansolve.apps.judge.isolation import ISOLATIONS, Isolation
from plansolve.apps.judge.sandbox import Ending, Run, RunLimits, Sandbox, find_isolation
from plansolve.errors import OptionError

PYTHON = (sys.executable, "-I", "-S")
MB = 1 << 20


@pytest.fixture(scope="module", params=ISOLATIONS)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    try:
        return find_isolation(request.param)
    except OptionError as error:
        pytest.skip(str(error))


@pytest.fixture
def shut_in() -> Isolation:
    try:
        return find_isolation("bubblewrap")
    except OptionError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the place of the programs' folders, for this test alone."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def marker() -> Iterator[str]:
    """A word by which processes are recognised; none that has it may be left after a test."""
    word = uuid.uuid4().hex
    yield word
    left = marked(word)
    for process in left:
        process.kill()
    assert not left


def marked(word: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_zombie = process.status() == psutil.STATUS_ZOMBIE
            if word in process.cmdline() and process.pid != os.getpid() and not is_zombie:
                found.append(process)
    return found


def run(
    isolation: Isolation, text: str, *arguments: str, seconds: float = 20, **limits: int
) -> Run:
    sandbox = Sandbox(RunLimits(seconds=seconds, **limits), isolation)
    before = set(psutil.Process().children())
    result = sandbox.run([*PYTHON, "hostile.py", *arguments], files={"hostile.py": text.encode()})
    # Whatever happened: no child more, and no folder.
    assert set(psutil.Process().children()) <= before
    assert os.listdir(tempfile.gettempdir()) == []
    return result


def test_a_program_that_answers(isolation: Isolation, marker: str) -> None:
    sandbox = Sandbox(RunLimits(seconds=20), isolation)
    files = {"solver/main.py": hostile.ECHOES.encode(), "board.puz": b"1 2\n3 .\n"}
    result = sandbox.run([*PYTHON, "solver/main.py", marker], files=files, stdin=b"in" * 100_000)
    assert (result.ending, result.exit_code, result.signal) == (Ending.EXITED, 7, None)
    assert result.stdout.decode() == f"1 2\n3 .|{'in' * 100_000}|{marker}\n"
    assert result.stderr == b"warned\n"
    assert result.detail == "exit code 7"
    assert result.cpu_seconds > 0
    assert 0 < result.seconds < 20
    assert MB < result.peak_memory < 200 * MB


def test_input_that_nobody_reads_and_output_of_any_kind(isolation: Isolation) -> None:
    assert run(isolation, "import sys; print(len(sys.stdin.buffer.read()))").stdout == b"0\n"
    result = Sandbox(RunLimits(seconds=20), isolation).run(["true"], stdin=b"x" * (10 * MB))
    assert (result.ending, result.exit_code) == (Ending.EXITED, 0)
    result = run(isolation, "print('U' * 99_999)", output=100_000)
    assert (result.ending, len(result.stdout)) == (Ending.EXITED, 100_000)
    result = run(isolation, hostile.RUBBISH)
    assert (result.ending, result.stderr) == (Ending.EXITED, b"\xff\0\x1b[2J")
    assert result.stdout == bytes(range(256)) * 4 + bytes(1000)


def test_runs_in_several_threads(isolation: Isolation) -> None:
    sandbox = Sandbox(RunLimits(seconds=20), isolation)
    files = [{"name": str(number).encode()} for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda given: sandbox.run(["cat", "name"], files=given), files))
    assert [result.stdout for result in results] == [given["name"] for given in files]


@pytest.mark.parametrize(
    ("text", "limits", "ending", "detail"),
    [
        (hostile.FORK_BOMB, {"processes": 32}, Ending.PROCESSES, "; the limit is 32"),
        (hostile.THREADS, {"processes": 32}, Ending.PROCESSES, "; the limit is 32"),
        (hostile.ENDLESS_OUTPUT, {"output": 100_000}, Ending.OUTPUT, "more than 100000 bytes"),
        (hostile.ALLOCATES_IN_CHILDREN, {"memory": 150 * MB}, Ending.MEMORY,
         "; the limit is 150 MiB"),
        (hostile.HUGE_FILE, {"file_size": 8 * MB}, Ending.DISK, "the limit is 8388608 bytes"),
        (hostile.MANY_SMALL_FILES, {"file_size": 8 * MB}, Ending.DISK, "filled its folder"),
        (hostile.EMPTY_FILES, {"file_size": 8 * MB}, Ending.DISK, "filled its folder"),
        (hostile.EMPTY_FILES_OF_MEMORY, {"file_size": 8 * MB}, Ending.DISK, "filled its folder"),
    ],
    ids=[
        "forks", "threads", "output", "memory of children", "huge file", "small files",
        "empty files", "empty files of memory",
    ],
)  # fmt: skip
def test_what_a_limit_ends(
    isolation: Isolation,
    marker: str,
    text: str,
    limits: dict[str, int],
    ending: Ending,
    detail: str,
) -> None:
    if detail == "filled its folder" and not isolation.filesystem_protected:
        pytest.skip("one file is held to a size there, and no more")
    result = run(isolation, text, marker, **limits)
    assert (result.ending, result.exit_code, result.signal) == (ending, None, None)
    assert detail in result.detail
    assert result.stdout == b"U" * 100_000 * (text == hostile.ENDLESS_OUTPUT)
    if ending is Ending.MEMORY:
        assert 150 * MB <= result.peak_memory < 2048 * MB


def run_until_it_speaks(isolation: Isolation, text: str, *arguments: str) -> Run:
    """Run with a time limit that lets the program come to its point, however slow the machine."""
    for seconds in (0.3, 1, 4, 16):
        result = run(isolation, text, *arguments, seconds=seconds)
        if result.stdout or result.stderr:
            break
    return result


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (hostile.ENDLESS_ERRORS, b""),
        (hostile.IGNORES_SIGNALS, b"ignored\n"),
        (hostile.CLOSES_STDOUT, b"UU\n"),
        (hostile.STOPS_PARENT, b"stopped\n"),
        (hostile.REMOVES_FOLDER, b"removed\n"),
    ],
    ids=["errors", "ignores signals", "closes stdout", "stops parent", "removes folder"],
)
def test_what_time_ends(isolation: Isolation, marker: str, text: str, output: bytes) -> None:
    result = run_until_it_speaks(isolation, text, marker)
    assert (result.ending, result.exit_code, result.signal) == (Ending.TIME, None, None)
    assert result.detail.startswith("still running after ")
    assert result.stdout == output
    assert len(result.stderr) == 4096 * (text == hostile.ENDLESS_ERRORS)


@pytest.mark.parametrize("is_grouped", [False, True], ids=["measured", "control group"])
@pytest.mark.parametrize(
    "hoard", ["segments", "queues", "pipes", "shared", "tables", "children", "files"]
)
def test_memory_that_no_process_has(
    shut_in: Isolation, marker: str, hoard: str, is_grouped: bool
) -> None:
    if is_grouped and not shut_in.has_control_group:
        trouble = "systemd-run does not work here"
        try:
            with control_group(1 << 30, 100) as words:
                tried = subprocess.run([*words, "true"], capture_output=True)
                assert tried.returncode != 0, "a group can be made, and was not found"
        except OptionError as error:
            trouble = str(error)
        pytest.skip(f"no control group: {trouble}")
    isolation = replace(shut_in, has_control_group=is_grouped)
    result = run(isolation, hostile.HOARDS, hoard, marker, memory=150 * MB, seconds=60)
    if hoard in ("segments", "queues", "pipes"):
        assert (result.ending, result.stdout) == (Ending.EXITED, b"ENOSYS\n"), result
    else:
        assert result.ending is Ending.MEMORY, result
        assert result.detail.endswith("; the limit is 150 MiB")
        assert result.peak_memory >= 150 * MB


def test_the_plansolve_that_judges_is_hidden_from_all_that_do_not_name_it(
    shut_in: Isolation,
) -> None:
    package = Path(plansolve.__file__).parent
    text = f"import os; print('__init__.py' in os.listdir({str(package)!r}))"
    assert run(shut_in, text).stdout == b"False\n"
    assert run(shut_in, text, "plansolve").stdout == b"True\n"


def test_plansolve_run_from_the_folder_above_its_clone(
    shut_in: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plansolve").symlink_to(Path(plansolve.__file__).parent.parent)
    monkeypatch.syspath_prepend(tmp_path)
    assert run(shut_in, "print('runs')").stdout == b"runs\n"


@pytest.mark.parametrize("manner", ["quiet", "holding the output"])
def test_children_that_are_left_behind(isolation: Isolation, marker: str, manner: str) -> None:
    result = run(isolation, hostile.DAEMONS, marker, manner)
    assert (result.ending, result.exit_code) == (Ending.EXITED, 0)
    assert result.stdout == b"UULL\n"
    assert marked(marker) == []


def test_memory_that_processes_share_counts_once(isolation: Isolation, marker: str) -> None:
    result = run(isolation, hostile.SHARES_MEMORY, marker, memory=400 * MB)
    assert (result.ending, result.stdout) == (Ending.EXITED, b"fine\n")
    assert 80 * MB < result.peak_memory < 400 * MB


def test_the_network(isolation: Isolation) -> None:
    is_isolated = isolation.name == "bubblewrap"
    assert isolation.filesystem_protected is isolation.network_blocked is is_isolated
    assert ("NOT ISOLATED" in isolation.description) is not is_isolated
    if not is_isolated:  # inside bubblewrap /proc cannot be written from the start
        score = run(isolation, "print(open('/proc/self/oom_score_adj').read())")
        assert score.stdout == b"1000\n\n", "the kernel would not end it first"
    with socket.create_server(("127.0.0.1", 0)) as server:
        answer = run(isolation, hostile.NETWORK, str(server.getsockname()[1])).stdout
    assert answer.startswith(b"refused" if isolation.network_blocked else b"connected")


def test_files_outside(shut_in: Isolation, tmp_path: Path) -> None:
    # One where everything else is hidden, and one where everything is seen.
    here = Path(__file__).with_name(f"victim-{uuid.uuid4().hex}")
    for victim in (tmp_path / "victim", here):
        victim.write_text("precious")
        try:
            answer = run(shut_in, hostile.WRITES_OUTSIDE, str(victim)).stdout
            assert answer == b"refused\n" * 5
            assert victim.read_text() == "precious"
            assert list(victim.parent.glob(f"{victim.name}.*")) == []
        finally:
            victim.unlink()


def test_ways_out(shut_in: Isolation) -> None:
    result = run(shut_in, hostile.TRIES_WAYS_OUT)
    assert result.exit_code == 0, result
    attempts = result.stdout.decode().split("\n")[:-1]
    assert len(attempts) == 14
    assert [attempt for attempt in attempts if not attempt.startswith("refused")] == []


def test_what_can_be_written_is_of_the_size_that_is_allowed(shut_in: Isolation) -> None:
    result = run(shut_in, hostile.WRITABLE_PLACES, file_size=8 * MB)
    places = dict(line.split() for line in result.stdout.decode().splitlines())
    assert {*places} == {"/tmp", "/dev/shm"}, result
    assert {*map(int, places.values())} == {8 * MB}


def test_a_launcher_that_has_to_be_killed_leaves_nothing(
    shut_in: Isolation, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plansolve.apps.judge.exchange._END_SECONDS", 0.0)
    result = run(shut_in, hostile.IGNORES_SIGNALS, marker, seconds=0.3)
    assert result.ending is Ending.TIME
    assert marked(marker) == []


def test_a_launcher_that_the_kernel_kills_ran_out_of_memory(
    shut_in: Isolation, marker: str
) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, shut_in, hostile.SLEEPS, marker, seconds=100, memory=500 * MB)
        # Once it sleeps, its launcher has long told that it is started.
        wait_until(lambda: [p.status() for p in marked(marker)] == ["sleeping"])
        (program,) = marked(marker)
        program.parent().kill()
        result = running.result()
    assert (result.ending, result.peak_memory) == (Ending.MEMORY, 500 * MB)
    assert result.detail == "needed more memory; the limit is 500 MiB"


def test_the_users_files_are_hidden(
    shut_in: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(tempfile.mkdtemp(dir=Path(__file__).parent))
    try:
        paths = [home / ".ssh" / "key", home / "work" / "table", tmp_path / "other"]
        paths += [home / "cache" / "optima" / "record", home / "cache" / "solver" / "beside"]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("secret")
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(home / "cache"))
        (home / "cache" / "solver.py").write_text(f"""
for path in {[*map(str, paths)]}:
    try:
        print(open(path).read() or "empty")
    except OSError:
        print("hidden")
""")
        sandbox = Sandbox(RunLimits(seconds=20), shut_in)
        *hidden, beside = sandbox.run([*PYTHON, str(home / "cache" / "solver.py")]).stdout.split()
        # What lies beside a program is seen, but for the answers to what it is asked.
        assert (hidden, beside) == ([b"hidden"] * 4, b"secret")
    finally:
        shutil.rmtree(home)


def test_what_is_given_can_be_read_wherever_it_is(isolation: Isolation, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "solver"
    script.write_text('#!/bin/sh\ncat "$(dirname "$0")/../beside" "$1" "$2"\n')
    script.chmod(0o755)
    for name in ("beside", "argument"):
        (tmp_path / name).write_text(f"{name}\n")
    with tempfile.TemporaryDirectory() as other:
        readable = Path(other, "readable")
        readable.write_text("readable\n")
        sandbox = Sandbox(RunLimits(seconds=20), isolation)
        words = [str(script), str(tmp_path / "argument"), str(readable)]
        result = sandbox.run(words, readable=[readable])
    assert result.stdout == b"beside\nargument\nreadable\n", result


def test_a_program_that_kills_its_parent(isolation: Isolation, marker: str) -> None:
    result = run_until_it_speaks(isolation, hostile.KILLS_PARENT, marker)
    if isolation.filesystem_protected:
        assert result.ending is Ending.TIME  # nothing happened
    else:
        assert (result.ending, result.signal) == (Ending.EXITED, signal.SIGKILL)
        assert "its watcher was killed" in result.detail


def test_a_program_that_kills_all_it_sees(isolation: Isolation, marker: str) -> None:
    result = run(isolation, hostile.KILLS_ALL_IT_SEES, os.readlink("/proc/self/ns/pid"), marker)
    if isolation.filesystem_protected:
        assert (result.ending, result.stdout) == (Ending.EXITED, b"alive\n")
    else:
        assert result.stderr == b"these are the processes of the tests\n"


def test_an_exit_by_signal_and_many_open_files(isolation: Isolation) -> None:
    result = run(isolation, hostile.KILLS_ITSELF)
    assert (result.ending, result.exit_code) == (Ending.EXITED, None)
    assert (result.signal, result.detail) == (signal.SIGSEGV, "ended by SIGSEGV")
    result = run(isolation, hostile.MANY_OPEN_FILES, open_files=100)
    # Three are open at the start: nothing of the referee's is inherited.
    assert result.stdout == b"97 Too many open files\n"


def test_a_folder_that_cannot_be_deleted(isolation: Isolation) -> None:
    for depth in ("60", "1500"):
        run(isolation, hostile.UNDELETABLE, depth)  # which checks that it is gone


def test_a_folder_replaced_by_a_link(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    isolation = find_isolation("process group")
    sandbox = Sandbox(RunLimits(seconds=20), isolation)
    files = {"hostile.py": hostile.REPLACES_FOLDER.encode()}
    result = sandbox.run([*PYTHON, "hostile.py", str(tmp_path)], files=files)
    assert result.exit_code == 0
    assert [path.name.endswith("-moved") for path in temporary.iterdir()] == [True]
    assert (tmp_path / "precious").read_text() == "precious"


def test_secrets_of_the_environment(isolation: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "do-not-tell")
    output = run(isolation, hostile.SECRETS, output=64 * MB).stdout
    names = "HOME LANG LC_ALL PATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUNBUFFERED TMPDIR"
    assert output.splitlines()[0].decode() == str(names.split())
    if isolation.filesystem_protected:
        assert b"do-not-tell" not in output


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("no-such-solver", "no such program: no-such-solver"),
        ("./no-such-solver", "no such program: ./no-such-solver"),
        ("./data", "not executable: ./data"),
        ("data", "no such program: data (for a file in the current folder, write ./data)"),
        ("./folder", "not a program but a folder: ./folder"),
        ("./lost", "cannot be started: ./lost: No such file or directory"),
        ("./nonsense", "cannot be started: ./nonsense: Exec format error"),
    ],
)
def test_programs_that_do_not_start(
    isolation: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").write_text("1 2 3")
    Path("folder").mkdir()
    for name, text in (("lost", "#!/no/interpreter\n"), ("nonsense", "\0\0\0")):
        Path(name).write_text(text)
        Path(name).chmod(0o755)
    result = Sandbox(RunLimits(seconds=20), isolation).run([word])
    assert (result.ending, result.exit_code, result.signal) == (Ending.FAILED, None, None)
    assert result.detail.startswith(complaint)


REFEREE = """
import sys
from plansolve.apps.judge.sandbox import *
sandbox = Sandbox(RunLimits(seconds=200), find_isolation(sys.argv[1]))
sandbox.run([sys.executable, "-c", sys.argv[2], sys.argv[3] + "-inside"])
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_referee_that_is_ended(
    isolation: Isolation, marker: str, tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", REFEREE, isolation.name, hostile.SLEEPS, marker],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
    ) as referee:
        wait_until(lambda: marked(f"{marker}-inside"))
        referee.send_signal(number)
        _, errors = referee.communicate()
    wait_until(lambda: not marked(f"{marker}-inside"))
    if number is signal.SIGINT:
        assert b"KeyboardInterrupt" in errors.splitlines()[-1]
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("runs", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_leaks(isolation: Isolation, runs: int) -> None:
    sandbox = Sandbox(RunLimits(seconds=20), isolation)
    sandbox.run(["true"])
    me = psutil.Process()
    children = set(me.children(recursive=True))
    before = (me.num_fds(), threading.active_count(), sorted(os.listdir(tempfile.gettempdir())))
    for number in range(runs):
        assert (
            sandbox.run(["sh", "-c", "exit $1", "sh", str(number % 200)]).exit_code == number % 200
        )
    after = (me.num_fds(), threading.active_count(), sorted(os.listdir(tempfile.gettempdir())))
    assert set(me.children(recursive=True)) <= children
    assert after == before
