"""The choices of `auto`, the results of several engines, and questions about shortest plans."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import distance_table, make, one_way_ring, row_slides, scrambles
from support.fixtures.solving import HARD, SIMPLE, board
from support.reference.oracle import Rules, least_penalties

from plansolve.bounds.registry import best_lower_bound
from plansolve.errors import OptionError
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import PuzzleKind
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


def choice_for(problem, *, optimal=True, seconds=None, threads=2):
    bound = best_lower_bound(problem)
    choice = choose(problem, bound, optimal=optimal, seconds=seconds, threads=threads)
    assert choice.reason
    return choice


def shuffled(name, rows, columns, seed=4):
    puzzle, random = make(name, rows, columns), Random(seed)
    return Problem(puzzle, tuple(random.sample(puzzle.goal, puzzle.cells)))


# The choice

FIFTEEN = make("sliding", 4, 4)
TWELVE = make("sliding", 3, 4)
FEW = replace(TWELVE, goal=(1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 0), pieces=())
MORE = replace(TWELVE, goal=(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 0), pieces=())
RING = ("torus-ring", 5, 5)
PROOF_FIRST = [["idastar"], ["constructive"], ["beam"]]


@pytest.mark.parametrize(
    ("problem", "optimal", "tracks"),
    [
        # Where there are few boards, what decides is how soon an engine is ready.
        (board(make("sliding", 3, 3), 30), True, [["breadth-first"]]),
        (board(make(*LLOYD), 9), True, [["breadth-first"]]),
        (Problem(FEW, FEW.goal[::-1]), True, [["breadth-first"]]),
        (Problem(MORE, MORE.goal[::-1]), True, [*PROOF_FIRST, ["cnf"]]),
        # SAT tries short plans.
        (
            Problem(FIFTEEN, (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)),
            True,
            [*PROOF_FIRST, ["cnf"]],
        ),
        (HARD, True, PROOF_FIRST),
        (shuffled(*RING), True, PROOF_FIRST),
        (shuffled(*RING), False, [["idastar"], ["constructive", "beam"]]),
        (board(make("sliding", 12, 12), 200), True, [["constructive", "beam"], ["idastar"]]),
        (board(row_slides(2, 5), 20), True, [*PROOF_FIRST, ["cnf"]]),
        (board(row_slides(5, 13), 20), True, [["cnf"], ["astar"], ["constructive"], ["beam"]]),
        (shuffled("sliding-gaps", 9, 9), True, [["constructive"], ["beam"], ["astar"]]),
        (board(make("loopover", 4, 4), 30), True, PROOF_FIRST),
        (board(one_way_ring(11), 20), True, [*PROOF_FIRST, ["cnf"]]),
    ],
    ids=lambda value: value.puzzle.title if isinstance(value, Problem) else "",
)
def test_the_engines_of_each_track(problem, optimal, tracks):
    chosen = choice_for(problem, optimal=optimal).tracks
    assert [[stage.engine.name for stage in track] for track in chosen] == tracks
    assert all(fits(stage.engine, problem.structure) for track in chosen for stage in track)


def test_plans_have_a_part_of_the_time():
    def stages(**options):
        tracks = choice_for(shuffled(*RING), **options).tracks
        return {stage.engine.name: stage for track in tracks for stage in track}

    assert [stage.after for stage in stages().values()] == [0.0, 1.0, 0.0]
    assert stages(seconds=100)["beam"].seconds == 10
    assert stages(seconds=100, optimal=False)["beam"].seconds is None
    for optimal, seconds, wanted in ((True, 60, 5), (False, 60, 30), (False, 6, 5)):
        construction = stages(optimal=optimal, seconds=seconds)["constructive"]
        assert construction.seconds == wanted


@pytest.mark.parametrize("name", ["sliding", "torus-ring", "sliding:metric=multi-tile"])
@pytest.mark.parametrize(
    ("optimal", "seconds", "expected"),
    [(True, None, {"beam", "constructive"}), (True, 8, {"constructive"}), (False, None, set())],
)
def test_only_where_a_proof_is_the_aim_those_that_look_for_plans_yield(
    name, optimal, seconds, expected
):
    # With a limit the beam's plan may be what remains: it never yields.
    puzzle = make(name, 5, 5)
    tracks = choice_for(Problem(puzzle, puzzle.goal), optimal=optimal, seconds=seconds).tracks
    stages = [stage for track in tracks for stage in track]
    assert {stage.engine.name for stage in stages if stage.yields_after is not None} == expected


def test_engines_that_do_not_fit_say_what_they_need():
    torus = shuffled("torus-ring", 5, 5)
    usable = (
        "for this puzzle: auto, cnf, cp-sat, breadth-first, astar, idastar, beam, constructive$"
    )
    with pytest.raises(OptionError, match=usable) as caught:
        check_fit(FOLLOW_UPS["least-penalty"], torus.structure)
    assert "is for moves that exchange the blank with one tile" in str(caught.value)


@pytest.mark.parametrize("name", ["all-plans", "cnf-plans", "count-plans", "least-penalty"])
def test_what_is_asked_about_shortest_plans_is_no_engine_for_users(name):
    problem = board(make("sliding", 3, 3), 10)
    assert name in FOLLOW_UPS
    with pytest.raises(OptionError, match=f"^unknown engine '{name}': choose from auto, cnf, "):
        solve(problem, engine=name, optimal=True)
    with pytest.raises(OptionError, match=f"unknown engine '{name}'"):
        find_engine(name)


def test_an_engine_of_somebody_else_works_like_ours(monkeypatch):
    search = {PuzzleKind.ANY: "plansolve.solvers.search.breadth_first:breadth_first"}
    mine = Engine("mine", True, "an engine of somebody else", search)
    monkeypatch.setattr(registry, "ENGINES", {**ENGINES, "mine": mine})
    result = solve(board(make("sliding", 3, 3), 10), engine="mine", optimal=True)
    assert (result.status, result.upper_bound_by) == (Status.OPTIMAL, "mine")


# Engines at work


def test_engines_and_techniques_behind_plan_and_bound_are_named(kept_workers):
    result = solve(SIMPLE, engine="idastar", workers=kept_workers, optimal=True)
    assert (result.status, result.length, result.engine) == (Status.OPTIMAL, 24, "idastar")
    assert result.upper_bound_by == result.lower_bound_by == "idastar"
    proved = result.statistics
    assert proved.counts.keys() == {"idastar"}
    assert proved.plan_technique == proved.bound_technique == "IDA* with tile distances"
    result = solve(SIMPLE, workers=kept_workers, optimal=True)
    assert (result.engine, result.upper_bound_by) == ("auto", "breadth-first")
    first = solve(SIMPLE, optimal=False, engine="constructive", workers=kept_workers)
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
    puzzle = Puzzle("one-way", 1, 5, (1, 0, 2, 3, 4), moves, tuple("01234"))
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    out_of_reach = Problem(puzzle, (1, 0, 3, 4, 2))
    assert out_of_reach.start not in table
    for engine in ("auto", "astar"):
        result = solve(out_of_reach, engine=engine, workers=kept_workers, optimal=True)
        assert result.status == Status.UNSOLVABLE
        assert "every reachable board" in result.explanation


# After the proof


def test_the_least_penalty_is_that_of_all_shortest_plans(kept_workers):
    puzzle, table = make(*LLOYD), distance_table(*LLOYD)
    # The plan that IDA* finds first has a greater penalty.
    starts = ((1, 2, 3, 5, 7, 6, 8, 0, 4), (2, 0, 6, 1, 5, 3, 7, 8, 4), (2, 4, 8, 5, 6, 3, 7, 1, 0))
    for start in starts:
        problem = Problem(puzzle, start)
        result = solve(problem, engine="idastar", workers=kept_workers, optimal=True)
        assert result.is_least_penalty
        assert result.penalty == penalty(problem, result.plan)
        assert result.penalty == least_penalties(puzzle, start, table)


def test_plans_up_to_a_number(kept_workers):
    puzzle = make("loopover", 3, 3)
    problem = Problem(puzzle, next(s for s in scrambles(puzzle, 40, 12, 5) if s[0] != 1))
    every = solve(problem, plans="all", workers=kept_workers, optimal=True)
    assert every.plan_count > 2, "another board is needed here"
    count = every.plan_count
    exactly = solve(problem, plans="count", most_plans=count, workers=kept_workers, optimal=True)
    some = solve(problem, plans="all", most_plans=2, workers=kept_workers, optimal=True)
    assert (exactly.plan_count, exactly.is_every_plan) == (count, True)
    assert (some.plan_count, some.is_every_plan, some.explanation) == (2, False, "")
    assert set(some.plans) <= set(every.plans)


def test_plans_that_cannot_be_listed_are_refused():
    with pytest.raises(OptionError, match="no search can list or count"):
        solve(board(row_slides(5, 13), 5), plans="all", optimal=True)


def test_the_cheaper_of_two_moves_with_the_same_effect_is_taken():
    operators = [
        Operator(f"{letter}{a}", ((a, b), (b, a)), a, penalty)
        for letter, penalty in (("x", 5), ("y", 1))
        for a, b in ((0, 1), (1, 0), (1, 2), (2, 1))
        if letter == "x" or (a, b) != (1, 0)
    ]
    operators = [
        Operator(f"{o.name}{o.moves[0][1]}", o.moves, o.blank, o.penalty) for o in operators
    ]
    puzzle = Puzzle("twins", 1, 3, (1, 2, 0), tuple(operators), tuple("012"))
    result = solve(Problem(puzzle, (0, 1, 2)), engine="idastar", optimal=True)
    assert (result.plan, result.penalty) == (("y01", "y12"), 2)
    assert result.is_least_penalty
