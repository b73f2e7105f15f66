"""Beams of every kind against a plain one and exhaustive tables; their kernels' parts."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, permutations
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import alike, make, opened, silent
from support.reference.beam import Child, beam
from support.reference.oracle import Rules, least_penalties

from plansolve.analysis.automorphisms import symmetries
from plansolve.analysis.solvability import why_unsolvable
from plansolve.checker import check_plan
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Puzzle
from plansolve.patterns.goal_tables import goal_sets, start_sets
from plansolve.patterns.partition import table_choice
from plansolve.patterns.rules import permutation_rules, placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent
from plansolve.solvers.search.beam import pattern_beam as pattern_module
from plansolve.solvers.search.beam.operator_beam import (
    MOST_CELLS,
    Ground,
    OperatorBeamRun,
    guide_patterns,
    guiding_lookups,
    operator_beam,
    operator_moves,
    permutation_beam,
    permutation_moves,
)
from plansolve.solvers.search.beam.pattern_beam import (
    PatternBeamRun,
    Way,
    blank_beam,
    bytes_of_beam,
    pattern_beam,
)
from plansolve.solvers.search.beam.pattern_beam_kernel import (
    TIES,
    arcs_back,
    arcs_onward,
    mixed,
    pack,
    pack_arcs,
    squeeze,
)
from plansolve.solvers.search.beam.selection_kernel import Candidates, bucket_table, select, sort
from plansolve.solvers.search.constructive.labelled import labelled_problems
from plansolve.storage.store import Store

# The contract of all beams of one width


def onward(problem, size=3):
    store = Store(in_memory=True)
    sets = goal_sets(problem, size=size, store=store, tell=silent)
    return Way(arcs_onward(problem.blank_graph), sets, problem.start, problem.goal)


def back(problem, size=2):
    sets = start_sets(problem, size=size, tell=silent)
    return Way(arcs_back(problem.blank_graph), sets, problem.goal, problem.start)


@dataclass
class Of:
    """A way to make a beam of some width and threads, its plan, and the plain beam's figures."""

    beam: Callable
    plan: Callable
    start: tuple
    expand: Callable
    patience: int
    unit: int = 1


def by_patterns(problem, way_of=onward):
    way, graph = way_of(problem), problem.blank_graph
    is_onward = way.target == problem.goal
    sets, arcs, penalties = way.sets, way.arcs, way.arcs.penalty.tolist()
    offset, cells = arcs.offset.tolist(), arcs.cell.tolist()

    def expand(layer):
        least = min(paid for _, _, paid in layer)
        for number, (board, came, paid) in enumerate(layer):
            here = board.index(0)
            for arc in range(offset[here], offset[here + 1]):
                there = cells[arc]
                if there == came:
                    continue
                after = list(board)
                after[here], after[there] = after[there], 0
                total = int(sets.table[sets.initial(after)].sum(dtype=np.int64))
                tie = int(mixed(*pack(after))) >> 60
                spent = paid + penalties[arc]
                key = (total * TIES + tie) * way.ranks + min(spent - least, way.ranks - 1)
                rank = spent if tuple(after) == way.target else None
                yield Child(key, number, arc, (tuple(after), here, spent), rank)

    def plan(moves):
        walk = way.walk(moves)
        return graph.plan(walk if is_onward else walk[::-1])

    return Of(
        lambda width, threads: PatternBeamRun(way, width, 1 << 28),
        plan,
        (way.source, None, 0),
        expand,
        8 * len(way.source),
        TIES * way.ranks,
    )


def by_operators(ground, start, root, plan, made, values):
    moves, goal = ground.guide.moves, tuple(ground.guide.moves.goal.tolist())
    offset, operator, node = (
        array.tolist() for array in (moves.offset, moves.edge_operator, moves.edge_node)
    )
    goals = count(0, -1)

    def expand(layer):
        for number, (board, state) in enumerate(layer):
            for edge in range(offset[state], offset[state + 1]):
                after = made(board, operator[edge])
                if after is None or max(looked := [int(value) for value in values(after)]) > 254:
                    continue
                key = sum(value**2 for value in looked) >> ground.guide.shift
                is_goal = all(
                    wanted in (-1, kind) for wanted, kind in zip(goal, after, strict=True)
                )
                # The last of several is taken.
                rank = next(goals) if is_goal else None
                yield Child(key, number, operator[edge], (after, node[edge]), rank)

    return Of(
        lambda width, threads: OperatorBeamRun(ground, start, root, width, threads),
        plan,
        (tuple(start), root),
        expand,
        49,
    )


