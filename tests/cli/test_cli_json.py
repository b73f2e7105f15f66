"""`plansolve solve --json`: one object with every key; rules of one's own in a document."""

import json

import pytest

# Three tiles that turn one way, and the exchange of two: rules of the user's own.
OWN_RULES = {
    "puzzle": {
        "name": "turntable",
        "rows": 1,
        "columns": 4,
        "goal": ["abcd"],
        "operators": [
            {"name": "turn", "moves": [[0, 1], [1, 2], [2, 0]], "blank": None},
            {"name": "swap", "moves": [[2, 3], [3, 2]], "blank": None},
        ],
        "labels": ["_", "a", "b", "c", "d"],
    },
    "board": ["cabd"],
}
# A track of three cells with one engine; a lone blank goes round by `back` only.
OWN_BLANK = {
    "puzzle": {
        "name": "railway",
        "rows": 1,
        "columns": 3,
        "goal": [[1, 2, 0]],
        "operators": [
            {"name": "left", "moves": [[0, 1], [1, 0]], "blank": 0},
            {"name": "left", "moves": [[1, 2], [2, 1]], "blank": 1},
            {"name": "back", "moves": [[0, 2], [1, 0], [2, 1]], "blank": 2},
        ],
    },
    "board": [[0, 1, 2]],
}


def test_all_keys(plansolve, seeds):
    done = plansolve("solve", seeds / "cis521-a.json", "--optimal", "--json")
    result = json.loads(done.out)
    assert done.code == 0 and done.out.count("\n") == 1
    seconds, statistics = result.pop("seconds"), result.pop("statistics")
    assert result == {
        "schema": "plansolve.result/1",
        "puzzle": "sliding",
        "start": [[4, 1, 2], [0, 5, 3], [7, 8, 6]],
        "goal": [[1, 2, 3], [4, 5, 6], [7, 8, 0]],
        "goal_name": "blank-last",
        "moves": "tile",
        "status": "optimal",
        "plan": ["D", "L", "L", "U", "U"],
        "plans": None,
        "plan_count": None,
        "is_every_plan": False,
        "length": 5,
        "lower_bound": 5,
        "upper_bound": 5,
        "lower_bound_by": "tile distances",
        "upper_bound_by": "breadth-first",
        "penalty": 0,
        "is_least_penalty": True,
        "rests_on": [],
        "engine": "auto",
        "stop_reason": "solved",
        "explanation": "",
    }
    assert seconds >= statistics["seconds"] >= 0
    assert done.err.startswith("5 moves, proved shortest; ")


@pytest.mark.parametrize("engine", ["cnf", "cp-sat"])
@pytest.mark.parametrize(
    ("rules", "out"), [(OWN_RULES, "turn\n"), (OWN_BLANK, "left left\n")], ids=["turn", "blank"]
)
def test_own_rules_by_hand(plansolve, engine, rules, out):
    # turn: the new contents of cells 0, 1, 2 come from 1, 2, 0, so that cab becomes abc.
    done = plansolve("-", "--optimal", "--engine", engine, stdin=json.dumps(rules))
    assert (done.code, done.out) == (0, out), done.err
