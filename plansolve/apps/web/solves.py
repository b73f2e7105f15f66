"""The searches of a server: a few at a time, each in a child process, each with its events."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from plansolve.apps.web.child import Child
from plansolve.apps.web.conclusion import conclude, conclude_without_result
from plansolve.formats import format_plan, write_problem
from plansolve.model.problem import Problem
from plansolve.solvers.result import Status

__all__ = ["Limits", "Solve", "Solves", "TooMany"]

_KEPT = 16
_SCRAMBLES = 2
# What a job that has been stopped may take to say what it has found.
_LAST_WORDS_SECONDS = 5.0
# What starting and ending may take beyond the time of the search itself.
_STARTING_SECONDS = 15.0


class TooMany(Exception):
    """More is asked for at a time than the server does."""


@dataclass(frozen=True)
class Limits:
    """What one server does: times are in seconds.

    `idle` is how long a search goes on that nobody watches.
    """

    solve: float = 60.0
    scramble: float = 15.0
    solves: int = 2
    idle: float = 8.0


@dataclass
class Solve:
    """One search; `events` holds all that it has told, the last of them is "result"."""

    problem: Problem
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    events: list[dict[str, Any]] = field(default_factory=list)
    plan: tuple[str, ...] | None = None
    is_optimal: bool = False
    child: Child | None = None
    is_over: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _watchers: int = 0
    _nobody: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Ends the search soon; it keeps what it has found."""
        self._stop.set()

    async def told(self, first: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """The events from number `first` on, each with its number, until the search is over."""
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
        """While somebody watches; the search is stopped `idle` seconds after the last has gone."""
        self._watchers += 1
        if self._nobody is not None:
            self._nobody.cancel()
        try:
            yield
        finally:
            self._watchers -= 1
            self.expect_watcher(idle)

    def expect_watcher(self, idle: float) -> None:
        """Stops the search where nobody watches it in `idle` seconds."""
        if self._watchers == 0 and not self.is_over:
            self._nobody = asyncio.get_running_loop().call_later(idle, self.stop)

    async def run(self, order: dict[str, Any], seconds: float) -> None:
        """Has a child do the order; whatever ends it, no process is left and a result is told."""
        message = "the solver's process ended unexpectedly"
        try:
            self.child = await Child.start(order)
            stopping = asyncio.create_task(self._stop_child(self.child, seconds))
            try:
                async for answer in self.child.answers():
                    if answer["event"] in ("failed", "refused"):
                        message = answer["message"]
                    elif answer["event"] == "result":
                        self._take_result(answer)
                    else:
                        self._tell(answer)
            finally:
                stopping.cancel()
                await self.child.end()
        finally:
            if not self.is_over:
                if self._stop.is_set():
                    message = "stopped"
                words = asdict(conclude_without_result(message, self._lower()))
                self._end({"status": Status.UNKNOWN, "lower": self._lower(), "plan": None} | words)

    async def _stop_child(self, child: Child, seconds: float) -> None:
        """Waits for the word to stop, and for the time at which the child should have ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds + _STARTING_SECONDS)
        await child.stop()
        await asyncio.sleep(_LAST_WORDS_SECONDS)
        await child.end()

    def _lower(self) -> int:
        bounds = [event["lower"] for event in self.events if event["event"] == "bounds"]
        return max(bounds, default=0)

    def _take_result(self, result: dict[str, Any]) -> None:
        puzzle = self.problem.puzzle
        text = None
        if result["plan"] is not None:
            self.plan = tuple(result["plan"])
            text = format_plan(self.plan, puzzle)
        self.is_optimal = result["status"] == Status.OPTIMAL
        known = {"status", "lower", "upper", "lower_by", "upper_by", "stop_reason", "seconds"}
        document = {key: result[key] for key in known} | {"plan": text}
        self._end(document | asdict(conclude(puzzle, result)))

    def _end(self, document: dict[str, Any]) -> None:
        self.is_over = True
        if self._nobody is not None:
            self._nobody.cancel()
        self._tell({"event": "result", **document})

    def _tell(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        # Whoever waits is woken once; the next who waits, waits for the next event.
        self._news.set()
        self._news = asyncio.Event()


class Solves:
    """All searches of a server, by their keys, the last ones that are over among them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._solves: dict[str, Solve] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._scrambles = 0
        self._is_closed = False

    def start(self, problem: Problem, aim: str) -> Solve:
        """Begins a search; raises `TooMany` where enough are at work already."""
        at_work = sum(not solve.is_over for solve in self._solves.values())
        if self._is_closed or at_work >= self._limits.solves:
            count = self._limits.solves
            boards = f"{count} boards are" if count > 1 else "a board is"
            raise TooMany(f"{boards} being solved already: stop one, or wait for it")
        solve = Solve(problem)
        self._solves[solve.key] = solve
        for old in list(self._solves.values())[:-_KEPT]:
            if old.is_over:
                del self._solves[old.key]
        order = {
            "do": "solve",
            "problem": write_problem(problem, "json"),
            "optimal": aim == "optimal",
            "seconds": self._limits.solve,
            "share": self._limits.solves,
        }
        task = asyncio.create_task(solve.run(order, self._limits.solve))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        solve.expect_watcher(self._limits.idle)
        return solve

    def find(self, key: str) -> Solve | None:
        """The search with that key, if it is still known."""
        return self._solves.get(key)

    async def scramble(self, goal: Problem, moves: int | None) -> dict[str, Any]:
        """The last answer of a job that makes a board; raises `TooMany` as `start` does."""
        if self._scrambles >= _SCRAMBLES:
            raise TooMany("boards are being made already: wait for them")
        order = {"do": "scramble", "problem": write_problem(goal, "json"), "moves": moves}
        answer = {"event": "failed", "message": "the process that makes boards ended unexpectedly"}
        self._scrambles += 1
        try:
            child = await Child.start(order)
            try:
                async with asyncio.timeout(self._limits.scramble):
                    async for said in child.answers():
                        answer = said
            finally:
                await child.end()
        except TimeoutError:
            answer["message"] = "that board takes too long to make: give a number of moves"
        finally:
            self._scrambles -= 1
        return answer

    async def close(self) -> None:
        """Stops all searches and waits until their processes are gone."""
        self._is_closed = True
        for solve in self._solves.values():
            solve.stop()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
