"""Partitions of tiles into patterns: complete, compact, alike under symmetries, and good."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases

from plansolve.model.structure import Structure
from plansolve.patterns.additive import additive_sets
from plansolve.patterns.partition import additive_chooser
from plansolve.storage.store import Store


def arcs_of(puzzle):
    return Structure(puzzle).blank_graph.successors


def plan_of(puzzle):
    return additive_chooser(arcs_of(puzzle), puzzle.goal.index(0))


def chosen(name, rows, columns, size, goal=None):
    puzzle = cases.make(name, rows, columns, goal)
    return plan_of(puzzle).two_partitions(size)[0]


def distinct_tables(name, rows, columns, partition, goal):
    puzzle = cases.make(name, rows, columns, goal)
    return len(plan_of(puzzle).tables([partition], reflected=False).tables)


def test_cells_that_no_move_joins_are_divided_too():
    arcs = [[1], [0], [3], [2], []]
    partition, _ = additive_chooser(arcs, 0).two_partitions(2)
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
