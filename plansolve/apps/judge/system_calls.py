"""The system calls that a judged program is refused, as a filter that the kernel runs.

Namespaces leave some doors: a program inherits the user's session keyring, memory in files of
memory belongs to no process and so is not counted, `io_uring` makes calls that no filter sees, and
sockets to the host of a virtual machine belong to no network namespace. None of them is of use to a
program that solves puzzles. Each call fails as on a system that does not have it (`ENOSYS`), for
which programs are prepared.

The filter is a program of the classic Berkeley packet filter on `struct seccomp_data`: the number
of the call, the architecture, and the arguments (Linux, `Documentation/userspace-api/
seccomp_filter.rst`).
"""

import os
import struct
from collections.abc import Mapping
from errno import ENOSYS
from types import MappingProxyType

__all__ = ["FILTERED_MACHINES", "call_filter"]

_AF_VSOCK = 40
_X32 = 0x4000_0000
"""From here on calls of x86-64 are those of its variant with short pointers, which has its own."""

# The architecture as the kernel names it; `socket`; and what is refused altogether: add_key,
# request_key, keyctl, memfd_create, memfd_secret, and the three calls of io_uring.
_CALLS: Mapping[str, tuple[int, int, tuple[int, ...]]] = MappingProxyType(
    {
        "x86_64": (0xC000_003E, 41, (248, 249, 250, 319, 447, 425, 426, 427)),
        "aarch64": (0xC000_00B7, 198, (217, 218, 219, 279, 447, 425, 426, 427)),
    }
)

FILTERED_MACHINES = tuple(_CALLS)
"""The machines, as `os.uname` names them, for which there is a filter."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_REFUSE, _ALLOW = 0x0005_0000 | ENOSYS, 0x7FFF_0000


def call_filter(machine: str | None = None) -> bytes:
    """Return the instructions of the filter, empty for machines without one.

    `machine` is a name of `os.uname`; None stands for this one.
    """
    known = _CALLS.get(os.uname().machine if machine is None else machine)
    if known is None:
        return b""
    architecture, socket, refused = known
    # A jump leaves out so many instructions; the last one refuses.
    last = len(refused) + 8
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        # Calls of another architecture have other numbers.
        (_EQUAL, 0, last - 2, architecture),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, last - 4, 0, _X32),
        *((_EQUAL, last - 5 - i, 0, number) for i, number in enumerate(refused)),
        (_EQUAL, 0, 2, socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 1, 0, _AF_VSOCK),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)
