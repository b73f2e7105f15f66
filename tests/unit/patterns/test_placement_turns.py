"""Tables for puzzles whose moves take turns, against searches of placements and of boards."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, turning_letters, two_dials
from support.fixtures.placements import check_that_changes_are_found, kinds_of, number_in_table
from support.reference.placements import goal_distances, random_puzzle, turn_distances

from plansolve.patterns.placement import placement_key
from plansolve.patterns.placement_alternation import alternating_classes
from plansolve.patterns.placement_build import NO_WAY, build_table, classes_of, table_length
from plansolve.patterns.placement_rules import placement_rules
from plansolve.patterns.placement_turn_build import build_turn_table
from plansolve.patterns.placement_verify import verify_placements
from plansolve.patterns.sampling import placement_overstates

PUZZLES = {
    "multi-tile": make("sliding:metric=multi-tile", 3, 3),
    "row slides": row_slides(),
    "letters": turning_letters(),
    "two dials": two_dials(),
}


def along_rows(operator):
    return int(operator.name[0] in "LRb")


def turns_of(puzzle):
    rules = placement_rules(puzzle)
    return rules, alternating_classes(rules)


@pytest.mark.parametrize("name", PUZZLES)
def test_classes_are_rows_and_columns_or_dials(name):
    puzzle = PUZZLES[name]
    rules, turns = turns_of(puzzle)
    classes = {
        (one.blank, one.destinations(puzzle.cells)): along_rows(one) for one in puzzle.operators
    }
    found = [classes[effect] for effect in zip(rules.needs, rules.destinations, strict=True)]
    assert list(turns) in (found, [1 - one for one in found])


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 3, 3),  # From each cell there are moves of one colour.
        make("sliding:metric=multi-tile", 1, 5),
        make("torus-ring:metric=any-distance,rings=none", 3, 3),
        make("sliding-gaps", 2, 3),
        make("top-spin:7,4", 1, 7),
        one_way_ring(),
        replace(two_dials(), operators=two_dials().operators[:-1]),
    ],
    ids=lambda puzzle: puzzle.title,
)
def test_other_puzzles_have_no_classes(puzzle):
    assert turns_of(puzzle)[1] is None


def test_shortest_plans_of_random_rules_take_turns():
    """Wherever classes are found, no two of a class lead a board to where one does not lead."""
    found = 0
    for seed in range(3000):
        puzzle = random_puzzle(Random(seed), 3 + seed % 2, widest=2 + seed % 2)
        if (rules := placement_rules(puzzle)) is None or rules.relaxed:
            continue
        if (turns := alternating_classes(rules)) is None:
            continue
        found += 1
        distances = goal_distances(puzzle)
        turn = dict(zip(zip(rules.needs, rules.destinations, strict=True), turns, strict=True))
        own = {
            one: turn.get((one.blank, one.destinations(puzzle.cells))) for one in puzzle.operators
        }
        for board, (first, then) in product(distances, product(own, repeat=2)):
            if own[first] is None or own[first] != own[then] or not first.applies_to(board):
                continue
            if then.applies_to(after := first.apply(board)):
                steps = {board} | {one.apply(board) for one in own if one.applies_to(board)}
                assert then.apply(after) in steps
    assert found


@pytest.mark.parametrize("name", PUZZLES)
def test_a_table_equals_a_search_that_takes_turns(name):
    puzzle = PUZZLES[name]
    rules, turns = turns_of(puzzle)
    turn = dict(zip(zip(rules.needs, rules.destinations, strict=True), turns, strict=True))
    for size in (1, 2, 3):
        kinds = sorted(rules.classes)
        pattern = tuple(Random(name).sample(kinds, min(size, len(kinds))))
        known = turn_distances(
            puzzle,
            kinds_of(rules, pattern),
            lambda one: turn[one.blank, one.destinations(puzzle.cells)],
        )
        expected = np.full(table_length(rules, pattern), NO_WAY, np.uint8)
        for placement in {placement for placement, _ in known}:
            first, second = known[placement, 0], known[placement, 1]
            bits = 0x40 * (first > second) + 0x80 * (second > first)
            expected[number_in_table(rules, pattern, placement)] = min(first, second) + bits
        table = build_turn_table(rules, pattern, turns)
        assert (table == expected).all()
        plain = build_table(rules, pattern)
        assert (np.where(table == NO_WAY, NO_WAY, table & 0x3F) == plain).all()


def test_threads_build_the_same_table():
    rules, turns = turns_of(make("sliding:metric=multi-tile", 4, 4))
    one, three = (build_turn_table(rules, (1, 2, 5, 6), turns, threads) for threads in (1, 3))
    assert (one == three).all() and len(one) > 1 << 16


def test_a_whole_board_is_as_far_as_the_class_that_suits_it():
    """Where all pieces are placed, the distance of a board and of each beginning is exact."""
    puzzle = make("sliding:metric=multi-tile", 2, 3)
    rules, turns = turns_of(puzzle)
    table = build_turn_table(rules, (1, 2, 3, 4, 5), turns)
    distances = goal_distances(puzzle)
    turn = dict(zip(zip(rules.needs, rules.destinations, strict=True), turns, strict=True))
    for board, moves in distances.items():
        placement = tuple((board.index(kind),) for kind in (0, 1, 2, 3, 4, 5))
        entry = table[number_in_table(rules, (1, 2, 3, 4, 5), placement)]
        suits = {
            turn[one.blank, one.destinations(6)]
            for one in puzzle.operators
            if one.applies_to(board) and distances[one.apply(board)] < moves
        }
        assert entry & 0x3F == moves
        assert [bool(entry & bit) for bit in (0x40, 0x80)] == [
            moves > 0 and one not in suits for one in (0, 1)
        ]


@pytest.mark.parametrize("name", ["row slides", "two dials", "letters"])
def test_verification_finds_each_changed_entry(name):
    rules, turns = turns_of(PUZZLES[name])
    patterns = [(1, 2), (2,)]
    entries = np.concatenate([build_turn_table(rules, pattern, turns) for pattern in patterns])
    key = placement_key(rules, patterns)
    check_that_changes_are_found(key, entries, name)
    for bit in (0x40, 0x80):
        damaged = entries.copy()
        damaged[int(np.flatnonzero(entries > 2)[0])] ^= bit
        assert verify_placements(key.content, damaged, lambda _: None)


@pytest.mark.parametrize("turns", [3, [0], [0, 2], [True], "01"])
def test_classes_that_make_no_sense_are_told(turns):
    rules, own = turns_of(PUZZLES["two dials"])
    key, entries = placement_key(rules, [(1, 2)]), build_turn_table(rules, (1, 2), own)
    wrong = turns if not isinstance(turns, list) else (turns * 6)[: max(len(turns), 6)]
    for value in (wrong, [*own, 0]):
        assert verify_placements({**key.content, "turns": value}, entries, lambda _: None)


def test_a_bit_that_overstates_is_found_by_walks():
    rules, turns = turns_of(make("sliding:metric=multi-tile", 4, 4))
    table, classes = build_turn_table(rules, (1, 2, 5), turns), classes_of(rules, (1, 2, 5))
    assert not placement_overstates(rules, classes, table, turns=turns)
    for wrong in (3, 0x82, 0x42):
        changed = table.copy()
        changed[(table & 0x3F == 2)] = wrong
        assert placement_overstates(rules, classes, changed, turns=turns)
