"""Clauses about waste: how many moves there are beyond those that the distances demand.

Each tile is some number of moves from home, were it alone. A move takes one tile to a cell from
which it has at most one move less to go; its *waste* is 1 + what it adds to the sum of these
distances, and is 0 or more. Over a plan of T moves the waste adds up to T - sum at the start. The
total in units is W; where each waste is even the unit may be 2.

A legend counts the waste of a plan by events. If it speaks of at most L units a move, each move has
L events: its waste is 1 unit or more, 2 or more, and so on to L. The events of the first move come
first, then those of the second, and so on. N(e) is the number of the first e events that happen:
so N(t * L) is the waste of the first t moves. With L = 2 and the wastes 0, 2, 1 the events are
no no, yes yes, yes no; N(2) = 0, N(4) = 2, N(6) = 3 = W.

What a board forces beyond the distances is waste that is still to come, so N and that are at most W
together.
"""

from collections.abc import Sequence
from typing import NamedTuple

from plansolve.certcheck.justify.legend import CONFLICT, COUNT, EXCESS, SUM, WASTE, Legend
from plansolve.certcheck.justify.rules import Rules

__all__ = ["Waste"]

_MOST_LITERALS = 256


class _Sum(NamedTuple):
    """The fact that N(e) and those of `several` that hold are `least` or more together."""

    event: int
    several: frozenset[int]
    least: int


