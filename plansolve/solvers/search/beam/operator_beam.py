"""Beam search where moves are operators of any kind, guided by many small pattern databases.

Breadth-first search that keeps of each layer the boards with the smallest sum of squares of their
lookups, or of sums of lookups, at rising widths. The databases are those of arrangements if the
moves permute the cells and all pieces differ; else those of placements of kinds of pieces, if
they are small; else those of a variant of the problem in which identical pieces are distinct.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice, pairwise
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap, symmetries
from plansolve.analysis.duplicate_sequences import EVERY_PLAN
from plansolve.analysis.group import PermutationGroup
from plansolve.analysis.solvability import why_unsolvable
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.partition import table_choice
from plansolve.patterns.permutation import PermutationLookups, permutation_lookups
from plansolve.patterns.placement import PlacementLookups, table_length
from plansolve.patterns.rules import PermutationRules, permutation_rules, placement_rules
from plansolve.patterns.table import NO_WAY, Pattern
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import (
    PruningAutomaton,
    operator_automaton,
    puzzle_automaton,
    vertex_of,
)
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam import operator_beam_kernel as kernel
from plansolve.solvers.search.beam.beam import BYTES_OF_STEP, BeamRun, Direction, Ladder
from plansolve.solvers.search.beam.pattern_beam import blank_beam
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
    find,
)
from plansolve.solvers.search.constructive.labelled import labelled, labelled_soon
from plansolve.solvers.search.constructive.shortcuts import without_detours
from plansolve.solvers.search.node_tables import move_tables, need_table, starts
from plansolve.storage.store import Store, Tell

_FAR = 255
"""Stands for a child that is not the goal, and for any distance larger than a lookup tells."""

_SCORE_BITS = 16
"""Scores are rounded down to so many bits, if distances are long."""

_CHILDREN_A_CALL = 20_000
"""Children that are made between two looks at the clock, times the number of lookups over 100."""

_FULL = 1.5
"""Candidates with worse scores are left out as soon as so many times the width are better."""

_PATIENCE = 49
_LAYERS = 60
_CLOSED_A_STATE, _BUCKET = 64, 64
"""Buckets are so large, and so empty, that none is ever full."""

_PERMUTATIONS, _OPERATORS = 3, 4
"""The longest duplicate sequences that are left out: of free operators, and of others."""


class BeamLimits(NamedTuple):
    """Limits of candidates: no lookup above `allowed`, and a score less than `cut`."""

    allowed: int
    cut: int


class Ground:
    """The operators and the lookups that all beams of one puzzle share."""

    def __init__(
        self, moves: kernel.BeamMoves, lookups: PermutationLookups | PlacementLookups
    ) -> None:
        arrangements = placements = None
        if isinstance(lookups, PermutationLookups):
            assert lookups.contribution.dtype == lookups.base.dtype == np.int32
            contribution, base = lookups.contribution.view(np.uint64), lookups.base.view(np.uint64)
            table, added = lookups.table, [1] * lookups.count
            arrangements = kernel.PackedLookups(table, contribution, base, lookups.count)
        else:
            table, added = lookups.tables.table, np.diff(lookups.first.astype(np.int64)).tolist()
            placements = kernel.AddedLookups(lookups.tables, lookups.first)
        largest = int(table[table != kernel.NO_WAY].max(initial=0))
        most = sum((largest * lookups) ** 2 for lookups in added)
        shift = max(0, most.bit_length() - _SCORE_BITS)
        self.cells, self.scores = len(moves.goal), (most >> shift) + 1
        self.branches = int(np.diff(moves.offset.astype(np.int64)).max(initial=1))
        self.guide = kernel.Guide(moves, arrangements, placements, shift)

    def bytes_of_beam(self, width: int) -> int:
        children = self.branches * BYTES_OF_CANDIDATE + 4
        slots = 8 * 2 * _CLOSED_A_STATE
        return width * (2 * (self.cells + 12) + children + slots + BYTES_OF_STEP * _LAYERS)


def permutation_moves(rules: PermutationRules) -> kernel.BeamMoves:
    """Return the moves of arrangements, whose states all begin at root 0."""
    automaton = operator_automaton(rules.destinations, length=_PERMUTATIONS, keep=EVERY_PLAN)
    moved = [[pair for pair in enumerate(source) if pair[0] != pair[1]] for source in rules.sources]
    pairs = [pair for own in moved for pair in own]
    return _moves(
        range(rules.cells),
        starts(map(len, moved)),
        np.array([cell for cell, _ in pairs], np.uint16),
        np.array([origin for _, origin in pairs], np.uint16),
        np.full(len(moved), rules.cells, np.uint16),
        automaton,
    )


def operator_moves(problem: Problem) -> tuple[kernel.BeamMoves, int]:
    """Return the moves of a puzzle of any kind, and the root of the problem's start."""
    puzzle = problem.puzzle
    automaton = puzzle_automaton(puzzle, length=_OPERATORS, keep=EVERY_PLAN)
    root = int(automaton.roots[vertex_of(puzzle, problem.start)])
    return _moves(problem.goal, *move_tables(puzzle), need_table(puzzle), automaton), root


