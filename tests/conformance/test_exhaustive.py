"""Every encoding, with and without each lemma and with both engines, against breadth-first tables.

Agreement means: for each horizon below a board's depth the formula is refuted, and at the depth it
has a model whose plan the rules allow and which ends in the goal.
"""

from functools import cache, partial
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

SHARES = pytest.mark.parametrize("share", ["few", pytest.param("many", marks=pytest.mark.slow)])
"""Few boards quickly, and many of them, or at more horizons, with the slow tests."""

# Where all plans of a board are of one parity, the horizon before its depth tells nothing.
ends_of_one_parity = partial(ends, below=2)


def all_agree(puzzle, table, starts, variant, at=None, engine="cnf", beyond=()):
    """Checks boards at the horizons `at(depth)`, or else at all up to the depth.

    Those that are not in the table have no plan, and none of the lengths `beyond`.
    """
    for number, start in enumerate(starts):
        backend = backend_of(number) if engine == "cnf" else None
        if start in table or not beyond:
            horizons = None if at is None else at(table[start])
            agrees(puzzle, start, table[start], variant, horizons, engine, backend)
        else:
            refuted(puzzle, start, variant, beyond, engine, backend)


# 2x3


@SHARES
@over_variants(cases.make("sliding", 2, 3))
def test_2x3_boards_are_solvable_exactly_at_their_depth(index, variant, share):
    """All 720 starts with the slow tests; the permutation encoding, which is slower, takes fewer.

    Each variant takes some boards at every horizon, and those that have no plan at more of them.
    """
    puzzle, table = two_by_three()
    slower = variant[0] == "permutation"
    if share == "few":
        starts = SIX[index :: len(cases.variants(puzzle))]
        thorough, refuted_at_all = starts[:: 16 if slower else 4], ()
        beyond = (0, 1, 8) if slower else (0, 1, 20, 21)
    else:
        starts = SIX[index % 6 :: 6] if slower else SIX
        step = 36 if slower else 9
        thorough = SIX[index % step :: step]
        refuted_at_all, beyond = thorough[::4], (8, 9)
    for number, start in enumerate(starts):
        backend = backend_of(number)
        if start in table:
            depth = table[start]
            horizons = None if start in thorough else ends_of_one_parity(depth)
            agrees(puzzle, start, depth, variant, horizons, backend=backend)
        else:
            horizons = range(22) if start in refuted_at_all else beyond
            refuted(puzzle, start, variant, horizons, backend=backend)


@SHARES
@pytest.mark.parametrize("goal", ["blank-first", "snail", "blank-in-the-middle"])
@over_variants(cases.make("sliding", 2, 3))
def test_2x3_boards_with_another_goal_are_solvable_exactly_at_their_depth(
    goal, index, variant, share
):
    puzzle, table = two_by_three(goal)
    boards = sorted(table)
    one = Random(f"{goal} {index}").choice(boards)
    all_agree(puzzle, table, [one] if share == "few" else boards[index % 36 :: 36], variant)


@SHARES
@over_variants(cases.make("sliding", 2, 3))
def test_cp_sat_agrees_on_2x3_boards(index, variant, share):
    puzzle, table = two_by_three()
    if share == "few":
        one = Random(index).choice(sorted(table))
        all_agree(puzzle, table, [one], variant, ends, "cp-sat")
    else:
        starts = Random(index).sample(SIX, 3)
        all_agree(puzzle, table, starts, variant, None, "cp-sat", range(22))


@pytest.mark.slow
@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_every_sixth_2x3_board_by_cp_sat(encoding, lemmas):
    puzzle, table = two_by_three()
    starts = SIX[0 if lemmas is None else 3 :: 6]
    variant = encoding, lemmas
    all_agree(puzzle, table, starts, variant, ends_of_one_parity, "cp-sat", (8, 9))


# 3x3


