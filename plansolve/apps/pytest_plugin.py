"""A pytest plugin: with `--plansolve` boards are tests, one for each board (docs/how-to/pytest.md).

Pytest loads this module in every project of an environment, so until boards are asked for it
brings in nothing but the standard library, and no hook of its own is at work.
"""

import argparse
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from plansolve.text import at_least, counted, suffice

if TYPE_CHECKING:
    from plansolve.claims.diagnosis import Diagnosis
    from plansolve.instances.instance_set import Instance
    from plansolve.model.puzzle import Puzzle, State
    from plansolve.solvers.processes.workers import Workers
    from plansolve.solvers.result import Result

__all__ = ["pytest_addoption", "pytest_configure"]

_BOARDS = ("*.puz", "*.plansolve.json")
_MANIFEST = "manifest.json"
_IS_MANIFEST = re.compile(rb'"schema"\s*:\s*"plansolve\.instances/')
_MOST_BYTES = 64 << 20
_MOST_SHOWN = 400


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; all of them begin with `--plansolve`."""
    group = parser.getgroup("plansolve", "boards of tile puzzles as tests (plansolve)")
    group.addoption(
        "--plansolve",
        action="store_true",
        help=f"collect boards: instance sets ({_MANIFEST}) and {' '.join(_BOARDS)}",
    )
    group.addoption(
        "--plansolve-engine",
        metavar="NAME",
        default="auto",
        help="the engine that solves the boards (default: auto; see plansolve engines)",
    )
    group.addoption(
        "--plansolve-time-limit",
        metavar="SECONDS",
        type=_seconds,
        default=60.0,
        help="for each board; a board that is not decided then is a failure (default: 60)",
    )
    group.addoption(
        "--plansolve-optimal",
        action="store_true",
        help="boards without a recorded optimum have to be proved as well, not only solved",
    )
    group.addoption(
        "--plansolve-check",
        action="store_true",
        help="solve nothing: check the plans NAME.plan that lie beside the boards",
    )
    group.addoption(
        "--plansolve-glob",
        metavar="PATTERN",
        action="append",
        type=_pattern,
        default=[],
        help="collect files of such names too, for example '*.tws'; may be given several times",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set the collection of boards to work where `--plansolve` asks for it."""
    if config.getoption("plansolve"):
        config.pluginmanager.register(_Collecting(_Task.of(config)), "plansolve-collecting")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _pattern(text: str) -> str:
    if not Path(text).parts:
        raise argparse.ArgumentTypeError(f"{text!r} is not a pattern of file names such as '*.tws'")
    return text


@dataclass(frozen=True)
class _Task:
    """What is done with each board; `threads` is None for all cores."""

    engine: str
    seconds: float
    must_prove: bool
    only_check: bool
    patterns: tuple[str, ...]
    threads: int | None

    @classmethod
    def of(cls, config: pytest.Config) -> "_Task":
        """Return the task that the options set; raise `UsageError` where they make no sense."""
        from plansolve.errors import OptionError
        from plansolve.solvers.engine.registry import find_engine

        engine = config.getoption("plansolve_engine")
        must_prove = config.getoption("plansolve_optimal")
        only_check = config.getoption("plansolve_check")
        try:
            if engine != "auto" and not find_engine(engine).proves:
                raise OptionError(f"engine {engine} proves nothing: choose another, or auto")
        except OptionError as error:
            raise pytest.UsageError(f"--plansolve-engine: {error}") from None
        if must_prove and only_check:
            raise pytest.UsageError(
                "--plansolve-check solves nothing, so --plansolve-optimal cannot go with it"
            )
        return cls(
            engine,
            config.getoption("plansolve_time_limit"),
            must_prove,
            only_check,
            (*_BOARDS, *config.getoption("plansolve_glob")),
            # The processes of pytest-xdist share the cores.
            1 if hasattr(config, "workerinput") else None,
        )


