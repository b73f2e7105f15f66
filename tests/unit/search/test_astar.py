"""A*, plain and weighted, against a plain reference, node for node; its tables and its memory."""

from dataclasses import replace
from itertools import pairwise, permutations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import distance_table, make, scrambles, silent
from support.fixtures.solving import board
from support.reference import astar as reference
from support.reference.placements import goal_distances, random_puzzle

from plansolve import solve
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.goal_tables import goal_sets
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.result import Status
from plansolve.solvers.search.astar import astar as astar_module
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar.astar import (
    COST,
    WEIGHTS,
    Space,
    Tables,
    astar,
    bound_tables,
    has_patterns,
    pattern_tables,
)
from plansolve.solvers.search.astar.astar_kernel import table_bound
from plansolve.storage.store import Store

HARDEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)
"""One of the two 3x3 boards that are 31 moves from the blank-last goal."""
MULTI_TILE = "sliding:metric=multi-tile"
BY_DISTANCES = Budget(options=Options(bound="tile-distances"))


def solved(problem, incumbent=None, budget=BY_DISTANCES, most=20_000):
    """The plan's length (or None), the last bound and the last counts."""
    length, bound, report = None, 0, None
    reports = astar(problem, incumbent or Incumbent(), budget)
    for _, report in zip(range(most), reports, strict=False):
        bound = max(bound, report.lower_bound)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            length = len(report.plan)
    assert next(reports, None) is None, "the search goes on forever"
    return length, bound, report.counts


def agrees_with_reference(puzzle, start, limit=None):
    problem = Problem(puzzle, start)
    parity = problem.structure.plan_parity(start)
    expected = reference.astar(puzzle, start, limit=limit or UNREACHABLE, parity=parity)
    length, bound, counts = solved(problem, Incumbent(upper_bound=limit or NO_PLAN))
    if not problem.is_solved and reference.tile_distance_bound(puzzle)(start) < UNREACHABLE:
        assert counts == expected.counts
    assert length == expected.length
    if length is None:
        assert bound == (limit or NO_PLAN)
    return expected


def boards_of_depths(specification, depths):
    table, random = distance_table(specification, 3, 3), Random(11)
    return [random.choice([s for s, n in table.items() if n == depth]) for depth in depths]


AS_THE_REFERENCE = {
    "sliding": (make("sliding", 3, 3), [*boards_of_depths("sliding", (5, 10, 20, 27)), HARDEST]),
    "lloyd": (make("lloyd", 3, 3), boards_of_depths("lloyd", (6, 16, 20))),
    "one-way row": (cases.one_way_row(), [*permutations(range(5))]),
    "turn and swaps": (cases.turn_and_swaps(), [*permutations(range(4))]),
} | {
    f"{puzzle.name} {puzzle.rows}x{puzzle.columns}": (puzzle, scrambles(puzzle, 3, steps, 13))
    for puzzle, steps in [
        (make("sliding", 3, 7, "snail"), 22),
        (make("sliding", 1, 6), 12),
        (make("lloyd", 5, 5), 14),
        (make("torus-ring", 5, 5), 3),
        (make("torus-ring:rows=LRL,columns=UDU,rings=none", 3, 3), 5),
        (cases.row_slides(2, 3, (1, 0, 2, 3, 4, 5)), 40),
        (cases.one_way_ring(7), 40),
        # Tiles beyond 255 have wider states.
        (make("sliding", 16, 17), 2),
        (make("loopover", 16, 16), 2),
    ]
}


@pytest.mark.parametrize(("puzzle", "starts"), AS_THE_REFERENCE.values(), ids=AS_THE_REFERENCE)
def test_boards_take_as_many_expansions_as_the_reference(puzzle, starts):
    for start in starts:
        agrees_with_reference(puzzle, start)
    wide = puzzle.pieces[-1] > 255
    content = Tables.of(Problem(puzzle, puzzle.goal)).content_type
    assert content == (np.uint16 if wide else np.uint8)


@pytest.mark.parametrize("seed", range(40))
def test_random_rules_take_as_many_expansions_as_the_reference(seed):
    puzzle = random_puzzle(Random(seed), 3 + seed % 3)
    for start in Random(seed).sample(sorted(permutations(puzzle.goal)), 6):
        agrees_with_reference(puzzle, start)


