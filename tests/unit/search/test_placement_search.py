"""Searches of puzzles of any kind, with pattern databases of placements."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, scrambles
from support.reference.placements import goal_distances, random_puzzle

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.search.astar.astar import astar
from plansolve.solvers.search.beam.operator_beam import placement_beam
from plansolve.solvers.search.breadth_first import breadth_first
from plansolve.solvers.search.constructive.any_puzzle import exchange_constructive
from plansolve.solvers.search.idastar.engine import shortest_plan

MULTI_TILE = "sliding:metric=multi-tile"


def proved(problem):
    """The length of a shortest plan; None where IDA* proves that there is none."""
    length, bound = None, 0
    for report in shortest_plan(problem, Incumbent(), Budget(memory=1 << 30)):
        bound = max(bound, report.lower_bound)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            length = len(report.plan)
    assert bound >= (NO_PLAN if length is None else length)
    return length


def by_distances(problem, incumbent, budget):
    options = Options(bound="tile-distances")
    return shortest_plan(problem, incumbent, replace(budget, options=options))


@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("gaps", [1, 2, 3])
@pytest.mark.parametrize("search", [shortest_plan, by_distances, astar, breadth_first])
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 28), marks=pytest.mark.slow)])
def test_random_rules(are_alike, is_open, gaps, search, seeds):
    for seed in seeds:
        random = Random(seed)
        puzzle = random_puzzle(
            random, 4 + seed % 3, are_alike=are_alike, is_open=is_open, gaps=gaps
        )
        distances = goal_distances(puzzle)
        # Without tables IDA* looks for ever longer plans.
        has_no_end = search is by_distances or placement_rules(puzzle) is None
        for _ in range(8):
            board = tuple(random.sample(puzzle.pieces, puzzle.cells))
            if board not in distances and has_no_end:
                continue
            reports = list(search(Problem(puzzle, board), Incumbent(), Budget(memory=1 << 30)))
            plans = [report.plan for report in reports if report.plan is not None]
            assert all(check_plan(Problem(puzzle, board), plan).solves for plan in plans)
            bounds = [report.lower_bound for report in reports]
            if board in distances:
                assert len(plans[-1]) == distances[board] >= max(bounds)
            else:
                assert not plans


# The largest distances: 53 on 3x4 with one tile at a time (OEIS A151944),
# and 43 on 4x4 in multi-tile moves (Bruce Norskog, Domain of the Cube Forum, 2010).
@pytest.mark.slow
@pytest.mark.parametrize(("rows", "most"), [(3, 53), (4, 43)])
def test_random_boards_in_multi_tile_moves_are_proved(rows, most):
    puzzle = make(MULTI_TILE, rows, 4)
    problem = Problem(puzzle, scrambles(puzzle, 1, 400, 3)[0])
    length = proved(problem)
    assert 15 < length <= most
    reports = beam_of(problem, most=4)
    best = min(len(report.plan) for report in reports if report.plan is not None)
    assert length <= best <= length + 4


def beam_of(problem, most):
    """The reports of a beam until it has told so many plans."""
    incumbent, plans = Incumbent(), 0
    for report in placement_beam(problem, incumbent, Budget(memory=1 << 30)):
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            incumbent.lower_upper_bound(len(report.plan))
            plans += 1
        yield report
        if plans == most:
            return


@pytest.mark.parametrize(
    "puzzle",
    [
        make(MULTI_TILE, 3, 3),
        one_way_ring(7),
        pytest.param(row_slides(2, 5), marks=pytest.mark.slow),
        pytest.param(make("sliding-gaps:3", 3, 4), marks=pytest.mark.slow),
    ],
)
def test_the_beam_finds_short_plans(puzzle):
    for board in scrambles(puzzle, 3, 30, 2):
        problem = Problem(puzzle, board)
        plans = [r.plan for r in beam_of(problem, most=9) if r.plan is not None]
        assert plans or board == puzzle.goal
        if plans:
            assert len(plans[-1]) <= proved(problem) + 2


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 4), (5, 6)])
def test_a_plan_of_exchanges_is_cut_short_by_the_other_moves(rows, columns):
    puzzle = make(MULTI_TILE, rows, columns)
    simple = make("sliding", rows, columns)
    for board in scrambles(puzzle, 3, 300, 4):
        problem = Problem(puzzle, board)
        (*_, report) = exchange_constructive(problem, Incumbent(), Budget())
        assert check_plan(problem, report.plan).solves
        (single, *_) = exchange_constructive(Problem(simple, board), Incumbent(), Budget())
        assert len(report.plan) < len(single.plan)


def test_no_exchanges_no_plan_of_them():
    puzzle = make("loopover", 3, 3)
    problem = Problem(puzzle, scrambles(puzzle, 1, 9, 1)[0])
    assert [*exchange_constructive(problem, Incumbent(), Budget())] == []
