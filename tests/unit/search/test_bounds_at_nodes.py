"""Bounds that A* and IDA* evaluate at their nodes: the registered ones, dummies, and refusals."""

from dataclasses import replace
from functools import cache, partial
from random import Random
from types import MappingProxyType

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import distance_table, make
from support.reference import idastar as reference
from support.reference.oracle import Rules

from plansolve import solve
from plansolve.bounds import registry
from plansolve.bounds.bound import Bound, Lookup, NodeBound
from plansolve.bounds.registry import BOUNDS
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Budget, Incumbent, Options
from plansolve.solvers.result import Status
from plansolve.solvers.search.astar.astar import astar
from plansolve.solvers.search.astar.space import Space
from plansolve.solvers.search.astar.tables import Tables
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN
from plansolve.solvers.search.bound_tables import lookup_tables
from plansolve.solvers.search.idastar.engine import shortest_plan
from plansolve.solvers.search.idastar.idastar import all_plans, count_plans
from plansolve.solvers.search.idastar.operator_tree import OperatorTree, path_automaton
from plansolve.solvers.search.idastar.registers import NO_LIMIT
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.solvers.search.node_kernel import look_up, looked_up

SUMS = ["tile-distances", "linear-conflict", "walking-distance"]
SEARCHES = {"astar": astar, "idastar": shortest_plan}


class Leaping(Bound):
    """Every other tile's distance is left out in some cells: admissible, not consistent."""

    name = "leaping"
    admissible, consistent = True, False

    def at_nodes(self, problem):
        kept, random = {}, Random(15)
        data = BOUNDS["tile-distances"].at_nodes(problem)
        for tile, distances in data.distance.items():
            kept[tile] = [n * random.randint(0, 1) for n in distances]
        return NodeBound(kept, divisor=data.divisor)


class Nothing(Bound):
    """Is 0 everywhere, so that a bound of 0 does not mean the goal."""

    name = "nothing"
    admissible = consistent = True

    def at_nodes(self, problem):
        return NodeBound()


class LookedUp(Bound):
    """The distance of one tile, as a lookup with the tile's cell for its key."""

    name = "looked-up"
    admissible = consistent = True

    def at_nodes(self, problem):
        tile = max(problem.goal)
        distances = BOUNDS["tile-distances"].at_nodes(problem).distance[tile]
        table = {cell: n for cell, n in enumerate(distances) if n}
        return NodeBound(lookups=[Lookup({tile: range(problem.puzzle.cells)}, table)])


class Doubled(Bound):
    """Says that it is not admissible."""

    name = "doubled"
    admissible = consistent = False

    def at_nodes(self, problem):
        distance = BOUNDS["tile-distances"].at_nodes(problem).distance
        return NodeBound({tile: [2 * n for n in row] for tile, row in distance.items()})


@pytest.fixture
def dummies(monkeypatch):
    more = {bound.name: bound for bound in (Leaping(), Nothing(), LookedUp(), Doubled())}
    monkeypatch.setattr(registry, "BOUNDS", MappingProxyType({**BOUNDS, **more}))
    return more


def solved(search, problem, name):
    """The last plan, and the lower bounds that were told on the way."""
    budget = Budget(options=Options(bound=name))
    reports = list(search(problem, Incumbent(), budget))
    *_, plan = (report.plan for report in reports if report.plan is not None)
    return plan, [report.lower_bound for report in reports if report.lower_bound]


def sample(table, count, seed=0):
    return Random(seed).sample(sorted(table), count)


@cache
def some(goal):
    """The board that is farthest from the goal, and a few others."""
    table = distance_table("sliding", 3, 3, goal=goal)
    return [max(table, key=lambda board: (table[board], board)), *sample(table, 8)]


