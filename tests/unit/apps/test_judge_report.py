"""Tables, JSON, CSV and the page: the same facts everywhere, and nothing that runs."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from rich.console import Console

from plansolve.apps.judge.optima import Known
from plansolve.apps.judge.protocols import make_program
from plansolve.apps.judge.ranking import Outcome, rank
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.report.html import html_page
from plansolve.apps.judge.report.table_files import csv_text, judgement_document
from plansolve.apps.judge.report.terminal import tables
from plansolve.apps.judge.sandbox import Ending, Isolation, Run, RunLimits
from plansolve.apps.judge.scoring import Rating, Score
from plansolve.formats import read_problem
from plansolve.instances.instance_set import Instance
from plansolve.replay.page import shared_style
from plansolve.replay.text_table import plain_text, print_tables

BOARD = read_problem("4 1 2\n. 5 3\n7 8 6")
PLAN = ("D", "L", "L", "U", "U")
EVIL = "</td><script>alert('x')</script>[bold]{0}\udc80"
FIELDS = SimpleNamespace(
    limits=RunLimits(seconds=30.0),
    isolation=Isolation("none", False, False, "nothing <is> isolated"),
)


def judgement(programs=("a", "b"), boards=("one", "two"), *, detail="5 moves", complete=True):
    run = Run(Ending.EXITED, 0, None, b"", b"", 1.25, 0.5, 23_000_000, "")
    verdicts = (Rating.OPTIMAL, Rating.LONGER, Rating.ILLEGAL)
    outcomes = []
    for number, board in enumerate(boards):
        for place, program in enumerate(programs):
            verdict = verdicts[(number + place) % 3]
            excess = {Rating.OPTIMAL: 0, Rating.LONGER: 2}.get(verdict)
            length = None if excess is None else 5 + excess
            score = Score(verdict, detail, length, excess, 8, 0, plan=PLAN)
            outcomes.append(Outcome(program, board, run, score))
    return Judgement(
        tuple(make_program("true {board}", name=name) for name in programs),
        tuple(Instance(board, BOARD, 5, True, None) for board in boards),
        {board: Known(5, "the manifest", 5, True, PLAN) for board in boards},
        tuple(outcomes),
        rank(programs, outcomes, contest=False),
        False,
        complete,
        FIELDS,
    )


class Page(HTMLParser):
    """Reads a page, and fails for what no page of ours may hold."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.rows, self.text, self.scripts = [], 0, [], 0
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("img", "iframe", "object", "embed", "link", "base", "form")
        names = {name for name, _ in attributes}
        assert not names & {"src", "href", "style"} and not any(n.startswith("on") for n in names)
        self.rows += tag == "tr"
        self.scripts += tag == "script"
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def test_the_page_says_what_there_is_in_words():
    page = Page(html_page(judgement()))
    text = " ".join(page.text)
    assert page.scripts == 1 and page.rows == 2 * 1 + 2 + 2
    for part in ("2 programs on 2 boards", "optimal", "longer", "illegal", "5 moves", "DLLUU",
                 "nothing <is> isolated", "30 s", "to blank-last"):  # fmt: skip
        assert part in text
    assert "not complete" not in text
    assert "not complete" in " ".join(Page(html_page(judgement(complete=False))).text)


def test_nothing_hostile_gets_out_of_its_cell():
    page = Page(html_page(judgement((EVIL, "b"), ("x\x00y", EVIL), detail=EVIL)))
    assert page.scripts == 1
    assert "<script>alert('x')</script>" in "".join(page.text)


def test_a_hundred_boards_and_three_programs_are_a_small_page():
    names = [f"board-{i:03}.puz" for i in range(100)]
    page = html_page(judgement(("a", "b", "c"), names, detail="x" * 200))
    assert Page(page).rows == 1 + 3 + 1 + 100
    assert len(page.encode()) < 200_000


def test_the_page_looks_like_the_others():
    page = html_page(judgement())
    assert shared_style() in page
    assert "system-ui" in shared_style() and not re.search(r"font[^;]*(?<!sans-)serif", page)


def test_the_script_is_the_one_that_the_policy_allows():
    from base64 import b64encode
    from hashlib import sha256

    page = html_page(judgement())
    script = page.partition("<script>")[2].partition("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page and "default-src 'none'" in page


def test_the_document_is_json_and_holds_every_run():
    found = json.loads(json.dumps(judgement_document(judgement())))
    assert found["schema"] == "plansolve.judgement/1"
    assert [p["program"] for p in found["programs"]] == [s.program for s in judgement().standings]
    first = found["runs"][0]
    assert (first["program"], first["board"], first["verdict"]) == ("a", "one", "optimal")
    assert (first["plan"], first["seconds"], first["peak_memory"]) == (
        [*PLAN], 1.25, 23_000_000
    )  # fmt: skip
    assert found["boards"][0]["start"] == [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
    assert found["boards"][0]["plan"] == [*PLAN]
    assert found["limits"]["seconds"] == 30.0 and found["isolation"]["network_blocked"] is False
    assert json.loads(json.dumps(judgement_document(judgement((EVIL,), (EVIL,)))))["complete"]


def test_plans_without_end_are_left_out_of_the_document():
    made = judgement(("a",), ("one",))
    (outcome,) = made.outcomes
    for plan, kept in (((), True), (PLAN * 2000, True), (PLAN * 2001, False)):
        outcomes = (replace(outcome, score=replace(outcome.score, plan=plan)),)
        (run,) = judgement_document(replace(made, outcomes=outcomes))["runs"]
        assert run["plan"] == (plan if kept else None)


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_cell_of_the_csv_is_a_formula(start):
    text = csv_text(judgement((start, "b"), detail=start))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 4
    assert {row["detail"] for row in rows} == {f"'{start}"}
    assert {row["program"] for row in rows} == {f"'{start}", "b"}
    assert [row["excess"] for row in rows] == ["0", "2", "2", ""]
    assert {row["goal"] for row in rows} == {"blank-last"}


def test_plain_tables_are_aligned_and_whole():
    long = "y" * 150
    standings, runs = tables(judgement(detail=long), details=True)
    lines = plain_text(standings).splitlines()
    assert lines[0].split() == ["rank", "program", "solved", "optimal", "excess", "mean", "s"]
    assert lines[1].split() == ["1", "a", "2/2", "1/2", "1.00", "1.25"]
    assert lines[2].split() == ["2", "b", "1/2", "0/2", "2.00", "1.25"]
    assert len({line.index("program" if i == 0 else "ab"[i - 1]) for i, line in enumerate(lines)}) \
        == 1  # fmt: skip
    assert all(line.endswith(long) for line in plain_text(runs).splitlines()[1:])
    assert tables(judgement(), details=False) == (tables(judgement(), details=True)[0],)


@pytest.mark.parametrize("width", [30, 59, 60, 80, 200])
def test_a_terminal_of_any_width_shows_every_verdict_and_no_markup(width):
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    evil = judgement((EVIL, "b"), detail="[red]5[/red] moves")
    print_tables(tables(evil, details=True, width=width), console)
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= width
    flat = "".join(text.split())
    assert flat.count("optimal") >= 1 and "[red]" in flat.replace("│", "")
