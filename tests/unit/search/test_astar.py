"""A* against a plain reference implementation, node for node, and against breadth-first tables."""

from dataclasses import replace
from itertools import pairwise, permutations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference import astar as reference
from support.reference.oracle import Rules

from plansolve.bounds.distance import largest_tile_distance, tile_distance_sum
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.result import StopReason
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar.astar import astar
from plansolve.solvers.search.astar.space import Space
from plansolve.solvers.search.astar.tables import Tables

HARDEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)
"""One of the two 3x3 boards that are 31 moves from the blank-last goal."""


def solved(puzzle, start, incumbent=None, memory=1 << 28):
    """The plan (or None), the last lower bound and the counts; what every search has to keep."""
    problem, incumbent = Problem(puzzle, start), incumbent or Incumbent()
    budget, reports = Budget(memory=memory, options=Options(bound="tile-distances")), []
    try:
        reports.extend(astar(problem, incumbent, budget))
    except CutShort as cut:
        assert cut.reason == StopReason.MEMORY and "memory full" in cut.detail
    plans = [report.plan for report in reports if report.plan is not None]
    assert len(plans) <= 1
    bounds = [report.lower_bound for report in reports if report.lower_bound]
    assert all(early <= late for early, late in pairwise(bounds))
    plan = plans[0] if plans else None
    if plan is not None:
        assert check_plan(problem, plan).solves
        assert reports[-1].lower_bound == len(plan) < incumbent.upper_bound
    return plan, max(bounds, default=0), reports[-1].counts


def agrees_with_reference(puzzle, start, limit=None):
    expected = reference.astar(puzzle, start, limit=limit or UNREACHABLE)
    incumbent = Incumbent(upper_bound=limit or NO_PLAN)
    plan, bound, counts = solved(puzzle, start, incumbent)
    assert counts == {
        "expansions": expected.expansions,
        "generated": expected.generated,
        "stored": expected.stored,
    }
    assert (None if plan is None else len(plan)) == expected.length
    assert expected.reopened == 0
    if plan is None:
        assert bound == (limit or NO_PLAN)
    return expected


# Node for node


def eights():
    """Boards of 5 to 30 moves."""
    table = cases.distance_table("sliding", 3, 3)
    random = Random(11)
    deep = {depth: [] for depth in (5, 10, 15, 20, 24, 27, 30)}
    for board, depth in table.items():
        if depth in deep:
            deep[depth].append(board)
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
        assert Space(Tables.of(problem), start, 1 << 20).base == declared


def test_work_in_small_slices_is_the_same_work():
    puzzle = make("sliding", 3, 3)
    tables = Tables.of(Problem(puzzle, HARDEST))
    sliced, whole = Space(tables, HARDEST, 1 << 28), Space(tables, HARDEST, 1 << 28)
    statuses = set()
    while (status := sliced.expand(7, NO_PLAN)) != kernel.SOLVED:
        statuses.add(status)
        assert status != kernel.MORE_ROWS or sliced.add_rows()
    while whole.expand(1 << 40, NO_PLAN) != kernel.SOLVED:
        assert whole.add_rows()
    assert statuses == {kernel.PAUSED, kernel.MORE_ROWS}
    assert sliced.counts == whole.counts
    assert sliced.path() == whole.path()


# Bounds that are not consistent


@pytest.mark.slow
def test_states_are_opened_again_where_the_bound_is_not_consistent(eight_table):
    # Every other tile's distance is left out in some cells: admissible, but it leaps.
    puzzle = make("sliding", 3, 3)
    full = Tables.of(Problem(puzzle, HARDEST))
    random = np.random.default_rng(15)
    distance = full.rules.operators.distance
    kept = distance * random.integers(0, 2, distance.size, np.int32)
    operators = full.rules.operators._replace(distance=kept)
    tables = replace(full, rules=full.rules._replace(operators=operators))

    def bound(state):
        return sum(int(kept[tile * 9 + cell]) for cell, tile in enumerate(state))

    reopened = below = 0
    for start in eights():
        expected = reference.astar(puzzle, start, bound)
        space = Space(tables, start, 1 << 28)
        least = space.smallest_f
        while (status := space.expand(1 << 40, NO_PLAN)) != kernel.SOLVED:
            assert space.smallest_f <= eight_table[start]
            if status == kernel.FULL:
                list(space.grow())
            else:
                assert space.add_rows()
        assert len(space.path()) == eight_table[start] == expected.length
        assert space.counts["expansions"] == expected.expansions
        assert space.counts["stored"] == expected.stored
        assert space.numbers[kernel.REOPENED] == expected.reopened
        reopened += expected.reopened
        below += any(late < early for early, late in pairwise(expected.bounds))
        assert min(expected.bounds) >= least
    assert reopened > 100
    assert below


# Optimal lengths, and boards without a plan