@pytest.mark.parametrize("engine", SEARCHES)
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("goal", [None, "snail"])
def test_plans_are_the_oracles_shortest(engine, name, goal):
    puzzle, table = make("sliding", 3, 3, goal), distance_table("sliding", 3, 3, goal=goal)
    for board in [puzzle.goal, *some(goal)]:
        plan, bounds = solved(SEARCHES[engine], Problem(puzzle, board), name)
        assert len(plan) == table[board]
        assert Rules.of(puzzle).replay(board, plan)[-1] == puzzle.goal
        assert max(bounds, default=0) <= table[board]


def test_deep_3x4_boards_are_solved_as_with_pattern_databases():
    puzzle = make("sliding", 3, 4)
    for board in cases.scrambles(puzzle, 6, 300, 23):
        problem = Problem(puzzle, board)
        length = len(solved(shortest_plan, problem, None)[0])
        assert len(solved(shortest_plan, problem, "walking-distance")[0]) == length
        assert BOUNDS["walking-distance"].value(problem) <= length


def one_way_operators():
    """Free operators that cannot be taken back, two of them alike, one that changes nothing."""
    operators = (
        Operator("a", ((0, 1), (1, 2), (2, 0))),
        Operator("b", ((2, 3), (3, 4), (4, 5), (5, 2))),
        Operator("c", ((2, 3), (3, 4), (4, 5), (5, 2))),
        Operator("d", ()),
    )
    return Puzzle("one-way", 2, 3, (1, 2, 3, 4, 5, 6), operators, tuple("0123456"))


def with_a_jump():
    """Sliding tiles, and an operator that turns three cells wherever the blank is."""
    sliding = make("sliding", 2, 3)
    jump = Operator("jump", ((0, 1), (1, 4), (4, 0)))
    operators = (*sliding.operators, jump)
    return replace(sliding, name="jump", operators=operators, blank_names={})


PUZZLES = {
    "sliding 2x3": partial(make, "sliding", 2, 3),
    "sliding 3x3": partial(make, "sliding", 3, 3),
    "lloyd 1x5": partial(make, "lloyd", 1, 5),
    "lloyd 3x3": partial(make, "lloyd", 3, 3),
    "loopover 2x3": partial(make, "loopover", 2, 3),
    "torus-ring 2x3": partial(make, "torus-ring:rings=outer", 2, 3),
    "torus-ring 5x5": partial(make, "torus-ring", 5, 5),
    "row slides": cases.row_slides,
    "one-way operators": one_way_operators,
    "with a jump": with_a_jump,
}
NEAR = {"lloyd 3x3": 9, "torus-ring 5x5": 3}


@cache
def known(name):
    """The puzzle, its rules for the oracle, and distances to the goal, of large ones near it."""
    puzzle = PUZZLES[name]()
    rules = Rules.of(puzzle)
    return puzzle, rules, rules.distances_to(puzzle.goal, NEAR.get(name))


@pytest.mark.parametrize("bound", [*BOUNDS, "leaping", "nothing", "looked-up"])
@pytest.mark.parametrize("name", PUZZLES)
def test_every_bound_on_every_kind_of_puzzle(name, bound, dummies):
    puzzle, rules, table = known(name)
    chosen = registry.BOUNDS[bound]
    # What knows least has to search near the goal.
    most = min(12, NEAR.get(name, 13) - 1) if bound in ("nothing", "looked-up") else 18
    boards = [board for board in table if table[board] <= most]
    if not chosen.fits(Problem(puzzle, puzzle.goal).structure):
        with pytest.raises(OptionError, match=f"bound {bound} is for "):
            solved(shortest_plan, Problem(puzzle, puzzle.goal), bound)
        return
    for board in [puzzle.goal, *sample(boards, 4)]:
        problem = Problem(puzzle, board)
        for search in SEARCHES.values():
            plan, bounds = solved(search, problem, bound)
            assert len(plan) == table[board] >= max(bounds, default=0)
            assert rules.replay(board, plan)[-1] == puzzle.goal
        automaton = path_automaton(problem, EVERY_PLAN, memory=1 << 30)
        tree = OperatorTree(problem, automaton, chosen)
        every = rules.shortest_plans(board, table, by_board=True)
        reports = list(all_plans(tree, table[board], Budget()))
        plans = [report.plan for report in reports if report.plan is not None]
        assert reports[-1].is_complete and len(set(plans)) == len(plans) == every
        assert all(rules.replay(board, plan)[-1] == puzzle.goal for plan in plans)
        *_, last = count_plans(tree, table[board], Budget(threads=2))
        assert last.counts["plans"] == every


