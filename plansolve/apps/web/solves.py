"""The searches of a server, a few at a time, each in a thread, and scrambled boards."""

import asyncio
import contextlib
import secrets
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from plansolve.errors import OptionError, PlansolveError
from plansolve.formats import format_plan, write_problem
from plansolve.instances.instance_set import natural_format
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import CutShort, Limits, most_memory
from plansolve.solvers.processes.workers import call_in_child
from plansolve.solvers.protocol import Event
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.result_text import headline, proof
from plansolve.text import at_least, counted

_KEPT = 16
_SCRAMBLES = 2
_SEEDS = 1 << 32
_TONES = {Status.OPTIMAL: "proved", Status.UNSOLVABLE: "none"}
"""The colour of a headline on the page, by status."""


class TooMany(Exception):
    """More work is requested at a time than the server allows."""


@dataclass(frozen=True)
class ServerLimits:
    """The limits of one server, in seconds; `idle` is for an unwatched search."""

    solve: float = 60.0
    scramble: float = 15.0
    solves: int = 2
    idle: float = 8.0


@dataclass
class Solve:
    """One search; `events` holds all its events, of which the last is "result"."""

    problem: Problem
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    events: list[dict[str, Any]] = field(default_factory=list)
    plan: tuple[str, ...] | None = None
    is_optimal: bool = False
    lower_bound: int | None = None
    is_over: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _cancel: threading.Event = field(default_factory=threading.Event)
    _watchers: int = 0
    _nobody: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """End the search soon; its results so far are kept."""
        self._cancel.set()

    async def told(self, first: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Yield the events from `first` on, each with its number, until the search is over."""
        number = max(0, first)
        while True:
            while number < len(self.events):
                yield number, self.events[number]
                number += 1
            if self.is_over:
                return
            await self._news.wait()

    @contextlib.contextmanager
    def watched(self, idle: float) -> Iterator[None]:
        """Count a watcher; the search is stopped `idle` seconds after the last one has gone."""
        self._watchers += 1
        if self._nobody is not None:
            self._nobody.cancel()
        try:
            yield
        finally:
            self._watchers -= 1
            self.expect_watcher(idle)

    def expect_watcher(self, idle: float) -> None:
        """Stop the search if nobody watches it within `idle` seconds."""
        if self._watchers == 0 and not self.is_over:
            self._nobody = asyncio.get_running_loop().call_later(idle, self.stop)

    async def run(self, threads: Executor, *, optimal: bool, seconds: float, memory: int) -> None:
        """Solve in a thread; whatever ends it, no process is left and a result is told."""
        loop = asyncio.get_running_loop()

        def tell(event: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(self._tell, event)

        def work() -> Result:
            return solve(
                self.problem,
                optimal=optimal,
                time_limit=seconds,
                memory_limit=memory,
                progress=_Reporter(tell),
                cancel=self._cancel,
            )

        # A search that is cancelled from outside has no other last event.
        message = "interrupted"
        try:
            self._take_result(await loop.run_in_executor(threads, work))
        except PlansolveError as error:
            message = str(error).strip().splitlines()[-1]
        except MemoryError:
            message = "memory ran out"
        except Exception as error:
            traceback.print_exc()
            message = f"internal error, please report it: {type(error).__name__}: {error}"
        finally:
            if not self.is_over:
                lower = max((e["lower"] for e in self.events if e["event"] == "bounds"), default=0)
                bound = f" {_sentence(at_least(lower, 'move'))}" if lower else ""
                self._end(
                    status=Status.UNKNOWN,
                    lower=lower,
                    plan=None,
                    headline="The search failed",
                    sentence=f"{_sentence(message)}{bound}",
                    tone="none",
                )

    def _take_result(self, result: Result) -> None:
        puzzle, why = self.problem.puzzle, ""
        if result.stop_reason == StopReason.TIME and result.plan is not None:
            # The limit is the server's, not the user's.
            why = f"{result.explanation}: "
        self.plan = result.plan
        self.is_optimal = result.status == Status.OPTIMAL
        self.lower_bound = result.lower_bound
        self._end(
            status=result.status,
            lower=result.lower_bound,
            upper=result.upper_bound,
            lower_by=result.lower_bound_by,
            upper_by=result.upper_bound_by,
            stop_reason=result.stop_reason,
            seconds=result.statistics.seconds,
            plan=None if result.plan is None else format_plan(result.plan, puzzle),
            headline=_capital(headline(puzzle, result)),
            sentence=_sentence(why + proof(result)),
            tone=_TONES.get(result.status, "open"),
        )

    def _end(self, **document: Any) -> None:
        self.is_over = True
        if self._nobody is not None:
            self._nobody.cancel()
        self._tell({"event": "result", **document})

    def _tell(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        # Wake all current waiters; later ones wait for the next event.
        self._news.set()
        self._news = asyncio.Event()


class Solves:
    """All searches of a server, by key, including the last finished ones."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._solves: dict[str, Solve] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._scrambles = 0
        self._closing = threading.Event()
        # The event loop's own threads may be fewer, and a search must not wait for one.
        self._threads = ThreadPoolExecutor(limits.solves + _SCRAMBLES, "plansolve-web")

    def start(self, problem: Problem, aim: str) -> Solve:
        """Begin a search; raise `TooMany` if the server is busy."""
        at_work = sum(not solve.is_over for solve in self._solves.values())
        if self._closing.is_set() or at_work >= self._limits.solves:
            count = self._limits.solves
            boards = f"{count} boards are" if count > 1 else "a board is"
            raise TooMany(f"{boards} being solved already: stop a search, or wait for its end")
        solve = Solve(problem)
        self._solves[solve.key] = solve
        for old in list(self._solves.values())[:-_KEPT]:
            if old.is_over:
                del self._solves[old.key]
        task = asyncio.create_task(
            solve.run(
                self._threads,
                optimal=aim == "optimal",
                seconds=self._limits.solve,
                memory=most_memory() // self._limits.solves,
            )
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        solve.expect_watcher(self._limits.idle)
        return solve

    def find(self, key: str) -> Solve | None:
        """Return the search with that key, if it is still known."""
        return self._solves.get(key)

    async def scramble(self, goal: Problem, moves: int | None) -> str:
        """Return a new board as text, as `_scrambled` does; raise `TooMany` as `start` does."""
        if self._scrambles >= _SCRAMBLES:
            raise TooMany("boards are being made already: wait for them")
        limits = Limits(time.monotonic() + self._limits.scramble, cancel=self._closing)
        self._scrambles += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, _scrambled, goal, moves, limits)
        finally:
            self._scrambles -= 1

    async def close(self) -> None:
        """Stop all searches and wait until their processes are gone."""
        self._closing.set()
        for search in self._solves.values():
            search.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False)