@pytest.mark.parametrize(
    ("puzzle", "start"),
    [
        (make("sliding", 3, 3), HARDEST),
        (cases.row_slides(3, 3), HARDEST),
        (make("loopover", 3, 3), (2, 1, 3, 4, 5, 6, 7, 9, 8)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_children_that_promise_no_better_plan_are_not_stored(puzzle, start):
    length, _, counts = solved(Problem(puzzle, start))
    for beyond in (0, 1, 2, 4):
        expected = agrees_with_reference(puzzle, start, length + beyond)
        assert len(expected.depth) <= counts["stored"]
        assert expected.length == (length if beyond else None)


def run(space, weight, best, is_last=True, expansions=1 << 40):
    """Search with one weight to its end; the length of the best plan after each slice."""
    list(space.begin(weight, best, is_last=is_last))
    while (status := space.expand(expansions, best)) != kernel.NOTHING_LEFT:
        if status == kernel.SOLVED:
            best = len(space.path()) - 1
        elif status == kernel.MORE_ROWS:
            assert space.add_rows()
        elif status == kernel.FULL:
            list(space.grow())
        yield best


def test_work_in_small_slices_is_the_same_work(monkeypatch):
    monkeypatch.setattr(astar_module, "_FIRST_ROWS", 2)
    tables = Tables.of(Problem(make("sliding", 3, 3), HARDEST))
    spaces = []
    for expansions in (7, 1 << 40):
        spaces.append(Space(tables, HARDEST, 1 << 28, tables.width, tables.width + 1))
        assert [*run(spaces[-1], tables.width + 1, NO_PLAN, expansions=expansions)][-1] == 31
    sliced, whole = spaces
    assert sliced.counts == whole.counts and sliced.path() == whole.path()


# Bounds that are not consistent, and weights

ORDERS = {"plain": None, "weighted": (8, (24, 16, 12, 10, 8))}


@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
@pytest.mark.parametrize("is_consistent", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_as_many_expansions_as_the_reference(specification, is_consistent, order):
    puzzle = make(specification, 3, 3)
    tables = Tables.of(Problem(puzzle, puzzle.goal))
    h = reference.tile_distance_bound(puzzle)
    if not is_consistent:
        operators = tables.rules.operators
        some = np.random.default_rng(15).integers(0, 2, operators.distance.size, np.int32)
        kept = operators.distance * some
        operators = operators._replace(distance=kept)
        tables = replace(tables, rules=tables.rules._replace(operators=operators))

        def h(state):
            return sum(int(kept[tile * 9 + cell]) for cell, tile in enumerate(state))

    table = distance_table(specification, 3, 3)
    cost, weights = ORDERS[order] or (tables.width, (tables.width + 1,))
    reopened = below = 0
    for start in Random(3).sample(sorted(s for s in table if 9 < table[s] < 18), 8):
        expected = reference.astar(puzzle, start, h, (cost, weights))
        space = Space(tables, start, 1 << 26, cost, weights[0])
        best, lengths, least = NO_PLAN, [], []
        for weight in weights:
            for found in run(space, weight, best, weight == weights[-1], 50):
                if found < best:
                    lengths.append(best := found)
                assert min(best, space.smallest_f or NO_PLAN) <= table[start]
            least.append(NO_PLAN if space.smallest_f is None else space.smallest_f)
        assert lengths == expected.lengths and best == table[start]
        # The reference leaves the start's f alone, A* takes a smaller f for that.
        assert least == [max(f, space.base) for f in expected.least]
        assert space.counts == expected.counts
        reopened += expected.reopened
        below += any(late < early for early, late in pairwise(expected.bounds))
    assert bool(reopened) == (order == "weighted" or not is_consistent)
    assert below or is_consistent


@pytest.mark.parametrize("weight", [80, 32, 24, 17])
def test_the_first_plan_of_a_weight_is_at_most_so_many_times_as_long(weight, eight_table):
    # For a consistent bound, though what is closed is not opened again.
    puzzle, above = make("sliding", 3, 3), 0
    tables = Tables.of(Problem(puzzle, puzzle.goal))
    for start in Random(7).sample(sorted(eight_table), 40):
        space = Space(tables, start, 1 << 26, COST, weight)
        *_, best = 0, *run(space, weight, NO_PLAN, is_last=False)
        assert COST * best <= weight * eight_table[start]
        above += best > eight_table[start]
    assert above or weight == 17


def test_weights_fall_to_that_of_plain_astar():
    assert [*WEIGHTS] == sorted({*WEIGHTS}, reverse=True) and WEIGHTS[-1] == COST
    problem, lengths, weights = Problem(make("sliding", 3, 3), HARDEST), [], []
    for report in astar(problem, Incumbent(), replace(BY_DISTANCES, optimal=False)):
        lengths += [] if report.plan is None else [len(report.plan)]
        weights.append(report.counts["weight"])
    assert len(lengths) > 1 and lengths[-1] == 31
    assert weights == sorted(weights, reverse=True) and len(set(weights)) > 2


def test_bounds_rise_while_the_search_goes_on(lloyd_table, monkeypatch):
    monkeypatch.setattr(astar_module, "_CELLS_A_SLICE", 2_000)
    start = next(board for board, depth in lloyd_table.items() if depth == 27)
    problem = Problem(make("lloyd", 3, 3), start)
    reports = list(astar(problem, Incumbent(), Budget()))
    bounds = [report.lower_bound for report in reports if report.lower_bound]
    assert len(reports) > 20 and len(set(bounds)) >= 3
    assert bounds == sorted(bounds) and bounds[-1] == 27
    assert all(bound % 2 == 1 for bound in bounds)


# Memory


def size(space):
    arrays = [array for array in vars(space).values() if isinstance(array, np.ndarray)]
    return sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("order", ORDERS)
def test_the_arrays_stay_within_the_memory(order):
    puzzle = make("sliding", 4, 4)
    start = (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)
    tables = Tables.of(Problem(puzzle, start))
    cost, weights = ORDERS[order] or (tables.width, (tables.width + 1,))
    for memory in (100_000, 300_000, 3_000_000):
        space = Space(tables, start, memory, cost, weights[-1])
        list(space.begin(weights[-1], NO_PLAN, is_last=True))
        while True:
            assert size(space) + tables.nbytes <= memory
            status = space.expand(1 << 40, NO_PLAN)
            if status == kernel.MORE_ROWS and space.add_rows():
                continue
            if status == kernel.SOLVED or not space.can_grow:
                break
            list(space.grow())
        # What was left free is less than a tenth, or all that was needed.
        assert status == kernel.SOLVED or size(space) + tables.nbytes > 0.9 * memory
    assert status == kernel.SOLVED or order != "plain"


# Pattern databases


def placements(problem):
    """Tables for boards of any kind, however small, that A* does without as a rule."""
    choice = PlacementChooser(problem.puzzle, placement_rules(problem.puzzle), 1 << 16)
    store = Store(in_memory=True)
    return choice.lookups(choice.usual, store=store, tell=silent, threads=1)


def additive(problem):
    store = Store(in_memory=True)
    return goal_sets(problem, size=3, store=store, tell=silent)


@pytest.mark.parametrize(
    ("puzzle", "tables"),
    [
        pytest.param(make(MULTI_TILE, 3, 3), placements, marks=pytest.mark.slow),
        (cases.row_slides(), placements),
        (cases.one_way_ring(), placements),
        (cases.turning_letters(), placements),
        (make("sliding", 3, 3), additive),
        pytest.param(make("lloyd", 3, 3), additive, marks=pytest.mark.slow),
    ],
)
def test_kernels_look_up_what_tables_say_of_a_board(puzzle, tables):
    patterns, distances = tables(Problem(puzzle, puzzle.goal_board)), goal_distances(puzzle)
    cells, reopened = np.uint64(puzzle.cells), 0
    for start in Random(1).sample(sorted(distances), min(60, len(distances))):
        states = np.array((0,) * puzzle.cells + start, np.uint8)
        found = table_bound(bound_tables(patterns), cells, cells, states)
        value = patterns.value(start)
        assert found == value <= distances[start]
    for start in Random(3).sample(sorted(distances), 12):
        problem = Problem(puzzle, start)
        if not problem.is_solved:
            reopened += reopened_with(patterns, problem, distances[start])
    # Placements hold distances of an abstraction, which are consistent.
    assert bool(reopened) == (tables is additive)


def reopened_with(patterns, problem, optimum):
    tables = Tables.of(problem, patterns=patterns)
    space = Space(tables, problem.start, 1 << 26, tables.width, tables.width + 1)
    best = NO_PLAN
    if space.base < UNREACHABLE:
        *_, best = NO_PLAN, *run(space, tables.width + 1, NO_PLAN)
    assert best == (NO_PLAN if optimum is None else optimum)
    return space.counts["reopened"]


def test_which_boards_have_tables_and_how_much_room_they_take(monkeypatch):
    assert not has_patterns(Problem(make(MULTI_TILE, 3, 3), (0, *range(1, 9))))
    for puzzle in (make("sliding", 4, 4), make("torus-ring", 4, 4), make(MULTI_TILE, 4, 4)):
        assert has_patterns(Problem(puzzle, puzzle.goal))
    for puzzle in (make("sliding", 9, 9), make(MULTI_TILE, 9, 9)):
        assert not has_patterns(Problem(puzzle, puzzle.goal))
    problem = board(make("sliding", 4, 4), 20, 6)
    assert pattern_tables(problem, 1 << 20, silent, 1) is None
    # None are asked for where a bound is named.
    monkeypatch.delattr(astar_module, "pattern_tables")
    assert solved(problem)[0] <= 20


# The answer as users get it


def test_tables_save_nodes_and_the_answer_rests_on_them(kept_workers):
    problem = board(make(MULTI_TILE, 2, 5), 200, 5)
    by_tables = solve(problem, engine="astar", workers=kept_workers, optimal=True)
    named = solve(
        problem, engine="astar", bound="tile-distances", workers=kept_workers, optimal=True
    )
    assert [evidence.kind for evidence in by_tables.rests_on] == ["table"] and not named.rests_on
    _, _, counts = solved(problem, budget=Budget())
    assert solved(problem)[2]["stored"] > 20 * counts["stored"]


def test_an_optimal_plan_is_asked_of_plain_astar(kept_workers):
    problem = Problem(make("sliding", 3, 3), HARDEST)
    for optimal, technique in ((True, "A*"), (False, "A* with weight ")):
        result = solve(problem, optimal=optimal, engine="astar", workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, 31)
        assert result.statistics.plan_technique.startswith(technique)
