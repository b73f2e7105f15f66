import json
from pathlib import Path
from typing import Any

import pytest

from plansolve.errors import BoardError
from plansolve.formats import MAX_BYTES
from plansolve.instances.instance_set import (
    MANIFEST,
    SCHEMA,
    Instance,
    InstanceSet,
    load_instance_set,
)
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import breadth_first, permutation_parity

FOLDER = Path(__file__).parents[3] / "instances"
SIZES = {
    "eight-puzzle": 20,
    "fifteen-hardest": 17,
    "fifteen-multi-tile": 16,
    "korf100": 100,
    "korf24": 50,
    "lloyd-random": 10,
    "lloyd-walks": 30,
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
def instance_set(request: pytest.FixtureRequest) -> InstanceSet:
    return load_instance_set(FOLDER / request.param)


def lower_bound(problem: Problem) -> int:
    """No tile can be home sooner, and no move brings more tiles nearer than it moves."""
    structure, goal = problem.structure, problem.goal
    distance = [
        breadth_first(structure.tile_arcs, cell)[goal.index(tile)]
        for cell, tile in enumerate(problem.start)
        if tile != BLANK
    ]
    moved = max(
        sum(source != operator.blank for _, source in operator.moves)
        for operator in problem.puzzle.operators
    )
    return max(max(distance), -(-sum(distance) // moved))


def parity_contradicts(problem: Problem) -> bool:
    graph, start, goal = problem.structure.blank_graph, problem.start, problem.goal
    assert problem.structure.operator_parity == 1 and graph and graph.colouring
    colour = graph.colouring
    by_colour = colour[start.index(BLANK)] ^ colour[goal.index(BLANK)]
    return by_colour != permutation_parity(start, goal)


def test_each_set_is_in_the_table() -> None:
    assert sorted(SIZES) == SETS
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, size in SIZES.items():
        assert f"| `{name}` | {size} |" in text


def test_a_set_has_its_folders_name_and_its_size(instance_set: InstanceSet) -> None:
    assert len(instance_set.instances) == SIZES[instance_set.name]
    assert instance_set.title and instance_set.source


def test_boards_are_different(instance_set: InstanceSet) -> None:
    problems = {(i.problem.goal, i.problem.start) for i in instance_set.instances}
    assert len(problems) == len(instance_set.instances)


def test_optimal_lengths_fit_parity_and_lower_bound(instance_set: InstanceSet) -> None:
    for instance in instance_set.instances:
        length = instance.optimal_length
        if length is None:
            continue
        assert length >= lower_bound(instance.problem), instance.name
        parity = instance.problem.structure.plan_parity(instance.problem.start)
        assert parity in (None, length % 2), instance.name
        assert (length == 0) == (instance.problem.start == instance.problem.goal)


def test_the_wrong_parity_is_on_the_unsolvable_boards_alone(instance_set: InstanceSet) -> None:
    for instance in instance_set.instances:
        if instance.problem.puzzle.name == "sliding":
            assert parity_contradicts(instance.problem) != instance.solvable, instance.name
        else:
            assert instance.solvable, instance.name


def test_every_bundled_length_is_known(instance_set: InstanceSet) -> None:
    for instance in instance_set.instances:
        if instance_set.name == "lloyd-random" and instance.optimal_length is None:
            continue  # Beyond the reach of any known method.
        assert (instance.optimal_length is not None) == instance.solvable, instance.name


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("eight-puzzle", {31}),
        ("lloyd-walks", {*range(4, 25), 26, 28}),
        ("torus-ring-walks", {*range(1, 11)}),
    ],
)
def test_walks_reach_every_length(name: str, lengths: set[int]) -> None:
    found = {instance.optimal_length for instance in load_instance_set(FOLDER / name).instances}
    assert lengths <= found


def test_means_of_korfs_boards() -> None:
    for name, mean in (("korf100", 53.05), ("korf24", 100.78)):
        lengths = [i.optimal_length or 0 for i in load_instance_set(FOLDER / name).instances]
        assert sum(lengths) / len(lengths) == mean


def test_manifests_have_an_instance_a_line() -> None:
    for name in SETS:
        lines = (FOLDER / name / MANIFEST).read_text(encoding="utf-8").splitlines()
        entries = [line for line in lines if line.startswith('    {"name": ')]
        assert len(entries) == SIZES[name]


def seed(name: str) -> Instance:
    instances = load_instance_set(FOLDER / "seeds").instances
    return next(instance for instance in instances if instance.name == name)


@pytest.mark.parametrize(
    ("name", "puzzle", "start"),
    [
        ("fifteen", "sliding", (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)),
        ("oblong", "sliding", (6, 7, 11, 1, 3, 8, 5, 0, 13, 12, 4, 14, 10, 9, 2)),
        ("cis521-a", "sliding", (4, 1, 2, 0, 5, 3, 7, 8, 6)),
        ("sliders", "sliding", (1, 4, 2, 3, 0, 5, 6, 7, 8)),
    ],
)
def test_boards_of_seed_files(name: str, puzzle: str, start: tuple[int, ...]) -> None:
    problem = seed(name).problem
    assert (problem.puzzle.name, problem.start) == (puzzle, start)


def test_sliders_has_the_blank_first() -> None:
    assert seed("sliders").problem.goal == tuple(range(9))


@pytest.mark.parametrize(("name", "moves"), [("2023", "L3 D3 Occ Ic"), ("lloyd", "d d d r r d t")])
def test_seed_boards_are_what_their_moves_make(name: str, moves: str) -> None:
    problem = seed(name).problem
    state = problem.goal
    for move in moves.split():
        state = problem.puzzle.applicable(state)[move].apply(state)
    assert state == problem.start


def test_lloyds_square_is_thirty_bytes() -> None:
    assert len((FOLDER / "seeds" / "lloyd.txt").read_bytes()) == 30


BOARD: dict[str, Any] = {"rows": 2, "columns": 2, "board": [1, 2, 0, 3]}
ENTRY: dict[str, Any] = {"name": "a", **BOARD, "optimal_length": 1}
FILE_ENTRY: dict[str, Any] = {"name": "a", "file": "a.txt", "optimal_length": 1}


def manifest(*entries: object, **fields: object) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "name": "set",
        "title": "A set",
        "puzzle": "sliding",
        "goal": "blank-last",
        "source": "made up",
        "instances": list(entries or [ENTRY]),
        **fields,
    }


