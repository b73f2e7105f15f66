"""One table in every form: the same facts everywhere, and nothing of a stranger's that acts."""

import csv
import io
import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from rich.console import Console
from support.hostile.page import Page

from plansolve.replay.page import static
from plansolve.tables import (
    Cell,
    Table,
    as_csv,
    as_html,
    as_json_lines,
    as_text,
    html_page,
    paragraph,
    print_tables,
)

EVIL = "</td><script>alert('x')</script>[bold]{0}\x1b[8m\udc80"
TABLE = Table(
    "Boards <1>",
    ("board", "length", "seconds", "outcome"),
    [
        ("one", 12345, Cell(0.25, "0.2"), Cell("optimal", mark="good", notes=("as <told>",))),
        (Cell("a/two", "two", folded=("a plan", "DLLUU")), None, Cell(11.0, "11.0"), "gave up"),
    ],
)


def test_as_text_columns_are_aligned_and_lines_whole():
    assert as_text(TABLE).splitlines() == [
        "board  length  seconds  outcome",
        "one     12345      0.2  optimal",
        "two         -     11.0  gave up",
    ]
    assert as_text(Table("", ("a", "b"), [])) == "a  b"
    long = "y" * 300
    assert as_text(Table("", ("a",), [(long,), ("x\x1b\ny",)])).splitlines() == [
        "a",
        long,
        "x\\x1b\\ny",
    ]


def test_programs_get_values():
    rows = [*csv.reader(as_csv(TABLE))]
    assert rows == [
        ["board", "length", "seconds", "outcome"],
        ["one", "12345", "0.25", "optimal"],
        ["a/two", "", "11.0", "gave up"],
    ]
    assert all(line.endswith("\r\n") for line in as_csv(TABLE))
    lines = [json.loads(line) for line in as_json_lines(TABLE, "x/1")]
    assert lines[1] == {
        "schema": "x/1",
        "board": "a/two",
        "length": None,
        "seconds": 11.0,
        "outcome": "gave up",
    }


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r1"])
def test_no_cell_of_the_csv_is_a_formula(start):
    (_, row) = csv.reader(io.StringIO("".join(as_csv(Table("", ("a", "b"), [(start, -1)])))))
    assert row == [f"'{start}", "-1"]


def test_a_page_shows_the_text_and_sorts_by_the_value():
    page = Page("".join(as_html(TABLE)))
    assert page.rows == [
        [(None, None), ("n", None), ("n", None), (None, None)],
        [(None, None), ("n", "12345"), ("n", "0.25"), ("good", "optimal")],
        [(None, "a/two"), ("n", ""), ("n", "11.0"), (None, None)],
    ]
    told = [text for text in page.text if text.strip()]
    assert told == [
        *("Boards <1>", "board", "length", "seconds", "outcome"),
        *("one", "12,345", "0.2", "optimal", "as <told>"),
        *("two", "a plan", "DLLUU", "-", "11.0", "gave up"),
    ]
    assert {"b", "small", "details", "summary", "code"} <= {*page.tags}
    assert "h2" not in Page("".join(as_html(Table("", ("a",), [])))).tags


def test_nothing_hostile_gets_out_of_its_place():
    cell = Cell(EVIL, EVIL, notes=(EVIL,), folded=(EVIL, EVIL))
    body = [*as_html(Table(EVIL, (EVIL,), [(cell,), (EVIL,)])), paragraph(EVIL, "notice")]
    text = html_page(EVIL, EVIL, body)
    text.encode("utf-8")
    page = Page(text)
    assert page.tags.count("script") == 1
    # In the title and the headings, the column, the cells with their notes, and the paragraph.
    assert "".join(page.text).count("<script>alert('x')</script>") == 10
    assert "\x1b" not in text and "\\x1b[8m" in text


def test_the_script_is_the_one_that_the_policy_allows_and_the_style_that_of_all_pages():
    text = html_page("t", "h", [])
    script = text.partition("<script>")[2].partition("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text and "default-src 'none'" in text
    assert static("page.css") in text and "system-ui" in text
    assert not re.search(r"font[^;]*(?<!sans-)serif", text)


@pytest.mark.parametrize("width", [30, 59, 60, 80, 200])
def test_a_terminal_of_any_width_shows_every_cell_and_no_markup(width):
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    print_tables([TABLE, Table("", ("a",), [(EVIL,), ("[red]5[/red] moves",)])], console)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    flat = "".join("".join(lines).split())
    assert all(part in flat for part in ("optimal", "12345", "[red]5[/red]moves", "[bold]{0}"))


def test_a_row_has_the_colour_of_its_first_mark():
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=True, color_system="standard")
    marks = ("good", "fair", "bad", "odd")
    rows = [("plain", 1), *((mark, Cell(1, mark=mark)) for mark in marks)]
    print_tables([Table("", ("a", "b"), rows)], console)
    found = dict(re.findall(r"\x1b\[([\d;]+)m *(good|fair|bad|odd)", stream.getvalue()))
    assert found == {"32": "good", "33": "fair", "31": "bad", "1;35": "odd"}
