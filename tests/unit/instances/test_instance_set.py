"""Instance sets: those of the repository, written ones read back, hostile ones refused."""

import json
from pathlib import Path

import pytest
from support.fixtures import cases
from support.fixtures.sets import manifest

from plansolve.errors import BoardError, OptionError
from plansolve.formats import MAX_BYTES, read_problem, write_problem
from plansolve.instances.instance_set import (
    MANIFEST,
    SCHEMA,
    load_instance_set,
    names_of,
    natural_format,
    write_instance_set,
)
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import sliding
from plansolve.records.board import Board

FOLDER = Path(__file__).parents[3] / "instances"
SIZES = {
    "eight-puzzle": 20,
    "fifteen-hardest": 17,
    "fifteen-multi-tile": 16,
    "huarong-dao": 12,
    "korf100": 100,
    "korf24": 50,
    "lloyd-random": 10,
    "lloyd-walks": 30,
    "rush-hour": 50,
    "sat-frontier": 12,
    "seeds": 11,
    "sliding-misc": 9,
    "torus-ring": 6,
    "torus-ring-deep": 5,
    "torus-ring-far": 4,
    "torus-ring-walks": 30,
}
SETS = sorted(path.parent.name for path in FOLDER.glob(f"*/{MANIFEST}"))


@pytest.fixture(scope="module", params=SETS)
def instance_set(request):
    return load_instance_set(FOLDER / request.param)


def lengths(name):
    return [board.optimal_length for board in load_instance_set(FOLDER / name).instances]


# The sets of the repository


def test_the_table_lists_each_set_and_a_manifest_has_a_board_a_line():
    assert sorted(SIZES) == SETS
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, size in SIZES.items():
        assert f"| `{name}` | {size} |" in table
        lines = (FOLDER / name / MANIFEST).read_text(encoding="utf-8").splitlines()
        assert sum(line.startswith('    {"name": ') for line in lines) == size


def test_a_set_has_its_folders_name_and_different_boards_of_known_lengths(instance_set):
    boards = instance_set.instances
    assert instance_set.title and instance_set.source
    assert {board.set_name for board in boards} == {instance_set.name}
    assert len({board.key for board in boards}) == len(boards) == SIZES[instance_set.name]
    # Some boards are beyond the reach of any known method.
    is_complete = instance_set.name != "lloyd-random"
    assert all((b.optimal_length is None) <= (not b.solvable or not is_complete) for b in boards)


def test_lengths_are_those_that_are_published():
    assert 31 in lengths("eight-puzzle")
    assert {*range(4, 25), 26, 28} <= {*lengths("lloyd-walks")}
    assert {*range(1, 11)} <= {*lengths("torus-ring-walks")}
    for name, mean in (("korf100", 53.05), ("korf24", 100.78)):
        assert sum(lengths(name)) / SIZES[name] == mean


# Writing


def walks(puzzle, count=3):
    back, draws = Predecessors(puzzle), Randomness(1)
    return [Board(Problem(puzzle, back.walk(puzzle.goal, 9, draws))) for _ in range(count)]


def written(folder, boards, **options):
    write_instance_set(folder, boards, title="Boards", source="A test.", **options)
    return load_instance_set(folder)


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
    made = [*walks(puzzle), Board(Problem(puzzle, puzzle.goal), optimal_length=0, note="the goal")]
    folder = tmp_path / "made"
    read = written(folder, made)
    assert (read.name, read.title, read.source) == ("made", "Boards", "A test.")
    assert [(b.name, b.problem, b.optimal_length, b.note) for b in read.instances] == [
        (str(number), board.problem, board.optimal_length, board.note)
        for number, board in enumerate(made, start=1)
    ]
    assert natural_format(made[0].problem) == natural
    assert {path.suffix for path in folder.iterdir()} == {f".{natural}", ".json"}
    assert list(tmp_path.iterdir()) == [folder]


def test_the_natural_format_is_read_back_without_its_name():
    for size, natural in (((1, 4), "json"), ((1, 5), "puz"), ((4, 1), "json")):
        puzzle = sliding(*size)
        problem = Problem(puzzle, puzzle.goal)
        assert natural_format(problem) == natural
        assert read_problem(write_problem(problem, natural)) == problem


