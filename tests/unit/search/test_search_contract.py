"""The contract of every search on puzzles of all kinds, against breadth-first distances."""

from dataclasses import replace
from functools import cache
from random import Random
from typing import NamedTuple

import pytest
from support.fixtures import cases
from support.fixtures.cases import alike, make, opened, scrambles
from support.fixtures.idastar import dials_with_a_gap
from support.reference.placements import goal_distances, random_puzzle

from plansolve.analysis.ways import walks_of
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.solvers.engine.registry import ENGINES, start_search
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.result import StopReason
from plansolve.solvers.search.idastar.idastar import tree_kind


class Search(NamedTuple):
    engine: str
    bound: str | None = None
    optimal: bool = True


SEARCHES = {name: Search(name) for name, engine in ENGINES.items() if not engine.by_formula} | {
    "idastar by distances": Search("idastar", "tile-distances"),
    "astar by distances": Search("astar", "tile-distances"),
    "astar with weights": Search("astar", optimal=False),
}
PROVERS = [name for name, search in SEARCHES.items() if ENGINES[search.engine].proves]
TELL_EVERY_PLAN = ("breadth-first", "constructive")
"""Others tell only plans that are shorter than the incumbent's."""

PUZZLES = {
    "sliding": make("sliding", 2, 3),
    "the blank at home inside": make("sliding", 2, 3, (1, 0, 2, 3, 4, 5)),
    "a ring of tiles": make("sliding:holes=5", 3, 3),
    "a single row": make("sliding", 1, 5),
    "lloyd": make("lloyd", 1, 5),
    "turning": make("loopover", 2, 3),
    "turning one way": make("torus-ring:rows=RL,columns=UUD,rings=none", 2, 3),
    "turning in part": make("torus-ring:rows=R-,columns=--U,rings=none", 2, 3),
    "turns one way, two alike": cases.one_way_turns(),
    "row slides": cases.row_slides(),
    "one-way ring": cases.one_way_ring(),
    "one-way row": cases.one_way_row(),
    "with a jump": cases.with_a_jump(),
    "turn and swaps": cases.turn_and_swaps(),
    "two gaps": make("sliding-gaps:2", 2, 3),
    "alike": alike(make("sliding", 2, 4), 2),
    "open": opened(make("loopover", 2, 3), 3),
    "letters": cases.turning_letters(),
    "dials with a gap": dials_with_a_gap(),
    "without moves": Puzzle("still", 1, 3, (1, 2, 0), (), tuple("-12")),
    "a move of nothing": Puzzle("still", 1, 2, (1, 2), (Operator("n", ()),), tuple("-12")),
}


@cache
def known(name):
    """The puzzle of that name, and the distance of each board to the goal."""
    return PUZZLES[name], goal_distances(PUZZLES[name])


def told(name, problem, optimum, incumbent=None, *, most=20_000, **budget):
    """The length of the last plan and the largest bound; what has to hold of every report.

    `optimum` is the length of a shortest plan, None where there is none. Of the others one shortest
    plan is enough.
    """
    search, incumbent, best, bound = SEARCHES[name], incumbent or Incumbent(), None, 0
    options = Options(bound=search.bound)
    budget = Budget(options=options, optimal=search.optimal, **{"memory": 1 << 27} | budget)
    parity = problem.structure.plan_parity(problem.start) if name in PROVERS else None
    truth = NO_PLAN if optimum is None else optimum
    for number, report in enumerate(
        start_search(ENGINES[search.engine], problem, incumbent, budget)
    ):
        assert number < most, "the search goes on forever"
        assert report.lower_bound <= truth
        if name in PROVERS and report.lower_bound:
            assert report.lower_bound >= bound
            has_parity = parity is None or (report.lower_bound ^ parity) % 2 == 0
            assert has_parity or report.lower_bound in (incumbent.upper_bound, NO_PLAN)
        bound = max(bound, report.lower_bound)
        if report.plan is not None:
            length = len(report.plan)
            assert check_plan(problem, report.plan).solves
            assert truth <= length and (best is None or length < best)
            assert length < incumbent.upper_bound or name in TELL_EVERY_PLAN
            if not search.optimal and length:
                assert length <= optimum * report.counts["ratio"]
            incumbent.lower_upper_bound(length)
            best = length
            if length == optimum and name not in PROVERS:
                incumbent.raise_lower_bound(length)
    return best, bound


def shuffled(puzzle, random):
    """A board, which may have no plan."""
    board, fixed = [*puzzle.goal_board], {cell for cell, _ in puzzle.fixed}
    cells = [cell for cell in range(puzzle.cells) if cell not in fixed]
    for cell, kind in zip(cells, random.sample([board[c] for c in cells], len(cells)), strict=True):
        board[cell] = kind
    return tuple(board)


def ends(name, problem):
    """Return True if the search ends on a board without a plan: IDA* needs tables for that."""
    engine, bound, _ = SEARCHES[name]
    if engine == "idastar":
        return tree_kind(problem, bound) == "placements"
    return engine in ("astar", "breadth-first") or name not in PROVERS