def by_arrangements(problem):
    rules = permutation_rules(problem.puzzle)
    lookups = guiding_lookups(rules, symmetries(problem.puzzle), silent)
    return by_operators(
        Ground(permutation_moves(rules), lookups),
        problem.puzzle.arrangement(problem.start),
        0,
        lambda moves: tuple(rules.names[move] for move in moves),
        lambda board, move: tuple(rules.after(board, move)),
        lookups.values,
    )


def by_placements(problem):
    choice = table_choice(problem.puzzle, placement_rules(problem.puzzle))
    lookups = choice.guide(20_000, store=Store(in_memory=True), tell=silent, threads=1)
    (moves, root), operators = operator_moves(problem), problem.puzzle.operators

    def made(board, move):
        return operators[move].apply(board) if operators[move].applies_to(board) else None

    return by_operators(
        Ground(moves, lookups),
        problem.start,
        root,
        lambda moves: tuple(operators[move].name for move in moves),
        made,
        lookups.sums,
    )


@dataclass
class Kind:
    """A kind of beam, a puzzle for it, and a larger one."""

    of: Callable
    puzzle: Puzzle
    large: Puzzle


KINDS = {
    "patterns": Kind(by_patterns, make("sliding", 2, 4), make("sliding", 4, 4)),
    "patterns with penalties": Kind(by_patterns, make("lloyd", 1, 5), make("lloyd", 3, 5)),
    "patterns back": Kind(
        lambda problem: by_patterns(problem, back), make("lloyd", 1, 5), make("lloyd", 3, 5)
    ),
    "arrangements": Kind(by_arrangements, make("loopover", 2, 3), make("torus-ring", 5, 5)),
    "arrangements one way": Kind(
        by_arrangements,
        make("torus-ring:rows=RL,columns=UUD,rings=none", 2, 3),
        make("torus-ring:rows=LRLR,columns=UDUD,rings=none", 4, 4),
    ),
    "placements": Kind(
        by_placements, make("sliding:metric=multi-tile", 2, 3), make("sliding-gaps:2", 4, 4)
    ),
}
of_every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def run(problem, of, width, threads=1, upper_bound=NO_PLAN, step=1):
    """The length of the beam's plan, which is replayed, None where it has none; and the beam."""
    made = of.beam(width, threads)
    for _ in made.run(Incumbent(upper_bound=upper_bound), step):
        pass
    if made.moves is None:
        return None, made
    assert check_plan(problem, of.plan(made.moves)).solves
    assert len(made.moves) < upper_bound
    return len(made.moves), made


def shuffled(puzzle, seed):
    return Problem(puzzle, cases.scrambles(puzzle, 12, 300, seed)[-1])


@of_every_kind
@pytest.mark.parametrize("width", [1, 7, 60])
def test_a_beam_goes_the_way_of_a_plain_one(kind, width, monkeypatch):
    # Sets of hashes in which none is forgotten.
    monkeypatch.setattr(pattern_module, "_BUCKET", 64)
    for puzzle in (kind.puzzle, kind.large):
        problem = shuffled(puzzle, 5)
        of = kind.of(problem)
        moves, states = beam(of.start, of.expand, width, patience=of.patience, unit=of.unit)
        _, made = run(problem, of, width)
        assert (made.moves, made.states) == (moves, states)


WIDE = [
    *((kind.of, kind.puzzle) for kind in KINDS.values()),
    (by_patterns, make("sliding", 2, 3, "snail")),
    (by_patterns, cases.one_way_ring()),
    (by_patterns, cases.random_graph(6, 1)),
    (lambda problem: by_patterns(problem, back), cases.random_graph(7, 2)),
]


