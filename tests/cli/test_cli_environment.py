"""PLANSOLVE_* variables stand for options; an option on the command line stands above them."""

import json

import pytest


def solved(plansolve, board, variables, *options):
    done = plansolve("solve", board, *options, env=variables)
    assert done.code == 0, done.err
    return done


def test_engine(plansolve, seeds):
    board = seeds / "cis521-a.json"
    variables = {"PLANSOLVE_SOLVE_ENGINE": "cp-sat"}
    assert "(cp-sat, cp-sat)" in solved(plansolve, board, variables).err
    assert "(cp-sat, cp-sat)" not in solved(plansolve, board, variables, "--engine", "cnf").err


def test_the_short_form_knows_them_too(plansolve, seeds):
    done = plansolve(seeds / "cis521-a.json", env={"PLANSOLVE_SOLVE_BACKEND": "minisat22"})
    assert "(cnf, minisat22)" in done.err


def test_flags_and_choices(plansolve, seeds):
    variables = {"PLANSOLVE_SOLVE_QUIET": "1", "PLANSOLVE_SOLVE_STYLE": "words"}
    done = solved(plansolve, seeds / "cis521-a.json", variables)
    assert (done.out, done.err) == ("down left left up up\n", "")
    done = plansolve("solve", seeds / "fifteen.puz", env={"PLANSOLVE_SOLVE_OPTIMAL": "1"})
    assert "31 moves, proved shortest (" in done.err


def test_max_horizon(plansolve, seeds):
    done = plansolve(seeds / "simple.puz", env={"PLANSOLVE_SOLVE_MAX_HORIZON": "22"})
    assert done.code == 13


def test_json_is_called_as_its_option(plansolve, seeds):
    done = solved(plansolve, seeds / "cis521-a.json", {"PLANSOLVE_SOLVE_JSON": "1"})
    assert json.loads(done.out)["length"] == 5
    done = plansolve("puzzles", env={"PLANSOLVE_PUZZLES_JSON": "1"})
    assert json.loads(done.out)["schema"] == "plansolve.puzzles/1"


def test_format_is_called_as_its_option(plansolve):
    # Rows of numbers, but as `line` it would be a square.
    done = plansolve("-", "-q", stdin="1 0 2 3\n", env={"PLANSOLVE_SOLVE_FORMAT": "puz"})
    assert (done.code, done.out) == (0, "LL\n")


def test_other_commands(plansolve, seeds):
    done = plansolve("encode", seeds / "cis521-a.json", env={"PLANSOLVE_ENCODE_HORIZON": "5"})
    assert done.code == 0
    assert done.out.startswith("c plansolve: a shortest plan of exactly 5 moves\n")


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ENGINE", "telepathy"), ("TIME_LIMIT", "abc"), ("MAX_HORIZON", "-1"), ("MOVES", "sideways")],
)
def test_wrong_values(plansolve, seeds, variable, value):
    done = plansolve(seeds / "cis521-a.json", env={f"PLANSOLVE_SOLVE_{variable}": value})
    assert done.code == 2
    assert value in done.error_line


def test_a_wrong_value_is_told_with_its_variable(plansolve, seeds):
    board = seeds / "cis521-a.json"
    variable = "PLANSOLVE_SOLVE_TIME_LIMIT"
    assert f"for the variable {variable}: 'abc'" in plansolve(board, env={variable: "abc"}).err
    # The option stands above the variable.
    done = plansolve(board, "--time-limit", "soon", env={variable: "abc"})
    assert "for '--time-limit': 'soon'" in done.err
