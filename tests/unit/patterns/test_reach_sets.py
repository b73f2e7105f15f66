"""Reach sets against breadth-first searches of placements, and searches with them."""

from random import Random

import numpy as np
import pytest
from support.reference.oracle import Rules
from support.reference.permutation import inverse, placements, turned

from plansolve.analysis.automorphisms import symmetries
from plansolve.model.problem import Problem
from plansolve.patterns.choose import ReachChooser, permutation_chooser
from plansolve.patterns.permutation import permutation_lookups, reach_lookups
from plansolve.patterns.permutation_build import REACH_SETS, reach_table
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.storage.store import Store

ONE_WAY = "torus-ring:rows=LRL,columns=UDU,rings=none"
VARIANTS = [
    ("torus-ring", 4, 4, (0, 1, 5)),
    ("torus-ring:rings=outer", 3, 3, (0, 1, 4, 5)),
    ("loopover", 3, 4, (2, 0, 7)),
    (ONE_WAY, 3, 3, (0, 1, 4, 5)),
]


def lookups_of(puzzle, pattern):
    rules = permutation_rules(puzzle)
    store = Store(in_memory=True)
    return reach_lookups(rules, pattern, symmetries(puzzle), store=store, tell=lambda _: None)


def are_within(lookups, board, moves):
    """Return True if no lookup tells that the goal is more than so many moves away."""
    index = lookups.indices(board)[: lookups.count].astype(np.int64)
    words = lookups.words[moves % REACH_SETS * lookups.length + index // 32]
    return bool((words >> (index % 32).astype(np.uint32) & 1).all())


def walked(puzzle, steps, seed):
    random, state = Random(seed), puzzle.goal
    for _ in range(steps):
        state = random.choice(puzzle.operators).apply(state)
    return state


@pytest.mark.parametrize(("specification", "rows", "columns", "pattern"), VARIANTS)
def test_sets_equal_a_search_of_placements(specification, rows, columns, pattern):
    rules = permutation_rules(make_puzzle(specification, rows, columns))
    table = reach_table(rules, pattern, threads=2).build()
    words = table.view(np.uint32)
    assert table.size == reach_table(rules, pattern).length
    distances = placements(rules, pattern, False)
    highest, length = int(words[-1]), len(words) // REACH_SETS
    shares = [
        sum(distance <= moves for distance in distances.values()) / len(distances)
        for moves in range(highest + 1)
    ]
    # The last set is the first one with more than half of all.
    assert max(shares[:-1]) <= 0.5 < shares[-1]
    for moves in range(max(0, highest - REACH_SETS + 1), highest + 1):
        for (cells, _), distance in distances.items():
            block = sum(c * rules.cells ** (len(cells) - 2 - i) for i, c in enumerate(cells[:-1]))
            bit = int(words[moves % REACH_SETS * length + block]) >> cells[-1] & 1
            assert bit == (distance <= moves)


@pytest.mark.parametrize(("specification", "rows", "columns", "pattern"), VARIANTS)
def test_lookups_equal_those_of_turned_boards(specification, rows, columns, pattern):
    puzzle = make_puzzle(specification, rows, columns)
    rules, maps = permutation_rules(puzzle), symmetries(puzzle)
    lookups, distances = lookups_of(puzzle, pattern), placements(rules, pattern, False)
    refuted = 0
    for seed in range(60):
        board = puzzle.arrangement(walked(puzzle, seed, seed))
        boards = [board, inverse(board)] if rules.is_inverse_closed else [board]
        most = max(
            distances[tuple(inverse(turned(one, symmetry))[tile] for tile in pattern), 0]
            for one in boards
            for symmetry in maps
        )
        for moves in range(lookups.lowest, lookups.highest + 1):
            assert are_within(lookups, board, moves) == (most <= moves)
            refuted += most > moves
    assert refuted > 20


@pytest.mark.parametrize(("specification", "rows", "columns", "pattern"), VARIANTS)
def test_a_search_with_sets_finds_the_same_plans_at_fewer_nodes(
    specification, rows, columns, pattern
):
    puzzle = make_puzzle(specification, rows, columns)
    rules, maps, store = permutation_rules(puzzle), symmetries(puzzle), Store(in_memory=True)
    weak = permutation_lookups(rules, [(0, 1)], maps, store=store, tell=lambda _: None)
    sets = lookups_of(puzzle, pattern)
    nodes, plans = {None: 0, "sets": 0}, 0
    for seed in range(4):
        problem = Problem(puzzle, walked(puzzle, 6, seed))
        for limit in range(1, 7):
            found = []
            for name, reach in ((None, None), ("sets", sets)):
                work = Round(PermutationTree(problem, weak, reach=reach), limit, Goals.EACH)
                for _ in work.run(1):
                    pass
                nodes[name] += work.nodes
                found.append(sorted(work.found))
            assert found[0] == found[1]
            plans += len(found[0])
    assert plans
    assert nodes["sets"] < nodes[None]


def test_no_board_is_farther_than_a_set_tells():
    puzzle = make_puzzle("torus-ring:rings=outer", 2, 3)
    lookups = lookups_of(puzzle, (0, 1, 3, 4))
    refuted = 0
    for state, distance in Rules.of(puzzle).distances_to(puzzle.goal).items():
        board = puzzle.arrangement(state)
        for moves in range(lookups.lowest, lookups.highest + 1):
            is_within = are_within(lookups, board, moves)
            assert is_within or distance > moves
            refuted += not is_within
    assert refuted > 100


def test_sets_that_are_kept_are_loaded(tmp_path):
    store, puzzle, told = Store(tmp_path), make_puzzle("torus-ring", 4, 4), []
    chooser = ReachChooser(permutation_chooser(puzzle, 13_000_000), 13_000_000)
    size, _, _ = chooser.larger(store, 1)
    assert chooser.lookups(size - 1, store=store, tell=told.append) is None
    first, again = (chooser.lookups(size, store=store, tell=told.append) for _ in range(2))
    assert len(told) == 1
    assert (first.words == again.words).all()
    assert chooser.larger(store, 1)[:2] == (size, 1.0)