def finds(name, problem):
    """Return True if the search finds a plan wherever there is one, but for a solved board."""
    if problem.is_solved or name == "beam" or not problem.puzzle.has_blank:
        return not problem.is_solved
    goal = tuple(range(problem.puzzle.cells))
    told_apart = replace(
        problem.puzzle, goal=goal, pieces=(), labels=tuple(map(str, goal)), fixed=()
    )
    return problem.puzzle.has_one_blank and walks_of(told_apart).is_strongly_connected


def check(name, puzzle, distances, boards):
    for board in boards:
        problem, optimum = Problem(puzzle, board), distances.get(board)
        if optimum is None and not ends(name, problem):
            continue
        best, bound = told(name, problem, optimum)
        if name in PROVERS:
            assert best == optimum
            assert bound == (NO_PLAN if optimum is None else optimum)
        elif optimum is not None and finds(name, problem):
            assert best is not None
            if name == "beam" and puzzle.is_distinct:
                assert best == optimum


@pytest.mark.parametrize("puzzle", PUZZLES)
@pytest.mark.parametrize("name", SEARCHES)
def test_plans_are_shortest_and_no_bound_exceeds_them(name, puzzle):
    random, (puzzle, distances) = Random(1), known(puzzle)
    farthest = max(distances, key=lambda board: (distances[board], board))
    any_boards = [shuffled(puzzle, random) for _ in range(6)]
    some = random.sample(sorted(distances), min(4, len(distances)))
    check(name, puzzle, distances, dict.fromkeys([puzzle.goal_board, farthest, *some, *any_boards]))


@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("gaps", [1, 2, 3])
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 28), marks=pytest.mark.slow)])
def test_random_rules(name, are_alike, is_open, gaps, seeds):
    for seed in seeds:
        random, cells = Random(seed), 4 + seed % 3
        puzzle = random_puzzle(random, cells, are_alike=are_alike, is_open=is_open, gaps=gaps)
        boards = [tuple(random.sample(puzzle.pieces, puzzle.cells)) for _ in range(8)]
        distances = goal_distances(puzzle)
        if name != "beam":
            check(name, puzzle, distances, boards)
            continue
        for board in boards:
            told(name, Problem(puzzle, board), distances.get(board))


@pytest.mark.parametrize("puzzle", ["sliding", "lloyd", "turning one way", "row slides", "letters"])
@pytest.mark.parametrize("name", SEARCHES)
def test_plans_and_bounds_of_others_are_used(name, puzzle):
    puzzle, distances = known(puzzle)
    board = max(distances, key=lambda board: (distances[board], board))
    problem, optimum = Problem(puzzle, board), distances[board]
    for upper in range(1, optimum + 3):
        best, bound = told(name, problem, optimum, Incumbent(0, upper))
        if name in PROVERS:
            assert upper <= bound < optimum or bound == optimum
            assert (best == optimum) == (upper > optimum or name == "breadth-first")
    if name in PROVERS:
        assert told(name, problem, optimum, Incumbent(optimum, NO_PLAN))[0] == optimum
    assert told(name, problem, optimum, Incumbent(optimum, optimum), most=3)[0] is None


LARGE = {
    "sliding": make("sliding", 3, 3),
    "turning": make("loopover", 3, 3),
    "multi-tile": make("sliding:metric=multi-tile", 3, 3),
}


@pytest.mark.parametrize("puzzle", LARGE.values(), ids=LARGE)
@pytest.mark.parametrize(
    "name",
    ["idastar by distances", "astar by distances", "astar with weights", "beam", "constructive"],
)
def test_a_search_ends_when_the_bounds_meet(name, puzzle):
    """Whoever has found the plan, or proved the bound."""
    problem, incumbent = Problem(puzzle, scrambles(puzzle, 3, 300, 2)[-1]), Incumbent()
    engine, bound, optimal = SEARCHES[name]
    budget = Budget(options=Options(bound=bound), optimal=optimal)
    reports = start_search(ENGINES[engine], problem, incumbent, budget)
    for _, report in zip(range(3), reports, strict=False):
        bound = report.lower_bound
    incumbent.lower_bound = incumbent.upper_bound = 9
    rest = [*reports]
    # Reports without counts are signs of life while tables are made.
    assert sum(bool(report.counts) for report in rest) <= 2
    assert all(report.plan is None for report in rest)


@pytest.mark.parametrize("name", [name for name in PROVERS if name != "idastar"])
@pytest.mark.parametrize("specification", ["sliding", "lloyd", "sliding:metric=multi-tile"])
def test_no_memory_gives_a_wrong_plan_or_bound(name, specification):
    puzzle, random, unfinished = make(specification, 3, 3), Random(17), 0
    distances = cases.distance_table(specification, 3, 3)
    far = sorted(board for board, distance in distances.items() if distance > 14)
    for board in random.sample(far, 4):
        for memory in (0, random.randint(0, 400_000), 1 << 20):
            best, bound = None, 0
            try:
                best, bound = told(name, Problem(puzzle, board), distances[board], memory=memory)
            except CutShort as cut:
                assert cut.reason == StopReason.MEMORY and "ran out of memory" in cut.detail
            unfinished += best is None or best > bound
    assert unfinished > 3
