"""Long runs of the real command in a process group of their own, as a terminal starts them."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from support.fixtures.processes import command, environment
from support.fixtures.waiting import PATIENCE, is_over, wait_until


class Running:
    """A run of plansolve; `error` grows while it works."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            [*command(), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
        self.begin = time.monotonic()
        self.out = self.error = ""
        self._readers = [
            threading.Thread(target=self._read, args=(name,), daemon=True)
            for name in ("stdout", "stderr")
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, name: str) -> None:
        for line in getattr(self.process, name):
            text = line.decode("utf-8", "replace")
            if name == "stdout":
                self.out += text
            else:
                self.error += text

    def wait_for(self, text: str) -> None:
        """Waits until stderr holds `text`."""
        wait_until(
            lambda: text in self.error or self.process.poll() is not None,
            f"{text!r} on stderr, which is {self.error!r}",
        )
        assert text in self.error, f"ended with {self.process.returncode}: {self.error}"

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def wait_for_child(self) -> psutil.Process:
        """The first child process, as soon as there is one; others come later."""
        wait_until(lambda: bool(self.children()), "a child process")
        return min(self.children(), key=lambda child: child.create_time())

    def end(self) -> int:
        """The exit code, when the process has ended and all it wrote has been read."""
        code = self.process.wait(timeout=PATIENCE)
        for reader in self._readers:
            reader.join(timeout=PATIENCE)
            assert not reader.is_alive(), "a process that is left over holds a stream open"
        return code

    def clean_up(self) -> None:
        left = [*self.children()] if self.process.poll() is None else []
        self.process.kill()
        self.process.wait()
        for child in left:
            if not is_over(child):
                child.kill()
        for reader in self._readers:
            reader.join(timeout=5)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    runs: list[Running] = []

    def start(*arguments: str | Path) -> Running:
        runs.append(Running(*arguments))
        return runs[-1]

    yield start
    for run in runs:
        run.clean_up()


@pytest.fixture(scope="session")
def large_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 24-puzzle board of Korf and Felner: 95 moves to the goal blank-first."""
    path = tmp_path_factory.mktemp("boards") / "large.puz"
    rows = ["14 5 9 2 18", "8 23 19 12 17", "15 0 10 20 4", "6 11 21 1 7", "24 3 16 22 13"]
    path.write_text("\n".join(rows) + "\n")
    return path
