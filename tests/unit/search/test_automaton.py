from itertools import pairwise
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import make

from plansolve.analysis.duplicate_sequences import EVERY_PLAN, ONE_PLAN
from plansolve.model.structure import Structure
from plansolve.solvers.search.automaton import blank_automaton, operator_automaton

CORNER = [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485]
"""Boards of the 8-puzzle by their distance, where the blank begins in a corner."""


def steps_of(automaton):
    """For each state its (move, next state)."""
    edges = list(zip(automaton.move.tolist(), automaton.next.tolist(), strict=True))
    return [edges[a:b] for a, b in pairwise(automaton.offset.tolist())]


def free_steps(arcs):
    """The same for an automaton that lets everything through: states are cells of the blank."""
    return [[(d, d) for d in targets] for targets in arcs]


def blank_move(board, here, there):
    after = list(board)
    after[here], after[there] = after[there], after[here]
    return tuple(after)


def shortest(steps, state, board, apply, depth=99):
    """For each board: its depth, the number of shortest sequences, and their least penalty.

    `apply(board, state's last cell or None, move)` gives the board and the penalty.
    """
    found = {}
    layer = {(board, state): (1, 0)}
    for length in range(depth + 1):
        best = {}
        for (after, _), (count, penalty) in layer.items():
            if after not in found:
                total, least = best.get(after, (0, penalty))
                best[after] = total + count, min(least, penalty)
        found |= {after: (length, *figures) for after, figures in best.items()}
        following = {}
        for (before, at), (count, penalty) in layer.items():
            if before in best:
                for move, to in steps[at]:
                    after, more = apply(before, move)
                    total, least = following.get((after, to), (0, penalty + more))
                    following[after, to] = total + count, min(least, penalty + more)
        layer = following
    return found


def compare_blank(arcs, cell, length, penalty=None, depth=99):
    """Asserts what the two automata promise about walks that begin in `cell`."""
    arcs, penalty = tuple(map(tuple, arcs)), penalty and tuple(map(tuple, penalty))
    blank = len(arcs)
    board = tuple(blank if c == cell else c for c in range(len(arcs)))
    price = {
        (b, d): penalty[b][i] if penalty else 0
        for b, out in enumerate(arcs)
        for i, d in enumerate(out)
    }

    def apply(before, there):
        here = before.index(blank)
        return blank_move(before, here, there), price[here, there]

    free = shortest(free_steps(arcs), cell, board, apply, depth)
    one = blank_automaton(arcs, length=length, penalty=penalty)
    few = shortest(steps_of(one), int(one.roots[cell]), board, apply, depth)
    assert {b: (d, p) for b, (d, _, p) in few.items()} == {
        b: (d, p) for b, (d, _, p) in free.items()
    }
    every = blank_automaton(arcs, length=length, keep=EVERY_PLAN)
    same = shortest(steps_of(every), int(every.roots[cell]), board, apply, depth)
    assert same == free
    return free, few


def arcs_of(specification, rows, columns):
    return Structure(make(specification, rows, columns)).blank_graph.successors


@pytest.mark.parametrize(
    ("rows", "columns", "cell", "length", "depth"),
    [
        *((2, 3, cell, length, 99) for cell in range(6) for length in (1, 2, 5, 10, 14)),
        *((3, 3, cell, 10, 16) for cell in (0, 1, 4)),
    ],
)
def test_no_shortest_walk_is_lost(rows, columns, cell, length, depth):
    free, few = compare_blank(arcs_of("sliding", rows, columns), cell, length, depth=depth)
    assert len(free) == (360 if rows == 2 else sum(CORNER)) or cell
    fewer = sum(n for _, n, _ in few.values()) < sum(n for _, n, _ in free.values())
    assert fewer or length < 14


@pytest.mark.parametrize(("cell", "length"), [(0, 4), (4, 4), (8, 9)])
def test_no_shortest_walk_of_least_penalty_is_lost_with_one_way_arcs(cell, length):
    puzzle = make("lloyd", 3, 3)
    graph = Structure(puzzle).blank_graph
    penalty = [[int(name == "t") for name in arcs.values()] for arcs in graph.names]
    compare_blank(graph.successors, cell, length, penalty, depth=9)


@pytest.mark.parametrize("seed", range(6))
def test_random_one_way_graphs_with_random_penalties(seed):
    random = Random(seed)
    cells = random.choice([4, 5, 6])
    ring = {(c, (c + 1) % cells) for c in range(cells)}
    others = {tuple(random.sample(range(cells), 2)) for _ in range(cells)}
    arcs = [sorted(d for b, d in ring | others if b == c) for c in range(cells)]
    for out in arcs:
        random.shuffle(out)
    penalty = [[random.randrange(3) for _ in out] for out in arcs]
    for cell in range(cells):
        compare_blank(arcs, cell, random.choice([3, 6, 9]), penalty)


