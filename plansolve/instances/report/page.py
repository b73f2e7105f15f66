"""A store as one HTML page that needs nothing else: tables, and plots in the page's own colours."""

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from plansolve.instances.batch import Outcome
from plansolve.instances.report.contents import Comparison, Contents, gaps, is_settled
from plansolve.instances.report.tables import attempt_text, groups_table
from plansolve.puzzles.registry import goal_text
from plansolve.tables import Cell, Table, Value, as_html, html_page, html_text, paragraph
from plansolve.text import counted, shown

_MOST_ROWS = 1000
_LONGEST = 120
_LONGEST_LINE = 400

_STYLE = """
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem}
figure{margin:0}figcaption{color:var(--faint);font-size:.875rem}
figure h3{margin:0 0 .25rem;font-size:1rem;font-weight:500}
figure svg{width:100%;height:auto;display:block}
figure svg text{font-family:var(--face)!important}
"""


def report_page(contents: Contents, comparison: Comparison | None = None) -> str:
    """Return the whole page, whose pictures matplotlib draws."""
    plots = [*filter(None, (plot(contents) for plot in (_cactus, _lengths, _gaps)))]
    name, heading = contents.path.name, counted(len(contents.results), "board")
    body = _body(contents, plots, comparison)
    return html_page(f"plansolve report: {name}", f"{name}: {heading}", body, _STYLE)


def _body(
    contents: Contents, plots: "Sequence[Plot]", comparison: Comparison | None
) -> Iterator[str]:
    for contradiction in contents.contradictions:
        yield _notice(f"Contradiction: {contradiction}")
    if comparison is not None:
        yield from _comparison(comparison)
    results = contents.results
    proved = sum(r.attempt is not None and is_settled(r.attempt) for r in results)
    yield paragraph(
        f"{proved} of {counted(len(results), 'board')} proved. Every plan was replayed; lower "
        "bounds are taken on trust."
    )
    yield from as_html(groups_table(results))
    yield '<h2>Pictures</h2>\n<div class="plots">\n' if plots else "<div>\n"
    for heading, caption, svg in plots:
        yield f"<figure><h3>{heading}</h3>{svg}<figcaption>{caption}</figcaption></figure>\n"
    yield "</div>\n"
    rows = [_row(result) for result in results[:_MOST_ROWS]]
    yield from as_html(Table("Boards", _COLUMNS, rows))
    if len(results) > _MOST_ROWS:
        yield paragraph(
            f"The first {_MOST_ROWS} of {len(results)}; `plansolve report --csv` has all."
        )


def _comparison(comparison: Comparison) -> Iterator[str]:
    for line in comparison.contradictions:
        yield _notice(f"Contradiction: {line}")
    yield "<h2>Against the other store</h2>\n"
    yield paragraph(f"{counted(comparison.common, 'board')} in both.")
    for title, lines in (("Worse", comparison.worse), ("Better", comparison.better)):
        if lines:
            yield f"<h3>{title}</h3>\n<ul>\n"
            yield from (
                f"<li>{html_text(shown(line, _LONGEST_LINE))}</li>\n" for line in lines[:_MOST_ROWS]
            )
            yield "</ul>\n"


_COLUMNS = ("board", "outcome", "length", "bound", "engine", "seconds", "nodes")


def _row(result: Outcome) -> list[Cell | Value]:
    full, attempt = result.board.full_name, result.attempt
    name = Cell(full, shown(full, _LONGEST))
    if attempt is None:
        return [name, "not attempted", None, None, "-", None, None]
    mark = "good" if is_settled(attempt) else "bad" if attempt.status == "error" else "fair"
    goal = goal_text(result.board.problem.puzzle)
    return [
        name,
        Cell(attempt.status, mark=mark, notes=(shown(attempt_text(attempt, goal), _LONGEST),)),
        attempt.length,
        attempt.lower_bound,
        Cell(attempt.engine, shown(attempt.engine, _LONGEST)),
        Cell(attempt.seconds, f"{attempt.seconds:.2f}"),
        attempt.nodes,
    ]


