"""The isolation of programs: bubblewrap, or none if it cannot be used.

Inside bubblewrap a program has no network and sees the machine read-only, the user's home folder
and temporary folders empty. Namespaces leave some doors, which a filter of system calls shuts: a
program inherits the user's session keyring, memory in files of memory, System V segments, BPF maps
and pages given to a pipe belongs to no process and so is not counted, `io_uring` makes calls that
no filter sees, and sockets to the host of a virtual machine belong to no network namespace. None of
them is of use to a program that solves puzzles. Each call fails as on a system that does not have
it (`ENOSYS`), for which programs are prepared. Setting the size of socket buffers has no effect.

The filter is a program of the classic Berkeley packet filter on `struct seccomp_data`: the number
of the call, the architecture, and the arguments (Linux, `Documentation/userspace-api/
seccomp_filter.rst`).
"""

import os
import shutil
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from errno import ENOSYS

from plansolve.errors import OptionError
from plansolve.storage.folder import cache_folder

PRIVATE_FOLDER = "/tmp/plansolve-run"  # noqa: S108 - inside the private /tmp of a run
"""The working folder of a program that has a /tmp of its own; the machine has no such folder."""

_TEMPORARY = "/tmp"  # noqa: S108
HERE = os.path.dirname(os.path.realpath(__file__))
"""The folder of the launcher, which every run sees."""
_PLANSOLVE = os.path.dirname(os.path.dirname(HERE))


@dataclass(frozen=True)
class Isolation:
    """An isolation: how it encloses programs, what it protects, and a sentence that says so.

    With `has_control_group` the kernel holds the limit of memory, and otherwise the referee.
    """

    name: str
    network_blocked: bool
    filesystem_protected: bool
    description: str
    has_control_group: bool = False

    @property
    def memory(self) -> str:
        """Return a sentence that says what holds the limit of memory."""
        if self.has_control_group:
            return "The kernel enforced the memory limit, in a control group for each run."
        return "plansolve measured memory every 2 to 50 ms, without a control group."


BUBBLEWRAP = Isolation(
    "bubblewrap",
    network_blocked=True,
    filesystem_protected=True,
    description="Programs run inside bubblewrap, with limits and without a network, and can write "
    "only to a temporary folder (and to sockets and pipes in folders that they see).",
)
PROCESS_GROUP = Isolation(
    "process group",
    network_blocked=False,
    filesystem_protected=False,
    description="PROGRAMS ARE NOT ISOLATED: they have limits, but can reach the network and all "
    "your files. Judge only programs that you trust.",
)
ISOLATIONS: Mapping[str, Isolation] = {
    isolation.name: isolation for isolation in (BUBBLEWRAP, PROCESS_GROUP)
}
"""By their names, the better one first."""


