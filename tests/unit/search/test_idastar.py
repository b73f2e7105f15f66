from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import distance_table, make
from support.reference import idastar as reference
from support.reference.oracle import Rules

from plansolve.bounds.distance import TileDistances
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.additive import goal_sets
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN, blank_automaton
from plansolve.solvers.search.idastar import idastar
from plansolve.solvers.search.idastar.blank import (
    blank_all_plans,
    blank_count_plans,
    blank_idastar,
    blank_least_penalty,
    blank_tree,
)
from plansolve.solvers.search.idastar.blank_tree import (
    BoundTree,
    PatternTree,
    walk_automaton,
)
from plansolve.solvers.search.idastar.registers import NO_BOUND
from plansolve.solvers.search.idastar.round import BoundedRound, Goals
from plansolve.storage.store import Store

SLIDING = ("sliding", 3, 3)
LLOYD = ("lloyd", 3, 3)


@cache
def one_way_puzzle(seed=0):
    """A ring of six cells that the blank goes round one way, and some arcs across, also one way."""
    random = Random(seed)
    arcs = {(c, (c + 1) % 6) for c in range(6)} | {
        tuple(random.sample(range(6), 2)) for _ in "1234"
    }
    operators = tuple(
        Operator(f"{b}-{d}", ((b, d), (d, b)), b, penalty=random.randrange(4))
        for b, d in sorted(arcs)
    )
    return Puzzle("ring", 2, 3, (1, 2, 3, 4, 5, 0), operators, tuple("012345"))


@cache
def one_way_distances(seed=0):
    puzzle = one_way_puzzle(seed)
    return Rules.of(puzzle).distances_to(puzzle.goal)


def distances(specification):
    """The oracle's distances to the goal; on Lloyd's squares up to 15 moves, which is quicker."""
    return distance_table(*specification, depth=15 if specification == LLOYD else None)


def sample(table, count, seed=0, least=1):
    boards = sorted(board for board, steps in table.items() if steps >= least)
    return Random(seed).sample(boards, count)


@cache
def patterns(specification, size):
    problem = Problem(make(*specification), make(*specification).goal)
    return goal_sets(problem, size=size, store=Store(in_memory=True), tell=lambda note: None)


def trees(problem, keep=ONE_PLAN, with_penalties=False, sets=None):
    """(tree, estimate of the reference) for each heuristic."""
    automaton = walk_automaton(problem, keep, 10, 100_000, 1 << 30)
    yield (
        BoundTree(problem, TileDistances(), automaton, with_penalties),
        reference.distance_estimate(problem),
    )
    if sets is not None:
        yield (
            PatternTree(problem, sets, automaton, with_penalties),
            reference.pattern_estimate(sets, problem.puzzle.cells),
        )


def finish(work, threads=1):
    for _ in work.run(threads):
        pass
    return work


def cut(tree, **changes):
    """How the tree is cut up, but for some numbers."""
    return replace(tree.cutting, **changes)


def search_of(search, problem, *arguments, budget=None, sets=None, cutting=None, **options):
    """What one of the searches reports; `cutting` changes how its rounds are cut up."""
    budget = budget or Budget()
    keep = EVERY_PLAN if search in (idastar.all_plans, idastar.count_plans) else ONE_PLAN
    priced = search is idastar.fewest_penalty
    tree = blank_tree(problem, sets or TileDistances(), budget, keep, with_penalties=priced)
    changed = None if cutting is None else cut(tree, **cutting)
    return search(tree, *arguments, budget, cutting=changed, **options)


def cases():
    """(problem, pattern databases or None, the oracle's distances to its goal)."""
    for specification, size in ((SLIDING, 4), (LLOYD, 3)):
        table = distances(specification)
        for board in sample(table, 2, least=14):
            problem = Problem(make(*specification), board)
            yield problem, patterns(specification, size), table
    puzzle, table = one_way_puzzle(), one_way_distances()
    for board in sample(table, 3, least=6):
        yield Problem(puzzle, board), None, table


@pytest.mark.parametrize("keep", [ONE_PLAN, EVERY_PLAN])
@pytest.mark.parametrize("slice_nodes", [3, 1 << 20])
def test_kernels_agree_with_the_reference(keep, slice_nodes):
    for problem, sets, table in cases():
        optimum = table[problem.start]
        for tree, estimate in trees(problem, keep, sets=sets):
            assert tree.initial_bound == estimate(problem.start, 1 << 20)
            for bound in range(max(tree.initial_bound, optimum - 4), optimum + 2):
                expected = reference.search(problem, tree.automaton, estimate, bound)
                work = finish(
                    BoundedRound(
                        tree, bound, Goals.EACH, cutting=cut(tree, slice_nodes=slice_nodes)
                    )
                )
                assert work.is_exhausted
                assert work.nodes == expected.nodes
                assert work.next_bound == (
                    NO_BOUND if expected.next_bound is None else expected.next_bound
                )
                assert list(work.found) == expected.walks
                assert bool(expected.walks) == (bound >= optimum)
                counted = finish(
                    BoundedRound(
                        tree, bound, Goals.COUNT, cutting=cut(tree, slice_nodes=slice_nodes)
                    )
                )
                assert (counted.plans, counted.nodes) == (len(expected.walks), expected.nodes)
                first = finish(
                    BoundedRound(tree, bound, cutting=cut(tree, slice_nodes=slice_nodes))
                )
                expected = reference.search(problem, tree.automaton, estimate, bound, first=True)
                assert first.nodes == expected.nodes
                assert list(first.found) == expected.walks


