"""PLANSOLVE_* variables stand for options; an option on the command line stands above them."""

import pytest


@pytest.mark.parametrize(
    ("words", "variables", "code", "out", "err"),
    [
        ("b --backend no", {"SOLVE_BACKEND": "minisat22"}, 2, "", "unknown back end 'no'"),
        ("b", {"SOLVE_BACKEND": "no"}, 2, "", "environment variable PLANSOLVE_SOLVE_BACKEND"),
        ("b", {"SOLVE_STYLE": "words"}, 0, "down left left up up\n", "5 moves"),
        ("b", {"SOLVE_MAX_HORIZON": "3"}, 13, "", "no plan of 3 moves or fewer"),
        ("b", {"SOLVE_ALL": "1"}, 0, "DLLUU\n", "the only such plan"),
        ("b", {"SOLVE_ALL": "x"}, 2, "", "the variable PLANSOLVE_SOLVE_ALL: 'x'"),
        ("b -q", {"SOLVE_JSON": "1"}, 0, '{"schema": "plansolve.result/1"', ""),
        ("encode b", {"ENCODE_HORIZON": "5"}, 0, "c plansolve: a shortest plan of exactly 5 m", ""),
        ("b", {"SOLVE_ENGINE": "x"}, 2, "", "from the environment variable PLANSOLVE_SOLVE_ENGINE"),
        ("b", {"SOLVE_TIME_LIMIT": "x"}, 2, "", "the variable PLANSOLVE_SOLVE_TIME_LIMIT: 'x'"),
        ("b --time-limit y", {"SOLVE_TIME_LIMIT": "x"}, 2, "", "for '--time-limit': 'y'"),
        ("b", {"SOLVE_MAX_HORIZON": "-1"}, 2, "", "the variable PLANSOLVE_SOLVE_MAX_HORIZON: -1"),
    ],
)
def test_a_variable_stands_for_an_option(plansolve, tmp_path, words, variables, code, out, err):
    (tmp_path / "b").write_text("4 1 2\n0 5 3\n7 8 6\n")
    env = {f"PLANSOLVE_{name}": value for name, value in variables.items()}
    done = plansolve(*words.split(), env=env, cwd=tmp_path)
    assert done.code == code, done
    assert done.out.startswith(out) and err in done.err


def test_quiet(plansolve, seeds):
    done = plansolve(seeds / "cis521-a.json", env={"PLANSOLVE_SOLVE_QUIET": "1"})
    assert (done.out, done.err) == ("DLLUU\n", "")
