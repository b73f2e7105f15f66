"""Permutation groups, of engines and sceptic: orders and membership against brute force."""

from itertools import permutations, product
from math import factorial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.fixtures.cases import blank_graph_puzzle
from support.reference.oracle import Rules

from plansolve.analysis.group import PermutationGroup
from plansolve.analysis.solvability import why_unsolvable
from plansolve.certcheck.unsolvable import Generated
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Puzzle
from plansolve.puzzles.registry import make_puzzle


def closure(generators: list[tuple[int, ...]], degree: int) -> set[tuple[int, ...]]:
    """All products of the generators, one multiplication at a time."""
    seen = {tuple(range(degree))}
    todo = list(seen)
    while todo:
        element = todo.pop()
        for generator in generators:
            product = tuple(generator[image] for image in element)
            if product not in seen:
                seen.add(product)
                todo.append(product)
    return seen


def cell_maps(puzzle: Puzzle) -> list[tuple[int, ...]]:
    return [operator.destinations(puzzle.cells) for operator in puzzle.operators]


@pytest.mark.parametrize("kind", [PermutationGroup, Generated])
@settings(deadline=None)
@given(st.data())
def test_order_and_membership_equal_brute_force(kind, data: st.DataObject) -> None:
    degree = data.draw(st.integers(1, 6))
    points = st.permutations(range(degree)).map(tuple)
    generators = data.draw(st.lists(points, max_size=3))
    group, elements = kind(generators, degree), closure(generators, degree)
    assert group.order == len(elements)
    assert {p for p in permutations(range(degree)) if p in group} == elements


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "order"),
    [
        ("torus-ring", 5, 5, factorial(25)),
        ("loopover", 5, 5, factorial(25) // 2),
        ("loopover", 4, 4, factorial(16)),
        ("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5, factorial(20)),
        # Five rows that turn on their own, and two rings of 16 and 8 cells.
        ("torus-ring:columns=-----,rings=none", 5, 5, 5**5),
        ("torus-ring:rows=-----,columns=-----", 5, 5, 16 * 8),
    ],
)
def test_orders_of_torus_groups(specification: str, rows: int, columns: int, order: int) -> None:
    puzzle = make_puzzle(specification, rows, columns)
    assert PermutationGroup(cell_maps(puzzle), puzzle.cells).order == order
    # A chain of the sceptic takes seconds for more cells.
    assert puzzle.cells > 20 or Generated(cell_maps(puzzle), puzzle.cells).order == order


def test_a_row_that_only_turns_keeps_its_cyclic_order() -> None:
    puzzle = make_puzzle("loopover", 1, 5)
    assert why_unsolvable(Problem(puzzle, (3, 4, 5, 1, 2))) is None
    # An exchange of three tiles is an even permutation, but no turn of the row.
    reason = why_unsolvable(Problem(puzzle, (2, 3, 1, 4, 5)))
    assert reason == "the moves reach 5 boards, and the goal is not one of them"


def two_ways(edges):
    return [arc for a, b in edges for arc in ((a, b), (b, a))]


def test_the_blank_on_a_graph_of_two_way_edges_is_decided_exactly() -> None:
    random = Random(5)
    for _ in range(40):
        cells = random.randint(3, 6)
        edges = {(random.randrange(v), v) for v in range(1, cells) if random.random() < 0.93}
        edges |= {
            tuple(sorted(random.sample(range(cells), 2))) for _ in range(random.randint(0, 3))
        }
        goal = tuple(random.sample(range(cells), cells))
        puzzle = blank_graph_puzzle(cells, two_ways(sorted(edges)), goal)
        reached = Rules.of(puzzle).distances_to(goal)
        for board in permutations(range(cells)):
            refused = why_unsolvable(Problem(puzzle, board)) is not None
            assert refused == (board not in reached), (edges, goal, board)


def test_two_exchanged_tiles_of_a_ring_are_refused_by_the_group() -> None:
    puzzle = blank_graph_puzzle(5, two_ways((c, (c + 1) % 5) for c in range(5)))
    # Round the ring the four tiles keep their cyclic order.
    reason = why_unsolvable(Problem(puzzle, (2, 1, 4, 3, 0)))
    reached = "the moves reach 4 boards with the blank in its goal cell"
    assert reason == f"{reached}, and the goal is not one of them"
    assert why_unsolvable(Problem(puzzle, (2, 3, 4, 1, 0))) is None


def test_an_element_is_drawn_with_the_probability_of_each_other():
    # Every choice that can be made gives another element.
    swap, turn = (1, 0, 2, 3, 4), (1, 2, 3, 0, 4)
    for generators in ([swap, turn], [turn], [(1, 2, 0, 3, 4), (0, 1, 3, 4, 2)], [(0, 1, 2, 3, 4)]):
        group = PermutationGroup(generators, 5)
        sizes = []

        def first(points, sizes=sizes):
            sizes.append(len(points))
            return points[0]

        group.drawn(first)
        drawn = []
        for choice in product(*map(range, sizes)):
            left = list(choice)
            drawn.append(group.drawn(lambda points, left=left: points[left.pop(0)]))
        assert len(drawn) == len(set(drawn)) == group.order
        assert all(element in group for element in drawn)


@pytest.mark.parametrize("seed", range(30))
def test_an_element_brings_home_what_is_alike_exactly_where_one_does(seed):
    random, cells = Random(seed), 6
    generators = [tuple(random.sample(range(cells), cells)) for _ in range(random.randint(1, 2))]
    group = PermutationGroup(generators, cells)
    elements = closure(generators, cells)
    for _ in range(20):
        board = tuple(random.choice((1, 1, 2, 3)) for _ in range(cells))
        goal = random.sample(board, cells)
        goal = tuple(OPEN if random.random() < 0.3 else kind for kind in goal)
        wanted = [
            goes
            for goes in elements
            if all(goal[goes[cell]] in (board[cell], OPEN) for cell in range(cells))
        ]
        assert sorted(group.bringing_home(board, goal, random, 10_000)) == sorted(wanted)
