"""Beam search where the moves permute the cells, guided by many small pattern databases.

Breadth-first search that keeps of each layer the arrangements with the smallest sum of squares of
their lanes. It is run at rising widths. Where every move can be taken back, so can be a plan of
the inverse arrangement: of each width there are two beams, which differ in what they find.
"""

import time
from collections.abc import Iterator
from itertools import islice

from plansolve.analysis.automorphisms import symmetries
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.permutation import NO_WAY, PermutationLanes
from plansolve.patterns.permutation_rules import (
    Arrangement,
    PermutationRules,
    permutation_rules,
)
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, operator_automaton
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam.permutation_beam_run import (
    BeamRun,
    Ground,
    NearGoal,
    bytes_of_beam,
)
from plansolve.solvers.search.beam.permutation_guide import guiding_lanes

__all__ = ["MOST_CELLS", "permutation_beam"]

MOST_CELLS = 144
"""On more cells the lanes look at too few of the tiles."""

_BY = "beam"

_WIDTHS = (200, 2000, 10_000, 40_000, 160_000, 640_000, 2_560_000, 10_240_000)
_LAYERS = 40
_NEAR_GOAL = 3_000_000
_SECONDS_NEAR_GOAL = 4.0
"""With less time left, ten times fewer boards near the goal are collected."""

_SLOWDOWN = 1.3
"""How much longer a board may take in a wider beam, whose memory is spread wider."""

_WORTH_WHILE = 1.5
"""A beam must be so many times wider than the last one."""

_WORDS = 3


def permutation_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yields ever better plans of beams of rising width; ends where the next does not fit.

    No report is made where a move depends on the blank, or on more than `MOST_CELLS` cells. The
    widths rise as far as the memory goes; with a deadline the last one is as large as can be
    expected to end in time. Boards near the goal get a shortest plan.
    """
    rules = permutation_rules(problem.puzzle)
    if rules is None or not rules.sources or rules.cells > MOST_CELLS or incumbent.is_closed:
        return
    start = problem.puzzle.arrangement(problem.start)
    maps = symmetries(problem.puzzle)
    lanes = yield from run_in_background(lambda tell: guiding_lanes(rules, maps, tell), _BY)
    bound = lanes.value(start)
    yield Report(_BY, lower_bound=NO_PLAN if bound == NO_WAY else bound)
    if bound == NO_WAY:
        return
    most = _boards_near_goal(rules.cells, budget)
    ground, near = yield from run_in_background(
        lambda tell: _prepared(rules, lanes, most, start), _BY
    )
    if (moves := near.descent(start)) is not None:
        yield Report(_BY, tuple(rules.names[move] for move in moves))
    elif not near.is_whole:
        yield from _Ladder(ground, near, start, incumbent, budget).climb()


def _boards_near_goal(cells: int, budget: Budget) -> int:
    """How many boards near the goal a quarter of the memory holds while they are collected."""
    # Up to four slots of nine bytes, and the boards and hashes of two levels.
    most = min(_NEAR_GOAL, budget.memory // 4 // (52 + 2 * cells))
    is_hasty = (
        budget.deadline is not None and budget.deadline - time.monotonic() < _SECONDS_NEAR_GOAL
    )
    return max(most // 10 if is_hasty else most, 2)


def _prepared(
    rules: PermutationRules, lanes: PermutationLanes, most: int, start: Arrangement
) -> tuple[Ground, NearGoal]:
    """What all beams need; a beam of one board has the kernels compiled."""
    automaton = operator_automaton(rules.destinations, length=_WORDS, keep=EVERY_PLAN)
    ground = Ground(rules, lanes, automaton)
    near = NearGoal(ground, most)
    near.build()
    for _ in islice(BeamRun(ground, near, width=1, threads=1).run(start, Incumbent()), 2):
        pass
    return ground, near


class _Ladder:
    """Beams of rising width."""

    def __init__(
        self,
        ground: Ground,
        near: NearGoal,
        start: Arrangement,
        incumbent: Incumbent,
        budget: Budget,
    ) -> None:
        self._ground, self._near, self._start = ground, near, start
        self._incumbent, self._budget = incumbent, budget
        self._turns = (False, True) if ground.rules.is_inverse_closed else (False,)
        self._last: dict[bool, tuple[int, float]] = {}
        self._children = 0

    def climb(self) -> Iterator[Report]:
        """Runs the beams."""
        for wanted in _WIDTHS:
            climbed = False
            for is_inverse in self._turns:
                width = self._fitting(wanted, is_inverse)
                if self._incumbent.is_closed:
                    return
                if width:
                    climbed = True
                    yield from self._run(width, is_inverse)
            if not climbed:
                return

    def _run(self, width: int, is_inverse: bool) -> Iterator[Report]:
        start = self._start
        if is_inverse:
            start = tuple(map(start.index, range(len(start))))
        beam = BeamRun(self._ground, self._near, width, self._budget.threads)
        for _ in beam.run(start, self._incumbent):
            yield self._report(beam)
            if self._incumbent.is_closed:
                return
        moves = beam.moves
        if moves is not None and is_inverse:
            moves = self._taken_back(moves)
        plan = None if moves is None else tuple(self._ground.rules.names[m] for m in moves)
        yield self._report(beam, plan)
        self._children += beam.children
        self._last[is_inverse] = beam.width, beam.seconds

    def _report(self, beam: BeamRun, plan: Plan | None = None) -> Report:
        counts = {"children": self._children + beam.children, "width": beam.width}
        return Report(_BY, plan, counts=counts)

    def _taken_back(self, moves: list[int]) -> list[int]:
        """The operators that bring the goal to where `moves` have brought it from."""
        rules = self._ground.rules
        return [rules.destinations.index(rules.sources[move]) for move in reversed(moves)]

    def _fitting(self, width: int, is_inverse: bool) -> int:
        """The width of the next beam where `width` is wanted; 0 where none is worth while."""
        memory = self._budget.memory - self._near.bytes
        while width and bytes_of_beam(self._ground, width, _LAYERS) > memory:
            width = width * 3 // 4
        own = self._last.get(is_inverse)
        least = int(_WORTH_WHILE * own[0]) if own else 1
        deadline = self._budget.deadline
        if deadline is not None and self._last:
            widest, seconds = max(self._last.values())
            fits = int((deadline - time.monotonic()) * widest / (_SLOWDOWN * seconds))
            # The first of two beams leaves half of the time to the second.
            is_first = len(self._turns) == 2 and not is_inverse
            width = min(width, fits // 2 if is_first and fits // 2 >= least else fits)
        return width if width >= least else 0
