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
