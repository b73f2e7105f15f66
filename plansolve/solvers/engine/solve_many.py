"""Many boards, side by side, in processes that are used again or on a cluster."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Any, Unpack

from plansolve.errors import EngineError, InputError, OptionError, WrongTypeError
from plansolve.formats import BoardLike, read_problem
from plansolve.model.problem import Problem
from plansolve.solvers.engine.batch import Batch, NamedBoard
from plansolve.solvers.engine.solve import BoardOptions
from plansolve.solvers.limits import cores
from plansolve.solvers.result import Result
from plansolve.solvers.units.crew import Crew, GivenCrew, ThreadCrew
from plansolve.solvers.units.executors import local_processes, open_crew

__all__ = ["crew_for_boards", "solve_many"]


def solve_many(
    problems: Iterable[BoardLike],
    *,
    parallel: int | None = None,
    executor: str | Executor | None = None,
    **options: Unpack[BoardOptions],
) -> Iterator[Result]:
    """Return an iterator over the results of many boards, in the order in which they are done.

    Each board is anything that `read_problem` takes, and `problem` of a result is the board that it
    is about; they may come from a generator without end, as only a few are read ahead. `parallel`
    boards are worked on at a time (default: as many as there are cores), each with one thread.
    `executor` is whose work that is: "local:4", "dask://host:8786" or any executor of
    `concurrent.futures` (default: processes of this machine). `options` are those of `solve`,
    limits hold for each board. To leave the loop, or Ctrl-C, ends the work on the boards that were
    read ahead.

    >>> import plansolve
    >>> boards = [[1, 2], [0, 3]], [[0, 2], [1, 3]], [[1, 2], [3, 0]]
    >>> sorted(result.length for result in plansolve.solve_many(boards))
    [0, 1, 2]

    The iterator raises what `solve` raises; an error about a board begins with its number, and
    comes after the results of the boards before it.
    """
    if parallel is not None and (isinstance(parallel, bool) or not isinstance(parallel, int)):
        raise WrongTypeError(f"parallel: a whole number, not {parallel!r}")
    if parallel is not None and parallel < 1:
        raise OptionError(f"{parallel} boards at a time make no sense: 1, 2, 3 ...")
    if isinstance(problems, str | bytes) or not isinstance(problems, Iterable):
        raise WrongTypeError(f"boards: a list of them, not {type(problems).__name__}")
    if unknown := options.keys() - BoardOptions.__annotations__.keys():
        raise WrongTypeError(f"solve has no option {min(unknown)!r}")
    if executor is not None:
        for name in sorted({"cancel", "progress", "workers"} & options.keys()):
            raise OptionError(f"{name} cannot be sent to an executor: leave one of them out")
    if isinstance(executor, Executor):
        crew: Crew = GivenCrew(executor, parallel or cores())
    elif isinstance(executor, str | None):
        crew = crew_for_boards(executor, parallel)
    else:
        raise WrongTypeError(f"executor: a text or a concurrent.futures.Executor, not {executor!r}")
    return _results(problems, crew, options)


def _results(
    problems: Iterable[BoardLike], crew: Crew, options: Mapping[str, Any]
) -> Iterator[Result]:
    """Yield the results as they come; end the crew's work at the end, however it comes."""
    each = {name: value for name, value in options.items() if name != "cancel"}
    wrong: list[Exception] = []

    def boards() -> Iterator[NamedBoard]:
        for number, board in enumerate(problems, start=1):
            try:
                yield NamedBoard("", str(number), _read(number, board))
            except (InputError, WrongTypeError) as error:
                # Those before it come to their end.
                wrong.append(error)
                return

    with crew:
        for row in Batch(crew, each, cancel=options.get("cancel")).run(boards()):
            if row is None:
                continue
            if row.result is None:
                raise row.error or EngineError(f"board {row.board.name} has no result")
            yield row.result
    for error in wrong:
        raise error


def crew_for_boards(executor: str | None, parallel: int | None = None) -> Crew:
    """Return who works on whole boards: what `executor` names, or `parallel` processes from here.

    Engines work in processes of their own anyway, which stay from board to board. So boards that
    are worked on by this machine need no more than a thread each that waits for them.
    """
    processes = local_processes(executor) if executor is not None else parallel or cores()
    return ThreadCrew(processes) if processes else open_crew(executor or "")


def _read(number: int, board: BoardLike) -> Problem:
    try:
        return read_problem(board)
    except InputError as error:
        raise type(error)(f"board {number}: {error}") from None
    except WrongTypeError as error:
        raise WrongTypeError(f"board {number}: {error}") from None
