"""Claimed plans against the oracle's distances; every other way to read a wrong one."""

import random
from dataclasses import replace
from functools import partial

import pytest
from support.fixtures.cases import distance_table, make, one_way_ring, scrambles
from support.reference.oracle import Rules

from plansolve.certcheck.certificate import MOST_PLANS, Certificate
from plansolve.claims import claim, diagnosis
from plansolve.claims.certificate import write_certificate
from plansolve.claims.claim import Verification, cross_check, cross_check_engines, verify
from plansolve.claims.diagnosis import Reading, diagnose
from plansolve.errors import InternalError, OptionError, PlanError
from plansolve.formats import format_plan, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.registry import named_goal
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result, Status, StopReason

BOARD = (1, 8, 2, 0, 5, 3, 6, 7, 4)
OPPOSITE = str.maketrans("UDLR", "DURL")


def shortest(puzzle, start, table, seed=0):
    """A shortest plan along the oracle's distances, chosen at random among the ties."""
    rules, choice = Rules.of(puzzle), random.Random(seed)
    plan, state = [], start
    while table[state]:
        name, state = choice.choice(
            [step for step in rules.successors(state) if table.get(step[1]) == table[state] - 1]
        )
        plan.append(name)
    return tuple(plan)


def lengthened(puzzle, start, table, steps, seed=0):
    """A plan that begins with a random walk."""
    rules, choice = Rules.of(puzzle), random.Random(seed)
    plan, state = [], start
    for _ in range(steps):
        name, state = choice.choice(rules.successors(state))
        plan.append(name)
    return (*plan, *shortest(puzzle, state, table, seed))


def readings(problem, text, convention="tile"):
    return set(verify(problem, text, convention=convention).diagnosis.other_readings)


# Optimality, by brute force


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [("sliding", 2, 3), ("sliding", 3, 3), ("lloyd", 3, 3), ("loopover", 2, 3)],
)
def test_optimal_is_what_the_oracle_says(kept_workers, specification, rows, columns):
    puzzle = make(specification, rows, columns)
    table = distance_table(specification, rows, columns)
    verdicts = set()
    for seed, start in enumerate(random.Random(4).sample(sorted(table), 5)):
        problem = Problem(puzzle, start)
        for plan in (
            shortest(puzzle, start, table, seed),
            lengthened(puzzle, start, table, 3 + seed % 2, seed),
        ):
            found = verify(problem, plan, optimal=True, workers=kept_workers)
            assert found.solves
            assert found.optimal is found.confirmed is (len(plan) == table[start])
            assert found.lower_bound == found.upper_bound == table[start]
            if found.optimal:
                assert found.shorter_plan is None
            else:
                assert len(found.shorter_plan) == table[start]
                assert Rules.of(puzzle).replay(start, found.shorter_plan)[-1] == puzzle.goal
            verdicts.add(found.optimal)
    assert verdicts == {True, False}
    assert cross_check_engines(problem) == ("cnf", "idastar")
    checked = verify(problem, plan, with_cross_check=True, workers=kept_workers)
    assert (checked.check.agreed, checked.check.length) == (True, table[start])
    assert checked.optimal is (len(plan) == table[start])


def test_a_plan_as_long_as_the_elementary_bound(kept_workers):
    problem = Problem(make("sliding", 3, 3), (1, 2, 3, 4, 5, 6, 0, 7, 8))
    found = verify(problem, "LL", optimal=True, workers=kept_workers)
    assert (found.optimal, found.lower_bound) == (True, 2)
    assert found.lower_bound_by == "tile distances"
    assert found.result.statistics.counts == {}


def test_the_board_that_is_the_goal():
    puzzle = make("sliding", 2, 3)
    problem = Problem(puzzle, puzzle.goal)
    empty = verify(problem, "", optimal=True)
    assert (empty.optimal, empty.length, empty.lower_bound) == (True, 0, 0)
    there_and_back = verify(problem, "RL", optimal=True)
    assert (there_and_back.optimal, there_and_back.shorter_plan) == (False, ())
    elsewhere = verify(Problem(puzzle, (1, 2, 3, 4, 0, 5)), "", optimal=True)
    assert (elsewhere.confirmed, elsewhere.solves) == (False, False)
    assert elsewhere.diagnosis.verdict.legal and elsewhere.result is None


