"""Beam search where the moves permute the cells, guided by many small pattern databases.

Breadth-first search that keeps of each layer the arrangements with the smallest sum of squares of
their lookups. It is run at rising widths. Where every move can be taken back, so can be a plan of
the inverse arrangement: of each width there are two beams, which differ in what they find.
"""

import time
from collections.abc import Iterator

from plansolve.analysis.automorphisms import symmetries
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.permutation import PermutationLookups
from plansolve.patterns.permutation_rules import (
    Arrangement,
    PermutationRules,
    permutation_rules,
)
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, operator_automaton
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam.ladder import Direction, Ladder
from plansolve.solvers.search.beam.near_goal import NearGoal
from plansolve.solvers.search.beam.permutation_beam_run import (
    Ground,
    PermutationBeamRun,
    bytes_of_beam,
)
from plansolve.solvers.search.beam.permutation_guide import guiding_lookups

__all__ = ["MOST_CELLS", "permutation_beam"]

MOST_CELLS = 144
"""On more cells the lookups look at too few of the tiles."""

_BY = "beam"

_WIDTHS = (200, 2000, 10_000, 40_000, 160_000, 640_000, 2_560_000, 10_240_000)
_LAYERS = 40
_NEAR_GOAL = 3_000_000
_SECONDS_NEAR_GOAL = 4.0
"""With less time left, ten times fewer boards near the goal are collected."""

_SEQUENCE = 3
"""The longest duplicate sequences of operators that are left out."""


def permutation_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end where the next does not fit.

    No report is made where a move depends on the blank, or on more than `MOST_CELLS` cells. The
    widths rise as far as the memory goes; with a deadline the last one is as large as can be
    expected to end in time. Boards near the goal get a shortest plan.
    """
    rules = permutation_rules(problem.puzzle)
    if rules is None or not rules.sources or rules.cells > MOST_CELLS or incumbent.is_closed:
        return
    start = problem.puzzle.arrangement(problem.start)
    maps = symmetries(problem.puzzle)
    lookups = yield from run_in_background(lambda tell: guiding_lookups(rules, maps, tell), _BY)
    bound = lookups.value(start)
    yield Report("pattern databases", lower_bound=NO_PLAN if bound == NO_WAY else bound)
    if bound == NO_WAY:
        return
    most = _boards_near_goal(rules.cells, budget)
    ground = yield from run_in_background(lambda tell: _ground(rules, lookups, most), _BY)
    if (moves := ground.near.descent(start)) is not None:
        yield Report(_BY, tuple(rules.names[move] for move in moves))
    elif not ground.near.is_whole:
        ladder = Ladder(problem, incumbent, budget)
        turns = (False, True) if rules.is_inverse_closed else (False,)
        directions = [_direction(ground, start, turn, budget.threads) for turn in turns]
        for width in _WIDTHS:
            climbed = False
            for done, direction in enumerate(directions):
                # The first of two beams leaves half of the time to the second.
                climbed |= yield from ladder.climb(direction, width, len(directions) - done)
            if not climbed:
                return


def _boards_near_goal(cells: int, budget: Budget) -> int:
    """How many boards near the goal a quarter of the memory holds while they are collected."""
    # Up to four slots of nine bytes, and the boards and hashes of two levels.
    most = min(_NEAR_GOAL, budget.memory // 4 // (52 + 2 * cells))
    is_hasty = (
        budget.deadline is not None and budget.deadline - time.monotonic() < _SECONDS_NEAR_GOAL
    )
    return max(most // 10 if is_hasty else most, 2)


def _ground(rules: PermutationRules, lookups: PermutationLookups, most: int) -> Ground:
    automaton = operator_automaton(rules.destinations, length=_SEQUENCE, keep=EVERY_PLAN)
    near = NearGoal(rules, most)
    near.build()
    return Ground(rules, lookups, automaton, near)


def _direction(ground: Ground, start: Arrangement, is_inverse: bool, threads: int) -> Direction:
    """Beams from the start, or from its inverse."""
    rules = ground.rules
    if is_inverse:
        start = tuple(map(start.index, range(len(start))))

    def plan(moves: list[int]) -> Plan:
        if is_inverse:
            # The operators that bring the goal to where `moves` have brought it from.
            moves = [rules.destinations.index(rules.sources[move]) for move in reversed(moves)]
        return tuple(rules.names[move] for move in moves)

    return Direction(
        _BY,
        lambda width: bytes_of_beam(ground, width, _LAYERS) + ground.near.bytes,
        lambda width: PermutationBeamRun(ground, start, width, threads),
        plan,
    )
