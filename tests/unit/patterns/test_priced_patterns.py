"""Pattern databases in which dear moves count twice, and the least penalty with their help."""

from heapq import heappop, heappush
from itertools import permutations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import silent
from support.fixtures.idastar import cut, finish, patterns, plans_of, sample
from support.reference import patterns as reference
from support.reference.oracle import Rules

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.additive import dear_arcs, goal_sets, priced_effort, priced_sets
from plansolve.patterns.additive_build import TablePlan, blanks_at_goal, build_tables
from plansolve.patterns.partition import additive_chooser
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.automaton import ONE_PLAN
from plansolve.solvers.search.idastar import idastar
from plansolve.solvers.search.idastar.blank_tree import PatternTree, walk_automaton
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.storage.store import Store

LLOYD = ("lloyd", 3, 3)


def lopsided():
    """Arcs both ways and one way, penalties of 1, 2 and 5, no symmetry of arcs and penalties."""
    arcs = {
        0: {1: 1, 3: 2},
        1: {0: 1, 2: 1, 4: 5},
        2: {1: 2, 5: 1},
        3: {4: 1},
        4: {3: 1, 5: 1, 1: 2},
    }
    arcs[5] = {0: 1, 4: 5}
    operators = tuple(
        Operator(f"{b}to{d}", ((b, d), (d, b)), b, penalty)
        for b, targets in arcs.items()
        for d, penalty in targets.items()
    )
    labels = tuple(map(str, range(6)))
    return Puzzle("lopsided", 2, 3, (3, 1, 0, 5, 2, 4), operators, labels)


def square():
    """A ring of four cells, whose turns and reflections keep the arcs and not the dear one."""
    operators = tuple(
        Operator(f"{b}to{d}", ((b, d), (d, b)), b, int((b, d) == (0, 1)))
        for b, d in permutations(range(4), 2)
        if b + d != 3
    )
    return Puzzle("square", 2, 2, (1, 2, 3, 0), operators, tuple("0123"))


PUZZLES = {"lopsided": lopsided, "square": square, "lloyd": lambda: cases.make(*LLOYD)}


def priced_distances(puzzle):
    """The least number of moves plus dear moves to the goal from each board that has a plan."""
    arcs = {(op.blank, op.name): op.penalty for op in puzzle.operators}
    least = min(arcs.values())
    before = {}
    rules = Rules.of(puzzle)
    for board in rules.distances_to(puzzle.goal):
        for name, after in rules.successors(board):
            price = 1 + (arcs[board.index(0), name] > least)
            before.setdefault(after, []).append((price, board))
    best, queue = {puzzle.goal: 0}, [(0, puzzle.goal)]
    while queue:
        total, board = heappop(queue)
        if total > best[board]:
            continue
        for price, other in before.get(board, ()):
            if total + price < best.get(other, 1 << 30):
                best[other] = total + price
                heappush(queue, (total + price, other))
    return best


def automaton_of(puzzle):
    return walk_automaton(Problem(puzzle, puzzle.goal), ONE_PLAN, memory=1 << 30)


def priced_tree(problem, sets, automaton):
    priced = priced_sets(problem, silent)
    return PatternTree(problem, sets, automaton, with_penalties=True, priced=priced)


@pytest.mark.parametrize("name", PUZZLES)
def test_a_priced_table_is_that_of_the_reference(name):
    puzzle, random = PUZZLES[name](), Random(5)
    problem = Problem(puzzle, puzzle.goal)
    arcs, blank, dear = problem.blank_graph.successors, puzzle.goal.index(0), dear_arcs(problem)
    homes = [cell for cell in range(puzzle.cells) if cell != blank]
    differ = False
    for tiles in (1, 2, 3):
        pattern = sorted(random.sample(homes, tiles))
        table = TablePlan(tuple(pattern), tuple(sorted(blanks_at_goal(arcs, pattern, blank))))
        entries = build_tables(arcs, [table], silent, dear=dear)
        differ |= not np.array_equal(entries, build_tables(arcs, [table], silent))
        strides = [puzzle.cells ** (tiles - 1 - i) for i in range(tiles)]
        for placement, cost in reference.table(arcs, pattern, blank, dear).items():
            assert entries[np.dot(placement, strides)] == cost, (pattern, placement)
    assert differ


