"""Paths and constants that the documents name exist."""

import re
import runpy
from pathlib import Path

import pytest
from support.fixtures.pages import steps

from plansolve import check_plan, exit_codes, read_plan, read_problem

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
ARCHITECTURE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
FILES = [
    f"/{path.relative_to(ROOT).as_posix()}"
    for folder in ("plansolve", "tests", "benchmarks", "docs", "instances", "tools")
    for path in (ROOT / folder, *(ROOT / folder).rglob("*"))
]
TABLE = ARCHITECTURE[ARCHITECTURE.index("\n## Measurements\n") :]
THRESHOLDS = re.findall(r"^\| `([\w.]+)`[^|]*\| `([\w/.]+)`", TABLE, re.MULTILINE)


MADE_UP = {f"plansolve/{room}/mine.py" for room in ("bounds", "encoders")}
"""Files that a recipe of CONTRIBUTING.md has its reader write."""


def exists(name):
    """Return True if a folder, a file, or a module, perhaps without .py, ends so."""
    return any(file.endswith((f"/{name.rstrip('/')}", f"/{name}.py")) for file in FILES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_a_page_names_exists(page):
    # Blocks hold the names of files that the reader has, or writes.
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    named = set(re.findall(r"`([a-z_][\w/]*(?:/\w*|\.py))`", text))
    written = {step.name for step in steps(page) if step.kind == "file"}
    missing = {name for name in named if not exists(name)}
    assert missing <= {"application/json", *MADE_UP, *written}


@pytest.mark.parametrize(("name", "place"), THRESHOLDS)
def test_every_threshold_of_the_table_stands_where_it_says(name, place):
    constant = name.rpartition(".")[2]
    paths = [ROOT / f[1:] for f in FILES if f.endswith((f"/{place}", f"/{place}.py"))]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    assert any(
        re.search(rf"^\s*{constant}\b.*( = |=\S)", file.read_text(), re.M) for file in files
    ), paths


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_to_one(page):
    """Sphinx checks the pages of the site, their anchors too; README is none of them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(((?!https?:|#)[^)#]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_readme_is_a_door_and_not_a_manual():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_the_pictures_are_those_that_the_script_draws():
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    kept = {path.name: path.read_text(encoding="utf-8") for path in script["FOLDER"].glob("*.svg")}
    assert kept == script["pictures"]()


def test_the_plan_in_the_picture_of_readme_is_legal_and_solves_its_board():
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    problem = read_problem(ROOT / "instances" / "seeds" / "altsquare.puz")
    assert (problem.start, problem.goal) == (script["START"], script["GOAL"])
    assert check_plan(problem, read_plan(script["PLAN"], problem)).reaches_goal


def test_screenshots_do_not_make_the_repository_heavy():
    pictures = [*(ROOT / "docs").rglob("*.png")]
    assert pictures and sum(path.stat().st_size for path in pictures) < 1_000_000


def test_the_exit_codes_are_told_in_full():
    page = (ROOT / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.M)}
    codes = {
        code for name, code in vars(exit_codes).items() if name.isupper() and code.__class__ is int
    }
    assert told == codes
