"""Beam search where the moves permute the cells, guided by many small pattern databases.

Breadth-first search that keeps of each layer the arrangements with the smallest sum of squares of
their lookups. It is run at rising widths. Where every move can be taken back, so can be a plan of
the inverse arrangement: of each width there are two beams, which differ in what they find.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from plansolve.analysis.automorphisms import CellMap, symmetries
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.permutation import PermutationLookups, permutation_lookups
from plansolve.patterns.permutation_build import NO_WAY, Pattern
from plansolve.patterns.permutation_rules import (
    Arrangement,
    PermutationRules,
    permutation_rules,
)
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
from plansolve.storage.store import Store, Tell

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

_LOOKUPS, _LARGEST, _CANDIDATES = 96, 5, 40
_PATTERNS = 6
"""At least so many, even where one has lookups enough: they see different things."""
_TABLE_BYTES = 3 << 20
"""All tables together; larger ones do not stay in a processor's cache."""


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


def guiding_lookups(
    rules: PermutationRules, maps: Sequence[CellMap], tell: Tell
) -> PermutationLookups:
    """Return the lookups for the sum of squares that tells good arrangements from bad ones.

    `maps` are the symmetries of the rules, the identity first.
    """
    lookups = _LOOKUPS // (1 + rules.is_inverse_closed)
    patterns = max(_PATTERNS, -(-lookups // len(maps)))
    # Of many symmetries a few do: lookups of several patterns see more than those of one.
    images = -(-lookups // patterns)
    some = [maps[0], *Random(0).sample(maps[1:], min(images, len(maps)) - 1)]
    return permutation_lookups(
        rules,
        guide_patterns(rules, some, patterns),
        some,
        store=Store(in_memory=True),
        tell=tell,
        # Parity says nothing about single tiles, and would double the tables.
        parity=False,
        most=_LOOKUPS,
    )


def guide_patterns(rules: PermutationRules, maps: Sequence[CellMap], count: int) -> list[Pattern]:
    """Return at most `count` patterns, none an image of another, that look at all tiles alike.

    They are as large as their tables allow; many lookups of small patterns guide better than few
    lookups of large ones. Their cells are near each other: such tiles hinder each other most.
    """
    cells, random = rules.cells, Random(0)
    near = [{to[cell] for to in rules.destinations} - {cell} for cell in range(cells)]
    size = min(2, cells)
    while size < min(_LARGEST, cells) and count * cells ** (size + 1) <= _TABLE_BYTES:
        size += 1
    looks, seen, patterns = Counter[int](), set[frozenset[int]](), list[Pattern]()

    def grown() -> Pattern:
        """Return a cell, and in turn cells to which a move takes what is in one of the others."""
        pattern = [random.randrange(cells)]
        while len(pattern) < size:
            around = sorted({cell for one in pattern for cell in near[one]} - {*pattern})
            others = [cell for cell in range(cells) if cell not in pattern]
            pattern.append(random.choice(around or others))
        return tuple(sorted(pattern))

    def unevenness(pattern: Pattern) -> tuple[int, Pattern]:
        """Return how unevenly tiles are looked at then; a pattern of few images costs more."""
        fresh = Counter(cell for image in images[pattern] for cell in image)
        cost = sum((looks[cell] + n) ** 2 - looks[cell] ** 2 for cell, n in fresh.items())
        return cost * 1000 // len(images[pattern]) ** 2, pattern

    while len(patterns) < count:
        some = [pattern for _ in range(_CANDIDATES) if frozenset(pattern := grown()) not in seen]
        images = {own: {frozenset(map(image.index, own)) for image in maps} for own in some}
        if not images:
            break
        patterns.append(min(images, key=unevenness))
        seen |= images[patterns[-1]]
        looks.update(cell for image in images[patterns[-1]] for cell in image)
    return patterns
