"""What is told while the work goes on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from plansolve.solvers.protocol import HorizonRecord

__all__ = ["Event", "EventKind", "Progress"]

EventKind: TypeAlias = Literal["choice", "trying", "waiting", "bound", "plan", "note"]


@dataclass(frozen=True)
class Event:
    """Something to tell while the work goes on, of the engine that does it.

    >>> import plansolve
    >>> events = []
    >>> result = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]], progress=events.append)
    >>> events[-1].lower_bound, events[-1].upper_bound
    (5, 5)

    "choice" tells which engines work and why, "trying" is the length that comes next, "bound" a
    lower bound that was raised, "plan" a better plan, "note" something that takes long and happens
    once, and "waiting" comes some times a second. Both bounds are the best ones known;
    `upper_bound` is None without a plan. `record` holds the figures of the horizon that ended, and
    `counts` those of the engine since its start.
    """

    kind: EventKind
    engine: str
    lower_bound: int
    upper_bound: int | None
    trying: int = 0
    note: str = ""
    record: HorizonRecord | None = None
    counts: Mapping[str, Any] = field(default_factory=dict)


Progress: TypeAlias = Callable[[Event], None]
