"""Every encoding, with and without each lemma and with both engines, against breadth-first tables.

Agreement means: for each horizon below a board's depth the formula is refuted, and at the depth it
has a model whose plan the rules allow and which ends in the goal.
"""

from functools import cache
from itertools import permutations
from random import Random

import pytest
from support import cases
from support.oracle import Rules, depth_counts

from plansolve.checker import check_plan
from plansolve.encoders.lemmas import LEMMAS
from plansolve.model.problem import Problem

SIX = tuple(permutations(range(6)))
NAMES = {None: "default", (): "plain"}


def name_of(variant):
    encoding, lemmas = variant
    return f"{encoding}-{NAMES.get(lemmas) or '+'.join(lemmas)}"


def over_variants(puzzle):
    """Parametrizes by (index, variant): a test takes every so many-th board for its variant."""
    found = cases.variants(puzzle)
    return pytest.mark.parametrize(
        ("index", "variant"), list(enumerate(found)), ids=[name_of(v) for v in found]
    )


def agrees(puzzle, start, depth, variant, horizons=None, engine="cnf", backend=None):
    """Checks one board at the horizons given, or else at all up to its depth."""
    solver = cases.solver(puzzle, start, *variant, engine, backend)
    for horizon in range(depth + 1) if horizons is None else horizons:
        plan = solver.attempt(horizon).solution.plan
        if horizon < depth:
            assert plan is None, f"{start} has no plan of {horizon} moves, but {plan}"
        else:
            assert plan is not None, f"{start} has a plan of {horizon} moves"
            assert len(plan) == horizon
            assert Rules.of(puzzle).replay(start, plan)[-1] == puzzle.goal
            assert check_plan(Problem(puzzle, start), plan).solves


def refuted(puzzle, start, variant, horizons, engine="cnf", backend=None):
    solver = cases.solver(puzzle, start, *variant, engine, backend)
    for horizon in horizons:
        plan = solver.attempt(horizon).solution.plan
        assert plan is None, f"{start} has no plan at all, but {plan}"


def ends(depth, below=1):
    """The horizons that tell most: the smallest, where layers coincide, and those at the depth."""
    return sorted({h for h in (0, depth - below, depth) if 0 <= h <= depth})


def backend_of(number):
    """CaDiCaL for a share of the boards."""
    return "cadical195" if number % 4 == 3 else "glucose42"


SLIDING_GOALS = {
    "blank-last": "blank-last",
    "blank-first": "blank-first",
    "snail": "snail",
    "blank-in-the-middle": (1, 0, 2, 3, 4, 5),
}


def two_by_three(goal="blank-last"):
    puzzle = cases.make("sliding", 2, 3, SLIDING_GOALS[goal])
    return puzzle, cases.distance_table("sliding", 2, 3, SLIDING_GOALS[goal])


# 2x3: all 720 starts


@over_variants(cases.make("sliding", 2, 3))
def test_every_2x3_board_is_solvable_exactly_at_its_depth(index, variant):
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
    share = 12 if variant[0] == "permutation" else 3
    for number, start in enumerate(SIX[index % share :: share]):
        if start in table:
            agrees(puzzle, start, table[start], variant, backend=backend_of(number))
        elif number % 4 == 0:
            refuted(puzzle, start, variant, range(22), backend=backend_of(number))


@pytest.mark.parametrize("goal", ["blank-first", "snail", "blank-in-the-middle"])
@over_variants(cases.make("sliding", 2, 3))
def test_2x3_boards_with_another_goal_are_solvable_exactly_at_their_depth(goal, index, variant):
    puzzle, table = two_by_three(goal)
    start = Random(f"{goal} {index}").choice(sorted(table))
    agrees(puzzle, start, table[start], variant)


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["blank-first", "snail", "blank-in-the-middle"])
@over_variants(cases.make("sliding", 2, 3))
def test_a_twelfth_of_the_2x3_boards_with_another_goal_agrees_by_every_variant(
    goal, index, variant
):
    puzzle, table = two_by_three(goal)
    for number, start in enumerate(sorted(table)[index % 12 :: 12]):
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
    for start in Random(index).sample(SIX, 8):
        if start in table:
            agrees(puzzle, start, table[start], variant, engine="cp-sat")
        else:
            refuted(puzzle, start, variant, range(22), engine="cp-sat")


# 3x3


def nines(goal, table, count, seed):
    return Random(seed).sample(sorted(table), count)


