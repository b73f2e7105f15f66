"""IDA* over permutations against exhaustive tables, its reference, and pauses anywhere."""

from dataclasses import replace
from functools import lru_cache
from random import Random

import pytest
from support.reference.oracle import Rules
from support.reference.permutation import bounded_search

from plansolve.analysis.automorphisms import symmetries
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.permutation import permutation_lookups
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding import sliding
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent
from plansolve.solvers.search.idastar.permutation import (
    permutation_all_plans,
    permutation_count_plans,
    permutation_idastar,
)
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.storage.store import Store

ONE_WAY = "torus-ring:rows=LR,columns=UDU,rings=none"
EXHAUSTIVE = [
    ("torus-ring:rings=none", 2, 3),
    ("torus-ring:rings=outer", 2, 3),
    ("torus-ring:rows=R*,columns=D*U,rings=none", 2, 3),
    (ONE_WAY, 2, 3),
    ("torus-ring:columns=U*,rings=none", 3, 2),
]


def lookups_of(puzzle, patterns=None):
    store = Store(in_memory=True)
    if patterns is None:
        chooser = permutation_chooser(puzzle)
        return chooser.lookups(chooser.usual, store=store, tell=lambda _: None)
    rules, maps = permutation_rules(puzzle), symmetries(puzzle)
    return permutation_lookups(rules, patterns, maps, store=store, tell=lambda _: None)


@lru_cache
def torus_lookups():
    return lookups_of(make_puzzle("torus-ring", 5, 5), [(0, 1, 8, 12)])


def solved(problem, lookups, threads=1, incumbent=None):
    """(plan or None, proved lower bound, reports), with the bounds fed back as they come."""
    incumbent = incumbent or Incumbent()
    plan, reports = None, []
    for report in permutation_idastar(problem, incumbent, Budget(threads=threads), lookups):
        reports.append(report)
        incumbent.raise_lower_bound(report.lower_bound)
        if report.plan is not None:
            plan = report.plan
            assert Rules.of(problem.puzzle).replay(problem.start, plan)[-1] == problem.goal
            incumbent.lower_upper_bound(len(plan))
    return plan, incumbent.lower_bound, reports


def walked(puzzle, steps, seed):
    random, state = Random(seed), puzzle.goal
    for _ in range(steps):
        state = random.choice(puzzle.operators).apply(state)
    return state