@pytest.mark.parametrize(
    "name", ["lopsided", "square", pytest.param("lloyd", marks=pytest.mark.slow)]
)
def test_the_sum_never_exceeds_the_moves_and_the_dear_ones_among_them(name):
    puzzle = PUZZLES[name]()
    sets = priced_sets(Problem(puzzle, puzzle.goal), silent)
    distances = priced_distances(puzzle)
    values = {board: sets.value(board) for board in distances}
    assert all(values[board] <= distances[board] for board in distances)
    assert any(values[board] == distances[board] > 2 for board in distances)


def test_symmetries_that_make_dear_arcs_cheap_are_none():
    arcs = Problem(square(), square().goal).blank_graph.successors
    dear = dear_arcs(Problem(square(), square().goal))
    assert dear == ((1,), (), (), ())
    assert len(additive_chooser(arcs, 3).symmetries) == 8
    assert len(additive_chooser(arcs, 3, dear).symmetries) == 1
    lloyd = Problem(cases.make(*LLOYD), cases.make(*LLOYD).goal)
    both = (lloyd.blank_graph.successors, lloyd.goal.index(0))
    assert (
        additive_chooser(*both, dear_arcs(lloyd)).symmetries == additive_chooser(*both).symmetries
    )


def test_without_penalties_no_arc_is_dear():
    puzzle = cases.make("sliding", 3, 3)
    assert dear_arcs(Problem(puzzle, puzzle.goal)) == ()


def boards(name, count, least):
    table = cases.distance_table(*LLOYD) if name == "lloyd" else None
    table = table or Rules.of(PUZZLES[name]()).distances_to(PUZZLES[name]().goal)
    return [(board, table[board]) for board in sample(table, count, least=least)]


@pytest.mark.parametrize(
    ("name", "count", "least"),
    [
        ("lloyd", 6, 16),
        ("lopsided", 15, 6),
        pytest.param("lloyd", 400, 1, marks=pytest.mark.slow),
    ],
)
def test_a_round_with_priced_tables_loses_no_plan_within_the_penalty(name, count, least):
    """For each penalty allowed, the number of plans is that of the search without these tables."""
    puzzle = PUZZLES[name]()
    automaton, nodes = automaton_of(puzzle), dict.fromkeys((False, True), 0)
    for board, length in boards(name, count, least):
        problem = Problem(puzzle, board)
        sets = patterns(LLOYD, 3) if name == "lloyd" else goal_sets_of(problem)
        plain = PatternTree(problem, sets, automaton, with_penalties=True)
        priced = priced_tree(problem, sets, automaton)
        assert priced.initial_bound == plain.initial_bound
        for most in range(10):
            plans = set()
            for tree in (plain, priced):
                work = finish(Round(tree, length, Goals.COUNT, most))
                plans.add(work.plans)
                nodes[tree is priced] += work.nodes
            assert len(plans) == 1, (board, most)
    assert nodes[True] < nodes[False]


def goal_sets_of(problem):
    return goal_sets(problem, size=2, store=Store(in_memory=True), tell=silent)


@pytest.mark.parametrize("threads", [1, 2])
def test_priced_tables_take_over_in_a_long_search(threads):
    puzzle, sets = cases.make(*LLOYD), patterns(LLOYD, 3)
    automaton, taken_over = automaton_of(puzzle), 0
    for board, length in boards("lloyd", 8, 22):
        problem = Problem(puzzle, board)
        made = []

        def make(tell, problem=problem, made=made):
            made.append(priced_tree(problem, sets, automaton))
            return made[0]

        budget = Budget(threads=threads)

        def search(problem=problem, length=length, priced=None, budget=budget):
            tree = PatternTree(problem, sets, automaton, with_penalties=True)
            cut(tree, slice_nodes=20, subtrees=5)
            return [*idastar.fewest_penalty(tree, length, budget, priced=priced)]

        expected = plans_of(search())[-1]
        reports = search(priced=idastar.PricedTree(60, make))
        plans = plans_of(reports)
        assert reports[-1].is_complete
        assert plans[-1].count("t") == expected.count("t")
        assert [p.count("t") for p in plans] == sorted({p.count("t") for p in plans}, reverse=True)
        counted = [report.counts["nodes"] for report in reports if report.counts]
        assert counted == sorted(counted)
        taken_over += len(made)
    assert taken_over


def test_what_the_tables_take_is_told_and_too_large_ones_are_not_built():
    puzzle = cases.make("lloyd", 5, 5)
    effort = priced_effort(Problem(puzzle, puzzle.goal), threads=2)
    assert effort is not None and 40_000_000 < effort.memory < 1 << 30
