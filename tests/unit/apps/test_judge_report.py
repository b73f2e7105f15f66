"""Tables, JSON, CSV and the page: the same facts everywhere, and nothing that runs."""

import csv
import io
import json
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest
from support.hostile.page import Page

from plansolve.apps.judge.isolation import Isolation
from plansolve.apps.judge.optima import Known
from plansolve.apps.judge.protocols import make_program
from plansolve.apps.judge.ranking import Outcome, rank
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.report import csv_text, judgement_document, judgement_page, tables
from plansolve.apps.judge.sandbox import Ending, Run, RunLimits
from plansolve.apps.judge.scoring import Rating, Score
from plansolve.formats import read_problem
from plansolve.records.board import Board
from plansolve.tables import as_text

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
        tuple(Board(BOARD, board, "set24", optimal_length=5) for board in boards),
        {board: Known(5, "the manifest", 5, True, PLAN) for board in boards},
        tuple(outcomes),
        rank(programs, outcomes, contest=False),
        False,
        complete,
        FIELDS,
    )


def test_the_page_says_what_there_is_in_words():
    page = Page(judgement_page(judgement()))
    text = " ".join(page.text)
    assert len(page.rows) == 2 * 1 + 2 + 2
    head = f"set24. Judged on {date.today().isoformat()}. Each run had 30 s and 2048 MiB of memory."
    for part in ("2 programs on 2 boards", "optimal", "longer", "illegal", "5 moves", "DLLUU", head,
                 "nothing <is> isolated plansolve measured memory", "to blank-last"):  # fmt: skip
        assert part in text
    grouped = SimpleNamespace(
        limits=FIELDS.limits, isolation=replace(FIELDS.isolation, has_control_group=True)
    )
    text = " ".join(Page(judgement_page(replace(judgement(), sandbox=grouped))).text)
    assert "The kernel enforced the memory limit" in text
    assert "not complete" not in text
    assert "not complete" in " ".join(Page(judgement_page(judgement(complete=False))).text)
    # Nothing hostile gets out of its cell.
    page = Page(judgement_page(judgement((EVIL, "b"), ("x\x00y", EVIL), detail=EVIL)))
    assert page.tags.count("script") == 1
    assert "<script>alert('x')</script>" in "".join(page.text)
    # A hundred boards and three programs are a small page.
    names = [f"board-{i:03}.puz" for i in range(100)]
    large = judgement_page(judgement(("a", "b", "c"), names, detail="x" * 200))
    assert len(Page(large).rows) == 1 + 3 + 1 + 100 and len(large.encode()) < 200_000


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


def test_the_csv_has_a_line_a_run():
    rows = list(csv.DictReader(io.StringIO(csv_text(judgement(("=1+1", "b"), detail="=1+1")))))
    assert len(rows) == 4
    assert {row["detail"] for row in rows} == {"'=1+1"}
    assert {row["program"] for row in rows} == {"'=1+1", "b"}
    assert [row["excess"] for row in rows] == ["0", "2", "2", ""]
    assert {row["goal"] for row in rows} == {"blank-last"}


@pytest.mark.parametrize(
    ("known", "told", "optimum", "bound"),
    [
        (Known(5, "the manifest", 5, True, PLAN), "5", "5", "5"),
        (Known(3, "a lower bound"), "≥ 3", "", "3"),
        (Known(0, "its structure", solvable=False, reason="odd"), "unsolvable", "", ""),
    ],
)
def test_the_page_and_the_csv_say_what_is_known_of_a_board(known, told, optimum, bound):
    made = replace(judgement(("a",), ("one",)), known={"one": known})
    assert told in Page(judgement_page(made)).text
    (row,) = csv.DictReader(io.StringIO(csv_text(made)))
    assert (row["optimal_length"], row["lower_bound"]) == (optimum, bound)


def test_the_tables_have_a_row_for_each_program_and_run():
    standings, runs = tables(judgement(), details=True)
    lines = [line.split() for line in as_text(standings).splitlines()]
    assert lines == [
        ["rank", "program", "solved", "optimal", "excess", "mean", "s"],
        ["1", "a", "2/2", "1/2", "1.00", "1.25"],
        ["2", "b", "1/2", "0/2", "2.00", "1.25"],
    ]
    lines = [line.split() for line in as_text(runs).splitlines()]
    assert lines[:2] == [
        ["board", "program", "verdict", "seconds", "CPU", "s", "MB", "detail"],
        ["one", "a", "optimal", "1.25", "0.50", "23", "5", "moves"],
    ]
    assert [row[2].mark for row in runs.rows] == ["good", "fair", "fair", "bad"]
    assert tables(judgement(), details=False) == [standings]
    narrow = tables(judgement(), details=True, width=119)[1]
    assert narrow.columns == ("board", "program", "verdict", "seconds", "detail")
