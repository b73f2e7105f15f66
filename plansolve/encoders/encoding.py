"""The interface of encodings, which state "there is a plan of exactly T moves" as a formula."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from plansolve.encoders.builder import Builder, Decoder
from plansolve.encoders.lemmas.lemma import Default
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure


class Encoder(Protocol):
    """Encodes one problem with one choice of lemmas."""

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Write "there is a plan of exactly `horizon` moves"; return the decoder of models."""


@dataclass(frozen=True)
class Encoding:
    """One encoding: the structure that it needs, and how its encoders are prepared.

    `prepare(problem, lemmas)` computes the tables that all horizons share.
    """

    name: str
    needs: str
    fits: Callable[[Structure], bool]
    prepare: Callable[[Problem, Collection[str]], Encoder]

    @property
    def lemmas(self) -> frozenset[str]:
        """The lemmas that it supports."""
        return frozenset(self._uses)

    def default(self, cells: int = 0, engine: str = "cnf") -> frozenset[str]:
        """Return the lemmas that are fastest with an engine on boards of so many cells."""
        return frozenset(
            name
            for name, use in self._uses.items()
            if use.from_cells is not None
            and cells >= use.from_cells
            and (use.with_cpsat or engine != "cp-sat")
        )

    @property
    def _uses(self) -> dict[str, Default]:
        lemmas = LEMMAS.values()
        return {e.name: e.encodings[self.name] for e in lemmas if self.name in e.encodings}
