"""The sequences of moves that may be left out, against an enumeration of all sequences."""

from dataclasses import replace
from itertools import pairwise, permutations, product
from random import Random

import numpy as np
import pytest
from support.reference.placements import random_puzzle

from plansolve.analysis import duplicate_sequences
from plansolve.analysis.duplicate_sequences import (
    EVERY_PLAN,
    ONE_PLAN,
    MoveGraph,
    forbidden_sequences,
    sequence_levels,
)

GRID = ((1, 3), (0, 2, 4), (1, 5), (0, 4), (1, 3, 5), (2, 4))
MANY = 1 << 30


def walked(cells, walk):
    board = list(range(cells))
    for b, d in pairwise(walk):
        board[b], board[d] = board[d], board[b]
    return tuple(board)


def expected(arcs, penalty, length, keep):
    """The forbidden walks, of those that contain no shorter one."""
    layer, forbidden = [((cell,), 0) for cell in range(len(arcs))], []
    shorter = {(cell, tuple(range(len(arcs)))) for cell in range(len(arcs))}
    for _ in range(length):
        best, longer = {}, []
        allowed = {walk for walk, _ in layer}
        # In alphabetical order, which is that of the arcs.
        for walk, cost in layer:
            for place, cell in enumerate(arcs[walk[-1]]):
                after = (*walk, cell), cost + penalty[walk[-1]][place]
                if len(walk) == 1 or after[0][1:] in allowed:
                    longer.append(after)
        for walk, cost in longer:
            effect = walk[0], walked(len(arcs), walk)
            if effect not in shorter and (effect not in best or cost < best[effect][1]):
                best[effect] = walk, cost
        layer = []
        for walk, cost in longer:
            effect = walk[0], walked(len(arcs), walk)
            if effect in shorter or (keep == ONE_PLAN and best[effect][0] != walk):
                forbidden.append(walk)
            else:
                layer.append((walk, cost))
        shorter |= best.keys()
    return forbidden


def listed(found):
    return [tuple(row) for rows in found for row in rows.tolist()]


@pytest.mark.parametrize("keep", [ONE_PLAN, EVERY_PLAN])
@pytest.mark.parametrize("seed", range(6))
def test_the_forbidden_walks_on_graphs_with_penalties(seed, keep):
    random = Random(seed)
    arcs = (
        GRID
        if seed in (0, 5)
        else [list({(c + 1) % 5, (c + random.randint(1, 4)) % 5}) for c in range(5)]
    )
    penalty = [[random.randrange(3) if seed else 0 for _ in out] for out in arcs]
    length = 7 if seed else 8
    found = forbidden_sequences(MoveGraph.of_blank(arcs, penalty), length, keep, MANY, MANY)
    assert listed(found) == expected(arcs, penalty, length, keep)
    assert found


def test_operators_that_commute_and_those_that_change_nothing():
    swaps = [(1, 0, 2, 3), (0, 1, 3, 2), (0, 1, 2, 3)]
    graph = MoveGraph.of_operators(swaps)
    assert listed(forbidden_sequences(graph, 2, ONE_PLAN, MANY, MANY)) == [
        (0, 2), (0, 0, 0), (0, 1, 0), (0, 1, 1),
    ]  # fmt: skip
    assert listed(forbidden_sequences(graph, 2, EVERY_PLAN, MANY, MANY)) == [
        (0, 2), (0, 0, 0), (0, 1, 1),
    ]  # fmt: skip
    dearer = replace(graph, price=np.array([1, 0, 0]))
    assert listed(forbidden_sequences(dearer, 1, ONE_PLAN, MANY, MANY)) == [(0, 2)]