def told_result(status, plan, lower, reason, engine="auto"):
    upper = None if plan is None else len(plan)
    return Result(status, plan, lower, upper, reason, engine, "time limit reached")


@pytest.mark.parametrize(
    ("status", "found", "lower", "optimal"),
    [(Status.UNKNOWN, None, 20, None), (Status.FEASIBLE, "LDLURURDLULDRURDLUL", 15, False)],
)
def test_when_time_runs_out(monkeypatch, status, found, lower, optimal):
    plan = None if found is None else tuple(found)
    result = told_result(status, plan, lower, StopReason.TIME)
    monkeypatch.setattr(claim, "solve", lambda *_, **__: result)
    problem = Problem(make("sliding", 3, 3), BOARD)
    verification = verify(problem, "LR" + "LDLURURDLULDRURDLUL", optimal=True)
    assert verification.optimal is verification.confirmed is optimal
    assert verification.lower_bound == lower
    assert verification.shorter_plan == plan


@pytest.mark.parametrize(
    "result",
    [
        told_result(Status.UNKNOWN, None, 20, StopReason.TIME),
        told_result(Status.UNSOLVABLE, None, None, StopReason.UNSOLVABLE),
    ],
)
def test_a_bound_that_a_replayed_plan_contradicts_is_an_internal_error(result):
    problem = Problem(make("sliding", 3, 3), BOARD)
    with pytest.raises(InternalError, match="a plan of 19 moves passed the replay"):
        Verification(diagnose(problem, tuple("LDLURURDLULDRURDLUL")), result)


# Legality


@pytest.mark.parametrize(("convention", "plan"), [("tile", "LDUR"), ("blank", "RUDL")])
def test_the_first_bad_step_in_the_words_of_the_plan(convention, plan):
    problem = Problem(make("sliding", 3, 3), BOARD)
    verdict = verify(problem, plan + plan[0] * 3, convention=convention).diagnosis.verdict
    # The plan goes round and is back; the third move the same way leaves the board.
    assert (verdict.legal, verdict.applied, verdict.placed) == (False, 6, 1)
    assert verdict.illegal.step == 7
    assert verdict.illegal.move == plan[0]
    assert verdict.illegal.board == (1, 8, 2, 5, 3, 0, 6, 7, 4)
    ways = {"tile": "U D R", "blank": "D U L"}[convention]
    assert verdict.illegal.reason == (
        f"{plan[0]} cannot be made while the blank is in row 2 column 3; possible there: {ways}"
    )
    unknown = diagnose(problem, ("9",), convention).verdict.illegal.reason
    assert unknown.endswith(f"possible there: {({'tile': 'U D L', 'blank': 'D U R'})[convention]}")


def test_the_penalty_of_a_plan_with_a_bad_step_counts_its_legal_moves():
    puzzle = make("lloyd", 3, 3)
    found = diagnose(Problem(puzzle, (5, 2, 3, 4, 0, 6, 7, 8, 1)), ("t", "l", "t"))
    # The transport from the centre into the centre is no move.
    assert (found.verdict.illegal.step, found.penalty) == (1, 0)
    found = diagnose(Problem(puzzle, puzzle.goal), ("t", "d", "t", "x", "t"))
    assert (found.verdict.illegal.step, found.penalty) == (4, 2)
    assert "no move 'x'" in found.verdict.illegal.reason


# Other readings


def eight(goal=None):
    return Problem(make("sliding", 3, 3, goal), BOARD)


PLAN = "LDLURURDLULDRURDLUL"


