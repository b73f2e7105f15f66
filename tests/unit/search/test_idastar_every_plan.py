"""IDA* that goes on: all shortest plans, their number, and the least penalty among them."""

import pytest
from support.fixtures.cases import make
from support.fixtures.idastar import (
    LLOYD,
    arc_tree,
    cases,
    distances,
    finish,
    last,
    one_way_distances,
    one_way_puzzle,
    patterns,
    plans_of,
    sample,
    search_of,
    total_penalty,
)
from support.reference.oracle import Rules

from plansolve.bounds.distance import TileDistances
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.automaton import blank_automaton
from plansolve.solvers.search.idastar import idastar
from plansolve.solvers.search.idastar.round import Goals, Round


@pytest.mark.parametrize("threads", [1, 2])
def test_all_shortest_plans_and_their_number(threads):
    options = {"budget": Budget(threads=threads), "cutting": {"subtrees": 5}}
    for problem, sets, table in cases():
        rules, optimum = Rules.of(problem.puzzle), table[problem.start]
        expected = rules.shortest_plans(problem.start, table, by_board=True)
        for chosen in (None, sets):
            listed = search_of(idastar.all_plans, problem, optimum, sets=chosen, **options)
            plans = plans_of(listed)
            assert len(plans) == len(set(plans)) == expected
            for plan in plans:
                assert len(plan) == optimum
                assert rules.replay(problem.start, plan)[-1] == problem.goal
            counted = search_of(idastar.count_plans, problem, optimum, sets=chosen, **options)
            assert last(counted).counts["plans"] == expected


def least_penalty(puzzle, board, to_goal, penalties):
    """The least total penalty of a shortest plan, over the moves that the blank graph names."""
    rules = Rules.of(puzzle)
    best = {board: 0}
    for left in range(to_goal[board] - 1, -1, -1):
        following = {}
        for state, total in best.items():
            blank = state.index(0)
            for _, after in rules.successors(state):
                if to_goal.get(after) == left:
                    price = total + penalties[blank, after.index(0)]
                    following[after] = min(price, following.get(after, price))
        best = following
    return best[puzzle.goal]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("specification", [LLOYD, None])
def test_the_least_penalty_among_the_shortest_plans(specification, threads):
    puzzle = make(*specification) if specification else one_way_puzzle()
    to_goal = distances(specification) if specification else one_way_distances()
    graph = Problem(puzzle, puzzle.goal).structure.blank_graph
    price = {(op.blank, op.name): op.penalty for op in puzzle.operators}
    arcs = {
        (b, d): price[b, name] for b, names in enumerate(graph.names) for d, name in names.items()
    }
    for board in sample(to_goal, 5, least=6):
        problem, length = Problem(puzzle, board), to_goal[board]
        expected = least_penalty(puzzle, board, to_goal, arcs)
        for sets in [None, patterns(LLOYD, 3)][: 2 if specification else 1]:
            options = {"budget": Budget(threads=threads), "cutting": {"subtrees": 5}, "sets": sets}
            fewest = idastar.fewest_penalty
            plans = plans_of(search_of(fewest, problem, length, **options))
            totals = [total_penalty(puzzle, board, plan) for plan in plans]
            assert totals[-1] == expected
            assert totals == sorted(set(totals), reverse=True)
            assert {len(plan) for plan in plans} == {length}
            known = search_of(fewest, problem, length, below=expected, **options)
            assert plans_of(known) == []
            better = search_of(fewest, problem, length, below=expected + 1, **options)
            assert [total_penalty(puzzle, board, p) for p in plans_of(better)] == [expected]


def test_alphabetical_order_does_not_decide_before_the_penalty():
    """On these boards the smallest sequences by length and alphabet alone make plans cost more."""
    puzzle = make(*LLOYD)
    to_goal = distances(LLOYD)
    graph = Problem(puzzle, puzzle.goal).structure.blank_graph
    arcs = {
        (b, d): int(name == "t") for b, names in enumerate(graph.names) for d, name in names.items()
    }
    dearer = 0
    for board in sample(to_goal, 60, seed=3, least=10):
        problem, length = Problem(puzzle, board), to_goal[board]
        expected = least_penalty(puzzle, board, to_goal, arcs)
        last_plan = plans_of(search_of(idastar.fewest_penalty, problem, length))[-1]
        assert last_plan.count("t") == expected
        plain = arc_tree(problem, TileDistances(), blank_automaton(graph.successors), True)
        work = finish(Round(plain, length, Goals.LEAST_PENALTY))
        dearer += plain.plan(work.found[-1]).count("t") > expected
    assert dearer
