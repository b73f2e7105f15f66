// Draws a board. What stands where is decided by the caller; here tiles are only brought there.
//
// Pieces may be alike: a picture belongs to the cell in which its piece stands, not to a number.
function makeBoard(svg, { rows, columns, start, goal, picture, layout }) {
  const { pitch, tile: side, margin } = picture;
  const inset = margin + (pitch - side) / 2;
  const svgElement = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const ground = svg.querySelector(".tiles");
  const kindOf = (g) => Number(g.dataset.tile);
  const drawn = [...ground.querySelectorAll(".tile")];
  const isHole = (cell) => layout?.holes.includes(cell);
  const standing = start.map((kind, cell) => (kind && !isHole(cell) ? drawn.shift() : undefined));

  // Lines that turn leave the board under its frame; tiles that fly are above all others.
  const clip = svgElement("clipPath", { id: "cells" });
  const [width, height] = layout ? [layout.width, layout.height] : [columns, rows];
  const frame = { x: margin, y: margin, width: width * pitch, height: height * pitch };
  clip.append(svgElement("rect", frame));
  ground.setAttribute("clip-path", "url(#cells)");
  const air = svgElement("g", { class: "air", "text-anchor": "middle" });
  svg.append(clip, air);

  const at = (cell) => {
    const [x, y] = layout?.positions[cell] ?? [cell % columns, Math.floor(cell / columns)];
    return { x: inset + x * pitch, y: inset + y * pitch };
  };
  const move = (g, x, y, scale = 1) => {
    const middle = (side / 2) * (1 - scale);
    const grown = scale === 1 ? "" : ` scale(${scale})`;
    g.setAttribute("transform", `translate(${x + middle} ${y + middle})${grown}`);
  };

  // After a move, the pictures stand where it has brought them.
  function carry(made) {
    const before = [...standing];
    for (const { from, to } of made.moves) standing[to] = before[from];
  }

  // After a jump, any picture of the right kind will do.
  function sort(state) {
    const loose = [];
    state.forEach((kind, cell) => {
      if (!standing[cell] || kindOf(standing[cell]) === kind) return;
      loose.push(standing[cell]);
      standing[cell] = undefined;
    });
    state.forEach((kind, cell) => {
      if (standing[cell] || !kind || isHole(cell)) return;
      standing[cell] = loose.splice(loose.findIndex((g) => kindOf(g) === kind), 1)[0];
    });
  }

  function settle(state) {
    sort(state);
    for (const cell of state.keys()) {
      const g = standing[cell];
      if (!g) continue;
      const { x, y } = at(cell);
      move(g, x, y);
      g.classList.toggle("home", goal[cell] === state[cell]);
      if (g.parentNode !== ground) ground.append(g);
    }
  }

  // The pictures of a move: a function of the time between 0 and 1, and its end.
  function begin(made) {
    const actors = [];
    for (const motion of made.moves) {
      const g = standing[motion.from];
      if (!g) continue;
      const start = at(motion.from);
      const path = { x: motion.dx * pitch, y: motion.dy * pitch };
      const actor = { g, start, path };
      actors.push(actor);
      if (motion.kind === "fly") {
        actor.height = Math.min(1.4, 0.5 + Math.hypot(motion.dx, motion.dy) / 4) * pitch;
        actor.shadow = svgElement("rect", { class: "shadow", width: side, height: side, rx: 9 });
        air.append(actor.shadow, g);
      }
      const end = at(motion.to);
      const isElsewhere = start.x + path.x !== end.x || start.y + path.y !== end.y;
      if (motion.kind === "turn" && isElsewhere) {
        const twin = g.cloneNode(true);
        delete twin.dataset.tile;
        twin.setAttribute("aria-hidden", "true");
        ground.append(twin);
        actors.push({ g: twin, start: { x: end.x - path.x, y: end.y - path.y }, path, twin });
      }
    }
    return {
      frame(t) {
        for (const { g, start, path, height = 0, shadow } of actors) {
          const lift = height ? 4 * t * (1 - t) : 0;
          const [x, y] = [start.x + path.x * t, start.y + path.y * t];
          move(g, x, y - lift * height, 1 + 0.14 * lift);
          if (shadow) move(shadow, x + 3 * lift, y + 5 * lift, 1 - 0.1 * lift);
        }
      },
      end() {
        for (const { twin, shadow } of actors) (twin ?? shadow)?.remove();
      },
    };
  }

  function mark(name, cells) {
    for (const g of svg.querySelectorAll(`.${name}`)) g.classList.remove(name);
    for (const cell of cells) standing[cell]?.classList.add(name);
  }

  // Shakes the tile in a cell, or the whole board where it is no tile's fault.
  function refuse(cell) {
    const element = standing[cell] ?? svg;
    element.classList.add("refused");
    element.addEventListener("animationend", () => element.classList.remove("refused"), {
      once: true,
    });
  }

  // Where a pointer is, in cells from the upper left corner of the first.
  function locate(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(svg.getScreenCTM().inverse());
    return { x: (x - margin) / pitch, y: (y - margin) / pitch };
  }

  return { settle, begin, carry, mark, refuse, locate };
}