@pytest.mark.parametrize("specification", [LLOYD, None])
def test_penalties_agree_with_the_reference(specification):
    puzzle = make(*specification) if specification else one_way_puzzle()
    table = distances(specification) if specification else one_way_distances()
    (board,) = sample(table, 1, least=12 if specification else 8)
    problem = Problem(puzzle, board)
    graph = problem.blank_graph
    sets = patterns(LLOYD, 3) if specification else None
    for tree, estimate in trees(problem, with_penalties=True, sets=sets):
        least = tree.least_penalty

        def price(b, d, least=least):
            return graph.penalties[b][d] - least

        for most in (0, 1, 2, 5):
            expected = reference.search(
                problem, tree.automaton, estimate, table[board], price=price, most_penalty=most
            )
            work = finish(
                BoundedRound(
                    tree,
                    table[board],
                    Goals.EACH,
                    most_penalty=most,
                    cutting=cut(tree, slice_nodes=3),
                )
            )
            assert (work.nodes, list(work.found)) == (expected.nodes, expected.walks)


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


def test_a_round_of_two_threads_finds_what_one_finds():
    for problem, sets, table in cases():
        optimum = table[problem.start]
        for tree, _ in trees(problem, EVERY_PLAN, sets=sets):
            few = cut(tree, subtrees=5)
            for bound in (optimum, optimum + 2):
                one = finish(BoundedRound(tree, bound, Goals.EACH, cutting=few))
                small = replace(few, slice_nodes=5)
                two = finish(BoundedRound(tree, bound, Goals.EACH, cutting=small), threads=2)
                assert sorted(one.found) == sorted(two.found)
                assert (one.nodes, one.next_bound) == (two.nodes, two.next_bound)
                assert two.is_exhausted
                counted = finish(BoundedRound(tree, bound, Goals.COUNT, cutting=few), threads=2)
                assert counted.plans == len(one.found)
        for tree, _ in trees(problem, EVERY_PLAN, True, sets):
            one, two = (
                finish(
                    BoundedRound(
                        tree, optimum + 2, Goals.EACH, most_penalty=2, cutting=cut(tree, subtrees=5)
                    ),
                    threads,
                )
                for threads in (1, 2)
            )
            assert (one.nodes, sorted(one.found)) == (two.nodes, sorted(two.found))


def test_an_error_in_a_thread_is_told(monkeypatch):
    problem, _, table = next(cases())
    optimum = table[problem.start]
    ((tree, _),) = trees(problem)
    work = BoundedRound(tree, optimum)
    running = work.run(2)
    next(running)
    monkeypatch.setattr(tree, "advance", lambda position, nodes: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        for _ in running:
            pass


def plans_of(reports):
    return [f.plan for f in reports if f.plan is not None]


def last(reports):
    *_, final = reports
    return final


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
        plain = BoundTree(
            problem, TileDistances(), blank_automaton(graph.successors), with_penalties=True
        )
        work = finish(BoundedRound(plain, length, Goals.LEAST_PENALTY))
        dearer += plain.plan(work.found[-1]).count("t") > expected
    assert dearer


def test_the_slower_of_two_threads_does_not_raise_the_penalty():
    problem, optimum = one_way_problem()
    ((tree, _),) = trees(problem, EVERY_PLAN, with_penalties=True)
    walks = sorted(finish(BoundedRound(tree, optimum, Goals.EACH)).found, key=tree.penalty)
    assert tree.penalty(walks[0]) < tree.penalty(walks[-1])
    work = BoundedRound(tree, optimum, Goals.LEAST_PENALTY)
    for walk in (walks[0], walks[-1]):
        work._tell(walk)
    assert list(work.found) == [walks[0]]
    assert work.most_penalty == tree.penalty(walks[0]) - 1


def one_way_problem():
    """A board with shortest plans of several penalties."""
    puzzle, table = one_way_puzzle(), one_way_distances()
    for board in sample(table, len(table) // 2):
        problem = Problem(puzzle, board)
        ((tree, _),) = trees(problem, EVERY_PLAN, with_penalties=True)
        found = finish(BoundedRound(tree, table[board], Goals.EACH)).found
        if len({tree.penalty(walk) for walk in found}) > 1:
            return problem, table[board]
    raise AssertionError("all shortest plans cost the same")


def total_penalty(puzzle, board, plan):
    total = 0
    for name in plan:
        operator = puzzle.applicable(board)[name]
        total, board = total + operator.penalty, operator.apply(board)
    assert board == puzzle.goal
    return total


def hard_board():
    table = distance_table(*SLIDING)
    board = max(table, key=lambda b: (table[b], b))
    return Problem(make(*SLIDING), board), table[board]


def test_a_known_plan_of_the_proved_length_ends_the_search():
    problem, optimum = hard_board()
    reports, plan = solve(problem, Incumbent(0, optimum))
    assert plan is None
    assert reports[-1].lower_bound == optimum


def test_bounds_that_others_raise_are_used():
    problem, optimum = hard_board()
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
    problem, _ = hard_board()
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
    assert solve(Problem(line, (1, 2, 0)))[0] == []
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
    problem, optimum = hard_board()
    few = Budget(memory=1000)
    assert blank_tree(problem, TileDistances(), few) is None
    for search in (blank_idastar, blank_least_penalty, blank_all_plans, blank_count_plans):
        assert list(search(problem, Incumbent(optimum), few)) == []


def test_counts_are_fit_for_json():
    problem, _ = hard_board()
    for report in solve(problem, sets=patterns(SLIDING, 4))[0]:
        assert type(report.counts["nodes"]) is int
        assert all(type(n) is int for n in report.counts["nodes_by_bound"].values())
        assert not isinstance(report.lower_bound, np.integer)