def _moves(
    goal: Sequence[int],
    first: NDArray[np.uint32],
    to_cell: NDArray[np.uint16],
    from_cell: NDArray[np.uint16],
    need: NDArray[np.uint16],
    automaton: PruningAutomaton,
) -> kernel.BeamMoves:
    changed = [frozenset(to_cell[a:b].tolist()) for a, b in pairwise(first.tolist())]
    groups = {cells: number for number, cells in enumerate(dict.fromkeys(changed))}
    # No content is more than 255, nor more cells.
    return kernel.BeamMoves(
        np.array(goal, np.int32),
        first,
        to_cell,
        from_cell,
        need,
        np.array([groups[cells] for cells in changed], np.uint32),
        np.random.default_rng(1).integers(1, 1 << 63, 256 * len(goal), np.uint64),
        automaton.offset,
        automaton.move,
        automaton.next,
    )


class OperatorBeamRun(BeamRun[kernel.OperatorLayer]):
    """A beam from `start`, and a root of the automaton, whose children several threads make."""

    def __init__(
        self, ground: Ground, start: Sequence[int], root: int, width: int, threads: int
    ) -> None:
        self._ground, self._threads = ground, threads
        cells = ground.cells
        layers = [
            kernel.OperatorLayer(
                np.empty(width * cells, np.uint8),
                np.empty(width, np.uint64),
                np.empty(width, np.uint32),
            )
            for _ in range(2)
        ]
        closed = bucket_table(_CLOSED_A_STATE * width, _BUCKET)
        candidates = Candidates.room(width * ground.branches, ground.scores)
        super().__init__(width, (layers[0], layers[1]), candidates, closed, patience=_PATIENCE)
        # The keys are XORed into the hash, so that any value serves for the start.
        value = np.uint64(1)
        closed[find(closed, value)] = value
        self._here.board[:cells], self._here.zobrist[0] = start, value
        self._here.node[0] = root

    def run(self, incumbent: Incumbent, step: int = 1) -> Iterator[None]:
        with ThreadPoolExecutor(self._threads) as self._pool:
            yield from super().run(incumbent, step)

    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        size, threads, ground = self._size, self._threads, self._ground
        self._stored = 0
        # The moves left for a child after its own move, if its plan is to be better.
        allowed = min(self._allowed(incumbent, step), _FAR - 1)
        if allowed < 0:
            return None
        states = max(1, min(_CHILDREN_A_CALL // ground.branches, -(-size // threads)))
        counts = np.zeros((threads, ground.scores), np.uint32)
        found = np.full((threads, 3), _FAR, np.int64)
        limits = BeamLimits(allowed, ground.scores)
        for begin in range(0, size, states * threads):

            def part(
                thread: int,
                begin: int = begin,
                stored: int = self._stored,
                limits: BeamLimits = limits,
            ) -> tuple[int, int, int]:
                first, stored = begin + thread * states, stored + thread * states * ground.branches
                first, last = min(first, size), min(first + states, size)
                mine, own = self._candidates._replace(counts=counts[thread]), found[thread]
                end, children = kernel.expand(
                    first, last, stored, limits, ground.guide, self._here, mine, own
                )
                return stored, end, children

            for start, end, children in self._pool.map(part, range(threads)):
                self._close_gap(start, end)
                self.children += children
            nearest = found[found[:, 0].argmin()]
            if nearest[0] < _FAR:
                return int(nearest[1]), int(nearest[2])
            # Candidates that cannot come into the next layer any more are left out.
            enough = counts.sum(0).cumsum() >= _FULL * self.width
            if enough.any():
                limits = BeamLimits(allowed, int(enough.argmax()) + 1)
            yield
        return None

    def _close_gap(self, start: int, end: int) -> None:
        """Move the candidates from `start` to `end` behind those that are stored."""
        stored, after = self._stored, self._stored + end - start
        if start != stored:
            for array in self._candidates[:4]:
                array[stored:after] = array[start:end]
        self._stored = after

    def _make(self, begin: int, end: int) -> None:
        moves, chosen = self._ground.guide.moves, self._chosen
        kernel.make(begin, end, moves, self._here, self._candidates, chosen, self._next)


MOST_CELLS = 144
"""On more cells the lookups of arrangements look at too few of the tiles."""

_BY = "beam"
_WIDTHS = (200, 2000, 10_000, 40_000, 160_000, 640_000, 2_560_000, 10_240_000)
_TABLE_BYTES = 800_000
"""A table of placements; larger ones take long to build and do not stay in a processor's cache."""
_MOST_BYTES = 8_000_000
"""Tables of single kinds that are built in a second or two."""
_FEW_CELLS = 16
"""With several gaps, tables find shorter plans than the moves of one of them up to here."""
_STEPS = 3000


def operator_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end if the next does not fit."""
    is_large = problem.puzzle.gaps > 1 and problem.puzzle.cells > _FEW_CELLS
    if problem.is_solved or (_has_small_tables(problem) and not is_large):
        yield from placement_beam(problem, incumbent, budget)
        return
    told_apart = _told_apart(problem)
    if told_apart is None:
        yield from placement_beam(problem, incumbent, budget)
        return
    first, twin = told_apart
    beam = blank_beam if twin.structure.blank_graph is not None else permutation_beam
    # Bounds hold for pieces that have to go to cells of their own, and not for the problem.
    own = Incumbent(upper_bound=incumbent.upper_bound - len(first))
    for report in beam(twin, own, budget):
        plan = report.plan
        if plan is not None and problem.puzzle.gaps > 1:
            # Gaps have changed places with each other.
            plan = without_detours(problem, (*first, *plan), 0)
            incumbent.lower_upper_bound(len(plan))
        yield replace(report, plan=plan, lower_bound=0)
        if incumbent.is_closed:
            return
        own.lower_upper_bound(incumbent.upper_bound - len(first))


def permutation_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams over arrangements; end if the next does not fit.

    No report is made if a move depends on the blank, or on more than `MOST_CELLS` cells. With a
    deadline the last beam is as wide as can be expected to end in time. If every move can be
    taken back, so can be a plan of the inverse arrangement: of each width there are two beams,
    which differ in what they find.
    """
    rules = permutation_rules(problem.puzzle)
    if rules is None or not rules.sources or rules.cells > MOST_CELLS or incumbent.is_closed:
        return
    if problem.is_solved:
        yield Report(_BY, ())
        return
    arrangement = problem.puzzle.arrangement(problem.start)
    maps = symmetries(problem.puzzle)
    lookups = yield from run_in_background(lambda tell: guiding_lookups(rules, maps, tell), _BY)
    bound = lookups.value(arrangement)
    yield Report("pattern databases", lower_bound=NO_PLAN if bound == NO_WAY else bound)
    if bound == NO_WAY:
        return
    moves = yield from run_in_background(lambda tell: permutation_moves(rules), _BY)
    ground = Ground(moves, lookups)

    def onward(made: list[int]) -> Plan:
        return tuple(rules.names[move] for move in made)

    def back(made: list[int]) -> Plan:
        # The operators that bring the goal to where `made` have brought it from.
        return onward([rules.destinations.index(rules.sources[move]) for move in reversed(made)])

    directions = [_direction(ground, arrangement, 0, budget, onward)]
    if rules.is_inverse_closed:
        inverse = tuple(map(arrangement.index, range(rules.cells)))
        directions.append(_direction(ground, inverse, 0, budget, back))
    yield from _climb(Ladder(problem, incumbent, budget), directions)


def placement_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams over boards; end if the next does not fit.

    No report is made if there are no tables, as on more than 64 cells.
    """
    rules = placement_rules(problem.puzzle)
    if rules is None or not rules.destinations or incumbent.is_closed:
        return
    choice = table_choice(problem.puzzle, rules)
    lookups = yield from run_in_background(
        lambda tell: choice.guide(_TABLE_BYTES, store=Store(), tell=tell, threads=budget.threads),
        _BY,
    )
    bound = lookups.value(problem.start)
    yield Report("pattern databases", lower_bound=bound)
    if bound == NO_PLAN:
        return
    moves, root = operator_moves(problem)
    names = [operator.name for operator in problem.puzzle.operators]

    def plan(made: list[int]) -> Plan:
        return tuple(names[move] for move in made)

    direction = _direction(Ground(moves, lookups), problem.start, root, budget, plan)
    yield from _climb(Ladder(problem, incumbent, budget), [direction])


def _direction(
    ground: Ground,
    start: Sequence[int],
    root: int,
    budget: Budget,
    plan: Callable[[list[int]], Plan],
) -> Direction:
    return Direction(
        _BY,
        ground.bytes_of_beam,
        lambda width: OperatorBeamRun(ground, start, root, width, budget.threads),
        plan,
    )


def _climb(ladder: Ladder, directions: Sequence[Direction]) -> Iterator[Report]:
    for width in _WIDTHS:
        climbed = False
        for done, direction in enumerate(directions):
            # The first of two beams leaves half of the time to the second.
            climbed |= yield from ladder.climb(direction, width, len(directions) - done)
        if not climbed:
            return


def _has_small_tables(problem: Problem) -> bool:
    """Return True if small tables look at all pieces that the goal places."""
    rules = placement_rules(problem.puzzle)
    if rules is None or sum(len(own.homes) for own in rules.classes.values()) < (
        problem.puzzle.goal_tiles
    ):
        return False
    return sum(table_length(rules, (kind,)) for kind in rules.classes) <= _MOST_BYTES


def _told_apart(problem: Problem) -> tuple[Plan, Problem] | None:
    """Return first moves, and a problem of different pieces that has a beam after them, and a plan
    as far as is known.
    """
    if problem.puzzle.is_distinct:
        return None
    for first, twin in labelled_soon(problem):
        if twin.structure.blank_graph is not None and why_unsolvable(twin) is None:
            return first, twin
        if twin.structure.is_free:
            by_group = _told_apart_by_group(problem)
            return None if by_group is None else ((), by_group)
    return None


def _told_apart_by_group(problem: Problem) -> Problem | None:
    """Send each piece where an element of the group takes it; return None if none is found."""
    puzzle = problem.puzzle
    moves = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    group = PermutationGroup(moves, puzzle.cells, is_likely=True)
    for seed in range(10):
        found = group.bringing_home(problem.start, problem.goal, Random(seed), _STEPS)
        for goes in islice(found, 1):
            return labelled(problem, dict(enumerate(goes)), None)
    return None


_LOOKUPS, _LARGEST, _CANDIDATES = 96, 5, 40
_PATTERNS = 6
"""At least so many, even if one has lookups enough: they see different things."""
_GUIDE_BYTES = 3 << 20
"""All tables together; larger ones do not stay in a processor's cache."""


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
    while size < min(_LARGEST, cells) and count * cells ** (size + 1) <= _GUIDE_BYTES:
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
