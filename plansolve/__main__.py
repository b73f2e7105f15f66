"""The start of the command: Ctrl-C ends it with one line even while modules are imported.

Meanwhile the process of the first engine starts, if there is a board to solve.
"""

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from plansolve.program import end_at_once

if TYPE_CHECKING:
    from plansolve.solvers.processes.workers import Workers

_SLOW_MODULES = "numpy", "numba", "plansolve.solvers.search.idastar.idastar"
"""The modules that most engines need, and that take half a second to import."""
_OTHERS = {"--engine", "--backend", "--encoding", "--lemmas"}
"""The options for engines that do without them."""
_FEW_BYTES = 32
"""A shorter file holds a board of so few cells that no engine needs them."""


def main() -> NoReturn:
    # If a shell has had the signal ignored, that stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
    workers = _workers_for(sys.argv[1:])
    from plansolve.cli.main import main as run

    run(workers)


def _workers_for(words: list[str]) -> "Workers | None":
    """Return workers of which one has started, if the words ask to solve a file's board."""
    board = next(filter(os.path.isfile, words), None)
    if (
        board is None
        or words[0] not in ("solve", board)
        or {"-h", "--help", "--help-all"} & {*words}
    ):
        return None
    from plansolve.solvers.processes.workers import Workers

    is_other = _OTHERS & {word.partition("=")[0] for word in words}
    does_without = is_other or os.path.getsize(board) < _FEW_BYTES
    workers = Workers(for_one_call=True)
    workers.start(*(() if does_without else _SLOW_MODULES))
    return workers


if __name__ == "__main__":
    main()