def test_a_plan_for_another_goal_under_another_convention():
    puzzle = make("sliding", 3, 3, "snail")
    start = scrambles(puzzle, 1, 30, seed=5)[0]
    plan = shortest(puzzle, start, distance_table("sliding", 3, 3, "snail"))
    problem = Problem(puzzle.with_goal(named_goal("sliding", "blank-first", 3, 3)), start)
    for convention, other in (("tile", "blank"), ("blank", "tile")):
        text = format_plan(plan, puzzle, "words", convention)
        assert readings(problem, text, convention) == {Reading(convention, "snail")}
        assert Reading(convention, "snail") in readings(problem, text, other)
    found = verify(problem, plan)
    assert (found.confirmed, found.diagnosis.is_reread) == (False, True)


def test_each_reading_told_is_right_and_no_simpler_one_was_left_out():
    """Plans made wrong in every way on 2x2 boards, where many a reading is right by chance."""
    puzzle, choice = make("sliding", 2, 2), random.Random(8)
    rules = Rules.of(puzzle)
    goals = {None: puzzle.goal, "blank-first": (0, 1, 2, 3), "snail": (1, 2, 0, 3)}
    told = set()
    for _ in range(600):
        states, claimed = [choice.choice([*goals.values()])], ""
        for _ in range(choice.randint(1, 6)):
            name, after = choice.choice(rules.successors(states[-1]))
            states.append(after)
            claimed += name
        # The walk leads from a goal to the board, and its undoing the other way.
        start = states[-1]
        if choice.random() < 0.5:
            claimed = claimed[::-1].translate(OPPOSITE)
        if choice.random() < 0.5:
            claimed = claimed.translate(OPPOSITE)
        if choice.random() < 0.5:
            claimed = claimed[::-1]
        found = verify(Problem(puzzle, start), claimed).diagnosis
        right = set()
        for convention in ("tile", "blank"):
            moves = claimed if convention == "tile" else claimed.translate(OPPOSITE)
            for name, goal in goals.items():
                if ends(rules, start, moves) == goal:
                    right.add((convention, name, "forward"))
                if ends(rules, start, moves[::-1]) == goal and moves != moves[::-1]:
                    right.add((convention, name, "last move first"))
                if ends(rules, goal, moves) == start:
                    right.add((convention, name, "from the goal"))
        if ("tile", None, "forward") in right:
            assert found.verdict.solves and not found.other_readings
            continue
        least = min(map(changes, right), default=0)
        expected = {reading for reading in right if changes(reading) == least}
        assert {(r.convention, r.goal, r.order) for r in found.other_readings} == expected
        told |= expected
    assert len(told) >= 10


def ends(rules, state, moves):
    """The last board of a plan, None where it is not legal."""
    for name in moves:
        state = rules.apply(state, name)
        if state is None:
            return None
    return state


def changes(reading):
    convention, goal, order = reading
    return (convention != "tile") + (goal is not None) + (order != "forward")


def test_a_puzzle_with_one_convention_and_no_named_goal():
    puzzle = one_way_ring()
    problem = Problem(puzzle, scrambles(puzzle, 1, 5, seed=1)[0])
    assert verify(problem, "n").diagnosis.is_reread
    with pytest.raises(OptionError, match="use the tile convention"):
        verify(problem, "n", convention="blank")


def test_names_that_only_one_convention_has():
    """A name that is no move in the assumed convention is not guessed in the other."""
    puzzle = Puzzle(
        name="pair",
        rows=1,
        columns=2,
        goal=(1, 0),
        operators=(Operator("a", ((0, 1), (1, 0)), 0), Operator("b", ((0, 1), (1, 0)), 1)),
        labels=("0", "1"),
        blank_names={"a": "x", "b": "y"},
    )
    problem = Problem(puzzle, (0, 1))
    assert verify(problem, "x", convention="blank").solves
    with pytest.raises(PlanError, match="step 1"):
        verify(problem, "x")
    assert readings(problem, "b") == {Reading("tile", None, "from the goal")}


