"""What words leave out costs no board its shortest path, and what they leave is all different."""

from collections import deque

import pytest
from support.fixtures import cases

from plansolve.certcheck.search.moves import OperatorMoves, moves_of
from plansolve.certcheck.search.words import MOST_WORDS, automaton, fitting_length
from plansolve.errors import ProofError
from plansolve.model.problem import Problem


def problem_of(name, rows, columns):
    puzzle = cases.make(name, rows, columns)
    return Problem(puzzle, puzzle.goal)


@pytest.mark.parametrize(
    ("name", "rows", "columns", "length", "depth"),
    [
        ("sliding", 2, 3, 8, 14),
        ("sliding", 3, 3, 13, 15),
        ("lloyd", 3, 3, 5, 7),
        ("loopover", 3, 3, 3, 4),
        ("torus-ring:rings=outer", 3, 3, 4, 4),
        ("torus-ring", 4, 4, 2, 3),
    ],
)
def test_each_board_keeps_its_first_shortest_path(name, rows, columns, length, depth):
    problem = problem_of(name, rows, columns)
    moves = moves_of(problem)
    words = automaton(moves, length)
    # Breadth first in the order of the moves: the first path to a board is the first of all.
    first = {moves.identity: (moves.start,)}
    queue = deque(first.items())
    while queue:
        effect, path = queue.popleft()
        assert words.follow(path) is not None
        if len(path) <= depth:
            for move in moves.after(path):
                reached = moves.effect(path, effect, move)
                if reached not in first:
                    first[reached] = (*path, move)
                    queue.append((reached, first[reached]))
    assert len(first) > 100


@pytest.mark.parametrize(
    ("name", "rows", "columns", "length"),
    [("sliding", 2, 3, 8), ("sliding", 3, 3, 7), ("lloyd", 3, 3, 4), ("loopover", 3, 3, 3)],
)
def test_paths_as_long_as_words_lead_to_different_boards(name, rows, columns, length):
    moves = moves_of(problem_of(name, rows, columns))
    words = automaton(moves, length)
    layer, met = [((moves.start,), moves.identity)], {moves.identity}
    while len(layer[0][0]) <= length:
        layer = [
            ((*path, move), moves.effect(path, effect, move))
            for path, effect in layer
            for move in moves.after(path)
            if words.follow((*path, move)) is not None
        ]
        boards = [effect for _, effect in layer]
        assert len(set(boards)) == len(boards) and met.isdisjoint(boards)
        met.update(boards)


def test_the_order_of_moves_that_do_not_touch_each_other_is_fixed():
    moves = moves_of(problem_of("loopover", 4, 4))
    assert isinstance(moves, OperatorMoves)
    words = automaton(moves, 2)
    names = {move: moves.names((0, move))[0] for move in moves.after((0,))}
    left = {(names[a], names[b]) for a in names for b in names if words.follow((0, a, b)) is None}
    assert ("R1", "L1") in left
    assert (("R1", "R2") in left) != (("R2", "R1") in left)
    assert ("R1", "U1") not in left and ("U1", "R1") not in left


def test_there_are_only_so_many_words():
    moves = moves_of(problem_of("sliding", 5, 5))
    length = fitting_length(moves, 16)
    assert 2 < length < 16
    assert len(automaton(moves, length).offset) <= MOST_WORDS
    with pytest.raises(ValueError, match=f"words of up to {length + 1} moves"):
        automaton(moves, length + 1)


def test_boards_of_more_than_64_cells_have_no_search_proofs():
    puzzle = cases.make("sliding", 5, 13)
    with pytest.raises(ProofError, match="no search proofs"):
        moves_of(Problem(puzzle, puzzle.goal))
