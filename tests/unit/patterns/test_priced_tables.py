"""Additive tables in which dear moves count twice, and searches with their help."""

from itertools import permutations

import pytest
from support.fixtures import cases
from support.fixtures.cases import silent
from support.fixtures.idastar import cut, finish, patterns, plans_of, sample

from plansolve.analysis.duplicate_sequences import ONE_PLAN
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.goal_tables import dear_arcs, priced_effort, priced_sets
from plansolve.patterns.partition import additive_chooser
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.idastar import idastar
from plansolve.solvers.search.idastar.path_trees import PatternTree, walk_automaton
from plansolve.solvers.search.idastar.round import Goals, Round

LLOYD = ("lloyd", 3, 3)


def square():
    """A ring of four cells, whose turns and reflections keep the arcs and not the dear one."""
    operators = tuple(
        Operator(f"{b}to{d}", ((b, d), (d, b)), b, int((b, d) == (0, 1)))
        for b, d in permutations(range(4), 2)
        if b + d != 3
    )
    return Puzzle("square", 2, 2, (1, 2, 3, 0), operators, tuple("0123"))


def dear_of(puzzle):
    problem = Problem(puzzle, puzzle.goal)
    return problem.blank_graph.successors, puzzle.goal.index(0), dear_arcs(problem)


def test_symmetries_that_make_dear_arcs_cheap_are_none():
    arcs, blank, dear = dear_of(square())
    assert dear == ((1,), (), (), ())
    assert len(additive_chooser(arcs, blank).symmetries) == 8
    assert len(additive_chooser(arcs, blank, dear).symmetries) == 1
    arcs, blank, dear = dear_of(cases.make(*LLOYD))
    both = [additive_chooser(arcs, blank, own).symmetries for own in (dear, ())]
    assert both[0] == both[1]
    assert dear_of(cases.make("sliding", 3, 3))[2] == ()


def test_what_the_tables_take_is_told_and_too_large_ones_are_not_built():
    puzzle = cases.make("lloyd", 5, 5)
    effort = priced_effort(Problem(puzzle, puzzle.goal), threads=2)
    assert effort is not None and 40_000_000 < effort.memory < 1 << 30


def trees(problem, automaton):
    """The trees with penalties without priced tables and with them."""
    sets = patterns(LLOYD, 3)
    return [
        PatternTree(problem, sets, automaton, with_penalties=True, priced=priced)
        for priced in (None, priced_sets(problem, silent))
    ]


def boards(count, least):
    table = cases.distance_table(*LLOYD)
    return [(board, table[board]) for board in sample(table, count, least=least)]


@pytest.mark.parametrize(
    ("count", "least"), [(6, 16), pytest.param(400, 1, marks=pytest.mark.slow)]
)
def test_a_round_with_priced_tables_loses_no_plan_within_the_penalty(count, least):
    """For each penalty allowed, the number of plans is that of the search without these tables."""
    puzzle, nodes = cases.make(*LLOYD), [0, 0]
    automaton = walk_automaton(Problem(puzzle, puzzle.goal), ONE_PLAN, memory=1 << 30)
    for board, length in boards(count, least):
        both = trees(Problem(puzzle, board), automaton)
        assert both[0].initial_bound == both[1].initial_bound
        for most in range(10):
            works = [finish(Round(tree, length, Goals.COUNT, most)) for tree in both]
            assert works[0].plans == works[1].plans, (board, most)
            nodes = [own + work.nodes for own, work in zip(nodes, works, strict=True)]
    assert nodes[1] < nodes[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_priced_tables_take_over_in_a_long_search(threads):
    puzzle, taken_over = cases.make(*LLOYD), 0
    automaton = walk_automaton(Problem(puzzle, puzzle.goal), ONE_PLAN, memory=1 << 30)
    for board, length in boards(8, 22):
        plain, priced = trees(Problem(puzzle, board), automaton)
        cut(plain, slice_nodes=20, subtrees=5)
        made, budget = [], Budget(threads=threads)

        def make(tell, made=made, priced=priced):
            made.append(priced)
            return priced

        expected = plans_of([*idastar.fewest_penalty(plain, length, budget)])[-1]
        reports = [
            *idastar.fewest_penalty(plain, length, budget, priced=idastar.PricedTree(60, make))
        ]
        transports = [plan.count("t") for plan in plans_of(reports)]
        assert reports[-1].is_complete and transports[-1] == expected.count("t")
        assert transports == sorted({*transports}, reverse=True)
        counted = [report.counts["nodes"] for report in reports if report.counts]
        assert counted == sorted(counted)
        taken_over += len(made)
    assert taken_over
