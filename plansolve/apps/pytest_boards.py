"""Boards as tests: what `pytest --plansolve` collects, and which results are failures."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from textwrap import indent
from typing import TypeAlias

import pytest

from plansolve.errors import BoardError, InputError, OptionError, PlansolveError
from plansolve.formats import format_plan
from plansolve.instances.board_reader import BoardReader
from plansolve.instances.instance_set import MANIFEST, load_instance_set
from plansolve.records.board import Board
from plansolve.solvers.engine.registry import find_engine
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import read_seconds
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import NO_PLAN
from plansolve.solvers.result import Status
from plansolve.solvers.result_text import not_decided
from plansolve.text import at_least, counted, suffice

_OF_A_SET = re.compile(rb'"schema"\s*:\s*"plansolve\.instances/')
_FILE = re.compile(rb'"file"\s*:\s*"([^"]*)"')
_MOST_BYTES = 64 << 20

_BOARDS = ("*.puz", "*.plansolve.json")
"""The names of files that must hold boards."""
_PERHAPS_BOARDS = ("*.txt", "*.csv", "*.json")
"""The names of files that are collected if they hold boards."""

_Found: TypeAlias = Board | BoardError
"""A board of a file, or its error."""


class Collecting:
    """The hooks of a run with `--plansolve`, and the processes that solve its boards."""

    def __init__(self, config: pytest.Config) -> None:
        """Read the options; raise `UsageError` for bad ones."""
        self._engine = config.getoption("plansolve_engine")
        self._must_prove = config.getoption("plansolve_optimal")
        self._patterns = (*_BOARDS, *config.getoption("plansolve_glob"))
        # The processes of pytest-xdist share the cores.
        self._threads = 1 if hasattr(config, "workerinput") else None
        option = "--plansolve-engine"
        try:
            if self._engine != "auto" and not find_engine(self._engine).proves:
                raise OptionError(f"engine {self._engine} proves nothing: choose another, or auto")
            option = "--plansolve-time-limit"
            self._seconds = read_seconds(config.getoption("plansolve_time_limit"))
        except OptionError as error:
            raise pytest.UsageError(f"{option}: {error}") from None
        if not all(Path(pattern).parts for pattern in self._patterns):
            raise pytest.UsageError("--plansolve-glob: '' is not a pattern such as '*.tws'")
        self._files_of_set = cache(_files_of_set)
        # Tables and compiled kernels stay loaded from one board to the next.
        self._stack = ExitStack()
        self._workers = self._stack.enter_context(Workers())

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Return a collector for a manifest of an instance set, or for the file of one board."""
        in_set = self._files_of_set(file_path.parent / MANIFEST)
        is_set, found = file_path.name == MANIFEST and in_set is not None, list[_Found]()
        if not is_set:
            is_listed = in_set is not None and os.fsencode(file_path.name) in in_set
            is_named = parent.session.isinitpath(file_path)
            if is_listed and not is_named:
                return None
            must = any(map(file_path.match, self._patterns))
            perhaps = any(map(file_path.match, _PERHAPS_BOARDS))
            if not must and not (perhaps and is_named):
                found = _boards_of(file_path) if perhaps else []
                if not any(isinstance(board, Board) for board in found):
                    return None
        boards: _Boards = _Boards.from_parent(parent, path=file_path)
        boards.is_set, boards.found, boards.run = is_set, found, self._solve
        return boards

    def pytest_unconfigure(self) -> None:
        self._stack.close()

    def _solve(self, instance: _Found) -> None:
        """Fail if a result contradicts what is recorded, or decides too little."""
        if isinstance(instance, BoardError):
            raise instance
        recorded = instance.optimal_length
        any_plan = instance.solvable and recorded is None and not self._must_prove
        result = solve(
            instance.problem,
            optimal=not any_plan,
            # With a horizon the first plan is enough.
            max_horizon=NO_PLAN - 1 if any_plan else None,
            engine=self._engine,
            time_limit=self._seconds,
            threads=self._threads,
            workers=self._workers,
        ).unless_interrupted()
        if result.status == Status.UNSOLVABLE and instance.solvable:
            wrong = f"the board is unsolvable: {result.explanation}"
        else:
            wrong = _contradiction(instance, result.length, result.lower_bound)
        if not wrong:
            if result.status in (Status.OPTIMAL, Status.UNSOLVABLE, any_plan and Status.FEASIBLE):
                return
            known = (
                "no optimum is recorded"
                if recorded is None
                else f"the recorded optimum is {recorded}"
            )
            known = known if instance.solvable else "recorded as unsolvable"
            wrong = (
                f"{not_decided(result.lower_bound, result.explanation, 'move')}; {known}\n"
                f"the time limit is {self._seconds:g} s"
            )
        puzzle = instance.problem.puzzle
        said = [wrong, "board:", indent(puzzle.board_text(instance.problem.start), "    ")]
        if result.plan is not None:
            by = f", found by {result.upper_bound_by}" if result.upper_bound_by else ""
            length, plan = counted(len(result.plan), "move"), format_plan(result.plan, puzzle)
            said.append(f"plan of {length}{by}: {plan}")
        if result.lower_bound is not None:
            said.append(f"proved: {at_least(result.lower_bound)} ({result.lower_bound_by})")
        pytest.fail("\n".join(said), pytrace=False)


class _Boards(pytest.File):
    """A file that holds boards, perhaps `found` already; `run` tests one."""

    is_set: bool
    found: Sequence[_Found]
    run: Callable[[_Found], None]

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one item a board; raise `CollectError` for a manifest that cannot be used."""
        try:
            boards: Sequence[_Found] = (
                load_instance_set(self.path.parent).instances
                if self.is_set
                else self.found or _boards_of(self.path)
            )
        except InputError as error:
            raise self.CollectError(f"plansolve: {error}") from None
        for number, board in enumerate(boards, start=1):
            stem = self.path.stem if number == 1 else f"{self.path.stem}#{number}"
            name = board.name if isinstance(board, Board) else stem
            item: _Board = _Board.from_parent(self, name=name)
            item.test = partial(self.run, board)
            yield item


class _Board(pytest.Item):
    test: Callable[[], None]

    def runtest(self) -> None:
        """Fail with words and boards; an error of plansolve is one line."""
        try:
            self.test()
        except PlansolveError as error:
            said = str(error).removeprefix(f"{self.path}: ")
            raise pytest.fail.Exception(said, pytrace=False) from None

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the place of the test, and its name in the heading of a failure."""
        return self.path, None, f"{self.path.name}::{self.name}"


def _files_of_set(manifest: Path) -> frozenset[bytes] | None:
    """Return the files that an instance set names; None for other manifests, or without one."""
    try:
        with manifest.open("rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return None
    return frozenset(_FILE.findall(data)) if _OF_A_SET.search(data) else None


def _boards_of(file: Path) -> list[_Found]:
    return [*BoardReader().boards([str(file)])]


def _contradiction(instance: Board, length: int | None, lower: int | None) -> str:
    """Return how a plan's length or a bound contradicts the record; empty if neither does."""
    recorded = instance.optimal_length
    if not instance.solvable:
        return "" if length is None else f"recorded as unsolvable, but {suffice(length)}"
    if recorded is not None and length is not None and length < recorded:
        return f"{suffice(length)}, but the recorded optimum is {recorded}"
    if recorded is not None and lower is not None and lower > recorded:
        return f"{at_least(lower, 'move')}, but the recorded optimum is {recorded}"
    return ""
