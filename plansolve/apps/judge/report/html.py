"""The judgement as one HTML page that needs nothing else and runs nothing but its own sorting.

Whatever programs print is hostile: every text is escaped, and as a second guard the page's
security policy allows this one script, by its hash, and no network.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape

from plansolve.apps.judge.ranking import Outcome, Standing
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.scoring import shown
from plansolve.formats import format_plan
from plansolve.text import counted

__all__ = ["html_page"]

_SHOWN_COMMAND = 300
_SHOWN_PLAN = 400
_SHOWN_DETAIL = 160

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--good:#1a7f37;--fair:#9a6700;--bad:#c0392b;
--odd:#8250df}
@media(prefers-color-scheme:dark){:root{--good:#4ac26b;--fair:#d4a72c;--bad:#ff7b72;--odd:#c297ff}}
body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th button{font:inherit;font-weight:600;background:none;border:0;padding:0;color:inherit;
cursor:pointer}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.good b{color:var(--good)}.fair b{color:var(--fair)}.bad b{color:var(--bad)}.odd b{color:var(--odd)}
small{display:block;opacity:.8;overflow-wrap:anywhere}code{overflow-wrap:anywhere}
.notice{border-left:.25rem solid var(--odd);padding:.25rem .75rem}
"""

_SCRIPT = """
for(const b of document.querySelectorAll("th button"))b.addEventListener("click",()=>{
const h=b.parentElement,i=h.cellIndex,t=h.closest("table").tBodies[0];
const up=h.getAttribute("aria-sort")!=="ascending";
for(const o of h.parentElement.cells)o.removeAttribute("aria-sort");
h.setAttribute("aria-sort",up?"ascending":"descending");
const key=r=>r.cells[i].dataset.k??r.cells[i].textContent;
t.append(...[...t.rows].sort((p,q)=>{const x=key(p),y=key(q);
return(up?1:-1)*(x!==""&&y!==""&&!isNaN(x)&&!isNaN(y)?x-y:x.localeCompare(y,undefined,{numeric:true}))}));
});
"""


def html_page(judgement: Judgement) -> str:
    """Return the whole page, as text without surrogates, ready to be written as UTF-8."""
    page = "".join(_page(judgement))
    return page.encode("utf-8", "backslashreplace").decode()


def _page(judgement: Judgement) -> Iterator[str]:
    digest = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>plansolve judge</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{counted(len(judgement.programs), 'program')} on "
        f"{counted(len(judgement.boards), 'board')}</h1>\n"
    )
    yield from _notices(judgement)
    yield "<h2>Ranking</h2>\n"
    yield from _ranking(judgement)
    yield "<h2>Boards</h2>\n"
    yield from _boards(judgement)
    yield "<h2>How it was judged</h2>\n"
    yield from _conditions(judgement)
    yield f"<script>{_SCRIPT}</script></body></html>\n"


def _text(text: str, longest: int) -> str:
    return escape(shown(text, longest))


def _notices(judgement: Judgement) -> Iterator[str]:
    if not judgement.is_complete:
        yield '<p class="notice">Interrupted: this report is not complete.</p>\n'
    for outcome in judgement.contradictions:
        yield (
            f'<p class="notice">A record is wrong: {_text(outcome.board, 80)}, '
            f"{_text(outcome.score.detail, _SHOWN_DETAIL)}.</p>\n"
        )


def _table(headings: Iterable[tuple[str, bool]], rows: Iterable[str]) -> Iterator[str]:
    """Yield a sortable table; `headings` holds HTML, and whether a column is of numbers."""
    yield '<div class="wide"><table><thead><tr>'
    for heading, is_number in headings:
        right = ' class="n"' if is_number else ""
        yield f'<th scope="col"{right}><button>{heading}</button></th>'
    yield "</tr></thead><tbody>\n"
    yield from rows
    yield "</tbody></table></div>\n"


def _number(value: float | None, text: str | None = None) -> str:
    """Return a cell that shows `text` and sorts by `value`."""
    if value is None:
        return '<td class="n" data-k="">-</td>'
    return f'<td class="n" data-k="{value:g}">{text or value}</td>'


