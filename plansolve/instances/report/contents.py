"""What a store holds, read with distrust: plans are replayed, and bounds are its own word."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plansolve.errors import InputError
from plansolve.formats import read_problem
from plansolve.formats.identity import problem_key
from plansolve.records.records import Records
from plansolve.records.rows import AttemptRow, BoardResult, Contradiction
from plansolve.solvers.engine.batch import forged_plan

__all__ = ["Contents", "read_contents"]

_TOLD_EACH = 100
"""Boards."""


@dataclass
class Contents:
    """The boards of a store, each with its best attempt; all attempts; and what contradicts itself
    there.
    """

    path: Path
    results: list[BoardResult] = field(default_factory=list)
    attempts: list[AttemptRow] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)


def read_contents(path: str, tell: Callable[[int], None] = lambda boards: None) -> Contents:
    """Return what the store has, all plans replayed; raise `StoreError` for one that is none.

    `tell` is told how many boards have been read, now and then: a thousand take a second or two.
    """
    with Records(path, must_exist=True) as records:
        contents, seen = Contents(records.path), set[str]()
        for result in records.results():
            contents.results.append(result)
            if result.problem.key not in seen:
                seen.add(result.problem.key)
                contents.attempts += records.attempts(result.problem.key)
            contents.contradictions += _forged(result)
            if len(contents.results) % _TOLD_EACH == 0:
                tell(len(contents.results))
        contents.contradictions += records.contradictions()
    return contents


def _forged(result: BoardResult) -> Iterator[Contradiction]:
    """Yield what is wrong with a row by itself."""
    name = f"{result.board.set_name}/{result.board.name}"
    try:
        problem = read_problem(result.problem.text)
    except InputError as error:
        yield Contradiction(name, result.problem.key, f"its board cannot be read: {error}")
        return
    if problem_key(problem) != result.problem.key:
        yield Contradiction(name, result.problem.key, "its board is not the one of its key")
    elif result.attempt is not None and (what := forged_plan(problem, result.attempt)):
        yield Contradiction(name, result.problem.key, what)
