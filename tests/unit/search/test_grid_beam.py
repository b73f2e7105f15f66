"""The grid beam: its distances against slow references, its plans against the checker."""

from itertools import pairwise, permutations, product
from math import exp
from random import Random
from time import monotonic
from types import SimpleNamespace

import numpy as np
import pytest
from support.fixtures.cases import make
from support.fixtures.grids import random_goal, random_problem
from support.reference.grid_beam import distances_of_tiles, longest_rising

from plansolve.analysis.grid import grid_of
from plansolve.bounds.distance import tile_distance_sum
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import SLIDING, sliding
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.tiles import constructive
from plansolve.solvers.search.grid_beam.distances_kernel import (
    FAR,
    LAST,
    OUT,
    PAIR,
    SINGLE,
    fill_row,
    stage_distance,
)
from plansolve.solvers.search.grid_beam.grid_beam import (
    LEAST_ROOM,
    GridBeamRun,
    _Schedule,
    bytes_of_tables,
    bytes_per_width,
    grid_beam,
    no_distances,
    prepared,
)
from plansolve.solvers.search.grid_beam.layout import Layout, setting_for

LAST_SETTING = setting_for(5, 5)


def layout_of(problem):
    return Layout(problem, grid_of(problem.structure.blank_graph))


def neighbours_of(layout):
    first, there, _ = layout.arcs
    return [[int(to) for to in there[first[c] : first[c + 1]]] for c in range(layout.count)]


def search(problem, width, incumbent=None, threads=1, memory=1 << 30):
    """All plans of the beam until a passage of at least that width has ended."""
    incumbent = incumbent or Incumbent()
    plans = []
    for report in grid_beam(problem, incumbent, Budget(None, memory, threads)):
        assert report.lower_bound == 0
        if report.counts.get("width", 0) > width:
            break
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            assert len(report.plan) < incumbent.upper_bound
            incumbent.lower_upper_bound(len(report.plan))
            plans.append(report.plan)
    return plans


def one_run(problem, width, limit=1 << 30):
    setting = setting_for(problem.puzzle.rows, problem.puzzle.columns)
    run = GridBeamRun(problem, layout_of(problem), setting, LAST_SETTING, width)
    walks = [walk for walk in run.walks(lambda stage: width, lambda: limit) if walk is not None]
    return run, walks


def rows_of(layout, stage):
    """The kernels' distances of one tile to where it has to go, for all cells of tile and blank."""
    distances = prepared(no_distances(layout), layout, stage)
    for tile in range(stage.free):
        fill_row(distances, stage.free, tile)
    assert distances.filled[: stage.free].all()
    return distances.rows


@pytest.mark.parametrize("rows,columns", [(6, 6), (7, 6), (5, 8), (2, 7), (9, 9)])
def test_the_distance_of_a_tile_to_its_home_or_the_window_of_its_pair(rows, columns):
    layout = layout_of(random_problem(Random(1), rows, columns))
    neighbours = neighbours_of(layout)
    for stage in layout.stages if rows < 9 else layout.stages[7:8]:
        if stage.kind == LAST:
            continue
        found = rows_of(layout, stage)
        homes = [stage.one] if stage.kind == SINGLE else stage.window
        exact = distances_of_tiles(neighbours, range(stage.free), [(home,) for home in homes])
        for tile, blank in product(range(stage.free), repeat=2):
            if tile != blank:
                assert found[tile, blank] == exact[tile, blank], (stage, tile, blank)


@pytest.mark.parametrize("rows,columns", [(6, 6), (2, 8), (7, 3)])
def test_the_distances_of_a_pair_in_its_window(rows, columns):
    layout = layout_of(random_problem(Random(3), rows, columns))
    neighbours = neighbours_of(layout)
    stage = [stage for stage in layout.stages if stage.kind == PAIR][-1]
    distances = prepared(no_distances(layout), layout, stage)
    window, size = stage.window, distances.size
    local, table = distances.local, distances.window
    assert size == len(window)
    exact = distances_of_tiles(neighbours, stage.window, [(stage.one, stage.other)])
    assert distances.most == max(exact.values())
    for (a, b, blank), moves in exact.items():
        assert table[(int(local[a]) * size + int(local[b])) * size + int(local[blank])] == moves
    assert len(exact) == size * (size - 1) * (size - 2)
    for a, b in product(range(size), repeat=2):
        if a != b:
            beside = [int(local[n]) for n in neighbours[window[a]]]
            after = [table[(a * size + b) * size + n] for n in beside if n not in (a, b, OUT)]
            assert table[(a * size + b) * size + a] == min([FAR - 1, *after]) + 1


