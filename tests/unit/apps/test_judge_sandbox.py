"""Refusals before a run, the arguments of bubblewrap, and the system calls it blocks."""

import os
import struct
import subprocess
from errno import ENOSYS
from pathlib import Path

import pytest

import plansolve
from plansolve.apps.judge import exchange, isolation
from plansolve.apps.judge.isolation import bubblewrap_command, call_filter
from plansolve.apps.judge.sandbox import RunLimits, Sandbox, find_isolation, resolve_command
from plansolve.errors import OptionError

PACKAGE = Path(plansolve.__file__).parent


@pytest.mark.parametrize("name", ["/etc/board", "../board", "a/../../b", "", ".", "a\0b"])
def test_files_that_lie_elsewhere(name: str) -> None:
    sandbox = Sandbox(RunLimits(), find_isolation("process group"))
    with pytest.raises(OptionError, match="is not in the program's folder"):
        sandbox.run(["true"], files={name: b""})


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": 0}, {"seconds": float("inf")}, {"seconds": float("nan")}, {"seconds": 10**7},
        {"memory": 1000}, {"memory": 1 << 63},
    ],
)  # fmt: skip
def test_limits_with_which_nothing_runs(limits: dict[str, int]) -> None:
    with pytest.raises(OptionError, match="must be between"):
        RunLimits(**limits)


def test_isolations_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="unknown isolation 'jail': choose from bubblewrap, proc"):
        find_isolation("jail")
    monkeypatch.setenv("PATH", str(tmp_path))
    for script, why in ((None, "is not installed"), ("echo no namespaces >&2; exit 1", "no names")):
        if script is not None:
            (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / "bwrap").chmod(0o755)
        with pytest.raises(OptionError, match=f"cannot be isolated here: .*{why}"):
            find_isolation("bubblewrap")
        found = find_isolation()
        assert found.name == "process group" and why in found.description
        assert found.description.startswith("PROGRAMS ARE NOT ISOLATED")


def test_how_bubblewrap_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    monkeypatch.syspath_prepend(tmp_path / "site")
    for folder in (
        tmp_path / "site" / "plansolve",
        home / "tool-1" / "bin",
        home / "homework",
        home / "other",
        cache / "optima",
    ):
        folder.mkdir(parents=True)
    (home / "tool-1" / "bin" / "tool").touch()
    (home / "tool").symlink_to("tool-1")
    (home / "homework" / "tool").symlink_to("../tool/bin/tool")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", os.environ["PATH"].partition(f"{home}")[0])
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(cache))
    # As if it did not lie in /tmp.
    monkeypatch.setattr(isolation, "_TEMPORARY", "/nowhere")
    words = bubblewrap_command(5000, [str(home / "homework" / "tool")], 7)
    text = " ".join(words)
    assert words[-1] == "--" and os.path.basename(words[0]) == "bwrap"
    for part in (
        "--unshare-all", "--die-with-parent", "--cap-drop ALL", "--tmpfs /run", "--remount-ro /run",
        f"--tmpfs {home}", f"--remount-ro {home}", "--perms 1777 --size 5000 --tmpfs /nowhere",
        f"--ro-bind {home}/homework {home}/homework", "--size 5000 --tmpfs /dev/shm",
        f"--ro-bind {home}/tool {home}/tool", f"--tmpfs {cache}/optima", "--remount-ro /dev",
        "--seccomp 7", "--chdir /tmp/plansolve-run", f"--tmpfs {PACKAGE}",
        f"--ro-bind {PACKAGE}/apps/judge", f"--tmpfs {tmp_path}/site/plansolve --remount-ro",
    ):  # fmt: skip
        assert part in text
    for named in ("plansolve", f"{PACKAGE}/cli"):
        assert f"--tmpfs {PACKAGE}" not in " ".join(bubblewrap_command(5000, [named], 7))
    assert f"{home}/other" not in text
    # What comes later covers what came before, and nothing but /tmp and /dev/shm can be written.
    assert text.index("--ro-bind / /") < text.index("--tmpfs")
    assert "--bind" not in words and "--share-net" not in words


