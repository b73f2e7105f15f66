"""Random boards, scrambles and boards of a wanted length, against exhaustive tables."""

from collections import Counter
from functools import cache, partial
from itertools import permutations
from math import factorial
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make, one_way_ring
from support.reference.oracle import Rules, parity
from support.reference.placements import goal_distances

from plansolve.analysis.solvability import why_unsolvable
from plansolve.errors import InternalError, OptionError
from plansolve.formats import read_problem
from plansolve.instances import (
    BoardSampler,
    GaveUp,
    Predecessors,
    Randomness,
    boards_of_length,
    wanted_length,
)
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding import slide_operators, sliding
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result, Status, StopReason


def with_one_way(blank, tile):
    """A 2x4 board on which the blank can also jump from `blank` to `tile`, and not back."""
    jump = Operator("J", ((blank, tile), (tile, blank)), blank)
    return Puzzle(
        name="jump",
        rows=2,
        columns=4,
        goal=(*range(1, 8), 0),
        operators=(*slide_operators(2, 4), jump),
        labels=tuple(map(str, range(8))),
    )


def on_graph(rows, columns, edges):
    """Tiles slide along the edges, and the blank's goal is the last cell."""
    arcs = sorted({(b, d) for edge in edges for b, d in (edge, edge[::-1])})
    return Puzzle(
        name="graph",
        rows=rows,
        columns=columns,
        goal=(*range(1, rows * columns), 0),
        operators=tuple(Operator(f"to{d}", ((b, d), (d, b)), b) for b, d in arcs),
        labels=tuple(map(str, range(rows * columns))),
    )


