"""How large the patterns of a puzzle are: the usual ones, those that are built, and larger ones."""

from abc import ABC, abstractmethod
from functools import cached_property

from plansolve.patterns.placement_build import Pattern, build_seconds
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.storage.store import Store

__all__ = ["PatternSizes"]

_LARGEST_BYTES = 300_000_000


class PatternSizes(ABC):
    """Patterns by their size, in tables that take the bytes of `memory` at most, all together.

    Those of the usual size take `usual_bytes`. Tables take `slowness` times as long to build as
    `build_seconds` says.
    """

    def __init__(
        self, rules: PlacementRules, memory: int | None, usual_bytes: int, slowness: float = 1.0
    ) -> None:
        self._rules, self._usual_bytes, self._slowness = rules, usual_bytes, slowness
        self._room = _LARGEST_BYTES if memory is None else min(memory, _LARGEST_BYTES)

    @abstractmethod
    def patterns(self, size: int) -> list[Pattern]:
        """All patterns of a size."""

    @abstractmethod
    def size_within(self, room: int) -> int:
        """The largest size of which the tables fit into so many bytes."""

    @abstractmethod
    def _are_built(self, size: int, store: Store) -> bool:
        """Whether the tables of a size are in the store."""

    @cached_property
    def usual_size(self) -> int:
        """The largest patterns that are built without a thought."""
        return self.size_within(min(self._usual_bytes, self._room))

    def size(self, store: Store) -> int:
        """The largest patterns whose tables are in the store, or else the usual ones."""
        for size in range(self.size_within(self._room), self.usual_size, -1):
            if self._are_built(size, store):
                return size
        return self.usual_size

    def larger(self, store: Store, threads: int) -> tuple[int, float] | None:
        """The size above the usual one, and the seconds that its tables take to build.

        None where they would be too large. Those that are in the store take no time.
        """
        size = self.usual_size + 1
        if size > self.size_within(self._room):
            return None
        if self._are_built(size, store):
            return size, 0.0
        return size, self._slowness * build_seconds(self._rules, self.patterns(size), threads)
