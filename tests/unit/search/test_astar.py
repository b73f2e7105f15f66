"""A*, plain and weighted, against a plain reference, node for node, and exhaustive tables."""

from dataclasses import replace
from itertools import pairwise, permutations
from random import Random
from types import MappingProxyType

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import distance_table, make
from support.fixtures.solving import board
from support.reference import astar as reference
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve import solve
from plansolve.bounds import registry
from plansolve.bounds.bound import Bound, NodeBound
from plansolve.bounds.distance import largest_tile_distance, tile_distance_sum
from plansolve.bounds.registry import BOUNDS
from plansolve.checker import check_plan
from plansolve.exit_codes import exit_code
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.result import Status, StopReason
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar import space as space_module
from plansolve.solvers.search.astar.astar import COST, WEIGHTS, astar
from plansolve.solvers.search.astar.space import Space
from plansolve.solvers.search.astar.tables import Tables

HARDEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)
"""One of the two 3x3 boards that are 31 moves from the blank-last goal."""

UNKNOWN = -1

BOTH = pytest.mark.parametrize("optimal", [True, False], ids=["plain", "weighted"])


def search(problem, optimum, *, incumbent=None, optimal=True, cells=600, **budget):
    """The lengths of the plans, the last lower bound and the counts; what has to hold of reports.

    `optimum` is None where there is no plan, or UNKNOWN. The search is at its end, or its memory
    is full.
    """
    incumbent = incumbent or Incumbent()
    upper, plans, reports, is_full = incumbent.upper_bound, [], [], False
    budget = Budget(optimal=optimal, **{"memory": 1 << 28} | budget)
    try:
        for report in astar(problem, incumbent, budget, cells):
            reports.append(report)
            if report.plan is not None:
                assert check_plan(problem, report.plan).solves
                plans.append(len(report.plan))
            if not optimal and plans and (optimum or -1) > 0:
                assert plans[-1] / optimum <= report.counts["ratio"]
    except CutShort as cut:
        assert cut.reason == StopReason.MEMORY and "memory full" in cut.detail
        is_full = True
    # Each plan is better, each weight smaller, each bound larger, and none wrong.
    assert all(late < early for early, late in pairwise([upper, *plans]))
    weights = [report.counts["weight"] for report in reports if "weight" in report.counts]
    assert all(late <= early for early, late in pairwise(weights))
    bounds = [report.lower_bound for report in reports if report.lower_bound]
    assert all(early <= late for early, late in pairwise(bounds))
    bound = max(bounds, default=0)
    if optimum != UNKNOWN:
        assert bound <= (NO_PLAN if optimum is None else optimum)
        assert optimum is not None or not plans
    if not is_full:
        assert bound >= min([upper, *plans])
    return plans, bound, reports[-1].counts


def solved(puzzle, start, incumbent=None, optimum=UNKNOWN, **budget):
    """The length of the shortest plan (or None), the last bound and the counts of plain A*."""
    budget = {"cells": 6_000_000, "options": Options(bound="tile-distances")} | budget
    plans, bound, counts = search(Problem(puzzle, start), optimum, incumbent=incumbent, **budget)
    return plans[-1] if plans else None, bound, counts


def agrees_with_reference(puzzle, start, limit=None):
    problem = Problem(puzzle, start)
    parity = problem.structure.plan_parity(start)
    expected = reference.astar(puzzle, start, limit=limit or UNREACHABLE, parity=parity)
    incumbent = Incumbent(upper_bound=limit or NO_PLAN)
    length, bound, counts = solved(puzzle, start, incumbent)
    if not problem.is_solved:
        assert counts == expected.counts
    assert length == expected.length
    if length is None:
        assert bound == (limit or NO_PLAN)
    return expected


# Node for node


