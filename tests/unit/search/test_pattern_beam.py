"""The beam guided by pattern databases: against exhaustive tables, and the kernels' parts."""

import time
from random import Random

import numpy as np
import pytest
from support.fixtures import cases, graphs
from support.reference.oracle import Rules, least_penalties

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.patterns.additive import goal_sets, start_sets
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.beam.pattern_beam import blank_beam, pattern_beam
from plansolve.solvers.search.beam.pattern_beam_kernel import squeeze
from plansolve.solvers.search.beam.pattern_beam_run import PatternBeamRun, Way, bytes_of_beam
from plansolve.solvers.search.beam.selection_kernel import Candidates, bucket_table, select, sort
from plansolve.solvers.search.packed_board_kernel import (
    arcs_back,
    arcs_onward,
    mixed,
    pack,
    pack_arcs,
)
from plansolve.storage.store import Store

LARGE = 1 << 30


def onward(problem, size=2):
    store = Store(in_memory=True)
    sets = goal_sets(problem, size=size, store=store, tell=cases.silent)
    return Way(arcs_onward(problem.blank_graph), sets, problem.start, problem.goal)


def back(problem, size=2):
    sets = start_sets(problem, size=size, tell=cases.silent)
    return Way(arcs_back(problem.blank_graph), sets, problem.goal, problem.start)


def plan_of_beam(problem, way, width, upper_bound=1 << 30, step=1):
    """The plan that one beam finds, after a replay; None where it finds none."""
    beam = PatternBeamRun(way, width, LARGE)
    for _ in beam.run(Incumbent(0, upper_bound), step):
        pass
    if beam.moves is None:
        return None
    walk = way.walk(beam.moves)
    walk = walk if way.target == problem.goal else walk[::-1]
    plan = problem.blank_graph.plan(walk)
    assert check_plan(problem, plan).solves
    return plan


WIDE = [
    cases.make("sliding", 2, 4),
    cases.make("sliding", 2, 3, "snail"),
    cases.make("lloyd", 1, 5),
    cases.one_way_ring(),
    graphs.random_graph(6, 1),
    graphs.random_graph(7, 2),
]


@pytest.mark.parametrize("direction", [onward, back])
@pytest.mark.parametrize("puzzle", WIDE, ids=lambda puzzle: f"{puzzle.name}-{puzzle.cells}")
def test_a_beam_wider_than_the_layers_finds_a_shortest_plan_with_the_fewest_penalties(
    puzzle, direction
):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    deepest = max(sorted(table), key=table.get)
    for start in (deepest, *Random(4).sample(sorted(table), 4)):
        if start == puzzle.goal:
            continue
        problem = Problem(puzzle, start)
        plan = plan_of_beam(problem, direction(problem), 6000)
        assert len(plan) == table[start]
        penalties = least_penalties(puzzle, start, table)
        assert sum(penalties_along(puzzle, start, plan)) == penalties


def penalties_along(puzzle, state, plan):
    for name in plan:
        operator = puzzle.applicable(state)[name]
        state = operator.apply(state)
        yield operator.penalty


@pytest.mark.parametrize(
    ("name", "rows", "columns", "goal"),
    [
        ("sliding", 4, 8, None),
        ("sliding", 2, 10, None),
        ("sliding", 1, 6, None),
        ("sliding", 3, 7, "snail"),
        ("sliding", 5, 3, "blank-first"),
        ("lloyd", 3, 5, None),
        ("lloyd", 5, 5, None),
    ],
)
@pytest.mark.parametrize("direction", [onward, back])
def test_narrow_beams_find_plans_that_the_checker_accepts(name, rows, columns, goal, direction):
    puzzle = cases.make(name, rows, columns, goal)
    for start in cases.scrambles(puzzle, 2, 200, 8):
        if start != puzzle.goal:
            problem = Problem(puzzle, start)
            assert plan_of_beam(problem, direction(problem), 1000)


def test_what_cannot_beat_the_incumbent_is_dropped():
    puzzle = cases.make("sliding", 3, 3)
    table = cases.distance_table("sliding", 3, 3)
    start = max(sorted(table), key=table.get)
    problem = Problem(puzzle, start)
    way = onward(problem, 3)
    assert plan_of_beam(problem, way, 200_000, upper_bound=31, step=2) is None
    assert plan_of_beam(problem, way, 200_000, upper_bound=32, step=2) is None
    assert len(plan_of_beam(problem, way, 200_000, upper_bound=33, step=2)) == 31
    assert len(plan_of_beam(problem, way, 200_000, upper_bound=32, step=1)) == 31


