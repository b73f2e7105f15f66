"""Each recipe of CONTRIBUTING.md, carried out as written on a copy of the package."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plansolve
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.engine.registry import ENGINES

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## Add an? (.*)\n((?:(?!^## ).*\n)*)", TEXT, re.MULTILINE))
BLOCK = re.compile(r"^```(python|diff) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def apply(root, recipe):
    """Does what the blocks of a recipe say: write a file, or change lines of one."""
    for kind, name, block in BLOCK.findall(recipe):
        path = root / name
        if kind == "python":
            assert not path.exists(), name
            path.write_text(block, encoding="utf-8")
            continue
        text = path.read_text(encoding="utf-8")
        for hunk in block.split("\n\n"):
            lines = hunk.strip("\n").split("\n")
            old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
            new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
            assert old and text.count(old) == 1, f"{name} has changed:\n{old}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the package in which all recipes have been carried out."""
    root = tmp_path_factory.mktemp("house")
    shutil.copytree(
        Path(plansolve.__file__).parent,
        root / "plansolve",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for recipe in RECIPES.values():
        apply(root, recipe)
    (root / "wheel.json").write_text('{"puzzle": "wheel", "board": [[3, 2, 4, 1]]}')
    (root / "board").write_text("1 2 3;4 5 6;0 7 8\n")
    return root


def run(house, *command):
    """Return the output of a command there; the kernels are not compiled again for the copy."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(house),
        "PLANSOLVE_CACHE_DIR": str(house / "cache"),
        "NUMBA_DISABLE_JIT": "1",
    }
    done = subprocess.run(
        [sys.executable, *command],
        cwd=house,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_recipes_are_short_and_none_is_missing():
    what = ("puzzle", "board format", "bound", "encoding", "lemma", "back end", "engine", "command")
    assert RECIPES.keys() == {*what}
    for title, body in RECIPES.items():
        code = "".join(block for _, _, block in BLOCK.findall(body))
        assert code.count("\n") < 30, title


FREE = {PuzzleKind.PERMUTATIONS, PuzzleKind.ANY}
WHEEL = (3, 2, 4, 1)


def wheel_length(board, goal=(1, 2, 3, 4)):
    """The fewest moves on the wheel, breadth first, its two moves written by hand."""
    boards, length = {board}, 0
    while goal not in boards:
        boards = {(d, a, b, c) for a, b, c, d in boards} | {(b, a, c, d) for a, b, c, d in boards}
        length += 1
    return length


def test_a_puzzle_is_solved_and_printed_by_name(house):
    printed = run(house, "-m", "plansolve", "wheel.json", "--optimal", "--engine", "deepening")
    length = len(printed.strip())
    assert length == wheel_length(WHEEL)
    told = run(house, "-m", "plansolve", "wheel.json", "--optimal", "--engine", "cnf", "--json")
    assert json.loads(told)["puzzle"] == "wheel" and json.loads(told)["length"] == length
    found = run(house, "-c", "import plansolve; print(plansolve.make_puzzle('wheel', 1, 4))")
    assert found == "<Puzzle wheel 1x4: 2 operators>\n"


@pytest.mark.parametrize("name", [e.name for e in ENGINES.values() if FREE & e.searches.keys()])
def test_every_engine_that_fits_a_puzzle_solves_it(house, name):
    wheel = runpy.run_path(str(house / "plansolve" / "puzzles" / "wheel.py"))["wheel"]
    problem = Problem(wheel(1, 4, {}), WHEEL)
    proves = ENGINES[name].proves
    result = plansolve.solve(problem, engine=name, optimal=proves, time_limit=60)
    assert check_plan(problem, result.plan).solves
    assert not proves or result.length == wheel_length(WHEEL)


def test_a_puzzle_has_boards_of_its_default_size(house):
    made = run(house, "-m", "plansolve", "generate", "--puzzle", "wheel", "--seed", "1")
    assert '"puzzle": "wheel"' in made
    assert "wheel: a wheel" in run(house, "-m", "plansolve", "list", "puzzles")


def test_a_format_is_recognised_and_written(house):
    assert (
        run(house, "-m", "plansolve", "convert", "board", "--to", "puz") == "1 2 3\n4 5 6\n. 7 8\n"
    )
    assert run(house, "-m", "plansolve", "convert", "board", "--to", "semicolons") == (
        "1 2 3;4 5 6;0 7 8\n"
    )


def test_a_lemma_is_in_the_formula(house):
    command = ["encode", "board", "--horizon", "4", "--encoding", "full-layer", "--lemmas"]
    # Before each of four moves the goal does not stand; the start is another board anyway.
    with_it, without = (
        int(
            re.search(r"^p cnf \d+ (\d+)$", run(house, "-m", "plansolve", *command, names), re.M)[1]
        )
        for names in ("tile-blank,end-once", "tile-blank")
    )
    assert with_it == without + 3
    command = ["board", "--optimal", "--engine", "cnf", "--encoding", "full-layer"]
    assert run(house, "-m", "plansolve", *command, "--lemmas", "distance,end-once") == "LL\n"


@pytest.mark.parametrize("engine", ["astar", "idastar"])
def test_a_bound_is_evaluated_by_searches(house, engine):
    command = ["board", "--optimal", "--engine", engine, "--bound", "misplaced-tiles"]
    assert run(house, "-m", "plansolve", *command) == "LL\n"


def test_a_back_end_solves(house):
    printed = run(
        house, "-m", "plansolve", "board", "--optimal", "--engine", "cnf", "--backend", "gluecard3"
    )
    assert printed == "LL\n"


def test_an_engine_is_chosen_by_name(house):
    assert run(house, "-m", "plansolve", "board", "--optimal", "--engine", "deepening") == "LL\n"
    listed = run(house, "-m", "plansolve", "list", "engines")
    assert all(name in listed for name in ("deepening", "end-once", "misplaced-tiles"))


def test_a_command_runs(house):
    assert run(house, "-m", "plansolve", "count", "board") == "24\n"
    assert "Count a puzzle's operators." in run(house, "-m", "plansolve", "--help")


def test_an_encoding_is_chosen_by_name(house):
    command = ["board", "--optimal", "--json", "--engine", "cnf", "--encoding", "plain"]
    result = json.loads(run(house, "-m", "plansolve", *command))
    assert (result["length"], result["statistics"]["encoding"]) == (2, "plain")
