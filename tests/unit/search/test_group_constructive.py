"""Factorization over generators, and the plans made of it, against brute force and the checker."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import blank_graph_puzzle, make
from support.reference.oracle import Rules

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE, Structure, breadth_first
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.group import MOST_CELLS, group_constructive
from plansolve.solvers.search.constructive.shortcuts import without_detours


def then(first, second):
    return tuple(second[image] for image in first)


def free_puzzle(cells, images):
    """A puzzle whose operators take the content of each cell c to images[c], with no blank."""
    operators = tuple(
        Operator(f"g{i}", tuple((to, c) for c, to in enumerate(image) if to != c))
        for i, image in enumerate(images)
    )
    labels = tuple(map(str, range(cells + 1)))
    return Puzzle("free", 1, cells, tuple(range(1, cells + 1)), operators, labels)


def both_ways(*edges):
    return [arc for a, b in edges for arc in ((a, b), (b, a))]


def plans_of(problem):
    reports = group_constructive(problem, Incumbent(), Budget())
    return [report.plan for report in reports if report.plan is not None]


def check(problem):
    plans = plans_of(problem)
    assert plans, problem.start
    assert all(check_plan(problem, plan).solves for plan in plans)
    assert [len(p) for p in plans] == sorted({len(p) for p in plans}, reverse=True)
    return plans[-1]


def cycle(cells, *points):
    image = list(range(cells))
    for a, b in zip(points, points[1:] + points[:1], strict=True):
        image[a] = b
    return tuple(image)


GROUPS = {
    "S5 one way": (5, [cycle(5, 0, 1, 2, 3, 4), cycle(5, 0, 1)]),
    "A6 one way": (6, [cycle(6, 0, 1, 2), cycle(6, 1, 2, 3, 4, 5)]),
    "dihedral": (6, [cycle(6, 0, 1, 2, 3, 4, 5), (0, 5, 4, 3, 2, 1)]),
    "cyclic of two cycles": (5, [then(cycle(5, 0, 1), cycle(5, 2, 3, 4))]),
    "trivial": (3, [(0, 1, 2)]),
    "no generator": (3, []),
    "M11": (
        11,
        [
            cycle(11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            then(cycle(11, 2, 6, 10, 7), cycle(11, 3, 9, 4, 5)),
        ],
    ),
}


def random_group(seed):
    random = Random(seed)
    cells = random.randint(2, 6)
    return cells, [
        tuple(random.sample(range(cells), cells))
        if random.random() < 0.5
        else cycle(cells, *random.sample(range(cells), random.randint(2, cells)))
        for _ in range(random.randint(1, 3))
    ]


GROUPS |= {f"random {seed}": random_group(seed) for seed in range(12)}


def slow(*specification):
    return pytest.param(specification, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "specification",
    [
        ("torus-ring", 5, 5),
        slow("torus-ring", 4, 6),
        ("loopover", 1, 5),
        slow("loopover", 6, 6),
        slow("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5),
        ("torus-ring:rows=-----,columns=-----", 5, 5),
        ("sliding", 2, 5),
        ("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)),
        ("sliding", 4, 4, "snail"),
        ("lloyd", 3, 3),
        ("lloyd", 5, 5),
    ],
    ids=str,
)
def test_scrambled_boards_get_plans(specification):
    puzzle = make(*specification)
    check(Problem(puzzle, cases.scrambles(puzzle, 8, 200, seed=6)[0]))


RING = both_ways((0, 1), (1, 2), (2, 3), (3, 4), (4, 0))
TRIANGLE = both_ways((0, 1), (1, 2), (2, 0))
SMALL_GRAPHS = {
    "theta": blank_graph_puzzle(
        7, both_ways((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 6), (6, 3))
    ),
    "polygon": blank_graph_puzzle(5, RING),
    "tree": blank_graph_puzzle(5, both_ways((0, 1), (1, 2), (1, 3), (3, 4))),
    "triangle with a tail": blank_graph_puzzle(
        5, TRIANGLE + both_ways((2, 3), (3, 4)), (1, 0, 2, 3, 4)
    ),
    "two parts": blank_graph_puzzle(5, TRIANGLE + both_ways((3, 4)), (0, 1, 2, 3, 4)),
    "ring with a one-way arc": blank_graph_puzzle(5, [*RING, (0, 2)]),
    "one-way ring with hops": cases.one_way_ring(),
    "one-way ring": blank_graph_puzzle(4, [(0, 1), (1, 2), (2, 3), (3, 0)]),
    "Lloyd of one row": make("lloyd", 1, 3),
    "2x3": make("sliding", 2, 3),
}


SMALL = SMALL_GRAPHS | {name: free_puzzle(*group) for name, group in GROUPS.items()}


def can_return(puzzle, start):
    if not puzzle.has_blank:
        return True
    graph, home = Structure(puzzle).blank_graph, puzzle.goal.index(0)
    return breadth_first(graph.successors, home)[start.index(0)] != UNREACHABLE


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == "M11" else n for n in SMALL]
)
def test_a_board_gets_a_plan_exactly_where_there_is_one(name):
    puzzle = SMALL[name]
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    random = Random(2)
    starts = [tuple(random.sample(puzzle.pieces, puzzle.cells)) for _ in range(15)]
    for start in (*starts, *random.sample(sorted(table), min(len(table), 9))):
        problem = Problem(puzzle, start)
        if not can_return(puzzle, start):
            continue
        if start not in table:
            assert plans_of(problem) == []
            continue
        plan = check(problem)
        assert len(plan) >= table[start]
        # With all boards near, what is left is a shortest plan.
        if len(table) < 1000:
            assert len(without_detours(problem, plan, 2600)) == table[start]


def test_rules_that_make_no_group_or_too_large_a_one_are_left_alone():
    slides = cases.row_slides()
    stuck = replace(slides, operators=tuple(op for op in slides.operators if op.blank))
    assert plans_of(Problem(stuck, (0, *range(1, 6)))) == []
    for rows, columns, plans in ((2, 20, [()]), (6, MOST_CELLS // 6 + 1, [])):
        puzzle = make(f"torus-ring:columns={'-' * columns},rings=none", rows, columns)
        assert plans_of(Problem(puzzle, puzzle.goal)) == plans


def test_detours_are_cut_out(eight_table):
    puzzle, random, shorter = make("sliding", 3, 3), Random(3), 0
    opposite = {"U": "D", "D": "U", "L": "R", "R": "L"}
    for _ in range(20):
        board, walk = puzzle.goal, []
        for _ in range(60):
            walk.append(random.choice(list(puzzle.applicable(board))))
            board = puzzle.applicable(board)[walk[-1]].apply(board)
        problem = Problem(puzzle, board)
        plan = tuple(opposite[move] for move in reversed(walk))
        without_loops = without_detours(problem, plan, 0)
        boards = Rules.of(puzzle).replay(board, without_loops)
        assert len(set(boards)) == len(boards)
        direct = without_detours(problem, plan, 200)
        assert check_plan(problem, direct).solves
        assert eight_table[board] <= len(direct) <= len(without_loops) <= len(plan)
        shorter += len(direct) < len(without_loops)
    assert shorter
