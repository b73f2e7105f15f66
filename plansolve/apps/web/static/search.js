// One search after the other: its events, its bounds, its end, and its plan in the frame.
import { ask, Failure } from "./server.js";
import { makeChart } from "./chart.js";

const TICK = 200; // milliseconds between two drawings of a search that goes on
const NARROW = 896; // the frame's width up to which the replay page has one column
const byId = (id) => document.getElementById(id);

export function makeSearch() {
  const chart = makeChart(byId("chart"));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let key = null;
  let source = null;
  let began = 0;
  let ticking = null;
  let ended = null; // the time that the last search took, in seconds
  let asked = null; // what was posed, as text

  const isRunning = () => source !== null;
  const elapsed = () => ended ?? (performance.now() - began) / 1000;

  function show() {
    byId("time").textContent = elapsed().toFixed(1);
    chart.draw(elapsed());
  }

  function setRunning(running) {
    byId("solve").setAttribute("aria-disabled", String(running));
    byId("stop").hidden = !running;
    clearInterval(ticking);
    ticking = running ? setInterval(show, TICK) : null;
  }

  // Everything that says which board it is; how it is solved does not.
  const asText = ({ aim, ...board }) => JSON.stringify(board);

  // What was found about another board is not said as if it were about the one in the form.
  function compare(posed) {
    const isEarlier = asked !== null && asText(posed) !== asked;
    for (const id of ["search", "result"]) byId(id).classList.toggle("earlier", isEarlier);
    byId("earlier").hidden = !isEarlier;
  }

  function begin(posed) {
    asked = asText(posed);
    compare(posed);
    for (const side of ["--columns", "--rows"]) {
      byId("plan").style.setProperty(side, byId("stage").style.getPropertyValue(side));
    }
    chart.clear();
    began = performance.now();
    ended = null;
    byId("result").hidden = true;
    byId("plan").removeAttribute("src");
    byId("search").hidden = false;
    byId("search").classList.remove("alone");
    for (const id of ["sentence", "upper-by", "lower-by", "doing"]) byId(id).textContent = "";
    for (const id of ["upper", "lower"]) byId(id).textContent = "–";
    byId("headline").textContent = "Searching …";
    byId("headline").className = "";
    byId("live").textContent = "Searching";
  }

  // Solves what the form poses; the answer's error, if there is one.
  async function solve(posed) {
    const answer = await ask("/api/solve", posed);
    if (answer.error) return answer.error;
    key = answer.solve;
    begin(posed);
    source = new EventSource(`/api/solve/${key}/events`);
    const listen = (kind, act) =>
      source.addEventListener(kind, (event) => act(JSON.parse(event.data)));
    listen("bounds", bounds);
    listen("doing", ({ text }) => (byId("doing").textContent = text));
    listen("result", finish);
    source.addEventListener("error", lost);
    setRunning(true);
    show();
    byId("search").scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
    return null;
  }

  let known = [null, null];
  function bounds({ lower, upper, engine, headline }) {
    if (byId("lower").textContent === "–") known = [null, null];
    if (lower !== known[0]) byId("lower-by").textContent = engine === "auto" ? "" : engine;
    if (upper !== known[1]) byId("upper-by").textContent = engine;
    known = [lower, upper];
    byId("lower").textContent = lower;
    byId("upper").textContent = upper ?? "–";
    chart.add(elapsed(), lower, upper);
    if (headline) byId("headline").textContent = headline;
    show();
  }

  // The browser connects again by itself, but where the server does not know the search any more.
  function lost() {
    if (source.readyState !== EventSource.CLOSED) {
      byId("doing").textContent = "The server does not answer; trying again …";
      return;
    }
    close();
    byId("headline").textContent = "The search is lost";
    byId("sentence").textContent = "The server no longer has it: solve the board again.";
  }

  function close() {
    ended = elapsed();
    source.close();
    source = null;
    setRunning(false);
    show();
  }

  function finish(result) {
    close();
    byId("headline").textContent = result.headline;
    byId("headline").className = result.tone;
    byId("sentence").textContent = result.sentence;
    byId("live").textContent = `${result.headline}. ${result.sentence}`;
    byId("doing").textContent = "";
    byId("search").classList.toggle("alone", result.lower === null);
    if (result.lower_by) byId("lower-by").textContent = result.lower_by;
    if (result.upper_by) byId("upper-by").textContent = result.upper_by;
    byId("chart").setAttribute("aria-label", `The bounds over time. ${result.sentence}`);
    if (result.plan === null) return;
    byId("plan-text").textContent = result.plan || "no moves";
    byId("copy").textContent = "Copy";
    byId("save").href = byId("plan").src = `/api/solve/${key}/plan`;
    byId("result").hidden = false;
  }

  // The replay page is ours and from here, so its size can be asked, and its plan be started.
  byId("plan").addEventListener("load", () => {
    const frame = byId("plan");
    const page = frame.contentDocument;
    if (!frame.getAttribute("src") || !page?.getElementById("run")) return;
    page.querySelector("header").hidden = true;
    frame.style.height = "";
    if (frame.clientWidth <= NARROW) {
      frame.style.height = `${page.querySelector("main").offsetHeight + 24}px`;
    }
    byId("search").scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
    if (!calm.matches) page.getElementById("run").click();
  });

  async function stop() {
    byId("doing").textContent = "Stopping …";
    try {
      await ask(`/api/solve/${key}/stop`, {});
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      byId("doing").textContent = error.message;
    }
  }

  byId("stop").addEventListener("click", stop);
  byId("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(byId("plan-text").textContent);
      byId("copy").textContent = "Copied";
    } catch {
      // Without the right to the clipboard, the text is marked: the keyboard copies it.
      getSelection().selectAllChildren(byId("plan-text"));
      byId("copy").textContent = "Selected";
    }
  });
  addEventListener("resize", () => byId("search").hidden || show());
  return { solve, isRunning, compare };
}