def _scrambled(goal: Problem, moves: int | None, limits: Limits) -> str:
    """Return a board so many random moves from the goal, or a random one for None, as text.

    A child process makes it, since that may take long. Raise `OptionError` if the limits do not
    allow it.
    """
    try:
        return call_in_child(_board, goal, moves, limits=limits)
    except CutShort as cut:
        is_late = cut.reason == StopReason.TIME
        late = "that board takes too long to make: give a small number of moves"
        raise OptionError(late if is_late else f"no board was made: {cut}") from None
    except MemoryError:
        raise OptionError("memory ran out") from None


def _board(goal: Problem, moves: int | None) -> str:
    rules, randomness = goal.puzzle, Randomness(secrets.randbelow(_SEEDS))
    if moves is None:
        board = BoardSampler(rules).solvable(randomness)
    else:
        board = Predecessors(rules).walk(rules.goal_board, moves, randomness)
    problem = Problem(rules, board)
    return write_problem(problem, natural_format(problem))


class _Reporter:
    """Passes on news: changed bounds, notes, and the length that is tried."""

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._bounds: tuple[int, int | None] = (0, None)

    def __call__(self, event: Event) -> None:
        bounds = (event.lower_bound, event.upper_bound)
        if bounds != self._bounds:
            self._bounds = bounds
            lower, upper = bounds
            self._tell(
                {
                    "event": "bounds",
                    "lower": lower,
                    "upper": upper,
                    "engine": event.engine,
                    "headline": f"{counted(lower, 'move')}, proved shortest"
                    if lower == upper
                    else None,
                }
            )
        if event.kind in ("choice", "note", "warning"):
            self._tell({"event": "doing", "text": f"{event.engine}: {event.note}"})
        elif event.kind == "trying":
            self._tell({"event": "doing", "text": f"{event.engine} tries length {event.trying}"})


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_capital(text)}."
