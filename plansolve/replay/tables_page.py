"""A page of tables that needs nothing else and runs nothing but their sorting.

What comes from outside is for the caller to escape; as a second guard the page's security policy
allows this one script, by its hash, and no network.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape

from plansolve.replay.page import shared_style

__all__ = ["number_cell", "sorted_table", "tables_page"]

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


def tables_page(title: str, heading: str, body: Iterable[str], style: str = "") -> Iterator[str]:
    """Yield a page with this body, in HTML; `title` and `heading` are texts."""
    digest = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(title)}</title><style>{shared_style()}{_STYLE}{style}</style></head>\n"
        f"<body><main><h1>{escape(heading)}</h1>\n"
    )
    yield from body
    yield f"</main><script>{_SCRIPT}</script></body></html>\n"


def sorted_table(headings: Iterable[tuple[str, bool]], rows: Iterable[str]) -> Iterator[str]:
    """Yield a sortable table; `headings` holds HTML, and whether a column is of numbers."""
    yield '<div class="wide"><table><thead><tr>'
    for heading, is_number in headings:
        right = ' class="n"' if is_number else ""
        yield f'<th scope="col"{right}><button>{heading}</button></th>'
    yield "</tr></thead><tbody>\n"
    yield from rows
    yield "</tbody></table></div>\n"


def number_cell(value: float | None, text: str | None = None) -> str:
    """Return a cell that shows `text` and sorts by `value`."""
    if value is None:
        return '<td class="n" data-k="">-</td>'
    return f'<td class="n" data-k="{value:g}">{text or value}</td>'
