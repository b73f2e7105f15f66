"""Words leave out exactly the paths with a part that is none, and no first shortest path."""

from collections import deque
from itertools import count

import pytest
from support.fixtures import cases

from plansolve.certcheck.search.moves import moves_of
from plansolve.certcheck.search.words import MOST_WORDS, automaton, fitting_length
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


def words_of(moves, length, every_plan):
    """The words by definition, of all paths of up to `length` moves from each beginning."""
    first, words = {}, set()
    layer = [((b,), moves.identity) for b in moves.begins]
    for _ in range(length + 1):
        for path, effect in layer:
            earlier = first.setdefault((path[0], effect), path)
            if earlier == path or (every_plan and len(earlier) == len(path)):
                words.add(path)
        layer = [
            ((*path, move), moves.effect(path, effect, move))
            for path, effect in layer
            for move in moves.after(path)
        ]
    return words


@pytest.mark.parametrize("every_plan", [False, True])
@pytest.mark.parametrize(
    ("name", "rows", "columns", "length", "depth"),
    [
        ("sliding", 2, 3, 7, 12),
        ("sliding", 3, 3, 6, 8),
        ("sliding:metric=multi-tile", 2, 3, 3, 6),
        ("lloyd", 3, 3, 3, 6),
        ("loopover", 2, 3, 3, 6),
        ("loopover", 3, 3, 2, 3),
    ],
)
def test_a_path_is_left_out_exactly_for_a_part_that_is_no_word(
    name, rows, columns, length, depth, every_plan
):
    moves = moves_of(problem_of(name, rows, columns))
    made, words = (
        automaton(moves, length, every_plan=every_plan),
        words_of(moves, length, every_plan),
    )
    left, layer = 0, [(moves.start,)]
    for _ in range(depth):
        following = []
        for longer in ((*path, move) for path in layer for move in moves.after(path)):
            part, is_left = longer, True
            while len(part) > 1 and is_left:
                is_left = len(part) > length + 1 or part in words
                part = moves.tail(part)
            assert (made.follow(longer) is not None) == is_left, longer
            left += not is_left
            following += [longer] if is_left else []
        layer = following
    assert left > 20


def test_there_are_only_so_many_words():
    moves = moves_of(problem_of("sliding", 5, 5))
    length = fitting_length(moves, 16)
    assert 2 < length < 16
    assert len(automaton(moves, length).offset) <= MOST_WORDS
    with pytest.raises(ValueError, match=f"words of up to {length + 1} moves"):
        automaton(moves, length + 1)


def test_words_that_are_no_longer_wanted_are_left():
    moves, asked = moves_of(problem_of("sliding", 5, 5)), count()
    with pytest.raises(TimeoutError):
        automaton(moves, 16, is_unwanted=lambda: next(asked) > 9)