@pytest.mark.parametrize(("specification", "rows", "columns"), EXHAUSTIVE)
def test_plans_of_sampled_boards_have_the_exhaustive_length(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    rules = Rules.of(puzzle)
    distances = rules.distances_to(puzzle.goal)
    # The weak lookups make the search work.
    weak, strong = lookups_of(puzzle, [(0, 1), (2, 4)]), lookups_of(puzzle, [(0, 1, 2, 4)])
    states = Random(3).sample(sorted(distances), 30)
    for state in [puzzle.goal, *states]:
        problem = Problem(puzzle, state)
        for lookups in (weak, strong):
            plan, bound, _ = solved(problem, lookups)
            assert len(plan) == bound == distances[state]


@pytest.mark.parametrize(("specification", "rows", "columns"), EXHAUSTIVE)
def test_all_plans_are_found_and_counted(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    rules = Rules.of(puzzle)
    distances = rules.distances_to(puzzle.goal)
    lookups = lookups_of(puzzle, [(0, 1), (2, 4)])
    for state in [puzzle.goal, *Random(4).sample(sorted(distances), 15)]:
        problem, length = Problem(puzzle, state), distances[state]
        expected = rules.shortest_plans(state, distances, by_board=True)
        known = Incumbent(length, length)
        reports = permutation_all_plans(problem, known, Budget(), lookups)
        found = [report.plan for report in reports if report.plan is not None]
        assert len(set(found)) == len(found) == expected
        assert all(rules.replay(state, plan)[-1] == puzzle.goal for plan in found)
        last = list(permutation_count_plans(problem, known, Budget(threads=2), lookups))[-1]
        assert last.counts["plans"] == expected
        assert last.is_complete


def trees():
    for specification, rows, columns, steps in [
        ("torus-ring", 4, 4, 6),
        ("torus-ring:rings=outer", 3, 3, 6),
        ("loopover", 3, 3, 6),
        ("torus-ring:rows=LRL,columns=UDU,rings=none", 3, 3, 9),
    ]:
        puzzle = make_puzzle(specification, rows, columns)
        lookups = lookups_of(puzzle, [(0, 1), (0, 4), (1, 2, 3)])
        for seed in range(4):
            tree = PermutationTree(Problem(puzzle, walked(puzzle, steps, seed)), lookups)
            for bound in range(max(1, tree.initial_bound), steps):
                yield tree, bound


def exhausted(tree, bound, threads=1, **changes):
    work = Round(tree, bound, Goals.EACH, cutting=replace(tree.cutting, **changes))
    for _ in work.run(threads):
        pass
    assert work.is_exhausted
    return work


def test_rounds_equal_those_of_the_reference():
    compared = 0
    for tree, bound in trees():
        work = exhausted(tree, bound, subtrees=0)
        plans, children, expanded = bounded_search(
            tree.rules, tree.automaton, tree.lookups, tree.start, bound, [()]
        )
        assert (list(work.found), work.nodes, work.expanded) == (plans, children, expanded)
        counted = Round(tree, bound, Goals.COUNT)
        for _ in counted.run(1):
            pass
        assert counted.plans == len(plans)
        compared += children
    assert compared > 10_000


@pytest.mark.parametrize("slice_nodes", [1, 7, 1000])
def test_a_round_in_small_slices_does_the_same(slice_nodes):
    for tree, bound in trees():
        whole = exhausted(tree, bound)
        work = exhausted(tree, bound, slice_nodes=slice_nodes)
        assert (work.found, work.nodes) == (whole.found, whole.nodes)


def test_subtrees_hold_the_same_plans_as_the_whole_tree():
    for tree, bound in trees():
        whole = exhausted(tree, bound, subtrees=0)
        for subtrees in (2, 300):
            assert sorted(exhausted(tree, bound, subtrees=subtrees).found) == sorted(whole.found)


def test_two_threads_do_the_same_work():
    for tree, bound in trees():
        whole = exhausted(tree, bound)
        work = exhausted(tree, bound, threads=2, slice_nodes=100)
        assert work.nodes == whole.nodes
        assert sorted(work.found) == sorted(whole.found)


def test_a_round_that_is_dropped_ends_its_threads():
    puzzle = make_puzzle("torus-ring", 5, 5)
    tree = PermutationTree(Problem(puzzle, walked(puzzle, 30, 1)), lookups_of(puzzle, [(0, 1)]))
    work = Round(tree, 20)
    steps = work.run(2)
    next(steps)
    next(steps)
    steps.close()
    assert not work.is_exhausted


BOARD_1 = (
    12,
    6,
    10,
    1,
    23,
    16,
    17,
    13,
    7,
    25,
    19,
    14,
    8,
    3,
    4,
    21,
    15,
    9,
    20,
    5,
    22,
    18,
    24,
    2,
    11,
)


@pytest.mark.parametrize("threads", [1, 2])
def test_board_1_of_the_course_takes_11_moves(threads):
    problem = Problem(make_puzzle("torus-ring", 5, 5), BOARD_1)
    plan, bound, reports = solved(problem, torus_lookups(), threads)
    assert len(plan) == bound == 11
    bounds = [report.lower_bound for report in reports if report.lower_bound]
    assert bounds == sorted(bounds)
    assert sum(reports[-1].counts["nodes_by_bound"].values()) == reports[-1].counts["nodes"]


def test_known_bounds_are_used():
    problem = Problem(make_puzzle("torus-ring", 5, 5), BOARD_1)
    lookups = torus_lookups()
    # A plan of 11 moves is known elsewhere: what is left is the proof.
    incumbent = Incumbent(upper_bound=11)
    plan, bound, reports = solved(problem, lookups, incumbent=incumbent)
    assert (plan, bound) == (None, 11)
    assert "11" not in reports[-1].counts["nodes_by_bound"]
    # So are both bounds: nothing is left.
    closed = Incumbent(11, 11)
    plan, _, reports = solved(problem, lookups, incumbent=closed)
    assert plan is None
    assert reports[-1].counts["nodes"] == 0
    # That 10 moves are too few is known elsewhere.
    _, _, reports = solved(problem, lookups, incumbent=Incumbent(lower_bound=11))
    assert list(reports[-1].counts["nodes_by_bound"]) == ["11"]


def test_bounds_step_by_two_where_all_moves_are_odd():
    puzzle = make_puzzle("torus-ring:rings=outer", 2, 2)
    parities = set()
    for seed in range(20):
        state = walked(puzzle, seed, seed)
        problem = Problem(puzzle, state)
        parity = problem.structure.plan_parity(state)
        plan, _, reports = solved(problem, lookups_of(puzzle, [(0, 1)]))
        assert parity is not None
        assert {f.lower_bound % 2 for f in reports if f.lower_bound} <= {parity}
        parities.add(len(plan) % 2)
    assert parities == {0, 1}


def test_a_board_that_a_table_knows_to_be_unreachable():
    puzzle = make_puzzle("torus-ring:columns=---,rings=none", 2, 3)
    start = (2, 1, 3, 4, 5, 6)
    _, bound, _ = solved(Problem(puzzle, start), lookups_of(puzzle))
    assert bound == NO_PLAN


@pytest.mark.parametrize("operators", [(), (Operator("nothing", ()),)])
def test_a_puzzle_without_moves(operators):
    puzzle = Puzzle("mine", 1, 4, (1, 2, 3, 4), operators, tuple("01234"))
    assert [f.plan for f in search(puzzle, puzzle.goal)] == [()]
    assert [f.lower_bound for f in search(puzzle, (2, 1, 3, 4))] == [NO_PLAN]


def search(puzzle, state):
    return list(permutation_idastar(Problem(puzzle, state), Incumbent(), Budget(), torus_lookups()))


def test_a_large_board_starts_soon():
    puzzle = make_puzzle("loopover", 13, 13)
    problem = Problem(puzzle, walked(puzzle, 2, 5))
    plan, bound, _ = solved(problem, lookups_of(puzzle))
    assert len(plan) == bound == 2


def test_a_user_defined_puzzle():
    def rotation(name, *cells):
        return Operator(name, tuple(zip(cells, (*cells[1:], cells[0]), strict=True)))

    operators = (rotation("a", 0, 1, 2, 3), rotation("b", 3, 4, 5), rotation("c", 5, 6, 0))
    puzzle = Puzzle("mine", 1, 7, (7, 3, 1, 2, 4, 6, 5), operators, tuple("01234567"))
    distances = Rules.of(puzzle).distances_to(puzzle.goal, 12)
    lookups = lookups_of(puzzle, [(0, 1, 2), (3, 5)])
    for state in Random(2).sample(sorted(distances), 60):
        plan, bound, _ = solved(Problem(puzzle, state), lookups)
        assert len(plan) == bound == distances[state]


def test_a_puzzle_with_a_blank_is_refused():
    lookups = lookups_of(make_puzzle("loopover", 2, 2), [(0, 1)])
    problem = Problem(sliding(2, 2), (1, 2, 0, 3))
    with pytest.raises(InternalError):
        next(permutation_idastar(problem, Incumbent(), Budget(), lookups))
