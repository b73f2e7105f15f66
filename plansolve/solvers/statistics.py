"""The statistics of a result."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from plansolve.json_reader import Seconds, Whole, read
from plansolve.solvers.protocol import HorizonRecord, Options


@dataclass(frozen=True)
class Statistics:
    """The statistics of a result; empty if no engine was needed.

    `initial_bound` is the lower bound before any search, `first_horizon` the least length that
    parity allows from there on. `counts` holds the figures of each engine, ready for JSON. `choice`
    says why the engines of `tracks` were chosen; a track's engines work one after the other.
    `plan_technique` and `bound_technique` describe the method that found the plan and proved the
    lower bound. `options` are those of the formula engine that took part, `horizons` its outcomes.
    """

    initial_bound: int = 0
    initial_bound_by: str = ""
    first_horizon: int = 0
    seconds: float = 0.0
    counts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choice: str = ""
    tracks: tuple[tuple[str, ...], ...] = ()
    plan_technique: str = ""
    bound_technique: str = ""
    options: Options | None = None
    horizons: tuple[HorizonRecord, ...] = ()

    @property
    def refuted(self) -> list[int]:
        """The lengths that formula engines have excluded."""
        return [record.horizon for record in self.horizons if record.refuted]

    @property
    def refuted_by_search(self) -> list[int]:
        """Those of them that breadth-first search excluded, without a solver."""
        return [record.horizon for record in self.horizons if record.refuted and record.by_search]

    @property
    def conflicts(self) -> int:
        """The conflicts of all formulas, as far as they were counted."""
        return sum(record.conflicts or 0 for record in self.horizons)

    def nodes_by_bound(self, engine: str) -> Mapping[int, int]:
        """Return the number of nodes of each round of a search, by its f-limit."""
        rounds = self.counts.get(engine, {}).get("nodes_by_bound", {})
        return {int(bound): count for bound, count in rounds.items()}

    def document(self) -> dict[str, Any]:
        """Return the statistics as they stand in the JSON document of a result."""
        if not self.initial_bound_by:
            return {}
        document: dict[str, Any] = {
            "initial_bound": self.initial_bound,
            "initial_bound_by": self.initial_bound_by,
            "first_horizon": self.first_horizon,
            "counts": {engine: dict(counts) for engine, counts in self.counts.items()},
            "seconds": self.seconds,
            "plan_technique": self.plan_technique,
            "bound_technique": self.bound_technique,
        }
        if self.choice:
            document["choice"] = {"reason": self.choice, "tracks": [*map(list, self.tracks)]}
        if self.options is not None:
            document |= {
                "backend": self.options.backend,
                "encoding": self.options.encoding,
                "lemmas": list(self.options.lemmas or ()),
                "refuted": self.refuted,
                "conflicts": self.conflicts,
                "horizons": [asdict(record) for record in self.horizons],
            }
        return document


@dataclass(frozen=True)
class _Choice:
    """The engines that `auto` chose, and why."""

    reason: str
    tracks: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Document:
    """The keys of `Statistics.document` if an engine had to work.

    `refuted` and `conflicts` follow from `horizons`.
    """

    initial_bound: Whole
    initial_bound_by: str
    first_horizon: Whole
    counts: Mapping[str, Mapping[str, Any]]
    seconds: Seconds
    plan_technique: str
    bound_technique: str
    choice: _Choice | None = None
    backend: str | None = None
    encoding: str | None = None
    lemmas: tuple[str, ...] = ()
    refuted: tuple[Whole, ...] = ()
    conflicts: Whole = 0
    horizons: tuple[HorizonRecord, ...] | None = None


def read_statistics(value: object, place: str) -> Statistics:
    """Return the statistics of `document()`; raise `JsonError` with the place for anything else."""
    if value == {}:
        return Statistics()
    found = read(_Document, value, place)
    by_formula = found.horizons is not None
    return Statistics(
        initial_bound=found.initial_bound,
        initial_bound_by=found.initial_bound_by,
        first_horizon=found.first_horizon,
        seconds=found.seconds,
        counts=found.counts,
        choice=found.choice.reason if found.choice else "",
        tracks=found.choice.tracks if found.choice else (),
        plan_technique=found.plan_technique,
        bound_technique=found.bound_technique,
        options=Options(found.backend, found.encoding, found.lemmas) if by_formula else None,
        horizons=found.horizons or (),
    )
