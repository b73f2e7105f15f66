"""IDA* from starts that symmetries keep: it leaves out subtrees, and no shortest plan's length."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import distance_table, make
from support.fixtures.idastar import cut, distance_tree, finish

from plansolve.analysis.automorphisms import keeping_start, symmetries
from plansolve.analysis.duplicate_sequences import EVERY_PLAN
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.choose import permutation_chooser
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.solvers.search.idastar.symmetric_start import (
    StartSymmetries,
    operator_symmetries,
    walk_symmetries,
)
from plansolve.storage.store import Store

PUZZLES = {
    "3x3 multi-tile": ("sliding:metric=multi-tile", 3, 3),
    "3x3 sliding": ("sliding", 3, 3),
    "3x3 sliding, blank in the middle": ("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)),
    "2x2 turning": ("torus-ring:rings=none", 2, 2),
    "2x3 turning": ("torus-ring:rings=none", 2, 3),
    "3x3 turning": ("torus-ring:rings=none", 3, 3),
    "3x3 turning by any distance": ("torus-ring:metric=any-distance,rings=none", 3, 3),
}
MOST = 4
"""Moves of the boards that turn, of which there are many."""


def symmetric_boards(specification):
    """(distance, board), the farthest first, of boards that some symmetry keeps."""
    puzzle = make(*specification)
    table = distance_table(*specification, depth=None if puzzle.has_blank else MOST)
    others, found = symmetries(puzzle)[1:], []
    for board, moves in table.items():
        home = puzzle.arrangement(board)
        if moves and any(
            all(home[s[c]] == s[home[c]] for c in range(puzzle.cells)) for s in others
        ):
            found.append((moves, board))
    return sorted(found, reverse=True)


def deepened(tree):
    """The first plan's length, by rounds that are cut where there are some subtrees."""
    limit = tree.initial_bound
    while True:
        work = finish(Round(tree, limit))
        if work.found:
            plan = tree.plan(work.found[0])
            assert check_plan(tree.problem, plan).solves
            return len(plan)
        limit = work.next_limit


def trees(problem):
    yield distance_tree(problem)
    if problem.structure.is_free:
        store = Store(in_memory=True)
        lookups = permutation_chooser(problem.puzzle).lookups(2, store=store, tell=lambda _: None)
        yield PermutationTree(problem, lookups)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name.endswith("in the middle") else name
        for name in PUZZLES
    ],
)
def test_a_cut_search_finds_a_shortest_plan_from_each_symmetric_start(name):
    boards = symmetric_boards(PUZZLES[name])
    share = Random(name).sample(boards, min(len(boards), 12))
    for moves, board in dict.fromkeys([*boards[:5], *share]):
        problem = Problem(make(*PUZZLES[name]), board)
        assert keeping_start(problem)
        for tree in trees(problem):
            for subtrees in (2, 40):
                assert deepened(cut(tree, large_round=0, subtrees=subtrees)) == moves


@pytest.mark.parametrize("name", ["3x3 multi-tile", "3x3 sliding"])
def test_what_a_symmetry_exchanges_is_searched_once(name):
    moves, board = symmetric_boards(PUZZLES[name])[0]
    problem = Problem(make(*PUZZLES[name]), board)
    for tree in trees(problem):
        cut(tree, large_round=0, subtrees=30)
        part, whole = (
            finish(Round(tree, moves - 1, goals)) for goals in (Goals.FIRST, Goals.COUNT)
        )
        assert part.is_exhausted and not any(map(tree.has_smaller_image, part.deepest))
        assert part.next_limit >= whole.next_limit and 0 < part.nodes < 0.8 * whole.nodes


def test_all_plans_are_found_from_a_symmetric_start():
    moves, board = symmetric_boards(PUZZLES["3x3 multi-tile"])[0]
    problem = Problem(make(*PUZZLES["3x3 multi-tile"]), board)
    tree = distance_tree(problem, EVERY_PLAN)
    found = finish(Round(tree, moves, Goals.EACH), nodes_before=0).found
    cut(tree, large_round=0, subtrees=30)
    assert set(found) == set(finish(Round(tree, moves, Goals.EACH)).found)
    assert any(map(tree.has_smaller_image, found))
    (image,) = operator_symmetries(problem, effects(problem.puzzle)).images
    assert {(path[0], *(image[move] for move in path[1:])) for path in found} == set(found)


def effects(puzzle):
    return [(one.destinations(puzzle.cells), one.blank) for one in puzzle.operators]


def test_walks_are_turned_by_symmetries_that_keep_penalties():
    puzzle = make("sliding", 3, 3)
    problem = Problem(puzzle, (1, 4, 7, 2, 5, 8, 3, 6, 0))
    mirror = (0, 3, 6, 1, 4, 7, 2, 5, 8)
    assert walk_symmetries(problem).images == (mirror,)
    dear = [replace(one, penalty=one.name == "U") for one in puzzle.operators]
    priced = replace(puzzle, operators=tuple(dear))
    assert walk_symmetries(Problem(priced, problem.start)).images == ()


def test_walks_come_in_the_order_of_the_pruning_automaton():
    puzzle = make("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8))
    problem = Problem(puzzle, puzzle.goal)
    kept, *others = problem.blank_graph.successors[4]
    found = walk_symmetries(problem)
    assert len(found.images) == 7 and not found.leave_out((4, kept))
    assert all(found.leave_out((4, other)) for other in others)


def test_operators_of_one_effect_go_by_the_first():
    swap = ((0, 1), (1, 0))
    flip = ((1, 2), (2, 1))
    names = ("a", swap), ("b", flip), ("A", swap), ("B", flip)
    operators = tuple(Operator(name, moves) for name, moves in names)
    puzzle = Puzzle("swaps", 1, 3, (1, 2, 3), operators, tuple("0123"))
    problem = Problem(puzzle, (3, 2, 1))
    assert keeping_start(problem) == ((2, 1, 0),)
    symmetries_found = operator_symmetries(problem, effects(puzzle))
    assert symmetries_found.images == ([1, 0, 1, 0],)
    assert symmetries_found.leave_out((1, 0, 1)) and not symmetries_found.leave_out((0, 1, 0))


def test_operators_that_differ_in_what_they_need_are_not_turned():
    goes = (1, 0, 2), None
    assert operator_symmetries(
        Problem(make("sliding", 1, 3), (1, 2, 0)), [goes, ((1, 0, 2), 0)]
    ) == StartSymmetries(())
