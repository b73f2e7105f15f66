"""Rounds of IDA* on blank graphs, against the reference implementation, and in two threads."""

from dataclasses import replace

import pytest
from support.fixtures.cases import make
from support.fixtures.idastar import (
    LLOYD,
    cases,
    cut,
    distances,
    finish,
    one_way_distances,
    one_way_puzzle,
    patterns,
    sample,
    trees,
)
from support.reference import idastar as reference

from plansolve.model.problem import Problem
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN
from plansolve.solvers.search.idastar.registers import NO_LIMIT
from plansolve.solvers.search.idastar.round import Goals, Round


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
                    Round(tree, bound, Goals.EACH, cutting=cut(tree, slice_nodes=slice_nodes))
                )
                assert work.is_exhausted
                assert work.nodes == expected.nodes
                assert work.next_limit == (
                    NO_LIMIT if expected.next_limit is None else expected.next_limit
                )
                assert list(work.found) == expected.walks
                assert bool(expected.walks) == (bound >= optimum)
                counted = finish(
                    Round(tree, bound, Goals.COUNT, cutting=cut(tree, slice_nodes=slice_nodes))
                )
                assert (counted.plans, counted.nodes) == (len(expected.walks), expected.nodes)
                first = finish(Round(tree, bound, cutting=cut(tree, slice_nodes=slice_nodes)))
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
                Round(
                    tree,
                    table[board],
                    Goals.EACH,
                    most_penalty=most,
                    cutting=cut(tree, slice_nodes=3),
                )
            )
            assert (work.nodes, list(work.found)) == (expected.nodes, expected.walks)


def test_a_round_of_two_threads_finds_what_one_finds():
    for problem, sets, table in cases():
        optimum = table[problem.start]
        for tree, _ in trees(problem, EVERY_PLAN, sets=sets):
            few = cut(tree, subtrees=5)
            for bound in (optimum, optimum + 2):
                one = finish(Round(tree, bound, Goals.EACH, cutting=few))
                small = replace(few, slice_nodes=5)
                two = finish(Round(tree, bound, Goals.EACH, cutting=small), threads=2)
                assert sorted(one.found) == sorted(two.found)
                assert (one.nodes, one.next_limit) == (two.nodes, two.next_limit)
                assert two.is_exhausted
                counted = finish(Round(tree, bound, Goals.COUNT, cutting=few), threads=2)
                assert counted.plans == len(one.found)
        for tree, _ in trees(problem, EVERY_PLAN, True, sets):
            one, two = (
                finish(
                    Round(
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
    work = Round(tree, optimum)
    running = work.run(2)
    next(running)
    monkeypatch.setattr(tree, "advance", lambda position, nodes: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        for _ in running:
            pass


def test_the_slower_of_two_threads_does_not_raise_the_penalty():
    problem, optimum = one_way_problem()
    ((tree, _),) = trees(problem, EVERY_PLAN, with_penalties=True)
    walks = sorted(finish(Round(tree, optimum, Goals.EACH)).found, key=tree.penalty)
    assert tree.penalty(walks[0]) < tree.penalty(walks[-1])
    work = Round(tree, optimum, Goals.LEAST_PENALTY)
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
        found = finish(Round(tree, table[board], Goals.EACH)).found
        if len({tree.penalty(walk) for walk in found}) > 1:
            return problem, table[board]
    raise AssertionError("all shortest plans cost the same")
