// The two bounds over time: what is proved rises, the best plan falls, until they meet.
const NS = "http://www.w3.org/2000/svg";
// The labels of the bounds stand on the right, so far from the lines.
const EDGE = { left: 2, labels: 12, right: 2, top: 16, bottom: 24 };

export function makeChart(svg) {
  let points = []; // { at, lower, upper } in seconds and moves, in the order of time

  function element(name, attributes, text) {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    svg.append(made);
    return made;
  }

  const words = ({ lower, upper }) =>
    upper === lower
      ? { met: `${lower}: the bounds meet` }
      : { lower: `${lower} proved`, ...(upper !== null && { upper: `${upper} found` }) };

  // How wide the widest label is, in the page's own font.
  function widest(texts) {
    return Math.max(
      ...texts.map((text) => {
        const label = element("text", {}, text);
        const length = label.getComputedTextLength();
        label.remove();
        return length;
      }),
    );
  }

  // From the first bound up to somewhat above the best plan: where the plans that are found at
  // once are very long, their line comes from outside.
  function range() {
    const bottom = Math.max(0, Math.min(...points.map((p) => p.lower)) - 1);
    const last = points.at(-1);
    if (last.upper === null) return [bottom, last.lower + Math.max(4, (last.lower - bottom) / 2)];
    const uppers = points.map((p) => p.upper).filter((u) => u !== null);
    const room = 1.2 * Math.max(3, last.upper - bottom);
    return [bottom, Math.min(Math.max(...uppers) + 1, last.upper + room)];
  }

  function draw(now) {
    svg.replaceChildren();
    const { clientWidth: width, clientHeight: height } = svg;
    if (points.length === 0 || width === 0) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const [bottom, top] = range();
    const end = Math.max(now, 0.5);
    const right = width - EDGE.right - EDGE.labels - widest(Object.values(words(points.at(-1))));
    const x = (at) => EDGE.left + (at / end) * (right - EDGE.left);
    const floor = height - EDGE.bottom;
    const y = (moves) => floor - ((moves - bottom) / (top - bottom)) * (floor - EDGE.top);
    const steps = (key) => {
      const corners = [];
      for (const [i, point] of points.entries()) {
        if (point[key] === null) continue;
        const until = points[i + 1]?.at ?? now;
        corners.push([x(point.at), y(point[key])], [x(until), y(point[key])]);
      }
      return corners;
    };
    const path = (corners) => corners.map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`).join("L");
    const lower = steps("lower");
    const upper = steps("upper");
    const last = points.at(-1);
    const ground = [[x(now), floor], [lower[0][0], floor]];
    element("path", { class: "impossible", d: `M${path([...lower, ...ground])}Z` });
    if (upper.length) {
      const under = lower.filter(([a]) => a >= upper[0][0]).reverse();
      element("path", { class: "open", d: `M${path([...upper, ...under])}Z` });
      element("path", { class: "upper", d: `M${path(upper)}` });
    }
    element("path", { class: "lower", d: `M${path(lower)}` });
    element("line", { class: "ground", x1: x(0), x2: x(now), y1: floor, y2: floor });
    element("text", { x: x(0), y: height - 6 }, "0 s");
    if (now > 1) element("text", { x: x(now), y: height - 6, "text-anchor": "end" }, `${now.toFixed(0)} s`);
    labels(last, x(now), y);
  }

  function labels(point, end, y) {
    const { lower, upper } = point;
    const texts = words(point);
    const x = end + EDGE.labels;
    if (texts.met) {
      element("circle", { class: "met", cx: end, cy: y(lower), r: 6 });
      element("text", { class: "lower-label", x, y: y(lower) + 5 }, texts.met);
      return;
    }
    // Labels of lines that are close to each other move apart.
    const gap = upper === null ? 99 : y(lower) - y(upper);
    const shift = Math.max(0, (17 - gap) / 2);
    if (upper !== null) element("text", { class: "upper-label", x, y: y(upper) + 5 - shift }, texts.upper);
    element("text", { class: "lower-label", x, y: y(lower) + 5 + shift }, texts.lower);
  }

  return {
    clear() {
      points = [];
      svg.replaceChildren();
    },
    add(at, lower, upper) {
      points.push({ at, lower, upper });
    },
    draw,
  };
}