@pytest.mark.parametrize("bound", [*BOUNDS, "leaping", "nothing", "looked-up"])
@pytest.mark.parametrize("name", ["sliding 3x3", "torus-ring 5x5", "row slides", "with a jump"])
def test_idastar_enters_the_nodes_of_a_plain_search(name, bound, dummies):
    puzzle, _, table = known(name)
    chosen = registry.BOUNDS[bound]
    if not chosen.fits(Problem(puzzle, puzzle.goal).structure):
        return
    data = chosen.at_nodes(Problem(puzzle, puzzle.goal))
    for board in sample([board for board in table if 3 <= table[board] <= 7], 3, seed=2):
        problem = Problem(puzzle, board)
        for limit in range(data.value(board), min(table[board], 5) + 1):
            automaton = path_automaton(problem, ONE_PLAN, memory=1 << 30, length=3)
            tree = OperatorTree(problem, automaton, chosen)
            assert tree.initial_bound == data.value(board)
            expected = reference.search(
                problem, automaton, lambda board, room: data.value(board), limit, walks=False
            )
            for subtrees in (0, 5):
                tree.cutting = replace(tree.cutting, slice_nodes=7, subtrees=subtrees)
                work = Round(tree, limit, Goals.EACH)
                for _ in work.run(1):
                    pass
                assert work.nodes == expected.nodes
                assert sorted(work.found) == sorted(expected.paths)
                least = NO_LIMIT if expected.next_limit is None else expected.next_limit
                assert work.next_limit == least


@pytest.mark.parametrize("name", BOUNDS)
def test_astar_begins_with_the_declared_value(name):
    for puzzle in (make("sliding", 3, 4), make("torus-ring", 5, 5), cases.row_slides()):
        for start in cases.scrambles(puzzle, 5, 30, 19):
            problem = Problem(puzzle, start)
            if BOUNDS[name].fits(problem.structure):
                data = BOUNDS[name].at_nodes(problem)
                space = Space(Tables.of(problem, BOUNDS[name]), start, 1 << 20, 1, 2)
                assert space.base == data.value(start) >= BOUNDS[name].value(problem)


def test_walking_distance_needs_fewer_nodes_than_the_distances():
    table = distance_table("sliding", 3, 3)
    hardest = max(table, key=lambda board: (table[board], board))
    problem, nodes = Problem(make("sliding", 3, 3), hardest), []
    for name in SUMS:
        *_, last = shortest_plan(problem, Incumbent(), Budget(options=Options(bound=name)))
        nodes.append(last.counts["nodes"])
    assert nodes[2] < nodes[0] / 2


def test_lookups_find_every_key_and_stand_for_0_elsewhere():
    random = Random(4)
    table = {random.randrange(1 << 40): random.randrange(1, 100) for _ in range(3000)}
    problem = Problem(make("sliding", 1, 3), (1, 2, 0))
    lookup = Lookup({1: [0, 7, 0], 2: [0, 0, 5]}, {**table, 12: 3})
    tables = lookup_tables(problem, NodeBound(lookups=[lookup, lookup]))
    begin, middle, end = tables.begin
    assert looked_up(tables, 1, 3, np.array([9, 0, 1, 2], np.uint8)) == 2 * 3
    assert lookup.worth((0, 1, 2)) == 3
    for code in [*table, *range(12), *(code + 1 for code in table)]:
        for first, last in ((begin, middle), (middle, end)):
            found = look_up(np.uint64(code), first, last, tables.key, tables.worth)
            assert found == table.get(code, 0)


# What is declared, and refused