def test_two_tiles_outside_the_window_of_their_pair_come_one_after_the_other():
    layout = layout_of(random_problem(Random(3), 8, 8))
    stage = next(stage for stage in layout.stages if stage.kind == PAIR)
    distances = prepared(no_distances(layout), layout, stage)
    to_window = rows_of(layout, stage).astype(int)
    outside = sorted({*range(stage.free)} - {*stage.window})
    door = {cell: int(distances.door[cell]) for cell in outside}

    def way(*cells):
        (row, column), (to_row, to_column) = (divmod(int(layout.cells[c]), 8) for c in cells)
        return abs(row - to_row) + abs(column - to_column)

    for a, b in permutations(outside, 2):
        assert way(a, door[a]) == min(way(a, cell) for cell in stage.window)
        for blank in {*range(stage.free)} - {a, b}:
            expected = min(
                to_window[one, blank] + way(door[one], other) + 5 * way(other, door[other])
                for one, other in ((a, b), (b, a))
            )
            found = stage_distance(distances, stage.free, a, b, blank)
            assert found == distances.most + 1 + expected, (a, b, blank)


def test_guidance_weighs_each_way_by_its_line_and_its_direction():
    """Tile by tile, from rows and columns: those above and on the left are solved first."""
    layout = layout_of(random_problem(Random(5), 12, 12))
    table, tiles = np.zeros((144, 144), np.uint16), np.arange(144) != layout.blank_home
    for setting in (setting_for(30, 30), LAST_SETTING, setting_for(12, 12)):
        layout.guide(setting, 0, table)
        assert ((table == 0) == (np.eye(144, dtype=bool) | ~tiles[:, None])).all()

    def way(home, cell, last):
        outward = min(home, last) < min(cell, last)
        factor = 1 + setting.outward if outward else 1 - setting.outward
        return factor * abs(home - cell) ** setting.power

    for part, rows_solved, columns_solved in [(0, 0, 0), (1, 1, 0), (4, 2, 2), (13, 7, 6)]:
        layout.guide(setting, part, table)
        slope = setting.slope * (10 / (12 - min(rows_solved, columns_solved))) ** 0.7
        free = (12 - rows_solved) * (12 - columns_solved)
        for home, cell in product(range(free), repeat=2):
            row, column = divmod(int(layout.cells[home]), 12)
            to_row, to_column = divmod(int(layout.cells[cell]), 12)
            # The last two columns are solved together: neither is outward of the other.
            lines = min(row - rows_solved, min(column, 10) - columns_solved)
            weight = 1 + setting.outer * exp(-((lines / setting.reach) ** 2))
            ways = way(row, to_row, last=11) + way(column, to_column, last=10)
            if home != layout.blank_home and home != cell:
                expected = max(1, 16 * slope * weight * ways)
                assert abs(table[home, cell] - expected) <= 0.51


@pytest.mark.parametrize(("rows", "columns", "most"), [(20, 20, 1.9), (12, 24, 2.07)])
def test_narrow_beams_have_short_plans(rows, columns, most):
    """Of three boards: without weights for near lines the means are 2.03 and 2.14 instead of 1.77
    and 1.98 Manhattan distances.
    """
    ratios = []
    for seed in range(3):
        problem = random_problem(Random(seed), rows, columns)
        _, (walk,) = one_run(problem, 50)
        ratios.append((len(walk) - 1) / tile_distance_sum(problem))
    assert sum(ratios) / 3 < most


@pytest.mark.slow
def test_guidance_along_a_passage_is_what_it_is_worked_out_to_be_anew():
    """H is changed move by move; the boards in the pool still have the H of their tiles."""
    problem = random_problem(Random(6), 7, 7)
    layout = layout_of(problem)
    setting = setting_for(7, 7)
    run = GridBeamRun(problem, layout, setting, LAST_SETTING, 40)
    first, cells, line_of, place_of = (table.astype(int) for table in layout.lines[:4])
    checked = 0

    def width_at(stage):
        nonlocal checked
        state = run.state
        for i in range(state.progress["finished"]) if stage else ():
            board = state.finished.tiles[i].astype(int)
            free = layout.stages[stage].free
            h = sum(int(state.guidance.table[board[c], c]) for c in range(free))
            for line, (begin, end) in enumerate(pairwise(first)):
                kind = int(line >= 7)
                homes = [
                    place_of[kind, board[c]]
                    for c in cells[begin:end]
                    if c < free
                    and line_of[kind, board[c]] == line
                    and board[c] != layout.blank_home
                ]
                h += round(32 * setting.conflict) * (len(homes) - longest_rising(homes))
            assert state.finished.facts[i]["h"] == h
            checked += 1
        return 40

    assert any(walk is not None for walk in run.walks(width_at, lambda: 1 << 30))
    assert checked > 200


