"""Bounds that A* and IDA* evaluate at their nodes: the registered ones, dummies, and refusals."""

from functools import cache, partial
from random import Random
from types import MappingProxyType

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.fixtures.idastar import Leaping, LookedUp, Nothing
from support.reference.oracle import Rules

from plansolve import solve
from plansolve.bounds import registry
from plansolve.bounds.bound import Bound, Lookup, NodeBound
from plansolve.bounds.registry import BOUNDS
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Budget, Incumbent, Options
from plansolve.solvers.result import Status
from plansolve.solvers.search.astar.astar import Space, Tables, astar
from plansolve.solvers.search.idastar.idastar import shortest_plan
from plansolve.solvers.search.node_kernel import look_up, looked_up
from plansolve.solvers.search.node_tables import lookup_tables

SEARCHES = {"astar": astar, "idastar": shortest_plan}


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


def solved(search, problem, name, optimal=True):
    """The last plan, and the lower bounds that were told on the way."""
    budget = Budget(options=Options(bound=name), optimal=optimal)
    reports = list(search(problem, Incumbent(), budget))
    *_, plan = (report.plan for report in reports if report.plan is not None)
    return plan, [report.lower_bound for report in reports if report.lower_bound]


def sample(table, count, seed=0):
    return Random(seed).sample(sorted(table), count)


PUZZLES = {
    "sliding 2x3": partial(make, "sliding", 2, 3),
    "sliding 3x3": partial(make, "sliding", 3, 3),
    "snail 3x3": partial(make, "sliding", 3, 3, "snail"),
    "lloyd 1x5": partial(make, "lloyd", 1, 5),
    "lloyd 3x3": partial(make, "lloyd", 3, 3),
    "loopover 2x3": partial(make, "loopover", 2, 3),
    "torus-ring 2x3": partial(make, "torus-ring:rings=outer", 2, 3),
    "torus-ring 5x5": partial(make, "torus-ring", 5, 5),
    "row slides": cases.row_slides,
    "one-way turns": cases.one_way_turns,
    "with a jump": cases.with_a_jump,
}
NEAR = {"lloyd 3x3": 9, "torus-ring 5x5": 3}


@cache
def known(name):
    """The puzzle, its rules for the oracle, and distances to the goal, of large ones near it."""
    puzzle = PUZZLES[name]()
    rules = Rules.of(puzzle)
    return puzzle, rules, rules.distances_to(puzzle.goal, NEAR.get(name))


# What knows least takes long where there are many moves.
LONG = {("torus-ring 5x5", "looked-up"), ("torus-ring 5x5", "nothing")}


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        pytest.param(name, bound, marks=[pytest.mark.slow] * ((name, bound) in LONG))
        for name in PUZZLES
        for bound in (*BOUNDS, "leaping", "nothing", "looked-up")
    ],
)
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
        for search, optimal in ((astar, True), (astar, False), (shortest_plan, True)):
            plan, bounds = solved(search, problem, bound, optimal)
            assert len(plan) == table[board] >= max(bounds, default=0)
            assert rules.replay(board, plan)[-1] == puzzle.goal


@pytest.mark.parametrize("name", BOUNDS)
def test_astar_begins_with_the_declared_value(name):
    for puzzle in (make("sliding", 3, 4), make("torus-ring", 5, 5), cases.row_slides()):
        for start in cases.scrambles(puzzle, 5, 30, 19):
            problem = Problem(puzzle, start)
            if BOUNDS[name].fits(problem.structure):
                data = BOUNDS[name].at_nodes(problem)
                space = Space(Tables.of(problem, BOUNDS[name]), start, 1 << 20, 1, 2)
                assert space.base == data.value(start) >= BOUNDS[name].value(problem)


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
def test_engines_refuse_a_bound_that_does_not_declare_itself_admissible(engine, dummies):
    problem = Problem(make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    assert dummies["doubled"].value(problem) < UNREACHABLE
    # Nor is it read at the start.
    assert registry.best_lower_bound(problem).by != "doubled"
    with pytest.raises(OptionError, match="doubled is not admissible"):
        solved(SEARCHES[engine], problem, "doubled")
    with pytest.raises(OptionError, match="doubled is not admissible"):
        solve(problem, engine=engine, bound="doubled", optimal=True)


WRONG = "takes lines of at most 6 cells: this puzzle has one of 9"
USABLE = "for this puzzle: largest-tile-distance, tile-distances"


@pytest.mark.parametrize(
    ("engine", "sides", "bound", "wrong"),
    [
        *(
            (engine, (2, 3), "tile-distances", r"takes no bound .* choose astar or idastar")
            for engine in ("auto", "cnf", "breadth-first", "beam")
        ),
        ("astar", (2, 3), "mine", "unknown bound 'mine': choose from largest-tile-dis"),
        *(
            (engine, (2, 9), "linear-conflict", f"^bound linear-conflict {WRONG}; {USABLE}$")
            for engine in SEARCHES
        ),
    ],
)
def test_bounds_are_refused_before_a_search_starts(engine, sides, bound, wrong, monkeypatch):
    def start(*_):
        raise AssertionError("a search was started")

    monkeypatch.setattr(Workers, "take", start)
    puzzle = make("sliding", *sides)
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 9, 1)[0])
    with pytest.raises(OptionError, match=wrong):
        solve(problem, engine=engine, bound=bound, optimal=engine != "beam")


@pytest.mark.parametrize("name", ["loopover 2x3", "row slides", "lloyd 1x5"])
def test_idastar_is_given_the_bound_by_name(name, kept_workers):
    puzzle, _, table = known(name)
    (board,) = sample([board for board in table if table[board] == 5], 1)
    options = {"bound": "largest-tile-distance", "workers": kept_workers}
    result = solve(Problem(puzzle, board), engine="idastar", optimal=True, **options)
    assert (result.status, result.length) == (Status.OPTIMAL, 5)
    assert result.statistics.plan_technique == "IDA* with largest tile distance"


def test_questions_about_shortest_plans_follow_any_bound(kept_workers):
    # IDA* answers them, with its usual tables.
    puzzle = make("lloyd", 3, 3)
    again = partial(solve, optimal=True, workers=kept_workers)
    for start in cases.scrambles(puzzle, 2, 8, 3):
        problem = Problem(puzzle, start)
        result = again(problem, engine="astar", bound="largest-tile-distance", plans="count")
        assert result.is_every_plan and result.is_least_penalty == (result.penalty == 0)
        assert result.plan_count == again(problem, plans="count").plan_count
        ranked = again(problem, engine="astar", bound="largest-tile-distance")
        assert ranked.is_least_penalty and ranked.penalty == again(problem).penalty
