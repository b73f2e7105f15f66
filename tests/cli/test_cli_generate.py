"""`plansolve generate`: boards on standard output, and instance sets in new folders."""

import json
import re

import pytest
from click.testing import CliRunner
from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve.apps.judge.optima import EARLIER_PROOF, OptimumStore, known_without_search
from plansolve.cli.generate import command
from plansolve.formats import read_problem
from plansolve.instances.board_reader import BoardReader
from plansolve.instances.instance_set import load_instance_set
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler


def test_one_board_goes_to_standard_output(plansolve):
    done = plansolve("generate", "--size", "3x3", "--seed", "1")
    assert (done.code, done.out, done.err) == (0, "2 1 3\n8 5 4\n6 7 .\n", "")
    assert plansolve("generate", "--size", "3", "--seed", "1").out == done.out
    lloyd = plansolve("generate", "--puzzle", "lloyd", "--seed", "1", "--scramble", "0")
    assert (lloyd.out, lloyd.err) == ("ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVWX+\n", "")


def test_without_a_seed_it_tells_the_one_it_chose(plansolve):
    done = plansolve("generate", "--format", "line")
    (seed,) = re.fullmatch(r"seed (\d+)\n", done.err).groups()
    again = plansolve("generate", "--format", "line", "--seed", seed)
    assert (again.out, again.err) == (done.out, "")
    assert plansolve("generate", "-q").err == ""


def test_a_set_of_a_wanted_length(plansolve, tmp_path, eight_table):
    arguments = ("generate", "--size", "3x3", "--count", "11", "--seed", "2")
    done = plansolve(*arguments, "--optimal-length", "20", "-o", tmp_path / "set")
    assert (done.code, done.out, done.err) == (0, "", f"11 boards in {tmp_path / 'set'}\n")
    made = load_instance_set(tmp_path / "set")
    assert [instance.name for instance in made.instances][:2] == ["01", "02"]
    for instance in made.instances:
        assert (instance.optimal_length, eight_table[instance.problem.start]) == (20, 20)
        # What was proved for the set is a proof for `judge`.
        known = known_without_search(instance, OptimumStore.of_user())
        assert (known.source, len(known.plan), known.is_recorded) == (EARLIER_PROOF, 20, False)
    # The source is the command that makes the set again.
    words = re.search(r"plansolve (generate [^;]*);", made.source)[1]
    again = plansolve(*words.split(), "-o", tmp_path / "again", "-q")
    assert (again.code, again.err) == (0, "")
    for path in (tmp_path / "set").glob("*.puz"):
        assert path.read_text() == (tmp_path / "again" / path.name).read_text()


