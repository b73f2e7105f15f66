"""A store as one HTML page that needs nothing else; all texts of the store are escaped."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from plansolve.formats.identity import goal_in
from plansolve.instances.report.against import Comparison
from plansolve.instances.report.contents import Contents
from plansolve.instances.report.figures import GroupFigures, figures_by_set_and_engine, is_settled
from plansolve.instances.report.plots import Plot, plots_of
from plansolve.instances.report.table_rows import attempt_text
from plansolve.records.rows import BoardResult
from plansolve.replay.tables_page import number_cell, sorted_table, tables_page
from plansolve.text import counted, one_line

_MOST_ROWS = 1000
_LONGEST = 120

_STYLE = """
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem}
figure{margin:0}figcaption{color:var(--faint);font-size:.875rem}
figure h3{margin:0 0 .25rem;font-size:1rem;font-weight:500}
figure svg{width:100%;height:auto;display:block}
figure svg text{font-family:var(--face)!important}
"""


def report_page(contents: Contents, comparison: Comparison | None = None) -> str:
    """Return the whole page; raise `EngineError` where matplotlib is missing."""
    plots = plots_of(contents)
    heading = counted(len(contents.results), "board")
    name = one_line(contents.path.name)
    page = tables_page(
        f"plansolve report: {name}",
        f"{name}: {heading}",
        _body(contents, plots, comparison),
        _STYLE,
    )
    return "".join(page).encode("utf-8", "backslashreplace").decode()


def _body(
    contents: Contents, plots: Sequence[Plot], comparison: Comparison | None
) -> Iterator[str]:
    for contradiction in contents.contradictions:
        yield _notice(f"Contradiction: {contradiction.board}: {contradiction.what}")
    if comparison is not None:
        yield from _comparison(comparison)
    proved = sum(r.attempt is not None and is_settled(r.attempt) for r in contents.results)
    yield (
        f"<p>{proved} of {counted(len(contents.results), 'board')} proved. Every plan was "
        f"replayed; bounds are the word of {_text(contents.path.name)}.</p>\n"
    )
    yield "<h2>Sets and engines</h2>\n"
    yield from _groups(figures_by_set_and_engine(contents.results))
    yield '<h2>Pictures</h2>\n<div class="plots">\n'
    for heading, caption, svg in plots:
        yield (
            f"<figure><h3>{_text(heading)}</h3>{svg}"
            f"<figcaption>{_text(caption)}</figcaption></figure>\n"
        )
    yield "</div>\n<h2>Boards</h2>\n"
    if len(contents.results) > _MOST_ROWS:
        yield (
            f"<p>The first {_MOST_ROWS} of {len(contents.results)}; <code>plansolve report --csv"
            "</code> has all.</p>\n"
        )
    yield from _boards(contents.results[:_MOST_ROWS])


def _notice(text: str) -> str:
    return f'<p class="notice">{_text(text, 400)}</p>\n'


def _comparison(comparison: Comparison) -> Iterator[str]:
    for line in comparison.contradictions:
        yield _notice(f"Contradiction: {line}")
    common = counted(comparison.common, "board")
    yield f"<h2>Against the other store</h2>\n<p>{common} in both.</p>\n"
    for title, lines in (("Worse", comparison.worse), ("Better", comparison.better)):
        if lines:
            yield f"<h3>{title}</h3>\n<ul>\n"
            yield from (f"<li>{_text(line, 400)}</li>\n" for line in lines[:_MOST_ROWS])
            yield "</ul>\n"


def _groups(figures: Iterable[GroupFigures]) -> Iterator[str]:
    names = ("boards", "proved", "plan only", "failed", "mean length", "gap", "seconds", "median")
    headings = [("set", False), ("engine", False), *((name, True) for name in (*names, "nodes"))]
    yield from sorted_table(headings, map(_group, figures))


def _group(one: GroupFigures) -> str:
    cells = [f"<td><b>{_text(one.set_name)}</b></td><td>{_text(one.engine)}</td>"]
    counts = (one.boards, one.proved, one.planned, one.failed)
    cells += [number_cell(count) for count in counts]
    cells.append(number_cell(one.length, None if one.length is None else f"{one.length:.2f}"))
    cells.append(number_cell(one.gap))
    cells.append(number_cell(one.seconds, f"{one.seconds:.1f}"))
    middle = one.median_seconds
    cells.append(number_cell(middle, None if middle is None else f"{middle:.3f}"))
    cells.append(number_cell(one.nodes, f"{one.nodes:,}"))
    return f"<tr>{''.join(cells)}</tr>\n"


def _boards(results: Iterable[BoardResult]) -> Iterator[str]:
    headings = [("board", False), ("outcome", False), ("length", True), ("bound", True)]
    headings += [("engine", False), ("seconds", True), ("nodes", True)]
    yield from sorted_table(headings, map(_board, results))


def _board(result: BoardResult) -> str:
    name = f"<td>{_text(f'{result.board.set_name}/{result.board.name}')}</td>"
    attempt = result.attempt
    if attempt is None:
        nothing = number_cell(None) * 2
        return f"<tr>{name}<td>not attempted</td>{nothing}<td>-</td>{nothing}</tr>\n"
    mark = "good" if is_settled(attempt) else "bad" if attempt.status == "error" else "fair"
    nodes, goal = attempt.nodes, goal_in(result.problem.text) or "a goal that cannot be read"
    return (
        f'<tr>{name}<td class="{mark}"><b>{_text(attempt.status)}</b>'
        f"<small>{_text(attempt_text(attempt, goal))}</small></td>"
        f"{number_cell(attempt.length)}{number_cell(attempt.lower_bound)}"
        f"<td>{_text(attempt.engine)}</td>{number_cell(attempt.seconds, f'{attempt.seconds:.2f}')}"
        f"{number_cell(nodes, None if nodes is None else f'{nodes:,}')}</tr>\n"
    )


def _text(text: str, longest: int = _LONGEST) -> str:
    line = one_line(text)
    return escape(line if len(line) <= longest else f"{line[:longest]}...")