PUZZLES = {
    "sliding 2x2": lambda: sliding(2, 2),
    "sliding 2x3 snail": lambda: cases.make("sliding", 2, 3, "snail"),
    "sliding 1x5": lambda: sliding(1, 5, (1, 2, 0, 3, 4)),
    "sliding 1x9": lambda: sliding(1, 9),
    "loopover 2x3": lambda: make_puzzle("loopover", 2, 3),
    "loopover 1x5": lambda: make_puzzle("loopover", 1, 5),
    "columns 2x4": lambda: make_puzzle("torus-ring:rows=--,rings=none", 2, 4),
    "one way": lambda: make_puzzle("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    "row slides": cases.row_slides,
    "one-way ring": cases.one_way_ring,
    "odd jump": lambda: with_one_way(0, 2),
    "even jump": lambda: with_one_way(0, 3),
}


@cache
def exhaust(name):
    """A small puzzle, and the distance to the goal of each board that has a plan."""
    puzzle = PUZZLES[name]()
    return puzzle, Rules.of(puzzle).distances_to(puzzle.goal)


@pytest.fixture(params=PUZZLES)
def exhausted(request):
    """Each of the small puzzles, as `exhaust` gives it."""
    return exhaust(request.param)


def chi_square(counts, cells, draws):
    """Pearson's statistic, and what it exceeds once in 10,000 times (Wilson and Hilferty)."""
    expected = draws / cells
    free = cells - 1
    limit = free * (1 - 2 / (9 * free) + 3.72 * (2 / (9 * free)) ** 0.5) ** 3
    seen = sum((n - expected) ** 2 / expected for n in counts.values())
    return seen + (cells - len(counts)) * expected, limit


# Randomness


def test_draws_follow_from_what_python_promises():
    expected, ours = Random(2023), Randomness(2023)
    for count in (1, 2, 3, 10, 25, 2**53):
        # The product is whole: random() is a multiple of 2**-53.
        drawn = expected.random() * 2**53
        assert drawn == int(drawn)
        assert ours.below(count) == int(drawn) % count


def test_draws_are_fixed():
    draws = Randomness(1)
    assert [draws.below(100) for _ in range(8)] == [57, 16, 43, 30, 69, 57, 38, 12]
    assert Randomness(7).shuffled(range(8)) == (4, 2, 3, 0, 6, 1, 5, 7)
    assert Randomness(7).child().shuffled("abcd") == ("b", "c", "a", "d")


def test_all_orders_are_as_probable():
    draws, number = Randomness(5), 24 * 200
    counts = Counter(draws.shuffled("abcd") for _ in range(number))
    statistic, limit = chi_square(counts, 24, number)
    assert statistic < limit


# Random boards


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [("sliding", 2, 2), ("sliding", 2, 3), ("loopover", 2, 2), ("loopover", 1, 5)],
)
def test_solvable_boards_are_drawn_evenly(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    boards = len(Rules.of(puzzle).distances_to(puzzle.goal))
    sampler, draws, number = BoardSampler(puzzle), Randomness(11), 5 * boards
    counts = Counter(sampler.solvable(draws) for _ in range(number))
    statistic, limit = chi_square(counts, boards, number)
    assert statistic < limit


def test_random_boards_have_plans(exhausted):
    puzzle, table = exhausted
    sampler, draws = BoardSampler(puzzle), Randomness(3)
    drawn = {sampler.solvable(draws) for _ in range(60)}
    assert drawn <= table.keys()
    assert len(drawn) > min(len(table) // 2, 20)


def test_unsolvable_boards_have_none(exhausted):
    puzzle, table = exhausted
    sampler, draws = BoardSampler(puzzle), Randomness(3)
    if len(table) == factorial(puzzle.cells):
        with pytest.raises(OptionError, match=r"every .* board .* can be solved"):
            sampler.unsolvable(draws)
        return
    for _ in range(20):
        board, reason = sampler.unsolvable(draws)
        assert board not in table
        assert reason and "\n" not in reason


def test_a_board_whose_blank_is_stuck_is_unsolvable_though_all_tiles_can_be_moved():
    moves = (
        Operator("turn", ((1, 2), (0, 1), (2, 0))),
        Operator("out", ((4, 0), (0, 4)), 0),
        Operator("swap", ((0, 1), (1, 0)), 1),
        Operator("back", ((4, 0), (0, 4)), 4),
        Operator("around", ((1, 3), (0, 1), (3, 0)), 2),
    )
    sampler = BoardSampler(Puzzle("stuck", 1, 5, (1, 3, 0, 4, 2), moves, tuple("01234")))
    board, reason = sampler.unsolvable(Randomness(1))
    assert board[3] == 0 and reason.startswith("the blank cannot leave row 1 column 4")


def test_the_jumps_are_what_they_are_meant_to_be():
    assert len(exhaust("odd jump")[1]) == factorial(8)
    assert len(exhaust("even jump")[1]) == factorial(8) // 2


def test_unsolvable_boards_are_drawn_evenly():
    puzzle = sliding(2, 2)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    impossible = set(permutations(range(4))) - table.keys()
    sampler, draws, number = BoardSampler(puzzle), Randomness(2), 600
    counts = Counter(sampler.unsolvable(draws)[0] for _ in range(number))
    assert counts.keys() <= impossible
    statistic, limit = chi_square(counts, len(impossible), number)
    assert statistic < limit


def test_large_lloyd_squares_and_toruses_are_all_solvable():
    for specification in ("lloyd", "torus-ring"):
        sampler = BoardSampler(make_puzzle(specification, 5, 5))
        with pytest.raises(OptionError, match="every 5x5 board"):
            sampler.unsolvable(Randomness(0))


def test_large_sliding_boards_have_the_right_parity():
    puzzle, draws = sliding(7, 9), Randomness(4)
    sampler = BoardSampler(puzzle)

    def even(board):
        row, column = divmod(board.index(0), 9)
        return (parity(board, puzzle.goal) + (6 - row) + (8 - column)) % 2 == 0

    assert all(even(sampler.solvable(draws)) for _ in range(5))
    assert not any(even(sampler.unsolvable(draws)[0]) for _ in range(5))


def test_a_torus_of_more_cells_than_the_model_asks_the_group_of():
    puzzle, draws = make_puzzle("loopover", 7, 7), Randomness(4)
    sampler = BoardSampler(puzzle)
    # Turns of seven cells are even permutations, and all even ones can be made.
    for _ in range(4):
        assert parity(sampler.solvable(draws), puzzle.goal) == 0
        assert parity(sampler.unsolvable(draws)[0], puzzle.goal) == 1


def test_a_ring_too_large_for_the_group_keeps_the_order_of_its_tiles():
    ring = on_graph(1, 40, [(cell, (cell + 1) % 40) for cell in range(40)])
    sampler, draws = BoardSampler(ring), Randomness(1)
    boards = {sampler.solvable(draws) for _ in range(5)}
    assert len(boards) == 5
    for board in boards:
        tiles = [tile for tile in board if tile]
        first = tiles.index(1)
        assert tiles[first:] + tiles[:first] == list(range(1, 40))
    board, _ = sampler.unsolvable(draws)
    assert board not in boards


def test_two_large_parts_that_a_bridge_joins_are_not_taken_for_one():
    # No tile gets from one part into the other, though the parities of a mixed board are right.
    parts = [cells for cell in range(40) for cells in ((cell, cell + 1), (cell, cell + 5))]
    edges = [(b, d) for b, d in parts if b // 20 == d // 20 and d < 40 and (d - b == 5 or d % 5)]
    bridged = on_graph(8, 5, [*edges, (19, 20)])
    with pytest.raises(OptionError, match="cannot be drawn evenly"):
        BoardSampler(bridged).solvable(Randomness(1))
    whole = on_graph(8, 5, [*edges, (19, 20), (15, 21)])
    board = BoardSampler(whole).solvable(Randomness(1))
    assert set(board[:20]) & set(range(21, 40))


def test_what_cannot_be_drawn_evenly_is_refused():
    sampler = BoardSampler(make_puzzle("loopover", 11, 11))
    with pytest.raises(OptionError, match="--scramble"):
        sampler.solvable(Randomness(0))


# Scrambles


def test_predecessors_are_the_oracle_s(exhausted):
    puzzle, table = exhausted
    rules, back = Rules.of(puzzle), Predecessors(puzzle)
    for board in list(table)[:200]:
        before = back.of(board)
        assert len(before) == len(set(before))
        assert set(before) == set(rules.predecessors(board)) - {board}


def test_a_walk_back_has_a_plan_of_its_length(exhausted):
    puzzle, table = exhausted
    rules, back, draws = Rules.of(puzzle), Predecessors(puzzle), Randomness(8)
    for steps in range(9):
        board = back.walk(puzzle.goal, steps, draws)
        assert puzzle.goal in rules.exact(board, steps)[steps]
        assert table[board] <= steps


def test_no_step_is_taken_back_at_once(eight_table):
    back, draws = Predecessors(sliding(3, 3)), Randomness(1)
    # The shortest way back to a board without turning round has 12 moves.
    for steps in range(7):
        for _ in range(10):
            assert eight_table[back.walk(back.puzzle.goal, steps, draws)] == steps


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [
        ("pyraminx", 4, 6),
        ("pocket-cube", 6, 4),
        ("loopover:metric=any-distance", 3, 3),
        ("sliding:metric=multi-tile", 3, 4),
        ("sliding-gaps:3", 3, 3),
        ("top-spin:turnstile=2", 1, 7),
    ],
)
def test_no_three_steps_in_a_row_stand_for_fewer(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    rules, back = Rules.of(puzzle), Predecessors(puzzle)
    for steps in (2, 3):
        for seed in range(8):
            board = back.walk(puzzle.goal, steps, Randomness(seed))
            layers = rules.exact(board, steps)
            assert [puzzle.goal in layer for layer in layers[1:]] == [False] * (steps - 1) + [True]


def test_a_walk_repeats_itself_where_there_is_no_other_way():
    # One move that turns three tiles: each second step leads where one move back would.
    turn = Operator("T", ((0, 2), (1, 0), (2, 1)))
    puzzle = Puzzle("wheel", 1, 3, (1, 2, 3), (turn,), tuple("0123"))
    assert Predecessors(puzzle).walk(puzzle.goal, 3, Randomness(0)) == puzzle.goal


def test_a_walk_turns_round_where_there_is_no_other_way():
    puzzle = sliding(1, 4)
    board = Predecessors(puzzle).walk(puzzle.goal, 5, Randomness(0))
    assert board == (1, 2, 0, 3)  # three moves to the far end, and two back


def test_a_goal_that_no_move_leads_to():
    leave = Operator("go", ((0, 1), (1, 0)), 0)
    puzzle = Puzzle("exit", 1, 2, (0, 1), (leave,), ("0", "1"))
    with pytest.raises(OptionError, match="no move of exit leads to the goal"):
        Predecessors(puzzle).walk(puzzle.goal, 1, Randomness(0))


# Wanted lengths


@pytest.mark.parametrize("length", [0, 1, 9, 20])
def test_listed_boards_are_all_of_that_length(exhausted, length):
    puzzle, table = exhausted
    layer = Predecessors(puzzle).layer(length, 1_000_000)
    right = sorted(board for board, steps in table.items() if steps == length)
    assert list(layer.boards) == right
    if not right:
        assert (layer.length, layer.reached) == (max(table.values()), len(table))


def test_the_hardest_eight_puzzles(eight_table):
    hardest = {board for board, steps in eight_table.items() if steps == 31}
    assert set(boards_of_length(sliding(3, 3), 31, 12, Randomness(0))) == hardest


def test_lengths_that_do_not_exist_are_proved_not_to():
    with pytest.raises(OptionError, match=r"no board of 22 moves: all 360 .* farthest need 21"):
        next(boards_of_length(sliding(2, 3), 22, 1, Randomness(0)))


def test_lloyd_s_lengths(lloyd_table):
    boards = list(boards_of_length(make_puzzle("lloyd", 3, 3), 14, 5, Randomness(0)))
    assert [lloyd_table[board] for board in boards] == [14] * 5


# Nothing but the goal is listed, so that boards have to be climbed to.
unlisted_boards = partial(boards_of_length, most_listed=1)


def test_climbs_end_at_the_wanted_length(eight_table):
    seen = []
    boards = list(unlisted_boards(sliding(3, 3), 20, 2, Randomness(6), progress=seen.append))
    assert [eight_table[board] for board in boards] == [20, 20]
    assert boards[0] != boards[1]
    assert [step.length for step in seen if step.length == 20] == [20, 20]
    again = unlisted_boards(sliding(3, 3), 20, 1, Randomness(6))
    assert next(again) == boards[0]


@pytest.mark.parametrize(
    ("specification", "side", "length", "engine"),
    [
        ("sliding", 4, 22, "cnf"),
        pytest.param("torus-ring", 5, 4, "cnf", marks=pytest.mark.slow),
        pytest.param("lloyd", 5, 13, "cnf", marks=pytest.mark.slow),
    ],
)
def test_large_boards_have_the_wanted_length(specification, side, length, engine):
    puzzle = make_puzzle(specification, side, side)
    (board,) = boards_of_length(puzzle, length, 1, Randomness(1))
    # The climb was led by whatever engine suits the board; this is another's word.
    assert solve(Problem(puzzle, board), engine=engine).lower_bound == length


def test_an_optimum_beyond_the_walk_is_an_internal_error(monkeypatch):
    wrong = Result(Status.OPTIMAL, ("U",) * 9, 9, 9, StopReason.SOLVED, "wrong", "")
    monkeypatch.setattr(wanted_length, "solve", lambda *_, **__: wrong)
    with pytest.raises(InternalError, match="9 moves are called optimal, 8 are enough"):
        next(unlisted_boards(sliding(3, 3), 8, 1, Randomness(6)))


def test_giving_up_is_not_impossible():
    (found,) = unlisted_boards(sliding(2, 3), 40, 3, Randomness(0), patience=8)
    assert isinstance(found, GaveUp)
    assert found.reason == StopReason.EXHAUSTED
    assert found.explanation.startswith("no board of 40 moves found")
    assert found.explanation.endswith("not the same as impossible")


def test_a_time_limit_ends_the_search():
    (found,) = unlisted_boards(sliding(3, 3), 20, 1, Randomness(0), time_limit=1e-9)
    assert isinstance(found, GaveUp)
    assert (found.reason, "time limit" in found.explanation) == (StopReason.TIME, True)


# The same seed, the same boards


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "board"),
    [
        ("sliding", 3, 3, (2, 1, 3, 8, 5, 4, 6, 7, 0)),
        ("lloyd", 3, 3, (2, 1, 3, 8, 5, 4, 6, 7, 0)),
        ("torus-ring", 4, 4, (4, 15, 6, 16, 12, 14, 11, 13, 8, 9, 3, 1, 2, 7, 5, 10)),
        ("sliding", 1, 5, (1, 2, 3, 0, 4)),
    ],
)
def test_random_boards_are_fixed(specification, rows, columns, board):
    sampler = BoardSampler(make_puzzle(specification, rows, columns))
    assert sampler.solvable(Randomness(1).child()) == board


def test_scrambles_and_lengths_are_fixed():
    back = Predecessors(sliding(3, 3))
    scramble = back.walk(back.puzzle.goal, 30, Randomness(1).child())
    assert scramble == (5, 8, 6, 3, 0, 7, 1, 4, 2)
    assert list(boards_of_length(back.puzzle, 12, 2, Randomness(1))) == [
        (0, 4, 1, 5, 8, 2, 7, 6, 3),
        (1, 3, 8, 4, 0, 5, 7, 2, 6),
    ]


# Instance sets


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [("pocket-cube", 6, 4), ("pyraminx", 4, 6), ("sliding:metric=multi-tile", 4, 4)],
)
def test_boards_that_chance_would_not_meet_are_drawn_from_the_group(specification, rows, columns):
    puzzle = make(specification, rows, columns)
    sampler = BoardSampler(puzzle)
    boards = {sampler.solvable(Randomness(seed)) for seed in range(20)}
    assert len(boards) == 20
    assert all(why_unsolvable(Problem(puzzle, board)) is None for board in boards)


