"""Results as documents: there and back, and one sentence for each document that is refused."""

import json
from dataclasses import fields

import pytest
from support.fixtures import cases

from plansolve.errors import OptionError, ResultError, WrongTypeError
from plansolve.formats import read_plan, read_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.protocol import HorizonRecord
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import _RECORD

BOARD = read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
OWN = read_problem(json.dumps(cases.OWN))
EVIDENCE = {
    "kind": "table",
    "name": "additive-x",
    "title": "x",
}
LOOPOVER = make_puzzle("loopover", 3, 3)


@pytest.fixture(scope="module")
def solved():
    return solve(BOARD, plans="all")


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        (BOARD, {}),
        (BOARD, {"engine": "cnf"}),
        (BOARD, {"plans": "count"}),
        (BOARD, {"max_horizon": 4}),
        (BOARD, {"optimal": False, "time_limit": "60s"}),
        (OWN, {"plans": "all"}),
        (read_problem([[2, 1, 3], [4, 5, 6], [7, 8, 0]]), {}),
        (read_problem([[1, 2, 3], [4, 5, 6], [7, 8, 0]]), {"plans": "all"}),
        (read_problem(BOARD, goal="snail"), {}),
        (Problem(LOOPOVER, cases.scrambles(LOOPOVER, 1, 4, 5)[0]), {"engine": "idastar"}),
        (read_problem([[5, 1, 2, 3], [9, 6, 8, 4], [0, 10, 7, 11]]), {"engine": "idastar"}),
    ],
    ids=repr,
)
def test_a_result_comes_back_equal(problem, options):
    result = solve(problem, **options)
    assert Result.from_json(result.to_json()) == result
    assert result.problem == problem
    if problem.puzzle.blank_names:
        assert Result.from_json(result.to_json("blank")) == result
    assert json.loads(result.to_json()) == json.loads(json.dumps(result.to_dict()))


def test_plans_show_themselves_as_they_are_read(solved):
    assert str(solved.plan) == "DLLUU"
    assert repr(solved.plan) == "<Plan of 5 moves: DLLUU>"
    assert solved.plan == tuple("DLLUU")
    turned = solve(Problem(LOOPOVER, cases.scrambles(LOOPOVER, 1, 4, 5)[0]))
    assert read_plan(str(turned.plan), LOOPOVER) == turned.plan
    assert " " in str(turned.plan)
    assert len(repr(Result(**vars(solved)).plan)) < 100


def test_results_say_in_a_line_what_is_known(solved):
    assert str(solved) == "5 moves, proved shortest: DLLUU"
    assert repr(solved) == "<Result optimal: 5 moves, lower bound 5>"
    unsolvable = solve([[2, 1, 3], [4, 5, 6], [7, 8, 0]])
    assert str(unsolvable) == f"unsolvable: {unsolvable.explanation}"
    other = solve(read_problem([[1, 2, 3], [8, 4, 0], [7, 6, 5]], goal="snail"))
    assert str(other) == "1 move to snail, proved shortest: R"
    assert other.to_dict()["goal_name"] == "snail"
    within = solve(BOARD, max_horizon=4)
    assert str(within) == "no plan within the horizon: every plan has 5 moves or more"
    assert repr(within) == "<Result no plan within horizon: no plan, lower bound 5>"
    cut = Result(Status.UNKNOWN, None, 3, None, StopReason.TIME, "auto", "time limit reached")
    assert str(cut) == "no plan yet (time limit reached): every plan has 3 moves or more"
    longer = Result(Status.FEASIBLE, ("U", "D"), 1, 2, StopReason.TIME, "auto")
    assert str(longer) == "2 moves, not proved shortest, every plan has 1 move or more: U D"