def test_a_beam_gives_up_where_there_is_no_plan():
    puzzle = cases.make("sliding", 2, 3)
    problem = Problem(puzzle, (2, 1, 3, 4, 5, 0))
    assert plan_of_beam(problem, onward(problem), 1000) is None


def test_a_beam_with_too_few_places_for_candidates_squeezes_them():
    # Each state has 16 children, and there are places for eight.
    puzzle = graphs.leaps(17)
    start = tuple(Random(3).sample(range(17), 17))
    problem = Problem(puzzle, start)
    # A cycle without the blank takes one move more than it has tiles, that with it one less.
    least, seen = 0, set()
    for cell in range(17):
        cycle = []
        while cell not in seen:
            seen.add(cell)
            cycle.append(cell)
            cell = start[cell]
        if len(cycle) > 1:
            least += len(cycle) - 1 if 0 in cycle else len(cycle) + 1
    for direction in (onward, back):
        assert len(plan_of_beam(problem, direction(problem, 1), 1000)) == least


def candidates_of(keys, hashes=None):
    """Candidates with these keys; parent and move tell their number."""
    candidates = Candidates.room(len(keys), 60)
    candidates.key[:] = keys
    for array in (candidates.hash, candidates.parent, candidates.move):
        array[:] = np.arange(len(keys))
    if hashes is not None:
        candidates.hash[:] = hashes
    candidates.counts[:] = np.bincount(keys, minlength=60)
    return candidates


def test_squeezing_keeps_the_smallest_keys_in_order():
    random = np.random.default_rng(3)
    for wanted, spread in ((50, 40), (50, 1), (1, 5), (199, 3)):
        before = random.integers(7, 7 + spread, 200).astype(np.uint32)
        candidates = candidates_of(before)
        kept, cut = squeeze(wanted, 200, candidates)
        allowed = np.flatnonzero(before < cut)[:kept]
        assert 0 < kept <= wanted
        for array in (candidates.parent, candidates.move, candidates.hash):
            assert list(array[:kept]) == list(allowed)
        keys = candidates.key[:kept]
        assert (keys == before[allowed]).all()
        assert (candidates.counts == np.bincount(keys, minlength=60)).all()
        assert kept == wanted or (before < cut).sum() == kept


def test_candidates_are_sorted_by_key_and_the_counts_emptied():
    keys = np.random.default_rng(5).integers(0, 30, 500).astype(np.uint32)
    candidates = candidates_of(keys)
    sort(500, candidates)
    assert list(candidates.order) == sorted(range(500), key=lambda i: keys[i])
    assert not candidates.counts.any()


@pytest.mark.parametrize("bucket", [1, 8, 64])
def test_the_best_candidates_are_selected_once(bucket):
    keys = np.array([5, 2, 2, 9, 0, 5], np.uint32)
    candidates = candidates_of(keys, np.array([1 << 8, 2 << 8, 2 << 8, 3 << 8, 4 << 8, 5 << 8]))
    closed = bucket_table(512, bucket)
    closed[4 % len(closed), 0] = 4 << 8
    chosen = np.zeros(3, np.uint32)
    sort(6, candidates)
    assert select(0, 6, 0, 3, candidates, closed, chosen) == 3
    assert chosen.tolist() == [1, 0, 5]
    assert sorted(closed[closed > 0]) == [1 << 8, 2 << 8, 4 << 8, 5 << 8]
    assert select(0, 6, 0, 3, candidates, closed, chosen) == 1
    assert chosen[0] == 3


def test_a_full_bucket_forgets_a_hash():
    candidates = candidates_of(np.arange(9, dtype=np.uint32), np.arange(1, 10) * 2)
    closed, chosen = bucket_table(8, 8), np.zeros(9, np.uint32)
    sort(9, candidates)
    assert closed.shape == (1, 8)
    assert select(0, 9, 0, 9, candidates, closed, chosen) == 9
    # 18 has taken the place of 2: the one that its lowest bits but one tell.
    assert sorted(closed[0]) == [4, 6, 8, 10, 12, 14, 16, 18]