@pytest.mark.parametrize("engine", SEARCHES)
@pytest.mark.parametrize("name", ["leaping", "nothing"])
def test_an_admissible_bound_need_not_be_consistent_or_positive(engine, name, dummies):
    table = distance_table("sliding", 2, 3)
    for board in sample(table, 15):
        problem = Problem(make("sliding", 2, 3), board)
        plan, bounds = solved(SEARCHES[engine], problem, name)
        assert len(plan) == table[board] >= max(bounds, default=0)


@pytest.mark.parametrize("engine", SEARCHES)
def test_engines_refuse_a_bound_that_does_not_declare_itself_admissible(engine, dummies):
    problem = Problem(make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    assert dummies["doubled"].value(problem) < UNREACHABLE
    with pytest.raises(OptionError, match="doubled is not admissible"):
        solved(SEARCHES[engine], problem, "doubled")
    with pytest.raises(OptionError, match="doubled is not admissible"):
        solve(problem, engine=engine, bound="doubled")


def test_a_bound_that_is_not_admissible_is_not_read_at_the_start(dummies):
    problem = Problem(make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    assert registry.best_lower_bound(problem).by != "doubled"


@pytest.mark.parametrize("engine", ["auto", "cnf", "breadth-first", "beam"])
def test_other_engines_refuse_the_option(engine):
    problem = Problem(make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    with pytest.raises(OptionError, match=r"takes no bound .* choose astar or idastar"):
        solve(problem, engine=engine, bound="tile-distances", optimal=engine != "beam")


@pytest.mark.parametrize("name", ["loopover 2x3", "row slides", "lloyd 1x5"])
def test_idastar_is_given_the_bound_by_name(name):
    puzzle, _, table = known(name)
    (board,) = sample([board for board in table if table[board] == 5], 1)
    result = solve(Problem(puzzle, board), engine="idastar", bound="largest-tile-distance")
    assert (result.status, result.length) == (Status.OPTIMAL, 5)
    assert result.statistics.plan_technique == "IDA* with largest tile distance"


def test_questions_about_shortest_plans_follow_any_bound(kept_workers):
    # IDA* answers them, with its usual tables.
    puzzle = make("lloyd", 3, 3)
    again = partial(solve, workers=kept_workers)
    for start in cases.scrambles(puzzle, 2, 8, 3):
        problem = Problem(puzzle, start)
        result = again(problem, engine="astar", bound="largest-tile-distance", plans="count")
        assert result.is_every_plan and result.is_least_penalty == (result.penalty == 0)
        assert result.plan_count == again(problem, plans="count").plan_count
        ranked = again(problem, engine="astar", bound="largest-tile-distance")
        assert ranked.is_least_penalty and ranked.penalty == again(problem).penalty


def test_bounds_that_do_not_fit_are_refused():
    problem = Problem(make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    with pytest.raises(OptionError, match="unknown bound 'mine': choose from largest-tile-dis"):
        solve(problem, engine="astar", bound="mine")
    long = make("sliding", 2, 8)
    far = Problem(long, cases.scrambles(long, 1, 9, 1)[0])
    with pytest.raises(OptionError, match="at most 6 cells: this puzzle has one of 8"):
        solved(shortest_plan, far, "linear-conflict")


@pytest.mark.parametrize("engine", SEARCHES)
@pytest.mark.parametrize(
    ("bound", "wrong"),
    [
        ("walking-distance", "takes at most 8 rows and columns: this puzzle has 9"),
        ("linear-conflict", "takes lines of at most 6 cells: this puzzle has one of 9"),
    ],
)
def test_bounds_that_would_be_too_large_are_refused_before_a_search_starts(
    engine, bound, wrong, monkeypatch
):
    def start(*_):
        raise AssertionError("a search was started")

    monkeypatch.setattr(Workers, "take", start)
    puzzle = make("sliding", 2, 9)
    usable = "for this puzzle: largest-tile-distance, tile-distances"
    with pytest.raises(OptionError, match=f"^bound {bound} {wrong}; {usable}$"):
        solve(Problem(puzzle, cases.scrambles(puzzle, 1, 9, 1)[0]), engine=engine, bound=bound)
