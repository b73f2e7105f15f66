"""solver.solve and State against plain code and the figures of the assignment."""

import heapq
import random

import pytest
from support.reference.rules import GAP_WAYS, replayed, solved

from plansolve.compat import shared
from plansolve.compat.solver import State, solve
from plansolve.errors import EngineError
from plansolve.solvers.processes.workers import shared_workers
from plansolve.solvers.result import Result, Status, StopReason

PICTURE = [[6, 5, 2, 3], [0, 7, 11, 4], [9, 1, 10, 8], [15, 14, 13, 12]]
LETTERS = {letter: way for way, letter in GAP_WAYS.items()}


def after(board, moves):
    """The board after moves that are named after the tile."""
    return replayed(board, map(LETTERS.get, moves))


def test_the_picture_of_the_assignment():
    stated = "UULLDDRURULDRDDLURDLLLUUR URDLLU".replace(" ", "")
    assert after(PICTURE, stated) == solved(4, 4)
    moves = solve(PICTURE)
    assert len(moves) == len(stated) == 31
    assert after(PICTURE, moves) == solved(4, 4)
    # What the text works out by hand: a heuristic of 19, and 28 inversions with the gap two rows
    # from the bottom, an even sum.
    tiles = [tile for row in PICTURE for tile in row if tile]
    assert sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1 :]) == 28
    state = State(PICTURE)
    assert (state.heuristic, state.is_solvable, state.is_goal) == (19, True, False)


@pytest.mark.slow
def test_the_oblong_board_of_the_course():
    board = [[6, 7, 11], [1, 3, 8], [5, 0, 13], [12, 4, 14], [10, 9, 2]]
    moves = solve(board)
    assert len(moves) == 45
    assert after(board, moves) == solved(5, 3)


def test_a_solved_and_an_unsolvable_board():
    assert solve(solved(4, 4)) == []
    assert solve([[2, 1, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]) is None
    # The rule of inversions holds for boards of one row no more: their tiles cannot pass.
    assert solve([[2, 3, 1, 0]]) is None
    assert solve([[0, 1, 2]]) == ["L", "L"]
    assert solve(((1, 2), (0, 3))) == ["L"]


def test_states_are_keys_and_can_stand_in_a_heap():
    random.seed(5)
    start = State(PICTURE)
    assert start == State(tuple(map(tuple, PICTURE)))
    assert hash(start) == hash(State([list(row) for row in PICTURE]))
    following = dict(start.successors())
    assert set(following) == {"U", "D", "L"}
    for move, state in following.items():
        assert [list(row) for row in state.rows] == after(PICTURE, move)
        assert state not in {start} and start in set(dict(state.successors()).values())
    heap = [(0, state) for state in following.values()]
    heapq.heapify(heap)
    assert sorted(following.values()) == [heapq.heappop(heap)[1] for _ in following]


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
