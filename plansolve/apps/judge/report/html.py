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
from plansolve.replay.page import shared_style
from plansolve.text import counted

__all__ = ["html_page"]

_SHOWN_COMMAND = 300
_SHOWN_PLAN = 400
_SHOWN_DETAIL = 160

# Colours, face and headings are those of the other pages; what follows is of tables alone.
_STYLE = """
:root{--good:#1f6b3a;--fair:#8a5a00;--bad:#9b3325;--odd:#6b3fa8}
@media(prefers-color-scheme:dark){:root{--good:#6fcf8e;--fair:#e0b04a;--bad:#f0a08f;--odd:#c297ff}}
main{display:block;max-width:76rem}
h2{margin:2.25rem 0 .5rem;font-size:1.25rem;font-weight:500}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.5rem .75rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--faint);font-weight:400}
th button{min-height:2rem;padding:0;border:0;background:none;color:inherit;font:inherit;
text-align:inherit;cursor:pointer}
th button:hover,th[aria-sort] button{color:var(--accent)}
th[aria-sort=ascending] button::after{content:" \\2191"}
th[aria-sort=descending] button::after{content:" \\2193"}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
td.n,th.n{text-align:right;white-space:nowrap}
.good b{color:var(--good)}.fair b{color:var(--fair)}.bad b{color:var(--bad)}.odd b{color:var(--odd)}
small{display:block;color:var(--faint);font-size:.875rem;overflow-wrap:anywhere}
code{font:.875rem/1.5 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
summary{color:var(--faint);cursor:pointer}
.notice{border-left:.25rem solid var(--odd);padding:.25rem .75rem}
@media(max-width:40rem){
main{padding:1.25rem 1rem 2rem}
table,tbody,thead{display:block}
tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--line)}
thead tr{display:flex;flex-wrap:wrap;gap:0 1.25rem}
th,td{display:block;padding:.15rem 0;border:0}
th button{min-height:2.75rem}
td,td.n{display:grid;grid-template-columns:7.5rem minmax(0,1fr);column-gap:.75rem;text-align:left;
white-space:normal}
td::before{content:attr(data-of);color:var(--faint);overflow-wrap:anywhere;grid-row:1/span 9}
td>*{grid-column:2}
}
"""

_SCRIPT = """
for(const t of document.querySelectorAll("table"))for(const r of t.tBodies[0].rows)
for(const c of r.cells)c.dataset.of=t.tHead.rows[0].cells[c.cellIndex].textContent;
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
        f"<title>plansolve judge</title><style>{shared_style()}{_STYLE}</style></head>\n"
        f"<body><main><h1>{counted(len(judgement.programs), 'program')} on "
        f"{counted(len(judgement.boards), 'board')}</h1>\n"
    )
    yield from _notices(judgement)
    yield "<h2>Ranking</h2>\n"
    yield from _ranking(judgement)
    yield "<h2>Boards</h2>\n"
    yield from _boards(judgement)
    yield "<h2>How it was judged</h2>\n"
    yield from _conditions(judgement)
    yield f"</main><script>{_SCRIPT}</script></body></html>\n"


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
