"""The judgement as tables of text: in colour on a terminal, aligned and whole elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plansolve.apps.judge.ranking import Outcome, Standing
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.scoring import shown

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ReportTable", "plain_text", "print_tables", "tables"]

_LONGEST_NAME = 40
_NARROW, _WIDE = 60, 120
_STYLES = {"good": "green", "fair": "yellow", "bad": "red", "odd": "bold magenta"}


@dataclass(frozen=True)
class ReportTable:
    """Cells of text under their headings; `is_number` tells which columns align to the right.

    `styles` has rich's style of each row, empty for none.
    """

    headings: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    styles: tuple[str, ...] = ()


def tables(
    judgement: Judgement, *, details: bool, width: int | None = None
) -> tuple[ReportTable, ...]:
    """Return the standings, with `details` every run, in a small `width` fewer figures."""
    standings = _standings(judgement)
    if not details:
        return (standings,)
    return standings, _runs(judgement, is_brief=width is not None and width < _WIDE)


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
        if console.width < _NARROW:
            for line in _blocks(table):
                console.print(line, markup=False, highlight=False, soft_wrap=False)
        else:
            console.print(_rich(table))


def _standings(judgement: Judgement) -> ReportTable:
    contest = judgement.is_contest
    figures = ("placed", "moves", "transports", "CPU s") if contest else ("excess", "mean s")
    headings = ("rank", "program", "solved", "optimal", *figures)
    rows = [_standing_row(standing, contest) for standing in judgement.standings]
    numbers = (True, False, *(True for _ in headings[2:]))
    styles = tuple("green" if s.optimal == s.runs else "" for s in judgement.standings)
    return ReportTable(headings, numbers, tuple(rows), styles)


def _standing_row(standing: Standing, contest: bool) -> tuple[str, ...]:
    first = (
        str(standing.rank),
        shown(standing.program, _LONGEST_NAME),
        f"{standing.solved}/{standing.runs}",
        f"{standing.optimal}/{standing.runs}",
    )
    if contest:
        figures = (standing.placed, standing.moves, standing.penalty)
        return (*first, *map(str, figures), f"{standing.cpu_seconds:.2f}")
    excess = "-" if standing.mean_excess is None else f"{standing.mean_excess:.2f}"
    mean = "-" if standing.mean_seconds is None else f"{standing.mean_seconds:.2f}"
    return (*first, excess, mean)


def _runs(judgement: Judgement, *, is_brief: bool) -> ReportTable:
    figures = ("seconds",) if is_brief else ("seconds", "CPU s", "MB")
    headings = ("board", "program", "verdict", *figures, "what")
    return ReportTable(
        headings,
        tuple(heading in figures for heading in headings),
        tuple(_run_row(outcome, len(figures)) for outcome in judgement.outcomes),
        tuple(_STYLES[outcome.score.mark] for outcome in judgement.outcomes),
    )


def _run_row(outcome: Outcome, count: int) -> tuple[str, ...]:
    run, score = outcome.run, outcome.score
    figures = (f"{run.seconds:.2f}", f"{run.cpu_seconds:.2f}", f"{run.peak_memory / 1e6:.0f}")
    return (
        shown(outcome.board, _LONGEST_NAME),
        shown(outcome.program, _LONGEST_NAME),
        score.rating.value,
        *figures[:count],
        score.detail,
    )


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
