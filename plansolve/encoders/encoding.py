"""What an encoding is: a way to state "there is a plan of exactly T moves" as a formula."""

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from plansolve.encoders.builder import Builder, Decoder
from plansolve.encoders.lemmas.lemma import Default
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure

__all__ = ["Encoder", "Encoding"]


class Encoder(Protocol):
    """One problem made ready to be encoded with one choice of lemmas."""

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Write "there is a plan of exactly `horizon` moves"; return the decoder of models."""


@dataclass(frozen=True)
class Encoding:
    """One encoding: what it needs of a puzzle's structure, and how it is made ready.

    `prepare(problem, lemmas)` works out the tables that all horizons share.
    """

    name: str
    needs: str
    fits: Callable[[Structure], bool]
    prepare: Callable[[Problem, Collection[str]], Encoder]

    @property
    def lemmas(self) -> frozenset[str]:
        """The lemmas that it knows."""
        return frozenset(self._uses)

    @property
    def default(self) -> frozenset[str]:
        """The lemmas that measure best with SAT solvers on boards of any size."""
        return self.default_for(0)

    @property
    def large_default(self) -> frozenset[str]:
        """Those that join them on larger boards."""
        large = {name for name, use in self._uses.items() if use.from_cells is not None}
        return frozenset(large - self.default)

    @property
    def cpsat_default(self) -> frozenset[str]:
        """The lemmas that measure best with CP-SAT on boards of any size."""
        return self.cpsat_default_for(0)

    @property
    def cpsat_large_default(self) -> frozenset[str]:
        """Those that join them on larger boards."""
        return self.cpsat_default_for(sys.maxsize) - self.cpsat_default

    def cpsat_default_for(self, cells: int) -> frozenset[str]:
        """The lemmas that measure best with CP-SAT on boards of so many cells."""
        return frozenset(n for n in self.default_for(cells) if self._uses[n].with_cpsat)

    def default_for(self, cells: int) -> frozenset[str]:
        """The lemmas that measure best with SAT solvers on boards of so many cells."""
        uses = self._uses.items()
        return frozenset(
            name for name, use in uses if use.from_cells is not None and cells >= use.from_cells
        )

    @property
    def _uses(self) -> dict[str, Default]:
        lemmas = LEMMAS.values()
        return {e.name: e.encodings[self.name] for e in lemmas if self.name in e.encodings}
