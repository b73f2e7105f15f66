"""How bidirectional search divides a horizon between its two sides."""

import math
from collections.abc import Iterator

__all__ = ["Side", "Split"]

_GROWTH = 2.5
_LEAST_GROWTH, _MOST_GROWTH = 1.2, 5.0
_FEW = 1000


class Side:
    """How the work of one side grows with its threshold, from what was measured.

    `seconds_each` is the time for a board or node.
    """

    def __init__(self, seconds_each: float) -> None:
        self._seconds_each = seconds_each
        self._sizes: dict[int, int] = {}

    def measured(self, threshold: int, size: int, seconds: float) -> None:
        """Takes notice of how many boards or nodes there were, and of the time that they took."""
        self._sizes[threshold] = max(size, 1)
        if size >= 100 * _FEW:
            self._seconds_each = seconds / size

    def size(self, threshold: int) -> float:
        """The number that is to be expected."""
        known = [t for t in self._sizes if t <= threshold]
        if not known:
            return min(self._sizes.values(), default=1)
        last = max(known)
        earlier = [t for t in known if t < last and self._sizes[t] >= _FEW]
        growth = _GROWTH
        if earlier:
            ratio = self._sizes[last] / self._sizes[max(earlier)]
            growth = ratio ** (1 / (last - max(earlier)))
        growth = min(max(growth, _LEAST_GROWTH), _MOST_GROWTH)
        exponent = min((threshold - last) * math.log(growth), 200.0)
        return self._sizes[last] * math.exp(exponent)

    def seconds(self, threshold: int) -> float:
        """The time that is to be expected."""
        return self._seconds_each * self.size(threshold)


class Split:
    """Chooses the threshold of the backward side, such that both together are done soon."""

    def __init__(self) -> None:
        self.backward, self.forward = Side(4e-7), Side(1e-7)
        self._ceiling: int | None = None

    @staticmethod
    def total(horizon: int) -> int:
        """What both thresholds add up to."""
        return 2 * horizon - 1

    def refuse(self, threshold: int) -> None:
        """Takes notice that so large a backward side does not fit into the memory."""
        self._ceiling = threshold - 1

    def choose(self, horizon: int, present: int | None, most_states: int) -> int:
        """The threshold of the backward side; `present` is that of the one there is.

        It is never below the present one, which costs nothing.
        """
        total = self.total(horizon)
        if present is None:
            half = total // 2
            return half if self._ceiling is None else min(half, self._ceiling)

        def seconds(threshold: int) -> float:
            anew = 0.0 if threshold == present else self.backward.seconds(threshold)
            return anew + self.forward.seconds(total - threshold)

        return min(self._candidates(present, total, most_states), key=seconds)

    def _candidates(self, present: int, total: int, most_states: int) -> Iterator[int]:
        yield present
        threshold = present + 1
        while (
            threshold <= total
            and (self._ceiling is None or threshold <= self._ceiling)
            and self.backward.size(threshold) <= most_states
        ):
            yield threshold
            threshold += 1
