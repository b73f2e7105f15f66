"""solver.solve and State against plain code and the figures of the assignment."""

import doctest
import heapq
import random

import pytest

from plansolve.compat import shared, solver
from plansolve.compat.solver import State, solve
from plansolve.errors import BoardError, EngineError
from plansolve.solvers.processes.shared_workers import shared_workers
from plansolve.solvers.result import Result, Status, StopReason

PICTURE = [[6, 5, 2, 3], [0, 7, 11, 4], [9, 1, 10, 8], [15, 14, 13, 12]]
# For each letter, where the tile comes from, seen from the gap.
TILE_FROM = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}


def replayed(board, moves):
    """The board after the moves, all of which must be possible; plain code."""
    rows = [list(row) for row in board]
    for letter in moves:
        (row,) = [r for r, tiles in enumerate(rows) if 0 in tiles]
        column = rows[row].index(0)
        r, c = row + TILE_FROM[letter][0], column + TILE_FROM[letter][1]
        assert 0 <= r < len(rows) and 0 <= c < len(rows[0]), letter
        rows[row][column], rows[r][c] = rows[r][c], 0
    return rows


def goal(rows, columns):
    tiles = [*range(1, rows * columns), 0]
    return [tiles[i : i + columns] for i in range(0, rows * columns, columns)]


def distances(rows, columns):
    """The least number of moves to the goal for each board, by breadth-first search."""
    found = {str(goal(rows, columns)): 0}
    layer, steps = [goal(rows, columns)], 0
    while layer:
        steps += 1
        following = []
        for board in layer:
            for letter in TILE_FROM:
                try:
                    other = replayed(board, letter)
                except AssertionError:
                    continue
                if str(other) not in found:
                    found[str(other)] = steps
                    following.append(other)
        layer = following
    return found


def test_its_examples_run():
    failures, attempts = doctest.testmod(solver)
    assert (failures, attempts) == (0, 6)


def test_the_picture_of_the_assignment():
    stated = "UULLDDRURULDRDDLURDLLLUUR URDLLU".replace(" ", "")
    assert replayed(PICTURE, stated) == goal(4, 4)
    moves = solve(PICTURE)
    assert len(moves) == len(stated) == 31
    assert replayed(PICTURE, moves) == goal(4, 4)
    # What the text works out by hand: a heuristic of 19, and 28 inversions with the gap two rows
    # from the bottom, an even sum.
    tiles = [tile for row in PICTURE for tile in row if tile]
    assert sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1 :]) == 28
    state = State(PICTURE)
    assert (state.heuristic, state.is_solvable, state.is_goal) == (19, True, False)


def test_minimum_length_on_all_boards_of_2x3_that_are_tried_and_none_for_the_others():
    lengths = distances(2, 3)
    assert len(lengths) == 360
    random.seed(2)
    outcomes = set()
    for _ in range(25):
        tiles = random.sample(range(6), 6)
        board = [tiles[:3], tiles[3:]]
        moves = solve(board)
        outcomes.add(moves is None)
        assert State(board).is_solvable is (str(board) in lengths)
        if moves is None:
            assert str(board) not in lengths
        else:
            assert isinstance(moves, list)
            assert len(moves) == lengths[str(board)]
            assert replayed(board, moves) == goal(2, 3)
        assert board == [tiles[:3], tiles[3:]]
    assert outcomes == {True, False}


@pytest.mark.slow
def test_the_oblong_board_of_the_course():
    board = [[6, 7, 11], [1, 3, 8], [5, 0, 13], [12, 4, 14], [10, 9, 2]]
    moves = solve(board)
    assert len(moves) == 45
    assert replayed(board, moves) == goal(5, 3)


def test_a_solved_and_an_unsolvable_board():
    assert solve(goal(4, 4)) == []
    assert solve([[2, 1, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]) is None
    # The rule of inversions holds for boards of one row no more: their tiles cannot pass.
    assert solve([[2, 3, 1, 0]]) is None
    assert solve([[0, 1, 2]]) == ["L", "L"]


def test_tuples_will_do():
    assert solve(((1, 2), (0, 3))) == ["L"]


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ([[1, 2], [3, 3]], "row 2: 3 appears twice, 0 is missing"),
        ([[1, 2, 3], [0]], "row 2 has 1 tiles, the first row has 3"),
        ([], "the board is empty"),
        ([["1", "."]], "not rows of whole numbers"),
        ("12.3", "not rows of whole numbers"),
        (None, "not rows of whole numbers"),
        ([list(range(40))], "out of range"),
    ],
)
def test_what_is_no_board_is_refused(board, message):
    for refuses in (solve, State):
        with pytest.raises(BoardError, match=message):
            refuses(board)


def test_states_are_keys_and_can_stand_in_a_heap():
    random.seed(5)
    start = State(PICTURE)
    assert start == State(tuple(map(tuple, PICTURE)))
    assert hash(start) == hash(State([list(row) for row in PICTURE]))
    after = dict(start.successors())
    assert set(after) == {"U", "D", "L"}
    for move, state in after.items():
        assert [list(row) for row in state.rows] == replayed(PICTURE, move)
        assert state not in {start} and start in set(dict(state.successors()).values())
    heap = [(0, state) for state in after.values()]
    heapq.heapify(heap)
    assert sorted(after.values()) == [heapq.heappop(heap)[1] for _ in after]


def test_the_assignment_s_search_can_be_written_with_states():
    # A* as the text describes it, with State in the closed list and the queue.
    start = State([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    queue, closed = [(start.heuristic, 0, start)], set()
    while not queue[0][2].is_goal:
        _, cost, state = heapq.heappop(queue)
        if state not in closed:
            closed.add(state)
            for _, after in state.successors():
                heapq.heappush(queue, (cost + 1 + after.heuristic, cost + 1, after))
    assert queue[0][1] == len(solve(start.rows)) == 5


@pytest.mark.parametrize(
    ("reason", "error"),
    [(StopReason.MEMORY, EngineError), (StopReason.INTERRUPTED, KeyboardInterrupt)],
)
@pytest.mark.parametrize("plan", [None, ("U",) * 40])
def test_giving_up_is_never_an_answer(monkeypatch, reason, error, plan):
    status = Status.UNKNOWN if plan is None else Status.FEASIBLE
    upper = None if plan is None else len(plan)
    result = Result(status, plan, 23, upper, reason, "auto", "that is why")
    monkeypatch.setattr(shared, "solve", lambda *_, **__: result)
    with pytest.raises(error):
        solve(PICTURE)


def test_the_children_are_kept_for_the_next_call():
    solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    (child,) = [shared_workers().take()]
    shared_workers().give_back(child)
    solve([[1, 2, 3], [4, 0, 5], [6, 7, 8]])
    again = shared_workers().take()
    shared_workers().give_back(again)
    assert again is child and child.is_alive
