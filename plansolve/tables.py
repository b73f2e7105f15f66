"""Tables for people and programs: on a terminal, as text, CSV, JSON Lines and HTML.

Whatever a table holds may come from strangers. For people, characters that are not seen are shown
as escapes; HTML is escaped; in CSV no text can be taken for a formula. A page allows its own script
alone, by its hash, and no network.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, TypeAlias

from plansolve.text import visible, without_formula

if TYPE_CHECKING:
    from rich.console import Console

Value: TypeAlias = str | float | None

NARROW = 60
"""The columns of a terminal on which no table has room."""

_STYLES = {"good": "green", "fair": "yellow", "bad": "red", "odd": "bold magenta", "": ""}


@dataclass(frozen=True)
class Cell:
    """A value, which is what programs read and what columns are sorted by, and its text for people.

    `mark` is "good", "fair", "bad" or "odd", by which a page colours the cell and a terminal the
    row. Only pages have the `notes`, in small type below, and what is `folded`: a word, and the
    text behind it.
    """

    value: Value
    text: str = ""
    mark: str = ""
    notes: tuple[str, ...] = ()
    folded: tuple[str, str] | None = None

    def __str__(self) -> str:
        return visible(self.text or ("-" if self.value is None else str(self.value)))


@dataclass(frozen=True)
class Table:
    """Rows of cells, or of mere values, under the names of the columns."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell | Value]]

    @cached_property
    def cells(self) -> list[list[Cell]]:
        return [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in self.rows]

    @cached_property
    def numbers(self) -> list[bool]:
        """For each column whether it is of numbers: no value in it is a text."""
        columns = range(len(self.columns))
        return [not any(isinstance(row[i].value, str) for row in self.cells) for i in columns]


def as_text(table: Table) -> str:
    """Return the table with aligned columns, a line a row, without colour and never cut."""
    lines = [table.columns, *(tuple(map(str, row)) for row in table.cells)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(line, widths, table.numbers, strict=True)
        ).rstrip()
        for line in lines
    )


def as_csv(table: Table) -> Iterator[str]:
    """Yield the values, a line a row below the columns; lines end as RFC 4180 says."""
    stream = StringIO()
    writer = csv.writer(stream)
    for row in (table.columns, *([cell.value for cell in row] for row in table.cells)):
        writer.writerow(map(without_formula, row))
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()


def as_json_lines(table: Table, schema: str) -> Iterator[str]:
    """Yield an object of the values for each row, one a line."""
    for row in table.cells:
        values = zip(table.columns, (cell.value for cell in row), strict=True)
        yield json.dumps({"schema": schema, **dict(values)}) + "\n"


def as_html(table: Table) -> Iterator[str]:
    """Yield the table below its title; its columns can be sorted if the page has the script."""
    if table.title:
        yield f"<h2>{html_text(table.title)}</h2>\n"
    yield '<div class="wide"><table><thead><tr>'
    for name, is_number in zip(table.columns, table.numbers, strict=True):
        kind = _kind("n" * is_number)
        yield f'<th scope="col"{kind}><button>{html_text(name)}</button></th>'
    yield "</tr></thead><tbody>\n"
    for row in table.cells:
        cells = (_html(cell, is_number) for cell, is_number in zip(row, table.numbers, strict=True))
        yield f"<tr>{''.join(cells)}</tr>\n"
    yield "</tbody></table></div>\n"


def _html(cell: Cell, is_number: bool) -> str:
    text = escape(f"{cell.value:,}" if type(cell.value) is int and not cell.text else str(cell))
    if cell.mark:
        text = f"<b>{text}</b>"
    text += "".join(f"<small>{html_text(note)}</small>" for note in cell.notes)
    if cell.folded is not None:
        word, folded = (html_text(part) for part in cell.folded)
        text += f"<details><summary>{word}</summary><code>{folded}</code></details>"
    # A column of texts alone is sorted by what is shown.
    value = "" if cell.value is None else visible(str(cell.value))
    is_shown = not (is_number or cell.notes or cell.folded) and str(cell) == value
    key = "" if is_shown else f' data-k="{escape(value)}"'
    return f"<td{_kind('n' * is_number, cell.mark)}{key}>{text}</td>"


def html_text(text: str) -> str:
    """Return a text as it stands in a page: on one line, with nothing that is markup."""
    return escape(visible(text))


def _kind(*kinds: str) -> str:
    """Return the attribute that says of which kinds an element is."""
    found = " ".join(filter(None, kinds))
    return f' class="{found}"' if found else ""


def html_page(title: str, heading: str, body: Iterable[str], style: str = "") -> str:
    """Return a page with this body, in HTML, ready to be written as UTF-8."""
    from plansolve.replay.page import source_hash, static

    script = static("tables.js")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {source_hash(script)}"
    parts = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{html_text(title)}</title>"
        f"<style>{static('page.css')}{static('tables.css')}{style}</style></head>\n"
        f"<body><main><h1>{html_text(heading)}</h1>\n",
        *body,
        f"</main><script>{script}</script></body></html>\n",
    )
    return "".join(parts).encode("utf-8", "backslashreplace").decode()


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of a page; of kind "notice" it stands out."""
    return f"<p{_kind(kind)}>{html_text(text)}</p>\n"


def print_tables(shown: Iterable[Table], console: "Console") -> None:
    """Print tables on a terminal; on a narrow one each row becomes a small block."""
    for table in shown:
        if console.width < NARROW:
            for line in _blocks(table):
                console.print(line, markup=False, highlight=False, soft_wrap=False)
        else:
            console.print(_rich(table))


def _rich(table: Table) -> object:
    # Only a terminal needs it, and it takes a tenth of a second.
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for name, is_number in zip(table.columns, table.numbers, strict=True):
        made.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in table.cells:
        mark = next((cell.mark for cell in row if cell.mark), "")
        # Texts, not strings: they may hold what rich takes for markup.
        made.add_row(*(Text(str(cell)) for cell in row), style=_STYLES[mark])
    return made


def _blocks(table: Table) -> Iterator[str]:
    width = max(map(len, table.columns))
    for row in table.cells:
        for name, cell in zip(table.columns, row, strict=True):
            yield f"{name.rjust(width)} {cell}"
        yield ""
