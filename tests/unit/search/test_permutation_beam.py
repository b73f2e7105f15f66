"""Beams over arrangements: plans are legal, never shorter than the truth, and reproducible."""

import time
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import make

from plansolve.analysis.automorphisms import symmetries
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, operator_automaton
from plansolve.solvers.search.beam.near_goal import NearGoal, hash_of, moves_of
from plansolve.solvers.search.beam.permutation_beam import (
    MOST_CELLS,
    guide_patterns,
    guiding_lookups,
    permutation_beam,
)
from plansolve.solvers.search.beam.permutation_beam_run import Ground, PermutationBeamRun

SMALL_MEMORY = 100 << 20


def best_plan(problem, memory=SMALL_MEMORY, seconds=20.0, good_enough=0):
    """The best plan of a search and its last lower bound; every plan must be a better one."""
    incumbent = Incumbent()
    plan = None
    budget = Budget(deadline=time.monotonic() + seconds, memory=memory)
    for report in permutation_beam(problem, incumbent, budget):
        incumbent.raise_lower_bound(report.lower_bound)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            assert len(report.plan) < incumbent.upper_bound
            incumbent.lower_upper_bound(len(report.plan))
            plan = report.plan
            if len(plan) <= good_enough:
                break
    return plan, incumbent.lower_bound


def near_goal(puzzle, most):
    near = NearGoal(permutation_rules(puzzle), most)
    near.build()
    return near


def ground_of(puzzle, most):
    rules = permutation_rules(puzzle)
    lookups = guiding_lookups(rules, symmetries(puzzle), lambda note: None)
    automaton = operator_automaton(rules.destinations, length=3, keep=EVERY_PLAN)
    return Ground(rules, lookups, automaton, near_goal(puzzle, most))


def run_of(ground, start, width, threads=1, upper_bound=NO_PLAN):
    """A beam that has ended."""
    beam = PermutationBeamRun(ground, start, width, threads)
    for _ in beam.run(Incumbent(upper_bound=upper_bound)):
        pass
    return beam


def shuffled(cells, seed):
    return tuple(Random(seed).sample(range(cells), cells))


SMALL = [
    ("loopover", 2, 3),
    ("torus-ring:rings=outer", 2, 3),
    ("torus-ring:rows=RL,columns=UUD,rings=none", 2, 3),
    ("torus-ring:rows=R-,columns=--U,rings=none", 2, 3),
    ("torus-ring:rings=none", 1, 5),
    ("torus-ring:rings=none", 2, 2),
]


@pytest.mark.parametrize("specification", SMALL, ids=str)
def test_small_groups_get_shortest_plans_and_impossible_boards_none(specification):
    puzzle, table = make(*specification), cases.distance_table(*specification)
    for start in Random(1).sample(sorted(table), min(len(table), 4)):
        plan, bound = best_plan(Problem(puzzle, start))
        assert len(plan) == table[start]
        assert bound <= table[start]
    for seed in range(20):
        start = tuple(home + 1 for home in shuffled(puzzle.cells, seed))
        if start not in table:
            assert best_plan(Problem(puzzle, start))[0] is None
            break


@pytest.mark.parametrize(
    "specification",
    [("torus-ring", 5, 5, None, 3), ("torus-ring", 4, 4, None, 3), ("loopover", 4, 5, None, 3)],
    ids=str,
)
def test_shallow_boards_get_shortest_plans(specification):
    puzzle, table = make(*specification[:3]), cases.distance_table(*specification)
    for start in Random(2).sample(sorted(table), 3):
        plan, bound = best_plan(Problem(puzzle, start))
        assert len(plan) == table[start]
        assert bound <= table[start]


@pytest.mark.parametrize("specification", [("loopover", 3, 3), ("torus-ring:rings=outer", 3, 3)])
def test_beams_find_plans_that_are_not_shorter_than_the_truth(specification):
    puzzle, table = make(*specification), cases.distance_table(*specification, depth=5)
    ground = ground_of(puzzle, 60)
    deep = Random(3).sample([board for board, depth in sorted(table.items()) if depth == 5], 8)
    shortest = 0
    for start in deep:
        beam = run_of(ground, puzzle.arrangement(start), 200)
        plan = tuple(ground.rules.names[move] for move in beam.moves)
        assert check_plan(Problem(puzzle, start), plan).solves
        assert len(plan) >= 5
        shortest += len(plan) == 5
    assert shortest >= 6


def test_random_boards_of_the_torus_get_plans():
    puzzle = make("torus-ring", 5, 5)
    start = tuple(home + 1 for home in shuffled(25, 8))
    plan, bound = best_plan(Problem(puzzle, start), good_enough=26)
    assert len(plan) <= 26
    assert 8 <= bound <= len(plan)


def test_one_way_rows_and_columns_get_plans():
    puzzle = make("torus-ring:rows=LRLR,columns=UDUD,rings=none", 4, 4)
    start = cases.scrambles(puzzle, 1, 60, seed=3)[0]
    plan, _ = best_plan(Problem(puzzle, start), good_enough=40)
    assert plan is not None


