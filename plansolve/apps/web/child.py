"""The server's side of a job: a child process that can be stopped, ended and waited for."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import plansolve
from plansolve.apps.web.job import STOP

__all__ = ["Child"]

_LONGEST_LINE = 1 << 26


class Child:
    """One child process at work on one order."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, order: Mapping[str, Any]) -> "Child":
        """Starts a process and gives it the order (see `job`)."""
        # The child sees the modules that this process sees, and needs no `site` for that; the
        # folder that the server runs in is none of the places where it looks for modules.
        path = [*filter(None, sys.path), str(Path(plansolve.__file__).parent.parent)]
        code = f"import sys; sys.path[:] = {path!r}; import plansolve.apps.web.job as j; j.main()"
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-S",
            "-c",
            code,
            stdin=PIPE,
            stdout=PIPE,
            limit=_LONGEST_LINE,
            # Ctrl-C goes to a terminal's whole group of processes: the server passes it on.
            start_new_session=True,
        )
        child = cls(process)
        try:
            await child._write(json.dumps(order))
        except BaseException:
            await child.end()
            raise
        return child

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.returncode is None

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """What the process says, until it has said all."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            yield json.loads(line)

    async def stop(self) -> None:
        """Asks the process to end with what it has."""
        await self._write(STOP)

    async def end(self) -> int:
        """Ends the process at once, where it has not ended by itself; its exit code."""
        with suppress(ProcessLookupError):
            self._process.kill()
        code = await self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(BrokenPipeError, ConnectionResetError):
            await self._process.stdin.wait_closed()
        return code

    async def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        # A process that is gone says so by the end of its answers.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.write(line.encode() + b"\n")
            await self._process.stdin.drain()
