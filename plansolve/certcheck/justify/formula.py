"""Why every clause of one formula holds for a plan of the length in question.

    if there is plainly no plan of that length: every clause holds
    for each clause, by the kinds of its variables, one of these has to be so:
        the rules for one piece and the blank exclude its negation       (`rules_kernel`)
        the contents that its negation places exclude each other         (`mutex`)
        the places in it force the excess or the conflict that it states (`partial_assignments`)
        it counts wastes as they add up                                  (`waste`)
        another plan replaces those that it denies, or they are listed   (`duplicates`, `perimeter`,
                                                                          `operator_perimeter`)

A clause of which none of this is seen may be true, but is not accepted. Where pieces are alike, or
the goal leaves cells open, there are but three of these reasons: the rules, sequences of operators
that others replace (an operator permutes cells, whatever is in them), and listed plans.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from plansolve.certcheck.clauses import Array, Clauses
from plansolve.certcheck.justify.duplicates import (
    DuplicateSequences,
    filled,
    sequence_of,
    walks_of,
)
from plansolve.certcheck.justify.legend import (
    AT,
    CONFLICT,
    COUNT,
    EXCESS,
    MOVE,
    NEVER,
    STEP,
    SUM,
    WASTE,
    Legend,
)
from plansolve.certcheck.justify.mutex import MutexTables
from plansolve.certcheck.justify.operator_perimeter import sequences_not_taken
from plansolve.certcheck.justify.partial_assignments import MoveTables, PartialAssignmentChecker
from plansolve.certcheck.justify.perimeter import Walk, walks_not_taken
from plansolve.certcheck.justify.rules import Rules, reachability
from plansolve.certcheck.justify.rules_kernel import ClauseWork, MeantClauses, true_of_every_plan
from plansolve.certcheck.justify.waste import Waste
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.storage.jit import interruptible

__all__ = ["PLAIN", "Justifier", "Listed", "Unjustified"]

_RULES, _LISTED, _NO_WAY = "rules", "listed", "no way"
_COUNTER, _EXCESS, _CONFLICT, _MUTEX = "counter", "excess", "conflict", "mutex"

PLAIN = frozenset({_RULES, _LISTED, _NO_WAY})
"""The reasons that look at the rules for one content and the blank, and at listed plans, alone."""

_WALK, _SEQUENCE = "walks", "sequences"

_Near = tuple[int, Walk, int]
"""When a walk begins that a clause denies, the walk, and the clause's number."""

_AT_ONCE = 1 << 12
_MEANINGS = {
    AT: "{2} in cell {1} after {0} moves",
    MOVE: "move {0} is operator {1}",
    STEP: "move {0} takes cell {1} to cell {2}",
    WASTE: "move {0} wastes {1}",
    COUNT: "{1} of the first {0} events",
    EXCESS: "an excess of {1} after {0} moves",
    CONFLICT: "a conflict after {0} moves",
    SUM: "{1} together after {0} events",
    NEVER: "nothing",
}


class Unjustified(Exception):
    """A clause, counted from 1, that is not seen to hold for the plan that is meant."""

    def __init__(self, clause: int, text: str) -> None:
        super().__init__(f"clause {clause}: {text}")
        self.clause = clause


class Listed(NamedTuple):
    """Shortest plans: as walks of the blank from the start to the goal, and as operators."""

    walks: frozenset[tuple[int, ...]]
    sequences: frozenset[tuple[int, ...]]


