"""IDA* on blank graphs: shortest plans and true bounds, on boards of any size."""

from random import Random

import numpy as np
import pytest
from support.fixtures.cases import distance_table, make
from support.fixtures.idastar import (
    LLOYD,
    SLIDING,
    distances,
    hardest_board,
    last,
    one_way_distances,
    one_way_puzzle,
    patterns,
    plans_of,
    sample,
    search_of,
)
from support.reference import idastar as reference
from support.reference.oracle import Rules

from plansolve.bounds.distance import TileDistances
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.idastar import idastar
from plansolve.solvers.search.idastar.blank import (
    blank_all_plans,
    blank_count_plans,
    blank_idastar,
    blank_least_penalty,
)
from plansolve.solvers.search.idastar.bound_tree import bound_tree


def solve(problem, incumbent=None, budget=None, sets=None, cutting=None):
    search = idastar.idastar
    options = {"budget": budget, "sets": sets, "cutting": cutting}
    reports = list(search_of(search, problem, incumbent or Incumbent(), **options))
    bounds = [f.lower_bound for f in reports if f.lower_bound]
    assert bounds == sorted(bounds)
    plans = [f.plan for f in reports if f.plan is not None]
    assert len(plans) <= 1
    return reports, plans[0] if plans else None


def check_solved(problem, optimum, sets=None, threads=1, cutting=None):
    reports, plan = solve(problem, budget=Budget(threads=threads), sets=sets, cutting=cutting)
    assert plan is not None
    assert len(plan) == optimum
    assert Rules.of(problem.puzzle).replay(problem.start, plan)[-1] == problem.goal
    assert all(f.lower_bound <= optimum for f in reports)
    assert reports[-1].lower_bound == optimum
    parity = problem.structure.plan_parity(problem.start)
    assert parity is None or all(
        (f.lower_bound ^ parity) & 1 == 0 for f in reports if f.lower_bound
    )
    by_bound = reports[-1].counts["nodes_by_bound"]
    assert reports[-1].counts["nodes"] == sum(by_bound.values())
    return by_bound


@pytest.mark.parametrize("specification", [("sliding", 2, 3), SLIDING, LLOYD])
def test_plans_are_the_oracles_shortest(specification):
    table = distances(specification)
    for board in [*sample(table, 15), max(table, key=lambda b: (table[b], b))]:
        problem = Problem(make(*specification), board)
        check_solved(problem, table[board])
        check_solved(problem, table[board], patterns(specification, 3))


@pytest.mark.parametrize("seed", range(4))
def test_plans_on_one_way_graphs_are_the_oracles_shortest(seed):
    puzzle, table = one_way_puzzle(seed), one_way_distances(seed)
    for board in sample(table, 12):
        check_solved(Problem(puzzle, board), table[board])


def test_goals_of_every_kind():
    for specification in (("sliding", 2, 3), ("sliding", 2, 4)):
        for name in ("blank-first", "snail"):
            table = distance_table(*specification, goal=name)
            for board in sample(table, 3):
                check_solved(Problem(make(*specification, name), board), table[board])
    centre = (1, 2, 3, 4, 0, 5, 6, 7, 8)
    table = distance_table(*SLIDING, goal=centre)
    for board in sample(table, 3):
        check_solved(Problem(make(*SLIDING, centre), board), table[board])


def test_the_goal_itself():
    problem = Problem(make(*SLIDING), make(*SLIDING).goal)
    assert solve(problem)[1] == ()
    assert plans_of(search_of(idastar.all_plans, problem, 0)) == [()]
    assert last(search_of(idastar.count_plans, problem, 0)).counts["plans"] == 1


def test_two_threads_do_the_same_work():
    table = distance_table(*SLIDING)
    cutting = {"large_round": -1, "nodes_a_subtree": 2}
    for board in sample(table, 4, seed=5):
        problem = Problem(make(*SLIDING), board)
        for sets in (None, patterns(SLIDING, 4)):
            one = check_solved(problem, table[board], sets, cutting=cutting)
            two = check_solved(problem, table[board], sets, threads=2, cutting=cutting)
            assert one.keys() == two.keys()
            assert [*one.values()][:-1] == [*two.values()][:-1]


def test_a_known_plan_of_the_proved_length_ends_the_search():
    problem, optimum = hardest_board()
    reports, plan = solve(problem, Incumbent(0, optimum))
    assert plan is None
    assert reports[-1].lower_bound == optimum


