"""Random boards, scrambles and boards of a wanted length, against exhaustive tables."""

from collections import Counter
from functools import partial
from itertools import permutations
from math import factorial, prod

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules, parity
from support.reference.placements import goal_distances

from plansolve.analysis.solvability import why_unsolvable
from plansolve.checker import check_plan
from plansolve.errors import InternalError, OptionError
from plansolve.formats import read_problem
from plansolve.instances import wanted_length
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.instances.wanted_length import boards_of_length
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding import slide_operators, sliding
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import CutShort
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
    "sliding 1x5": lambda: sliding(1, 5).with_goal((1, 2, 0, 3, 4)),
    "sliding 1x9": lambda: sliding(1, 9),
    "loopover 2x3": lambda: make_puzzle("loopover", 2, 3),
    "loopover 1x5": lambda: make_puzzle("loopover", 1, 5),
    "columns 2x4": lambda: make_puzzle("torus-ring:rows=--,rings=none", 2, 4),
    "one way": lambda: make_puzzle("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    "row slides": cases.row_slides,
    "one-way ring": cases.one_way_ring,
    "odd jump": lambda: with_one_way(0, 2),
    "even jump": lambda: with_one_way(0, 3),
    **{
        f"{specification} {rows}x{columns}": partial(make, specification, rows, columns)
        for specification, rows, columns in (
            ("sliding-gaps:2", 2, 3),
            # Tiles of a line cannot pass each other.
            ("sliding-gaps:2", 1, 6),
            ("sliding-gaps:2,holes=3", 3, 3),
            # A ring keeps the order of its tiles, with a gap in it, with a tail, or alone.
            ("sliding-gaps:2,holes=5", 3, 3),
            ("sliding:holes=5", 3, 3),
            ("sliding:holes=3", 2, 3),
            ("sliding:holes=2", 2, 4),
            ("sliding:holes=1", 2, 4),
            # One tile goes up and down in the right column.
            ("sliding:walls=2-3+5-6", 2, 3),
        )
    },
}


@pytest.fixture(params=PUZZLES, scope="module")
def exhausted(request):
    """A small puzzle, and the distance to the goal of each board that has a plan."""
    puzzle = PUZZLES[request.param]()
    return puzzle, Rules.of(puzzle).distances_to(puzzle.goal)


def are_even(drawn, expected):
    """Return True if exactly the expected were drawn, as often as each other.

    Pearson's statistic exceeds the limit once in 10,000 times (Wilson and Hilferty).
    """
    counts, cells = Counter(drawn), len(expected)
    assert counts.keys() <= {*expected}
    mean, free = counts.total() / cells, cells - 1
    limit = free * (1 - 2 / (9 * free) + 3.72 * (2 / (9 * free)) ** 0.5) ** 3
    return sum((counts[item] - mean) ** 2 / mean for item in expected) < limit


# Randomness


def test_draws_are_fixed():
    draws = Randomness(1)
    assert [draws.below(100) for _ in range(8)] == [57, 16, 43, 30, 69, 57, 38, 12]
    assert Randomness(7).shuffled(range(8)) == (4, 2, 3, 0, 6, 1, 5, 7)
    assert Randomness(7).child().shuffled("abcd") == ("b", "c", "a", "d")
    # What remains of the range would make the first third as probable as the others together.
    assert abs(sum(draws.below(3 << 51) < 1 << 51 for _ in range(3000)) - 1000) < 100


def test_all_orders_are_as_probable():
    draws = Randomness(5)
    drawn = [draws.shuffled("abcd") for _ in range(24 * 200)]
    assert are_even(drawn, [*permutations("abcd")])


# Random boards


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [("sliding", 2, 2), ("sliding", 2, 3), ("loopover", 2, 2), ("loopover", 1, 5)],
)
def test_boards_are_drawn_evenly(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    solvable = Rules.of(puzzle).distances_to(puzzle.goal).keys()
    sampler, draws = BoardSampler(puzzle), Randomness(11)
    assert are_even((sampler.solvable(draws) for _ in range(5 * len(solvable))), solvable)
    others = {*permutations(puzzle.goal)} - solvable
    if len(others) in range(1, 50):
        drawn = (sampler.unsolvable(draws)[0] for _ in range(50 * len(others)))
        assert are_even(drawn, others)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("AAB\nBA.\ngoal:\nABA\nAB.", {}),
        ("AB\nBA", {"puzzle": "loopover", "goal": "A A\nB B"}),
        ("A B C A", {"puzzle": "pancake", "goal": "A A B C"}),
    ],
)
def test_boards_of_pieces_that_are_alike_are_drawn_evenly(text, options):
    problem = read_problem(text, format="letters", **options)
    distances = goal_distances(problem.puzzle)
    sampler, draws = BoardSampler(problem.puzzle), Randomness(1)
    drawn = (sampler.solvable(draws.child()) for _ in range(100 * len(distances)))
    assert are_even(drawn, distances)


