"""Permutation pattern databases against breadth-first searches of placements and of boards."""

from itertools import permutations
from math import factorial
from random import Random

import numpy as np
import pytest
from support.reference.oracle import Rules, depth_counts
from support.reference.permutation import lookup_values, placements

from plansolve.analysis.automorphisms import symmetries
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.permutation import LOOKUP_BLOCK, permutation_lookups
from plansolve.patterns.permutation_build import build_table, table_length
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.patterns.table import NO_WAY
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.storage.store import Store

ONE_WAY = "torus-ring:rows=LRL,columns=UDU,rings=none"
VARIANTS = [
    ("torus-ring", 4, 4),
    ("torus-ring:rings=outer", 3, 3),
    ("torus-ring:rings=none", 2, 3),
    ("loopover", 3, 4),
    (ONE_WAY, 3, 3),
    ("torus-ring:columns=----,rings=none", 2, 4),
    ("torus-ring:rows=R*,columns=D*U,rings=none", 2, 3),
]


def rules_of(specification, rows, columns):
    rules = permutation_rules(make_puzzle(specification, rows, columns))
    assert rules is not None
    return rules


def lookups_of(puzzle, patterns, **options):
    store = Store(in_memory=True)
    rules = permutation_rules(puzzle)
    return permutation_lookups(
        rules, patterns, symmetries(puzzle), store=store, tell=lambda _: None, **options
    )


def walked(rules, steps, seed):
    random, board = Random(seed), tuple(range(rules.cells))
    for _ in range(steps):
        board = rules.after(board, random.randrange(len(rules.names)))
    return board


@pytest.mark.parametrize("tiles", [2, 3])
@pytest.mark.parametrize("parity", [True, False])
@pytest.mark.parametrize(("specification", "rows", "columns"), VARIANTS)
def test_table_equals_a_search_of_placements(specification, rows, columns, parity, tiles):
    rules = rules_of(specification, rows, columns)
    pattern = tuple(Random(tiles).sample(range(rules.cells), tiles))
    table = build_table(rules, pattern, parity)
    halved = parity and rules.differ_in_parity
    distances = placements(rules, pattern, halved)
    assert table.size == table_length(rules, pattern, parity)
    expected = np.full(table.size, NO_WAY, np.uint8)
    for (cells, odd), distance in distances.items():
        index = sum(c * rules.cells ** (tiles - 1 - i) for i, c in enumerate(cells))
        expected[index + odd * rules.cells**tiles] = distance
    assert (table == expected).all()


def test_a_board_of_more_than_64_cells_has_several_words_a_block():
    rules = rules_of("torus-ring", 7, 10)
    table = build_table(rules, (3, 69), True).reshape(2, 70, 70)
    for (cells, odd), distance in placements(rules, (3, 69), True).items():
        assert table[odd][cells] == distance
    assert np.count_nonzero(table == NO_WAY) == 2 * 70


def test_threads_build_the_same_table():
    rules = rules_of("torus-ring", 4, 4)
    assert (build_table(rules, (0, 1, 2), True, 3) == build_table(rules, (0, 1, 2), True)).all()


@pytest.mark.parametrize("parity", [True, False])
@pytest.mark.parametrize(("specification", "rows", "columns"), VARIANTS)
def test_lookups_equal_lookups_of_turned_boards(specification, rows, columns, parity):
    puzzle = make_puzzle(specification, rows, columns)
    rules, maps = permutation_rules(puzzle), symmetries(puzzle)
    patterns = [(0, 1), (1, 2, 4)]
    lookups = lookups_of(puzzle, patterns, parity=parity)
    halved = parity and rules.differ_in_parity
    tables = {pattern: placements(rules, pattern, halved) for pattern in patterns}
    assert lookups.width % LOOKUP_BLOCK == 0
    assert lookups.count == (2 if rules.is_inverse_closed else 1) * lookups.primal
    for seed in range(40):
        board = walked(rules, seed, seed)
        expected = lookup_values(rules, tables, maps, halved, board)
        assert set(lookups.values(board).tolist()) == expected
        assert lookups.value(board) == max(expected)
        assert not lookups.indices(board)[lookups.count :].any()