def test_beams_of_one_width_are_the_same_each_time_and_with_two_threads():
    ground = ground_of(make("torus-ring", 5, 5), 9000)
    for threads in (1, 2):
        runs = [run_of(ground, shuffled(25, 4), 300, threads) for _ in range(2)]
        assert runs[0].moves is not None
        assert runs[0].moves == runs[1].moves
        assert runs[0].children == runs[1].children
        first = runs[0].moves
        board = shuffled(25, 4)
        for move in first:
            board = ground.rules.after(board, move)
        assert board == tuple(range(25))


def test_no_beam_yields_a_plan_that_is_no_better_than_the_incumbent():
    ground = ground_of(make("torus-ring", 5, 5), 9000)
    free = run_of(ground, shuffled(25, 5), 300)
    length = len(free.moves)
    bounded = run_of(ground, shuffled(25, 5), 300, upper_bound=length)
    assert bounded.moves is None or len(bounded.moves) < length
    hopeless = run_of(ground, shuffled(25, 5), 300, upper_bound=9)
    assert hopeless.moves is None
    assert hopeless.children < free.children


def test_the_search_ends_when_the_bounds_meet():
    puzzle = make("torus-ring", 5, 5)
    problem = Problem(puzzle, tuple(home + 1 for home in shuffled(25, 6)))
    assert list(permutation_beam(problem, Incumbent(9, 9), Budget())) == []
    incumbent = Incumbent()
    reports = permutation_beam(problem, incumbent, Budget(memory=SMALL_MEMORY))
    for report in reports:
        if report.plan is not None:
            incumbent.lower_bound = incumbent.upper_bound = len(report.plan)
            break
    assert all(report.plan is None for report in reports)


def test_the_set_near_the_goal_holds_the_true_distances():
    specification = ("torus-ring", 4, 4)
    puzzle = make(*specification)
    table = cases.distance_table(*specification, None, 3)
    near = near_goal(puzzle, 2 * len(table))
    assert near.depth == 3
    assert not near.is_whole
    assert np.count_nonzero(near.known.slots) == len(table)
    for board in Random(7).sample(sorted(table), 200):
        here = puzzle.arrangement(board)
        assert near.distance(here) == table[board]
        assert len(near.descent(here)) == table[board]
    far = shuffled(16, 9)
    assert near.distance(far) is None
    assert near.descent(far) is None


def test_the_set_near_the_goal_goes_against_one_way_moves():
    specification = ("torus-ring:rows=RL,columns=UUD,rings=none", 2, 3)
    puzzle, table = make(*specification), cases.distance_table(*specification)
    near = near_goal(puzzle, 10_000)
    assert near.is_whole
    assert near.depth >= max(table.values())
    for board, distance in table.items():
        assert near.distance(puzzle.arrangement(board)) == distance


def test_hashes_are_kept_up_to_date():
    rules = permutation_rules(make("torus-ring", 4, 4))
    moves, board = moves_of(rules), shuffled(16, 3)
    for move in range(len(rules.sources)):
        after = rules.after(board, move)
        changed = [c for c in range(16) if board[c] != after[c]]
        value = hash_of(moves, board)
        for cell in changed:
            value ^= int(moves.key[board[cell] * 16 + cell])
            value ^= int(moves.key[after[cell] * 16 + cell])
        assert value == hash_of(moves, after)


@pytest.mark.parametrize(
    ("specification", "size"),
    [
        (("torus-ring", 5, 5), 4),
        (("loopover", 5, 5), 4),
        (("loopover", 10, 10), 2),
        (("torus-ring:rings=none", 1, 3), 3),
        (("torus-ring:rings=none", 1, 2), 2),
    ],
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


def test_a_tile_that_cannot_get_home_is_proved_to_have_no_plan():
    puzzle = make("torus-ring:rows=R-,columns=---,rings=none", 2, 3)
    reports = list(permutation_beam(Problem(puzzle, (4, 2, 3, 1, 5, 6)), Incumbent(), Budget()))
    assert reports[-1].lower_bound == NO_PLAN
    assert all(report.plan is None for report in reports)


def test_puzzles_that_are_no_permutations_or_too_large_are_left_alone():
    sliding = make("sliding", 3, 3)
    assert list(permutation_beam(Problem(sliding, sliding.goal), Incumbent(), Budget())) == []
    large = make("loopover", MOST_CELLS // 10 + 1, 10)
    assert list(permutation_beam(Problem(large, large.goal), Incumbent(), Budget())) == []
    still = Puzzle("still", 1, 2, (1, 2), (Operator("n", ()),), ("0", "1", "2"))
    assert list(permutation_beam(Problem(still, (2, 1)), Incumbent(), Budget())) == []


def test_the_blank_may_be_a_tile_like_others_where_no_move_asks_for_it():
    turn = Operator("t", ((0, 1), (1, 2), (2, 3), (3, 0)))
    swap = Operator("s", ((0, 1), (1, 0)))
    puzzle = Puzzle("with-0", 2, 2, (1, 2, 3, 0), (turn, swap), ("_", "1", "2", "3"))
    table = cases.Rules.of(puzzle).distances_to(puzzle.goal)
    for start, distance in table.items():
        if distance > 4:
            plan, _ = best_plan(Problem(puzzle, start))
            assert len(plan) == distance
            break
    reports = list(permutation_beam(Problem(puzzle, puzzle.goal), Incumbent(), Budget()))
    assert reports[-1] == Report(reports[-1].by, ())
