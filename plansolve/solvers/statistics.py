"""How a result came about."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from reprlib import repr as brief
from typing import Any

from plansolve.errors import ResultError
from plansolve.solvers.protocol import HorizonRecord, Options

__all__ = ["Statistics", "read_statistics"]


_TYPES: Mapping[str, Any] = {
    "initial_bound": int,
    "initial_bound_by": str,
    "first_horizon": int,
    "counts": dict,
    "seconds": int | float,
    "plan_technique": str,
    "bound_technique": str,
}


_RECORD: Mapping[str, Any] = {
    "engine": str,
    "horizon": int,
    "refuted": bool,
    "variables": int,
    "constraints": int,
    "conflicts": int | None,
    "cubes": int,
    "encode_seconds": int | float,
    "solve_seconds": int | float,
    "boards": int,
    "by_search": bool,
}


@dataclass(frozen=True)
class Statistics:
    """How a result came about; empty where no engine had to work.

    `initial_bound` is the lower bound before any search, `first_horizon` the least length that
    parity allows from there on. `counts` holds the figures of each engine, ready for JSON. `choice`
    says why the engines of `tracks` were chosen; a track's engines work one after the other.
    `plan_technique` and `bound_technique` say more closely than the engines' names what found the
    plan and proved the lower bound.
    `options` are those of the formula engine that took part, `horizons` what it came to.
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
        """The lengths of which a formula engine has proved that no plan has them."""
        return [record.horizon for record in self.horizons if record.refuted]

    @property
    def refuted_by_search(self) -> list[int]:
        """Those of them that breadth-first search has refuted, without a solver."""
        return [record.horizon for record in self.horizons if record.refuted and record.by_search]

    @property
    def conflicts(self) -> int:
        """The conflicts of all formulas, as far as they were counted."""
        return sum(record.conflicts or 0 for record in self.horizons)

    def nodes_by_bound(self, engine: str) -> Mapping[int, int]:
        """How many boards a search by rounds has visited within each bound; empty for others."""
        rounds = self.counts.get(engine, {}).get("nodes_by_bound", {})
        return {int(bound): count for bound, count in rounds.items()}

    def document(self) -> dict[str, Any]:
        """The statistics as they stand in the JSON document of a result."""
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
        # Kept for those who read it: no engine tells of its rounds one by one.
        return document | {"rounds": []}


def read_statistics(document: object) -> Statistics:
    """Return the statistics that `document()` gives; raise `ResultError` for wrong types.

    Keys that are not known here are left out: they may come from a later version.
    """
    if document == {}:
        return Statistics()
    if not isinstance(document, dict):
        raise ResultError(f"statistics: an object is expected, not {brief(document)}")
    fields: dict[str, Any] = {}
    for key, kind in _TYPES.items():
        fields[key] = value = document.get(key)
        if not _fits(value, kind):
            raise ResultError(f"statistics: {key} is missing or of a wrong type: {brief(value)}")
    if not all(isinstance(counts, dict) for counts in fields["counts"].values()):
        raise ResultError("statistics: counts are objects, one for each engine")
    if "choice" in document:
        fields |= _choice(document["choice"])
    if "horizons" in document:
        fields |= _formula(document)
    return Statistics(**fields)


def _choice(choice: object) -> dict[str, Any]:
    match choice:
        case {"reason": str(reason), "tracks": list(tracks)} if all(map(_are_names, tracks)):
            return {"choice": reason, "tracks": tuple(map(tuple, tracks))}
    raise ResultError(f"statistics: choice is not a reason and tracks: {brief(choice)}")


def _formula(document: Mapping[str, Any]) -> dict[str, Any]:
    backend, encoding = (document.get(key) for key in ("backend", "encoding"))
    lemmas, horizons = document.get("lemmas"), document["horizons"]
    are_texts = all(isinstance(name, str | None) for name in (backend, encoding))
    if not are_texts or not _are_names(lemmas):
        raise ResultError("statistics: back end, encoding and lemmas are names")
    if not isinstance(horizons, list) or not all(map(_is_record, horizons)):
        raise ResultError("statistics: horizons are objects with the figures of a formula")
    return {
        "options": Options(backend, encoding, tuple(lemmas or ())),
        "horizons": tuple(HorizonRecord(**record) for record in horizons),
    }


def _are_names(names: object) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def _is_record(record: object) -> bool:
    return (
        isinstance(record, dict)
        and record.keys() == _RECORD.keys()
        and all(_fits(value, _RECORD[key]) for key, value in record.items())
    )


def _fits(value: object, kind: Any) -> bool:
    # To Python, true and false are whole numbers.
    return isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