def _notice(text: str) -> str:
    return paragraph(shown(text, _LONGEST_LINE), "notice")


Plot = tuple[str, str, str]
"""A heading, a description, and the picture."""

# Placeholders for the page's colours.
_INK, _FAINT, _LINE = "#010101", "#020202", "#030303"
_SERIES = ("#040404", "#050505", "#060606", "#070707", "#080808", "#090909")
_OF_SERIES = ("accent", "odd", "fair", "bad", "good", "ink")
_OF_PAGE = {_INK: "ink", _FAINT: "faint", _LINE: "line"} | dict(
    zip(_SERIES, _OF_SERIES, strict=True)
)
_INCHES = (5.0, 3.2)
_LEAST_SECONDS = 1e-3


def _cactus(contents: Contents) -> Plot | None:
    """Draw how many boards each engine has settled within a time per board."""
    by_engine: dict[str, list[float]] = {}
    for attempt in filter(is_settled, contents.attempts):
        by_engine.setdefault(attempt.engine, []).append(max(_LEAST_SECONDS, attempt.seconds))
    if not by_engine:
        return None
    most = sorted(by_engine.items(), key=lambda item: -len(item[1]))

    def draw(axes: Any) -> None:
        for (engine, times), colour in zip(most, _SERIES, strict=False):
            axes.step(
                sorted(times), range(1, len(times) + 1), where="post", color=colour, label=engine
            )
        axes.set_xscale("log")
        axes.set_xlabel("seconds for a board")
        axes.set_ylabel("boards proved")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, labelcolor=_INK)

    return (
        "Boards proved over time",
        "the number of boards that were each proved within this many seconds",
        _svg("proved", draw),
    )


def _lengths(contents: Contents) -> Plot | None:
    lengths = Counter(
        result.attempt.length
        for result in contents.results
        if result.attempt is not None
        and result.attempt.status == "optimal"
        and result.attempt.length is not None
    )
    if not lengths:
        return None

    def draw(axes: Any) -> None:
        axes.bar([*lengths], [*lengths.values()], width=0.8, color=_SERIES[0])
        axes.set_xlabel("moves of a shortest plan")
        axes.set_ylabel("boards")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.xaxis.get_major_locator().set_params(integer=True)

    return "Lengths", "the lengths of the plans that were proved shortest", _svg("lengths", draw)


def _gaps(contents: Contents) -> Plot | None:
    """Draw lower bound and plan of boards without a proof, the widest gap first."""
    found = sorted(gaps(r.attempt for r in contents.results), key=lambda gap: gap[0] - gap[1])
    if not found:
        return None

    def draw(axes: Any) -> None:
        places = range(1, len(found) + 1)
        lower, upper = zip(*found, strict=True)
        axes.vlines(places, lower, upper, color=_LINE, linewidth=2)
        axes.plot(places, upper, "v", color=_SERIES[1], markersize=4, label="plan")
        axes.plot(places, lower, "^", color=_SERIES[0], markersize=4, label="lower bound")
        axes.set_xlabel("boards without a proof, the widest gap first")
        axes.set_ylabel("moves")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(frameon=False, labelcolor=_INK)

    return "Gaps", "the gap between plan and lower bound", _svg("gaps", draw)


def _svg(name: str, draw: Callable[[Any], None]) -> str:
    """Return a picture; the ids of its parts begin with `name`, and equal data give equal texts."""
    # Matplotlib is an extra, and few commands draw.
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_LOOK | {"svg.hashsalt": name}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.grid(visible=True, axis="y")
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        draw(axes)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :]
    for colour, name in _OF_PAGE.items():
        svg = svg.replace(colour, f"var(--{name})")
    # The page sets its size.
    tag, rest = svg.split(">", 1)
    return re.sub(r' (width|height)="[^"]*"', "", tag) + ">" + rest


_LOOK: Any = {
    "svg.fonttype": "none",
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _FAINT,
    "xtick.color": _FAINT,
    "ytick.color": _FAINT,
    "grid.color": _LINE,
    "grid.linewidth": 0.6,
}