@pytest.mark.parametrize("keep", [ONE_PLAN, EVERY_PLAN])
def test_equal_hashes_forbid_nothing(keep, monkeypatch):
    """Boards decide, not codes: with one code for all, sequences are only let through."""
    graph = MoveGraph.of_blank(GRID)
    right = sequence_levels(graph, 8, keep, MANY, MANY)
    monkeypatch.setattr(duplicate_sequences, "MIXER", np.uint64(0))
    blunt = sequence_levels(graph, 8, keep, MANY, MANY)
    assert blunt[-1].count > right[-1].count
    # The smallest walk to each board from each cell, of the walks of up to 8 moves.
    walks = [[cell] for cell in range(6)]
    least = {}
    for _ in range(9):
        for walk in walks:
            least.setdefault((walk[0], walked(6, walk)), walk)
        walks = [[*walk, cell] for walk in walks for cell in GRID[walk[-1]]]
    walks = [[cell] for cell in range(6)]
    count = 0
    for level in blunt[:-1]:
        longer = [
            [*walks[parent], int(graph.target[arc])]
            for parent, arc in zip(level.parent, level.arc, strict=True)
        ]
        for walk, is_forbidden in zip(longer, level.forbidden, strict=True):
            if is_forbidden:
                smaller = least[walk[0], walked(6, walk)]
                assert smaller != walk and (keep == ONE_PLAN or len(smaller) < len(walk))
                count += 1
        walks = [walk for walk, child in zip(longer, level.child, strict=True) if child >= 0]
    assert count


def test_the_limits_end_the_enumeration():
    graph = MoveGraph.of_blank(GRID)
    counts = [level.count for level in sequence_levels(graph, 9, ONE_PLAN, MANY, MANY)]
    assert counts[:4] == [6, 14, 20, 28]
    for most_sequences, most_bytes in product((20, 40, MANY), repeat=2):
        levels = sequence_levels(graph, 9, ONE_PLAN, most_sequences, most_bytes)
        assert 2 <= len(levels) <= 10
        if MANY not in (most_sequences, most_bytes):
            assert len(levels) < 10
        assert [level.count for level in levels] in (counts[: len(levels)], [6, 14])


def effect(puzzle, word):
    """Return the permutation of a sequence of operators, and the cells in which it needs gaps."""
    board, needs = tuple(range(puzzle.cells)), set()
    for number in word:
        operator = puzzle.operators[number]
        if operator.blank is not None:
            needs.add(board[operator.blank])
        board = operator.apply(board)
    return board, needs


def made(puzzle, word, board):
    """The board after a sequence of operators; None where it cannot be made."""
    for number in word:
        if not puzzle.operators[number].applies_to(board):
            return None
        board = puzzle.operators[number].apply(board)
    return board


@pytest.mark.parametrize("keep", [ONE_PLAN, EVERY_PLAN])
@pytest.mark.parametrize("seed", range(6))
def test_with_several_gaps_what_stands_for_a_sequence_needs_no_other_gaps(seed, keep):
    gaps = 2 + seed % 2
    puzzle = random_puzzle(Random(seed), 5, gaps=gaps)
    graph = MoveGraph.of_puzzle(puzzle)
    found = [word[1:] for word in listed(forbidden_sequences(graph, 3, keep, MANY, MANY))]
    boards = sorted({*permutations(puzzle.pieces)})
    expected, smaller = [], [()]
    allowed = {()}
    for length in (1, 2, 3):
        words = [*product(range(len(puzzle.operators)), repeat=length)]
        for word in words:
            board, needs = effect(puzzle, word)
            if not {word[1:], word[:-1]} <= allowed or len(needs) > gaps:
                continue
            others = [other for other in smaller if keep == ONE_PLAN or len(other) < length]
            effects = [effect(puzzle, other) for other in others]
            standing = [
                other
                for other, (after, needed) in zip(others, effects, strict=True)
                if after == board and needed <= needs
            ]
            smaller.append(word)
            if not standing:
                allowed.add(word)
                continue
            expected.append(word)
            ends = [made(puzzle, word, board) for board in boards]
            same = [made(puzzle, standing[0], board) for board in boards]
            assert any(ends)
            assert all(end in (None, other) for end, other in zip(ends, same, strict=True))
    assert found == expected
    assert found