@over_variants(cases.make("sliding", 3, 3))
def test_random_3x3_boards_are_solvable_exactly_at_their_depth(index, variant, eight_table):
    # 60 boards, and one of each variant of the permutation encoding, which is slower.
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
@over_variants(cases.make("sliding", 3, 3))
def test_more_random_3x3_boards_agree_at_every_horizon(index, variant, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    count = 1 if variant[0] == "permutation" else 16
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
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer"])
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
    # Some 50 boards; the permutation encoding gets shallow ones.
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
        cases.scrambles(puzzle, 6, 10, index)
        if variant[0] == "permutation"
        else Random(index).sample(list(lloyd_table), 28)
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
    for start, depth in list(table.items())[index % 4 :: 4]:
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
    for number, start in enumerate(SIX[index % 10 :: 10]):
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


# Which plans the lemmas keep


def keeping(encoding, *what):
    """The sets of lemmas of an encoding that declare one of `what`: none, each one, and all."""
    return [
        lemmas
        for lemmas in cases.lemma_sets(cases.ENCODINGS[encoding])
        if lemmas is not None and all(LEMMAS[name].keeps in what for name in lemmas)
    ] + [tuple(sorted(x for x in cases.ENCODINGS[encoding].lemmas if LEMMAS[x].keeps in what))]


def distinct(*encodings, keeps):
    pairs = [(e, lemmas) for e in encodings for lemmas in dict.fromkeys(keeping(e, *keeps))]
    return pytest.mark.parametrize("variant", pairs, ids=map(name_of, pairs))


ALL = ("half-layer", "full-layer", "permutation")


@distinct(*ALL, keeps=["every plan"])
def test_lemmas_for_every_plan_leave_2x2_plans_of_exactly_the_lengths_that_walks_have(variant):
    puzzle = cases.make("sliding", 2, 2)
    rules = Rules.of(puzzle)
    for start in permutations(range(4)):
        solver = cases.solver(puzzle, start, *variant)
        for horizon, boards in enumerate(rules.exact(start, 8)):
            plan = solver.attempt(horizon).solution.plan
            assert (plan is not None) == (puzzle.goal in boards), (start, horizon, plan)
            assert plan is None or rules.replay(start, plan)[-1] == puzzle.goal


@distinct(*ALL, keeps=["every plan"])
def test_lemmas_for_every_plan_leave_2x3_plans_of_exactly_the_lengths_that_walks_have(variant):
    puzzle, table = two_by_three()
    rules = Rules.of(puzzle)
    nearest = sorted(table, key=lambda board: (table[board], board))
    starts = (puzzle.goal, nearest[30], nearest[-1])
    for start in starts[2:] if variant[0] == "permutation" else starts:
        solver = cases.solver(puzzle, start, *variant)
        # The diameter is 21.
        for horizon, boards in enumerate(rules.exact(start, 23)):
            plan = solver.attempt(horizon).solution.plan
            assert (plan is not None) == (puzzle.goal in boards), (start, horizon, plan)


SMALL = {
    "one-way-ring": cases.one_way_ring(),
    "row-slides-2x2": cases.row_slides(2, 2),
    "loopover-2x2": cases.make("loopover", 2, 2),
    "lloyd-1x5": cases.make("lloyd", 1, 5),
    "one-way-torus-2x3": cases.make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
}


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        (name, (encoding, lemmas))
        for name, puzzle in SMALL.items()
        for encoding in dict.fromkeys(encoding for encoding, _ in cases.variants(puzzle))
        for lemmas in dict.fromkeys(keeping(encoding, "every plan"))
    ],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_lemmas_for_every_plan_leave_exactly_the_lengths_that_walks_have(name, variant):
    puzzle = SMALL[name]
    rules = Rules.of(puzzle)
    table = rules.distances_to(puzzle.goal)
    for start in sorted(table)[:: max(1, len(table) // 12)]:
        solver = cases.solver(puzzle, start, *variant)
        for horizon, boards in enumerate(rules.exact(start, 7)):
            plan = solver.attempt(horizon).solution.plan
            assert (plan is not None) == (puzzle.goal in boards), (start, horizon, plan)


def walks(rules, start, goal, horizon, by_board):
    """The number of walks of exactly `horizon` moves, by operators or by the boards they pass."""
    ways = {start: 1}
    for _ in range(horizon):
        following = {}
        for state, count in ways.items():
            boards = [after for _, after in rules.successors(state)]
            for after in set(boards) if by_board else boards:
                following[after] = following.get(after, 0) + count
        ways = following
    return ways.get(goal, 0)


def counts_plans(puzzle, start, table, variant, horizon):
    """All plans of the formula, checked one by one; how many there are is the caller's business."""
    rules = Rules.of(puzzle)
    plans = cases.all_plans(puzzle, start, *variant, horizon)
    assert len(set(plans)) == len(plans) or variant[0] == "permutation"
    for plan in plans:
        assert len(plan) == horizon
        assert rules.replay(start, plan)[-1] == puzzle.goal
    return len(plans)


@distinct(*ALL, keeps=["every plan", "shortest plans"])
def test_lemmas_for_shortest_plans_keep_the_number_of_shortest_2x3_plans(variant):
    puzzle, table = two_by_three()
    rules = Rules.of(puzzle)
    share = 60 if variant[0] == "permutation" else 12
    for start in sorted(table)[::share]:
        found = counts_plans(puzzle, start, table, variant, table[start])
        assert found == rules.shortest_plans(start, table), start


@pytest.mark.slow
@distinct(*ALL, keeps=["every plan", "shortest plans"])
def test_lemmas_for_shortest_plans_keep_the_number_for_2x3_boards_of_every_goal(variant):
    for goal in SLIDING_GOALS:
        puzzle, table = two_by_three(goal)
        rules = Rules.of(puzzle)
        share = 24 if variant[0] == "permutation" else 4
        for start in sorted(table)[::share]:
            found = counts_plans(puzzle, start, table, variant, table[start])
            assert found == rules.shortest_plans(start, table), start


@distinct("half-layer", "full-layer", keeps=["every plan", "shortest plans"])
def test_lemmas_for_shortest_plans_keep_the_number_of_shortest_3x3_plans(variant, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    rules = Rules.of(puzzle)
    for start in cases.scrambles(puzzle, 3, 30, 33):
        found = counts_plans(puzzle, start, eight_table, variant, eight_table[start])
        assert found == rules.shortest_plans(start, eight_table), start


@pytest.mark.slow
@distinct(*ALL, keeps=["every plan", "shortest plans"])
def test_lemmas_for_shortest_plans_keep_the_number_of_deep_3x3_plans(variant, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    rules = Rules.of(puzzle)
    deep = [board for board, depth in eight_table.items() if depth >= 24]
    for start in Random(24).sample(deep, 2 if variant[0] == "permutation" else 8):
        found = counts_plans(puzzle, start, eight_table, variant, eight_table[start])
        assert found == rules.shortest_plans(start, eight_table), start


@distinct("full-layer", "permutation", keeps=["every plan", "shortest plans"])
def test_lemmas_for_shortest_plans_keep_the_number_of_shortest_lloyd_plans(variant, lloyd_table):
    # A slide and a transport may do the same: walks of the blank count them once.
    puzzle = cases.make("lloyd", 3, 3)
    rules = Rules.of(puzzle)
    by_board = variant[0] == "full-layer"
    for start in cases.scrambles(puzzle, 4, 9, 2):
        found = counts_plans(puzzle, start, lloyd_table, variant, lloyd_table[start])
        assert found == rules.shortest_plans(start, lloyd_table, by_board), start


@pytest.mark.parametrize(
    ("specification", "rows", "columns"), [("torus-ring", 5, 5), ("loopover", 3, 3)]
)
@distinct("permutation", keeps=["every plan", "shortest plans"])
def test_lemmas_for_shortest_plans_keep_the_number_of_shortest_torus_plans(
    specification, rows, columns, variant
):
    puzzle = cases.make(specification, rows, columns)
    rules = Rules.of(puzzle)
    table = cases.distance_table(specification, rows, columns, None, 3)
    for start in cases.scrambles(puzzle, 4, 3, 9):
        found = counts_plans(puzzle, start, table, variant, table[start])
        assert found == rules.shortest_plans(start, table), start


@distinct(*ALL, keeps=["every plan"])
def test_lemmas_for_every_plan_keep_the_number_of_longer_2x3_plans(variant):
    puzzle, table = two_by_three()
    rules = Rules.of(puzzle)
    for start in sorted(table, key=lambda board: (table[board], board))[5:40:7]:
        for more in (2, 4):
            horizon = table[start] + more
            found = counts_plans(puzzle, start, table, variant, horizon)
            assert found == walks(rules, start, puzzle.goal, horizon, True), (start, horizon)


def test_move_order_keeps_at_least_one_shortest_plan_and_only_shortest_plans():
    for puzzle, steps in (
        (cases.make("sliding", 2, 3), 12),
        (cases.make("loopover", 3, 3), 4),
        (cases.make("lloyd", 3, 3), 8),
        (cases.row_slides(), 8),
    ):
        rules = Rules.of(puzzle)
        for start in cases.scrambles(puzzle, 6, steps, 1):
            table = rules.distances_to(puzzle.goal, steps)
            for lemmas in (("move-order",), ("move-order", "no-undo"), None):
                found = counts_plans(puzzle, start, table, ("permutation", lemmas), table[start])
                assert 1 <= found <= rules.shortest_plans(start, table), (puzzle.name, start)


def test_move_order_leaves_one_order_of_commuting_turns():
    # Three rows that turn once each: six orders, of which one is left.
    puzzle = cases.make("loopover", 3, 3)
    rules = Rules.of(puzzle)
    start = rules.replay(puzzle.goal, ("L1", "L2", "L3"))[-1]
    assert rules.shortest_plans(start, rules.distances_to(puzzle.goal, 3)) == 6
    assert len(cases.all_plans(puzzle, start, "permutation", (), 3)) == 6
    assert cases.all_plans(puzzle, start, "permutation", None, 3) == [("R1", "R2", "R3")]
