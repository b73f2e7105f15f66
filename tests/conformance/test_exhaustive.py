"""Every encoding, with and without each lemma and with both engines, against breadth-first tables.

Agreement means: for each horizon below a board's depth the formula is refuted, and at the depth it
has a model whose plan the rules allow and which ends in the goal.
"""

from functools import cache
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.agreement import (
    SIX,
    agrees,
    backend_of,
    ends,
    over_variants,
    refuted,
    two_by_three,
)
from support.reference.oracle import Rules, depth_counts

# 2x3: all 720 starts, with the slow tests


@over_variants(cases.make("sliding", 2, 3))
def test_2x3_boards_are_solvable_exactly_at_their_depth(index, variant):
    puzzle, table = two_by_three()
    count = len(cases.variants(puzzle))
    for number, start in enumerate(SIX[index::count]):
        # All horizons of every fourth board, of the slower permutation encoding every 16th.
        brief = number % (16 if variant[0] == "permutation" else 4)
        if start in table:
            depth, backend = table[start], backend_of(number)
            agrees(puzzle, start, depth, variant, ends(depth, 2) if brief else None, "cnf", backend)
        else:
            horizons = (0, 1, 8) if variant[0] == "permutation" else (0, 1, 20, 21)
            refuted(puzzle, start, variant, horizons, backend=backend_of(number))


@pytest.mark.slow
@over_variants(cases.make("sliding", 2, 3))
def test_a_share_of_the_2x3_boards_agrees_at_every_horizon_by_every_variant(index, variant):
    puzzle, table = two_by_three()
    share = 36 if variant[0] == "permutation" else 9
    for number, start in enumerate(SIX[index % share :: share]):
        if start in table:
            agrees(puzzle, start, table[start], variant, backend=backend_of(number))
        elif number % 4 == 0:
            refuted(puzzle, start, variant, range(22), backend=backend_of(number))


def agrees_on_2x3_boards(starts, variant, engine, backend=None):
    puzzle, table = two_by_three()
    for start in starts:
        if start in table:
            depth = table[start]
            agrees(puzzle, start, depth, variant, ends(depth, 2), engine, backend)
        else:
            refuted(puzzle, start, variant, (8, 9), engine, backend)


@pytest.mark.slow
@over_variants(cases.make("sliding", 2, 3))
def test_every_2x3_board_by_every_variant(index, variant):
    # Of the permutation encoding, which is slower, each variant takes every sixth.
    starts = SIX[index % 6 :: 6] if variant[0] == "permutation" else SIX
    agrees_on_2x3_boards(starts, variant, "cnf", backend_of(index))


@pytest.mark.slow
@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_every_sixth_2x3_board_by_cp_sat(encoding, lemmas):
    first = 0 if lemmas is None else 3
    agrees_on_2x3_boards(SIX[first::6], (encoding, lemmas), "cp-sat")


@pytest.mark.parametrize("goal", ["blank-first", "snail", "blank-in-the-middle"])
@over_variants(cases.make("sliding", 2, 3))
def test_2x3_boards_with_another_goal_are_solvable_exactly_at_their_depth(goal, index, variant):
    puzzle, table = two_by_three(goal)
    start = Random(f"{goal} {index}").choice(sorted(table))
    agrees(puzzle, start, table[start], variant)


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["blank-first", "snail", "blank-in-the-middle"])
@over_variants(cases.make("sliding", 2, 3))
def test_a_share_of_the_2x3_boards_with_another_goal_agrees_by_every_variant(goal, index, variant):
    puzzle, table = two_by_three(goal)
    for number, start in enumerate(sorted(table)[index % 36 :: 36]):
        agrees(puzzle, start, table[start], variant, backend=backend_of(number))


@over_variants(cases.make("sliding", 2, 3))
def test_cp_sat_agrees_on_2x3_boards(index, variant):
    puzzle, table = two_by_three()
    start = Random(index).choice(sorted(table))
    agrees(puzzle, start, table[start], variant, ends(table[start]), engine="cp-sat")


@pytest.mark.slow
@over_variants(cases.make("sliding", 2, 3))
def test_cp_sat_agrees_on_2x3_boards_with_every_variant(index, variant):
    puzzle, table = two_by_three()
    for start in Random(index).sample(SIX, 3):
        if start in table:
            agrees(puzzle, start, table[start], variant, engine="cp-sat")
        else:
            refuted(puzzle, start, variant, range(22), engine="cp-sat")


# 3x3


