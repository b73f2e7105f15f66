"""ARA* against a plain reference, node for node, and against exhaustive tables."""

from dataclasses import replace
from itertools import pairwise, permutations
from random import Random
from types import MappingProxyType

import numpy as np
import pytest
from support.fixtures.cases import distance_table, make
from support.fixtures.solving import board
from support.reference import astar as reference
from support.reference.ara import ara
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve import solve
from plansolve.bounds import registry
from plansolve.bounds.bound import Bound, NodeBound
from plansolve.bounds.registry import BOUNDS
from plansolve.checker import check_plan
from plansolve.exit_codes import exit_code
from plansolve.model.problem import Problem
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.result import Status, StopReason
from plansolve.solvers.search.astar import anytime
from plansolve.solvers.search.astar import anytime_kernel as kernel
from plansolve.solvers.search.astar.anytime import COST, WEIGHTS, anytime_astar
from plansolve.solvers.search.astar.space import AnytimeSpace
from plansolve.solvers.search.astar.tables import Tables

HARDEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)
"""One of the two 3x3 boards that are 31 moves from the blank-last goal."""


def run(problem, optimum=None, *, incumbent=None, budget=None, cells=600):
    """The lengths of the plans and the last lower bound; what has to hold of all reports.

    `optimum` is None where there is no plan. The search is at its end, or its memory is full.
    """
    incumbent = incumbent or Incumbent()
    upper, plans, bounds, weights, is_full = incumbent.upper_bound, [], [], [], False
    try:
        for report in anytime_astar(problem, incumbent, budget or Budget(), cells):
            if report.plan is not None:
                assert check_plan(problem, report.plan).solves
                plans.append(len(report.plan))
            if plans and optimum:
                assert plans[-1] / optimum <= report.counts["ratio"]
            if report.lower_bound:
                bounds.append(report.lower_bound)
            if "weight" in report.counts:
                weights.append(report.counts["weight"])
    except CutShort as cut:
        assert cut.reason == StopReason.MEMORY
        is_full = True
    # Each plan is better, each weight smaller, and no bound wrong.
    assert all(late < early for early, late in pairwise([upper, *plans]))
    assert all(late <= early for early, late in pairwise(weights))
    bound = max(bounds, default=0)
    assert bound <= (min(upper, NO_PLAN) if optimum is None else optimum)
    assert optimum is not None or not plans
    if not is_full:
        assert bound >= min([upper, *plans])
    return plans, bound


# Node for node


def leaping(puzzle, seed=15):
    """Tile distances some of which are left out: an admissible bound that is not consistent."""
    random = np.random.default_rng(seed)
    distance = Tables.of(Problem(puzzle, puzzle.goal)).rules.operators.distance
    return distance * random.integers(0, 2, distance.size, np.int32)


@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
@pytest.mark.parametrize("is_consistent", [True, False])
def test_as_many_expansions_as_the_reference(specification, is_consistent):
    puzzle = make(specification, 3, 3)
    tables = Tables.of(Problem(puzzle, puzzle.goal))
    h = reference.tile_distance_bound(puzzle)
    if not is_consistent:
        kept = leaping(puzzle)
        operators = tables.rules.operators._replace(distance=kept)
        tables = replace(tables, rules=tables.rules._replace(operators=operators))

        def h(state):
            return sum(int(kept[tile * 9 + cell]) for cell, tile in enumerate(state))

    table = distance_table(specification, 3, 3)
    cost, weights, reopened = 8, (24, 16, 12, 10, 8), 0
    for start in Random(3).sample(sorted(s for s in table if 9 < table[s] < 17), 5):
        expected = ara(puzzle, start, h, cost, weights)
        space = AnytimeSpace(tables, start, 1 << 26, cost, weights[0])
        best, lengths, least = NO_PLAN, [], []
        for weight in weights:
            list(space.begin(weight, best))
            while (status := space.expand(50, best)) != kernel.NOTHING_LEFT:
                if status == kernel.SOLVED:
                    best = len(space.path())
                    lengths.append(best)
                elif status == kernel.MORE_ROWS:
                    assert space.add_rows()
                elif status == kernel.FULL:
                    list(space.grow())
                assert min(best, space.smallest_f or NO_PLAN) <= table[start]
            least.append(NO_PLAN if space.smallest_f is None else space.smallest_f)
        assert lengths == expected.lengths and best == table[start]
        # The reference leaves the start's f alone, A* takes a smaller f for that.
        assert least == [max(f, space.base) for f in expected.least]
        counts = space.counts
        assert counts["expansions"] == expected.expansions
        assert counts["generated"] == expected.generated
        assert counts["stored"] == len(expected.depth)
        assert counts["reopened"] == expected.reopened
        reopened += expected.reopened
    assert reopened


