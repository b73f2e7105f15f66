// Moves by pointer: a tile is clicked, or dragged along the way that a move would take it.
function makeHand(svg, rules, board, game, { rows, columns, layout }, { made, refused }) {
  const ENOUGH = 0.38; // of the way: from there on a tile that is let go moves on
  const STILL = 0.12; // of a cell: what is less is a click
  let drag = null;

  const isIn = (x, y, width, height) => x >= 0 && y >= 0 && x < width && y < height;
  function cellAt({ x, y }) {
    if (!layout) return isIn(x, y, columns, rows) ? Math.floor(y) * columns + Math.floor(x) : null;
    let [best, nearest] = [null, Infinity];
    layout.positions.forEach(([left, upper], cell) => {
      const distance = Math.hypot(x - left - 0.5, y - upper - 0.5);
      if (layout.holes.includes(cell) || !isIn(x - left, y - upper, 1, 1)) return;
      if (distance < nearest) [best, nearest] = [cell, distance];
    });
    return best;
  }

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || drag) return;
    const origin = board.locate(event);
    const cell = cellAt(origin);
    if (cell === null) return;
    event.preventDefault();
    game.finish();
    svg.setPointerCapture(event.pointerId);
    drag = { id: event.pointerId, origin, cell, held: null, moved: false, far: false };
  });

  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.id) return;
    const { x, y } = board.locate(event);
    follow(x - drag.origin.x, y - drag.origin.y);
  });

  svg.addEventListener("pointerup", (event) => {
    if (event.pointerId !== drag?.id) return;
    forgetOld();
    const { held, cell, moved, far } = drag;
    drag = null;
    if (held && held.time >= ENOUGH) return made(held.move, held);
    if (held) return game.release(held, 140);
    if (moved) return undefined;
    const move = far ? null : rules.pointed(cell, game.state);
    if (move) return made(move, null);
    // A tile that can only be dragged, since a click would not tell which of its lines turns.
    const carries = (move) => move.moves.some((m) => m.from === cell);
    return refused(cell, !far && rules.possible(game.state).some(carries));
  });

  for (const name of ["pointercancel", "lostpointercapture"]) {
    svg.addEventListener(name, (event) => {
      if (event.pointerId !== drag?.id) return;
      drag = null;
      game.finish();
    });
  }

  // Something else, a key perhaps, has moved the board meanwhile.
  function forgetOld() {
    if (drag.held?.isOver) Object.assign(drag, { held: null, moved: true });
  }

  function follow(dx, dy) {
    forgetOld();
    drag.far ||= Math.hypot(dx, dy) > STILL;
    if (!drag.far) return;
    const move = rules.along(drag.cell, dx, dy, game.state);
    if (drag.held?.move !== move) {
      game.finish();
      drag.held = move && game.hold(move);
    }
    if (!move) return;
    const motion = move.moves.find((m) => m.from === drag.cell);
    const square = motion.dx ** 2 + motion.dy ** 2;
    const time = (dx * motion.dx + dy * motion.dy) / square;
    drag.held.time = Math.max(0, Math.min(1, time));
    drag.held.pictures.frame(drag.held.time);
    if (time < 1) return;
    // The whole way is made: the finger goes on from the tile's new cell.
    const { held } = drag;
    drag.origin = { x: drag.origin.x + motion.dx, y: drag.origin.y + motion.dy };
    Object.assign(drag, { held: null, cell: motion.to, moved: true });
    made(move, held);
  }
}
