"""Short products by level of a stabilizer chain, and beams down the chain, against brute force."""

from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import make, scrambles

from plansolve.analysis.group import PermutationGroup
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.factorization import (
    Element,
    StabilizerChain,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.generators import problem_groups
from plansolve.solvers.search.constructive.group import group_constructive
from plansolve.solvers.search.constructive.level_beam import LevelBeam, Remainders, begun
from plansolve.solvers.search.constructive.level_products import level_products
from plansolve.solvers.search.constructive.short_products import ShortProducts, inverted

PUZZLES = {
    "rows and columns": ("loopover", 3, 3),
    "rings": ("hungarian-rings:4,1", 2, 3),
    "stickers of a cube": ("pocket-cube", 6, 4),
    "closed walks of a blank": ("sliding:walls=1-2", 3, 3),
    "operators with a blank": ("sliding:metric=multi-tile", 3, 3),
}


def known(name, count=3000):
    """The group of a puzzle, its order, short products, and the chain in their order."""
    puzzle = make(*PUZZLES[name])
    source = next(problem_groups(Problem(puzzle, puzzle.goal)))
    supply = [*islice(source.supply(), count)]
    products = ShortProducts(source, supply, puzzle.cells)
    images = [tuple(element.image[: puzzle.cells]) for element in source.elements]
    order = PermutationGroup(images, puzzle.cells).order
    table = StabilizerChain(source, order, products.base(source.base))
    for _ in table.fill(supply):
        pass
    return puzzle, source, products, order, table


def effect(puzzle, source, factors):
    """Where a product of generators takes the content of each cell, move by move."""
    board, blank = list(range(puzzle.cells)), None
    if puzzle.has_blank:
        blank = puzzle.goal.index(0)
    for name in source.plan(factors):
        operator = puzzle.operator(name, blank)
        blank = next((cell for cell, origin in operator.moves if origin == blank), blank)
        operator.apply_to(board)
    return tuple(board.index(cell) for cell in range(puzzle.cells))


@pytest.mark.parametrize("name", PUZZLES)
def test_pairs_leave_the_points_and_come_by_length(name):
    _, source, products, _, _ = known(name)
    points = products.base(source.base)[:3]
    ones, others = products.pairs(products.places(points), 500)
    assert ones.size
    assert (products.images[ones][:, points] == products.images[others][:, points]).all()
    assert (np.diff(products.lengths[ones] + products.lengths[others]) >= 0).all()


def test_products_that_leave_the_points_by_themselves_are_all_among_the_pairs():
    _, _, products, _, _ = known("rows and columns")
    points = [0, 4]
    alone = {
        number
        for number, image in enumerate(products.images.tolist())
        if number and all(image[point] == point for point in points)
    }
    ones, others = products.pairs(products.places(points), 10**6)
    assert alone and alone == set(ones[others == 0].tolist())


@pytest.mark.parametrize("name", PUZZLES)
def test_inverses_take_back(name):
    _, _, products, _, _ = known(name, 100)
    cells = np.arange(products.images.shape[1])
    for image, inverse in zip(products.images, inverted(products.images), strict=True):
        assert (inverse[image] == cells).all()


@pytest.mark.parametrize("name", PUZZLES)
def test_a_base_holds_each_point_once(name):
    _, source, products, _, _ = known(name)
    assert sorted(products.base(source.base)) == sorted(source.base)


def test_the_stickers_of_a_piece_follow_each_other():
    puzzle, source, products, _, _ = known("stickers of a cube")
    base = products.base(source.base)
    pieces = {frozenset(base[:3])}
    goes = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    # The corner that no move moves comes first; the images of the next one are all the others.
    assert all(to[cell] == cell for to in goes for cell in base[:3])
    images = {frozenset(base[3:6])}
    for _ in range(11):
        images |= {frozenset(to[cell] for cell in piece) for to in goes for piece in images}
    pieces |= images
    assert len(pieces) == 8
    assert all(frozenset(base[i : i + 3]) in pieces for i in range(0, 12, 3))


@pytest.mark.parametrize("name", PUZZLES)
def test_products_of_a_level_move_its_point_anywhere_and_leave_those_before(name):
    puzzle, source, products, order, table = known(name)
    before, places = [], 1
    bases = [base for base, _ in table.transversals]
    for level in level_products(source, products, table.transversals):
        before = bases[: bases.index(level.base)]
        for image, inverse, length, factors in zip(*level[1:5], strict=True):
            assert tuple(image.tolist()) == effect(puzzle, source, factors)
            assert (inverse[image] == np.arange(puzzle.cells)).all()
            assert length == len(factors)
            assert [int(image[point]) for point in before] == before
        for point in range(puzzle.cells):
            out, back = level.out[point], level.back[point]
            assert (level.images[out, level.base] == point).all()
            assert (level.images[back, point] == level.base).all()
            assert (np.diff(level.lengths[out]) >= 0).all()
        reached = {int(image[level.base]) for image in level.images}
        assert level.base not in reached
        places *= len(reached) + 1
    assert places == order


@pytest.mark.parametrize("name", PUZZLES)
def test_what_a_beam_finds_is_the_element_and_with_all_widths_the_shortest(name):
    puzzle, source, products, _, table = known(name)
    levels = [*level_products(source, products, table.transversals)]
    beam = LevelBeam(source, levels, range(puzzle.cells), is_distinct=True)
    for board in scrambles(puzzle, 5, 60, 7):
        own = next(problem_groups(Problem(puzzle, board)))
        image = puzzle.arrangement(own.contents)
        lengths = {}
        for width in (1, 30, 1_000_000):
            *_, factors = beam.shortest(begun(image, products, 20), width)
            assert effect(puzzle, source, factors) == image
            lengths[width] = len(factors)
        assert beam.is_whole
        assert lengths[1_000_000] <= min(lengths.values())
        greedy = table.factors(image)
        assert lengths[1_000_000] <= len(greedy)


def test_elements_of_no_group_have_no_product():
    puzzle, source, products, _, table = known("stickers of a cube")
    levels = [*level_products(source, products, table.transversals)]
    beam = LevelBeam(source, levels, range(puzzle.cells), is_distinct=True)
    base = products.base(source.base)
    for first, second in ((-1, -2), (0, 1), (0, 5)):
        twisted = list(puzzle.arrangement(puzzle.goal))
        one, other = base[first], base[second]
        twisted[one], twisted[other] = twisted[other], twisted[one]
        start = Remainders(np.array([twisted], np.uint8), [b""], [b""])
        assert [factors for factors in beam.shortest(start, 100) if factors is not None] == []


GOALS = {
    "two kinds": (1, 1, 1, 1, 2, 2, 2, 2, 2),
    "two of each kind": (1, 1, 2, 2, 3, 3, 4, 4, 5),
    "open cells": (1, 2, 3, OPEN, OPEN, OPEN, OPEN, 1, 2),
}


@pytest.mark.parametrize("name", GOALS)
def test_of_alike_pieces_any_is_brought_home(name):
    """On 3x3 Loopover every arrangement can be reached, so that each board has a plan."""
    puzzle, source, products, _, table = known("rows and columns")
    goal, random = GOALS[name], Random(4)
    levels = [*level_products(source, products, table.transversals)]
    beam = LevelBeam(source, levels, goal, is_distinct=False)
    for _ in range(10):
        pieces = [kind if kind != OPEN else random.choice((1, 2, 3)) for kind in goal]
        board = random.sample(pieces, 9)
        lengths = {}
        for width in (30, 1_000_000):
            *_, factors = beam.shortest(begun(board, products, 1), width)
            after = [0] * 9
            for cell, to in enumerate(effect(puzzle, source, factors)):
                after[to] = board[cell]
            assert all(wanted in (kind, OPEN) for kind, wanted in zip(after, goal, strict=True))
            lengths[width] = len(factors)
        assert beam.is_whole and lengths[1_000_000] <= lengths[30]


def test_stickers_that_are_alike_stay_together():
    """A corner whose first sticker alone has the right colour is not brought home for it."""
    puzzle = make("pocket-cube", 6, 4)
    colours = replace(puzzle, goal=tuple((tile + 3) // 4 for tile in puzzle.goal), pieces=())
    _, source, products, _, table = known("stickers of a cube")
    levels = [*level_products(source, products, table.transversals)]
    goal = [kind - 1 for kind in colours.goal]
    beam = LevelBeam(source, levels, goal, is_distinct=False)
    for board in scrambles(colours, 5, 60, 7):
        start = begun([kind - 1 for kind in board], products, 1)
        *_, factors = beam.shortest(start, 1000)
        problem = Problem(colours, board)
        assert check_plan(problem, source.plan(factors)).solves


def test_beginnings_are_taken_off():
    puzzle, source, products, _, _ = known("rows and columns")
    (board,) = scrambles(puzzle, 1, 20, 1)
    image = puzzle.arrangement(board)
    start = begun(image, products, 50)
    for rest, head in zip(start.boards.tolist(), start.heads, strict=True):
        first = Element(permutation_bytes(effect(puzzle, source, head)), b"")
        assert tuple(first.image.translate(permutation_bytes(rest))[: puzzle.cells]) == image


@pytest.mark.parametrize(
    ("name", "rows", "columns"), [("torus-ring", 5, 5), ("hungarian-rings:10,2,colours=4", 2, 9)]
)
def test_beams_make_plans_shorter(name, rows, columns):
    """Than those of one product and one remainder a stage, which come first."""
    puzzle = make(name, rows, columns)
    (board,) = scrambles(puzzle, 1, 400, 3)
    problem = Problem(puzzle, board)
    reports = group_constructive(problem, Incumbent(), Budget())
    plans = [report.plan for report in reports if report.plan is not None]
    assert all(check_plan(problem, plan).solves for plan in plans)
    assert len(plans[-1]) < 0.9 * len(plans[0])