@pytest.mark.parametrize("name", ["sliding 2x2", "one-way ring"])
def test_boards_with_a_blank_are_drawn_evenly_from_the_group(name):
    puzzle = PUZZLES[name]()
    reached = Rules.of(puzzle).distances_to(puzzle.goal)
    sampler, draws = BoardSampler(puzzle), Randomness(1)
    drawn = (sampler._of_group(sampler._group, draws) for _ in range(40 * len(reached)))
    assert are_even(drawn, reached)


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


def test_solvable_boards_have_plans_and_unsolvable_ones_none(exhausted):
    puzzle, table = exhausted
    sampler, draws = BoardSampler(puzzle), Randomness(3)
    drawn = {sampler.solvable(draws) for _ in range(60)}
    assert drawn <= table.keys()
    assert len(drawn) > min(len(table) // 2, 20)
    holes = puzzle.layout.holes if puzzle.layout else ()
    # Holes, and what is cut off, stay in all boards.
    mobile = [c for c in range(puzzle.cells) if len({board[c] for board in table}) > 1]
    alike = Counter(puzzle.goal[cell] for cell in mobile).values()
    if len(table) == factorial(len(mobile)) // prod(map(factorial, alike)):
        with pytest.raises(OptionError, match=r"every .* board .* can be solved"):
            sampler.unsolvable(draws)
        return
    for _ in range(20):
        board, reason = sampler.unsolvable(draws)
        assert board not in table
        assert reason and "\n" not in reason
        assert all(board[cell] == puzzle.goal[cell] for cell in holes)


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
    with pytest.raises(OptionError, match="cannot be drawn at random"):
        BoardSampler(bridged).solvable(Randomness(1))
    whole = on_graph(8, 5, [*edges, (19, 20), (15, 21)])
    board = BoardSampler(whole).solvable(Randomness(1))
    assert set(board[:20]) & set(range(21, 40))


def test_what_cannot_be_drawn_evenly_is_refused():
    sampler = BoardSampler(make_puzzle("loopover", 11, 11))
    with pytest.raises(OptionError, match="--scramble"):
        sampler.solvable(Randomness(0))


# Scrambles


def test_walks_go_back_along_the_oracle_s_moves(exhausted):
    puzzle, table = exhausted
    rules, back, draws = Rules.of(puzzle), Predecessors(puzzle), Randomness(8)
    for board in list(table)[:200]:
        before = back.of(board)
        assert sorted(before) == sorted(set(rules.predecessors(board)) - {board})
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
    wheel = Puzzle("wheel", 1, 3, (1, 2, 3), (turn,), tuple("0123"))
    # In a row of four, three moves to the far end, and two back.
    for puzzle, steps, end in ((wheel, 3, wheel.goal), (sliding(1, 4), 5, (1, 2, 0, 3))):
        assert Predecessors(puzzle).walk(puzzle.goal, steps, Randomness(0)) == end


def test_a_goal_that_no_move_leads_to():
    leave = Operator("go", ((0, 1), (1, 0)), 0)
    puzzle = Puzzle("exit", 1, 2, (0, 1), (leave,), ("0", "1"))
    with pytest.raises(OptionError, match="no move of exit leads to the goal"):
        Predecessors(puzzle).walk(puzzle.goal, 1, Randomness(0))


# Wanted lengths


@pytest.mark.parametrize("length", [0, 1, 9, 20])
def test_listed_boards_are_all_of_that_length(exhausted, length):
    puzzle, table = exhausted
    listed = Predecessors(puzzle).layers(length, 1_000_000)
    right = {board: steps for board, steps in table.items() if steps <= length}
    assert listed.distances == right
    for board in sorted(right, key=right.get)[::50]:
        plan = listed.plan(board)
        assert len(plan) == right[board] and check_plan(Problem(puzzle, board), plan).solves


# Nothing but the goal is listed, so that boards have to be climbed to.
unlisted_boards = partial(boards_of_length, most_listed=1)


def test_climbs_end_at_the_wanted_length(eight_table):
    seen = []
    told = {"progress": lambda length, solved: seen.append(length)}
    boards = list(unlisted_boards(sliding(3, 3), 20, 2, Randomness(6), **told))
    assert [eight_table[board] for board, _ in boards] == [20, 20]
    assert boards[0] != boards[1]
    for board, plan in boards:
        assert len(plan) == 20 and check_plan(Problem(sliding(3, 3), board), plan).solves
    assert [length for length in seen if length == 20] == [20, 20]
    again = unlisted_boards(sliding(3, 3), 20, 1, Randomness(6))
    assert next(again) == boards[0]


def test_large_boards_have_the_wanted_length():
    puzzle = sliding(4, 4)
    ((board, _),) = boards_of_length(puzzle, 22, 1, Randomness(1))
    # The climb was led by whatever engine suits the board; this is another's word.
    assert solve(Problem(puzzle, board), engine="cnf", optimal=True).lower_bound == 22


def test_an_optimum_beyond_the_walk_is_an_internal_error(monkeypatch):
    wrong = Result(Status.OPTIMAL, ("U",) * 9, 9, 9, StopReason.SOLVED, "wrong", "")
    monkeypatch.setattr(wanted_length, "solve", lambda *_, **__: wrong)
    with pytest.raises(InternalError, match="9 moves are called optimal, 8 are enough"):
        next(unlisted_boards(sliding(3, 3), 8, 1, Randomness(6)))


def test_a_plan_that_is_not_proved_shortest_gives_no_board(monkeypatch):
    longer = Result(Status.FEASIBLE, ("U",) * 8, 7, 8, StopReason.TIME, "auto", "time limit")
    monkeypatch.setattr(wanted_length, "solve", lambda *_, **__: longer)
    with pytest.raises(CutShort, match=r"^no board of 8 moves found \(time limit\)"):
        next(unlisted_boards(sliding(3, 3), 8, 1, Randomness(6)))


@pytest.mark.parametrize(
    ("rows", "length", "limit", "reason", "words"),
    [
        # The time is for a climb that never loses its patience.
        (
            *(2, 40, {"patience": 8, "time_limit": 60.0}),
            *(StopReason.EXHAUSTED, "the last 8 boards got no farther from the goal"),
        ),
        (3, 20, {"time_limit": 1e-9}, StopReason.TIME, "time limit reached"),
    ],
    ids=["patience", "time"],
)
def test_giving_up_is_not_impossible(rows, length, limit, reason, words):
    with pytest.raises(CutShort) as cut:
        next(unlisted_boards(sliding(rows, 3), length, 3, Randomness(0), **limit))
    assert cut.value.reason == reason
    assert str(cut.value).startswith(f"no board of {length} moves found ({words})")
    assert str(cut.value).endswith("such a board may exist")


# The same seed, the same boards


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "board"),
    [
        ("sliding", 3, 3, (2, 1, 3, 8, 5, 4, 6, 7, 0)),
        ("torus-ring", 4, 4, (4, 15, 6, 16, 12, 14, 11, 13, 8, 9, 3, 1, 2, 7, 5, 10)),
    ],
)
def test_random_boards_are_fixed(specification, rows, columns, board):
    sampler = BoardSampler(make_puzzle(specification, rows, columns))
    assert sampler.solvable(Randomness(1).child()) == board


def test_scrambles_and_lengths_are_fixed():
    back = Predecessors(sliding(3, 3))
    scramble = back.walk(back.puzzle.goal, 30, Randomness(1).child())
    assert scramble == (5, 8, 6, 3, 0, 7, 1, 4, 2)
    assert [board for board, _ in boards_of_length(back.puzzle, 12, 2, Randomness(1))] == [
        (0, 4, 1, 5, 8, 2, 7, 6, 3),
        (1, 3, 8, 4, 0, 5, 7, 2, 6),
    ]
    ((climbed, _),) = unlisted_boards(back.puzzle, 26, 1, Randomness(2))
    assert climbed == (1, 4, 0, 6, 2, 8, 3, 5, 7)