@pytest.mark.parametrize(("of", "puzzle"), WIDE)
def test_a_beam_wider_than_the_layers_finds_a_shortest_plan(of, puzzle):
    """On a blank graph that with the fewest penalties."""
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    deepest = max(sorted(table), key=table.get)
    for start in (deepest, *Random(4).sample(sorted(table), 4)):
        problem = Problem(puzzle, start)
        if problem.is_solved:
            continue
        made = of(problem)
        length, wide = run(problem, made, 20_000)
        assert length == table[start]
        if made.unit > 1:
            assert penalty(problem, made.plan(wide.moves)) == least_penalties(puzzle, start, table)


@of_every_kind
def test_beams_are_the_same_with_two_threads_and_beat_the_incumbent(kind):
    problem = shuffled(kind.large, 4)
    of = kind.of(problem)
    (length, one), (_, two) = (run(problem, of, 300, threads) for threads in (1, 2))
    assert one.moves == two.moves and length is not None
    assert (one.states, one.children) == (two.states, two.children)
    better, _ = run(problem, of, 300, upper_bound=length)
    assert better is None or better < length
    hopeless, few = run(problem, of, 300, upper_bound=length // 3)
    assert hopeless is None and few.children < one.children


def test_what_cannot_beat_the_incumbent_by_a_step_is_dropped():
    puzzle, table = make("sliding", 3, 3), cases.distance_table("sliding", 3, 3)
    problem = Problem(puzzle, max(sorted(table), key=table.get))
    of = by_patterns(problem)
    for upper, step, length in ((31, 2, None), (32, 2, None), (33, 2, 31), (32, 1, 31)):
        assert run(problem, of, 200_000, upper_bound=upper, step=step)[0] == length


# Parts of the kernels


def test_a_beam_with_too_few_places_for_candidates_squeezes_them():
    # Each state has 16 children, and there are places for eight.
    start = tuple(Random(3).sample(range(17), 17))
    problem = Problem(
        cases.blank_graph_puzzle(17, [*permutations(range(17), 2)], (*range(17),)), start
    )
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
    for way in (onward, back):
        assert run(problem, by_patterns(problem, lambda p, way=way: way(p, 1)), 1000)[0] == least


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


def test_a_full_bucket_forgets_a_hash():
    candidates = candidates_of(np.arange(9, dtype=np.uint32), np.arange(1, 10) * 2)
    closed, chosen = bucket_table(8, 8), np.zeros(9, np.uint32)
    sort(9, candidates)
    assert closed.shape == (1, 8)
    assert select(0, 9, 0, 9, candidates, closed, chosen) == 9
    # 18 has taken the place of 2: the one that its lowest bits but one tell.
    assert sorted(closed[0]) == [4, 6, 8, 10, 12, 14, 16, 18]


@pytest.mark.parametrize("cells", [2, 9, 12, 13, 24, 25, 26, 32])
def test_packed_boards_move_as_boards_do_and_are_told_apart(cells):
    random = Random(cells)
    for _ in range(50):
        state = random.sample(range(cells), cells)
        blank = state.index(0)
        target = random.choice([cell for cell in range(cells) if cell != blank])
        graph = [[target] if cell == blank else [] for cell in range(cells)]
        arcs = pack_arcs(graph, lambda b, d: 0)
        before = pack(tuple(state))
        words = before + np.uint64(state[target]) * arcs.swing
        state[blank], state[target] = state[target], 0
        assert (words == pack(tuple(state))).all() and (words != before).any()
        assert not (words >> np.uint64(60)).any()
        assert mixed(*words) != mixed(*before)


# Beams at rising widths


def told(search, problem, budget, enough=0):
    """The reports up to the first plan of at most `enough` moves, and the last plan."""
    incumbent, reports, plan = Incumbent(), [], None
    for report in search(problem, incumbent, budget):
        reports.append(report)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            assert plan is None or len(report.plan) < len(plan)
            plan = report.plan
            incumbent.lower_upper_bound(len(plan))
            if len(plan) <= enough:
                break
    return reports, plan


@pytest.mark.parametrize(
    ("columns", "memory", "has_tables"),
    [pytest.param(6, 1 << 28, True, marks=pytest.mark.slow), (9, 1 << 23, False)],
)
def test_small_grids_have_a_beam_without_tables_first(
    columns, memory, has_tables, tmp_path, monkeypatch
):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    puzzle, used = make("sliding", 3, columns), []
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 2000, 1)[0])
    for report in blank_beam(problem, Incumbent(), Budget(memory=memory)):
        if "width" in report.counts:
            used.append(report.by.startswith("beam with pattern databases"))
        if used and used[-1]:
            break
    assert used == [False] * (len(used) - has_tables) + [True] * has_tables and len(used) > 1