def eights():
    """Boards of 5 to 30 moves."""
    table = cases.distance_table("sliding", 3, 3)
    random = Random(11)
    deep = {depth: [] for depth in (5, 10, 15, 20, 24, 27, 30)}
    for state, depth in table.items():
        if depth in deep:
            deep[depth].append(state)
    return [board for boards in deep.values() for board in random.sample(boards, 1)]


def test_a_3x3_board_takes_as_many_expansions_as_the_reference(eight_table):
    puzzle = make("sliding", 3, 3)
    for start in [puzzle.goal, *eights()]:
        assert agrees_with_reference(puzzle, start).length == eight_table[start]


def test_the_hardest_3x3_board_takes_as_many_expansions_as_the_reference():
    assert agrees_with_reference(make("sliding", 3, 3), HARDEST).length == 31


def test_lloyd_boards_take_as_many_expansions_as_the_reference(lloyd_table):
    puzzle = make("lloyd", 3, 3)
    for start in Random(12).sample(sorted(lloyd_table), 6):
        assert agrees_with_reference(puzzle, start).length == lloyd_table[start]


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "goal", "steps"),
    [
        ("sliding", 2, 10, None, 30),
        ("sliding", 3, 7, "snail", 22),
        ("sliding", 5, 3, (1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10, 11, 12, 13, 14), 24),
        ("sliding", 1, 6, None, 12),
        ("lloyd", 5, 5, None, 14),
        ("torus-ring", 5, 5, None, 3),
        ("loopover", 3, 3, None, 6),
        ("torus-ring:rings=outer", 3, 3, None, 5),
        ("torus-ring:rows=LRL,columns=UDU,rings=none", 3, 3, None, 5),
    ],
    ids=str,
)
def test_boards_of_any_shape_take_as_many_expansions_as_the_reference(
    specification, rows, columns, goal, steps
):
    puzzle = make(specification, rows, columns, goal)
    for start in cases.scrambles(puzzle, 3, steps, 13):
        agrees_with_reference(puzzle, start)


@pytest.mark.parametrize(
    "puzzle",
    [
        cases.row_slides(),
        cases.row_slides(3, 3),
        cases.row_slides(2, 3, (1, 0, 2, 3, 4, 5)),
        cases.one_way_ring(),
        cases.one_way_ring(7),
    ],
    ids=lambda puzzle: f"{puzzle.name} {puzzle.rows}x{puzzle.columns}",
)
def test_rules_without_a_family_take_as_many_expansions_as_the_reference(puzzle):
    for start in cases.scrambles(puzzle, 4, 40, 14):
        agrees_with_reference(puzzle, start)


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 3, 3),
        make("lloyd", 3, 3),
        make("torus-ring", 5, 5),
        cases.row_slides(),
        cases.one_way_ring(),
    ],
    ids=lambda puzzle: puzzle.name,
)
def test_the_bound_of_kernel_and_reference_is_the_declared_one(puzzle):
    bound = reference.tile_distance_bound(puzzle)
    for start in cases.scrambles(puzzle, 10, 30, 19):
        problem = Problem(puzzle, start)
        declared = max(tile_distance_sum(problem), largest_tile_distance(problem))
        assert bound(start) == declared
        assert plain_space(Tables.of(problem), start).base == declared


def plain_space(tables, start, memory=1 << 28):
    space = Space(tables, start, memory, tables.width, tables.width + 1)
    assert len([*space.begin(tables.width + 1, NO_PLAN, is_last=True)]) == 1
    return space


def test_work_in_small_slices_is_the_same_work(monkeypatch):
    monkeypatch.setattr(space_module, "_FIRST_ROWS", 2)
    puzzle = make("sliding", 3, 3)
    tables = Tables.of(Problem(puzzle, HARDEST))
    sliced, whole = plain_space(tables, HARDEST), plain_space(tables, HARDEST)
    statuses = set()
    while (status := sliced.expand(7, NO_PLAN)) != kernel.SOLVED:
        statuses.add(status)
        assert status != kernel.MORE_ROWS or sliced.add_rows()
    while whole.expand(1 << 40, NO_PLAN) != kernel.SOLVED:
        assert whole.add_rows()
    assert statuses == {kernel.PAUSED, kernel.MORE_ROWS}
    assert sliced.counts == whole.counts
    assert sliced.path() == whole.path()


