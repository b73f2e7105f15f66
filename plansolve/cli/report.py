"""plansolve report: a store of results as tables or a page, or compared with another store."""

import sys
from collections.abc import Container

import click

from plansolve import exit_codes
from plansolve.cli import options
from plansolve.cli.files import check_reports, shown_name, write_file, write_output
from plansolve.cli.progress import LiveLine, tell
from plansolve.errors import OptionError
from plansolve.extras import require
from plansolve.instances.report.contents import Comparison, Contents, compared, read_contents
from plansolve.instances.report.tables import ROW_SCHEMA, boards_table, groups_table
from plansolve.tables import as_csv, as_json_lines, as_text, print_tables
from plansolve.text import counted, one_line


@click.command("report")
@click.argument("store", metavar="STORE", type=options.FILE)
@click.option(
    "--html", metavar="FILE", type=options.FILE, help="Write a page with tables and pictures."
)
@click.option(
    "--csv",
    metavar="FILE",
    type=options.FILE,
    help="Write a table, a row for each board; - for stdout.",
)
@click.option(
    "--json-lines",
    metavar="FILE",
    type=options.FILE,
    help="Write a line of JSON for each board; - for stdout.",
)
@click.option(
    "--against",
    metavar="OTHER",
    type=options.FILE,
    help="Compare with another store, and list what is worse.",
)
def command(
    store: str, html: str | None, csv: str | None, json_lines: str | None, against: str | None
) -> int:
    """Report the results in the store of `plansolve batch --store`.

    report replays every plan, but trusts the lower bounds. Exit codes: 0 reported, 1 something is
    worse than in OTHER, 2 wrong input, 4 two claims contradict each other.
    """
    if html is not None:
        require("report", "the page", "matplotlib")
    check_reports([store], [html, *(name for name in (csv, json_lines) if name != "-")])
    if csv == json_lines == "-":
        raise OptionError("only one of the tables can go to standard output")
    contents = _read(store)
    other = None if against is None else _read(against)
    comparison = None if other is None else compared(contents.results, other.results)
    wrong = contents.contradictions
    wrong += [] if other is None else [f"{against}: {line}" for line in other.contradictions]
    wrong += [] if comparison is None else comparison.contradictions
    for line in wrong:
        tell(f"CONTRADICTION: {one_line(line)}")
    boards = boards_table(contents.results)
    written = ((csv, as_csv(boards)), (json_lines, as_json_lines(boards, ROW_SCHEMA)))

    def write(names: Container[str | None]) -> None:
        for name, lines in written:
            if name in names:
                write_output(name, (line.encode("utf-8", "replace") for line in lines))

    write({csv, json_lines} - {None, "-"})
    if html is not None:
        from plansolve.instances.report.page import report_page

        write_file(html, [report_page(contents, comparison).encode()])
    # The reader may stop before the end.
    write({"-"})
    if "-" not in (csv, json_lines):
        _print(contents, comparison)
    if wrong:
        return exit_codes.CONTRADICTION
    is_worse = comparison is not None and bool(comparison.worse)
    return exit_codes.REFUTED if is_worse else exit_codes.SOLVED


def _read(store: str) -> Contents:
    with LiveLine() as line:
        return read_contents(
            store,
            lambda boards: line.show(f"{shown_name(store)}: {counted(boards, 'board')} replayed"),
        )


def _print(contents: Contents, comparison: Comparison | None) -> None:
    table = groups_table(contents.results)
    if not contents.results:
        click.echo("the store has no boards")
    elif sys.stdout.isatty():
        from rich.console import Console

        print_tables([table], Console())
    else:
        click.echo(as_text(table))
    if comparison is not None:
        _print_comparison(comparison)


def _print_comparison(comparison: Comparison) -> None:
    for title, lines in (("worse", comparison.worse), ("better", comparison.better)):
        for line in lines:
            click.echo(f"{title}: {one_line(line)}")
    click.echo(
        f"{counted(comparison.common, 'board')} in both stores: {len(comparison.worse)} worse, "
        f"{len(comparison.better)} better"
    )
