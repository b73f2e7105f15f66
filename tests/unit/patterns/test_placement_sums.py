"""Tables of placements that are added, against plain searches of placements and of boards."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import make, one_way_ring, row_slides
from support.fixtures.placements import (
    kinds_of,
    number_in_table,
)
from support.reference.placements import goal_distances, own_move_distances, random_puzzle

from plansolve.checker import check_plan
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.patterns import partition
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.partition import SumChooser
from plansolve.patterns.placement_build import build_seconds, build_table, table_length
from plansolve.patterns.placement_rules import independent_kinds, placement_rules
from plansolve.patterns.registry import build_for
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.beam.operator_beam import placement_beam
from plansolve.solvers.search.idastar.engine import shortest_plan
from plansolve.storage.store import Store


def alike(puzzle, size):
    """The puzzle with pieces of which so many are alike."""
    goal = tuple((tile + size - 1) // size for tile in puzzle.goal)
    return replace(puzzle, goal=goal, pieces=())


def opened(puzzle, cells):
    """The puzzle with a goal for the first cells only."""
    goal = (*puzzle.goal[:cells], *[OPEN] * (puzzle.cells - cells))
    return replace(puzzle, goal=goal, pieces=tuple(sorted(puzzle.goal)))


def two_orbits(random):
    """Operators that move cells of one of two sets; pieces of one kind may be in both."""
    operators = []
    for number in range(5):
        part = random.choice([range(4), range(4, 7)])
        moved = random.sample(part, random.randint(2, 3))
        operators.append(
            Operator(f"m{number}", tuple(zip(moved, moved[1:] + moved[:1], strict=True)))
        )
    goal = tuple(random.randint(1, 4) for _ in range(7))
    return Puzzle("orbits", 1, 7, goal, tuple(operators), tuple("01234"))


def random_exchanges(random, *, is_open):
    """A blank that goes along random arcs, and pieces that may be alike."""
    arcs = random.sample([(b, d) for b in range(6) for d in range(6) if b != d], 11)
    operators = tuple(Operator(f"m{b}{d}", ((b, d), (d, b)), b) for b, d in arcs)
    pieces = [0, *(random.randint(1, 4) for _ in range(5))]
    goal = random.sample(pieces, 6)
    if is_open:
        goal = [random.choice([kind, kind, OPEN]) for kind in goal]
    labels = tuple(map(str, range(6)))
    return Puzzle("arcs", 1, 6, tuple(goal), operators, labels, pieces=tuple(sorted(pieces)))


SEPARATE = {
    "letters": alike(make("sliding", 2, 4), 2),
    "an open goal": opened(make("sliding", 2, 3), 4),
    "two gaps": replace(make("sliding-gaps", 2, 3), goal=(1, 2, 3, 1, 0, 0), pieces=()),
    "one way": alike(one_way_ring(7), 2),
    **{f"orbits {n}": two_orbits(Random(n)) for n in range(8)},
    **{f"arcs {n}": random_exchanges(Random(n), is_open=n % 2 == 1) for n in range(12)},
}
OTHERS = {
    "row slides": row_slides(),
    **{f"rules {n}": random_puzzle(Random(n), 5, are_alike=n % 2 == 1) for n in range(8)},
    **{f"open {n}": random_puzzle(Random(n), 5, are_alike=True, is_open=True) for n in range(8)},
}
PUZZLES = {
    name: puzzle
    for name, puzzle in (SEPARATE | OTHERS).items()
    if placement_rules(puzzle) is not None
}
SEPARATE = {name: puzzle for name, puzzle in SEPARATE.items() if name in PUZZLES}


def patterns_of(rules, name):
    kinds = sorted(rules.classes)
    return [tuple(Random(name).sample(kinds, size)) for size in (1, 2) if size <= len(kinds)]


@pytest.mark.parametrize("name", PUZZLES)
def test_a_table_equals_a_search_of_placements(name):
    puzzle = PUZZLES[name]
    rules = placement_rules(puzzle)
    for pattern in patterns_of(rules, name):
        expected = np.full(table_length(rules, pattern), NO_WAY, np.uint8)
        for placement, moves in own_move_distances(puzzle, kinds_of(rules, pattern)).items():
            expected[number_in_table(rules, pattern, placement)] = moves
        assert (build_table(rules, pattern, are_added=True) == expected).all()


def test_threads_build_the_same_table():
    rules = placement_rules(alike(make("sliding", 4, 4), 2))
    pattern = (1, 2)
    assert table_length(rules, pattern) > 1 << 16
    assert (
        build_table(rules, pattern, 3, are_added=True)
        == build_table(rules, pattern, are_added=True)
    ).all()


@pytest.mark.parametrize("name", PUZZLES)
def test_no_operator_moves_pieces_of_two_parts(name):
    puzzle = PUZZLES[name]
    parts = independent_kinds(placement_rules(puzzle))
    part_of = {kind: number for number, part in enumerate(parts) for kind in part}
    assert part_of.keys() <= placement_rules(puzzle).classes.keys()
    for board in goal_distances(puzzle):
        for operator in puzzle.applicable(board).values():
            moved = {board[source] for cell, source in operator.moves if cell != source}
            placed = moved & placement_rules(puzzle).classes.keys()
            assert len({part_of[kind] for kind in placed}) <= 1


def test_parts_are_as_fine_as_the_rules_let_them_be():
    def sizes(puzzle):
        return sorted(map(len, independent_kinds(placement_rules(puzzle))))

    assert sizes(alike(make("sliding", 4, 4), 2)) == [1] * 8
    assert sizes(opened(make("sliding", 4, 4), 4)) == [1] * 4
    assert sizes(SEPARATE["two gaps"]) == [1] * 3
    assert sizes(make("lloyd", 3, 3)) == [1] * 8
    assert sizes(make("sliding:metric=multi-tile", 3, 3)) == [8]
    assert sizes(make("pocket-cube", 6, 4)) == [21]
    turns = make("loopover", 2, 3).operators
    rows = tuple(op for op in turns if len({cell // 3 for cell, _ in op.moves}) == 1)
    assert sizes(replace(make("loopover", 2, 3), operators=rows)) == [3, 3]


@pytest.mark.parametrize("name", SEPARATE)
def test_sums_are_lower_bounds_and_0_at_the_goal(name):
    puzzle = SEPARATE[name]
    distances = goal_distances(puzzle)
    choice = SumChooser(puzzle, placement_rules(puzzle))
    for size in (2, 3, 4):
        if not choice.sums(size):
            continue
        lookups = choice.lookups(size, store=Store(in_memory=True), tell=lambda _: None, threads=1)
        assert all(lookups.value(board) == 0 for board in puzzle.goal_boards())
        assert all(lookups.value(board) <= moves for board, moves in distances.items())


def test_sums_are_larger_than_the_largest_lookup():
    puzzle = alike(make("sliding", 4, 4), 2)
    rules = placement_rules(puzzle)
    added, largest = (
        choice.lookups(size, store=Store(in_memory=True), tell=lambda _: None, threads=1)
        for choice, size in ((SumChooser(puzzle, rules), 4), (PlacementChooser(puzzle, rules), 2))
    )
    random = Random(3)
    boards = [tuple(random.sample(puzzle.pieces, 16)) for _ in range(20)]
    assert sum(map(added.value, boards)) > 1.1 * sum(map(largest.value, boards))


def test_patterns_hold_each_part_once_and_no_table_is_too_large():
    rules = placement_rules(alike(make("sliding", 4, 4), 2))
    choice = SumChooser(alike(make("sliding", 4, 4), 2), rules)
    for size in (2, 4, 6):
        for patterns in choice.sums(size):
            kinds = [kind for pattern in patterns for kind in pattern]
            assert sorted(kinds) == sorted(rules.classes)
            most = np.prod([16 - k for k in range(size + 1)])
            assert all(table_length(rules, pattern) <= most for pattern in patterns)
    assert len(choice.sums(6)[0]) < len(choice.sums(2)[0])


def test_tables_above_the_usual_size_are_of_two_partitions():
    puzzle = make("sliding-gaps", 4, 4)
    rules = placement_rules(puzzle)
    choice, usual = SumChooser(puzzle, rules), SumChooser(puzzle, rules).usual
    assert choice.all_sums(usual) == choice.sums(usual)
    first, second = choice.all_sums(usual + 1)
    assert [first] == choice.sums(usual + 1)
    together = [
        {frozenset(pair) for pattern in patterns for pair in combinations(pattern, 2)}
        for patterns in (first, second)
    ]
    assert len(together[0] & together[1]) < len(together[0]) / 2
    assert sorted(kind for pattern in second for kind in pattern) == sorted(rules.classes)
    planned = choice.larger(Store(in_memory=True), 1)
    seconds = 5 * build_seconds(rules, [*first, *second], 1)
    assert planned[:2] == (usual + 1, pytest.approx(seconds))
    tight = SumChooser(puzzle, rules, 100_000_000)
    assert tight.all_sums(usual + 1) == tight.sums(usual + 1) == [first]


@pytest.mark.parametrize(
    ("puzzle", "size"),
    [
        (SEPARATE["letters"], 3),
        (SEPARATE["an open goal"], 2),
        (SEPARATE["arcs 3"], 2),
        (make("sliding-gaps", 2, 3), 2),
    ],
)
def test_the_larger_sum_of_two_partitions_is_a_lower_bound(puzzle, size, monkeypatch):
    monkeypatch.setattr(SumChooser, "_UNASKED", 0)
    choice = SumChooser(puzzle, placement_rules(puzzle))
    lookups = choice.lookups(size, store=Store(in_memory=True), tell=lambda _: None, threads=1)
    distances = goal_distances(puzzle)
    pairs = {board: lookups.sums(board) for board in distances}
    assert all(max(pair) <= distances[board] for board, pair in pairs.items())
    assert any(first < second for first, second in pairs.values())
    assert any(first > second for first, second in pairs.values())


@pytest.mark.parametrize("name", SEPARATE)
def test_searches_with_sums_find_the_distances(name, monkeypatch):
    monkeypatch.setattr(partition, "_WHOLE", 0)
    puzzle = SEPARATE[name]
    distances = goal_distances(puzzle)
    for board in Random(name).sample(sorted(distances), min(6, len(distances))):
        problem = Problem(puzzle, board)
        for search in (shortest_plan, placement_beam):
            reports = [*search(problem, Incumbent(), Budget(memory=1 << 30))]
            plans = [report.plan for report in reports if report.plan is not None]
            assert all(check_plan(problem, plan).solves for plan in plans)
            bound = max((report.lower_bound for report in reports), default=0)
            assert bound <= distances[board]
            if search is shortest_plan:
                assert len(plans[-1]) == distances[board]


def test_tables_are_put_into_the_store_for_searches_to_find():
    puzzle = alike(make("sliding", 4, 4), 3)
    problem, store = Problem(puzzle, puzzle.goal), Store()
    choice = SumChooser(puzzle, placement_rules(puzzle))
    build_for(problem, 5, store, lambda _: None)
    assert choice.built(store) >= 5
    with pytest.raises(OptionError, match=r"no tables of 1 piece: .* try [2-9]"):
        build_for(problem, 1, store, lambda _: None)
