"""A control group for each run, in which the kernel counts all memory, whatever holds it.

These are groups of version 2 (Linux, `Documentation/admin-guide/cgroup-v2.rst`). Root makes one
below the nearest group that allows it; other users ask their systemd for a scope.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plansolve.errors import OptionError

VARIABLE = "PLANSOLVE_GROUP"
"""In the environment of the launcher, not of the program: the folder of its group."""

_OURS = 32 << 20
"""For bubblewrap and the launcher, which run in the group as well."""


@contextmanager
def control_group(memory: int, tasks: int) -> Iterator[list[str]]:
    """Yield the words to put before a command so that it runs in a group of its own.

    The group may use `memory` bytes, beside what the launcher needs, and have `tasks` tasks; it is
    removed on leaving the context. Raise OptionError where no group can be made.
    """
    root = next((m[1] for m in _mounts() if m[2] == "cgroup2"), None)
    if root is None:
        raise OptionError("there are no control groups of version 2")
    limits = {"memory.max": memory + _OURS, "memory.swap.max": 0, "pids.max": tasks}
    if os.geteuid():
        yield _scope(root, limits)
        return
    folder = _new_group(Path(root))
    try:
        for name, limit in limits.items():
            # A kernel without swap has no limit for it.
            if (folder / name).exists():
                (folder / name).write_text(str(limit))
        script = f'export {VARIABLE}="$0"; echo $$ >"$0/cgroup.procs" && exec "$@"'
        yield ["/bin/sh", "-c", script, str(folder)]
    finally:
        for _ in range(200):  # its last process may still be ending
            with suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.005)


def _mounts() -> list[list[str]]:
    return [line.split() for line in Path("/proc/mounts").read_text().splitlines()]


def _scope(root: str, limits: dict[str, int]) -> list[str]:
    program = shutil.which("systemd-run")
    if program is None:
        raise OptionError("systemd-run is not installed")
    names = ("MemoryMax", "MemorySwapMax", "TasksMax")
    words = [f"-p{name}={limit}" for name, limit in zip(names, limits.values(), strict=True)]
    script = f'IFS=: read -r _ _ path </proc/self/cgroup; export {VARIABLE}="$0$path"; exec "$@"'
    words += ["--", "/bin/sh", "-c", script, root]
    return [program, "--user", "--scope", "--quiet", "--collect", *words]


def _new_group(root: Path) -> Path:
    """Return a new group below ours or the nearest group above it that counts memory and tasks."""
    own = Path("/proc/self/cgroup").read_text().strip().rpartition("::")[2]
    place = root / own.lstrip("/")
    trouble = "no control group counts memory and tasks"
    while place.is_relative_to(root):
        counted = place / "cgroup.subtree_control"
        folder = place / f"plansolve-{os.getpid()}-{time.monotonic_ns()}"
        try:
            if place == root and "memory" not in counted.read_text():
                # Without systemd nobody has turned the controllers on.
                counted.write_text("+memory +pids")
            if {"memory", "pids"} <= {*counted.read_text().split()}:
                folder.mkdir()
                return folder
        except OSError as error:
            trouble = f"{place}: memory and tasks cannot be counted ({error.strerror})"
        place = place.parent
    raise OptionError(trouble)