def test_other_readings_are_not_tried_for_plans_without_end(monkeypatch):
    claimed = PLAN.translate(OPPOSITE)
    monkeypatch.setattr(diagnosis, "MOST_REREAD", len(claimed))
    assert diagnose(eight(), tuple(claimed)).other_readings
    monkeypatch.setattr(diagnosis, "MOST_REREAD", len(claimed) - 1)
    found = diagnose(eight(), tuple(claimed))
    assert (found.is_reread, found.other_readings) == (False, ())


# Two engines


def test_an_unsolvable_board_is_agreed_on(kept_workers):
    problem = Problem(make("sliding", 3, 3), (2, 1, 3, 4, 5, 6, 7, 8, 0))
    found = cross_check(problem, partial(solve, problem, optimal=True, workers=kept_workers))
    assert (found.agreed, found.length) == (True, None)


def solver_that_says(**results):
    return lambda *_, engine="auto", **__: replace(results[engine], engine=engine)


OPTIMAL = told_result(Status.OPTIMAL, tuple(PLAN), 19, StopReason.SOLVED)
LONGER = told_result(Status.OPTIMAL, ("L", "R", *PLAN), 21, StopReason.SOLVED)
UNFINISHED = told_result(Status.UNKNOWN, None, 17, StopReason.TIME)
TOO_HIGH = told_result(Status.UNKNOWN, None, 20, StopReason.TIME)
NO_PLAN = told_result(Status.UNSOLVABLE, None, None, StopReason.UNSOLVABLE)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (
            OPTIMAL,
            LONGER,
            "idastar says that every plan has 21 moves or more, but cnf has a plan of 19 moves",
        ),
        (
            LONGER,
            OPTIMAL,
            "cnf says that every plan has 21 moves or more, but idastar has a plan of 19 moves",
        ),
        (
            OPTIMAL,
            TOO_HIGH,
            "idastar says that every plan has 20 moves or more, but cnf has a plan of 19 moves",
        ),
        (NO_PLAN, OPTIMAL, "cnf says that there is no plan, but idastar has a plan of 19 moves"),
    ],
)
def test_engines_that_contradict_each_other_are_an_internal_error(one, other, message):
    with pytest.raises(InternalError, match=message):
        cross_check(eight(), solver_that_says(cnf=one, idastar=other))


def test_an_engine_that_does_not_finish_agrees_with_nobody():
    found = cross_check(eight(), solver_that_says(cnf=OPTIMAL, idastar=UNFINISHED))
    assert (found.agreed, found.length, len(found.results)) == (None, None, 2)


def test_after_an_interruption_no_further_engine_is_started():
    interrupted = replace(UNFINISHED, stop_reason=StopReason.INTERRUPTED, was_interrupted=True)
    search = solver_that_says(cnf=interrupted, idastar=OPTIMAL)
    assert len(cross_check(eight(), search).results) == 1


def test_a_claim_that_the_cross_check_contradicts(monkeypatch):
    says = solver_that_says(auto=OPTIMAL, cnf=LONGER, idastar=LONGER)
    monkeypatch.setattr(claim, "solve", says)
    with pytest.raises(
        InternalError, match="cnf says that every plan has 21 moves or more, but a plan of 19"
    ):
        verify(eight(), PLAN, with_cross_check=True)


def test_wrong_plans_for_an_open_goal_are_refuted():
    problem = read_problem("ABA\nB_A\ngoal:\nAAB\nAB*\n")
    for plan in ("", "D", "LLLL", "DL"):
        assert not verify(problem, tuple(plan)).diagnosis.verdict.solves
    backwards = tuple("ULLDRRULD")
    assert [r.order for r in diagnose(problem, backwards).other_readings] == ["last move first"]


def test_a_certificate_lists_no_more_plans_than_are_read_again(tmp_path):
    plans = ((),) * (MOST_PLANS + 1)
    with pytest.raises(OptionError, match="at most 100000 plans"):
        write_certificate(tmp_path, Certificate(eight(), (), 0, (), plans=plans))
    assert list(tmp_path.iterdir()) == []
