"""Mutexes of pairs of tiles; `pair_times` works out from when and until when they can meet."""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.pair_times import PairTimes
    from plansolve.encoders.lemmas.triple_times import TripleTimes

__all__ = ["PAIR_MUTEX"]


class Mutexes:
    """The mutexes of pairs for one problem, and those of triples on top of them."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem, self._has_triples = problem, bool(on_top)

    @cached_property
    def _pairs(self) -> "PairTimes | None":
        # Only these lemmas need numpy.
        from plansolve.encoders.lemmas.pair_times import PairTimes, are_pairs_tractable

        tractable = are_pairs_tractable(self._problem.puzzle.cells)
        return PairTimes(self._problem) if tractable else None

    @cached_property
    def _triples(self) -> "TripleTimes":
        from plansolve.encoders.lemmas.triple_times import TripleTimes

        assert self._pairs is not None
        return TripleTimes(self._pairs)

    def add(self, builder: Builder, layers: Layers) -> None:
        """Forbid pairs, and triples where they are worthwhile, that are too far from an end."""
        horizon = layers.horizon
        if self._pairs is None:
            return
        for t in range(1, horizon):
            self._pairs.add_mutexes(builder, t, horizon - t, layers.at[t])
        if not self._has_triples:
            return
        from plansolve.encoders.lemmas.triple_times import are_triples_worthwhile

        if are_triples_worthwhile(horizon):
            for t in range(1, horizon):
                self._triples.add_mutexes(builder, t, horizon - t, layers.at[t])


PAIR_MUTEX = Lemma(
    name="pair-mutex",
    keeps="every plan",
    argument="two tiles are not in two cells that they cannot reach together in time",
    # Hundreds of thousands of mutexes take CP-SAT longer to read than they save.
    encodings={"permutation": Default(0)},
    tells_apart=True,
    clauses=Mutexes,
)