# Plans and bounds


@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
def test_every_plan_and_bound_of_3x3_boards_is_right(specification):
    puzzle, table = make(specification, 3, 3), distance_table(specification, 3, 3)
    ratios = []
    for start in [puzzle.goal, *Random(5).sample(sorted(table), 25)]:
        plans, bound = run(Problem(puzzle, start), table[start])
        assert plans[-1] == bound == table[start]
        ratios.append(plans[0] / max(1, table[start]))
    # The first plan is no shortest one as a rule.
    assert sum(ratio > 1 for ratio in ratios) > 10


def test_the_hardest_3x3_board_gets_several_plans():
    plans, bound = run(Problem(make("sliding", 3, 3), HARDEST), 31)
    assert len(plans) > 1 and plans[-1] == bound == 31


def test_every_2x3_board():
    puzzle = make("sliding", 2, 3, (1, 0, 2, 3, 4, 5))
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in permutations(range(6)):
        plans, bound = run(Problem(puzzle, start), table.get(start), cells=6_000)
        assert bound == table.get(start, NO_PLAN)
        assert bool(plans) == (start in table)


@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_random_rules(are_alike, is_open):
    for seed in range(20):
        random = Random(seed)
        puzzle = random_puzzle(random, 4 + seed % 3, are_alike=are_alike, is_open=is_open)
        distances = goal_distances(puzzle)
        for _ in range(6):
            start = tuple(random.sample(puzzle.pieces, puzzle.cells))
            plans, bound = run(Problem(puzzle, start), distances.get(start))
            assert bound == distances.get(start, NO_PLAN)
            assert bool(plans) == (start in distances)


class Leaping(Bound):
    name = "leaping"
    admissible, consistent = True, False

    def at_nodes(self, problem):
        rows = leaping(problem.puzzle, 16).reshape(-1, problem.puzzle.cells).tolist()
        return NodeBound({tile: row for tile, row in enumerate(rows) if tile})


def test_a_bound_that_is_not_consistent_gives_right_answers(monkeypatch):
    monkeypatch.setattr(registry, "BOUNDS", MappingProxyType({**BOUNDS, "leaping": Leaping()}))
    puzzle, table = make("sliding", 3, 3), distance_table("sliding", 3, 3)
    budget = Budget(options=Options(bound="leaping"))
    for start in Random(6).sample(sorted(table), 12):
        plans, bound = run(Problem(puzzle, start), table[start], budget=budget)
        assert bound == table[start] and (plans or start == puzzle.goal)


@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
def test_no_memory_gives_a_wrong_plan_or_bound(specification):
    puzzle, table = make(specification, 3, 3), distance_table(specification, 3, 3)
    random, unfinished = Random(17), 0
    for start in random.sample(sorted(table), 50):
        memory = Budget(memory=random.randint(0, 400_000))
        plans, bound = run(Problem(puzzle, start), table[start], budget=memory, cells=5_000)
        unfinished += not plans or plans[-1] > bound
        assert not plans or plans[-1] >= table[start]
    assert unfinished > 10


