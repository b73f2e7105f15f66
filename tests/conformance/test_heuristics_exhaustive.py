"""What every lower bound of the registry declares, on all boards of spaces too large for tuples.

The small spaces, and samples of these, are in tests/unit/test_heuristics.py.
"""

import numpy as np
import pytest
from support.fixtures import cases
from support.reference.layers import layers
from support.reference.oracle import Rules

from plansolve.bounds.registry import HEURISTICS
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure

NAMES = sorted(HEURISTICS)


class Bounds:
    """All bounds of one puzzle's boards, in the order of NAMES."""

    def __init__(self, puzzle):
        self.puzzle, self.structure = puzzle, Structure(puzzle)

    def __call__(self, start):
        problem = Problem(self.puzzle, start)
        vars(problem)["structure"] = self.structure
        return tuple(HEURISTICS[name].bound(problem) for name in NAMES)


def never_exceed(bounds, depth):
    for name, bound in zip(NAMES, bounds, strict=True):
        assert not HEURISTICS[name].admissible or 0 <= bound <= depth, (name, bound, depth)


def fall_by_one_at_most(here, there):
    for name, before, after in zip(NAMES, here, there, strict=True):
        assert not HEURISTICS[name].consistent or before <= 1 + after, (name, before, after)


def hold_everywhere(puzzle, table):
    """Every board of a space that moves do not leave, every move."""
    bounds_of, rules = Bounds(puzzle), Rules.of(puzzle)
    bounds = {board: bounds_of(board) for board in table}
    assert set(bounds[puzzle.goal]) == {0}
    for board, depth in table.items():
        never_exceed(bounds[board], depth)
        for _, after in rules.successors(board):
            fall_by_one_at_most(bounds[board], bounds[after])


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["blank-last", "snail"])
def test_bounds_hold_for_all_3x3_boards_and_along_all_moves(goal):
    hold_everywhere(cases.make("sliding", 3, 3, goal), cases.distance_table("sliding", 3, 3, goal))


@pytest.mark.slow
def test_bounds_hold_for_all_lloyd_3x3_boards_and_along_all_moves(lloyd_table):
    hold_everywhere(cases.make("lloyd", 3, 3), lloyd_table)


@pytest.mark.slow
def test_bounds_hold_for_all_2x4_boards_and_along_all_moves():
    hold_everywhere(cases.make("sliding", 2, 4), cases.distance_table("sliding", 2, 4))


@pytest.mark.slow
def test_bounds_hold_for_torus_ring_boards_to_depth_five():
    # All boards to depth 4, one in a hundred at depth 5; some moves from each depth.
    puzzle = cases.make("torus-ring", 5, 5)
    bounds_of, rules, random = Bounds(puzzle), Rules.of(puzzle), np.random.default_rng(20)
    for depth, layer in enumerate(layers(puzzle, 5)):
        share = random.random(len(layer)) < (0.01 if depth == 5 else 1)
        for board in map(tuple, layer[share].tolist()):
            never_exceed(bounds_of(board), depth)
        for board in map(tuple, random.permutation(layer)[:300].tolist()):
            here = bounds_of(board)
            for _, after in rules.successors(board):
                there = bounds_of(after)
                fall_by_one_at_most(here, there)
                fall_by_one_at_most(there, here)
