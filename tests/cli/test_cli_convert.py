"""`plansolve convert`: boards between all formats, plans between conventions and styles."""

import json

from plansolve.cli.convert import command
from plansolve.formats import read_problem


def convert(*arguments):
    command.main([str(argument) for argument in arguments], standalone_mode=False)


def test_a_board_goes_to_a_file_of_another_format(tmp_path, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second"
    first.write_text('{"board": [[1, 0, 3], [4, 2, 5]]}')
    convert(first, "--to", "puz", "-o", second)
    assert second.read_text() == "1 . 3\n4 2 5\n" and capsys.readouterr().out == ""
    convert(second, "--format", "puz", "--to", "nested")
    assert read_problem(capsys.readouterr().out) == read_problem(first)


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
