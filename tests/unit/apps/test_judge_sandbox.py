"""What the sandbox refuses before anything runs, and what commands and arguments become."""

from pathlib import Path

import pytest

from plansolve.apps.judge.isolation import bubblewrap_arguments
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


def test_unknown_isolation() -> None:
    with pytest.raises(OptionError, match="no isolation 'jail'; there are: bubblewrap, namesp"):
        find_isolation("jail")


def test_bubblewrap_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(OptionError, match=r"bwrap.* is not installed"):
        find_isolation("bubblewrap")
    assert find_isolation().name != "bubblewrap"


def test_the_arguments_of_bubblewrap() -> None:
    words = bubblewrap_arguments(5000, ["/run"], ["/home/me/.netrc"], ["/tmp/solver"])
    text = " ".join(words)
    assert words[-1] == "--"
    for part in (
        "--unshare-all", "--die-with-parent", "--cap-drop ALL", "--tmpfs /run",
        "--ro-bind /dev/null /home/me/.netrc", "--remount-ro /run",
        "--perms 1777 --size 5000 --tmpfs /tmp --ro-bind /tmp/solver /tmp/solver",
        "--size 5000 --tmpfs /dev/shm", "--remount-ro /dev", "--chdir /tmp/plansolve-run",
    ):  # fmt: skip
        assert part in text
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