def bubblewrap_command(
    file_size: int, readable: Sequence[str], call_filter: int | None
) -> list[str]:
    """Return the words of bwrap (0.8 or later) that come before a command to shut it in.

    /tmp is private and holds at most `file_size` bytes. Of the folders that are empty the paths in
    `readable` are seen, read-only. Unless one of them is named plansolve or lies in it, the command
    cannot run this plansolve. `call_filter` is the descriptor of a file that holds what
    `call_filter` returns, None for no filter. Raise OptionError if bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise OptionError("bubblewrap (the program bwrap) is not installed")
    hidden = _hidden_folders()
    # The optima that plansolve keeps are the answers to its questions.
    optima = os.path.realpath(cache_folder() / "optima")
    size = ["--size", str(file_size), "--tmpfs"]
    words = [program, "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
    words += ["--as-pid-1", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
    words += ["--dev", "/dev", *size, "/dev/shm"]  # noqa: S108
    # Root may write to much of /proc even without capabilities.
    words += ["--proc", "/proc", "--remount-ro", "/proc", "--remount-ro", "/dev"]
    for path in hidden:
        words += ["--tmpfs", path]
    words += ["--perms", "1777", *size, _TEMPORARY]
    sees_plansolve = any(
        os.path.basename(path) == "plansolve" or _is_within(path, [_PLANSOLVE]) for path in readable
    )
    seen = [*readable, _PLANSOLVE] if sees_plansolve else readable
    for path in _visible_paths(seen, [_TEMPORARY, *hidden]):
        words += ["--ro-bind", path, path]
    if os.path.isdir(optima):
        words += ["--tmpfs", optima, "--remount-ro", optima]
    if not sees_plansolve:
        copies = {_PLANSOLVE, *(os.path.realpath(f"{place}/plansolve") for place in sys.path)}
        # A clone of that name, in which this plansolve lies, cannot be hidden as well.
        copies = {
            copy for copy in copies if copy == _PLANSOLVE or not _is_within(_PLANSOLVE, [copy])
        }
        for copy in filter(os.path.isdir, sorted(copies)):
            words += ["--tmpfs", copy, *([] if copy == _PLANSOLVE else ["--remount-ro", copy])]
        words += ["--ro-bind", HERE, HERE, "--remount-ro", _PLANSOLVE]
    for path in hidden:
        words += ["--remount-ro", path]
    if call_filter is not None:
        words += ["--seccomp", str(call_filter)]
    return [*words, "--perms", "0700", "--dir", PRIVATE_FOLDER, "--chdir", PRIVATE_FOLDER, "--"]


def _hidden_folders() -> list[str]:
    """Return what is empty for every program besides /tmp; no folder lies inside another."""
    found: list[str] = []
    for path in map(os.path.realpath, (os.path.expanduser("~"), "/run", "/var/tmp")):  # noqa: S108
        if path != "/" and os.path.isdir(path) and not _is_within(path, [_TEMPORARY, *found]):
            found.append(path)
    return found


def _visible_paths(paths: Iterable[str], hidden: Sequence[str]) -> list[str]:
    """Return what has to be shown of hidden folders for programs and `paths` to be of use.

    A script needs what lies beside it, and a program in `bin` what lies beside `bin`.
    """
    shown: list[str] = []
    # For Python and programs on the path.
    search = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    for path in (*_through_links(paths), sys.prefix, sys.base_prefix, *search):
        if path in hidden or not _is_within(path, hidden) or not os.path.exists(path):
            continue
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        if os.path.basename(folder) == "bin":
            folder = os.path.dirname(folder)
        shown.append(path if folder in hidden else folder)
    # The outer ones first: what lies within them is there already.
    kept: list[str] = []
    for path in sorted(shown):
        if not _is_within(path, kept):
            kept.append(path)
    return kept


def _through_links(paths: Iterable[str]) -> Iterator[str]:
    """Yield each path and where its links lead: a virtual environment's Python is a link."""
    for path in map(os.path.abspath, paths):
        yield path
        for _ in range(40):  # as many as Linux follows
            if not os.path.islink(path):
                break
            path = os.path.abspath(os.path.join(os.path.dirname(path), os.readlink(path)))
            yield path


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


# --- the filter of system calls

_AF_VSOCK = 40
_X32 = 0x4000_0000
"""From here on calls of x86-64 are those of its variant with short pointers, which has its own."""

# The architecture as the kernel names it; `socket`; `setsockopt`; and what is refused altogether:
# add_key, request_key, keyctl, memfd_create, memfd_secret, the three calls of io_uring, shmget,
# semget, msgget, bpf and vmsplice.
_CALLS: Mapping[str, tuple[int, int, int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000_003E, 41, 54, (248, 249, 250, 319, 447, 425, 426, 427, 29, 64, 68, 321, 278),
    ),
    "aarch64": (
        0xC000_00B7, 198, 208, (217, 218, 219, 279, 447, 425, 426, 427, 194, 190, 186, 280, 75),
    ),
}  # fmt: skip

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, (16, 24, 32)
_SOL_SOCKET, _SO_SNDBUF, _SO_RCVBUF = 1, 7, 8
_REFUSE, _IGNORE, _ALLOW = 0x0005_0000 | ENOSYS, 0x0005_0000, 0x7FFF_0000


def call_filter(machine: str | None = None) -> bytes:
    """Return the instructions of the filter, empty for machines without one.

    `machine` is a name of `os.uname`; None stands for this one.
    """
    known = _CALLS.get(os.uname().machine if machine is None else machine)
    if known is None:
        return b""
    architecture, socket, setsockopt, refused = known
    # A jump leaves out so many instructions; the last one refuses.
    last = len(refused) + 15
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        # Calls of another architecture have other numbers.
        (_EQUAL, 0, last - 2, architecture),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, last - 4, 0, _X32),
        *((_EQUAL, last - 5 - i, 0, number) for i, number in enumerate(refused)),
        (_EQUAL, 0, 2, socket),
        (_LOAD, 0, 0, _ARGUMENTS[0]),
        (_EQUAL, 8, 7, _AF_VSOCK),
        (_EQUAL, 0, 6, setsockopt),
        (_LOAD, 0, 0, _ARGUMENTS[1]),
        (_EQUAL, 0, 4, _SOL_SOCKET),
        (_LOAD, 0, 0, _ARGUMENTS[2]),
        (_EQUAL, 1, 0, _SO_SNDBUF),
        (_EQUAL, 0, 1, _SO_RCVBUF),
        (_RETURN, 0, 0, _IGNORE),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)
