"""Beams of one width, of whatever kind, and the beams over arrangements at rising widths."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.analysis.automorphisms import symmetries
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.additive import goal_sets
from plansolve.patterns.partition import table_choice
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.beam.operator_beam import MOST_CELLS, permutation_beam
from plansolve.solvers.search.beam.operator_beam_run import (
    Ground,
    OperatorBeamRun,
    operator_moves,
    permutation_moves,
)
from plansolve.solvers.search.beam.pattern_beam_run import PatternBeamRun, Way
from plansolve.solvers.search.beam.permutation_guide import guide_patterns, guiding_lookups
from plansolve.solvers.search.packed_board_kernel import arcs_onward
from plansolve.storage.store import Store

SMALL_MEMORY = 100 << 20


# The contract of all beams


def by_patterns(problem):
    store = Store(in_memory=True)
    sets = goal_sets(problem, size=3, store=store, tell=cases.silent)
    way = Way(arcs_onward(problem.blank_graph), sets, problem.start, problem.goal)
    return (
        lambda width, threads: PatternBeamRun(way, width, 1 << 28),
        lambda moves: problem.blank_graph.plan(way.walk(moves)),
    )


def by_arrangements(problem):
    rules = permutation_rules(problem.puzzle)
    lookups = guiding_lookups(rules, symmetries(problem.puzzle), cases.silent)
    ground, start = Ground(permutation_moves(rules), lookups), problem.puzzle.arrangement
    return (
        lambda width, threads: OperatorBeamRun(ground, start(problem.start), 0, width, threads),
        lambda moves: tuple(rules.names[move] for move in moves),
    )


def by_placements(problem):
    choice = table_choice(problem.puzzle, placement_rules(problem.puzzle))
    lookups = choice.guide(20_000, store=Store(in_memory=True), tell=cases.silent, threads=1)
    moves, root = operator_moves(problem)
    ground, operators = Ground(moves, lookups), problem.puzzle.operators
    return (
        lambda width, threads: OperatorBeamRun(ground, problem.start, root, width, threads),
        lambda moves: tuple(operators[move].name for move in moves),
    )


@dataclass
class Beams:
    """A kind of beam, a puzzle for it, and a larger one."""

    of: Callable
    puzzle: Puzzle
    large: Puzzle


KINDS = {
    "patterns": Beams(by_patterns, make("sliding", 2, 4), make("sliding", 4, 4)),
    "arrangements": Beams(by_arrangements, make("loopover", 2, 3), make("torus-ring", 5, 5)),
    "arrangements one way": Beams(
        by_arrangements,
        make("torus-ring:rows=RL,columns=UUD,rings=none", 2, 3),
        make("torus-ring:rows=LRLR,columns=UDUD,rings=none", 4, 4),
    ),
    "placements": Beams(
        by_placements, make("sliding:metric=multi-tile", 2, 3), make("sliding-gaps:2", 4, 4)
    ),
}
EVERY = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def length_of(problem, kind, width, threads=1, upper_bound=NO_PLAN):
    """The length of the beam's plan, which is replayed, None where it has none; and the beam."""
    beam_of, plan_of = kind.of(problem)
    beam = beam_of(width, threads)
    for _ in beam.run(Incumbent(upper_bound=upper_bound)):
        pass
    if beam.moves is None:
        return None, beam
    assert check_plan(problem, plan_of(beam.moves)).solves
    assert len(beam.moves) < upper_bound
    return len(beam.moves), beam


@EVERY
def test_a_beam_wider_than_the_layers_finds_a_shortest_plan(kind):
    table = Rules.of(kind.puzzle).distances_to(kind.puzzle.goal)
    for start in Random(1).sample(sorted(table), 6):
        if start == kind.puzzle.goal:
            continue
        problem = Problem(kind.puzzle, start)
        assert length_of(problem, kind, 20_000)[0] == table[start]
        for width in (1, 3, 30):
            length, _ = length_of(problem, kind, width)
            assert length is None or length >= table[start]


def shuffled_board(puzzle, seed, steps=300):
    return cases.scrambles(puzzle, 12, steps, seed)[-1]


@EVERY
def test_no_wider_beam_finds_a_longer_plan(kind):
    # That is no law, but holds of these boards.
    problem = Problem(kind.large, shuffled_board(kind.large, 5))
    lengths = [length_of(problem, kind, width)[0] for width in (30, 300, 3000)]
    assert lengths[-1] is not None
    known = [length for length in lengths if length is not None]
    assert known == sorted(known, reverse=True)


@EVERY
def test_beams_are_the_same_each_time_and_with_two_threads(kind):
    problem = Problem(kind.large, shuffled_board(kind.large, 4))
    runs = [length_of(problem, kind, 300, threads) for threads in (1, 1, 2, 2)]
    for (first, one), (second, other) in (runs[:2], runs[2:], runs[1:3]):
        assert first == second is not None
        assert one.moves == other.moves
        assert (one.states, one.children) == (other.states, other.children)


@EVERY
def test_no_beam_finds_a_plan_that_is_no_better_than_the_incumbent(kind):
    problem = Problem(kind.large, shuffled_board(kind.large, 6))
    length, free = length_of(problem, kind, 300)
    better, _ = length_of(problem, kind, 300, upper_bound=length)
    assert better is None or better < length
    hopeless, beam = length_of(problem, kind, 300, upper_bound=length // 3)
    assert hopeless is None
    assert beam.children < free.children


@EVERY
def test_a_beam_gives_up_where_there_is_no_plan(kind):
    table = Rules.of(kind.puzzle).distances_to(kind.puzzle.goal)
    for seed in range(20):
        start = tuple(Random(seed).sample(kind.puzzle.goal, kind.puzzle.cells))
        if start not in table:
            assert length_of(Problem(kind.puzzle, start), kind, 20_000)[0] is None
            break


# Beams over arrangements at rising widths


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
        plan, bound = best_plan(Problem(puzzle, start), good_enough=table[start])
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
        plan, bound = best_plan(Problem(puzzle, start), good_enough=table[start])
        assert len(plan) == table[start]
        assert bound <= table[start]


def test_random_boards_of_the_torus_get_plans():
    puzzle = make("torus-ring", 5, 5)
    start = tuple(home + 1 for home in shuffled(25, 8))
    plan, bound = best_plan(Problem(puzzle, start), good_enough=26)
    assert len(plan) <= 26
    assert 8 <= bound <= len(plan)


def test_plans_of_the_inverse_board_are_turned_round():
    # Only beams of one width fit: a second plan is that of the beam from the inverse board.
    puzzle, seconds = make("loopover", 4, 4), 0
    for start in cases.scrambles(puzzle, 12, 60, 9):
        plans = [
            report.plan
            for report in permutation_beam(
                Problem(puzzle, start), Incumbent(), Budget(memory=2_000_000)
            )
            if report.plan is not None
        ]
        assert all(check_plan(Problem(puzzle, start), plan).solves for plan in plans)
        seconds += len(plans) == 2
    assert seconds


def test_one_way_rows_and_columns_get_plans():
    puzzle = make("torus-ring:rows=LRLR,columns=UDUD,rings=none", 4, 4)
    start = cases.scrambles(puzzle, 1, 60, seed=3)[0]
    plan, _ = best_plan(Problem(puzzle, start), good_enough=40)
    assert plan is not None


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
            plan, _ = best_plan(Problem(puzzle, start), good_enough=distance)
            assert len(plan) == distance
            break
    reports = list(permutation_beam(Problem(puzzle, puzzle.goal), Incumbent(), Budget()))
    assert reports[-1] == Report(reports[-1].by, ())
