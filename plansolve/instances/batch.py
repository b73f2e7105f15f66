"""Many boards at a time, in lasting processes or on a cluster; each is saved at once.

A `BoardUnit` goes out, an `Attempt` and a result come back, and with the board they are its
`Outcome`.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from socket import gethostname
from threading import Event
from typing import Any, Literal, Unpack

from plansolve.errors import EngineError, InputError, OptionError, StoreError, WrongTypeError
from plansolve.formats import BoardLike, read_problem
from plansolve.model.puzzle import FEW_CELLS
from plansolve.records.board import Attempt, Board
from plansolve.records.records import Records
from plansolve.solvers.engine.request import Request
from plansolve.solvers.engine.solve import (
    BoardOptions,
    attempt_of,
    canonical_options,
    now,
    own_version,
    solve_request,
)
from plansolve.solvers.limits import CutShort, LinkedEvent, as_seconds, cores, is_unwanted
from plansolve.solvers.protocol import Distribution
from plansolve.solvers.result import Result, StopReason
from plansolve.solvers.units.executors import (
    UnitExecutor,
    local_processes,
    open_executor,
    thread_executor,
)
from plansolve.solvers.units.team import Done, Failed, Team


@dataclass(frozen=True)
class Outcome:
    """A board with its best attempt, or None.

    `result` is that of a new attempt, and `error` its failure; an attempt with neither comes from a
    store.
    """

    board: Board
    attempt: Attempt | None
    result: Result | None = None
    error: Exception | None = None

    @property
    def from_store(self) -> bool:
        """Return True if nothing was computed."""
        return self.result is None and self.error is None

    @property
    def is_interrupted(self) -> bool:
        """Return True if the attempt was interrupted; it is not kept."""
        return self.result is not None and self.result.stop_reason == StopReason.INTERRUPTED


@dataclass(frozen=True)
class BoardUnit:
    """A board to be solved by any worker with the `options` of `solve`.

    `text` is the text of the options in a store. `units` keeps the finished units of a long proof.
    It and the event `cancel` are for threads of the process that has the store; they cannot be sent
    to another process.
    """

    board: Board
    options: Mapping[str, Any]
    text: str
    cancel: Event | None = None
    units: Distribution | None = None

    def run(self) -> tuple[Attempt, Result]:
        """Solve the board, with one thread unless the options say more."""
        began, problem = now(), self.board.problem
        options = {"threads": 1, **self.options, "cancel": LinkedEvent(self.cancel, is_unwanted)}
        is_free = all(options.get(name) is None for name in _FOR_FORMULAS)
        is_small = problem.puzzle.cells <= FEW_CELLS and not problem.puzzle.needs_kinds
        if is_free and is_small and options.get("engine", "auto") == "auto":
            # Kernels are loaded once for all boards.
            options["engine"] = "astar"
        result = solve_request(problem, Request(**options), self.units or Distribution())
        attempt = attempt_of(result, self.board.key, self.text, began)
        # The sender has the problem already.
        return attempt, replace(result, problem=None)


_FOR_FORMULAS = ("backend", "bound", "encoding", "lemmas", "proofs")


class Batch:
    """Solves boards by an executor, with the `options` of `solve`, and keeps the attempts.

    It skips boards that `records` prove, or that were attempted with the same options; `again` says
    which boards to solve again. If threads of this process do the work, the records also keep the
    finished units of long proofs.
    """

    def __init__(
        self,
        executor: UnitExecutor,
        options: Mapping[str, Any],
        records: Records | None = None,
        again: Literal["unproved", "all"] | None = None,
        cancel: Event | None = None,
        tell: Callable[[str], None] = lambda note: None,
    ) -> None:
        self._options, self._records, self._again = dict(options), records, again
        self._cancel = cancel
        self._is_here = executor.shares_memory
        self._text = "" if records is None else canonical_options(options)
        # A time limit without setup does not count waiting for workers either.
        limit = options.get("time_limit") if options.get("setup_counts", True) else None
        self._team = Team(executor, tell=tell, patience=as_seconds(limit))
        self._known: deque[Outcome | StoreError] = deque()
        # For the key of each problem at work, the other boards with that problem, which wait for
        # it.
        self._waiting: dict[str, list[Board]] = {}

    def run(self, boards: Iterable[Board | None]) -> Iterator[Outcome | StoreError | None]:
        """Yield the outcome of each board when it is done, and None several times a second.

        A None among the boards is passed on at once. A `StoreError` is about a wrong attempt in the
        store: it begins with the board's name, and that board is solved again.

        Raise `StoreError` if the store cannot be used, and `CutShort` if the executor is lost, or
        has had no workers for as long as a board may take.
        """
        for ended in self._team.each(self._units(boards)):
            while self._known:
                yield self._known.popleft()
            if ended is None:
                yield None
                continue
            outcome = self._outcome(ended)
            yield outcome
            # Boards that waited for an equal one get its attempt, unless it was interrupted.
            repeats = self._waiting.pop(outcome.board.key, [])
            if not outcome.is_interrupted:
                yield from (Outcome(board, outcome.attempt) for board in repeats)
        yield from self._known

    def drain(self) -> None:
        """Begin no more boards; finish those at work."""
        self._team.drain()

    def _outcome(self, ended: Done[tuple[Attempt, Result]] | Failed) -> Outcome:
        """Return the outcome of a board, and keep its attempt unless it was interrupted."""
        assert isinstance(ended.unit, BoardUnit)
        board = ended.unit.board
        if isinstance(ended, Failed):
            engine = str(self._options.get("engine", "auto"))
            attempt = _failed(board.key, self._text, engine, ended.error)
            outcome = Outcome(board, attempt, error=ended.error)
        else:
            attempt, result = ended.answer
            outcome = Outcome(board, attempt, replace(result, problem=board.problem))
        if self._records is not None and not outcome.is_interrupted:
            self._records.keep(attempt)
        return outcome

    def _units(self, boards: Iterable[Board | None]) -> Iterator[BoardUnit | None]:
        """Yield the boards to compute, and None after an outcome without computation."""
        for board in boards:
            if board is None:
                yield None
                continue
            if self._records is not None:
                if (known := self._from_store(self._records, board)) is not None:
                    self._known.append(known)
                    yield None
                    if isinstance(known, Outcome):
                        continue
                if self._again != "all":
                    if board.key in self._waiting:
                        self._waiting[board.key].append(board)
                        yield None
                        continue
                    self._waiting[board.key] = []
            units = self._distribution(board)
            yield BoardUnit(board, self._options, self._text, self._cancel, units)

    def _distribution(self, board: Board) -> Distribution | None:
        """Return the store of the units of a long proof; None if they are not kept."""
        if self._records is None or not self._is_here or self._again == "all":
            return None
        path = os.path.abspath(self._records.path)
        return Distribution(store=path, is_new=not self._records.has_rounds(board.key))

    def _from_store(self, records: Records, board: Board) -> Outcome | StoreError | None:
        """Enter a board, and return its outcome in the store, or the error in it."""
        records.add_boards([board])
        if self._again == "all":
            return None
        # The last attempt counts, unless another one proves.
        attempts = reversed(records.attempts(board.key))
        for attempt in sorted(attempts, key=lambda attempt: not attempt.is_proved):
            is_same = attempt.options == self._text and self._again != "unproved"
            if attempt.is_proved or is_same:
                if what := attempt.what_is_wrong(board.problem):
                    return StoreError(f"{board.full_name}: {what}")
                return Outcome(board, attempt)
        return None


def _failed(problem: str, options: str, engine: str, error: Exception) -> Attempt:
    what = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    return Attempt(
        problem, options, engine, own_version(), "error", "crash", None, None, None, "", "", 0.0,
        None, None, gethostname(), now(), what,
    )  # fmt: skip


def executor_for_boards(executor: str | None, parallel: int | None = None) -> UnitExecutor:
    """Return the executor of that name, or one with `parallel` threads."""
    processes = local_processes(executor) if executor is not None else parallel or cores()
    return thread_executor(processes) if processes else open_executor(executor or "")


def solve_many(
    problems: Iterable[BoardLike],
    *,
    parallel: int | None = None,
    executor: str | None = None,
    **options: Unpack[BoardOptions],
) -> Iterator[Result]:
    """Return an iterator over the results of many boards, each as soon as it is finished.

    Each board is anything that `read_problem` takes; `problem` of a result is its board. Boards may
    come from an endless generator, as only a few are read ahead. `parallel` boards are solved at a
    time (default: the number of cores), each with one thread. `executor` names other workers:
    "local:4", "dask://host:8786" or "dask-local:4" (default: processes of this machine). `options`
    are those of `solve`; limits hold for each board. Leaving the loop, or Ctrl-C, ends all work.

    >>> import plansolve
    >>> boards = [[1, 2], [0, 3]], [[0, 2], [1, 3]], [[1, 2], [3, 0]]
    >>> sorted(result.length for result in plansolve.solve_many(boards))
    [0, 1, 2]

    The iterator raises the errors of `solve`, and `EngineError` if the executor is lost. An error
    about a board begins with its number, and comes after the results of the boards before it.
    """
    if parallel is not None and (isinstance(parallel, bool) or not isinstance(parallel, int)):
        raise WrongTypeError(f"parallel: a whole number is expected, not {parallel!r}")
    if parallel is not None and parallel < 1:
        raise OptionError(f"parallel must be 1 or more, not {parallel}")
    if isinstance(problems, str | bytes) or not isinstance(problems, Iterable):
        raise WrongTypeError(f"boards: a list is expected, not {type(problems).__name__}")
    if unknown := options.keys() - BoardOptions.__annotations__.keys():
        raise WrongTypeError(f"solve has no option {min(unknown)!r}")
    if executor is not None:
        for name in sorted({"cancel", "progress", "workers"} & options.keys()):
            raise OptionError(f"{name} cannot be sent to an executor: leave one of them out")
    if not isinstance(executor, str | None):
        raise WrongTypeError(f"executor: a name is expected, not {executor!r}")
    return _results(problems, executor_for_boards(executor, parallel), options)


def _results(
    problems: Iterable[BoardLike], executor: UnitExecutor, options: Mapping[str, Any]
) -> Iterator[Result]:
    """Yield the results as they come; end the executor's work at any end."""
    each = {name: value for name, value in options.items() if name != "cancel"}
    wrong: list[Exception] = []

    def boards() -> Iterator[Board]:
        for number, board in enumerate(problems, start=1):
            try:
                yield Board(read_problem(board), str(number))
            except (InputError, WrongTypeError) as error:
                # The boards before it are finished.
                wrong.append(type(error)(f"board {number}: {error}"))
                return

    with executor:
        try:
            for outcome in Batch(executor, each, cancel=options.get("cancel")).run(boards()):
                if isinstance(outcome, Outcome):
                    if outcome.result is None:
                        what = f"board {outcome.board.name} has no result"
                        raise outcome.error or EngineError(what)
                    yield outcome.result
        except CutShort as lost:
            raise EngineError(str(lost)) from None
    for error in wrong:
        raise error
