"""A* with pattern databases: values of tables, answers, and what these rest on."""

from random import Random

import numpy as np
import pytest
from support.fixtures.cases import distance_table, make, one_way_ring, row_slides, scrambles
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve import solve
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.additive import goal_sets
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar import tables as tables_module
from plansolve.solvers.search.astar.astar import astar
from plansolve.solvers.search.astar.space import Space
from plansolve.solvers.search.astar.table_bound_kernel import table_bound
from plansolve.solvers.search.astar.tables import (
    BoardTables,
    Tables,
    has_patterns,
    pattern_tables,
)
from plansolve.storage.store import Store

MULTI_TILE = "sliding:metric=multi-tile"


def tell(note):
    pass


def placements(problem):
    """Tables for boards of any kind, however small, that A* does without as a rule."""
    choice = PlacementChooser(problem.puzzle, placement_rules(problem.puzzle), 1 << 16)
    store = Store(in_memory=True)
    lookups = choice.lookups(choice.usual, store=store, tell=tell, threads=1)
    return BoardTables(placements=lookups)


def additive(problem):
    return BoardTables(additive=goal_sets(problem, size=3, store=Store(in_memory=True), tell=tell))


def at_board(patterns, board):
    cells = np.uint64(len(board))
    states = np.array((0,) * len(board) + board, np.uint8)
    return table_bound(patterns.for_kernels(), cells, cells, states)


def found(tables, start):
    """The length of a shortest plan, None where there is none, and the nodes opened again."""
    space, best = Space(tables, start, 1 << 26, tables.width, tables.width + 1), NO_PLAN
    if space.base >= UNREACHABLE:
        return None, 0
    list(space.begin(tables.width + 1, NO_PLAN, is_last=True))
    while (status := space.expand(1 << 40, best)) != kernel.NOTHING_LEFT:
        if status == kernel.SOLVED:
            best = len(space.path()) - 1
        elif status == kernel.FULL:
            list(space.grow())
        else:
            assert space.add_rows()
    return None if best == NO_PLAN else best, space.counts["reopened"]


@pytest.mark.parametrize(
    "puzzle",
    [
        pytest.param(make(MULTI_TILE, 3, 3), marks=pytest.mark.slow),
        row_slides(),
        one_way_ring(),
    ],
)
def test_kernels_look_up_what_tables_say_of_a_board(puzzle):
    patterns = placements(Problem(puzzle, puzzle.goal))
    distances = Rules.of(puzzle).distances_to(puzzle.goal)
    for board in Random(1).sample(sorted(distances), min(100, len(distances))):
        assert at_board(patterns, board) == patterns.placements.value(board) <= distances[board]


@pytest.mark.parametrize(
    "specification", ["sliding", pytest.param("lloyd", marks=pytest.mark.slow)]
)
def test_kernels_add_up_what_additive_tables_say(specification):
    puzzle = make(specification, 3, 3)
    patterns = additive(Problem(puzzle, puzzle.goal))
    distances = distance_table(specification, 3, 3)
    for board in Random(2).sample(sorted(distances), 100):
        assert at_board(patterns, board) == patterns.additive.value(board) <= distances[board]


@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_random_rules_with_tables(are_alike, is_open):
    for seed in range(6):
        random = Random(seed)
        puzzle = random_puzzle(random, 4 + seed % 3, are_alike=are_alike, is_open=is_open)
        distances = goal_distances(puzzle)
        if placement_rules(puzzle) is None:
            continue
        patterns = placements(Problem(puzzle, puzzle.pieces))
        for _ in range(6):
            board = tuple(random.sample(puzzle.pieces, puzzle.cells))
            tables = Tables.of(Problem(puzzle, board), patterns=patterns)
            if not Problem(puzzle, board).is_solved:
                assert found(tables, board)[0] == distances.get(board)


@pytest.mark.parametrize(
    "specification", ["sliding", pytest.param("lloyd", marks=pytest.mark.slow)]
)
def test_additive_tables_are_not_consistent_and_the_answer_is_right(specification):
    puzzle = make(specification, 3, 3)
    patterns = additive(Problem(puzzle, puzzle.goal))
    distances, reopened = distance_table(specification, 3, 3), 0
    for board in Random(3).sample(sorted(distances), 12):
        tables = Tables.of(Problem(puzzle, board), patterns=patterns)
        length, again = found(tables, board)
        assert length == distances[board] or board == puzzle.goal
        reopened += again
    assert reopened


def test_placement_tables_open_no_node_again():
    # They hold distances of an abstraction, and these are consistent.
    puzzle = make(MULTI_TILE, 3, 3)
    patterns = placements(Problem(puzzle, puzzle.goal))
    for board in scrambles(puzzle, 10, 60, 4):
        assert found(Tables.of(Problem(puzzle, board), patterns=patterns), board)[1] == 0


def counts(problem, *, optimal=True, **options):
    """The plan's length and the last counts."""
    length, budget = None, Budget(options=Options(**options), optimal=optimal)
    for report in astar(problem, Incumbent(), budget):
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            length = len(report.plan)
    return length, report.counts


def test_tables_save_nodes():
    puzzle = make(MULTI_TILE, 2, 5)
    problem = Problem(puzzle, scrambles(puzzle, 1, 200, 5)[0])
    length, by_distances = counts(problem, bound="tile-distances")
    same, by_tables = counts(problem)
    assert length == same == counts(problem, optimal=False)[0]
    assert by_distances["stored"] > 20 * by_tables["stored"]


def test_which_boards_have_tables():
    assert not has_patterns(Problem(make(MULTI_TILE, 3, 3), (0, *range(1, 9))))
    for puzzle in (make("sliding", 4, 4), make("torus-ring", 4, 4), make(MULTI_TILE, 4, 4)):
        assert has_patterns(Problem(puzzle, puzzle.goal))
    for puzzle in (make("sliding", 9, 9), make(MULTI_TILE, 9, 9)):
        assert not has_patterns(Problem(puzzle, puzzle.goal))


def test_tables_that_would_take_the_room_of_nodes_are_not_made(monkeypatch):
    def unasked(*arguments):
        raise AssertionError

    puzzle = make("sliding", 4, 4)
    problem = Problem(puzzle, scrambles(puzzle, 1, 20, 6)[0])
    assert pattern_tables(problem, 1 << 20, tell, 1) is None
    monkeypatch.setattr(tables_module, "pattern_tables", unasked)
    assert counts(problem, bound="tile-distances")[0] <= 20


def test_the_answer_names_the_tables_that_it_rests_on(kept_workers):
    puzzle = make(MULTI_TILE, 2, 5)
    problem = Problem(puzzle, scrambles(puzzle, 1, 200, 7)[0])
    result = solve(problem, engine="astar", workers=kept_workers)
    assert [evidence.kind for evidence in result.rests_on] == ["table"]
    assert (
        solve(problem, engine="astar", bound="tile-distances", workers=kept_workers).rests_on == ()
    )
