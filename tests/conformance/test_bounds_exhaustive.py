"""What every lower bound of the registry declares, on all boards of spaces too large for tuples.

The small spaces, and samples of these, are in tests/unit/bounds/test_bounds.py.
"""

import numpy as np
import pytest
from support.fixtures import cases
from support.reference.layers import layers
from support.reference.oracle import Rules

from plansolve.bounds.registry import BOUNDS
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure


class Values:
    """All bounds of one puzzle's boards, by name, at the start and as searches evaluate them."""

    def __init__(self, puzzle):
        self.puzzle, self.structure = puzzle, Structure(puzzle)
        self.bounds = [bound for bound in BOUNDS.values() if bound.fits(self.structure)]
        goal = Problem(puzzle, puzzle.goal)
        self.at_nodes = {bound: bound.at_nodes(goal) for bound in self.bounds}

    def __call__(self, start):
        problem = Problem(self.puzzle, start)
        vars(problem)["structure"] = self.structure
        quick = [(bound, bound.value(problem)) for bound in self.bounds if bound.quick]
        return [*quick, *((bound, data.value(start)) for bound, data in self.at_nodes.items())]


def never_exceed(values, depth):
    for bound, value in values:
        assert not bound.admissible or 0 <= value <= depth, (bound.name, value, depth)


def fall_by_one_at_most(here, there):
    for (bound, before), (_, after) in zip(here, there, strict=True):
        assert not bound.consistent or before <= 1 + after, (bound.name, before, after)


def hold_everywhere(puzzle, table):
    """Every board of a space that moves do not leave, every move."""
    bounds_of, rules = Values(puzzle), Rules.of(puzzle)
    bounds = {board: bounds_of(board) for board in table}
    assert {value for _, value in bounds[puzzle.goal]} == {0}
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
    bounds_of, rules, random = Values(puzzle), Rules.of(puzzle), np.random.default_rng(20)
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