@over_variants(cases.make("sliding", 3, 3))
def test_random_3x3_boards_are_solvable_exactly_at_their_depth(index, variant, eight_table):
    # 60 boards with the slow tests, and one of each variant of the slower permutation encoding.
    puzzle = cases.make("sliding", 3, 3)
    encodings = [encoding for encoding, _ in cases.variants(puzzle)]
    among = [i for i, name in enumerate(encodings) if name != "permutation"]
    if variant[0] == "permutation":
        boards = cases.scrambles(puzzle, 1, 18, index)
    else:
        boards = Random(300).sample(list(eight_table), 60)[among.index(index) :: len(among)]
    for number, start in enumerate(boards):
        depth = eight_table[start]
        agrees(puzzle, start, depth, variant, ends(depth, 2), backend=backend_of(number))


@pytest.mark.slow
@over_variants(cases.make("sliding", 3, 3), but="permutation")
def test_50_random_3x3_boards_by_every_variant_on_the_blank_graph(index, variant, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    for start in Random(index).sample(list(eight_table), 50):
        depth = eight_table[start]
        agrees(puzzle, start, depth, variant, ends(depth, 2), backend=backend_of(index))


@pytest.mark.slow
@over_variants(cases.make("sliding", 3, 3))
def test_more_random_3x3_boards_agree_at_every_horizon(index, variant, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    count = 1 if variant[0] == "permutation" else 5
    boards = Random(index).sample(list(eight_table), count)
    if variant[0] == "permutation":
        boards = cases.scrambles(puzzle, count, 20, index)
    for number, start in enumerate(boards):
        agrees(puzzle, start, eight_table[start], variant, backend=backend_of(number))


@pytest.mark.parametrize(
    "goal",
    ["blank-first", "snail", (1, 2, 3, 4, 0, 5, 6, 7, 8), (1, 2, 3, 4, 5, 6, 7, 0, 8)],
    ids=["blank-first", "snail", "blank-in-the-centre", "blank-in-the-last-row"],
)
@pytest.mark.parametrize(
    "encoding", ["half-layer", pytest.param("full-layer", marks=pytest.mark.slow)]
)
def test_random_3x3_boards_with_another_goal_agree(goal, encoding):
    puzzle = cases.make("sliding", 3, 3, goal)
    table = cases.distance_table("sliding", 3, 3, goal)
    assert len(table) == 181440
    for start in Random(f"{goal}").sample(list(table), 1):
        agrees(puzzle, start, table[start], (encoding, None))


@pytest.mark.slow
@over_variants(cases.make("sliding", 3, 3))
def test_random_3x3_snail_boards_agree_by_every_variant(index, variant):
    puzzle = cases.make("sliding", 3, 3, "snail")
    table = cases.distance_table("sliding", 3, 3, "snail")
    slower = variant[0] == "permutation"
    boards = cases.scrambles(puzzle, 2, 16, index)
    for start in boards if slower else Random(index).sample(list(table), 2):
        agrees(puzzle, start, table[start], variant)


@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_cp_sat_agrees_on_3x3_boards(encoding, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    for start in cases.scrambles(puzzle, 3, 16, 3):
        agrees(puzzle, start, eight_table[start], (encoding, None), engine="cp-sat")


# Lloyd: a directed blank graph of one colour


@over_variants(cases.make("lloyd", 3, 3))
def test_random_lloyd_3x3_boards_are_solvable_exactly_at_their_depth(index, variant, lloyd_table):
    # Some 50 boards with the slow tests; the permutation encoding gets shallow ones.
    puzzle = cases.make("lloyd", 3, 3)
    if variant[0] == "permutation":
        boards = cases.scrambles(puzzle, 3, 8, index)
    else:
        boards = Random(index).sample(list(lloyd_table), 3)
    assert all(board in lloyd_table for board in boards)
    for number, start in enumerate(boards):
        depth = lloyd_table[start]
        agrees(puzzle, start, depth, variant, ends(depth), backend=backend_of(number))


@pytest.mark.slow
@over_variants(cases.make("lloyd", 3, 3))
def test_more_random_lloyd_3x3_boards_agree_at_every_horizon(index, variant, lloyd_table):
    puzzle = cases.make("lloyd", 3, 3)
    boards = (
        cases.scrambles(puzzle, 3, 10, index)
        if variant[0] == "permutation"
        else Random(index).sample(list(lloyd_table), 8)
    )
    for number, start in enumerate(boards):
        agrees(puzzle, start, lloyd_table[start], variant, backend=backend_of(number))


def test_cp_sat_agrees_on_lloyd_boards(lloyd_table):
    puzzle = cases.make("lloyd", 3, 3)
    for start in cases.scrambles(puzzle, 4, 12, 1):
        for variant in (("full-layer", None), ("permutation", None)):
            agrees(puzzle, start, lloyd_table[start], variant, engine="cp-sat")


# Boards without a blank


TORI = [
    ("torus-ring", 5, 5, 4),
    ("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5, 4),
    ("torus-ring:rings=outer", 3, 3, 4),
    ("torus-ring:rings=none", 3, 3, 5),
    ("loopover", 2, 3, 7),
    ("torus-ring", 4, 4, 3),
]


@pytest.mark.parametrize(("specification", "rows", "columns", "steps"), TORI)
@over_variants(cases.make("torus-ring", 5, 5))
def test_torus_scrambles_are_solvable_exactly_at_their_depth(
    specification, rows, columns, steps, index, variant
):
    puzzle = cases.make(specification, rows, columns)
    depth = min(steps, 3) if rows * columns == 25 else steps
    table = cases.distance_table(specification, rows, columns, None, depth)
    (start,) = cases.scrambles(puzzle, 1, depth, index)
    agrees(puzzle, start, table[start], variant, backend=backend_of(index))


@cache
def torus_of_depth_4():
    """Boards four moves away: their neighbours at depth three are the nearest to the goal."""
    puzzle = cases.make("torus-ring", 5, 5)
    table = cases.distance_table("torus-ring", 5, 5, None, 3)
    rules = Rules.of(puzzle)
    return puzzle, [
        start
        for start in cases.scrambles(puzzle, 200, 4, 4)
        if start not in table and any(after in table for _, after in rules.successors(start))
    ]


@over_variants(cases.make("torus-ring", 5, 5))
def test_torus_ring_boards_of_depth_4_have_their_first_plan_there(index, variant):
    puzzle, boards = torus_of_depth_4()
    assert len(boards) >= 20
    agrees(puzzle, boards[index % len(boards)], 4, variant, backend=backend_of(index))


@pytest.mark.slow
@over_variants(cases.make("torus-ring", 5, 5))
def test_six_torus_ring_boards_of_depth_4_agree_by_every_variant(index, variant):
    puzzle, boards = torus_of_depth_4()
    for number, start in enumerate(boards[:6]):
        agrees(puzzle, start, 4, variant, backend=backend_of(number))


@pytest.mark.slow
@over_variants(cases.make("loopover", 2, 3))
def test_loopover_2x3_board_is_solvable_exactly_at_its_depth(index, variant):
    puzzle = cases.make("loopover", 2, 3)
    table = cases.distance_table("loopover", 2, 3)
    assert len(table) == 720
    for start, depth in list(table.items())[index % 12 :: 12]:
        agrees(puzzle, start, depth, variant)


@pytest.mark.parametrize(("specification", "rows", "columns", "steps"), TORI)
def test_cp_sat_agrees_on_torus_scrambles(specification, rows, columns, steps):
    puzzle = cases.make(specification, rows, columns)
    table = cases.distance_table(specification, rows, columns, None, min(steps, 3))
    for start in cases.scrambles(puzzle, 2, min(steps, 3), 5):
        for lemmas in (None, ()):
            agrees(puzzle, start, table[start], ("permutation", lemmas), engine="cp-sat")


# Rules that no family has


def test_row_slides_have_no_blank_graph_and_reach_360_boards():
    puzzle = cases.row_slides()
    assert [encoding for encoding, _ in cases.variants(puzzle)] == ["permutation"] * len(
        cases.variants(puzzle)
    )
    assert sum(depth_counts(Rules.of(puzzle).distances_to(puzzle.goal))) == 360


@pytest.mark.parametrize("goal", [None, (0, 1, 2, 3, 4, 5), (1, 0, 2, 3, 4, 5)])
@over_variants(cases.row_slides())
def test_row_slides_are_solvable_exactly_at_their_depth(goal, index, variant):
    puzzle = cases.row_slides(goal=goal)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    start = Random(f"{goal} {index}").choice(sorted(table))
    agrees(puzzle, start, table[start], variant, backend=backend_of(index))


@pytest.mark.slow
@over_variants(cases.row_slides())
def test_boards_of_the_row_slides_over_all_variants_is_solvable_exactly_at_its_depth(
    index, variant
):
    puzzle = cases.row_slides()
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for number, start in enumerate(SIX[index % 20 :: 20]):
        if start in table:
            agrees(puzzle, start, table[start], variant, backend=backend_of(number))
        else:
            refuted(puzzle, start, variant, (0, 1, 2, 3, 10, 20, 21))


def test_cp_sat_agrees_on_row_slides():
    puzzle = cases.row_slides()
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in Random(4).sample(sorted(table), 4):
        agrees(puzzle, start, table[start], ("permutation", None), ends(table[start]), "cp-sat")


@over_variants(cases.one_way_ring())
def test_boards_of_a_one_way_ring_are_solvable_exactly_at_their_depth(index, variant):
    puzzle = cases.one_way_ring()
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert len(table) == 120
    for number, (start, depth) in enumerate(sorted(table.items())[index % 6 :: 6]):
        agrees(puzzle, start, depth, variant, backend=backend_of(number))