@pytest.mark.parametrize("goal", [None, (1, 0, 2, 3, 4, 5)])
def test_every_2x3_board_is_solved_at_its_depth_or_shown_to_have_no_plan(goal):
    puzzle = make("sliding", 2, 3, goal)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in permutations(range(6)):
        plan, bound, counts = solved(puzzle, start)
        assert bound == table.get(start, NO_PLAN)
        assert (plan is None) == (start not in table)
        if plan is None:
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
        plan, bound, _ = solved(puzzle, start)
        assert bound == table.get(start, NO_PLAN)
        assert (plan is None) == (start not in table)


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
    plan, bound, counts = solved(puzzle, (0, 1, 2, 3, 4))
    assert (plan, bound) == (("n", "h"), 2)
    assert counts == {"expansions": 2, "generated": 4, "stored": 3}
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in permutations(range(5)):
        expected = reference.astar(puzzle, start)
        plan, bound, counts = solved(puzzle, start)
        assert bound == table.get(start, NO_PLAN)
        assert (None if plan is None else len(plan)) == expected.length == table.get(start)
        assert counts["expansions"] == expected.expansions


def test_rules_without_any_move_reach_the_goal_or_nothing():
    puzzle = Puzzle("still", 1, 3, (1, 2, 0), (), tuple("-12"))
    assert solved(puzzle, (1, 2, 0))[:2] == ((), 0)
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
        plan, _, _ = solved(puzzle, start)
        assert len(plan) == table[start]


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
        assert (None if plan is None else len(plan)) == table.get(start)
        if reference.tile_distance_bound(puzzle)(start) < UNREACHABLE:
            assert (counts["expansions"], counts["stored"]) == (
                expected.expansions,
                expected.stored,
            )


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
        assert plan is None or len(plan) == bound == 31
        assert counts["stored"] * 37 <= max(memory, 37)
        reached.append(bound)
    assert reached == sorted(reached)
    assert set(reached) == {21, 23, 31}
    assert (reached[0], reached[-1]) == (21, 31)


@pytest.mark.parametrize("specification", ["sliding", "lloyd"])
def test_no_memory_gives_a_wrong_bound(specification, eight_table, lloyd_table):
    puzzle = make(specification, 3, 3)
    table = eight_table if specification == "sliding" else lloyd_table
    random = Random(17)
    for start in random.sample(sorted(table), 60):
        plan, bound, _ = solved(puzzle, start, memory=random.randint(2_000, 400_000))
        assert bound <= table[start]
        assert plan is None or len(plan) == table[start]


def test_the_arrays_stay_within_the_memory():
    puzzle = make("sliding", 4, 4)
    start = (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)
    tables = Tables.of(Problem(puzzle, start))
    for memory in (30_000, 100_000, 300_000, 3_000_000):
        space = Space(tables, start, memory)
        while True:
            assert size(space) + tables.nbytes <= memory
            status = space.expand(1 << 40, NO_PLAN)
            if status == kernel.MORE_ROWS and space.add_rows():
                continue
            if status == kernel.SOLVED or not space.can_grow:
                break
            list(space.grow())
        assert (status == kernel.SOLVED) == (memory == 3_000_000)
        # What was left free is less than a tenth, or all that was needed.
        assert status == kernel.SOLVED or size(space) + tables.nbytes > 0.9 * memory


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
    plan, _, counts = solved(puzzle, start)
    for beyond in (0, 1, 2, 4):
        expected = agrees_with_reference(puzzle, start, len(plan) + beyond)
        assert expected.stored <= counts["stored"]
        assert expected.length == (len(plan) if beyond else None)


def test_every_limit_gives_the_lloyd_boards_depth_or_proves_the_limit(lloyd_table):
    # The distances there do not have the parity of the plans.
    puzzle = make("lloyd", 3, 3)
    for start in Random(18).sample(sorted(lloyd_table), 8):
        depth = lloyd_table[start]
        for upper in range(depth + 4):
            plan, bound, _ = solved(puzzle, start, Incumbent(upper_bound=upper))
            if upper <= depth:
                assert plan is None
                assert upper <= bound <= depth
            else:
                assert len(plan) == bound == depth


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


def test_a_plan_that_another_search_finds_meanwhile_ends_the_work():
    problem, incumbent = Problem(make("sliding", 3, 3), HARDEST), Incumbent()
    search = astar(problem, incumbent, Budget(), cells_a_slice=2_000)
    for report in search:
        if report.lower_bound >= 27:
            break
    incumbent.lower_upper_bound(31)
    rest = list(search)
    assert all(report.plan is None for report in rest)
    assert rest[-1].lower_bound == 31
    incumbent.raise_lower_bound(31)
    assert len(list(astar(problem, incumbent, Budget()))) == 1


def test_the_goal_itself_needs_no_expansion():
    for puzzle in (make("sliding", 3, 3), make("torus-ring", 5, 5), make("sliding", 1, 2)):
        plan, bound, counts = solved(puzzle, puzzle.goal)
        assert (plan, bound, counts["expansions"]) == ((), 0, 0)
