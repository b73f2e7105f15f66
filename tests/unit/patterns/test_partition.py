"""Partitions of tiles into patterns: complete, compact, alike under symmetries, and good."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases

from plansolve.model.structure import Structure
from plansolve.patterns.additive import additive_sets
from plansolve.patterns.partition import default_size
from plansolve.patterns.plan import PatternPlan, pattern_plan
from plansolve.storage.store import Store


def arcs_of(puzzle):
    return Structure(puzzle).blank_graph.successors


def plan_of(puzzle):
    return pattern_plan(arcs_of(puzzle), puzzle.goal.index(0))


def chosen(name, rows, columns, size, goal=None):
    puzzle = cases.make(name, rows, columns, goal)
    return plan_of(puzzle).two_partitions(size)[0]


def spread(pattern, columns):
    """The sum of the distances on the grid between all pairs of cells."""
    places = [divmod(cell, columns) for cell in pattern]
    return sum(abs(r - i) + abs(c - j) for r, c in places for i, j in places) // 2


def distinct_tables(name, rows, columns, partition, goal):
    puzzle = cases.make(name, rows, columns, goal)
    return len(plan_of(puzzle).tables([partition], reflected=False).tables)


@pytest.mark.parametrize(
    ("cells", "size"), [(2, 1), (4, 3), (9, 7), (16, 6), (20, 5), (25, 5), (36, 4), (64, 3)]
)
def test_default_sizes(cells, size):
    assert default_size(cells) == size
    assert cells**size <= 17_000_000


@pytest.mark.parametrize("size", [1, 3, 4])
@pytest.mark.parametrize(
    "puzzle",
    [
        cases.make("sliding", 1, 6),
        cases.make("sliding", 2, 10),
        cases.make("sliding", 3, 7, "snail"),
        pytest.param(cases.make("sliding", 6, 6), marks=pytest.mark.slow),
        cases.make("sliding", 4, 4, "snail"),
        pytest.param(cases.make("lloyd", 5, 5), marks=pytest.mark.slow),
        cases.one_way_ring(7),
    ],
    ids=lambda puzzle: f"{puzzle.name} {puzzle.rows}x{puzzle.columns}",
)
def test_each_home_is_in_one_pattern_and_the_choice_is_the_same_each_time(puzzle, size):
    arcs, blank = arcs_of(puzzle), puzzle.goal.index(0)
    partition, _ = PatternPlan(arcs, blank).two_partitions(size)
    homes = sorted(cell for pattern in partition for cell in pattern)
    assert homes == [cell for cell in range(puzzle.cells) if cell != blank]
    lengths = [len(pattern) for pattern in partition]
    assert lengths == sorted(lengths, reverse=True)
    assert all(length == size for length in lengths[:-1])
    assert all(list(pattern) == sorted(pattern) for pattern in partition)
    assert partition == PatternPlan(arcs, blank).two_partitions(size)[0]


def test_cells_that_no_move_joins_are_divided_too():
    arcs = [[1], [0], [3], [2], []]
    partition, _ = pattern_plan(arcs, 0).two_partitions(2)
    assert sorted(cell for pattern in partition for cell in pattern) == [1, 2, 3, 4]


def test_the_24_puzzle_s_known_partition_is_found():
    """That of Korf and Felner (2002), which needs two tables."""
    partition = chosen("sliding", 5, 5, 6, "blank-first")
    assert partition == (
        (1, 2, 5, 6, 7, 12),
        (3, 4, 8, 9, 13, 14),
        (10, 11, 15, 16, 20, 21),
        (17, 18, 19, 22, 23, 24),
    )
    assert distinct_tables("sliding", 5, 5, partition, "blank-first") == 2


@pytest.mark.parametrize(
    ("name", "rows", "columns", "goal", "beside"),
    [
        ("sliding", 4, 4, "blank-first", {1, 4}),
        ("sliding", 4, 4, "blank-last", {11, 14}),
        ("sliding", 5, 5, "blank-last", {19, 23}),
        ("sliding", 3, 7, "blank-last", {13, 19}),
        ("lloyd", 5, 5, "blank-last", {19, 23}),
        ("sliding", 4, 4, (1, 0, *range(2, 16)), {0, 2, 5}),
    ],
)
def test_the_tiles_beside_the_blank_are_together(name, rows, columns, goal, beside):
    for size in (3, 4, 5):
        partition = chosen(name, rows, columns, size, goal)
        assert any(beside <= set(pattern) for pattern in partition)


@pytest.mark.parametrize(
    ("rows", "goal", "known"),
    [
        (4, "blank-first", ((1, 2, 3, 6, 7), (4, 5, 8, 9, 12), (10, 11, 13, 14, 15))),
        (4, "blank-first", ((1, 2, 3), (4, 5, 8, 9, 12, 13), (6, 7, 10, 11, 14, 15))),
    ],
)
def test_without_a_blank_to_heed_they_are_as_compact_as_the_known_ones(rows, goal, known):
    plan = plan_of(cases.make("sliding", rows, rows, goal))
    (partition,) = plan.several_partitions(max(map(len, known)), 1)
    assert sum(spread(p, rows) for p in partition) == sum(spread(p, rows) for p in known)


def mean_value(puzzle, partition, boards):
    cells = puzzle.cells
    sets = additive_sets(
        plan_of(puzzle),
        puzzle.goal,
        [partition],
        store=Store(in_memory=True),
        tell=lambda line: None,
        title="test",
    )
    index = np.tile(sets.base.astype(np.int64), (len(boards), 1))
    for s in range(len(sets.first) - 1):
        for cell in range(cells):
            row = s * cells + boards[:, cell]
            here = np.flatnonzero(boards[:, cell])
            index[here, sets.group[row[here]]] += sets.weight[row[here] * cells + cell]
    sums = np.add.reduceat(sets.table[index].astype(int), sets.first[:-1].astype(int), axis=1)
    return sums.max(axis=1).mean()


def random_boards(puzzle, count):
    random, structure = Random(1), Structure(puzzle)
    colour = structure.blank_graph.colouring
    boards = []
    while len(boards) < count:
        board = list(puzzle.goal)
        random.shuffle(board)
        walk = colour[board.index(0)] ^ colour[puzzle.goal.index(0)] if colour else None
        if walk is None or structure.plan_parity(tuple(board)) == walk:
            boards.append(board)
    return np.array(boards)


KNOWN_15 = ((1, 2, 3, 6, 7), (4, 5, 8, 9, 12), (10, 11, 13, 14, 15))
KNOWN_LLOYD = (
    (0, 1, 2, 5, 6),
    (3, 4, 8, 9, 14),
    (10, 11, 15, 16, 20),
    (17, 19, 21, 22, 23),
    (7, 12, 13, 18),
)


def better(name, rows, goal, known):
    puzzle = cases.make(name, rows, rows, goal)
    boards = random_boards(puzzle, 3000)
    partition = chosen(name, rows, rows, max(map(len, known)), goal)
    return mean_value(puzzle, partition, boards) - mean_value(puzzle, known, boards)


def test_the_15_puzzle_s_bound_is_a_move_larger_than_with_the_usual_5_5_5():
    assert better("sliding", 4, "blank-first", KNOWN_15) > 1.0


@pytest.mark.slow
def test_lloyd_s_bound_is_larger_than_with_a_partition_made_by_hand():
    assert better("lloyd", 5, "blank-last", KNOWN_LLOYD) > 0.2


@pytest.mark.parametrize(("rows", "columns", "size"), [(3, 5, 4), (3, 7, 5), (4, 5, 5)])
def test_the_second_partition_puts_other_tiles_together(rows, columns, size):
    puzzle = cases.make("sliding", rows, columns)
    both = plan_of(puzzle).two_partitions(size)
    pairs = [{pair for p in partition for pair in combinations(p, 2)} for partition in both]
    assert len(pairs[0] & pairs[1]) < len(pairs[0]) * 0.7
    assert both[0] == chosen("sliding", rows, columns, size)


@pytest.mark.parametrize(
    ("rows", "columns", "size", "goal"),
    [(2, 3, 5, None), (3, 3, 5, "snail"), (4, 4, 5, None), (3, 5, 4, "blank-first")],
)
def test_several_partitions_are_complete_different_and_join_more_pairs_than_one(
    rows, columns, size, goal
):
    puzzle = cases.make("sliding", rows, columns, goal)
    blank = puzzle.goal.index(0)
    several = plan_of(puzzle).several_partitions(size, 4)
    homes = sorted(set(range(rows * columns)) - {blank})
    joined = []
    for partition in several:
        assert sorted(cell for pattern in partition for cell in pattern) == homes
        assert max(map(len, partition)) == size
        pairs = {pair for pattern in partition for pair in combinations(pattern, 2)}
        joined.append((joined[-1] if joined else set()) | pairs)
    assert len(set(several)) == len(several) == (4 if size < len(homes) else 1)
    assert [len(pairs) for pairs in joined] == sorted({len(pairs) for pairs in joined})


def test_the_second_of_several_partitions_is_the_reflection_of_the_first():
    puzzle = cases.make("sliding", 4, 4)
    first, second, *_ = plan_of(puzzle).several_partitions(5, 4)
    turned = {tuple(sorted(c % 4 * 4 + c // 4 for c in pattern)) for pattern in first}
    assert first == ((0, 1, 2, 4, 5), (3, 6, 7, 10, 11), (8, 9, 12, 13, 14))
    assert set(second) == turned