def test_the_arrays_stay_within_the_memory():
    puzzle = make("sliding", 4, 4)
    start = (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)
    tables = Tables.of(Problem(puzzle, start))
    for memory in (100_000, 1_000_000):
        space = AnytimeSpace(tables, start, memory, COST, COST)
        list(space.begin(COST, NO_PLAN))
        while True:
            arrays = [array for array in vars(space).values() if isinstance(array, np.ndarray)]
            assert sum(array.nbytes for array in arrays) + tables.nbytes <= memory
            status = space.expand(1 << 40, NO_PLAN)
            if status == kernel.MORE_ROWS and space.add_rows():
                continue
            if status != kernel.FULL or not space.can_grow:
                break
            list(space.grow())
        assert status in (kernel.FULL, kernel.MORE_ROWS)


def test_every_limit_gives_a_shorter_plan_or_proves_the_limit(lloyd_table):
    puzzle = make("lloyd", 3, 3)
    for start in Random(18).sample(sorted(lloyd_table), 5):
        depth = lloyd_table[start]
        for upper in range(depth + 4):
            known = Incumbent(upper_bound=upper)
            plans, bound = run(Problem(puzzle, start), depth, incumbent=known)
            assert bound == depth or upper <= bound < depth
            assert bool(plans) == (upper > depth)


def test_what_another_search_finds_meanwhile_counts():
    problem, incumbent = Problem(make("sliding", 3, 3), HARDEST), Incumbent()
    search = anytime_astar(problem, incumbent, Budget(), 600)
    while next(search).plan is None:
        pass
    incumbent.lower_upper_bound(31)
    rest = list(search)
    assert all(report.plan is None for report in rest)
    assert max(report.lower_bound for report in rest) == 31


def test_weights_fall_to_that_of_plain_astar():
    assert [*WEIGHTS] == sorted({*WEIGHTS}, reverse=True)
    assert WEIGHTS[-1] == COST


# Large boards, and the answer as users get it


def test_a_plan_of_other_techniques_comes_where_weights_find_none(monkeypatch):
    monkeypatch.setattr(anytime, "_MOST_CELLS", 1)
    problem = board(make("sliding", 5, 5), 2_000)
    budget = Budget(memory=1 << 26, options=Options(bound="tile-distances"))
    found = []
    for report in anytime_astar(problem, Incumbent(), budget):
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            found.append((len(report.plan), report.by))
        if report.by.startswith("ARA*") and found:
            break
    # A beam may find shorter ones, if it gets to it in its seconds.
    assert found[0][1] == "row by row"
    assert [length for length, _ in found] == sorted({length for length, _ in found}, reverse=True)
    # What follows begins with a weight below the ratio that is proved.
    assert report.counts["weight"] < max(WEIGHTS) / COST


@pytest.mark.slow
def test_the_result_has_plan_bounds_and_the_reason(kept_workers):
    problem = board(make("sliding", 5, 5), 3_000)
    result = solve(
        problem,
        optimal=False,
        engine="astar",
        bound="tile-distances",
        memory_limit="300M",
        workers=kept_workers,
    )
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.MEMORY)
    assert (exit_code(result, optimal=False), exit_code(result, optimal=True)) == (0, 22)
    assert 0 < result.lower_bound < result.length
    assert "memory" in result.explanation


def test_an_optimal_plan_is_asked_of_plain_astar(kept_workers):
    problem = Problem(make("sliding", 3, 3), HARDEST)
    results = {
        optimal: solve(problem, optimal=optimal, engine="astar", workers=kept_workers)
        for optimal in (True, False)
    }
    assert {result.length for result in results.values()} == {31}
    assert {result.status for result in results.values()} == {Status.OPTIMAL}
    assert results[True].statistics.plan_technique == "A*"
    assert results[False].statistics.plan_technique.startswith("ARA* with weight ")
