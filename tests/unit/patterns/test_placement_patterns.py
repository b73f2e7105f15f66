"""Pattern databases of placements against plain searches of placements and of boards."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, scrambles
from support.fixtures.placements import (
    ZERO,
    kinds_of,
    number_in_table,
    numbers_in_table,
    pieces_of,
)
from support.reference.placements import goal_distances, placement_distances, random_puzzle

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.placement import placement_lookups
from plansolve.patterns.placement_build import build_table, placement_shape, table_length
from plansolve.patterns.placement_kernel import place
from plansolve.patterns.placement_rules import PieceClass, placement_rules
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.engine.solve import solve
from plansolve.storage.store import Store


def letters():
    """Sliding tiles of which two pairs are alike: RAT / ATE / .SE with the gap in a corner."""
    puzzle = make("sliding", 2, 4)
    return replace(puzzle, goal=(1, 2, 3, 2, 1, 4, 5, 0), pieces=())


PUZZLES = {
    "row slides": row_slides(),
    "one-way ring": one_way_ring(),
    "multi-tile": make("sliding:metric=multi-tile", 3, 3),
    "lloyd": make("lloyd", 3, 3),
    "loopover": make("loopover", 2, 3),
    "letters": letters(),
    **{f"random {n}": random_puzzle(Random(n), 3 + n % 4) for n in range(20)},
    **{f"alike {n}": random_puzzle(Random(n), 4 + n % 3, are_alike=True) for n in range(20)},
    **{
        f"open {n}": random_puzzle(Random(n), 4 + n % 3, are_alike=n % 2 == 1, is_open=True)
        for n in range(20)
    },
    **{
        f"gaps {n}": random_puzzle(
            Random(n), 4 + n % 3, are_alike=n % 2 == 1, is_open=n % 4 == 2, gaps=2 + n % 5 // 3
        )
        for n in range(20)
    },
}


def lookups_of(puzzle, size):
    rules = placement_rules(puzzle)
    choice = PlacementChooser(puzzle, rules)
    return choice.lookups(size, store=Store(in_memory=True), tell=lambda _: None, threads=1)


@pytest.mark.parametrize("sizes", [(1,), (1, 1, 1), (3,), (1, 2, 2), (2, 1, 3)])
def test_placements_are_numbered_without_gaps(sizes):
    cells, rows = 8, []
    shape = placement_shape(cells, [PieceClass((), size) for size in sizes])
    digit, cell = np.zeros(len(sizes), np.uint64), np.zeros(sum(sizes), np.uint64)
    count = int(np.prod(shape.ways))
    for number in range(count):
        place(np.uint64(number), ZERO, np.uint64(len(sizes)), ZERO, shape, digit, cell)
        rows.append(tuple(cell.tolist()))
    assert numbers_in_table(shape, rows).tolist() == [*range(count)]
    assert len(set(rows)) == count
    for row in rows:
        assert len(set(row)) == len(row) and max(row) < cells
        begin = 0
        for size in sizes:
            own = row[begin : begin + size]
            assert list(own) == sorted(own)
            begin += size


@pytest.mark.parametrize("name", PUZZLES)
def test_a_table_equals_a_search_of_placements(name):
    puzzle = PUZZLES[name]
    rules = placement_rules(puzzle)
    for size in (1, 2):
        kinds = sorted(rules.classes)
        pattern = tuple(Random(name).sample(kinds, min(size, len(kinds))))
        table = build_table(rules, pattern)
        expected = np.full(table_length(rules, pattern), NO_WAY, np.uint8)
        for placement, distance in placement_distances(puzzle, kinds_of(rules, pattern)).items():
            expected[number_in_table(rules, pattern, placement)] = distance
        assert (table == expected).all()


def test_threads_build_the_same_table():
    rules = placement_rules(make("sliding:metric=multi-tile", 4, 4))
    pattern = (1, 2, 5, 6)
    assert table_length(rules, pattern) > 1 << 16
    assert (build_table(rules, pattern, 3) == build_table(rules, pattern)).all()


def test_all_pieces_of_the_8_puzzle_in_multi_tile_moves():
    rules = placement_rules(make("sliding:metric=multi-tile", 3, 3))
    table = build_table(rules, tuple(range(1, 9)))
    known = table[table != NO_WAY]
    assert len(known) == 181_440 and known.max() == 24


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] * (n in ("lloyd", "multi-tile"))) for n in PUZZLES],
)
def test_lookups_are_lower_bounds_and_0_at_the_goal(name):
    puzzle = PUZZLES[name]
    distances = goal_distances(puzzle)
    boards = Random(name).sample(sorted(distances), min(200, len(distances)))
    for size in (1, 2):
        lookups = lookups_of(puzzle, min(size, len(placement_rules(puzzle).classes)))
        goal = next(puzzle.goal_boards())
        assert lookups.values(goal) == [0] * lookups.count
        assert all(lookups.value(board) <= distances[board] for board in boards)


def test_gaps_that_are_too_many_for_a_table_may_be_anywhere():
    puzzle = make("sliding-gaps:30", 8, 8)
    rules = placement_rules(puzzle)
    assert rules.relaxed and rules.blank is None and set(rules.needs) == {None}
    assert len(rules.classes) == 34
    lookups = lookups_of(puzzle, 2)
    for board in scrambles(puzzle, 5, 12, 1):
        assert lookups.value(board) <= 12
    assert lookups.value(puzzle.goal[::-1]) > 12
    few = placement_rules(make("sliding-gaps:2", 8, 8))
    assert few.blank == PieceClass((62, 63), 2) and None not in few.needs and not few.relaxed


def test_kinds_that_are_too_many_for_a_table_are_left_out():
    grid = make("sliding", 8, 8)
    halves = replace(grid, goal=(1,) * 31 + (2,) * 30 + (3, 3, 0), pieces=())
    assert [*placement_rules(halves).classes] == [3]
    assert placement_rules(replace(grid, goal=(1,) * 32 + (2,) * 31 + (0,), pieces=())) is None


def test_symmetries_give_one_table_several_lookups():
    puzzle = make("sliding:metric=multi-tile", 3, 3)
    rules = placement_rules(puzzle)
    transposed = tuple(3 * (cell % 3) + cell // 3 for cell in range(9))
    lookups = placement_lookups(
        puzzle,
        rules,
        [[(2, 3)]],
        [tuple(range(9)), transposed],
        store=Store(in_memory=True),
        tell=lambda _: None,
    )
    looked_at = [(0, 2, 3), (0, 4, 7)]
    distances = [placement_distances(puzzle, kinds) for kinds in looked_at]
    for board in scrambles(puzzle, 20, 40, 5):
        expected = [
            known[tuple((board.index(kind),) for kind in kinds)]
            for known, kinds in zip(distances, looked_at, strict=True)
        ]
        assert lookups.values(board) == expected


def test_larger_patterns_give_larger_bounds():
    puzzle = make("sliding:metric=multi-tile", 4, 4)
    boards = scrambles(puzzle, 30, 200, 7)
    small, large = lookups_of(puzzle, 2), lookups_of(puzzle, 3)
    assert sum(map(large.value, boards)) > sum(map(small.value, boards))


def test_goals_that_place_no_piece_have_no_tables():
    """Only where the blank ends counts: the other engines tell how to get it there."""
    puzzle = make("sliding", 3, 3)
    goal = (*[OPEN] * 8, BLANK)
    puzzle = replace(puzzle, goal=goal, pieces=puzzle.pieces)
    assert placement_rules(puzzle) is None
    result = solve(Problem(puzzle, (0, *range(1, 9))), engine="idastar")
    assert result.lower_bound == result.length == 4
    beam = solve(Problem(puzzle, (0, *range(1, 9))), engine="beam", optimal=False)
    assert beam.length >= 4 >= beam.lower_bound


def test_boards_of_more_than_64_cells_have_no_tables():
    assert placement_rules(make("sliding:metric=multi-tile", 5, 13)) is None
    assert placement_rules(make("sliding:metric=multi-tile", 4, 16)) is not None


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("multi-tile", marks=pytest.mark.slow),
        *("loopover", "letters", "alike 4", "random 3"),
    ],
)
def test_the_lookups_that_guide_a_beam_look_at_every_kind(name):
    puzzle = PUZZLES[name]
    rules = placement_rules(puzzle)
    choice = PlacementChooser(puzzle, rules)
    room = max(table_length(rules, (kind,)) for kind in rules.classes)
    store = Store(in_memory=True)
    lookups = choice.guide(room, store=store, tell=lambda _: None, threads=1)
    slots = {
        slot for n in range(lookups.count) for slot in pieces_of(lookups.tables, n)
    }  # Each piece of a kind has its slot.
    placed = sum(own.copies for own in rules.classes.values())
    assert len(slots) == placed + (0 if rules.blank is None else rules.blank.copies)
    distances = goal_distances(puzzle)
    for board in Random(name).sample(sorted(distances), min(100, len(distances))):
        assert lookups.value(board) <= distances[board]