def test_bounds_that_others_raise_are_used():
    problem, optimum = hardest_board()
    parity = optimum & 1
    reports, plan = solve(problem, Incumbent(optimum - 3, NO_PLAN))
    assert len(plan) == optimum
    assert reports[0].lower_bound == optimum - 2 + (parity ^ (optimum & 1))
    assert list(reports[-1].counts["nodes_by_bound"]) == [str(optimum - 2), str(optimum)]
    # While a round runs: its slices are made tiny, and it is left unfinished.
    incumbent = Incumbent(optimum - 2)
    search = search_of(idastar.idastar, problem, incumbent, cutting={"slice_nodes": 1})
    assert next(search).lower_bound == optimum - 2
    next(search)
    incumbent.raise_lower_bound(optimum - 1)
    rest = [f for f in search if f.lower_bound]
    assert rest[0].lower_bound == optimum
    assert len(rest[-1].plan) == optimum
    assert rest[-1].counts["nodes_by_bound"][str(optimum - 2)] < 5
    assert reports[-1].counts["nodes_by_bound"][str(optimum - 2)] > 100
    # Another search closes the gap: nothing more is told.
    incumbent = Incumbent()
    search = search_of(idastar.idastar, problem, incumbent, cutting={"slice_nodes": 1})
    next(search)
    next(search)
    incumbent.raise_lower_bound(optimum)
    incumbent.lower_upper_bound(optimum)
    assert list(search) == []


def test_tiny_slices_give_signs_of_life_and_the_same_counts():
    problem, _ = hardest_board()
    whole, plan = solve(problem)
    sliced, same = solve(problem, cutting={"slice_nodes": 3})
    assert plan == same
    assert whole[-1] == sliced[-1]
    assert sum(f.plan is None and not f.lower_bound for f in sliced) > 100


def test_boards_without_a_plan_end_or_are_never_claimed_solved():
    strip = Problem(make("sliding", 1, 4), (2, 1, 3, 0))
    reports, plan = solve(strip)
    assert plan is None
    assert reports
    # No arc leads back to where the tile has to go.
    arcs = ((0, 1), (1, 2))
    operators = tuple(Operator(f"{b}{d}", ((b, d), (d, b)), b) for b, d in arcs)
    line = Puzzle("line", 1, 3, (0, 1, 2), operators, tuple("012"))
    (only,), plan = solve(Problem(line, (1, 2, 0)))
    assert (only.lower_bound, plan) == (NO_PLAN, None)
    assert len(solve(Problem(line.with_goal((1, 2, 0)), (0, 1, 2)))[1]) == 2


def walked(puzzle, steps, seed=0):
    random, board, before = Random(seed), puzzle.goal, None
    for _ in range(steps):
        choices = [op.apply(board) for op in puzzle.applicable(board).values()]
        after = random.choice([b for b in choices if b != before])
        board, before = after, board
    return board


@pytest.mark.parametrize(("rows", "columns"), [(2, 10), (1, 6), (6, 6), (17, 17), (30, 30)])
def test_boards_of_any_size(rows, columns):
    puzzle = make("sliding", rows, columns)
    steps = 14 if rows > 1 else 4
    problem = Problem(puzzle, walked(puzzle, steps))
    reports, plan = solve(problem)
    assert len(plan) <= steps
    assert Rules.of(puzzle).replay(problem.start, plan)[-1] == puzzle.goal
    assert reports[-1].lower_bound == len(plan)


def test_random_large_boards_give_lower_bounds():
    puzzle = make("sliding", 20, 20)
    problem = Problem(puzzle, walked(puzzle, 30_000))
    search = search_of(idastar.idastar, problem, Incumbent())
    first = next(search)
    distances = reference.distance_estimate(problem)(problem.start, 0)
    assert first.lower_bound - distances in (0, 1)
    assert isinstance(next(search), Report)


def test_tables_that_do_not_fit_end_the_search():
    problem, optimum = hardest_board()
    few = Budget(memory=1000)
    assert bound_tree(problem, TileDistances(), few) is None
    for search in (blank_idastar, blank_least_penalty, blank_all_plans, blank_count_plans):
        assert list(search(problem, Incumbent(optimum), few)) == []


def test_counts_are_fit_for_json():
    problem, _ = hardest_board()
    for report in solve(problem, sets=patterns(SLIDING, 4))[0]:
        assert type(report.counts["nodes"]) is int
        assert all(type(n) is int for n in report.counts["nodes_by_bound"].values())
        assert not isinstance(report.lower_bound, np.integer)
