"""Where the command begins: Ctrl-C ends it with one line even while its modules are imported."""

import os
import signal
from types import FrameType
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Import the command line and run it."""
    # Where a shell has had the signal ignored, that stays so.
    is_asked = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_asked:
        signal.signal(signal.SIGINT, _end)
    from plansolve.cli.main import main as run

    if is_asked:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _end(number: int, frame: FrameType | None) -> NoReturn:
    try:
        os.write(2, b"plansolve: interrupted\n")
    finally:
        # The code of `exit_codes.INTERRUPTED`, which may not be imported yet.
        os._exit(130)
