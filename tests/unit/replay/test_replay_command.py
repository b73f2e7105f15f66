"""plansolve replay: files written, boards printed, and one clear error for wrong input."""

import json
import re

import pytest
from click.testing import CliRunner

from plansolve.cli.replay import command
from plansolve.errors import OptionError
from plansolve.formats import read_problem
from plansolve.replay.svg import board_svg
from plansolve.solvers.result import Result, Status, StopReason

EIGHT = "4 1 2\n. 5 3\n7 8 6\n"


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "eight.puz"
    path.write_text(EIGHT)
    return path


def run(*arguments, stdin=""):
    return CliRunner().invoke(
        command,
        [str(a) for a in arguments],
        input=stdin,
        catch_exceptions=False,
        standalone_mode=False,
    )


def subtitle(path):
    return re.search(r'<p class="subtitle">(.*?)</p>', path.read_text(encoding="utf-8"))[1]


def proved(problem, **changes):
    """Return the document of `plansolve solve --json`, with parts of it replaced."""
    result = Result(
        status=Status.OPTIMAL,
        plan=tuple("DLLUU"),
        lower_bound=5,
        upper_bound=5,
        penalty=0,
        stop_reason=StopReason.SOLVED,
        engine="idastar",
        problem=problem,
    )
    return json.dumps(result.to_dict() | changes)


def test_the_boards_are_printed(board):
    done = run(board, "--plan", "DL")
    assert done.output == (
        "start, 2 moves to come\n4 1 2\n0 5 3\n7 8 6\n\n"
        "move 1 of 2: D\n0 1 2\n4 5 3\n7 8 6\n\n"
        "move 2 of 2: L\n1 0 2\n4 5 3\n7 8 6\n\n"
    )


OTHER = [[1, 2, 3], [4, 5, 6], [7, 0, 8]]


@pytest.mark.parametrize(
    ("changes", "known"),
    [
        ({}, ", proved shortest"),
        (
            {"status": "feasible", "lower_bound": 3},
            ", not proved shortest: every plan has 3 or more",
        ),
        # A claim about another board or goal, or one that cannot be, is no proof for this one.
        ({"start": OTHER}, ""),
        ({"goal": "blank-first"}, ""),
        ({"status": "feasible"}, ""),
        *(
            ({"status": "feasible", **changes}, "")
            for changes in (
                *({"lower_bound": bound} for bound in (6, -1, [3], True)),
                {"lower_bound": 3, "length": 4},
                {"lower_bound": 3, "start": OTHER},
            )
        ),
    ],
)
def test_a_page_says_what_is_proved_of_its_board(board, tmp_path, changes, known):
    plan, page = tmp_path / "result.json", tmp_path / "page.html"
    plan.write_text(proved(read_problem(EIGHT), **changes))
    assert run(board, plan, "--html", page).output == ""
    assert "<h1>eight</h1>" in page.read_text(encoding="utf-8")
    assert re.search(f"a plan of 5 moves{known}$", subtitle(page))


def test_a_board_alone_and_plans_on_standard_input(board, tmp_path):
    page = tmp_path / "page.html"
    run(board, "--html", page, "--optimal-length", 5)
    assert subtitle(page).endswith("5 moves suffice")
    run(board, "-", "--html", page, "--moves", "blank", stdin="URRDD")
    assert subtitle(page).endswith("a plan of 5 moves")
    # A result stands for board and plan.
    run("-", "--html", page, stdin=proved(read_problem(EIGHT)))
    assert subtitle(page).endswith("a plan of 5 moves, proved shortest")


def test_pictures_are_written_one_a_board(board, tmp_path):
    folder = tmp_path / "new" / "frames"
    run(board, "--plan", "DLLUU", "--svg", folder)
    names = [f"step-00{i}.svg" for i in range(6)]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert 'aria-label="Board: 1 2 3; 4 5 6; 7 8 0"' in (folder / names[-1]).read_text()
    alone = tmp_path / "board.svg"
    run(board, "--plan", "DLLUU", "--svg", alone)
    problem = read_problem(EIGHT)
    assert alone.read_text() == board_svg(problem.puzzle, problem.start)
    with pytest.raises(OptionError, match="frames: is not empty; name a new folder"):
        run(board, "--plan", "D", "--svg", folder)
    assert sorted(path.name for path in folder.iterdir()) == names


def test_pictures_to_standard_output(board, tmp_path, monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    assert run(board, "--plan", "DLLUU", "--gif", "-").stdout_bytes[:6] == b"GIF89a"
    assert run(board, "--png", "-").stdout_bytes[:8] == b"\x89PNG\r\n\x1a\n"
    for two in (("--gif", "--html"), ("--png", "--gif")):
        with pytest.raises(OptionError, match="only one file can go to standard output"):
            run(board, *(argument for option in two for argument in (option, "-")))
    assert [path.name for path in tmp_path.iterdir()] == ["eight.puz"]