def compare_operators(puzzle, length, depth=99):
    destinations = [op.destinations(puzzle.cells) for op in puzzle.operators]

    def apply(before, move):
        return puzzle.operators[move].apply(before), 0

    board = tuple(range(puzzle.cells))
    free = shortest([[(i, 0) for i in range(len(destinations))]], 0, board, apply, depth)
    one = operator_automaton(destinations, length=length)
    few = shortest(steps_of(one), int(one.roots[0]), board, apply, depth)
    assert {b: d for b, (d, _, _) in few.items()} == {b: d for b, (d, _, _) in free.items()}
    every = operator_automaton(destinations, length=length, keep=EVERY_PLAN)
    assert shortest(steps_of(every), int(every.roots[0]), board, apply, depth) == free
    return free, few


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "depth", "lengths"),
    [
        ("torus-ring:rings=none", 2, 3, 99, (2, 3, 5)),
        ("torus-ring:rings=outer", 2, 3, 99, (3, 4)),
        # Not closed under inverses: the direction in which sequences are composed matters.
        ("torus-ring:rows=RL,columns=DUD,rings=none", 2, 3, 99, (2, 3, 5)),
        ("torus-ring:rows=RRR,columns=DDD,rings=none", 3, 3, 5, (5,)),
        ("torus-ring:rings=outer", 3, 3, 3, (4,)),
    ],
)
def test_no_shortest_plan_of_operators_is_lost(specification, rows, columns, depth, lengths):
    puzzle = make(specification, rows, columns)
    for length in lengths:
        free, few = compare_operators(puzzle, length, depth)
    assert sum(n for _, n, _ in few.values()) < sum(n for _, n, _ in free.values())


def sequence_counts(automaton, root, length):
    """The number of sequences of each length 0..length."""
    ways = np.zeros(automaton.states, np.int64)
    ways[root] = 1
    origin = np.repeat(np.arange(automaton.states), np.diff(automaton.offset.astype(np.int64)))
    counts = [1]
    for _ in range(length):
        after = np.zeros_like(ways)
        np.add.at(after, automaton.next, ways[origin])
        ways = after
        counts.append(int(ways.sum()))
    return counts


def test_sequences_are_as_many_as_effects_where_the_length_suffices():
    puzzle = make("torus-ring", 5, 5)
    destinations = [op.destinations(25) for op in puzzle.operators]
    short = operator_automaton(destinations, length=2)
    assert sequence_counts(short, short.roots[0], 2) == [1, 24, 452]
    full = operator_automaton(destinations)
    assert sequence_counts(full, full.roots[0], 4) == [1, 24, 452, 8252, 148295]
    corner = blank_automaton(arcs_of("sliding", 3, 3), length=12)
    assert sequence_counts(corner, corner.roots[0], 12) == CORNER[:13]


def test_undo_alone_is_the_automaton_of_length_two():
    undo = blank_automaton(arcs_of("sliding", 5, 5), length=2)
    assert (undo.states, len(undo.move)) == (105, 268)
    assert 105 < blank_automaton(arcs_of("sliding", 5, 5), length=8).states < 2_000


def test_operators_with_equal_and_with_no_effect():
    puzzle = make("torus-ring:rings=none", 2, 3)
    destinations = [op.destinations(6) for op in puzzle.operators]
    doubled = [tuple(range(6)), *destinations, *destinations]
    automaton = operator_automaton(doubled, length=3)
    assert set(automaton.move.tolist()) == set(
        operator_automaton(destinations, length=3).move + np.uint8(1)
    )


def test_large_boards_get_shorter_walks():
    arcs = arcs_of("sliding", 30, 30)
    automaton = blank_automaton(arcs)
    assert (automaton.length, automaton.move.dtype) == (2, np.uint16)
    free = blank_automaton(arcs, most_sequences=100)
    assert (free.states, free.length, len(free.move)) == (900, 1, sum(map(len, arcs)))
    assert blank_automaton(arcs_of("sliding", 4, 4), most_sequences=20_000).length < 10
    with pytest.raises(ValueError, match="read-only"):
        free.next[0] = 0


@pytest.mark.parametrize("keep", [ONE_PLAN, EVERY_PLAN])
def test_boards_on_which_the_blank_cannot_go_far(keep):
    line = blank_automaton(arcs_of("sliding", 1, 4), keep=keep)
    assert sequence_counts(line, line.roots[1], 3) == [1, 2, 1, 0]
    alone = blank_automaton(((),), keep=keep)
    assert (alone.states, len(alone.move)) == (1, 0)
    stuck = blank_automaton(((1,), ()), keep=keep)
    assert sequence_counts(stuck, stuck.roots[0], 2) == [1, 1, 0]
