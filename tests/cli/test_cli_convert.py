"""`plansolve convert`: boards between all formats, plans between conventions and styles."""

import json

import pytest
from support.fixtures import cases

from plansolve.cli.convert import command
from plansolve.errors import InputError
from plansolve.formats import FORMATS, read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle

GAP_FIRST, SNAIL = (cases.make("sliding", 3, 3, goal) for goal in ("blank-first", "snail"))

PROBLEMS = {
    "15-puzzle": Problem(make_puzzle("sliding", 4, 4), (4, 3, 2, 1, 0, *range(5, 16))),
    "8-puzzle, gap first": Problem(GAP_FIRST, (1, 0, *range(2, 9))),
    "8-puzzle, snail": Problem(SNAIL, (1, 2, 3, 8, 4, 0, 7, 6, 5)),
    "oblong": Problem(make_puzzle("sliding", 2, 3), (1, 2, 3, 0, 4, 5)),
    "lloyd": Problem(make_puzzle("lloyd", 5, 5), (*range(1, 24), 0, 24)),
    "2023": Problem(make_puzzle("torus-ring", 5, 5), (2, 1, *range(3, 26))),
    "loopover": Problem(make_puzzle("loopover", 3, 3), (2, 3, 1, 4, 5, 6, 7, 8, 9)),
    "own rules": Problem(cases.row_slides(), (1, 2, 3, 0, 4, 5)),
}

HOLDERS = {
    "15-puzzle": {"json", "nested", "algs4", "comma", "line", "puz"},
    "8-puzzle, gap first": {"json", "korf"},
    "8-puzzle, snail": {"json", "npuzzle42"},
    "oblong": {"json", "nested", "puz"},
    "lloyd": {"json", "lloyd"},
    "2023": {"json", "nested", "torus", "comma", "tws"},
    "loopover": {"json", "tws"},
    "own rules": {"json"},
}


def convert(*arguments):
    command.main([str(argument) for argument in arguments], standalone_mode=False)


@pytest.mark.parametrize("name", PROBLEMS)
def test_boards_go_through_every_format_that_can_hold_them(name, tmp_path, capsys):
    problem = PROBLEMS[name]
    first = tmp_path / "first.json"
    first.write_text(write_problem(problem, "json"))
    holders = set()
    for format_ in FORMATS:
        written = tmp_path / format_
        try:
            convert(first, "--to", format_, "-o", written)
        except InputError as error:
            assert "format" in str(error) or "tws" in str(error) or "letters" in str(error)
            assert not written.exists()
            continue
        holders.add(format_)
        convert(written, "--format", format_, "--to", "json")
        back = read_problem(capsys.readouterr().out)
        assert (back.start, back.goal) == (problem.start, problem.goal)
        moves = {(o.name, o.blank, frozenset(o.moves)) for o in back.puzzle.operators}
        assert moves == {(o.name, o.blank, frozenset(o.moves)) for o in problem.puzzle.operators}
    assert holders == HOLDERS[name]


def test_plans_between_conventions_and_styles(tmp_path, capsys):
    board = tmp_path / "board.puz"
    board.write_text("1 2 3\n4 0 5\n7 8 6\n")
    for arguments, expected in [
        (["--plan", "LU"], "LU"),
        (["--plan", "LU", "--to-moves", "blank"], "RD"),
        (["--plan", "RD", "--moves", "blank", "--to-moves", "tile"], "LU"),
        (["--plan", "RD", "--moves", "blank", "--style", "words"], "right down"),
        (["--plan", "left, up", "--style", "list"], '["L", "U"]'),
        (["--plan", "", "--to-moves", "blank"], ""),
    ]:
        convert(board, *arguments)
        assert capsys.readouterr().out == f"{expected}\n"


def test_a_result_is_a_plan_and_tells_its_convention(plansolve, seeds, tmp_path):
    board = seeds / "fifteen.puz"
    result = plansolve("solve", board, "--json", "--moves", "blank", "-q").out
    document = json.loads(result)
    done = plansolve("convert", board, "-", "--style", "list", stdin=result)
    assert json.loads(done.out) == document["plan"]
    plan = tmp_path / "plan"
    told = plansolve("convert", board, "-", "--to-moves", "tile", "-o", plan, stdin=result)
    assert (told.code, told.out, told.err) == (0, "", "")
    assert plansolve("verify", board, plan).code == 0
