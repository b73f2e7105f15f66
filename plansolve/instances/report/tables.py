"""A report as tables of text, as CSV and as JSON lines."""

import csv
import io
import json
from collections.abc import Iterable, Iterator

from plansolve.instances.report.figures import GroupFigures
from plansolve.instances.report.table_rows import COLUMNS, fields_of
from plansolve.records.rows import BoardResult
from plansolve.replay.text_table import ReportTable
from plansolve.text import one_line, without_formula

__all__ = ["ROW_SCHEMA", "csv_lines", "json_object_lines", "summary_table"]

ROW_SCHEMA = "plansolve.row/1"


def summary_table(figures: Iterable[GroupFigures]) -> ReportTable:
    """Return a row for each set and engine."""
    headings = (
        *("set", "engine", "boards", "proved", "plan only", "failed", "mean length", "gap"),
        *("seconds", "median", "nodes"),
    )
    rows = tuple(
        (
            one_line(one.set_name),
            one.engine,
            str(one.boards),
            str(one.proved),
            str(one.planned),
            str(one.failed),
            "-" if one.length is None else f"{one.length:.2f}",
            str(one.gap),
            f"{one.seconds:.1f}",
            "-" if one.median_seconds is None else f"{one.median_seconds:.3f}",
            str(one.nodes),
        )
        for one in figures
    )
    styles = tuple("green" if row[2] == row[3] else "" for row in rows)
    return ReportTable(headings, (False, False, *(True for _ in headings[2:])), rows, styles)


def csv_lines(results: Iterable[BoardResult]) -> Iterator[str]:
    """Yield the lines of a table with `COLUMNS`; they end as RFC 4180 says."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    for result in results:
        writer.writerow(map(without_formula, fields_of(result).values()))
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()
    yield stream.getvalue()


def json_object_lines(results: Iterable[BoardResult]) -> Iterator[str]:
    """Yield a JSON object for each board, one a line."""
    for result in results:
        yield json.dumps({"schema": ROW_SCHEMA, **fields_of(result)}) + "\n"