# Bounds that are not consistent, and weights


def leaping(puzzle, seed=15):
    """Tile distances some of which are left out: an admissible bound that is not consistent."""
    random = np.random.default_rng(seed)
    distance = Tables.of(Problem(puzzle, puzzle.goal)).rules.operators.distance
    return distance * random.integers(0, 2, distance.size, np.int32)


ORDERS = {"plain": None, "weighted": (8, (24, 16, 12, 10, 8))}


@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
@pytest.mark.parametrize("is_consistent", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_as_many_expansions_as_the_reference(specification, is_consistent, order):
    puzzle = make(specification, 3, 3)
    tables = Tables.of(Problem(puzzle, puzzle.goal))
    h = reference.tile_distance_bound(puzzle)
    if not is_consistent:
        kept = leaping(puzzle)
        operators = tables.rules.operators._replace(distance=kept)
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
            list(space.begin(weight, best, is_last=weight == weights[-1]))
            while (status := space.expand(50, best)) != kernel.NOTHING_LEFT:
                if status == kernel.SOLVED:
                    best = len(space.path()) - 1
                    lengths.append(best)
                elif status == kernel.MORE_ROWS:
                    assert space.add_rows()
                elif status == kernel.FULL:
                    list(space.grow())
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
        if start == puzzle.goal:
            continue
        space = Space(tables, start, 1 << 26, COST, weight)
        list(space.begin(weight, NO_PLAN, is_last=False))
        best = NO_PLAN
        while (status := space.expand(1 << 40, best)) != kernel.NOTHING_LEFT:
            if status == kernel.SOLVED:
                best = len(space.path()) - 1
            else:
                assert space.add_rows()
        assert COST * best <= weight * eight_table[start]
        above += best > eight_table[start]
    assert above or weight == 17


class Leaping(Bound):
    name = "leaping"
    admissible, consistent = True, False

    def at_nodes(self, problem):
        rows = leaping(problem.puzzle, 16).reshape(-1, problem.puzzle.cells).tolist()
        return NodeBound({tile: row for tile, row in enumerate(rows) if tile})


class Nothing(Bound):
    name = "nothing"
    admissible = consistent = True

    def at_nodes(self, problem):
        return NodeBound()


MORE_BOUNDS = {"leaping": Leaping(), "nothing": Nothing()}


@BOTH
@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
@pytest.mark.parametrize("name", [*BOUNDS, *MORE_BOUNDS])
def test_each_bound_proves_the_exhaustive_table(specification, name, optimal, monkeypatch):
    monkeypatch.setattr(registry, "BOUNDS", MappingProxyType({**BOUNDS, **MORE_BOUNDS}))
    puzzle, table = make(specification, 3, 3), distance_table(specification, 3, 3)
    problem = Problem(puzzle, puzzle.goal)
    if not registry.BOUNDS[name].fits(problem.structure):
        pytest.skip("for other puzzles")
    options, lengths = Options(bound=name), []
    boards = [puzzle.goal, *Random(6).sample(sorted(s for s in table if table[s] < 21), 6)]
    for start in boards:
        plans, bound, _ = search(
            Problem(puzzle, start), table[start], optimal=optimal, options=options
        )
        assert plans[-1] == table[start]
        assert bound == table[start]
        lengths += plans[:1]
    if name == "tile-distances" and not optimal:
        assert any(first > table[start] for first, start in zip(lengths, boards, strict=True))


@BOTH
@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_random_rules(are_alike, is_open, optimal, monkeypatch):
    # Nodes are expanded once more where there was no row for a child.
    monkeypatch.setattr(space_module, "_FIRST_ROWS", 1)
    for seed in range(20):
        random = Random(seed)
        puzzle = random_puzzle(random, 4 + seed % 3, are_alike=are_alike, is_open=is_open)
        distances = goal_distances(puzzle)
        for _ in range(6):
            start = tuple(random.sample(puzzle.pieces, puzzle.cells))
            optimum = distances.get(start)
            plans, bound, _ = search(Problem(puzzle, start), optimum, optimal=optimal)
            assert bound == distances.get(start, NO_PLAN)
            assert bool(plans) == (start in distances)


# Optimal lengths, and boards without a plan


@BOTH
@pytest.mark.parametrize("goal", [None, (1, 0, 2, 3, 4, 5)])
def test_every_2x3_board_is_solved_at_its_depth_or_shown_to_have_no_plan(goal, optimal):
    puzzle = make("sliding", 2, 3, goal)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in permutations(range(6)):
        plan, bound, counts = solved(puzzle, start, optimum=table.get(start), optimal=optimal)
        assert bound == table.get(start, NO_PLAN)
        assert plan == table.get(start)
        if plan is None and optimal:
            assert counts["expansions"] == counts["stored"] == 360


@pytest.mark.parametrize(
    "puzzle",
    [
        make("loopover", 2, 3),
        make("lloyd", 1, 5),
        make("sliding", 1, 5),
        make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
        cases.row_slides(),
        cases.one_way_ring(),
    ],
    ids=lambda puzzle: f"{puzzle.name} {puzzle.rows}x{puzzle.columns}",
)
def test_every_board_of_small_puzzles_is_solved_at_its_depth(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in permutations(sorted(puzzle.goal)):
        plan, bound, _ = solved(puzzle, start, optimum=table.get(start))
        assert bound == table.get(start, NO_PLAN)
        assert plan == table.get(start)


def one_way_row():
    """The blank goes one or two cells to the right, so that tiles go to the left for good."""
    operators = []
    for blank in range(4):
        for name, step in (("n", 1), ("h", 2)):
            if (tile := blank + step) < 5:
                operators.append(Operator(name, ((blank, tile), (tile, blank)), blank))
    goal = (1, 3, 2, 0, 4)
    return Puzzle("one-way-row", 1, 5, goal, tuple(operators), tuple("-1234"))


def test_children_with_a_tile_that_cannot_come_home_any_more_are_not_stored():
    puzzle = one_way_row()
    # From the start the hop, and from the next board the step, take tile 2 too far.
    problem = Problem(puzzle, (0, 1, 2, 3, 4))
    options = Options(bound="tile-distances")
    last = [*astar(problem, Incumbent(), Budget(options=options))][-1]
    assert (last.plan, last.lower_bound) == (("n", "h"), 2)
    assert last.counts == {"expansions": 2, "generated": 4, "stored": 3, "reopened": 0}
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in permutations(range(5)):
        expected = reference.astar(puzzle, start)
        plan, bound, counts = solved(puzzle, start)
        assert bound == table.get(start, NO_PLAN)
        assert plan == expected.length == table.get(start)
        assert start == puzzle.goal or counts["expansions"] == len(expected.bounds)


def test_rules_without_any_move_reach_the_goal_or_nothing():
    puzzle = Puzzle("still", 1, 3, (1, 2, 0), (), tuple("-12"))
    assert solved(puzzle, (1, 2, 0))[:2] == (0, 0)
    assert solved(puzzle, (2, 1, 0))[:2] == (None, NO_PLAN)


def test_free_moves_and_moves_that_need_the_blank_go_together():
    # The blank itself goes round with the free turn.
    turn = Operator("turn", ((0, 1), (1, 2), (2, 0)))
    swaps = [Operator("swap", ((b, (b + 1) % 4), ((b + 1) % 4, b)), b) for b in range(4)]
    nothing = Operator("wait", ())
    puzzle = Puzzle("mixed", 2, 2, (1, 2, 3, 0), (nothing, turn, *swaps), tuple("-123"))
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert len(table) == 24
    for start in permutations(range(4)):
        agrees_with_reference(puzzle, start)
        assert solved(puzzle, start)[0] == table[start]


def random_rules(seed):
    """One to five operators, each permuting some cells, with a blank, a precondition or neither."""
    random = Random(seed)
    cells = random.randint(3, 5)
    has_blank = random.random() < 0.7
    operators = []
    for number in range(random.randint(1, 5)):
        changed = random.sample(range(cells), random.randint(2, cells))
        sources = random.sample(changed, len(changed))
        blank = random.randrange(cells) if has_blank and random.random() < 0.7 else None
        moves = tuple(zip(changed, sources, strict=True))
        operators.append(Operator(f"m{number}", moves, blank))
    goal = tuple(random.sample(range(cells) if has_blank else range(1, cells + 1), cells))
    return Puzzle("random", 1, cells, goal, tuple(operators), tuple("-12345"[: cells + 1]))


@pytest.mark.parametrize("seed", range(40))
def test_every_board_of_random_rules_is_solved_at_its_depth(seed):
    puzzle = random_rules(seed)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in Random(seed).sample(sorted(permutations(puzzle.goal)), 6):
        expected = reference.astar(puzzle, start)
        plan, bound, counts = solved(puzzle, start)
        assert bound == table.get(start, NO_PLAN)
        assert plan == table.get(start)
        if reference.tile_distance_bound(puzzle)(start) < UNREACHABLE and start != puzzle.goal:
            assert counts == expected.counts


def test_boards_with_tiles_beyond_255_have_wider_states():
    for specification, rows, columns in [("sliding", 16, 17), ("loopover", 16, 16)]:
        puzzle = make(specification, rows, columns)
        for start in cases.scrambles(puzzle, 1, 2, 16):
            agrees_with_reference(puzzle, start)
        assert Tables.of(Problem(puzzle, puzzle.goal)).content_type == np.uint16
    narrow = Problem(make("sliding", 16, 16), tuple(range(256)))
    assert Tables.of(narrow).content_type == np.uint8


# Memory, and what others have found


def size(space):
    arrays = [array for array in vars(space).values() if isinstance(array, np.ndarray)]
    return sum(array.nbytes for array in arrays)


def test_a_small_memory_gives_a_lower_bound_and_no_plan():
    puzzle = make("sliding", 3, 3)
    reached = []
    for memory in (0, 1, 5_000, 20_000, 100_000, 200_000, 300_000, 1_000_000):
        plan, bound, counts = solved(puzzle, HARDEST, memory=memory)
        assert bound <= 31
        assert plan is None or plan == bound == 31
        assert counts["stored"] * 37 <= max(memory, 37)
        reached.append(bound)
    assert reached == sorted(reached)
    assert len(set(reached)) >= 3
    assert (reached[0], reached[-1]) == (21, 31)


@BOTH
@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
def test_no_memory_gives_a_wrong_plan_or_bound(specification, optimal):
    puzzle, table = make(specification, 3, 3), distance_table(specification, 3, 3)
    random, unfinished = Random(17), 0
    for start in random.sample(sorted(table), 50):
        memory = random.randint(0, 400_000)
        plans, bound, _ = search(
            Problem(puzzle, start), table[start], optimal=optimal, memory=memory, cells=5_000
        )
        unfinished += not plans or plans[-1] > bound
        assert not plans or plans[-1] >= table[start]
    assert unfinished > 5


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


def test_a_plan_that_is_known_to_be_a_shortest_one_is_proved(eight_table):
    puzzle = make("sliding", 3, 3)
    for start in eights():
        depth = eight_table[start]
        plan, bound, counts = solved(puzzle, start, Incumbent(upper_bound=depth))
        assert (plan, bound) == (None, depth)
        assert counts["expansions"] <= solved(puzzle, start)[2]["expansions"]


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
    length, _, counts = solved(puzzle, start)
    for beyond in (0, 1, 2, 4):
        expected = agrees_with_reference(puzzle, start, length + beyond)
        assert len(expected.depth) <= counts["stored"]
        assert expected.length == (length if beyond else None)


@BOTH
def test_every_limit_gives_the_lloyd_boards_depth_or_proves_the_limit(optimal, lloyd_table):
    # The distances there do not have the parity of the plans.
    puzzle = make("lloyd", 3, 3)
    for start in Random(18).sample(sorted(lloyd_table), 6):
        depth = lloyd_table[start]
        for upper in range(depth + 4):
            known = Incumbent(upper_bound=upper)
            plans, bound, _ = search(
                Problem(puzzle, start), depth, incumbent=known, optimal=optimal
            )
            assert bound == depth or upper <= bound < depth
            assert bool(plans) == (upper > depth)


def test_bounds_rise_while_the_search_goes_on(lloyd_table):
    start = next(board for board, depth in lloyd_table.items() if depth == 27)
    problem = Problem(make("lloyd", 3, 3), start)
    reports = list(astar(problem, Incumbent(), Budget(), cells_a_slice=2_000))
    bounds = [report.lower_bound for report in reports if report.lower_bound]
    assert len(reports) > 20
    assert len(set(bounds)) >= 3
    assert bounds == sorted(bounds)
    assert all(bound % 2 == 1 for bound in bounds)
    assert bounds[-1] == 27


@BOTH
def test_a_plan_that_another_search_finds_meanwhile_ends_the_work(optimal):
    problem, incumbent = Problem(make("sliding", 3, 3), HARDEST), Incumbent()
    budget = Budget(optimal=optimal)
    reports = astar(problem, incumbent, budget, cells_a_slice=600)
    for report in reports:
        if report.lower_bound >= 27 if optimal else report.plan is not None:
            break
    incumbent.lower_upper_bound(31)
    rest = list(reports)
    assert all(report.plan is None for report in rest)
    assert rest[-1].lower_bound == 31
    incumbent.raise_lower_bound(31)
    assert len(list(astar(problem, incumbent, budget))) == 1


def test_the_goal_itself_needs_no_expansion():
    for puzzle in (make("sliding", 3, 3), make("torus-ring", 5, 5), make("sliding", 1, 2)):
        reports = [*astar(Problem(puzzle, puzzle.goal), Incumbent(), Budget())]
        assert [(r.plan, r.lower_bound, r.counts) for r in reports] == [((), 0, {})]


def test_weights_fall_to_that_of_plain_astar():
    assert [*WEIGHTS] == sorted({*WEIGHTS}, reverse=True)
    assert WEIGHTS[-1] == COST
    plans, bound, _ = search(Problem(make("sliding", 3, 3), HARDEST), 31, optimal=False)
    assert len(plans) > 1 and plans[-1] == bound == 31


# The answer as users get it


@pytest.mark.slow
def test_the_result_has_plan_bounds_and_the_reason(kept_workers):
    problem = board(make("sliding", 5, 5), 3_000)
    result = solve(
        problem,
        optimal=False,
        engine="astar",
        bound="tile-distances",
        memory_limit="300M",
        workers=kept_workers,
    )
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.MEMORY)
    assert (exit_code(result, optimal=False), exit_code(result, optimal=True)) == (0, 22)
    assert 0 < result.lower_bound < result.length
    assert "memory" in result.explanation


def test_an_optimal_plan_is_asked_of_plain_astar(kept_workers):
    problem = Problem(make("sliding", 3, 3), HARDEST)
    results = {
        optimal: solve(problem, optimal=optimal, engine="astar", workers=kept_workers)
        for optimal in (True, False)
    }
    assert {result.length for result in results.values()} == {31}
    assert {result.status for result in results.values()} == {Status.OPTIMAL}
    assert results[True].statistics.plan_technique == "A*"
    assert results[False].statistics.plan_technique.startswith("A* with weight ")