@pytest.mark.parametrize("user", [0, 1000])
def test_a_control_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    """Against a folder in place of the kernel's, which has no files of limits in new groups."""
    own = Path("/proc/self/cgroup").read_text().partition("\n")[0].split(":", 2)[2]
    monkeypatch.setattr(exchange, "_mounts", lambda: [["-", f"{tmp_path}", "cgroup2", "rw"]])
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("PATH", f"{tmp_path}", prepend=os.pathsep)
    asked = tmp_path / "asked"
    (tmp_path / "systemd-run").write_text(
        f'#!/bin/sh\necho "$@" >{asked}\nwhile [ "$1" != -- ]; do shift; done\nshift; exec "$@"\n'
    )
    (tmp_path / "systemd-run").chmod(0o755)
    (tmp_path / "cgroup.subtree_control").write_text("cpu pids memory")
    command = ["printenv", exchange.VARIABLE]
    with exchange.control_group(100 << 20, 50) as words:
        folders = [path for path in tmp_path.iterdir() if path.is_dir()]
        told = subprocess.run([*words, *command], capture_output=True, text=True, check=True).stdout
        if user:
            assert told == f"{tmp_path}{own}\n"
            assert "-pMemoryMax=138412032 -pMemorySwapMax=0 -pTasksMax=50" in asked.read_text()
        else:
            assert [told] == [f"{folder}\n" for folder in folders]
            (folders[0] / "cgroup.procs").unlink()
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("mounts", "user", "why"),
    [
        ([], 0, "this system has no control groups of version 2"),
        ([["-", "/nowhere", "cgroup2"]], 0, "/nowhere: memory and tasks cannot be counted"),
        ([["-", "/nowhere", "cgroup2"]], 1000, "systemd-run is not installed"),
    ],
)
def test_no_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: list[list[str]], user: int, why: str
) -> None:
    monkeypatch.setattr(exchange, "_mounts", lambda: mounts)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    with pytest.raises(OptionError, match=why), exchange.control_group(1 << 30, 50):
        pytest.fail("there is one")


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("student.py", "{board}", "python3", "two words"):
        Path(name).write_text("")
    assert resolve_command("python3 student.py {board} --fast 'two words' missing") == (
        "python3", f"{tmp_path}/student.py", "{board}", "--fast", f"{tmp_path}/two words", "missing"
    )  # fmt: skip
    assert resolve_command("./student.py") == (f"{tmp_path}/student.py",)
    for wrong, complaint in (("", "empty"), ("  ", "empty"), ("a 'b", "No closing quotation")):
        with pytest.raises(OptionError, match=complaint):
            resolve_command(wrong)


# The filter of system calls, run by a small machine of its own.

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
READ, SOCKET, SETSOCKOPT, KEYCTL, MEMFD, SHMGET = (
    {"x86_64": 0, "aarch64": 63},
    {"x86_64": 41, "aarch64": 198},
    {"x86_64": 54, "aarch64": 208},
    {"x86_64": 250, "aarch64": 219},
    {"x86_64": 319, "aarch64": 279},
    {"x86_64": 29, "aarch64": 194},
)
ALLOWED, REFUSED, WITHOUT_EFFECT = 0x7FFF0000, 0x00050000 | ENOSYS, 0x00050000


def verdict(code: bytes, architecture: int, number: int, *given: int) -> int:
    """Return the kernel's verdict on a call, by the instructions that are used here."""
    data = struct.pack("IIQ6Q", number, architecture, 0, *given, *[0] * (6 - len(given)))
    instructions = list(struct.iter_unpack("HBBI", code))
    place = value = 0
    while True:
        kind, yes, no, constant = instructions[place]
        place += 1
        match kind:
            case 0x20:
                (value,) = struct.unpack_from("I", data, constant)
            case 0x15:
                place += yes if value == constant else no
            case 0x35:
                place += yes if value >= constant else no
            case 0x06:
                return constant
            case _:
                raise AssertionError(f"instruction {kind:#x}")


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_that_are_refused(machine: str) -> None:
    code, architecture = call_filter(machine), ARCHITECTURES[machine]
    refused = {n for n in range(500) if verdict(code, architecture, n) != ALLOWED}
    assert len(refused) == 13 and {KEYCTL[machine], MEMFD[machine], SHMGET[machine]} <= refused
    assert {verdict(code, architecture, n) for n in refused} == {REFUSED}
    assert READ[machine] not in refused
    families = [f for f in range(64) if verdict(code, architecture, SOCKET[machine], f) != ALLOWED]
    assert families == [40]
    options = [(level, name) for level in range(9) for name in range(99)]
    told = {o: verdict(code, architecture, SETSOCKOPT[machine], 3, *o) for o in options}
    assert {o for o, told in told.items() if told == WITHOUT_EFFECT} == {(1, 7), (1, 8)}
    assert {*told.values()} == {WITHOUT_EFFECT, ALLOWED}
    # And those by the numbers of another architecture.
    other = ARCHITECTURES["aarch64" if machine == "x86_64" else "x86_64"]
    for strange, number in ((other, READ[machine]), (0x40000003, 3)):
        assert verdict(code, strange, number) == REFUSED
    assert verdict(code, architecture, 0x40000000 + READ[machine]) == REFUSED
    assert call_filter("riscv64") == b""
