"""What lemmas keep: lengths of walks, and numbers of shortest plans, against exhaustive search."""

from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.agreement import SLIDING_GOALS, name_of, two_by_three
from support.reference.oracle import Rules

from plansolve.encoders.lemmas.registry import LEMMAS

# Which plans the lemmas keep


def keeping(encoding, *what):
    """Variants whose lemmas declare one of `what`, with marks: all but none and all are slow."""
    fitting = {x for x in cases.ENCODINGS[encoding].lemmas if LEMMAS[x].keeps in what}
    usual = [(), tuple(sorted(fitting))]
    others = [
        lemmas
        for lemmas in cases.lemma_sets(cases.ENCODINGS[encoding])
        if lemmas is not None and lemmas not in usual and fitting.issuperset(lemmas)
    ]
    for lemmas in dict.fromkeys([*usual, *others]):
        variant = (encoding, lemmas)
        yield variant, () if lemmas in usual else pytest.mark.slow


def distinct(*encodings, keeps):
    """Parametrizes by variant."""
    params = [
        pytest.param(variant, id=name_of(variant), marks=marks)
        for encoding in encodings
        for variant, marks in keeping(encoding, *keeps)
    ]
    return pytest.mark.parametrize("variant", params)


ALL = ("half-layer", "full-layer", "permutation")


@distinct(*ALL, keeps=["every plan"])
def test_lemmas_for_every_plan_leave_2x2_plans_of_exactly_the_lengths_that_walks_have(variant):
    puzzle = cases.make("sliding", 2, 2)
    rules = Rules.of(puzzle)
    for start in permutations(range(4)):
        solver = cases.solver(puzzle, start, *variant)
        for horizon, boards in enumerate(rules.exact(start, 8)):
            plan = solver.attempt(horizon).plan
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
            plan = solver.attempt(horizon).plan
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
        pytest.param(name, variant, id=f"{name}-{name_of(variant)}", marks=marks)
        for name, puzzle in SMALL.items()
        for encoding in dict.fromkeys(encoding for encoding, _ in cases.variants(puzzle))
        for variant, marks in keeping(encoding, "every plan")
    ],
)
def test_lemmas_for_every_plan_leave_exactly_the_lengths_that_walks_have(name, variant):
    puzzle = SMALL[name]
    rules = Rules.of(puzzle)
    table = rules.distances_to(puzzle.goal)
    for start in sorted(table)[:: max(1, len(table) // 12)]:
        solver = cases.solver(puzzle, start, *variant)
        for horizon, boards in enumerate(rules.exact(start, 7)):
            plan = solver.attempt(horizon).plan
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