@pytest.mark.parametrize("puzzle", [make("sliding", 2, 2), one_way_ring(4)])
def test_boards_with_a_blank_are_drawn_from_the_group(puzzle):
    reached = set(Rules.of(puzzle).distances_to(puzzle.goal))
    sampler = BoardSampler(puzzle)
    drawn = [
        sampler._of_group(sampler._group, Randomness(seed)) for seed in range(40 * len(reached))
    ]
    assert set(drawn) == reached
    assert max(Counter(drawn).values()) < 80


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("AAB\nBA.\ngoal:\nABA\nAB.", {}),
        ("AB\nBA", {"puzzle": "loopover", "goal": "A A\nB B"}),
        ("A B C A", {"puzzle": "pancake", "goal": "A A B C"}),
    ],
)
def test_boards_of_pieces_that_are_alike_come_with_the_same_probability(text, options):
    problem = read_problem(text, format="letters", **options)
    distances = goal_distances(problem.puzzle)
    sampler, randomness = BoardSampler(problem.puzzle), Randomness(1)
    draws = 100 * len(distances)
    drawn = Counter(sampler.solvable(randomness.child()) for _ in range(draws))
    assert drawn.keys() == distances.keys()
    # Six standard deviations.
    assert all(40 < times < 160 for times in drawn.values())