def test_a_set_of_unsolvable_boards(tmp_path):
    puzzle = sliding(3, 3)
    start, reason = BoardSampler(puzzle).unsolvable(Randomness(0))
    made = [Board(Problem(puzzle, start), solvable=False, note=reason)]
    (board,) = written(tmp_path / "made", made).instances
    assert (board.problem.start, board.solvable, board.note) == (start, False, reason)


def test_nothing_is_left_of_a_set_that_cannot_be_written(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("mine")
    for folder, options, error, words in [
        (full, {}, OptionError, "not empty"),
        (full / "mine", {}, OptionError, "is not a folder"),
        (tmp_path / "new", {"format_": "lloyd"}, BoardError, "lloyd"),
        (tmp_path / "new", {"format_": "line"}, BoardError, "line"),
    ]:
        with pytest.raises(error, match=words):
            written(folder, walks(sliding(2, 3)), **options)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "mine"]


def test_the_files_of_a_set_tell_rules_and_goals_without_a_name(tmp_path):
    assert names_of(cases.make("sliding", 2, 3, "snail")) == ("sliding", "snail")
    for number, puzzle in enumerate((cases.row_slides(), sliding(2, 2).with_goal((3, 2, 1, 0)))):
        assert names_of(puzzle) == (None, None)
        problem = Problem(puzzle, BoardSampler(puzzle).solvable(Randomness(1)))
        folder = tmp_path / str(number)
        assert written(folder, [Board(problem)]).instances[0].problem == problem
        manifest = json.loads((folder / "manifest.json").read_text())
        assert (manifest["puzzle"], manifest["goal"]) == (None, None)


# Hostile manifests

ENTRY = {"name": "a", "rows": 2, "columns": 2, "board": [1, 2, 0, 3], "optimal_length": 1}
FILE_ENTRY = {"name": "a", "file": "a.txt", "optimal_length": 1}


def without(fields, key):
    return {k: v for k, v in fields.items() if k != key}


def load(folder, content):
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return load_instance_set(folder)


def test_a_small_set(tmp_path):
    second = ENTRY | {"name": "b", "goal": "blank-first", "optimal_length": None, "note": "why"}
    (tmp_path / "a.txt").write_text("1 2\n0 3\n", encoding="utf-8")
    third = FILE_ENTRY | {"name": "c"}
    found = load(tmp_path, manifest(ENTRY | {"optimal_plans": 1, "nodes": 0}, second, third))
    assert (found.name, found.title, found.source) == ("set", "A set", "made up")
    first, other, last = found.instances
    assert first == Board(first.problem, "a", "set", 1, True, 1)
    assert first.problem.start == (1, 2, 0, 3) and first.problem.goal == (1, 2, 3, 0)
    assert other == Board(other.problem, "b", "set", None, True, None, "why")
    assert other.problem.goal == (0, 1, 2, 3)
    assert last.problem == first.problem


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: not a JSON document"),
        ("[" * 100_000, "the JSON document is nested too deeply"),
        ("9" * 10_000, "the JSON document holds a number that is too long"),
        ('{"name": 1, "name": 2}', "an object of the JSON document has the key 'name' twice"),
        ([], "the JSON document must be an object"),
        *((without(manifest(ENTRY), key), f"missing key '{key}'") for key in manifest()),
        (
            manifest(ENTRY, schema="plansolve.instances/2"),
            f"schema: expected {SCHEMA!r}, got 'plan",
        ),
        (manifest(ENTRY, extra=1), "unknown key 'extra'"),
        (manifest(ENTRY, name=7), "name: expected one line of text, got 7"),
        (
            manifest(ENTRY, puzzle=["sliding"]),
            "puzzle: expected one line of text or null",
        ),
        (manifest(), "instances: expected a list of at least one entry, got a list"),
        (manifest(ENTRY, ["name"]), "instances[1]: expected an object, got a list"),
    ],
)
def test_hostile_manifests(tmp_path, content, message):
    with pytest.raises(BoardError) as error:
        load(tmp_path, content)
    assert str(error.value).startswith(f"{tmp_path / MANIFEST}: {message}")


