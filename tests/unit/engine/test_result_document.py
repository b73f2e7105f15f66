"""Results as documents: there and back, and one sentence for each document that is refused."""

import json
from dataclasses import replace

import pytest
from support.fixtures import cases

from plansolve.errors import OptionError, ResultError, WrongTypeError
from plansolve.formats import read_plan, read_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.evidence import Evidence, units_in_use
from plansolve.solvers.result import Result, Status, StopReason

BOARD = read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
EVIDENCE = {"kind": "table", "name": "additive-x", "title": "x"}
LOOPOVER = make_puzzle("loopover", 3, 3)


@pytest.fixture(scope="module")
def solved():
    return solve(BOARD, plans="all", optimal=True)


def test_plans_show_themselves_as_they_are_read(solved):
    assert str(solved.plan) == "DLLUU"
    assert repr(solved.plan) == "<Plan of 5 moves: DLLUU>"
    assert solved.plan == tuple("DLLUU")
    turned = solve(Problem(LOOPOVER, cases.scrambles(LOOPOVER, 1, 4, 5)[0]), optimal=True)
    assert read_plan(str(turned.plan), LOOPOVER) == turned.plan
    assert " " in str(turned.plan)
    assert len(repr(Result(**vars(solved)).plan)) < 100


def test_results_say_in_a_line_what_is_known(solved):
    assert str(solved) == "5 moves, proved shortest: DLLUU"
    assert repr(solved) == "<Result optimal: 5 moves, lower bound 5>"
    unsolvable = solve([[2, 1, 3], [4, 5, 6], [7, 8, 0]], optimal=True)
    assert str(unsolvable) == f"unsolvable: {unsolvable.explanation}"
    other = solve(read_problem([[1, 2, 3], [8, 4, 0], [7, 6, 5]], goal="snail"), optimal=True)
    assert str(other) == "1 move to snail, proved shortest: R"
    assert other.to_dict()["goal_name"] == "snail"
    within = solve(BOARD, max_horizon=4, optimal=True)
    assert str(within) == "no plan within the horizon: every plan has 5 moves or more"
    assert repr(within) == "<Result no plan within horizon: no plan, lower bound 5>"
    cut = Result(Status.UNKNOWN, None, 3, None, StopReason.TIME, "auto", "time limit reached")
    assert str(cut) == "no plan yet (time limit reached): every plan has 3 moves or more"
    longer = Result(Status.FEASIBLE, ("U", "D"), 1, 2, StopReason.TIME, "auto")
    assert str(longer) == "2 moves, not proved shortest, every plan has 1 move or more: U D"


def test_that_ctrl_c_came_too_late_is_no_part_of_the_document(solved):
    late = replace(solved, was_interrupted=True)
    assert Result.from_json(late.to_json()) == late == solved


def test_a_result_without_its_problem_is_no_document():
    with pytest.raises(OptionError, match="this result has no problem"):
        Result(Status.OPTIMAL, (), 0, 0, StopReason.SOLVED, "auto").to_dict()
    with pytest.raises(OptionError, match="unknown convention 'gap'"):
        solve(BOARD, optimal=True).to_dict("gap")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"schema": "plansolve.result/2"},
            "schema: expected 'plansolve.result/1', got 'plansolve.r",
        ),
        ({"plan": ["D", "L", "L", "U"]}, "plan: its moves do not reach the goal"),
        ({"plan": ["R", "L", "L", "U", "U"]}, "plan: step 1, 'R', cannot be made"),
        ({"plans": [["D"]]}, "plans[0]: its moves do not reach the goal"),
        ({"plans": []}, "the number of plans differs from plan_count"),
        ({"penalty": 1}, "penalty: expected 0, got 1"),
        ({"lower_bound": 4}, "optimal means that both bounds are the plan's length"),
        ({"status": "feasible"}, "only shortest plans can be counted"),
        ({"stop_reason": "time"}, "optimal needs the stop reason solved"),
        ({"moves": "gap"}, "moves: expected one of tile, blank, got 'gap'"),
        ({"goal_name": "snail"}, "goal_name: expected 'blank-last', got 'snail'"),
        ({"goal": [[1, 2], [3, 0]]}, "the goal is 2x2, but the board is 3x3"),
        ({"rests_on": [EVIDENCE | {"kind": "luck"}]}, "rests_on[0].kind: expected 'table' or 'rec"),
        ({"rests_on": [EVIDENCE | {"title": "\x1b[8m"}]}, "rests_on[0].title: expected one line"),
    ],
)
def test_a_document_that_is_wrong_is_refused_in_one_sentence(solved, change, message):
    with pytest.raises(ResultError) as caught:
        Result.from_json(json.dumps(solved.to_dict() | change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe{", "not a JSON document"),
        (" " * (17 << 20), "longer than 16 million characters"),
    ],
    ids=["deep", "bytes", "long"],
)
def test_hostile_text_is_refused(solved, text, message):
    with pytest.raises(ResultError) as caught:
        Result.from_json(text)
    assert message in str(caught.value)
    with pytest.raises(WrongTypeError, match="a result's JSON text is expected"):
        Result.from_json(solved.to_dict())


def test_units_of_a_store_are_named_where_there_are_some():
    counts = {"idastar": {"units": 60, "units_from_store": 20}, "beam": {}}
    assert units_in_use(counts, "s.sqlite") == (Evidence("records", "s.sqlite", "20 of 60 units"),)
    assert units_in_use(counts, None) == ()
    assert units_in_use({"idastar": {"units": 60, "units_from_store": 0}}, "s.sqlite") == ()


def test_an_answer_names_the_tables_of_its_own_goal_alone():
    # One process after the other: engines' processes are kept, and their tables with them.
    board = [[11, 5, 9, 4], [1, 10, 7, 2], [8, 3, 6, 0]]
    found = [
        solve(read_problem(board, goal=goal), engine=engine, optimal=True).rests_on
        for goal, engine in (
            (None, "idastar"),
            ("blank-first", "idastar"),
            (None, "idastar"),
            (None, "breadth-first"),
        )
    ]
    assert [len(tables) for tables in found] == [1, 1, 1, 0]
    assert found[0] == found[2] != found[1]