class Waste:
    """The waste of plans of `horizon` moves.

    `total` is None where the rules do not fit it, and negative where there is no such plan.
    """

    def __init__(self, rules: Rules, legend: Legend, horizon: int) -> None:
        self._rules, self._legend = rules, legend
        self.levels = max(1, int(legend.row[legend.kind == WASTE, 1].max(initial=0)))
        self._events = horizon * self.levels
        self.total = self._total(horizon)
        self._known: dict[tuple[int, frozenset[int]], bool] = {}

    def _total(self, horizon: int) -> int | None:
        rules, unit = self._rules, self._legend.unit
        if rules.arcs is None:
            return None
        problem = rules.problem
        wastes = {
            rules.waste(tile, target, blank)
            for blank, targets in enumerate(rules.arcs)
            for target in targets
            for tile in problem.puzzle.tiles
        } - {None}
        most_waste = rules.most_waste(horizon)
        total, rest = divmod(most_waste, unit)
        most = max((w for w in wastes if w is not None), default=0)
        if any(w is not None and w % unit for w in wastes):
            return None
        if rest or total < 0:
            return -1
        # A waste of more units than the legend knows would not be counted in full.
        return total if self.levels * unit >= min(most, most_waste) else None

    def is_true(self, clause: Sequence[int]) -> bool:
        """Whether a clause of wastes, counts, sums, excesses and conflicts holds for all plans."""
        if self.total is None or len(clause) > _MOST_LITERALS:
            return False
        kinds = {int(self._legend.kind[abs(literal)]) for literal in clause}
        if kinds <= {WASTE, COUNT}:
            return self._is_counted(clause)
        return kinds <= {COUNT, SUM, EXCESS, CONFLICT} and self._is_within(clause)

    def _is_counted(self, clause: Sequence[int]) -> bool:
        """Try all values of N(e), and whether event e happens."""
        facts = [(*self._meaning(abs(x)), x < 0) for x in clause]
        events = {a * self.levels + b - 1 for kind, a, b, _ in facts if kind == WASTE}
        counts = {a for kind, a, _, _ in facts if kind == COUNT}
        if not counts:
            return self._are_of_one_move(facts)
        event = min({*counts, *events})
        if len(events) > 1 or not events <= {event} or not counts <= {event, event + 1}:
            return False
        if max({*counts, *events}) > self._events:
            return False
        for number in range(self._least(event), min(event, self.total or 0) + 1):
            for happens in (False, True):
                after = number + happens
                if event + 1 <= self._events and not (
                    self._least(event + 1) <= after <= (self.total or 0)
                ):
                    continue
                if all(
                    (happens if kind == WASTE else (number if a == event else after) >= b) == holds
                    for kind, a, b, holds in facts
                ):
                    return False
        return True

    def _are_of_one_move(self, facts: Sequence[tuple[int, int, int, bool]]) -> bool:
        """Whether a move is said to waste so much, and not to waste less."""
        return any(
            (t, holds, denied) == (other, True, False) and less <= much
            for _, t, much, holds in facts
            for _, other, less, denied in facts
        )

    def _least(self, event: int) -> int:
        """N(event) or more: the events that follow are too few to leave it less."""
        return max(0, (self.total or 0) - (self._events - event))

    def _is_within(self, clause: Sequence[int]) -> bool:
        """Whether what is counted and what is forced cannot be so much, or cannot be so little."""
        total = self.total or 0
        sums, denied, forced = list[_Sum](), list[_Sum](), set[int]()
        for literal in clause:
            kind, a, b = self._meaning(abs(literal))
            if kind in (COUNT, SUM):
                several = self._list(abs(literal)) if kind == SUM else ()
                (sums if literal < 0 else denied).append(_Sum(a, frozenset(several), b))
            elif literal < 0:
                forced.add(-literal)
            elif any(self._implies(-other, literal) for other in clause if other < 0):
                return True
        events = {entry.event for entry in (*sums, *denied)}
        events |= {self._meaning(variable)[1] * self.levels for variable in forced}
        if len(events) != 1:
            return False
        (event,) = events
        if not 0 <= event <= self._events:
            return False
        least = self._least(event)
        if any(
            kind == EXCESS and least + much > total for kind, _, much in map(self._meaning, forced)
        ):
            return True
        for known in (*sums, _Sum(event, frozenset(), least)):
            more = known.several | forced
            if known.least + len(forced - known.several) > total and self._add_up(event, more):
                return True
            for entry in denied:
                within = forced & entry.several
                if (
                    known.several <= entry.several
                    and known.least + len(within - known.several) >= entry.least
                ):
                    return True
        return False

    def _implies(self, variable: int, other: int) -> bool:
        """Whether the larger of two excesses of a pattern implies the smaller."""
        (kind, t, much), (kind_too, t_too, less) = self._meaning(variable), self._meaning(other)
        return (
            kind == kind_too == EXCESS
            and t == t_too
            and less <= much
            and self._list(variable) == self._list(other)
        )

    def _add_up(self, event: int, several: frozenset[int]) -> bool:
        """Whether what these variables force is different waste, to come after the event."""
        if (event, several) not in self._known:
            self._known[event, several] = self._are_different(event, several)
        return self._known[event, several]

    def _are_different(self, event: int, several: frozenset[int]) -> bool:
        meanings = [(*self._meaning(v), self._list(v)) for v in several]
        if any(t * self.levels != event for _, t, _, _ in meanings):
            return False
        kinds = {kind for kind, _, _, _ in meanings}
        if kinds <= {EXCESS}:
            # Excesses of 1, 2, ... units of one pattern are that many units.
            patterns = {more for _, _, _, more in meanings}
            tiles = [tile for pattern in patterns for tile in pattern]
            rungs = {(much, more) for _, _, much, more in meanings}
            return len(set(tiles)) == len(tiles) and len(rungs) == len(meanings)
        lines = [more for kind, _, _, more in meanings if kind == CONFLICT]
        return len(lines) == len(meanings) and self._are_left_apart(lines)

    def _are_left_apart(self, lines: Sequence[tuple[int, ...]]) -> bool:
        """Whether no move takes a tile out of two of the lines, and each such move is wasteful."""
        rules, unit = self._rules, self._legend.unit
        leaving: list[tuple[int, int]] = []
        for line in lines:
            own = [
                (cell, other)
                for cell in line
                for other, targets in enumerate(rules.arcs or ())
                if cell in targets and other not in line
            ]
            tiles = {rules.problem.goal[cell] for cell in line} - {0}
            for tile in tiles:
                wastes = [rules.waste(tile, cell, other) for cell, other in own]
                if any(waste is not None and waste < unit for waste in wastes):
                    return False
            leaving += own
        return len(set(leaving)) == len(leaving)

    def _meaning(self, variable: int) -> tuple[int, int, int]:
        first, second, _ = self._legend.row[variable].tolist()
        return int(self._legend.kind[variable]), first, second

    def _list(self, variable: int) -> tuple[int, ...]:
        return self._legend.lists[int(self._legend.row[variable, 2])]
