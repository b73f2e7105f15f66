"""Bidirectional search against exhaustive tables and a plain reference."""

from random import Random

import pytest
from support.fixtures import cases, graphs
from support.reference import bidirectional as reference
from support.reference.oracle import Rules

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.patterns.additive import goal_sets, start_sets
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.bidirectional.backward import BackwardSide
from plansolve.solvers.search.bidirectional.bidirectional import bidirectional, meet
from plansolve.solvers.search.bidirectional.bounds import joined
from plansolve.solvers.search.bidirectional.forward import ForwardSide
from plansolve.storage.store import Store

LLOYD = cases.make("lloyd", 3, 3)
MEMORY = 1 << 26


KNOWN = {}


def sets_to_goal(puzzle, size):
    key = puzzle.operators, puzzle.goal, size
    if key not in KNOWN:
        store, problem = Store(in_memory=True), Problem(puzzle, puzzle.goal)
        KNOWN[key] = goal_sets(problem, size=size, store=store, tell=cases.silent, consistent=True)
    return KNOWN[key]


def bounds_of(problem, size=2):
    start = start_sets(problem, size=size, tell=cases.silent, consistent=True)
    return joined(sets_to_goal(problem.puzzle, size), start)


def result_of(generator):
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value


def solve(problem, *, size=2, incumbent=None, **budget):
    """The plan, and the largest lower bound that was proved."""
    incumbent = incumbent or Incumbent()
    plan, lower_bound = None, 0
    budget = {"memory": MEMORY} | budget
    for report in meet(problem, bounds_of(problem, size), incumbent, Budget(**budget)):
        lower_bound = max(lower_bound, report.lower_bound)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            plan = report.plan
    return plan, lower_bound


def solves_optimally(puzzle, start, distance, **budget):
    plan, lower_bound = solve(Problem(puzzle, start), **budget)
    return len(plan) == distance == lower_bound


def farthest(table, count, seed):
    """One of the deepest boards, and others at random."""
    boards = sorted(table)
    return [max(boards, key=table.get), *Random(seed).sample(boards, count - 1)]


def h_and_k(bounds):
    def h(state):
        return int(bounds.sums(state)[: bounds.goal_sets].max())

    def k(state):
        return int(bounds.sums(state)[bounds.goal_sets :].max())

    return h, k


SMALL = [
    cases.make("lloyd", 1, 5),
    cases.make("sliding", 2, 3),
    cases.one_way_ring(),
    graphs.random_graph(6, 1),
    graphs.random_graph(7, 2),
]


def name(puzzle):
    return f"{puzzle.name}-{puzzle.cells}"


