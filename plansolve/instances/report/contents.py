"""The contents of a store, with all plans replayed, and the changes from another store."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from plansolve.errors import StoreError
from plansolve.instances.batch import Outcome
from plansolve.records.board import Attempt, best_attempt
from plansolve.records.records import Records
from plansolve.text import at_least, counted

_TOLD_EACH = 100
"""Boards."""

_TIMES = 2.0
_SECONDS_THAT_MATTER = 1.0
_NODES_THAT_MATTER = 1_000_000


@dataclass
class Contents:
    """The boards of a store with their best attempts, all attempts, and contradictions."""

    path: Path
    results: list[Outcome] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)


def read_contents(path: str, tell: Callable[[int], None] = lambda boards: None) -> Contents:
    """Return the contents of a store; `tell` gets the number of boards so far."""
    with Records(path, must_exist=True) as records:
        contents, seen = Contents(records.path), set[str]()
        for found in records.results():
            if isinstance(found, StoreError):
                contents.contradictions.append(str(found))
                continue
            board, attempts = found
            outcome = Outcome(board, best_attempt(attempts))
            contents.results.append(outcome)
            if board.key not in seen:
                seen.add(board.key)
                contents.attempts += attempts
            if outcome.attempt and (what := outcome.attempt.what_is_wrong(board.problem)):
                contents.contradictions.append(f"{board.full_name}: {what}")
            if len(contents.results) % _TOLD_EACH == 0:
                tell(len(contents.results))
        contents.contradictions += records.contradictions()
    return contents


def is_settled(attempt: Attempt) -> bool:
    """Return True if an attempt has proved what was requested."""
    return attempt.is_proved or attempt.status == "no plan within horizon"


def gaps(attempts: Iterable[Attempt | None]) -> list[tuple[int, int]]:
    """Return lower bound and length of each attempt that has both, but no proof."""
    return [
        (attempt.lower_bound, attempt.length)
        for attempt in attempts
        if attempt is not None
        and not is_settled(attempt)
        and attempt.lower_bound is not None
        and attempt.length is not None
    ]


@dataclass
class Comparison:
    """The changes from an older store to a newer one, as lines, and the number of common boards."""

    common: int = 0
    worse: list[str] = field(default_factory=list)
    better: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)


def compared(new: Iterable[Outcome], old: Iterable[Outcome]) -> Comparison:
    """Compare the best attempts at the problems that both have."""
    before = {result.board.key: result.attempt for result in old}
    comparison = Comparison()
    seen: set[str] = set()
    for result in new:
        key = result.board.key
        earlier, later = before.get(key), result.attempt
        if key in seen or key not in before:
            continue
        seen.add(key)
        comparison.common += 1
        _compare(result.board.full_name, later, earlier, comparison)
    return comparison


def _compare(name: str, new: Attempt | None, old: Attempt | None, comparison: Comparison) -> None:
    if old is None or new is None:
        if new is None and old is not None:
            comparison.worse.append(f"{name}: not attempted, previously {_known(old)}")
        return
    for one, other in ((new, old), (old, new)):
        length, bound = one.length, other.lower_bound
        if length is not None and bound is not None and length < bound:
            comparison.contradictions.append(
                f"{name}: a plan of {counted(length, 'move')} in one store, and in the other "
                f"{at_least(bound)}"
            )
            return
    if (rank := _rank(new)) != (earlier := _rank(old)):
        lines = comparison.better if rank > earlier else comparison.worse
        lines.append(f"{name}: {_known(new)}, previously {_known(old)}")
        return
    for what, now, then, matters in (
        ("seconds", new.seconds, old.seconds, _SECONDS_THAT_MATTER),
        ("nodes", new.nodes or 0, old.nodes or 0, _NODES_THAT_MATTER),
    ):
        if max(now, then) >= matters and max(now, then) >= _TIMES * min(now, then):
            lines = comparison.worse if now > then else comparison.better
            lines.append(f"{name}: {what} {now:.10g}, previously {then:.10g}")


def _rank(attempt: Attempt) -> tuple[bool, bool, int, int]:
    """Return a key that compares outcomes: by proof, plan, its length, and the bound."""
    length = attempt.length
    if is_settled(attempt):
        return True, True, 0, 0
    shortness = 0 if length is None else -length
    return False, length is not None, shortness, attempt.lower_bound or 0


def _known(attempt: Attempt) -> str:
    if attempt.status == "error":
        return "failed"
    if attempt.status == "optimal":
        return f"{counted(attempt.length or 0, 'move')} proved"
    if is_settled(attempt):
        return attempt.status
    plan = "no plan" if attempt.length is None else f"a plan of {attempt.length}"
    return f"{plan}, bound {attempt.lower_bound}"