@pytest.mark.parametrize("name", ["-", "set.txt", "set.csv", "set.html", "set"])
def test_lengths_within_a_range_in_files_of_each_kind(plansolve, tmp_path, eight_table, name):
    """No board of the 8-puzzle has more than 31 moves: a range may end above that."""
    options = ("--size", "3x3", "--count", "9", "--seed", "3", "--optimal-length", "25-99")
    done = plansolve("generate", *options, "-o", name, "-q", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    if name == "-":
        (tmp_path / "-.txt").write_text(done.out)
    if name == "set.html":
        page = (tmp_path / name).read_text()
        pictures = re.findall(r'aria-label="Board: (.*?)".*?<figcaption>(.*?)<', page, re.DOTALL)
        assert pictures.pop(0) == ("1 2 3; 4 5 6; 7 8 0", "goal")
        found = [tuple(map(int, re.findall("[0-9]", picture))) for picture, _ in pictures]
        assert [text for _, text in pictures] == [
            f"{number}: {eight_table[board]} moves" for number, board in enumerate(found, 1)
        ]
    else:
        path = tmp_path / name.replace("-", "-.txt")
        found = [board.problem.start for board in BoardReader().boards([str(path)])]
    lengths = {eight_table[board] for board in found}
    assert len(found) == 9 and lengths <= {*range(25, 32)} and len(lengths) > 3


def test_a_goal_from_a_file(plansolve, tmp_path):
    (tmp_path / "goal.puz").write_text("1 2 3\n8 . 4\n7 6 5\n")
    goal = ("--goal", tmp_path / "goal.puz", "--seed", "1")
    made = read_problem(plansolve("generate", *goal).out)
    assert made.goal == (1, 2, 3, 8, 0, 4, 7, 6, 5)
    wrong = plansolve("generate", *goal, "--size", "4x4")
    assert wrong.code == 2 and wrong.error_line.startswith(f"{tmp_path / 'goal.puz'}: ")
    tiles = plansolve("generate", *goal, "--puzzle", "loopover")
    assert tiles.code == 2 and tiles.error_line.startswith(f"{tmp_path / 'goal.puz'}: ")
    missing = plansolve("generate", "--goal", "nothing.puz")
    assert missing.code == 2 and "unknown goal 'nothing.puz'" in missing.error_line


def test_unsolvable_boards(plansolve, tmp_path):
    done = plansolve(
        *("generate", "--size", "2x3", "--unsolvable", "--count", "5", "--seed", "2"),
        *("--goal", "snail", "-o", tmp_path / "set"),
    )
    assert done.code == 0
    table = cases.distance_table("sliding", 2, 3, "snail")
    for instance in load_instance_set(tmp_path / "set").instances:
        assert not instance.solvable and instance.problem.start not in table


def test_a_board_of_the_rules_in_a_file(plansolve, tmp_path):
    puzzle = cases.row_slides()
    operators = [{"name": o.name, "moves": o.moves, "blank": o.blank} for o in puzzle.operators]
    rules = {"name": "row-slides", "rows": 2, "columns": 3, "operators": operators}
    rules["goal"] = [[1, 2, 3], [4, 5, 0]]
    board = tmp_path / "mine.json"
    board.write_text(json.dumps({"puzzle": rules}))
    done = plansolve("generate", board, "--optimal-length", "7", "--seed", "1")
    distances = Rules.of(puzzle).distances_to(puzzle.goal)
    assert distances[read_problem(done.out).start] == 7
    refused = plansolve(board)
    assert refused.code == 2 and "has no 'board'" in refused.error_line
    options = ("--optimal-length", "3", "--count", "2", "--seed", "1")
    assert plansolve("generate", board, *options, "-o", tmp_path / "set").code == 0
    ours = load_instance_set(tmp_path / "set")
    assert "generate FILE (row-slides)" in ours.source
    assert [distances[board.problem.start] for board in ours.instances] == [3, 3]
    assert [board.optimal_length for board in ours.instances] == [3, 3]


def test_giving_up_keeps_what_was_made(plansolve, tmp_path):
    # The limit is over before the first board is solved.
    done = plansolve(
        *("generate", "--optimal-length", "40", "--count", "2", "--seed", "1"),
        *("--time-limit", "0.001", "-o", tmp_path / "set"),
    )
    assert (done.code, done.out) == (23, "")
    assert "such a board may exist; 0 of 2 boards made" in done.err
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("options", "maker", "draw"),
    [((), BoardSampler, "solvable"), (("--scramble", "9"), Predecessors, "walk"),
     (("--unsolvable",), BoardSampler, "unsolvable")],
)  # fmt: skip
def test_ctrl_c_keeps_the_boards_that_were_drawn(tmp_path, monkeypatch, options, maker, draw):
    made, drawn = getattr(maker, draw), []

    def interrupted(self, *arguments):
        drawn.append(arguments)
        if len(drawn) == 4:
            raise KeyboardInterrupt
        return made(self, *arguments)

    monkeypatch.setattr(maker, draw, interrupted)
    arguments = ["--count", "9", "--seed", "1", "-q", "-o", str(tmp_path / "set"), *options]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    assert (done.return_value, done.stdout) == (130, "")
    assert done.stderr == "plansolve: interrupted; 3 of 9 boards made\n"
    assert len(load_instance_set(tmp_path / "set").instances) == 3