@pytest.mark.parametrize("puzzle", SMALL, ids=name)
def test_the_backward_side_stores_what_the_reference_stores(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in farthest(table, 2, 3):
        problem = Problem(puzzle, start)
        bounds = bounds_of(problem)
        h, k = h_and_k(bounds)
        backward = BackwardSide(problem, bounds, MEMORY, 1)
        for threshold in (0, table[start], 2 * table[start] - 4, 400):
            assert result_of(backward.build(threshold, 10))
            expected = reference.backward_layer(puzzle, h, k, threshold)
            assert backward.states == len(expected)
            assert all(backward.depth(board) == g == table[board] for board, g in expected.items())
            others = [board for board in table if board not in expected]
            assert all(backward.depth(board) is None for board in others[:500])
        assert backward.is_exhaustive and backward.states == len(table)


@pytest.mark.parametrize("puzzle", SMALL, ids=name)
def test_every_split_of_a_horizon_gives_the_same_answer(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in farthest(table, 2, 5):
        if start != puzzle.goal:
            agrees_at_every_split(Problem(puzzle, start), table[start], 2)


@pytest.mark.parametrize("name", ["lloyd", "sliding"])
@pytest.mark.parametrize("every", [19, pytest.param(1, marks=pytest.mark.slow)])
def test_every_split_gives_the_same_answer_on_3x3(name, every):
    puzzle = cases.make(name, 3, 3)
    table = cases.distance_table(name, 3, 3)
    for start in farthest(table, 2 if every == 1 else 1, 8):
        agrees_at_every_split(Problem(puzzle, start), table[start], every)


def agrees_at_every_split(problem, distance, every=1):
    bounds = bounds_of(problem)
    backward = BackwardSide(problem, bounds, MEMORY, 1)
    forward = ForwardSide(problem, bounds, 1)
    for horizon in (distance - 2, distance - 1, distance, distance + 1):
        for back in range(-1, 2 * horizon + 1, every):
            assert result_of(backward.build(back, 1000))
            walk = result_of(forward.search(horizon, 2 * horizon - 1 - back, backward))
            assert (walk is None) == (horizon < distance)
            if walk is not None:
                assert distance <= len(walk) - 1 <= horizon
                assert check_plan(problem, problem.blank_graph.plan(walk)).solves


def test_the_forward_side_agrees_with_the_reference_on_tables_that_are_too_small():
    # With thresholds that do not suffice, what is met depends on every look-up.
    puzzle = graphs.random_graph(6, 4)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    answers = set()
    for start in farthest(table, 3, 1):
        problem = Problem(puzzle, start)
        bounds = bounds_of(problem)
        h, k = h_and_k(bounds)
        backward, forward = (
            BackwardSide(problem, bounds, MEMORY, 1),
            ForwardSide(problem, bounds, 1),
        )
        for horizon in (table[start], table[start] + 2):
            for back in range(0, horizon, 3):
                for onward in range(0, horizon + 4, 3):
                    assert result_of(backward.build(back, 10))
                    stored = reference.backward_layer(puzzle, h, k, back)
                    walk = result_of(forward.search(horizon, onward, backward))
                    expected = reference.has_plan_within(
                        puzzle, start, h, k, horizon, onward, stored
                    )
                    assert (walk is not None) == expected
                    answers.add(expected)
    assert answers == {False, True}


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_lloyd_3x3_is_solved_optimally(count):
    table = cases.distance_table("lloyd", 3, 3)
    boards = farthest(table, count, 1)
    assert table[boards[0]] == 28
    assert all(solves_optimally(LLOYD, board, table[board]) for board in boards)


def test_sliding_boards_at_the_greatest_distance_are_solved_optimally():
    for rows, columns, most in ((3, 3, 31), (2, 4, 36)):
        puzzle = cases.make("sliding", rows, columns)
        table = cases.distance_table("sliding", rows, columns)
        deepest = max(table, key=table.get)
        assert table[deepest] == most
        assert solves_optimally(puzzle, deepest, most)


def test_one_way_graphs_are_solved_optimally():
    for seed in range(4):
        puzzle = graphs.random_graph(6, 10 + seed)
        table = Rules.of(puzzle).distances_to(puzzle.goal)
        for start in farthest(table, 3, seed):
            if start != puzzle.goal:
                assert solves_optimally(puzzle, start, table[start])


@pytest.mark.parametrize(
    ("name", "rows", "columns", "goal"),
    [
        ("sliding", 4, 8, None),
        ("sliding", 2, 13, "blank-first"),
        ("sliding", 5, 5, "snail"),
        ("sliding", 1, 6, None),
        ("lloyd", 3, 9, None),
        ("lloyd", 5, 5, None),
    ],
)
def test_boards_up_to_32_cells_are_solved_optimally(name, rows, columns, goal):
    puzzle = cases.make(name, rows, columns, goal)
    rules = Rules.of(puzzle)
    for start in cases.scrambles(puzzle, 2, 40, 6):
        if start == puzzle.goal:
            continue
        plan, lower_bound = solve(Problem(puzzle, start), size=1)
        assert lower_bound == len(plan) <= 40
        # As long as it is short enough to be checked, it is a shortest one.
        half = min(len(plan) - 1, 13 if name == "sliding" else 6)
        near = rules.distances_to(puzzle.goal, half // 2)
        assert not near.keys() & rules.distances_from(start, half - half // 2).keys()


def test_a_tiny_memory_changes_no_answer():
    table = cases.distance_table("lloyd", 3, 3)
    for start in farthest(table, 1, 9):
        tables = 2 * bounds_of(Problem(LLOYD, start)).sets.table.nbytes
        for memory in (0, tables + (1 << 19)):
            assert solves_optimally(LLOYD, start, table[start], memory=memory)


def test_two_threads_give_the_same_answer():
    table = cases.distance_table("lloyd", 3, 3)
    for start in farthest(table, 2, 11):
        assert solves_optimally(LLOYD, start, table[start], threads=2)


def test_the_incumbents_bounds_are_heeded():
    table = cases.distance_table("lloyd", 3, 3)
    start = farthest(table, 1, 0)[0]
    problem = Problem(LLOYD, start)
    # A plan of 28 moves is known: it is proved to be a shortest one, and not found again.
    assert solve(problem, incumbent=Incumbent(0, 28)) == (None, 28)
    assert solve(problem, incumbent=Incumbent(28, 28))[0] is None
    plan, _ = solve(problem, incumbent=Incumbent(26, 30))
    assert len(plan) == 28


def test_a_closed_incumbent_ends_the_search_at_once():
    puzzle = cases.make("sliding", 4, 4)
    start = (0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
    problem, incumbent = Problem(puzzle, start), Incumbent()
    reports = meet(problem, bounds_of(problem), incumbent, Budget(memory=MEMORY))
    next(reports)
    incumbent.raise_lower_bound(80)
    incumbent.lower_upper_bound(80)
    rest = list(reports)
    assert len(rest) <= 2 and all(report.lower_bound <= 80 for report in rest)


def test_a_board_without_a_plan_ends_the_search():
    puzzle = cases.make("sliding", 2, 3)
    plan, _ = solve(Problem(puzzle, (2, 1, 3, 4, 5, 0)))
    assert plan is None


def test_the_engine_builds_its_tables_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    puzzle = cases.make("sliding", 2, 3)
    (start,) = cases.scrambles(puzzle, 1, 30, 4)
    reports = list(bidirectional(Problem(puzzle, start), Incumbent(), Budget()))
    distance = cases.distance_table("sliding", 2, 3)[start]
    assert len(reports[-1].plan) == reports[-1].lower_bound == distance
    assert any("building" in report.note for report in reports)
    assert {"nodes", "states", "horizon"} <= reports[-1].counts.keys()


def test_the_goal_itself_needs_no_tables():
    puzzle = cases.make("sliding", 3, 3)
    reports = list(bidirectional(Problem(puzzle, puzzle.goal), Incumbent(), Budget()))
    assert [report.plan for report in reports] == [()]
