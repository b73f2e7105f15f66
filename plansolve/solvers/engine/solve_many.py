"""Many boards, side by side, in processes that are used again."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Unpack

from plansolve.errors import InputError, OptionError, WrongTypeError
from plansolve.formats import BoardLike, read_problem
from plansolve.solvers.engine.solve import SolveOptions, solve
from plansolve.solvers.limits import LinkedEvent, cores
from plansolve.solvers.result import Result

__all__ = ["solve_many"]

_AHEAD = 4
"""How many boards are begun for each that is worked on, while the first of them is not done."""


def solve_many(
    problems: Iterable[BoardLike], *, parallel: int | None = None, **options: Unpack[SolveOptions]
) -> Iterator[Result]:
    """Return an iterator over the results of many boards, in their order, each as soon as it can.

    Each board is anything that `read_problem` takes; they may come from a generator without end,
    as only a few are read ahead. `parallel` boards are worked on at a time (default: as many as
    there are cores), each with one thread; `options` are those of `solve`, limits hold for each
    board. To leave the loop, or Ctrl-C, ends the work on the boards that were read ahead.

    >>> import plansolve
    >>> boards = [[1, 2], [0, 3]], [[0, 2], [1, 3]], [[1, 2], [3, 0]]
    >>> [result.length for result in plansolve.solve_many(boards)]
    [1, 2, 0]

    The iterator raises what `solve` raises; an error about a board begins with its number.
    """
    if parallel is not None and (isinstance(parallel, bool) or not isinstance(parallel, int)):
        raise WrongTypeError(f"parallel: a whole number, not {parallel!r}")
    if parallel is not None and parallel < 1:
        raise OptionError(f"{parallel} boards at a time make no sense: 1, 2, 3 ...")
    if isinstance(problems, str | bytes) or not isinstance(problems, Iterable):
        raise WrongTypeError(f"boards: a list of them, not {type(problems).__name__}")
    if unknown := options.keys() - SolveOptions.__annotations__.keys():
        raise WrongTypeError(f"solve has no option {min(unknown)!r}")
    return _results(enumerate(problems, start=1), parallel or cores(), options)


def _results(
    problems: Iterator[tuple[int, BoardLike]], parallel: int, options: SolveOptions
) -> Iterator[Result]:
    stop = LinkedEvent(options.get("cancel"))
    each: SolveOptions = {"threads": 1, **options, "cancel": stop}
    begun: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(parallel, "plansolve-many") as pool:
        try:
            while True:
                for number, board in islice(problems, parallel * _AHEAD - len(begun)):
                    begun.append(pool.submit(_solve, number, board, each))
                if not begun:
                    return
                yield begun.popleft().result()
        finally:
            stop.set()
            for future in begun:
                future.cancel()


def _solve(number: int, board: BoardLike, options: SolveOptions) -> Result:
    try:
        problem = read_problem(board)
    except InputError as error:
        raise type(error)(f"board {number}: {error}") from None
    except WrongTypeError as error:
        raise WrongTypeError(f"board {number}: {error}") from None
    return solve(problem, **options)
