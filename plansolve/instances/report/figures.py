"""The figures of a report: for each set and engine how many boards, how long, at what cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from plansolve.records.rows import AttemptRow, BoardResult

__all__ = ["GroupFigures", "figures_by_set_and_engine", "gaps", "is_settled"]


@dataclass(frozen=True)
class GroupFigures:
    """The boards of one set that one engine worked on; times in seconds, lengths in moves.

    `gap` sums up how far plan and bound are apart where both are there and nothing is proved. None
    stands for a mean of nothing.
    """

    set_name: str
    engine: str
    boards: int
    proved: int
    planned: int
    failed: int
    length: float | None
    seconds: float
    median_seconds: float | None
    nodes: int
    gap: int


def figures_by_set_and_engine(results: Iterable[BoardResult]) -> list[GroupFigures]:
    """Return the figures of each set and engine, in the order of the boards."""
    groups: dict[tuple[str, str], list[AttemptRow | None]] = {}
    for result in results:
        engine = "-" if result.attempt is None else result.attempt.engine
        groups.setdefault((result.board.set_name, engine), []).append(result.attempt)
    return [_figures(name, engine, group) for (name, engine), group in groups.items()]


def _figures(set_name: str, engine: str, attempts: Sequence[AttemptRow | None]) -> GroupFigures:
    made = [attempt for attempt in attempts if attempt is not None]
    lengths = [attempt.length for attempt in made if attempt.length is not None]
    seconds = [attempt.seconds for attempt in made]
    return GroupFigures(
        set_name,
        engine,
        boards=len(attempts),
        proved=sum(is_settled(attempt) for attempt in made),
        planned=sum(attempt.status == "feasible" for attempt in made),
        failed=sum(attempt.status == "error" for attempt in made),
        length=mean(lengths) if lengths else None,
        seconds=sum(seconds),
        median_seconds=median(seconds) if seconds else None,
        nodes=sum(attempt.nodes or 0 for attempt in made),
        gap=sum(upper - lower for lower, upper in gaps(made)),
    )


def is_settled(attempt: AttemptRow) -> bool:
    """Return whether an attempt has proved what it was asked."""
    return attempt.is_proved or attempt.status == "no plan within horizon"


def gaps(attempts: Iterable[AttemptRow | None]) -> list[tuple[int, int]]:
    """Return lower bound and length of each attempt that has both and proves nothing more."""
    return [
        (attempt.lower_bound, attempt.length)
        for attempt in attempts
        if attempt is not None
        and not is_settled(attempt)
        and attempt.lower_bound is not None
        and attempt.length is not None
    ]