class _Collecting:
    """The hooks of a run with `--plansolve`, and the processes that solve its boards."""

    def __init__(self, task: _Task) -> None:
        self._task = task
        self._stack = ExitStack()
        self._listed: dict[Path, frozenset[str]] = {}

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Return a collector for a manifest of an instance set, or for the file of one board."""
        if _is_manifest(file_path):
            return _Manifest.from_parent(parent, path=file_path, run=self.run)
        if any(file_path.match(pattern) for pattern in self._task.patterns) and (
            parent.session.isinitpath(file_path) or not self._is_listed(file_path)
        ):
            return _BoardFile.from_parent(parent, path=file_path, run=self.run)
        return None

    def pytest_unconfigure(self) -> None:
        """End the processes."""
        self._stack.close()

    def run(self, instance: "Instance", plan: Path) -> None:
        """Test one board; `plan` is where its plan lies, if it has one."""
        if self._task.only_check:
            _check(instance, plan)
        else:
            _compare(instance, self._solved(instance), self._task)

    def _solved(self, instance: "Instance") -> "Result":
        from plansolve.solvers.engine.solve import solve
        from plansolve.solvers.protocol import NO_PLAN

        unknown = instance.optimal_length is None and instance.solvable
        any_plan = unknown and not self._task.must_prove
        result = solve(
            instance.problem,
            optimal=not any_plan,
            # With a horizon the first plan is enough.
            max_horizon=NO_PLAN - 1 if any_plan else None,
            engine=self._task.engine,
            time_limit=self._task.seconds,
            threads=self._task.threads,
            workers=self._workers,
        )
        return result.unless_interrupted()

    @cached_property
    def _workers(self) -> "Workers":
        # Tables and compiled kernels stay loaded from one board to the next.
        from plansolve.solvers.processes.workers import Workers

        return self._stack.enter_context(Workers())

    def _is_listed(self, path: Path) -> bool:
        """Whether the set in the same folder has this file among its boards, once is enough."""
        folder = path.parent
        if folder not in self._listed:
            self._listed[folder] = _files_of(folder / _MANIFEST)
        return path.name in self._listed[folder]


class _Boards(pytest.File):
    """A file that holds boards; `run` tests one, with the path where its plan would lie."""

    def __init__(self, *, run: Callable[["Instance", Path], None], **node: Any) -> None:
        super().__init__(**node)
        self._run = run


class _Manifest(_Boards):
    """The boards of an instance set."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one item a board; raise `CollectError` for a manifest that cannot be used."""
        from plansolve.errors import InputError
        from plansolve.instances.instance_set import load_instance_set

        try:
            instances = load_instance_set(self.path.parent).instances
        except InputError as error:
            raise self.CollectError(f"plansolve: {error}") from None
        for instance in instances:
            plan = self.path.parent / f"{instance.name.replace('/', '_')}.plan"
            yield _Board.from_parent(
                self, name=instance.name, test=partial(self._run, instance, plan)
            )


class _BoardFile(_Boards):
    """A file with one board, of which nothing is recorded."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the one item; the file is read when it is run."""
        yield _Board.from_parent(self, name=self.path.stem, test=self._test)

    def _test(self) -> None:
        from plansolve.formats import MAX_BYTES, decode_text, read_problem
        from plansolve.instances.instance_set import Instance

        problem = read_problem(decode_text(_bytes_of(self.path, MAX_BYTES)))
        self._run(
            Instance(self.path.stem, problem, None, True, None), self.path.with_suffix(".plan")
        )


class _Board(pytest.Item):
    """The test of one board."""

    def __init__(self, *, test: Callable[[], None], **node: Any) -> None:
        super().__init__(**node)
        self._test = test

    def runtest(self) -> None:
        """Fail with words and boards; what plansolve raises on purpose is one line."""
        from plansolve.errors import PlansolveError

        try:
            self._test()
        except PlansolveError as error:
            message = str(error)
        else:
            return
        # Outside, or pytest would show the error a second time, as the cause of the failure.
        _fail(message)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return where the test stands, and its name in the heading of a failure."""
        return self.path, None, f"{self.path.name}::{self.name}"


def _is_manifest(path: Path) -> bool:
    """Whether this is meant to be the manifest of an instance set; others have such names too."""
    if path.name != _MANIFEST:
        return False
    try:
        with path.open("rb") as file:
            return _IS_MANIFEST.search(file.read(_MOST_BYTES)) is not None
    except OSError:
        return False


def _files_of(manifest: Path) -> frozenset[str]:
    """Return the files that an instance set names; its faults are told when it is collected."""
    if not _is_manifest(manifest):
        return frozenset()
    try:
        entries = json.loads(manifest.read_bytes())["instances"]
        return frozenset(name for entry in entries if isinstance(name := entry.get("file"), str))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return frozenset()


def _bytes_of(path: Path, most: int) -> bytes:
    from plansolve.errors import BoardError

    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise BoardError(f"{path.name} cannot be read: {error.strerror}") from None


def _compare(instance: "Instance", result: "Result", task: _Task) -> None:
    """Fail where the result contradicts what is recorded, or decides too little."""
    from plansolve.solvers.result import Status
    from plansolve.solvers.result_text import not_decided

    recorded = instance.optimal_length
    if result.status == Status.UNSOLVABLE and instance.solvable:
        contradiction = f"the board is unsolvable: {result.explanation}"
    else:
        contradiction = _contradiction(instance, result.length, result.lower_bound)
    if contradiction:
        _fail(contradiction, *_evidence(instance, result))
    enough = {Status.OPTIMAL, Status.UNSOLVABLE}
    if instance.solvable and recorded is None and not task.must_prove:
        enough.add(Status.FEASIBLE)
    if result.status in enough:
        return
    if not instance.solvable:
        known = "recorded as unsolvable"
    else:
        known = "no optimum is recorded" if recorded is None else f"{recorded} are recorded"
    _fail(
        f"{not_decided(result.lower_bound, result.explanation, 'move')}; {known}",
        f"the time limit is {task.seconds:g} s",
        *_evidence(instance, result),
    )


def _contradiction(instance: "Instance", length: int | None, lower: int | None) -> str:
    """Return how a plan's length or a bound contradicts the record; empty where neither does."""
    recorded = instance.optimal_length
    if not instance.solvable:
        return "" if length is None else f"recorded as unsolvable: {suffice(length)}"
    if recorded is not None and length is not None and length < recorded:
        return f"{suffice(length)}: {recorded} are recorded as the optimum"
    if recorded is not None and lower is not None and lower > recorded:
        return f"{at_least(lower, 'move')}: {recorded} are recorded as the optimum"
    return ""


