"""The page as text: what it holds, how large it is, and that nothing can break out of it."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides

from plansolve.errors import OptionError, PlanError
from plansolve.formats import read_plan, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.replay.page import html_page, page_data

FIFTEEN = "15 14 8 6\n13 2 9 5\n4 . 10 11\n3 7 12 1"
PLAN = "RDDLUURDDLUULLURRRDDLLLURRURDDLULDLDRRULUURRDDLLLDRRRULLULU"
EIGHT = "4 1 2\n. 5 3\n7 8 6"


def data_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    return json.loads(text)


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 3, 4),
        make("torus-ring", 5, 5),
        make("lloyd", 5, 5),
        row_slides(),
        one_way_ring(),
        Puzzle("still", 1, 2, (1, 2), (Operator("n", ((0, 0),)),), ("_", "a", "b")),
    ],
    ids=lambda puzzle: puzzle.name,
)
def test_the_data_hold_the_checker_s_operators(puzzle):
    data = page_data(Problem(puzzle, puzzle.goal), None, optimum=None, names={})
    told = {}
    for name, grounds in json.loads(json.dumps(data["operators"])):
        for blank, *cycles in grounds:
            destinations = list(range(puzzle.cells))
            for cycle in cycles:
                for cell, after in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                    destinations[cell] = after
            told[name, blank] = tuple(destinations)
    assert told == {(o.name, o.blank): o.destinations(puzzle.cells) for o in puzzle.operators}


def test_a_fifteen_puzzle_page_is_small_and_asks_for_nothing():
    problem = read_problem(FIFTEEN)
    page = html_page(problem, tuple(PLAN), title="fifteen", optimal_length=len(PLAN))
    assert len(page.encode()) < 100_000
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'<]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(?:src|href)\s*=|@import|url\((?!#cells\))", page)


def test_the_policy_allows_this_script_and_this_style_alone():
    page = html_page(read_problem(EIGHT))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy

    def digest(text):
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert [digest(s) for s in scripts] == re.findall(r"script-src ('sha256-\S+')", policy)
    assert [digest(s) for s in styles] == re.findall(r"style-src ('sha256-\S+')", policy)
    assert not re.search(r"\sstyle=|\son\w+=", page)


def test_hostile_names_end_no_element():
    evil = "x</script><!--<script>"
    puzzle = Puzzle(
        "x</title>", 1, 2, (1, 2), (Operator(evil, ((0, 1), (1, 0))),), ("_", evil, "b")
    )
    page = html_page(Problem(puzzle, (2, 1)), (evil,), title="</h1>\n\x00<b>")
    page.encode("utf-8")
    assert page.count("</script>") == 2 and page.count("<script") == 2
    assert data_of(page)["labels"] == ["_", evil, "b"]
    assert r"<h1>&lt;/h1&gt; \x00&lt;b&gt;</h1>" in page


def test_the_plan_and_the_optimum_are_told():
    problem = read_problem(EIGHT)
    plan = read_plan("DLLUU", problem.puzzle)
    page = html_page(problem, plan, optimal_length=5)
    data = data_of(page)
    assert [data["operators"][i][0] for i in data["plan"]] == list(plan)
    assert data["optimum"] == 5
    assert "a plan of 5 moves, proved shortest" in page
    assert "proved shortest" not in html_page(problem, plan).partition("<script")[0]
    wasteful = (*"UDDLLUU",)
    assert "a plan of 7 moves; 5 suffice" in html_page(problem, wasteful, optimal_length=5)
    assert "1 move that does not reach the goal" in html_page(problem, ("D",))


def test_moves_are_named_after_the_blank_where_that_is_asked():
    problem = read_problem(EIGHT)
    data = data_of(html_page(problem, ("D", "L"), convention="blank"))
    assert [data["operators"][i][0] for i in data["plan"]] == ["U", "R"]


def test_what_cannot_be_is_refused():
    problem = read_problem(EIGHT)
    with pytest.raises(PlanError, match=r"^step 2: R cannot be made while the blank is in row 1"):
        html_page(problem, ("D", "R"))
    with pytest.raises(OptionError, match="cannot be 6: the plan has 5 moves"):
        html_page(problem, tuple("DLLUU"), optimal_length=6)
    with pytest.raises(OptionError, match="bound cannot be 6: the plan has 5 moves"):
        html_page(problem, tuple("DLLUU"), lower_bound=6)
