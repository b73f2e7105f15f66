"""Rules without moves: each command has an answer, or one clear error."""

import json

import pytest

PIECES = {
    "different": list(range(1, 13)),
    "different and a blank": [*range(1, 12), 0],
    "alike": [1] * 6 + [2] * 6,
    "alike and a blank": [1] * 6 + [2] * 5 + [0],
    "alike and two gaps": [1] * 6 + [2] * 4 + [0, 0],
}


@pytest.fixture(params=PIECES)
def board(request, tmp_path):
    goal = PIECES[request.param]
    start = [goal[6], *goal[1:6], goal[0], *goal[7:]]
    rules = {"name": "stuck", "rows": 1, "columns": 12, "goal": [goal], "operators": []}
    file = tmp_path / "stuck.json"
    file.write_text(json.dumps({"puzzle": rules, "board": [start]}))
    return str(file)


def test_a_formula_is_encoded_that_has_no_model(board, plansolve):
    for horizon in ("0", "2"):
        ran = plansolve("encode", board, "--horizon", horizon)
        assert ran.code == 0 and "p cnf" in ran.out, ran


def test_there_are_no_tables_to_build(board, plansolve):
    ran = plansolve("tables", "build", board)
    assert (ran.code, ran.out) == (2, "")
    assert "no tables: stuck has no moves" in ran.err


@pytest.mark.parametrize("engine", ["auto", "idastar", "astar"])
def test_moves_that_do_nothing_leave_a_board_unsolvable(engine, tmp_path, plansolve):
    goal, pieces = [1, *["*"] * 11], [0, *[1] * 11]
    rules = {"name": "still", "rows": 1, "columns": 12, "goal": [goal], "pieces": pieces}
    rules["operators"] = [{"name": "stay", "moves": [], "blank": 2}]
    file = tmp_path / "still.json"
    file.write_text(json.dumps({"puzzle": rules, "board": [[0, *[1] * 11]]}))
    ran = plansolve("solve", file, "--engine", engine, "--optimal")
    assert (ran.code, ran.out) == (11, "")
    assert "unsolvable: " in ran.err