def test_a_result_without_its_problem_is_no_document():
    with pytest.raises(OptionError, match="this result knows no problem"):
        Result(Status.OPTIMAL, (), 0, 0, StopReason.SOLVED, "auto").to_dict()
    with pytest.raises(OptionError, match="unknown convention 'gap'"):
        solve(BOARD).to_dict("gap")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "plansolve.result/2"}, "'plansolve.result/1' is expected, not 'plansolve.re"),
        ({"plan": ["D", "L", "L", "U"]}, "plan: its 4 moves do not reach the goal"),
        ({"plan": ["R", "L", "L", "U", "U"]}, "plan: step 1, 'R', cannot be made"),
        ({"plan": "DLLUU"}, "plan: a list of moves' names is expected, not 'DLLUU'"),
        ({"plan": [1, 2]}, "plan: a list of moves' names is expected, not [1, 2]"),
        ({"plan": None}, "length: the document says 5, the plan has null"),
        ({"plans": 5}, "plans: a list or null is expected, not 5"),
        ({"plans": [["D"]]}, "plan 1: its 1 moves do not reach the goal"),
        ({"plans": []}, "the plans are not as many as counted"),
        ({"length": 4}, "length: the document says 4, the plan has 5"),
        ({"penalty": 1}, "penalty: the document says 1, the plan has 0"),
        ({"lower_bound": 4}, "optimal means that both bounds are the plan's length"),
        ({"lower_bound": -1}, "lower_bound: a whole number from 0, or null is expected, not -1"),
        ({"lower_bound": 5.0}, "lower_bound: a whole number from 0, or null is expected, not 5.0"),
        ({"lower_bound": True}, "lower_bound: a whole number from 0, or null is expected"),
        ({"upper_bound": 6}, "the upper bound is not the plan's length"),
        ({"is_every_plan": 1}, "is_every_plan: true or false is expected, not 1"),
        ({"plan_count": 2}, "the plans are not as many as counted"),
        ({"status": "feasible"}, "only shortest plans can be counted"),
        (
            {"status": "perfect"},
            "status: one of optimal, feasible, unsolvable, no plan within horizon, unknown, not",
        ),
        ({"stop_reason": "time"}, "optimal means solved"),
        ({"stop_reason": "bored"}, "stop_reason: one of solved, unsolvable"),
        ({"moves": "gap"}, "moves: one of tile, blank, not 'gap'"),
        ({"moves": "blank"}, "cannot be made"),
        ({"start": [[4, 1, 2], [0, 5, 3], [7, 8, 8]]}, "8 appears twice"),
        ({"goal_name": "snail"}, "goal_name: the document says 'snail', the goal is blank-last"),
        ({"goal": [[1, 2], [3, 0]]}, "the goal is a 2x2 board, the board is 3x3"),
        ({"puzzle": "chess"}, "unknown puzzle 'chess'"),
        ({"engine": None}, "engine: a text is expected, not None"),
        ({"seconds": "long"}, "seconds: a number from 0 is expected, not 'long'"),
        ({"explanations": ""}, "the result has an unknown key 'explanations'"),
        ({"rests_on": 5}, "rests_on: a list is expected"),
        ({"rests_on": ["table"]}, "rests_on: each entry has kind, name and title"),
        ({"rests_on": [{"kind": "table", "name": 1}]}, "rests_on: each entry has kind, name"),
        ({"rests_on": [EVIDENCE | {"kind": "luck"}]}, "rests_on: table or records, not 'luck'"),
        ({"rests_on": [EVIDENCE | {"title": "\x1b[8m"}]}, "cannot be shown"),
        ({"statistics": 5}, "statistics: an object is expected, not 5"),
        ({"statistics": {"seconds": 1}}, "statistics: initial_bound is missing"),
    ],
    ids=str,
)
def test_a_document_that_is_wrong_is_refused_in_one_sentence(solved, change, message):
    with pytest.raises(ResultError) as caught:
        Result.from_json(json.dumps(solved.to_dict() | change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("counts", {"idastar": 5}),
        ("seconds", None),
        ("choice", {"reason": "because"}),
        ("choice", {"reason": "because", "tracks": ["idastar"]}),
        ("horizons", [{}]),
    ],
)
def test_statistics_of_another_shape_are_refused(solved, key, value):
    document = solved.to_dict()
    document["statistics"] |= {key: value}
    with pytest.raises(ResultError, match=r"^statistics: "):
        Result.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a JSON document"),
        ("[" * 100_000, "nested too deeply"),
        ("5", "the JSON document must be an object"),
        ("{}", "is expected, not None"),
        ('{"schema": "plansolve.result/1"}', "the result has no 'engine'"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice"),
        ('{"a": NaN}', "NaN in the JSON document is no number"),
        ('{"a": ' + "9" * 5000 + "}", "a number that is too long"),
        (b"\xff\xfe{", "not a JSON document"),
        (" " * (17 << 20), "longer than 16 million characters"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_hostile_text_is_refused(text, message):
    with pytest.raises(ResultError) as caught:
        Result.from_json(text)
    assert message in str(caught.value)


def test_a_record_of_a_formula_has_the_fields_of_one():
    assert {field.name for field in fields(HorizonRecord)} == _RECORD.keys()
    document = solve(BOARD, engine="cnf").to_dict()
    (record, *_) = document["statistics"]["horizons"]
    for key, value in (("conflicts", "many"), ("refuted", 1), ("horizon", True), ("cubes", None)):
        document["statistics"]["horizons"] = [record | {key: value}]
        with pytest.raises(
            ResultError, match=r"^statistics: horizons are objects with the figures"
        ):
            Result.from_json(json.dumps(document))


def test_what_is_no_text_is_a_type_error(solved):
    with pytest.raises(WrongTypeError, match="a result's JSON text is expected"):
        Result.from_json(solved.to_dict())


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seconds", False, "seconds: a number from 0 is expected, not False"),
        ("seconds", 1e999, "'1e999' in the JSON document is too large a number"),
        ("plans", [None], "plan 1: a list of moves' names is expected, not None"),
    ],
)
def test_figures_and_plans_that_are_none_are_refused(solved, key, value, message):
    text = json.dumps(solved.to_dict() | {key: value}).replace("Infinity", "1e999")
    with pytest.raises(ResultError, match=f"^{message}"):
        Result.from_json(text)


def test_documents_of_before_name_nothing_that_they_rest_on(solved):
    document = solved.to_dict()
    del document["rests_on"]
    assert Result.from_json(json.dumps(document)) == solved


def test_units_of_a_store_are_told_for_documents_of_before(solved):
    document = solve(BOARD, engine="idastar").to_dict()
    del document["rests_on"]
    document["statistics"]["counts"] = {"idastar": {"units": 60, "units_from_store": 20}}
    (records,) = Result.from_json(json.dumps(document)).rests_on
    assert (records.kind, records.title) == ("records", "20 of 60 units")


def test_an_answer_names_the_tables_of_its_own_goal_alone():
    # One process after the other: engines' processes are kept, and their tables with them.
    board = [[11, 5, 9, 4], [1, 10, 7, 2], [8, 3, 6, 0]]
    found = [
        solve(read_problem(board, goal=goal), engine=engine).rests_on
        for goal, engine in (
            (None, "idastar"),
            ("blank-first", "idastar"),
            (None, "idastar"),
            (None, "breadth-first"),
        )
    ]
    assert [len(tables) for tables in found] == [1, 1, 1, 0]
    assert found[0] == found[2] != found[1]