def test_the_memory_bounds_the_width():
    puzzle = make("sliding", 4, 4)
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 300, 1)[0])
    way = onward(problem)
    assert bytes_of_beam(way, 2000, 80) > bytes_of_beam(way, 1000, 80) > 1000 * 5 * 80
    small = Budget(memory=bytes_of_beam(way, 1500, 80))
    widths = {report.counts.get("width", 0) for report in pattern_beam(problem, Incumbent(), small)}
    assert max(widths) < 10_000


def test_random_boards_of_the_torus_get_short_plans():
    puzzle = make("torus-ring", 5, 5)
    problem = Problem(puzzle, tuple(Random(8).sample(puzzle.goal, 25)))
    budget = Budget(time.monotonic() + 20, 100 << 20)
    reports, plan = told(permutation_beam, problem, budget, 26)
    assert 8 <= max(report.lower_bound for report in reports) <= len(plan) <= 26


def test_plans_of_the_inverse_board_are_turned_round():
    # Only beams of one width fit: a second plan is that of the beam from the inverse board.
    puzzle, seconds = make("loopover", 4, 4), 0
    for start in cases.scrambles(puzzle, 12, 60, 9):
        reports, _ = told(permutation_beam, Problem(puzzle, start), Budget(memory=2_000_000))
        seconds += sum(report.plan is not None for report in reports) == 2
    assert seconds


@pytest.mark.parametrize(
    ("specification", "size"),
    [(("torus-ring", 5, 5), 4), (("loopover", 10, 10), 2), (("torus-ring:rings=none", 1, 3), 3)],
)
def test_patterns_look_at_all_tiles_and_their_tables_stay_small(specification, size):
    puzzle = make(*specification)
    rules, maps = permutation_rules(puzzle), symmetries(puzzle)[:8]
    patterns = guide_patterns(rules, maps, 6)
    assert {len(pattern) for pattern in patterns} == {size}
    assert len({frozenset(pattern) for pattern in patterns}) == len(patterns)
    looked_at = {image.index(cell) for pattern in patterns for image in maps for cell in pattern}
    assert len(looked_at) >= 0.7 * puzzle.cells
    assert patterns == guide_patterns(rules, maps, 6)


def test_puzzles_that_are_no_permutations_or_too_large_are_left_alone():
    for puzzle in (make("sliding", 3, 3), make("loopover", MOST_CELLS // 10 + 1, 10)):
        assert [*permutation_beam(Problem(puzzle, puzzle.goal), Incumbent(), Budget())] == []


# Alike pieces told apart


TOO_MANY = {
    "many of a kind": alike(make("sliding", 6, 6), 12),
    "many cells": alike(make("sliding", 8, 9), 3),
    "many open cells": opened(make("sliding", 8, 9), 30),
    "gaps": make("sliding-gaps:3", 6, 6),
    "turns": alike(make("loopover", 5, 5), 12),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "turns" else name for name in TOO_MANY],
)
def test_alike_pieces_are_told_apart_and_their_bounds_kept_back(name):
    puzzle = TOO_MANY[name]
    problem = Problem(puzzle, tuple(Random(name).sample(puzzle.pieces, puzzle.cells)))
    reports, plan = told(operator_beam, problem, Budget(memory=1 << 28), 1 << 20)
    assert plan and all(report.lower_bound == 0 for report in reports)


def test_two_gaps_need_a_first_move_of_the_other_one_at_times():
    """Cutting exchanges of gaps out of a plan never makes it longer."""
    puzzle, random, of_one_gap = make("sliding-gaps", 5, 5), Random(4), []
    for _ in range(6):
        problem = Problem(puzzle, tuple(random.sample(puzzle.goal, puzzle.cells)))
        twins = [twin for twin in labelled_problems(problem) if why_unsolvable(twin) is None]
        assert told(operator_beam, problem, Budget(memory=1 << 28), 1 << 20)[1]
        of_one_gap.append(bool(twins))
    assert {*of_one_gap} == {False, True}
