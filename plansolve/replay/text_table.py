"""Tables of text: in colour on a terminal, aligned and whole elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["NARROW", "ReportTable", "plain_text", "print_tables"]

NARROW = 60
"""The columns of a terminal on which no table has room."""


@dataclass(frozen=True)
class ReportTable:
    """Cells of text under their headings; `is_number` tells which columns align to the right.

    `styles` has rich's style of each row, empty for none.
    """

    headings: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    styles: tuple[str, ...] = ()


def plain_text(table: ReportTable) -> str:
    """Return the table with aligned columns, a line a row, without colour and never cut."""
    lines = [table.headings, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, table.is_number, strict=True)
        ).rstrip()
        for line in lines
    )


def print_tables(shown_tables: Sequence[ReportTable], console: "Console") -> None:
    """Print the tables on a terminal; on a narrow one each row becomes a small block."""
    for table in shown_tables:
        if console.width < NARROW:
            for line in _blocks(table):
                console.print(line, markup=False, highlight=False, soft_wrap=False)
        else:
            console.print(_rich(table))


def _rich(table: ReportTable) -> object:
    # Only a terminal needs it, and it takes a tenth of a second.
    from rich import box
    from rich.table import Table as Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for heading, right in zip(table.headings, table.is_number, strict=True):
        made.add_column(heading, justify="right" if right else "left", overflow="fold")
    for row, style in zip(table.rows, table.styles, strict=True):
        # Texts, not strings: a program's name or output may hold what rich takes for markup.
        made.add_row(*(Text(cell) for cell in row), style=style)
    return made


def _blocks(table: ReportTable) -> Iterator[str]:
    width = max(map(len, table.headings))
    for row in table.rows:
        for heading, cell in zip(table.headings, row, strict=True):
            yield f"{heading.rjust(width)} {cell}"
        yield ""