class Justifier:
    """Justifies the formulas of one problem; what they have in common is worked out once.

    The plan that is meant is the first shortest one, see `duplicates`; with `listed` it is any
    shortest plan but those.
    """

    def __init__(self, problem: Problem, *, listed: Listed | None = None, threads: int = 1) -> None:
        self.rules = Rules.of(problem)
        self.moves = MoveTables(self.rules, threads)
        self.threads = threads
        self.mutexes = MutexTables(self.rules)
        self.duplicates = DuplicateSequences(self.rules, only_shorter=listed is not None)
        self.listed = listed

    def justify(
        self,
        horizon: int,
        formula: Clauses,
        legend: Legend,
        *,
        deadline: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Mapping[str, int]:
        """Return how many of the clauses hold for which reason, for a plan of `horizon` moves.

        Raise `Unjustified` for a clause that is not seen to hold, `ProofError` for what is too
        large, and `TimeoutError` at the deadline, a time of `time.monotonic`. `progress` is told
        now and then how many of how many clauses are done.
        """
        return _FormulaWork(self, horizon, formula, legend, deadline, progress).run()


class _FormulaWork:
    """The work on one formula."""

    def __init__(
        self,
        common: Justifier,
        horizon: int,
        formula: Clauses,
        legend: Legend,
        deadline: float | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        rules = common.rules
        self._common, self._rules, self._duplicates = common, rules, common.duplicates
        self._horizon, self._legend, self._listed = horizon, legend, common.listed
        self._clauses = MeantClauses(
            np.require(formula.literals, np.int32, ["C", "W"]),
            np.require(formula.ends, np.int64, ["C", "W"]),
            np.require(legend.kind, np.int8, ["C", "W"]),
            np.require(legend.row, np.int32, ["C", "W"]),
        )
        self._literals, self._ends = self._clauses.literals, self._clauses.ends
        self._begins = np.concatenate(([0], self._ends[:-1])).astype(np.int64)
        self._deadline, self._progress = deadline, progress
        self._reachability = reachability(rules, horizon)
        self._waste = Waste(rules, legend, horizon)
        self._possible = self._reachability.possible()
        self._assignments = PartialAssignmentChecker(rules, common.moves, legend, self._possible)
        self._highest = self._kinds()
        self._found = np.zeros(len(formula), np.bool_)
        self._counts: Counter[str] = Counter()

    def run(self) -> Mapping[str, int]:
        """Go through the clauses, those of one kind after the other."""
        if self._is_no_way():
            # Then all that is said of a plan of this length is true.
            return {_NO_WAY: len(self._found)}
        highest = self._highest
        with interruptible():
            self._by_rules(np.flatnonzero(highest <= WASTE))
            self._by_mutexes(np.flatnonzero((highest == AT) & ~self._found))
            self._by_excess(np.flatnonzero(highest == EXCESS))
            # What the places in a clause rule out needs no excess and no conflict.
            late = (highest == EXCESS) | (highest == CONFLICT)
            self._by_rules(np.flatnonzero(late & ~self._found))
        near = [*self._by_walks(np.flatnonzero(highest == AT)), *self._walks_of_no_moves()]
        # Those searches keep the first of all plans, which may be on the list.
        if self._listed is None:
            self._by_walk_perimeters(near)
            self._by_operator_perimeters()
        for place, number in enumerate(np.flatnonzero(~self._found).tolist()):
            reason = self._reason(self._clause(number), int(highest[number]))
            if reason is not None:
                self._accept(number, reason)
            if not place % 1024:
                self._pause()
        missing = np.flatnonzero(~self._found)
        if len(missing):
            raise Unjustified(int(missing[0]) + 1, self._shown(int(missing[0])))
        if self._counts[_WALK] and self._counts[_SEQUENCE]:
            # Each has an order of its own, and a plan that is first in the one need not be in both.
            raise ProofError("walks and sequences of operators are denied in one formula")
        return {reason: count for reason, count in self._counts.items() if count}

    def _denied(self, wanted: Array, kind: int) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Yield the clauses that deny one cell of the blank, or operator, after the other.

        The number of each, the time at which that begins, and the cells, or the operators. `kind`
        is that of its variables.
        """
        sizes = (self._ends - self._begins)[wanted]
        for size in np.unique(sizes).tolist():
            some = wanted[sizes == size]
            clauses = self._literals[self._begins[some][:, None] + np.arange(size)]
            rows = self._legend.row[np.abs(clauses)]
            denied = (clauses < 0) & (self._legend.kind[np.abs(clauses)] == kind)
            # Operators have no third number, which is 0 then.
            denied &= rows[:, :, 2] == BLANK
            some, rows = some[denied.all(axis=1)], rows[denied.all(axis=1)]
            order = np.argsort(rows[:, :, 0], axis=1, kind="stable")
            rows = np.take_along_axis(rows, order[:, :, None], axis=1)
            whole = (rows[:, :, 0] == rows[:, :1, 0] + np.arange(size)).all(axis=1)
            for number, row in zip(some[whole].tolist(), rows[whole].tolist(), strict=True):
                yield number, row[0][0], tuple([what for _, what, _ in row])
            self._pause()

    def _by_walks(self, wanted: Array) -> list[_Near]:
        """Justify clauses that deny a walk of the blank without gaps.

        Return those from the start or to the goal.
        """
        near: list[_Near] = []
        problem = self._rules.problem
        if self._rules.arcs is None:
            return near
        for number, begin, walk in self._denied(wanted, AT):
            if begin == 1:
                begin, walk = 0, (problem.start.index(BLANK), *walk)
            if begin + len(walk) == self._horizon:
                walk = (*walk, problem.goal.index(BLANK))
            if not self._found[number] and self._duplicates.is_replaced(walk):
                self._accept(number, _WALK)
            if begin == 0 or begin + len(walk) == self._horizon + 1:
                near.append((begin, walk, number))
        return near

    def _walks_of_no_moves(self) -> list[_Near]:
        """Return the clauses that deny every plan, as if they denied that the blank is there."""
        if self._rules.arcs is None:
            return []
        start, goal = (
            (board.index(BLANK),) for board in (self._rules.problem.start, self._rules.problem.goal)
        )
        return [
            (begin, walk, number)
            for number in self._contradictions()
            for begin, walk in ((0, start), (self._horizon, goal))
        ]

    def _contradictions(self) -> list[int]:
        """Return the clauses that say nothing but that a variable holds which means nothing."""
        alone = np.flatnonzero((self._highest == NEVER) & (self._ends - self._begins == 1))
        denied: list[int] = alone[self._literals[self._begins[alone]] > 0].tolist()
        return denied

    def _accept(self, number: int, reason: str) -> None:
        self._found[number] = True
        self._counts[reason] += 1

    def _kinds(self) -> Array:
        """Return the highest kind of variable in each clause, `NEVER` + 1 if one has no meaning."""
        kinds = self._legend.kind[np.abs(self._literals)]
        kinds = np.where(kinds == 0, NEVER + 1, kinds).astype(np.int8)
        highest = np.zeros(len(self._ends), np.int8)
        has_literals = self._begins < self._ends
        if has_literals.any():
            highest[has_literals] = np.maximum.reduceat(kinds, self._begins[has_literals])
        return highest

    def _by_rules(self, wanted: Array) -> None:
        if self._waste.total is None:
            # Without it nothing is known of wastes.
            wanted = wanted[self._highest[wanted] != WASTE]
        pieces = [wanted[i : i + _AT_ONCE] for i in range(0, len(wanted), _AT_ONCE)]
        # The kernel holds no lock, and each piece has its own entries of what is found.
        with ThreadPoolExecutor(self._common.threads) as pool:
            try:
                for some, _ in zip(pieces, pool.map(self._follow_rules, pieces), strict=True):
                    self._counts[_RULES] += int(np.count_nonzero(self._found[some]))
                    self._pause()
            finally:
                pool.shutdown(cancel_futures=True)

    def _follow_rules(self, some: Array) -> None:
        work = ClauseWork.of(self._reachability, self._legend.unit)
        true_of_every_plan(self._clauses, some, self._reachability, work, self._found)

    def _by_mutexes(self, wanted: Array) -> None:
        self._common.mutexes.check_apart(self._clauses, wanted, self._horizon, self._found)
        self._counts[_MUTEX] += int(np.count_nonzero(self._found[wanted]))

    def _by_excess(self, wanted: Array) -> None:
        if self._waste.total is None:
            return
        for begin in range(0, len(wanted), _AT_ONCE):
            some = wanted[begin : begin + _AT_ONCE]
            self._assignments.check_forced(self._clauses, some, self._found)
            self._counts[_EXCESS] += int(np.count_nonzero(self._found[some]))
            self._pause()

    def _reason(self, clause: list[int], highest: int) -> str | None:
        """Return why one clause holds; None where no reason is found."""
        if not clause or (highest == NEVER and clause == [abs(clause[0])]):
            return _NO_WAY if self._is_whole_list() else None
        if any(x < 0 and self._legend.kind[-x] == NEVER for x in clause):
            return _RULES
        if highest >= WASTE and self._waste.is_true(clause):
            return _COUNTER
        if highest == CONFLICT and self._waste.total is not None:
            return _CONFLICT if self._assignments.is_conflict(clause) else None
        operators = sequence_of(clause, self._legend) if highest == MOVE else None
        if operators is not None:
            if self._listed is not None and operators in self._listed.sequences:
                return _LISTED
            return _SEQUENCE if self._duplicates.are_replaced(operators) else None
        for begin, walks in walks_of(clause, self._legend, self._rules, self._horizon):
            if all(map(self._duplicates.is_replaced, walks)):
                return _WALK
            if not begin and self._listed is not None and self._listed.walks.issuperset(walks):
                return _LISTED
        return None

    def _is_no_way(self) -> bool:
        """Whether there is no plan of this length, as can be seen without the formula."""
        total = self._waste.total
        if (total is not None and total < 0) or self._rules.has_no_plan(self._horizon):
            return True
        # A content that has no place, or a cell that has no content.
        possible = self._possible[list(self._rules.problem.puzzle.kinds)]
        return not (possible.any(axis=2).all() and possible.any(axis=0).all())

    def _is_whole_list(self) -> bool:
        """Whether every plan of two moves or fewer is listed."""
        problem = self._rules.problem
        if self._listed is None or self._horizon > 2 or self._rules.arcs is None:
            return False
        ends = {0: problem.start.index(BLANK), self._horizon: problem.goal.index(BLANK)}
        return self._listed.walks.issuperset(filled(ends, 0, self._horizon, self._rules))

    def _by_walk_perimeters(self, near: Sequence[_Near]) -> None:
        """Justify clauses that deny walks from the start or to the goal, by searches from there."""
        for from_start, end in ((True, "goal"), (False, "start")):
            here = [
                (walk, number)
                for begin, walk, number in near
                if (begin == 0 if from_start else begin + len(walk) == self._horizon + 1)
            ]
            if all(self._found[number] for _, number in here):
                continue
            pruned = walks_not_taken(
                [walk for walk, _ in here],
                self._rules,
                self._common.moves,
                self._legend.perimeters.partitions[end],
                self._possible[BLANK],
                from_start=from_start,
                depth=self._legend.perimeters.depth[end],
                deadline=self._deadline,
            )
            self._accept_pruned(here, pruned, _WALK)

    def _by_operator_perimeters(self) -> None:
        """The same for sequences of operators, where the legend has bounds for them."""
        if not self._legend.perimeters.lookups:
            return
        near = [
            (begin, sequence, number)
            for number, begin, sequence in self._denied(np.flatnonzero(self._highest == MOVE), MOVE)
            if begin == 0 or begin + len(sequence) == self._horizon
        ]
        for from_start in (True, False):
            end = 0 if from_start else self._horizon
            here = [
                (sequence, number)
                for begin, sequence, number in near
                if (begin if from_start else begin + len(sequence)) == end
            ]
            here += [((), number) for number in self._contradictions()]
            if all(self._found[number] for _, number in here):
                continue
            pruned = sequences_not_taken(
                [sequence for sequence, _ in here],
                self._rules,
                self._duplicates,
                self._legend.perimeters,
                self._horizon,
                from_start=from_start,
                deadline=self._deadline,
            )
            self._accept_pruned(here, pruned, _SEQUENCE)

    def _accept_pruned(
        self, here: Sequence[tuple[Walk, int]], pruned: Collection[Walk], reason: str
    ) -> None:
        for walk, number in here:
            if not self._found[number] and walk in pruned:
                self._accept(number, reason)

    def _clause(self, number: int) -> list[int]:
        found: list[int] = self._literals[self._begins[number] : self._ends[number]].tolist()
        return found

    def _shown(self, number: int) -> str:
        parts = []
        for literal in self._clause(number)[:12]:
            kind = int(self._legend.kind[abs(literal)])
            text = _MEANINGS.get(kind, "a variable without a meaning")
            meaning = text.format(*self._legend.row[abs(literal)].tolist())
            parts.append(f"{'not ' if literal < 0 else ''}{meaning}")
        return f"nothing shows that {' or '.join(parts) or 'it'} holds"

    def _pause(self) -> None:
        if self._progress is not None:
            self._progress(int(np.count_nonzero(self._found)), len(self._found))
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise TimeoutError("time limit reached while the clauses were justified")
