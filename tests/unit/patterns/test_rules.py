"""The rules that tables are built from: what is left out, and which kinds may be added."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import alike, make, one_way_ring, opened, row_slides, two_gaps
from support.reference.placements import goal_distances, random_puzzle

from plansolve.model.puzzle import BLANK, OPEN, Operator, Puzzle
from plansolve.patterns.rules import (
    PieceClass,
    independent_kinds,
    permutation_rules,
    placement_rules,
)


def test_permutation_rules_leave_out_what_changes_nothing_or_repeats():
    operators = (
        Operator("nothing", ()),
        Operator("swap", ((0, 1), (1, 0)), penalty=9),
        Operator("turn", ((0, 1), (1, 2), (2, 0))),
        Operator("cheap", ((1, 0), (0, 1)), penalty=1),
        Operator("still", ((2, 2),)),
    )
    puzzle = Puzzle("mine", 1, 3, (3, 1, 2), operators, tuple("0123"))
    rules = permutation_rules(puzzle)
    # Of moves with the same effect the cheapest counts.
    assert rules.names == ("cheap", "turn") and rules.is_odd == (True, False)
    assert rules.differ_in_parity and not rules.is_inverse_closed
    assert puzzle.arrangement((1, 2, 3)) == (1, 2, 0)
    assert permutation_rules(make("sliding", 3, 3)) is None


def test_what_placement_rules_leave_out():
    grid = make("sliding", 8, 8)
    halves = replace(grid, goal=(1,) * 31 + (2,) * 30 + (3, 3, 0), pieces=())
    assert [*placement_rules(halves).classes] == [3]
    nothing = (
        replace(grid, goal=(1,) * 32 + (2,) * 31 + (0,), pieces=()),
        replace(make("sliding", 3, 3), goal=(*[OPEN] * 8, BLANK), pieces=tuple(range(9))),
        make("sliding:metric=multi-tile", 5, 13),
    )
    assert [*map(placement_rules, nothing)] == [None, None, None]
    assert placement_rules(make("sliding:metric=multi-tile", 4, 16)) is not None


def test_gaps_that_are_too_many_for_a_table_are_left_out():
    rules = placement_rules(make("sliding-gaps:30", 8, 8))
    assert rules.relaxed and rules.blank is None and set(rules.needs) == {None}
    assert len(rules.classes) == 34
    few = placement_rules(make("sliding-gaps:2", 8, 8))
    assert few.blank == PieceClass((62, 63), 2) and None not in few.needs and not few.relaxed


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


SEPARATE = {
    "letters": alike(make("sliding", 2, 4), 2),
    "an open goal": opened(make("sliding", 2, 3), 4),
    "two gaps": two_gaps(),
    "one way": alike(one_way_ring(7), 2),
    "row slides": row_slides(),
    **{f"orbits {n}": two_orbits(Random(n)) for n in range(8)},
    **{f"rules {n}": random_puzzle(Random(n), 5, are_alike=n % 2 == 1) for n in range(8)},
    **{f"open {n}": random_puzzle(Random(n), 5, are_alike=True, is_open=True) for n in range(8)},
}
SEPARATE = {name: puzzle for name, puzzle in SEPARATE.items() if placement_rules(puzzle)}


@pytest.mark.parametrize("name", SEPARATE)
def test_no_operator_moves_pieces_of_two_parts(name):
    puzzle, rules = SEPARATE[name], placement_rules(SEPARATE[name])
    parts = independent_kinds(rules)
    part_of = {kind: number for number, part in enumerate(parts) for kind in part}
    assert part_of.keys() <= rules.classes.keys()
    for board in goal_distances(puzzle):
        for operator in puzzle.applicable(board).values():
            moved = {board[source] for cell, source in operator.moves if cell != source}
            assert len({part_of[kind] for kind in moved & rules.classes.keys()}) <= 1


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
