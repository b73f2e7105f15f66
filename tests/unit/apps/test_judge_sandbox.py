"""What is refused before anything runs, how bubblewrap is asked, and the calls it refuses."""

import os
import struct
from errno import ENOSYS
from pathlib import Path

import pytest

from plansolve.apps.judge import isolation
from plansolve.apps.judge.isolation import bubblewrap_command, call_filter
from plansolve.apps.judge.sandbox import RunLimits, Sandbox, find_isolation, resolve_command
from plansolve.errors import OptionError


@pytest.mark.parametrize("name", ["/etc/board", "../board", "a/../../b", "", ".", "a\0b"])
def test_files_that_lie_elsewhere(name: str) -> None:
    sandbox = Sandbox(RunLimits(), find_isolation("process group"))
    with pytest.raises(OptionError, match="does not lie in the program's folder"):
        sandbox.run(["true"], files={name: b""})


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": 0}, {"seconds": float("inf")}, {"seconds": float("nan")}, {"memory": 1000},
        {"output": -1}, {"file_size": 0}, {"processes": 0}, {"open_files": 1},
        {"seconds": 10**7}, {"memory": 1 << 63}, {"file_size": 1 << 63}, {"open_files": 1 << 30},
    ],
)  # fmt: skip
def test_limits_with_which_nothing_runs(limits: dict[str, int]) -> None:
    with pytest.raises(OptionError, match=next(iter(limits)).replace("_", " ")):
        RunLimits(**limits)


def test_isolations_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no isolation 'jail'; there are: bubblewrap, process gr"):
        find_isolation("jail")
    monkeypatch.setenv("PATH", str(tmp_path))
    for script, why in ((None, "is not installed"), ("echo no namespaces >&2; exit 1", "no names")):
        if script is not None:
            (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / "bwrap").chmod(0o755)
        with pytest.raises(OptionError, match=f"cannot be shut in here: .*{why}"):
            find_isolation("bubblewrap")
        found = find_isolation()
        assert found.name == "process group" and why in found.description
        assert found.description.startswith("PROGRAMS ARE NOT ISOLATED")


def test_how_bubblewrap_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    for folder in (home / "tool-1" / "bin", home / "homework", home / "other", cache / "optima"):
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
        "--seccomp 7", "--chdir /tmp/plansolve-run",
    ):  # fmt: skip
        assert part in text
    assert f"{home}/other" not in text
    # What comes later covers what came before, and nothing but /tmp and /dev/shm can be written.
    assert text.index("--ro-bind / /") < text.index("--tmpfs")
    assert "--bind" not in words and "--share-net" not in words


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
READ, SOCKET, KEYCTL, MEMFD = (
    {"x86_64": 0, "aarch64": 63},
    {"x86_64": 41, "aarch64": 198},
    {"x86_64": 250, "aarch64": 219},
    {"x86_64": 319, "aarch64": 279},
)
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | ENOSYS


def verdict(code: bytes, architecture: int, number: int, first: int = 0) -> int:
    """What the kernel does with a call, by the instructions that are used here."""
    data = struct.pack("IIQ6Q", number, architecture, 0, first, *[0] * 5)
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
    assert len(refused) == 8 and {KEYCTL[machine], MEMFD[machine]} <= refused
    assert {verdict(code, architecture, n) for n in refused} == {REFUSED}
    assert READ[machine] not in refused
    families = [f for f in range(64) if verdict(code, architecture, SOCKET[machine], f) != ALLOWED]
    assert families == [40]
    # And those by the numbers of another architecture.
    other = ARCHITECTURES["aarch64" if machine == "x86_64" else "x86_64"]
    for strange, number in ((other, READ[machine]), (0x40000003, 3)):
        assert verdict(code, strange, number) == REFUSED
    assert verdict(code, architecture, 0x40000000 + READ[machine]) == REFUSED
    assert call_filter("riscv64") == b""
