"""Beams on puzzles of any kind: by tables of kinds of pieces, or with alike pieces told apart."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import make

from plansolve.analysis.solvability import why_unsolvable
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.beam.operator_beam import operator_beam
from plansolve.solvers.search.constructive.labelled import labelled_problems


def alike(puzzle, size):
    """The puzzle with pieces of which so many are alike."""
    goal = tuple((tile + size - 1) // size for tile in puzzle.goal)
    return replace(puzzle, goal=goal, pieces=())


def opened(puzzle, cells):
    """The puzzle with a goal for the first cells only."""
    goal = (*puzzle.goal[:cells], *[OPEN] * (puzzle.cells - cells))
    return replace(puzzle, goal=goal, pieces=tuple(sorted(puzzle.goal)))


TOO_MANY = {
    "many of a kind": alike(make("sliding", 6, 6), 12),
    "many cells": alike(make("sliding", 8, 9), 3),
    "many open cells": opened(make("sliding", 8, 9), 30),
    "gaps": make("sliding-gaps:3", 6, 6),
    "turns": alike(make("loopover", 5, 5), 12),
}


def told(problem):
    """The reports up to the first plan, and that plan."""
    reports = []
    for report in operator_beam(problem, Incumbent(), Budget(memory=1 << 28)):
        reports.append(report)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            return reports, report.plan
    return reports, None


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name == "turns" else ()) for name in TOO_MANY],
)
def test_alike_pieces_are_told_apart_and_their_bounds_kept_back(name):
    puzzle = TOO_MANY[name]
    board = tuple(Random(name).sample(puzzle.pieces, puzzle.cells))
    reports, plan = told(Problem(puzzle, board))
    assert plan
    assert all(report.lower_bound == 0 for report in reports)


def test_two_gaps_need_a_first_move_of_the_other_one_at_times():
    """What is cut out of the plan afterwards, gaps that change places, makes it no longer."""
    puzzle, random, of_one_gap = make("sliding-gaps", 5, 5), Random(4), []
    for _ in range(6):
        board = tuple(random.sample(puzzle.goal, puzzle.cells))
        problem = Problem(puzzle, board)
        twins = [twin for twin in labelled_problems(problem) if why_unsolvable(twin) is None]
        _, plan = told(problem)
        assert plan
        of_one_gap.append(bool(twins))
    assert {*of_one_gap} == {False, True}


def test_a_pair_of_alike_pieces_makes_every_board_solvable():
    """Of the two ways to tell them apart the one without a plan is not looked at."""
    puzzle = alike(make("sliding", 8, 9), 2)
    for first, second in ((0, 2), (0, 4)):
        board = list(puzzle.goal)
        board[first], board[second] = board[second], board[first]
        _, plan = told(Problem(puzzle, tuple(board)))
        assert plan


def test_small_tables_tell_bounds_of_the_problem_itself():
    puzzle = alike(make("sliding", 3, 3), 2)
    board = puzzle.goal[::-1]
    reports, plan = told(Problem(puzzle, board))
    assert 0 < max(report.lower_bound for report in reports) <= len(plan)
