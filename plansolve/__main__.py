"""The start of the command: Ctrl-C ends it with one line even while modules are imported.

Meanwhile the process of the first engine starts, if there is a board to solve.
"""

import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from plansolve.solvers.processes.workers import Workers

_SLOW_MODULES = "numpy", "numba", "plansolve.solvers.search.idastar.engine"
"""What the engines of most boards take half a second to import."""
_OTHERS = {"--engine", "--backend", "--encoding", "--lemmas"}
"""Options that name an engine which does without them."""
_FEW_BYTES = 32
"""A shorter file holds a board of so few cells that no engine needs them."""


def main() -> NoReturn:
    """Import the command line and run it."""
    # Where a shell has had the signal ignored, that stays so.
    is_asked = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_asked:
        signal.signal(signal.SIGINT, _end)
    workers = _workers_for(sys.argv[1:])
    from plansolve.cli.main import main as run

    if is_asked:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run(workers)


def _workers_for(words: list[str]) -> "Workers | None":
    """Return workers of which one has started, where the words ask to solve a file's board."""
    board = next(filter(os.path.isfile, words), None)
    if board is None or words[0] not in ("solve", board) or {"-h", "--help"} & {*words}:
        return None
    from plansolve.solvers.processes.workers import Workers

    is_other = _OTHERS & {word.partition("=")[0] for word in words}
    does_without = is_other or os.path.getsize(board) < _FEW_BYTES
    workers = Workers(for_one_call=True)
    workers.start(*(() if does_without else _SLOW_MODULES))
    return workers


def _end(number: int, frame: FrameType | None) -> NoReturn:
    try:
        os.write(2, b"plansolve: interrupted\n")
    finally:
        # The code of `exit_codes.INTERRUPTED`, which may not be imported yet.
        os._exit(130)


if __name__ == "__main__":
    main()