def without(fields: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in fields.items() if k != key}


def load(folder: Path, content: object) -> InstanceSet:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return load_instance_set(folder)


def test_a_small_set(tmp_path: Path) -> None:
    second = ENTRY | {"name": "b", "goal": "blank-first", "optimal_length": None, "note": "why"}
    found = load(tmp_path, manifest(ENTRY | {"optimal_plans": 1, "nodes": 0}, second))
    assert (found.name, found.title, found.source) == ("set", "A set", "made up")
    first, other = found.instances
    assert first == Instance("a", first.problem, 1, True, 1)
    assert first.problem.start == (1, 2, 0, 3) and first.problem.goal == (1, 2, 3, 0)
    assert other == Instance("b", other.problem, None, True, None)
    assert other.problem.goal == (0, 1, 2, 3)


def test_a_file_entry(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2\n0 3\n", encoding="utf-8")
    (instance,) = load(tmp_path, manifest(FILE_ENTRY)).instances
    assert instance.problem.start == (1, 2, 0, 3)


@pytest.mark.parametrize("key", sorted(manifest()))
def test_a_missing_key_of_a_set(tmp_path: Path, key: str) -> None:
    with pytest.raises(BoardError, match=f"{MANIFEST}: without {key}$"):
        load(tmp_path, without(manifest(), key))


@pytest.mark.parametrize("key", sorted(ENTRY))
def test_a_missing_key_of_an_entry(tmp_path: Path, key: str) -> None:
    with pytest.raises(BoardError, match=f"{MANIFEST}: instance 2: without {key}$"):
        load(tmp_path, manifest(ENTRY, without(ENTRY | {"name": "b"}, key)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: not a JSON document"),
        ("[" * 100_000, "the JSON document is nested too deeply"),
        ("9" * 10_000, "the JSON document holds a number that is too long"),
        ('{"name": 1, "name": 2}', "an object of the JSON document has the key 'name' twice"),
        ([], "the JSON document must be an object"),
        (manifest(schema="plansolve.instances/2"), "schema is 'plansolve.instances/2'"),
        (manifest(schema=None), "schema is null"),
        (manifest(extra=1), "unknown key 'extra'"),
        (manifest(name=7), "name should be one line of text, not 7"),
        (manifest(title=" "), "title should be one line of text"),
        (manifest(source="a\nb"), "source should be one line of text"),
        (manifest(puzzle=["sliding"]), "puzzle should be one line of text"),
        (manifest(goal={}), "goal should be one line of text"),
        (manifest(instances={}), "instances should be a list"),
        (manifest(instances=[]), "instances should be a list of at least one entry"),
    ],
)
def test_hostile_manifests(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(BoardError) as error:
        load(tmp_path, content)
    assert str(error.value).startswith(f"{tmp_path / MANIFEST}: {message}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": None}, "name should be one line of text"),
        ({"name": "a"}, "the name 'a' appears a second time"),
        ({"strange": 1}, "unknown key 'strange'"),
        ({"file": "a.txt"}, "unknown key 'board'"),
        ({"puzzle": None}, "puzzle or goal is null: only the board of a file tells its own rules"),
        ({"goal": 7}, "its rules: goal should be one line of text, not 7"),
        ({"rows": "2"}, "rows and columns should be integers"),
        ({"columns": True}, "rows and columns should be integers"),
        ({"rows": 2.0}, "rows and columns should be integers"),
        ({"rows": 3}, "the board has 4 cells, the goal has 6"),
        ({"rows": -2, "columns": -2}, "out of range"),
        ({"rows": 10**9}, "out of range"),
        ({"board": "1203"}, "board should be a list of integers"),
        ({"board": [1, 2, 0, False]}, "board should be a list of integers"),
        ({"board": [[1, 2], [0, 3]]}, "board should be a list of integers"),
        ({"board": [1, 2, 2, 0]}, "2 appears twice, 3 is missing"),
        ({"board": [1, 2, 0, 10**100]}, "is no tile"),
        ({"optimal_length": -1}, "optimal_length should be null or at least 0, not -1"),
        ({"optimal_length": 1.5}, "optimal_length should be null or at least 0"),
        ({"optimal_length": True}, "optimal_length should be null or at least 0"),
        ({"optimal_plans": 0}, "optimal_plans should be null or at least 1"),
        ({"optimal_plans": 1, "optimal_length": None}, "without an optimal_length"),
        ({"nodes": "many"}, "nodes should be null or at least 0"),
        ({"note": 1}, "note should be one line of text"),
        ({"solvable": 0}, "solvable should be true or false"),
        ({"solvable": False}, "optimal_length should be null where solvable is false"),
        ({"puzzle": "chess"}, "unknown puzzle 'chess'"),
        ({"puzzle": "sliding:rings=none"}, "has no parameter"),
        ({"goal": "upside-down"}, "unknown goal 'upside-down'"),
        ({"goal": 3}, "goal should be one line of text"),
    ],
)
def test_hostile_entries(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(BoardError) as error:
        load(tmp_path, manifest(ENTRY, {**ENTRY, "name": "b", **change}))
    assert str(error.value).startswith(f"{tmp_path / MANIFEST}: instance 2")
    assert message in str(error.value)


@pytest.mark.parametrize("entry", [None, 1, "a", ["name"]])
def test_an_entry_that_is_no_object(tmp_path: Path, entry: object) -> None:
    with pytest.raises(BoardError, match="instance 2 should be an object"):
        load(tmp_path, manifest(ENTRY, entry))


@pytest.mark.parametrize(
    "name",
    [
        *("../a.txt", "/etc/hostname", "..", ".", "", "sub/a.txt", "..\\a.txt", "C:a.txt"),
        *("a\0.txt", "a\n.txt", "\ud800", "absent.txt", "sub", "out.txt", "loop.txt", "x" * 5000),
        *(None, 7, ["a.txt"]),
    ],
)
def test_a_file_may_not_leave_the_folder(tmp_path: Path, name: object) -> None:
    folder = tmp_path / "set"
    (folder / "sub").mkdir(parents=True)
    for place in (tmp_path, folder / "sub"):
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
def test_a_file_that_holds_no_board(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(BoardError) as error:
        load(tmp_path, manifest(FILE_ENTRY))
    assert str(error.value).startswith(f"{tmp_path / MANIFEST}: instance 1 ('a'): ")


def test_a_folder_without_manifest(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match=f"{MANIFEST}: cannot be read"):
        load_instance_set(tmp_path)
