"""Beam search on puzzles of any kind, guided by small pattern databases of placements.

Breadth-first search that keeps of each layer the boards with the smallest sum of squares of their
lookups, or of sums of lookups, at rising widths.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.placement_rules import placement_rules
from plansolve.patterns.placement_tables import table_choice
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import (
    EVERY_PLAN,
    MOST_BYTES,
    MOST_OPERATOR_SEQUENCES,
    puzzle_automaton,
    vertex_of,
)
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam import placement_beam_kernel as kernel
from plansolve.solvers.search.beam.ladder import Direction, Ladder
from plansolve.solvers.search.beam.operator_beam_run import SCORE_BITS, BeamLimits, OperatorBeamRun
from plansolve.solvers.search.beam.run import BYTES_OF_STEP
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
    find,
)
from plansolve.solvers.search.bound_tables import move_tables, need_table
from plansolve.storage.store import Store, Tell

__all__ = ["placement_beam"]

_BY = "beam"
_WIDTHS = (200, 2000, 10_000, 40_000, 160_000, 640_000, 2_560_000, 10_240_000)
_LAYERS = 60
_TABLE_BYTES = 800_000
"""A table of the guide; larger ones take long to build and do not stay in a processor's cache."""
_SEQUENCE = 4
"""The longest duplicate sequences of operators that are left out."""
_CLOSED_A_STATE, _BUCKET = 64, 64


def placement_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end where the next does not fit.

    No report is made where there are no tables, as on more than 64 cells.
    """
    rules = placement_rules(problem.puzzle)
    if rules is None or not rules.destinations or incumbent.is_closed:
        return
    choice = table_choice(problem.puzzle, rules)

    def lookups(tell: Tell) -> PlacementLookups:
        return choice.guide(_TABLE_BYTES, store=Store(), tell=tell, threads=budget.threads)

    guiding = yield from run_in_background(lookups, _BY)
    bound = guiding.value(problem.start)
    yield Report("pattern databases", lower_bound=bound)
    if bound == NO_PLAN:
        return
    ground = _PlacementGround(problem, guiding)
    names = [operator.name for operator in problem.puzzle.operators]

    def plan(moves: list[int]) -> Plan:
        return tuple(names[move] for move in moves)

    direction = Direction(
        _BY,
        ground.bytes_of_beam,
        lambda width: _PlacementBeamRun(ground, width, budget.threads),
        plan,
    )
    ladder = Ladder(problem, incumbent, budget)
    for width in _WIDTHS:
        if not (yield from ladder.climb(direction, width)):
            return


class _PlacementGround:
    """What all beams of one problem share; `scores` is the number of scores."""

    def __init__(self, problem: Problem, lookups: PlacementLookups) -> None:
        puzzle = problem.puzzle
        automaton = puzzle_automaton(
            puzzle,
            length=_SEQUENCE,
            keep=EVERY_PLAN,
            most_sequences=MOST_OPERATOR_SEQUENCES,
            most_bytes=MOST_BYTES,
        )
        self.cells, self.branches = puzzle.cells, int(np.diff(automaton.offset).max(initial=1))
        self.start = np.array(problem.start, np.uint8)
        self.root = int(automaton.roots[vertex_of(puzzle, problem.start)])
        table = lookups.tables.table
        largest = int(table[table != NO_WAY].max(initial=0))
        sums = pairwise(lookups.first.tolist())
        most = sum((largest * (end - begin)) ** 2 for begin, end in sums)
        shift = max(0, most.bit_length() - SCORE_BITS)
        self.scores = (most >> shift) + 1
        contents = puzzle.pieces[-1] + 1
        self.guide = kernel.PlacementGuide(
            np.array(problem.goal, np.int32),
            *move_tables(puzzle),
            need_table(puzzle),
            lookups.tables,
            lookups.first,
            np.random.default_rng(1).integers(1, 1 << 63, contents * puzzle.cells, np.uint64),
            automaton.offset,
            automaton.move,
            automaton.next,
            shift,
        )

    def bytes_of_beam(self, width: int) -> int:
        """The memory of a beam of that width."""
        children = self.branches * BYTES_OF_CANDIDATE + 4
        slots = 8 * 2 * _CLOSED_A_STATE
        return width * (2 * (self.cells + 12) + children + slots + BYTES_OF_STEP * _LAYERS)


class _PlacementBeamRun(OperatorBeamRun[kernel.PlacementBeamLayer]):
    """A beam from the start."""

    def __init__(self, ground: _PlacementGround, width: int, threads: int) -> None:
        self._ground = ground
        cells = ground.cells
        layers = [
            kernel.PlacementBeamLayer(
                np.empty(width * cells, np.uint8),
                np.empty(width, np.uint64),
                np.empty(width, np.uint32),
            )
            for _ in range(2)
        ]
        closed = bucket_table(_CLOSED_A_STATE * width, _BUCKET)
        super().__init__(
            width,
            (layers[0], layers[1]),
            closed,
            branches=ground.branches,
            scores=ground.scores,
            threads=threads,
        )
        # The keys are XORed into the hash, so that any value serves for the start.
        value = np.uint64(1)
        closed[find(closed, value)] = value
        self._here.board[:cells], self._here.zobrist[0] = ground.start, value
        self._here.node[0] = ground.root

    def _children(
        self,
        first: int,
        last: int,
        stored: int,
        limits: BeamLimits,
        candidates: Candidates,
        found: Any,
    ) -> tuple[int, int]:
        guide = self._ground.guide
        return kernel.expand(first, last, stored, limits, guide, self._here, candidates, found)

    def _make(self, begin: int, end: int) -> None:
        guide, chosen = self._ground.guide, self._chosen
        kernel.make(begin, end, guide, self._here, self._candidates, chosen, self._next)