def test_a_folder_without_manifest(tmp_path):
    with pytest.raises(BoardError, match=f"{MANIFEST}: cannot be read"):
        load_instance_set(tmp_path)


GONE = object()
"""Stands for a key that is missing."""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(({key: GONE}, f"missing key '{key}'") for key in ENTRY),
        ({"name": None}, "name: expected one line of text"),
        ({"name": "a"}, "the name 'a' appears a second time"),
        ({"strange": 1}, "unknown key 'strange'"),
        ({"file": "a.txt"}, "unknown key 'board'"),
        ({"puzzle": None}, "puzzle or goal is null: only a board in a file has rules of its own"),
        ({"goal": 7}, "goal: expected one line of text or null, got 7"),
        ({"rows": "2"}, "rows: expected a whole number, got '2'"),
        ({"rows": 3}, "the goal has 6 cells, the board has 4"),
        ({"rows": -2, "columns": -2}, "out of range"),
        ({"rows": 10**9}, "out of range"),
        ({"board": "1203"}, "board: expected a list, got '1203'"),
        ({"board": [1, 2, 0, False]}, "board[3]: expected a whole number, got false"),
        ({"board": [1, 2, 2, 0]}, "2 appears twice, 3 is missing"),
        ({"board": [1, 2, 0, 10**100]}, "is not a tile"),
        ({"optimal_length": -1}, "optimal_length: expected a whole number >= 0 or null, got -1"),
        ({"optimal_plans": 0}, "optimal_plans: expected a whole number >= 1 or null, got 0"),
        ({"optimal_plans": 1, "optimal_length": None}, "without an optimal_length"),
        ({"nodes": "many"}, "nodes: expected a whole number >= 0 or null, got 'many'"),
        ({"note": 1}, "note: expected one line of text, got 1"),
        ({"solvable": 0}, "solvable: expected true or false, got 0"),
        ({"solvable": False}, "optimal_length should be null if solvable is false"),
        ({"puzzle": "chess"}, "unknown puzzle 'chess'"),
        ({"goal": "upside-down"}, "unknown goal 'upside-down'"),
    ],
)
def test_hostile_entries(tmp_path, change, message):
    entry = {k: v for k, v in {**ENTRY, "name": "b", **change}.items() if v is not GONE}
    with pytest.raises(BoardError) as error:
        load(tmp_path, manifest(ENTRY, entry))
    assert str(error.value).startswith(f"{tmp_path / MANIFEST}: instance 2")
    assert message in str(error.value)


@pytest.mark.parametrize(
    "name",
    [
        *("../a.txt", "/etc/hostname", "..", ".", "", "sub/a.txt", "..\\a.txt", "C:a.txt"),
        *("a\0.txt", "a\n.txt", "\ud800", "absent.txt", "sub", "out.txt", "loop.txt", "x" * 5000),
        *("./a.txt", "sub/../a.txt", None, 7, ["a.txt"]),
    ],
)
def test_a_file_may_not_leave_the_folder(tmp_path, name):
    folder = tmp_path / "set"
    (folder / "sub").mkdir(parents=True)
    for place in (tmp_path, folder, folder / "sub"):
        (place / "a.txt").write_text("1 2\n0 3\n", encoding="utf-8")
    (folder / "out.txt").symlink_to(tmp_path / "a.txt")
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    with pytest.raises(BoardError) as error:
        load(folder, manifest(FILE_ENTRY | {"file": name}))
    where = f"{folder / MANIFEST}: instance 1 ('a'): "
    assert str(error.value).startswith(where)
    assert "file" in str(error.value)
    assert len(str(error.value)) < len(where) + 200


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"1 2\n2 0\n", b"what?\n", b"1 " * MAX_BYTES]
)
def test_a_file_that_holds_no_board(tmp_path, data):
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(BoardError) as error:
        load(tmp_path, manifest(FILE_ENTRY))
    assert str(error.value).startswith(f"{tmp_path / MANIFEST}: instance 1 ('a'): ")
