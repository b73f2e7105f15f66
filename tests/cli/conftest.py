"""Runs the real command in a process of its own, as a user would, or in this one."""

import io
import math
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pytest
from support.fixtures.processes import command, environment

SEEDS = Path(__file__).parents[2] / "instances" / "seeds"
SECONDS = 120.0


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def error_line(self) -> str:
        """The one line of an error; fails where the command said more, less or something else."""
        assert self.out == ""
        assert self.err.endswith("\n") and self.err.count("\n") == 1, self.err
        assert self.err.startswith("plansolve: ")
        return self.err[len("plansolve: ") : -1]


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def plansolve_process() -> Run:
    """Runs the command in a process of its own: how it starts, ends, and meets its streams."""

    def run(
        *arguments: str | Path,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        command: Sequence[str] = tuple(command()),
    ) -> Done:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env=environment(env),
            cwd=cwd,
            timeout=SECONDS,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def plansolve(kept_workers: object) -> Run:
    """Runs the command in this process, which saves its start; slow work shows no progress.

    For what a command answers; not for how it starts, ends, is interrupted or meets its streams.
    Boards are solved in processes that other tests have used, unless variables are changed.
    """
    from plansolve.claims import claim
    from plansolve.cli import batch, progress
    from plansolve.cli import solve as command
    from plansolve.cli.main import main
    from plansolve.solvers.engine.solve import solve

    def solve_again(*arguments: Any, workers: object = None, **options: Any) -> Any:
        return solve(*arguments, workers=kept_workers, **options)

    def stream(content: bytes = b"") -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(content), "utf-8", write_through=True)

    def run(
        *arguments: str | Path,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdout: TextIO | None = None,
    ) -> Done:
        out, err = stream(), stream()
        handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        memory = {k: resource.getrlimit(k) for k in (resource.RLIMIT_AS, resource.RLIMIT_DATA)}
        with pytest.MonkeyPatch.context() as patch:
            for key in os.environ.keys() - environment().keys():
                patch.delenv(key)
            for key, value in (env or {}).items():
                patch.setenv(key, value)
            if cwd is not None:
                patch.chdir(cwd)
            if env is None:
                patch.setattr(command, "solve", solve_again)
                patch.setattr(claim, "solve", solve_again)
            patch.setattr(progress, "QUIET_SECONDS", math.inf)
            # A test that has made it 0 wants to see the lines.
            patch.setattr(batch, "_LINE_SECONDS", batch._LINE_SECONDS and math.inf)
            patch.setattr(sys, "argv", ["plansolve", *map(str, arguments)])
            patch.setattr(sys, "stdin", stream(stdin.encode() if isinstance(stdin, str) else stdin))
            patch.setattr(sys, "stdout", stdout or out)
            patch.setattr(sys, "stderr", err)
            try:
                with pytest.raises(SystemExit) as ended:
                    main()
            finally:
                for number, handler in handlers.items():
                    signal.signal(number, handler)
                # `encode`, `decode` and `check` limit the memory of their process.
                for kind, limits in memory.items():
                    resource.setrlimit(kind, limits)
        return Done(ended.value.code, *(s.buffer.getvalue().decode() for s in (out, err)))

    return run


@pytest.fixture(scope="session")
def seeds() -> Path:
    return SEEDS


@pytest.fixture(scope="session")
def talkative_command_line() -> list[str]:
    """The command as a machine so slow would run it that all work is told of at once."""
    slow = "progress.LIVE_SECONDS = progress.QUIET_SECONDS = 0.0"
    run = f"from plansolve.cli import main, progress; {slow}; main.main()"
    return [sys.executable, "-c", run]
