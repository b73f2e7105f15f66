"""Child processes that do not outlive their parent, however it ends."""

import ctypes
import os
import signal
import sys

__all__ = ["end_with"]

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Ask Linux to end this process when its parent dies; end it where that has happened.

    Linux looks at the thread of the parent that started this process.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