def _ranking(judgement: Judgement) -> Iterator[str]:
    contest = judgement.is_contest
    figures = ("placed", "moves", "transports") if contest else ("mean excess",)
    last = ("CPU seconds",) if contest else ("mean seconds",)
    names = ("rank", "program", "solved", "optimal", *figures, *last, "peak MB")
    headings = [(name, name != "program") for name in names]
    yield from _table(headings, (_standing(judgement, s) for s in judgement.standings))


def _standing(judgement: Judgement, standing: Standing) -> str:
    program = next(p for p in judgement.programs if p.name == standing.program)
    runs = standing.runs
    cells = [
        _number(standing.rank),
        f"<td><b>{_text(standing.program, 80)}</b><small><code>"
        f"{_text(program.command, _SHOWN_COMMAND)}</code> ({program.protocol.name})</small></td>",
        _number(standing.solved, f"{standing.solved} of {runs}"),
        _number(standing.optimal, f"{standing.optimal} of {runs}"),
    ]
    if judgement.is_contest:
        figures = (standing.placed, standing.moves, standing.penalty)
        cells += [_number(figure) for figure in figures]
        cells.append(_number(standing.cpu_seconds, f"{standing.cpu_seconds:.2f}"))
    else:
        excess = standing.mean_excess
        mean = standing.mean_seconds
        cells.append(_number(excess, None if excess is None else f"{excess:.2f}"))
        cells.append(_number(mean, None if mean is None else f"{mean:.2f}"))
    cells.append(_number(standing.peak_memory, f"{standing.peak_memory / 1e6:.0f}"))
    return f"<tr>{''.join(cells)}</tr>\n"


def _boards(judgement: Judgement) -> Iterator[str]:
    headings = [("board", False), ("optimum", True)]
    headings += [(_text(program.name, 80), False) for program in judgement.programs]
    found = {(outcome.board, outcome.program): outcome for outcome in judgement.outcomes}
    names = [program.name for program in judgement.programs]
    rows = (
        f"<tr>{_board_cells(judgement, i)}"
        f"{''.join(_cell(found.get((board.name, name))) for name in names)}</tr>\n"
        for i, board in enumerate(judgement.boards)
    )
    yield from _table(headings, rows)


def _board_cells(judgement: Judgement, place: int) -> str:
    board = judgement.boards[place]
    known, puzzle = judgement.known[board.name], board.problem.puzzle
    plan = ""
    if known.plan:
        told = _text(format_plan(known.plan, puzzle), _SHOWN_PLAN)
        plan = f"<details><summary>a plan</summary><code>{told}</code></details>"
    if known.solvable is False:
        optimum = '<td class="n" data-k="">unsolvable</td>'
    elif known.optimal_length is None:
        optimum = _number(known.lower_bound, f"≥ {known.lower_bound}")
    else:
        optimum = _number(known.optimal_length)
    return f'<td data-k="{place}">{_text(board.name, 80)}{plan}</td>{optimum}'


def _cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return "<td>not run</td>"
    score, run = outcome.score, outcome.run
    figures = f"{run.seconds:.2f} s, {run.peak_memory / 1e6:.0f} MB"
    return (
        f'<td class="{score.mark}"><b>{score.rating}</b>'
        f"<small>{_text(score.detail, _SHOWN_DETAIL)}</small><small>{figures}</small></td>"
    )


def _conditions(judgement: Judgement) -> Iterator[str]:
    limits, isolation = judgement.sandbox.limits, judgement.sandbox.isolation
    rules = (
        "tiles placed (squares solved where there are several), moves, transports, processor time"
        if judgement.is_contest
        else "boards solved, boards solved optimally, moves on the boards that all solved, time"
    )
    yield (
        f"<p>Ranked by {rules}. Each run had {limits.seconds:g} s and "
        f"{limits.memory / 2**20:.0f} MiB of memory. Isolation: {escape(isolation.name)}; "
        f"{escape(isolation.description)}. “Optimal” means proved, or recorded in the instance "
        "set; every plan was replayed."
        "</p>\n"
    )