def _evidence(instance: "Instance", result: "Result") -> Iterator[str]:
    """Yield the board, the best plan and the bounds."""
    puzzle = instance.problem.puzzle
    yield f"board:\n{_shown_board(puzzle, instance.problem.start)}"
    if result.plan is not None:
        by = f", found by {result.upper_bound_by}" if result.upper_bound_by else ""
        yield f"plan of {counted(len(result.plan), 'move')}{by}: {_shown_plan(result.plan)}"
    if result.lower_bound is not None:
        yield f"proved: {at_least(result.lower_bound)} ({result.lower_bound_by})"


def _check(instance: "Instance", path: Path) -> None:
    """Fail where the plan is illegal, ends elsewhere, or is not as long as recorded."""
    from plansolve.claims.diagnosis import diagnose
    from plansolve.errors import PlanError
    from plansolve.formats.extract import decode_plan, read_plan_file
    from plansolve.formats.notation import MAX_PLAN

    if not os.path.exists(path):  # unlike Path.exists, for names of any length
        pytest.skip(f"there is no plan {path.name} beside it")
    problem, recorded = instance.problem, instance.optimal_length
    try:
        found = read_plan_file(decode_plan(_bytes_of(path, MAX_PLAN)), problem.puzzle)
    except PlanError as error:
        raise PlanError(f"{path.name}: {error}") from None
    diagnosis = diagnose(problem, found.plan, found.convention)
    length = len(found.plan)
    if not diagnosis.verdict.solves:
        _fail(*_first_fault(diagnosis))
    wrong = _contradiction(instance, length, None)
    if recorded is not None and length > recorded:
        more = length - recorded
        wrong = f"the plan has {counted(length, 'move')}, {more} more than the {recorded} recorded"
    if not wrong:
        return
    _fail(
        wrong,
        f"board:\n{_shown_board(problem.puzzle, problem.start)}",
        f"plan: {_shown_plan(diagnosis.told(found.plan))}",
    )


def _first_fault(diagnosis: "Diagnosis") -> Iterator[str]:
    """Yield why a plan does not solve the board, where that shows, and how it would be right."""
    problem, verdict = diagnosis.problem, diagnosis.verdict
    puzzle = problem.puzzle
    if (bad := verdict.illegal) is not None:
        yield f"step {bad.step} of {verdict.length} is illegal: {bad.reason}"
        where = f"before step {bad.step}"
    else:
        yield (
            f"the plan does not reach the goal: {verdict.placed} of {puzzle.goal_tiles} tiles are "
            f"in place after {counted(verdict.length, 'move')}"
        )
        where = "at the end"
    yield f"board:\n{_shown_board(puzzle, problem.start)}"
    yield f"plan: {_shown_plan(diagnosis.told(diagnosis.plan))}"
    yield f"board {where}:\n{_shown_board(puzzle, verdict.board)}"
    yield f"goal:\n{_shown_board(puzzle, problem.goal)}"
    for reading in diagnosis.other_readings:
        yield f"the plan is {reading.told(diagnosis.convention)}"


def _fail(headline: str, *rest: str) -> NoReturn:
    pytest.fail("\n".join((headline, *rest)), pytrace=False)


def _shown_board(puzzle: "Puzzle", board: "State") -> str:
    return "\n".join(f"    {row}" for row in puzzle.board_text(board).split("\n"))


def _shown_plan(names: Sequence[str]) -> str:
    text = ("" if all(len(name) == 1 for name in names) else " ").join(names) or "(no moves)"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} ..."