def test_images_of_a_pattern_share_a_table_and_its_lookups():
    puzzle = make_puzzle("torus-ring", 5, 5)
    row, corner, image = (0, 1, 2, 3), (0, 1), (24, 19)
    lookups = lookups_of(puzzle, [row, corner, image])
    # The row has 8 images, the two tiles of a corner have 8, and the third pattern is one of them.
    assert (lookups.count, lookups.primal, lookups.width) == (32, 16, 32)
    assert lookups.table.size == 2 * (25**4 + 25**2)


def test_lookups_can_be_limited_and_then_look_at_all_tiles():
    puzzle = make_puzzle("loopover", 4, 4)
    lookups = lookups_of(puzzle, [(0, 1, 5)], most=16)
    assert (lookups.count, lookups.primal) == (16, 8)
    columns = lookups.contribution.reshape(16, 16, -1)[:, :, : lookups.primal]
    assert columns.any(axis=1).any(axis=1).all()


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [
        ("torus-ring:rings=none", 2, 3),
        ("torus-ring:rings=outer", 2, 3),
        ("torus-ring:rows=R*,columns=D*U,rings=none", 2, 3),
        ("loopover", 1, 6),
    ],
)
def test_value_never_exceeds_the_distance_of_any_board(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    distances = Rules.of(puzzle).distances_to(puzzle.goal)
    lookups = lookups_of(puzzle, [(0, 1, 3), (2, 4)])
    for state in permutations(puzzle.goal):
        value = lookups.value(puzzle.arrangement(state))
        assert value <= distances.get(state, value)
    whole = lookups_of(puzzle, [tuple(range(5))])
    # With all tiles but one in a pattern the lookup is the distance itself.
    for state, distance in distances.items():
        assert whole.value(puzzle.arrangement(state)) == distance


def torus_depths(depth):
    puzzle = make_puzzle("torus-ring", 5, 5)
    distances = Rules.of(puzzle).distances_to(puzzle.goal, depth)
    chooser, store = permutation_chooser(puzzle), Store(in_memory=True)
    lookups = chooser.lookups(chooser.usual, store=store, tell=lambda _: None)
    values = np.full(depth + 1, 0)
    for state, distance in distances.items():
        value = lookups.value(puzzle.arrangement(state))
        assert value <= distance
        values[distance] += value == distance
    return depth_counts(distances), values


def test_the_torus_to_depth_3():
    counts, exact = torus_depths(3)
    assert counts == [1, 24, 452, 8252]
    # So near the goal the largest lookup is nearly always the distance.
    assert (exact[:2] == counts[:2]).all()
    assert exact[2] > 0.9 * counts[2]


@pytest.mark.slow
def test_the_torus_to_depth_4():
    counts, _ = torus_depths(4)
    assert counts == [1, 24, 452, 8252, 148295]


def test_rules_leave_out_what_changes_nothing_or_repeats():
    operators = (
        Operator("nothing", ()),
        Operator("swap", ((0, 1), (1, 0))),
        Operator("turn", ((0, 1), (1, 2), (2, 0))),
        Operator("again", ((1, 0), (0, 1))),
        Operator("still", ((2, 2),)),
    )
    puzzle = Puzzle("mine", 1, 3, (3, 1, 2), operators, tuple("0123"))
    rules = permutation_rules(puzzle)
    assert rules.names == ("swap", "turn")
    assert rules.is_odd == (True, False)
    assert rules.differ_in_parity
    assert not rules.is_inverse_closed
    assert puzzle.arrangement((1, 2, 3)) == (1, 2, 0)
    assert len(placements(rules, (0, 1, 2), True)) == factorial(3)


def test_of_moves_with_the_same_effect_the_cheapest_counts():
    swap = ((0, 1), (1, 0)), ((1, 2), (2, 1))
    operators = (
        Operator("A", swap[0], penalty=9),
        Operator("B", swap[0], penalty=1),
        Operator("C", swap[1], penalty=1),
    )
    puzzle = Puzzle("mine", 1, 3, (1, 2, 3), operators, tuple("0123"))
    assert permutation_rules(puzzle).names == ("B", "C")
    for engine in ("auto", "cnf"):
        result = solve(Problem(puzzle, (3, 2, 1)), engine=engine, plans="all")
        assert set(result.plans) == {("B", "C", "B"), ("C", "B", "C")}
        assert (result.penalty, result.is_least_penalty) == (3, True)