@pytest.mark.parametrize("cells", [2, 9, 12, 13, 24, 25, 26, 32])
def test_packed_boards_move_as_boards_do(cells):
    random = Random(cells)
    for _ in range(20):
        state = list(range(cells))
        random.shuffle(state)
        blank = state.index(0)
        target = random.choice([cell for cell in range(cells) if cell != blank])
        graph = [[target] if cell == blank else [] for cell in range(cells)]
        arcs = pack_arcs(graph, lambda b, d: 0)
        words = pack(tuple(state)) + np.uint64(state[target]) * arcs.swing
        state[blank], state[target] = state[target], 0
        assert (words == pack(tuple(state))).all()
        assert not (words >> np.uint64(60)).any()


@pytest.mark.parametrize("cells", [9, 12, 13, 25, 26, 32])
def test_words_and_hashes_tell_boards_apart(cells):
    random = Random(cells)
    state = list(range(cells))
    for _ in range(100):
        random.shuffle(state)
        other = list(state)
        i, j = random.sample(range(cells), 2)
        other[i], other[j] = other[j], other[i]
        mine, theirs = pack(tuple(state)), pack(tuple(other))
        assert (mine != theirs).any()
        assert mixed(*mine) != mixed(*theirs)


def test_arcs_back_carry_the_penalties_of_the_moves_they_take_back():
    problem = Problem(cases.make("lloyd", 3, 3), cases.make("lloyd", 3, 3).goal)
    graph = problem.blank_graph
    there, again = arcs_onward(graph), arcs_back(graph)

    def priced(arcs):
        return {
            (b, int(arcs.cell[e])): int(arcs.penalty[e])
            for b in range(9)
            for e in range(arcs.offset[b], arcs.offset[b + 1])
        }

    assert priced(there) == {(d, b): price for (b, d), price in priced(again).items()}
    # Beside the centre a transport and a slide do the same; the slide is named.
    assert {b for (b, d), price in priced(there).items() if price} == {0, 2, 6, 8}
    assert all(graph.names[b][4] == "t" for b in (0, 2, 6, 8))


def test_the_engine_improves_its_plan_until_the_bounds_meet(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    puzzle = cases.make("sliding", 3, 3)
    table = cases.distance_table("sliding", 3, 3)
    for start in Random(2).sample(sorted(table), 3):
        incumbent, lengths = Incumbent(), []
        deadline = time.monotonic() + 60
        for report in pattern_beam(Problem(puzzle, start), incumbent, Budget(deadline)):
            assert report.lower_bound <= table[start]
            if report.plan is not None:
                assert check_plan(Problem(puzzle, start), report.plan).solves
                lengths.append(len(report.plan))
                incumbent.lower_upper_bound(len(report.plan))
                if len(report.plan) == table[start]:
                    incumbent.raise_lower_bound(table[start])
        assert lengths == sorted(set(lengths), reverse=True)
        assert lengths[-1] == table[start]


@pytest.mark.parametrize(
    ("rows", "columns", "has_tables"), [(3, 6, True), (3, 9, False)], ids=["18 cells", "27 cells"]
)
def test_small_grids_have_a_beam_without_tables_first(
    rows, columns, has_tables, tmp_path, monkeypatch
):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    puzzle = cases.make("sliding", rows, columns)
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 2000, 1)[0])
    used, lengths = [], []
    for report in blank_beam(problem, Incumbent(), Budget(time.monotonic() + 3.0, 1 << 28)):
        if "width" in report.counts:
            used.append(report.by.startswith("beam with pattern databases"))
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            lengths.append(len(report.plan))
    assert used[0] is False
    assert used == sorted(used)
    assert used[-1] is has_tables
    assert lengths == sorted(set(lengths), reverse=True)
    assert len(lengths) > 1


def test_the_memory_bounds_the_width():
    puzzle = cases.make("sliding", 4, 4)
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 300, 1)[0])
    way = onward(problem, 3)
    assert bytes_of_beam(way, 2000, 80) > bytes_of_beam(way, 1000, 80) > 1000 * 5 * 80
    small = Budget(memory=bytes_of_beam(way, 1500, 80))
    widths = {report.counts.get("width", 0) for report in pattern_beam(problem, Incumbent(), small)}
    assert max(widths) < 10_000
