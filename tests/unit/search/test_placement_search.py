"""Searches of puzzles of any kind, with pattern databases of placements."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, scrambles, two_dials
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent
from plansolve.solvers.search.astar.astar import astar
from plansolve.solvers.search.beam.operator_beam import placement_beam
from plansolve.solvers.search.breadth_first import breadth_first
from plansolve.solvers.search.constructive.any_puzzle import exchange_constructive
from plansolve.solvers.search.idastar.bounded import bounded_idastar
from plansolve.solvers.search.idastar.placement import (
    placement_all_plans,
    placement_count_plans,
    placement_idastar,
)

MULTI_TILE = "sliding:metric=multi-tile"


def proved(problem, search=placement_idastar):
    """The length of a shortest plan; None where the search proves that there is none."""
    length, bound = None, 0
    for report in search(problem, Incumbent(), Budget(memory=1 << 30)):
        bound = max(bound, report.lower_bound)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            length = len(report.plan)
    assert bound >= (NO_PLAN if length is None else length)
    return length


@pytest.mark.parametrize(
    "puzzle",
    [
        row_slides(),
        one_way_ring(),
        pytest.param(make("lloyd", 3, 3), marks=pytest.mark.slow),
    ],
)
def test_every_board_of_small_puzzles(puzzle):
    distances = Rules.of(puzzle).distances_to(puzzle.goal)
    for board in Random(1).sample(sorted(distances), min(12, len(distances))):
        assert proved(Problem(puzzle, board)) == distances[board]


@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("gaps", [1, 2, 3])
@pytest.mark.parametrize("search", [placement_idastar, bounded_idastar, astar, breadth_first])
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 28), marks=pytest.mark.slow)])
def test_random_rules(are_alike, is_open, gaps, search, seeds):
    for seed in seeds:
        random = Random(seed)
        puzzle = random_puzzle(
            random, 4 + seed % 3, are_alike=are_alike, is_open=is_open, gaps=gaps
        )
        distances = goal_distances(puzzle)
        # Without tables IDA* looks for ever longer plans.
        has_no_end = search is bounded_idastar or placement_rules(puzzle) is None
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


def dials_with_a_gap():
    """Two dials, each of whose turns needs the gap in a cell of its own."""
    dials = two_dials()
    needs = {"a1": 0, "a2": 1, "a3": 3, "b1": 2, "b2": 3, "b3": 5}
    operators = tuple(replace(one, blank=needs[one.name]) for one in dials.operators)
    return replace(dials, name="dials", goal=(1, 2, 2, 0, 1, 1), pieces=(), operators=operators)


def test_every_shortest_plan_is_counted_with_tables_that_leave_out_what_moves_need(monkeypatch):
    monkeypatch.setattr("plansolve.patterns.placement_rules._MOST_PLACEMENTS", 20)
    puzzle = dials_with_a_gap()
    assert placement_rules(puzzle).relaxed
    assert_all_are_found(puzzle)


@pytest.mark.parametrize("puzzle", [row_slides(), one_way_ring()])
def test_every_shortest_plan_is_listed_and_counted(puzzle):
    assert_all_are_found(puzzle)


def assert_all_are_found(puzzle):
    rules = Rules.of(puzzle)
    distances = rules.distances_to(puzzle.goal)
    for board in Random(3).sample(sorted(distances), min(25, len(distances))):
        length = distances[board]
        if length == 0:
            continue
        ways = {(board,)}
        for _ in range(length):
            ways = {
                (*way, after)
                for way in ways
                for _, after in rules.successors(way[-1])
                if distances.get(after) == distances[way[-1]] - 1
            }
        problem, incumbent = Problem(puzzle, board), Incumbent(length, length)
        reports = [*placement_all_plans(problem, incumbent, Budget(memory=1 << 30))]
        plans = [report.plan for report in reports if report.plan is not None]
        assert reports[-1].is_complete
        assert {tuple(rules.replay(board, plan)) for plan in plans} == ways
        assert len(plans) == len(ways)
        *_, last = placement_count_plans(problem, incumbent, Budget(memory=1 << 30))
        assert last.is_complete and last.counts["plans"] == len(ways)
