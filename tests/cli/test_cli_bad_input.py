"""Whatever is wrong with the input: one line that says so, exit code 2, nothing on stdout."""

import json
import shlex
import sys

import pytest
from support.fixtures import cases

GOOD = "1 2 3\n4 5 6\n7 0 8\n"
BAD_BOARDS = {
    "duplicate": (b"1 2 3\n4 5 5\n7 8 0\n", ["line 2", "5 appears twice", "6 is missing"]),
    "a slip in the second of two": (
        b"1 2 3\n4 5 6\n7 8 0\n\n1 2 3\n4 5 6\n7 7 0\n",
        ["2 boards, on lines 1, 5", "FILE#2"],
    ),
    "binary": (bytes(range(256)), ["not a text file", "0x00", "offset 0"]),
    "unknown puzzle": (b'{"puzzle": "rubik", "board": [[1, 2], [3, 0]]}', ["'rubik'", "sliding"]),
    "too long": (b"1 " * 1_000_000, ["larger than any board"]),
}


def refused(done, *parts):
    """See that a command says in one line what is wrong, and return the line."""
    assert done.code == 2, done
    for part in parts:
        assert part in done.error_line
    return done.error_line


@pytest.mark.parametrize("name", BAD_BOARDS)
def test_bad_boards(plansolve, tmp_path, name):
    data, parts = BAD_BOARDS[name]
    board = tmp_path / "board"
    board.write_bytes(data)
    line = refused(plansolve("solve", board), *parts)
    assert line.startswith(f"{board}: ") or "unknown puzzle" in line
    assert len(line) < 1000
    named = plansolve("-", stdin=data)
    assert named.error_line == line.replace(f"{board}: ", "standard input: ")


def test_an_endless_file(plansolve):
    refused(plansolve("/dev/zero"), "larger than any board")


READERS = [
    ["encode", "--horizon", "3"],
    ["decode", "--horizon", "3"],
    ["verify", "--plan", "U"],
    ["convert", "--to", "puz"],
    ["certify", "-o", "certificate"],
    *(["replay"], ["judge", "true"], ["tables", "build"]),
]


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_other_commands_read_boards_alike(plansolve, tmp_path, command):
    board = tmp_path / "board"
    board.write_text("1 2 3\n4 5 5\n7 8 0\n")
    line = refused(plansolve(*command, board, cwd=tmp_path))
    assert line == f"{board}: line 2: 5 appears twice, 6 is missing"
    assert [path.name for path in tmp_path.iterdir()] == ["board"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.puz", "missing.puz: No such file or directory"),
        (".", ".: is a folder: give a file"),
        (
            "",
            "Invalid value for 'BOARD': the name of a file is empty; see `plansolve solve --help`",
        ),
        ("two\nlines", r"'two\nlines': No such file or directory"),
        ("\x1b[31mred", r"'\x1b[31mred': No such file or directory"),
        ("n" * 300, f"{'n' * 300}: File name too long"),
    ],
)
def test_files_that_are_none(plansolve, tmp_path, name, said):
    assert refused(plansolve(name, cwd=tmp_path)) == said


@pytest.mark.parametrize(
    ("board", "goal", "parts"),
    [
        (GOOD, "1 2\n3 0\n", ["goal", "2x2", "3x3"]),
        (GOOD, "1 2 3\n4 5 6\n7 8 8\n", ["goal", "8 appears twice"]),
        (GOOD, "garbage\n", ["goal"]),
        (GOOD, "", ["goal", "empty"]),
        # Read as 2x3 this goal would be another board, and the plan a proof of something else.
        ("1 2 3\n4 0 5\n", "1 2\n3 4\n5 0\n", ["3x2", "2x3"]),
    ],
)
def test_wrong_goal_files(plansolve, tmp_path, board, goal, parts):
    path = tmp_path / "goal.txt"
    path.write_text(goal)
    # The goal's file is at fault, so it is the one to name.
    refused(plansolve("-", "--goal", path, stdin=board), str(path), *parts)


def own_rules(**operator):
    rules = {"name": "swap", "rows": 1, "columns": 2, "goal": [[1, 2]]}
    rules["operators"] = [{"name": "A", "moves": [[0, 1], [1, 0]], "blank": None} | operator]
    return json.dumps({"puzzle": rules, "board": [[2, 1]]})


