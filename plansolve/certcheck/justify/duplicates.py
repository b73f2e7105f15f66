"""Walks and sequences that the first of the shortest plans does not contain.

Of all shortest plans take the first: the one whose walk of the blank comes first in the order of
the cells, or, where no move exchanges the blank with a tile, whose operators come first in their
order. No part of it has the effect of a shorter part, or of another of the same length that comes
first: with that in its place there were a shorter plan, or an earlier one. So a clause that denies
such a part is true of that plan. Where only the length decides, it is true of each shortest plan.
An effect is a permutation of the cells, so that none of this depends on which pieces are alike.
A sequence of operators needs gaps in some of the cells. What takes its place may need gaps in these
cells only, so that it applies wherever the sequence does.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from plansolve.certcheck.justify.legend import AT, MOVE, Legend
from plansolve.certcheck.justify.rules import Rules
from plansolve.model.puzzle import BLANK

__all__ = ["DuplicateSequences", "filled", "sequence_of", "walks_of"]

_LONGEST = 12
_LONGEST_SEQUENCE = 3
_MOST_GAPS = 2
_MOST_SEQUENCES = 60_000
_MOST_EFFECTS = 500_000

_Effect = tuple[int, ...]


class DuplicateSequences:
    """Which walks of the blank, and which sequences of operators, another one replaces."""

    def __init__(self, rules: Rules, *, only_shorter: bool) -> None:
        self._rules, self._only_shorter = rules, only_shorter
        # For each first cell the levels of walks with new effects, and the first walk to each.
        self._levels: dict[int, list[list[tuple[tuple[int, ...], _Effect]]]] = {}
        self._first: dict[int, dict[_Effect, tuple[int, ...]]] = {}
        self._known: dict[tuple[int, ...], bool] = {}
        self._effects = 0
        # For each effect, and the cells that must hold gaps, the first sequence of operators.
        self._sequences: dict[_Effect, dict[frozenset[int], tuple[int, ...]]] = {}

    def is_replaced(self, walk: tuple[int, ...]) -> bool:
        """Whether the blank does not go along these cells in the plan that is meant."""
        if len(walk) > _LONGEST + 1 or not self._rules.is_path(walk):
            return False
        if walk not in self._known:
            self._known[walk] = self._compare(walk)
        return self._known[walk]

    def _compare(self, walk: tuple[int, ...]) -> bool:
        effect = list(range(self._rules.problem.puzzle.cells))
        for here, there in pairwise(walk):
            effect[here], effect[there] = effect[there], effect[here]
        self._extend(walk[0], len(walk) - 1)
        first = self._first[walk[0]].get(tuple(effect))
        if first is None or first == walk:
            return False
        return len(first) < len(walk) or not self._only_shorter

    def _extend(self, cell: int, length: int) -> None:
        """Find the first walks from a cell to all effects, up to that length."""
        arcs = self._rules.arcs or ()
        if cell not in self._levels:
            identity = tuple(range(self._rules.problem.puzzle.cells))
            self._levels[cell] = [[((cell,), identity)]]
            self._first[cell] = {identity: (cell,)}
        levels, first = self._levels[cell], self._first[cell]
        while len(levels) <= length and self._effects < _MOST_EFFECTS:
            following = list[tuple[tuple[int, ...], _Effect]]()
            # A level is in order, so the first walk that is found is the first in the order.
            for walk, effect in levels[-1]:
                if self._effects + len(following) > _MOST_EFFECTS:
                    # An unfinished level is of no use, nor is any longer one.
                    self._effects = _MOST_EFFECTS
                    for _, key in following:
                        del first[key]
                    return
                here = walk[-1]
                for there in arcs[here]:
                    changed = list(effect)
                    changed[here], changed[there] = changed[there], changed[here]
                    key = tuple(changed)
                    if key not in first:
                        first[key] = (*walk, there)
                        following.append((first[key], key))
            levels.append(following)
            self._effects += len(following)

    def are_replaced(self, sequence: tuple[int, ...]) -> bool:
        """Whether these operators do not follow each other in the plan that is meant."""
        if not 0 < len(sequence) <= _LONGEST_SEQUENCE:
            return False
        if not self._sequences:
            self._fill_sequences()
        puzzle = self._rules.problem.puzzle
        gaps, effect = self._execute(sequence)
        if len(gaps) > puzzle.gaps:
            return True
        others = [
            needed
            for needed, other in self._sequences.get(effect, {}).items()
            if len(other) < len(sequence)
            or (len(other) == len(sequence) and other < sequence and not self._only_shorter)
        ]
        # What needs no gaps but these can stand wherever this does.
        if any(needed <= gaps for needed in others):
            return True
        # Wherever the one blank is, something else may stand there.
        return puzzle.has_one_blank and frozenset().union(*others).issuperset(range(puzzle.cells))

    def _fill_sequences(self) -> None:
        operators = self._rules.problem.puzzle.operators
        for length in range(_LONGEST_SEQUENCE + 1):
            if len(operators) ** length > _MOST_SEQUENCES:
                break
            for sequence in product(range(len(operators)), repeat=length):
                gaps, effect = self._execute(sequence)
                if len(gaps) <= self._rules.problem.puzzle.gaps:
                    self._sequences.setdefault(effect, {}).setdefault(gaps, sequence)

    def _execute(self, sequence: Sequence[int]) -> tuple[frozenset[int], _Effect]:
        """Return the cells that must hold gaps before a sequence, and its effect.

        Where they are more than there are gaps, the sequence is in no plan.
        """
        puzzle = self._rules.problem.puzzle
        effect: _Effect = tuple(range(puzzle.cells))
        gaps = set[int]()
        for number in sequence:
            operator = puzzle.operators[number]
            if operator.blank is not None:
                # effect[c] is the cell that the content of c stood in before the sequence.
                gaps.add(effect[operator.blank])
            effect = operator.apply(effect)
        return frozenset(gaps), effect


def sequence_of(clause: Sequence[int], legend: Legend) -> tuple[int, ...] | None:
    """Return the operators that a clause denies one after the other, or None."""
    rows = sorted((*legend.row[-x].tolist(), int(legend.kind[-x])) for x in clause if x < 0)
    times = [row[0] for row in rows]
    if len(rows) != len(clause) or any(row[3] != MOVE for row in rows):
        return None
    is_sequence = times == list(range(times[0], times[0] + len(times)))
    return tuple(row[1] for row in rows) if is_sequence else None


def walks_of(
    clause: Sequence[int], legend: Legend, rules: Rules, horizon: int
) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
    """Yield when the blank's walk begins that a clause denies, and the walk.

    Where a cell in between is left open, it is all walks through the others. The clause is true if
    that can be said of one of the answers: with and without the way from the start, or to the goal,
    where the walk begins or ends near to it.
    """
    rows = [legend.row[-x].tolist() for x in clause if x < 0 and legend.kind[-x] == AT]
    place = {t: cell for t, cell, content in rows if content == BLANK}
    if rules.arcs is None or not len(clause) == len(rows) == len(place):
        return
    problem = rules.problem
    near = [{0: problem.start.index(BLANK)}] if min(place) <= _MOST_GAPS else []
    if max(place) >= horizon - _MOST_GAPS:
        near += [{**ends, horizon: problem.goal.index(BLANK)} for ends in ({}, *near)]
    for ends in ({}, *near):
        known = {**ends, **place}
        begin, end = min(known), max(known)
        if end - begin + 1 - len(known) <= _MOST_GAPS:
            yield begin, filled(known, begin, end, rules)


def filled(place: dict[int, int], begin: int, end: int, rules: Rules) -> list[tuple[int, ...]]:
    """Return all walks of the blank through the given places at the given times."""
    walks: list[tuple[int, ...]] = [(place[begin],)]
    for t in range(begin + 1, end + 1):
        walks = [
            (*walk, cell)
            for walk in walks
            for cell in (rules.arcs or ())[walk[-1]]
            if place.get(t, cell) == cell
        ]
    return walks
