"""Breadth-first search from both ends, against breadth-first tables."""

from support.fixtures import cases
from support.fixtures.agreement import over_small_puzzles
from support.reference.oracle import Rules

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent
from plansolve.solvers.search import breadth_first as module
from plansolve.solvers.search.breadth_first import breadth_first


def outcome(problem, memory=1 << 30):
    """The plan, or None, and the lower bounds in their order."""
    plan, bounds = None, []
    for report in breadth_first(problem, Incumbent(), Budget(memory=memory)):
        plan = report.plan if report.plan is not None else plan
        bounds.append(report.lower_bound)
    return plan, bounds


@over_small_puzzles
def test_each_board_has_its_distance_and_bounds_never_exceed_it(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal, None)
    for start in sorted(table)[:: max(1, len(table) // 150)]:
        problem = Problem(puzzle, start)
        plan, bounds = outcome(problem)
        assert len(plan) == table[start] and check_plan(problem, plan).solves
        assert bounds == sorted(bounds) and bounds[-1] in (0, table[start])


def test_a_board_without_a_plan_is_told():
    puzzle = cases.make("sliding", 2, 3)
    plan, bounds = outcome(Problem(puzzle, (2, 1, *puzzle.goal[2:])))
    assert plan is None and bounds[-1] == NO_PLAN


def test_it_ends_where_memory_does():
    puzzle = cases.make("sliding", 3, 3)
    problem = Problem(puzzle, (8, 6, 7, 2, 5, 4, 3, 0, 1))
    plan, bounds = outcome(problem, memory=1 << 20)
    assert plan is None and 1 < bounds[-1] < 31


def test_boards_that_share_a_goal_bear_on_no_others_counts():
    puzzle = cases.make("sliding", 3, 3)
    near, far = (1, 2, 3, 4, 5, 6, 0, 7, 8), (8, 6, 7, 2, 5, 4, 3, 0, 1)

    def nodes(start):
        *_, last = breadth_first(Problem(puzzle, start), Incumbent(), Budget())
        return last.counts["nodes"]

    few = nodes(near)
    assert few < nodes(far) == nodes(far)
    assert nodes(near) == few


def test_work_that_takes_long_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(module, "_TELL_SECONDS", -1.0)
    problem = Problem(cases.make("sliding", 3, 3), (8, 6, 7, 2, 5, 4, 3, 0, 1))
    _, bounds = outcome(problem)
    assert len(bounds) == 31 and sorted(set(bounds)) == [*range(3, 32, 2)]