@pytest.mark.parametrize("rows,columns", [(6, 6), (7, 7), (8, 8), (4, 9), (9, 4), (2, 8), (3, 12)])
def test_plans_are_much_shorter_than_row_by_row_to_goals_of_all_kinds(rows, columns):
    random = Random(rows * 100 + columns)
    goals = [goal(rows, columns) for goal in SLIDING.goals.values()]
    for goal in [random.choice(goals), random_goal(random, rows, columns)]:
        problem = random_problem(random, rows, columns, goal)
        (row_by_row,) = constructive(problem, Incumbent(), Budget())
        plans = search(problem, 50)
        assert plans[0] == row_by_row.plan
        assert len(plans[-1]) < 0.7 * len(row_by_row.plan)


def test_a_plan_must_be_shorter_than_what_is_known():
    problem = random_problem(Random(11), 6, 6)
    lengths = [len(plan) for plan in search(problem, 200)]
    assert search(problem, 200, Incumbent(0, lengths[-1])) == []
    assert len(search(problem, 200, Incumbent(0, lengths[0]))) == len(lengths) - 1
    assert search(problem, 200, Incumbent(20, 20)) == []


def test_a_passage_stops_at_its_limit():
    problem = random_problem(Random(12), 6, 6)
    _, (walk,) = one_run(problem, 60)
    assert one_run(problem, 60, len(walk))[1] == [walk]
    run, walks = one_run(problem, 60, 30)
    assert walks == []
    assert len(run.seconds) < len(layout_of(problem).stages)


def test_the_tree_of_nodes_is_made_smaller_when_it_is_full_and_two_threads_are_no_worse():
    problem = random_problem(Random(13), 8, 8)
    _, (walk,) = one_run(problem, 1200)
    assert check_plan(problem, problem.blank_graph.plan(walk)).solves
    one, both = (search(problem, 200, threads=threads) for threads in (1, 2))
    assert len(both[-1]) <= len(one[-1])


def test_little_memory():
    problem = random_problem(Random(15), 6, 6)
    least = bytes_of_tables(36) + LEAST_ROOM * bytes_per_width(36)
    (row_by_row,) = constructive(problem, Incumbent(), Budget())
    assert search(problem, 1 << 40, memory=least - 1) == [row_by_row.plan]
    assert len(search(problem, 1 << 40, memory=least)) > 1


def test_the_last_passage_fits_into_the_time():
    problem = random_problem(Random(16), 6, 6)
    search(problem, 50)
    reports = grid_beam(problem, Incumbent(), Budget(monotonic() + 1.0))
    widths = [report.counts["width"] for report in reports if report.counts]
    assert widths == sorted(widths) and widths[0] == 50


@pytest.mark.parametrize(
    ("fitting", "passages"), [(300, 1), (2_900, 1), (7_000, 2), (40_000, 12), (90_000, 16)]
)
def test_passages_with_other_settings_share_the_time(fitting, passages):
    """As many as are wide enough, of equal width, so that together they take all of it."""
    room = 1_000_000
    schedule = _Schedule(Budget(monotonic() + 1000 / 0.95), room, stages=2)
    while schedule.number == 0 and not schedule.width > fitting / 2:
        taken = schedule.width * 1000 / fitting
        run = SimpleNamespace(seconds=[taken / 4, 3 * taken / 4], widths=[schedule.width] * 2)
        schedule.learn(run)
    assert schedule.number == int(passages > 1)
    assert schedule.width == pytest.approx(fitting / passages, rel=0.1)


def test_nothing_where_there_is_no_grid_or_no_plan_and_no_moves_where_none_are_left():
    for problem in [
        Problem(sliding(6, 6), (2, 1, *range(3, 36), 0)),
        Problem(make("lloyd", 5, 5), make("lloyd", 5, 5).goal),
        Problem(sliding(1, 5), (0, 1, 2, 3, 4)),
    ]:
        assert search(problem, 1 << 40) == []
    assert search(Problem(sliding(6, 6), sliding(6, 6).goal), 1 << 40)[0] == ()
    # Every board of a level has its place.
    assert len(search(random_problem(Random(8), 2, 3), 1 << 40)) >= 1


def test_a_wide_beam_finds_short_plans_of_small_boards(eight_table):
    for start in Random(7).sample(list(eight_table), 6):
        plans = search(Problem(sliding(3, 3), start), 20_000)
        assert 0 <= len(plans[-1]) - eight_table[start] <= 2