NINE = "1 2 3\n4 5 6\n7 8 9\n"
EITHER = "give the plan as a file or with --plan"
BOTH = "cannot both come from standard input"
USAGE = [
    ("solve", GOOD, ["give BOARD: a file, - for standard input, or the board itself"]),
    ("2023", GOOD, ["'2023': no such file; as a board: line 1: 2 appears twice"]),
    ("'4 1 2/0 5 3/7 8 8'", GOOD, ["'4 1 2/0 5 3/7 8 8': row 3: 8 appears twice"]),
    ("engines", GOOD, ["`plansolve engines` is now `plansolve list engines`"]),
    ("puzzles --json", GOOD, ["`plansolve puzzles` is now `plansolve list puzzles`"]),
    ("warm-up b", GOOD, ["`plansolve warm-up` is now `plansolve tables warm`"]),
    ("play b", GOOD, ["`plansolve play` is now `plansolve web`"]),
    ("b --goal 12345", GOOD, ["12345", "no such file; as a board"]),
    ("slove b", GOOD, ["there is no file or command 'slove': did you mean solve?"]),
    ("certfy b", GOOD, ["there is no file or command 'certfy': did you mean certify?"]),
    ("tabels", GOOD, ["there is no file or command 'tabels': did you mean tables?"]),
    ("b --goal somewhere", GOOD, ["unknown goal 'somewhere'", "blank-last"]),
    ("b -q -v", GOOD, ["--quiet and --verbose contradict each other"]),
    ("b --json --style words", GOOD, ["--style", "not for --json"]),
    ("b --all --count", GOOD, ["give only one of --all and --count"]),
    ("b --optimal --engine beam", GOOD, ["beam proves nothing"]),
    ("b --optimal --bound walking-distance", GOOD, ["engine auto takes no bound for"]),
    ("b --lemmas ,", GOOD, ["the list is empty: name lemmas, or write `none`"]),
    ("b --format telepathy", GOOD, ["'telepathy'", "puz"]),
    ("b --puzzle telepathy", GOOD, ["unknown puzzle 'telepathy'", "sliding"]),
    ("b --time-limit 0", GOOD, ["'0'", "10m"]),
    ("b --time-limit abc", GOOD, ["'abc'", "10m"]),
    ("b --time-limit inf", GOOD, ["'inf'", "10m"]),
    ("b --memory-limit x", GOOD, ["'x'", "500M"]),
    ("b --memory-limit 0", GOOD, ["'0'", "500M"]),
    ("b --max-horizon -1", GOOD, ["-1"]),
    ("b --moves sideways", GOOD, ["'sideways'", "tile", "blank"]),
    ("b --no-such-option", GOOD, ["--no-such-option", "see `plansolve solve --help`"]),
    ("b --engine", GOOD, ["--engine"]),
    ("b another-file", GOOD, ["another-file"]),
    ("b --scramble L", GOOD, ["--scramble, step 1: 'L' cannot be made here"]),
    ("- --puzzle torus-ring:rows=LRX,rings=none", NINE, ["'X'"]),
    ("- --puzzle lloyd", NINE, ["gap"]),
    ("-", own_rules(moves=[[0, 1], [1, 1]]), ["operator 'A'"]),
    ("-", own_rules(blank=0), ["operator 'A'"]),
    ("- --puzzle sliding", json.dumps(cases.OWN), ["the board comes with rules of its own"]),
    ("encode b", GOOD, ["--horizon"]),
    ("encode b --horizon -1", GOOD, ["--horizon"]),
    ("encode b --horizon 1000000", GOOD, ["--horizon"]),
    ("encode b --horizon 5 --encoding no -o made", GOOD, ["unknown encoding 'no'"]),
    ("encode b --horizon 5 -o .", GOOD, [".: Is a directory"]),
    ("encode b --horizon 5 -o no/folder", GOOD, ["no/folder: No such file or directory"]),
    ("decode - - --horizon 3", GOOD, [BOTH]),
    ("decode - --horizon 3", GOOD, [BOTH]),
    ("verify b", GOOD, [EITHER]),
    ("verify b - --plan U", GOOD, [EITHER]),
    ("verify - -", GOOD, [BOTH]),
    ("verify b missing", GOOD, ["missing: neither a file nor a plan: step 1: 'm'"]),
    ("verify b --plan LDX", GOOD, ["--plan: step 3: 'X' (in 'LDX') is not a move"]),
    ("verify b --plan -'>'", GOOD, ["there are no moves"]),
    ("verify b --plan ,,", GOOD, ["there are no moves"]),
    ("verify b --plan L --keep made", GOOD, ["needs --optimal"]),
    ("verify b -", "L D east", ["standard input: step 3: 'east' is not a move"]),
    ("verify b -", b"U" * 20_000_000, ["longer than 4194304 characters"]),
    ("verify b -", '{"plan": null}', ["the JSON document must hold one plan"]),
    ("verify - --plan R1 --moves blank", "2 1\n3 4\n", ["torus"]),
    ("replay b - --plan U", GOOD, [EITHER]),
    ("replay - -", GOOD, [BOTH]),
    ("convert b", GOOD, ["--to"]),
    ("convert b --to xml", GOOD, ["'xml'", "puz"]),
    ("convert b --goal snail --to puz", GOOD, ["the puz format cannot hold this puzzle and goal"]),
    ("convert b --to puz --plan L", GOOD, ["--to-moves"]),
    ("convert b --to puz --style words", GOOD, ["--style"]),
    ("convert b a --plan L", GOOD, [EITHER]),
    ("convert b no-such-plan", GOOD, ["no-such-plan: neither a file nor a plan"]),
    ("convert b --to puz -o /no/such/file", GOOD, ["/no/such/file: No such file"]),
    ("convert b --to pddl", GOOD, ["name their folder with -o FOLDER"]),
    ("convert - -", GOOD, [BOTH]),
    ("check nothing", GOOD, ["nothing: there is no such folder: a certificate is a folder that"]),
    ("check . ", GOOD, [".: holds no certificate"]),
    (f"check {'n' * 300}", GOOD, ["problem.json: File name too long"]),
    *(
        (line.format("n" * 300), GOOD, [f"{'n' * 300}: File name too long"])
        for line in (
            "b --optimal --store {}",
            "batch b --store {}",
            "report {}",
            "convert b --to puz -o {}",
            "report b --csv {}",
        )
    ),
    *(
        (f"{line} /dev/null", GOOD, ["/dev/null: it is not a regular file"])
        for line in ("b --optimal --store", "batch b --store", "report")
    ),
    (
        "check full --goal snail",
        GOOD,
        ["--puzzle, --goal and --format are for BOARD: give BOARD too"],
    ),
    ("8 6 7 2 5 4 3 0 1", GOOD, ["extra arguments (6 7 2 5 4 3 0 1): put a board in quotes"]),
    ("check full --sample 0", GOOD, ["'0' is not a share: write 5% or 0.05"]),
    ("certify b -o full", GOOD, ["is not empty; name a new folder"]),
    ("certify b -o b", GOOD, ["is not a folder"]),
    ("certify b -o made --all --by sat", GOOD, ["is certified by a search, n"]),
    ("certify b -o made --by search --encoding half-layer", GOOD, ["are for SAT, not for a"]),
    ("certify b -o made --backend minisat22", GOOD, ["writes no proofs"]),
    ("b --optimal --keep full", GOOD, ["is not empty; name a new folder"]),
    (f"judge true {'n' * 300}", GOOD, ["there is no such file or folder"]),
    ("judge true b#2", GOOD, ["there is no board 2: the file holds 1"]),
    ("judge true b --memory-limit 1K", GOOD, ["1024 bytes: it must be between 1M and 1024T"]),
    ("tables build", GOOD, ["either a FILE or --size"]),
    ("tables build b --size 3x3", GOOD, ["either a FILE or --size"]),
    ("tables build --size 3x", GOOD, ["write it like 4x5"]),
    ("tables build --size 0x3", GOOD, ["out of range"]),
    ("tables build --size 9x9", GOOD, ["up to 64"]),
    ("tables build --size 5x5 --pattern-size 9", GOOD, ["choose smaller"]),
    ("tables verify nothing", GOOD, ["no table 'nothing'"]),
    ("tables clear ../../x", GOOD, ["plansolve tables list"]),
    ("tables warm --size 2x2x2", GOOD, ["2x2x2"]),
    ("tables warm --puzzle none", GOOD, ["unknown puzzle"]),
    ("tables warm b --size 2x2", GOOD, ["FILE has its own size: leave --size out"]),
    *((f"generate --seed 1 {line}", GOOD, parts) for line, parts in (
        ("--size 3by3", ["'3by3'", "4x5"]),
        ("--size 40x40", ["40x40", "30"]),
        ("--format xml", ["'xml'", "puz"]),
        ("--format lloyd", ["lloyd format cannot hold"]),
        ("--optimal-length 30-20", ["'30-20'", "20 or 20-30"]),
        ("--format line -o boards.csv", ["--format is for boards as text, not for .csv"]),
        ("--puzzle pocket-cube --count 2 -q", ["several boards", ".csv"]),
        ("-o /dev/null/boards.txt", ["/dev/null/boards.txt"]),
        ("--count 0", ["0 is not in the range"]),
        ("--scramble 3 --unsolvable", ["one of --scramble"]),
        ("--time-limit 3", ["--optimal-length"]),
        ("--puzzle lloyd --unsolvable -q", ["every 5x5 board of lloyd can be solved"]),
        # The blank is walled in, so that all other boards are unsolvable.
        ("--puzzle sliding:walls=12-16+15-16 --unsolvable -q", ["cells that no plan changes"]),
        ("--size 2x3 --optimal-length 22 -q", ["360 boards", "farthest need 21"]),
        ("-o /dev/null/folder", ["/dev/null/folder"]),
        ("no-such-board", ["no-such-board", "No such file"]),
    )),
    ("batch no.txt", GOOD, ["no.txt: there is no such file or folder"]),
    ("batch b --jobs 2 --executor local:2", GOOD, ["give --jobs or --executor, not both"]),
    ("batch b --again all", GOOD, ["--again needs a store"]),
    ("batch b --executor ray", GOOD, ["'ray' is not an executor: choose local"]),
    ("batch b --store /no/such/a.sqlite", GOOD, ["there is no folder /no/such"]),
    ("batch b --store b", GOOD, ["it is neither a store of plansolve"]),
    ("batch", GOOD, ["Missing argument"]),
    ("report no.sqlite", GOOD, ["there is no such store"]),
    ("replay b --plan DX", GOOD, ["--plan: step 2: 'X'"]),
    ("replay b x.txt", GOOD, ["x.txt: neither a file nor a plan: step 1: 'x'"]),
    ("replay b UUU", GOOD, ["UUU: step"]),
    ("replay b --plan D --speed nan", GOOD, ["'nan' is not a number"]),
    ("replay b --html /nowhere/page.html", GOOD, ["/nowhere/page.html: No such file"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a board and a folder that is not empty."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "b").write_text(GOOD)
    (folder / "full").mkdir()
    (folder / "full" / "file").write_text("precious")
    return folder


@pytest.mark.parametrize(("line", "stdin", "parts"), USAGE, ids=[case[0][:60] for case in USAGE])
def test_what_cannot_be_done_is_one_line_and_leaves_nothing(plansolve, folder, line, stdin, parts):
    refused(plansolve(*shlex.split(line), stdin=stdin, cwd=folder), *parts)
    assert sorted(path.name for path in folder.iterdir()) == ["b", "full"]
    assert [path.name for path in (folder / "full").iterdir()] == ["file"]


MISSING = {
    "web": ("starlette", "the page needs starlette: run pip install 'plansolve[web]'"),
    "report s --html p": ("matplotlib", "the page needs matplotlib: run pip install 'plansolve[re"),
    "replay b --gif g": ("PIL", "a GIF needs PIL: run pip install 'plansolve[gif]'"),
    "batch b --executor dask-local:2": ("distributed", "run pip install 'plansolve[distributed]'"),
    "b --executor dask://no:1 -q": ("distributed", "dask://no:1 needs distributed: run pip inst"),
}


@pytest.mark.parametrize("line", MISSING)
def test_what_needs_a_package_that_is_missing_says_so_at_once(plansolve, folder, line, monkeypatch):
    module, said = MISSING[line]
    monkeypatch.setitem(sys.modules, module, None)
    assert said in refused(plansolve(*line.split(), cwd=folder))
    assert sorted(path.name for path in folder.iterdir()) == ["b", "full"]


def test_moves_of_the_blank_where_there_is_none(plansolve, seeds):
    line = "torus-ring has no blank: use the tile convention"
    assert refused(plansolve(seeds / "2023.txt", "--moves", "blank")) == line
    options = ("--plan", "R1", "--to-moves", "blank")
    assert refused(plansolve("convert", seeds / "2023.txt", *options)) == line


def test_what_may_stand_where_a_command_does(plansolve, tmp_path):
    # Options before the file.
    for option in ("--engine=cnf", "--puzzle=sliding", "--goal=blank-last"):
        assert plansolve(option, "b.puz", cwd=tmp_path).error_line.startswith("b.puz: ")
    # A file of a name that is nearly a command's is a board.
    (tmp_path / "certfy").write_text("1 2\n3 .\n")
    assert plansolve("certfy", cwd=tmp_path).code == 0
