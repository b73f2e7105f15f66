"""Mutexes of pairs of tiles; `pair_times` works out from when and until when they can meet."""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.encoders.lemmas.pair_times import PairTimes

_MOST_ENTRIES = 10_000_000


class PairMutexes:
    """The mutexes of pairs for one problem, where their tables are not too large."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem, cells = problem, problem.puzzle.cells
        self._is_tractable = cells * (cells - 1) // 2 * cells**2 <= _MOST_ENTRIES

    @cached_property
    def _times(self) -> "PairTimes":
        # Only this lemma needs numpy.
        from plansolve.encoders.lemmas.pair_times import PairTimes

        return PairTimes(self._problem)

    def add(self, builder: Builder, layers: Layers) -> None:
        """Forbid the pairs that are too far from an end."""
        for t in range(1, layers.horizon if self._is_tractable else 0):
            self._times.add_mutexes(builder, t, layers.horizon - t, layers.at[t])


PAIR_MUTEX = Lemma(
    name="pair-mutex",
    keeps="every plan",
    argument="two tiles are not in two cells that they cannot reach together in time",
    # Hundreds of thousands of mutexes take CP-SAT longer to read than they save.
    encodings={"permutation": Default(0)},
    tells_apart=True,
    clauses=PairMutexes,
)
