"""Lemmas keep lengths of walks and numbers of shortest plans, by exhaustive search."""

from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.structure import Structure

SLIDING_GOALS = {
    "blank-last": "blank-last",
    "blank-first": "blank-first",
    "snail": "snail",
    "blank-in-the-middle": (1, 0, 2, 3, 4, 5),
}


def two_by_three(goal="blank-last"):
    puzzle = cases.make("sliding", 2, 3, SLIDING_GOALS[goal])
    return puzzle, cases.distance_table("sliding", 2, 3, SLIDING_GOALS[goal])


def name_of(variant):
    encoding, lemmas = variant
    return f"{encoding}-{'+'.join(lemmas) or 'plain'}"


# Which plans the lemmas keep


def keeping(encoding, *what):
    """Variants whose lemmas declare one of `what`, with marks: all but none and all are slow."""
    fitting = {x for x in ENCODINGS[encoding].lemmas if LEMMAS[x].keeps in what}
    usual = [(), tuple(sorted(fitting))]
    alone = [{x, LEMMAS[x].base} - {None} for x in sorted(fitting)]
    others = [tuple(sorted(lemmas)) for lemmas in alone if lemmas <= fitting]
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


def by_distance(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    return sorted(table, key=lambda board: (table[board], board))


def share(boards):
    return boards[:: max(1, len(boards) // 12)]


SIX, TWO = cases.make("sliding", 2, 3), cases.make("sliding", 2, 2)
LENGTHS = {
    "2x2": (TWO, [*permutations(range(4))], 8),
    # The diameter is 21.
    "2x3": (SIX, [by_distance(SIX)[place] for place in (0, 30, -1)], 23),
    **{
        puzzle.name: (puzzle, share(by_distance(puzzle)), 7)
        for puzzle in (
            cases.one_way_ring(),
            cases.row_slides(2, 2),
            cases.make("loopover", 2, 2),
            cases.make("lloyd", 1, 5),
            cases.make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
        )
    },
}


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        pytest.param(name, variant, id=f"{name}-{name_of(variant)}", marks=marks)
        for name, (puzzle, _, _) in LENGTHS.items()
        for encoding in ENCODINGS.values()
        if encoding.fits(Structure(puzzle))
        for variant, marks in keeping(encoding.name, "every plan")
    ],
)
def test_lemmas_for_every_plan_leave_plans_of_exactly_the_lengths_that_walks_have(name, variant):
    puzzle, starts, longest = LENGTHS[name]
    rules = Rules.of(puzzle)
    for start in starts[-1:] if (name, variant[0]) == ("2x3", "permutation") else starts:
        solver = cases.solver(puzzle, start, *variant)
        for horizon, boards in enumerate(rules.exact(start, longest)):
            plan = solver.attempt(horizon).plan
            assert (plan is not None) == (puzzle.goal in boards), (start, horizon, plan)
            assert plan is None or rules.replay(start, plan)[-1] == puzzle.goal


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


def every(step, slower_step, goal="blank-last"):
    def chosen(encoding):
        puzzle, table = two_by_three(goal)
        return puzzle, table, sorted(table)[:: slower_step if encoding == "permutation" else step]

    return chosen


def walked(specification, rows, columns, count, steps, seed, depth=None):
    def chosen(encoding):
        puzzle = cases.make(specification, rows, columns)
        table = cases.distance_table(specification, rows, columns, None, depth)
        return puzzle, table, cases.scrambles(puzzle, count, steps, seed)

    return chosen


def deep(encoding):
    table = cases.distance_table("sliding", 3, 3)
    boards = [board for board, depth in table.items() if depth >= 24]
    starts = Random(24).sample(boards, 2 if encoding == "permutation" else 8)
    return cases.make("sliding", 3, 3), table, starts


WALKS, EVERY = ("half-layer", "full-layer"), ("half-layer", "full-layer", "permutation")
COUNTED = {
    "2x3": (EVERY, every(12, 60), False),
    "3x3": (WALKS, walked("sliding", 3, 3, 3, 30, 33), False),
    "deep 3x3": (EVERY, deep, True),
    "lloyd": (EVERY[1:], walked("lloyd", 3, 3, 4, 9, 2), False),
    "torus": (EVERY[2:], walked("torus-ring", 5, 5, 4, 3, 9, 3), False),
    "loopover": (EVERY[2:], walked("loopover", 3, 3, 4, 3, 9, 3), False),
    **{f"2x3 {goal}": (EVERY, every(4, 24, goal), True) for goal in SLIDING_GOALS},
}


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        pytest.param(name, variant, id=f"{name}-{name_of(variant)}",
                     marks=pytest.mark.slow if is_slow else marks)
        for name, (encodings, _, is_slow) in COUNTED.items()
        for encoding in encodings
        for variant, marks in keeping(encoding, "every plan", "shortest plans")
    ],
)  # fmt: skip
def test_lemmas_for_shortest_plans_keep_the_number_of_shortest_plans(name, variant):
    puzzle, table, starts = COUNTED[name][1](variant[0])
    rules = Rules.of(puzzle)
    # A slide and a transport may do the same: walks of the blank count them once.
    by_board = name == "lloyd" and variant[0] == "full-layer"
    for start in starts:
        found = counts_plans(puzzle, start, table, variant, table[start])
        assert found == rules.shortest_plans(start, table, by_board), start


@distinct(*ALL, keeps=["every plan"])
def test_lemmas_for_every_plan_keep_the_number_of_longer_2x3_plans(variant):
    puzzle, table = two_by_three()
    rules = Rules.of(puzzle)
    for start in sorted(table, key=lambda board: (table[board], board))[5:40:7]:
        for more in (2, 4):
            horizon = table[start] + more
            found = counts_plans(puzzle, start, table, variant, horizon)
            assert found == walks(rules, start, puzzle.goal, horizon, True), (start, horizon)