@SHARES
@over_variants(cases.make("sliding", 3, 3))
def test_random_3x3_boards_are_solvable_exactly_at_their_depth(index, variant, share, eight_table):
    # Few: 60 boards by all variants together; many: 50 by every variant, and some of them at every
    # horizon. Each variant of the slower permutation encoding takes one.
    puzzle = cases.make("sliding", 3, 3)
    boards, at = list(eight_table), ends_of_one_parity
    if variant[0] == "permutation":
        few, many = (cases.scrambles(puzzle, 1, steps, index) for steps in (18, 20))
        at = at if share == "few" else None
        all_agree(puzzle, eight_table, few if share == "few" else many, variant, at)
    elif share == "few":
        encodings = [encoding for encoding, _ in cases.variants(puzzle)]
        among = [i for i, name in enumerate(encodings) if name != "permutation"]
        few = Random(300).sample(boards, 60)[among.index(index) :: len(among)]
        all_agree(puzzle, eight_table, few, variant, at)
    else:
        all_agree(puzzle, eight_table, Random(index).sample(boards, 50), variant, at)
        all_agree(puzzle, eight_table, Random(index).sample(boards, 5), variant)


@pytest.mark.parametrize(
    "goal",
    [
        "blank-first",
        pytest.param("snail", marks=pytest.mark.slow),
        (1, 2, 3, 4, 0, 5, 6, 7, 8),
        pytest.param((1, 2, 3, 4, 5, 6, 7, 0, 8), marks=pytest.mark.slow),
    ],
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
    all_agree(puzzle, table, boards if slower else Random(index).sample(list(table), 2), variant)


@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_cp_sat_agrees_on_3x3_boards(encoding, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    starts = cases.scrambles(puzzle, 3, 16, 3)
    all_agree(puzzle, eight_table, starts, (encoding, None), engine="cp-sat")


# Lloyd: a directed blank graph of one colour


@SHARES
@over_variants(cases.make("lloyd", 3, 3))
def test_random_lloyd_3x3_boards_are_solvable_exactly_at_their_depth(
    index, variant, share, lloyd_table
):
    # Some 50 boards by all variants together; the permutation encoding gets shallow ones.
    puzzle = cases.make("lloyd", 3, 3)
    few = share == "few"
    if variant[0] == "permutation":
        boards = cases.scrambles(puzzle, 3, 8 if few else 10, index)
    else:
        boards = Random(index).sample(list(lloyd_table), 3 if few else 8)
    assert all(board in lloyd_table for board in boards)
    all_agree(puzzle, lloyd_table, boards, variant, ends if few else None)


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


@SHARES
@over_variants(cases.make("torus-ring", 5, 5))
def test_torus_ring_boards_of_depth_4_have_their_first_plan_there(index, variant, share):
    puzzle, boards = torus_of_depth_4()
    assert len(boards) >= 20
    for number, start in enumerate(
        boards[:6] if share == "many" else [boards[index % len(boards)]]
    ):
        agrees(puzzle, start, 4, variant, backend=backend_of(number if share == "many" else index))


@pytest.mark.slow
@over_variants(cases.make("loopover", 2, 3))
def test_loopover_2x3_board_is_solvable_exactly_at_its_depth(index, variant):
    puzzle = cases.make("loopover", 2, 3)
    table = cases.distance_table("loopover", 2, 3)
    assert len(table) == 720
    all_agree(puzzle, table, list(table)[index % 12 :: 12], variant)


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
def test_more_boards_of_the_row_slides_are_solvable_exactly_at_their_depth_if_at_all(
    index, variant
):
    puzzle = cases.row_slides()
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    starts = SIX[index % 20 :: 20]
    all_agree(puzzle, table, starts, variant, beyond=(0, 1, 2, 3, 10, 20, 21))


def test_cp_sat_agrees_on_row_slides():
    puzzle = cases.row_slides()
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    starts = Random(4).sample(sorted(table), 4)
    all_agree(puzzle, table, starts, ("permutation", None), ends, "cp-sat")


@over_variants(cases.one_way_ring())
def test_boards_of_a_one_way_ring_are_solvable_exactly_at_their_depth(index, variant):
    puzzle = cases.one_way_ring()
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert len(table) == 120
    all_agree(puzzle, table, sorted(table)[index % 6 :: 6], variant)
