"""What `auto` chooses, what engines give together, and what is asked about shortest plans."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import distance_table, make, one_way_ring, row_slides, scrambles
from support.fixtures.solving import board
from support.reference.oracle import Rules

from plansolve.bounds.registry import best_lower_bound
from plansolve.checker import check_plan
from plansolve.errors import OptionError
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.model.structure import PuzzleKind, Structure
from plansolve.solvers.engine import registry
from plansolve.solvers.engine.choice import choose
from plansolve.solvers.engine.registry import (
    ENGINES,
    FOLLOW_UPS,
    Engine,
    check_fit,
    find_engine,
    fits,
)
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status, StopReason

LLOYD = ("lloyd", 3, 3)


def chosen(problem, *, optimal=True, seconds=None, threads=2):
    """The engines of each track."""
    bound = best_lower_bound(problem)
    choice = choose(problem, bound, optimal=optimal, seconds=seconds, threads=threads)
    assert choice.reason
    return [[stage.engine.name for stage in track] for track in choice.tracks], choice


def shuffled(name, rows, columns, seed=4):
    puzzle, random = make(name, rows, columns), Random(seed)
    return Problem(puzzle, tuple(random.sample(puzzle.goal, puzzle.cells)))


# The choice


def test_tiny_boards_are_left_to_breadth_first_search():
    for problem in (board(make("sliding", 3, 3), 30), board(make(*LLOYD), 9)):
        assert chosen(problem)[0] == [["breadth-first"]]


def test_few_boards_of_many_alike_pieces_are_left_to_breadth_first_search():
    rules = make("sliding", 3, 4)
    few = replace(rules, goal=(1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 0), pieces=())
    more = replace(rules, goal=(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 0), pieces=())
    assert chosen(Problem(few, few.goal[::-1]))[0] == [["breadth-first"]]
    assert ["idastar"] in chosen(Problem(more, more.goal[::-1]))[0]


def test_few_boards_that_do_not_hold_the_goal_are_shown_to_be_unsolvable():
    # The blank has a way into a dead end and none to its goal cell, whatever the tiles are.
    operators = (
        Operator("in", ((4, 1), (1, 4)), 4),
        Operator("on", ((9, 4), (4, 9)), 9),
        Operator("by", ((6, 4), (4, 6)), 6),
    )
    puzzle = Puzzle(
        "sink",
        1,
        10,
        (*9 * (OPEN,), 0),
        operators,
        (".", "a", "b"),
        pieces=(0, 1, 1, 1, 1, 1, 1, 2, 2, 2),
    )
    result = solve(Problem(puzzle, (1, 2, 2, 1, 0, 2, 1, 1, 1, 1)))
    assert result.status == Status.UNSOLVABLE


def test_short_plans_are_tried_by_sat_beside_the_searches_and_long_ones_are_not():
    puzzle = make("sliding", 4, 4)
    near = Problem(puzzle, (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12))
    far = Problem(puzzle, (0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1))
    assert ["cnf"] in chosen(near)[0] and ["idastar"] in chosen(near)[0]
    assert ["cnf"] not in chosen(far)[0] and ["idastar"] in chosen(far)[0]


def test_permutations_get_a_proof_and_plans():
    tracks, choice = chosen(shuffled("torus-ring", 5, 5))
    assert tracks == [["idastar"], ["constructive"], ["beam"]]
    assert [track[0].after for track in choice.tracks] == [0.0, 1.0, 0.0]
    plans, _ = chosen(shuffled("torus-ring", 5, 5), optimal=False)
    assert plans == [["idastar"], ["constructive", "beam"]]


def test_construction_has_half_of_the_time_where_plans_are_the_aim():
    problem = shuffled("torus-ring", 5, 5)
    for optimal, seconds, wanted in ((True, 60, 5), (False, 60, 30), (False, 6, 5)):
        _, choice = chosen(problem, optimal=optimal, seconds=seconds)
        construction = choice.tracks[1][0]
        assert (construction.engine.name, construction.seconds) == ("constructive", wanted)


def test_large_boards_get_plans_first():
    tracks, _ = chosen(board(make("sliding", 12, 12), 200))
    assert tracks == [["constructive", "beam"], ["idastar"]]


def test_other_puzzles_get_what_works_on_any():
    assert Structure(row_slides(2, 5)).kind == PuzzleKind.ANY
    assert chosen(board(row_slides(2, 5), 20))[0] == [
        ["idastar"],
        ["constructive"],
        ["beam"],
        ["cnf"],
    ]
    large = board(row_slides(5, 13), 20)
    assert chosen(large)[0] == [["cnf"], ["astar"], ["constructive"], ["beam"]]
    gaps = shuffled("sliding-gaps", 9, 9)
    assert chosen(gaps)[0] == [["constructive"], ["beam"], ["astar"]]


def test_plans_have_a_part_of_the_time_where_the_proof_is_the_aim():
    problem = shuffled("torus-ring", 5, 5)
    beam = [s for t in chosen(problem, seconds=100)[1].tracks for s in t if s.engine.name == "beam"]
    assert [stage.seconds for stage in beam] == [10]
    free = chosen(problem, optimal=False, seconds=100)[1].tracks
    assert [s.seconds for t in free for s in t if s.engine.name == "beam"] == [None]


def test_every_chosen_engine_fits():
    problems = [shuffled("torus-ring", 5, 5), board(make("sliding", 7, 7), 50)]
    problems += [board(make("lloyd", 5, 5), 60), board(row_slides(3, 4), 20)]
    problems += [board(one_way_ring(11), 20), board(make("loopover", 2, 2), 3)]
    for problem in problems:
        for engine in {engine for track in chosen(problem)[0] for engine in track}:
            assert fits(find_engine(engine), problem.structure)


def test_engines_that_do_not_fit_say_what_they_need():
    torus = shuffled("torus-ring", 5, 5)
    usable = (
        "for this puzzle: auto, cnf, cp-sat, breadth-first, astar, idastar, beam, constructive$"
    )
    with pytest.raises(OptionError, match=usable) as caught:
        check_fit(FOLLOW_UPS["least-penalty"], torus.structure)
    assert "needs moves that exchange the blank with one tile" in str(caught.value)


@pytest.mark.parametrize("name", ["all-plans", "cnf-plans", "count-plans", "least-penalty"])
def test_what_is_asked_about_shortest_plans_is_no_engine_for_users(name):
    problem = board(make("sliding", 3, 3), 10)
    assert name in FOLLOW_UPS
    with pytest.raises(OptionError, match=f"^unknown engine '{name}': choose from auto, cnf, "):
        solve(problem, engine=name)
    with pytest.raises(OptionError, match=f"unknown engine '{name}'"):
        find_engine(name)


def test_an_engine_of_somebody_else_works_like_ours(monkeypatch):
    search = {PuzzleKind.ANY: "plansolve.solvers.search.breadth_first:breadth_first"}
    mine = Engine("mine", True, "an engine of somebody else", search)
    monkeypatch.setattr(registry, "ENGINES", {**ENGINES, "mine": mine})
    result = solve(board(make("sliding", 3, 3), 10), engine="mine")
    assert (result.status, result.upper_bound_by) == (Status.OPTIMAL, "mine")


# Engines at work


@pytest.mark.parametrize("engine", ["auto", "astar", "idastar"])
def test_proving_engines_prove_and_are_named(engine, kept_workers):
    problem = Problem(make("sliding", 3, 3), (6, 4, 8, 7, 2, 5, 1, 3, 0))
    result = solve(problem, engine=engine, workers=kept_workers)
    assert (result.status, result.length) == (Status.OPTIMAL, 24)
    assert result.engine == engine
    assert result.upper_bound_by == ("breadth-first" if engine == "auto" else engine)
    if engine != "auto":
        assert (result.lower_bound_by, result.statistics.counts.keys()) == (engine, {engine})


def test_the_techniques_behind_plan_and_bound_are_told(kept_workers):
    problem = Problem(make("sliding", 3, 3), (6, 4, 8, 7, 2, 5, 1, 3, 0))
    proved = solve(problem, engine="idastar", workers=kept_workers).statistics
    assert proved.plan_technique == proved.bound_technique == "IDA* with tile distances"
    first = solve(problem, optimal=False, engine="constructive", workers=kept_workers)
    document = first.statistics.document()
    assert document["plan_technique"] == "row by row"
    assert document["bound_technique"] == first.lower_bound_by != "constructive"


def test_a_constructive_plan_is_feasible_and_no_proof(kept_workers):
    problem = shuffled("loopover", 3, 3)
    result = solve(problem, optimal=False, engine="constructive", workers=kept_workers)
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.EXHAUSTED)
    assert result.upper_bound_by == "constructive"
    assert 0 < result.lower_bound < result.length
    assert result.explanation


def test_astar_proves_that_a_board_cannot_be_solved(kept_workers):
    # The blank cannot go back to where tiles turn; nothing but a search tells.
    moves = Operator("a", ((0, 1), (1, 0)), 0), Operator("b", ((2, 3), (3, 4), (4, 2)), 0)
    puzzle = Puzzle("one way", 1, 5, (1, 0, 2, 3, 4), moves, tuple("01234"))
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    out_of_reach = Problem(puzzle, (1, 0, 3, 4, 2))
    assert out_of_reach.start not in table
    for engine in ("auto", "astar"):
        result = solve(out_of_reach, engine=engine, workers=kept_workers)
        assert result.status == Status.UNSOLVABLE
        assert "every board that can be reached" in result.explanation


@pytest.mark.parametrize("engine", ["astar", "breadth-first", "idastar"])
def test_a_largest_horizon_holds_for_every_engine(engine, kept_workers):
    problem = Problem(make("sliding", 3, 3), (6, 4, 8, 7, 2, 5, 1, 3, 0))
    for largest in (24, 30):
        result = solve(problem, engine=engine, max_horizon=largest, workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, 24)
    result = solve(problem, engine=engine, max_horizon=23, workers=kept_workers)
    assert result.status == Status.NO_PLAN_WITHIN_HORIZON
    assert result.lower_bound == 24


# After the proof


def test_the_least_penalty_is_that_of_all_shortest_plans(kept_workers):
    puzzle, table = make(*LLOYD), distance_table(*LLOYD)
    rules = Rules.of(puzzle)
    price = {o.name: o.penalty for o in puzzle.operators}
    starts = [s for s in Random(3).sample(sorted(table), 400) if 8 <= table[s] <= 11][:4]
    assert len(starts) == 4
    for start in starts:
        problem = Problem(puzzle, start)
        result = solve(problem, engine="idastar", workers=kept_workers)
        # The cheapest way through the boards that lie on shortest plans.
        cheapest = {start: 0}
        for left in range(table[start] - 1, -1, -1):
            following = {}
            for state, cost in cheapest.items():
                for name, after in rules.successors(state):
                    if table.get(after) == left:
                        total = cost + price[name]
                        following[after] = min(total, following.get(after, total))
            cheapest = following
        assert result.is_least_penalty
        assert result.penalty == penalty(problem, result.plan) == cheapest[puzzle.goal]


@pytest.mark.parametrize(
    ("specification", "depth"),
    [
        (("sliding", 3, 3), 8),
        (LLOYD, 8),
        (("loopover", 3, 3), 8),
        (("torus-ring", 5, 5), 3),
        pytest.param(("torus-ring", 5, 5), 5, marks=pytest.mark.slow),
    ],
)
def test_all_shortest_plans_are_as_many_as_the_oracle_counts(specification, depth, kept_workers):
    puzzle = make(*specification)
    rules = Rules.of(puzzle)
    to_goal = distance_table(*specification, None, depth)
    for seed in range(3):
        problem = board(puzzle, depth, seed)
        if problem.start == puzzle.goal:
            continue
        result = solve(problem, plans="all", workers=kept_workers)
        expected = rules.shortest_plans(problem.start, to_goal, by_board=True)
        assert result.is_every_plan
        assert result.plan_count == len(set(result.plans)) == expected
        assert all(check_plan(problem, plan).solves for plan in result.plans)
        counted = solve(problem, plans="count", workers=kept_workers)
        assert (counted.plan_count, counted.plans) == (expected, None)


def test_plans_up_to_a_number(kept_workers):
    puzzle = make("loopover", 3, 3)
    problem = Problem(puzzle, next(s for s in scrambles(puzzle, 40, 12, 5) if s[0] != 1))
    every = solve(problem, plans="all", workers=kept_workers)
    assert every.plan_count > 2, "another board is needed here"
    count = every.plan_count
    exactly = solve(problem, plans="count", most_plans=count, workers=kept_workers)
    some = solve(problem, plans="all", most_plans=2, workers=kept_workers)
    assert (exactly.plan_count, exactly.is_every_plan) == (count, True)
    assert (some.plan_count, some.is_every_plan, some.explanation) == (2, False, "")
    assert set(some.plans) <= set(every.plans)


def test_plans_that_cannot_be_listed_are_refused():
    with pytest.raises(OptionError, match="cannot be listed or counted"):
        solve(board(row_slides(5, 13), 5), plans="all")
