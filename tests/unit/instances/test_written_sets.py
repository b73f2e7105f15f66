"""Sets of boards that are written are read back; nothing is left of one that cannot be written."""

import json

import pytest
from support.fixtures import cases

from plansolve.errors import BoardError, OptionError
from plansolve.formats import read_problem, write_problem
from plansolve.instances import (
    BoardSampler,
    Predecessors,
    Randomness,
    write_instance_set,
)
from plansolve.instances.instance_set import load_instance_set
from plansolve.instances.instance_set_writer import Entry, names_of, natural_format
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import sliding


def entries(puzzle, count=3):
    back, draws = Predecessors(puzzle), Randomness(1)
    return [Entry(Problem(puzzle, back.walk(puzzle.goal, 9, draws))) for _ in range(count)]


@pytest.mark.parametrize(
    ("specification", "side", "goal", "natural"),
    [
        ("sliding", 4, None, "puz"),
        ("sliding", 4, "snail", "json"),
        ("lloyd", 5, None, "lloyd"),
        ("torus-ring", 5, None, "torus"),
        ("loopover", 3, None, "json"),
    ],
)
def test_a_written_set_is_read_back(tmp_path, specification, side, goal, natural):
    puzzle = cases.make(specification, side, side, goal)
    made = [*entries(puzzle), Entry(Problem(puzzle, puzzle.goal), 0, note="the goal")]
    folder = tmp_path / "made"
    write_instance_set(folder, made, title="Boards", source="A test.")
    read = load_instance_set(folder)
    assert (read.name, read.title, read.source) == ("made", "Boards", "A test.")
    assert [instance.problem for instance in read.instances] == [e.problem for e in made]
    assert [instance.optimal_length for instance in read.instances] == [None, None, None, 0]
    assert natural_format(made[0].problem) == natural
    assert {path.suffix for path in folder.iterdir()} == {f".{natural}", ".json"}
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(("size", "natural"), [((1, 4), "json"), ((1, 5), "puz"), ((4, 1), "puz")])
def test_the_natural_format_is_read_back_without_its_name(size, natural):
    puzzle = sliding(*size)
    problem = Problem(puzzle, puzzle.goal)
    assert natural_format(problem) == natural
    assert read_problem(write_problem(problem, natural)) == problem


def test_a_set_of_unsolvable_boards(tmp_path):
    puzzle = sliding(3, 3)
    board, reason = BoardSampler(puzzle).unsolvable(Randomness(0))
    made = [Entry(Problem(puzzle, board), solvable=False, note=reason)]
    write_instance_set(tmp_path / "made", made, title="Boards", source="A test.")
    (instance,) = load_instance_set(tmp_path / "made").instances
    assert (instance.problem.start, instance.solvable) == (board, False)


def test_nothing_is_left_of_a_set_that_cannot_be_written(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("mine")
    made = entries(sliding(2, 3))
    for folder, options, error, words in [
        (full, {}, OptionError, "not empty"),
        (full / "mine", {}, OptionError, "is no folder"),
        (tmp_path / "new", {"format_": "lloyd"}, BoardError, "lloyd"),
        (tmp_path / "new", {"format_": "line"}, BoardError, "line"),
    ]:
        with pytest.raises(error, match=words):
            write_instance_set(folder, made, title="Boards", source="A test.", **options)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "mine"]


def test_the_files_of_a_set_tell_rules_and_goals_without_a_name(tmp_path):
    assert names_of(cases.make("sliding", 2, 3, "snail")) == ("sliding", "snail")
    for number, puzzle in enumerate((cases.row_slides(), sliding(2, 2, (3, 2, 1, 0)))):
        assert names_of(puzzle) == (None, None)
        problem = Problem(puzzle, BoardSampler(puzzle).solvable(Randomness(1)))
        folder = tmp_path / str(number)
        write_instance_set(folder, [Entry(problem)], title="Own", source="A test.")
        manifest = json.loads((folder / "manifest.json").read_text())
        assert (manifest["puzzle"], manifest["goal"]) == (None, None)
        assert load_instance_set(folder).instances[0].problem == problem
