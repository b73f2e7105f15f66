// What the data say about the moves. No puzzle is known by its name.
//
// A move is {group, name, blank, needs, moves, shape}: it can be made while a piece of the kind is in
// the cell for each pair [cell, kind] of `needs`; `blank` is the cell of its only gap. Each of its `moves` is {from, to, dx, dy, kind}:
// how far the content of a cell goes, in cells, and whether it slides to a neighbour, turns with
// a whole line that leaves the board on one side and comes back on the other, or flies.
function makeRules({ rows, columns, goal, operators, labels, layout }) {
  const rowOf = (cell) => Math.floor(cell / columns);
  const columnOf = (cell) => cell % columns;
  const key = (state) => state.join(" ");
  // In a cell that a goal leaves open, below 0, anything may stand.
  const isGoal = (state) => goal.every((kind, cell) => kind < 0 || kind === state[cell]);
  const position = (cell) => layout?.positions[cell] ?? [columnOf(cell), rowOf(cell)];
  const joined = new Set(layout?.edges.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));

  // Of the lines whose cells all change places among themselves by one shift: line -> shift.
  function turningLines(pairs, lineOf, placeOf, length) {
    const inLine = new Map();
    for (const [from, to] of pairs) {
      if (lineOf(from) !== lineOf(to)) continue;
      const shift = (placeOf(to) - placeOf(from) + length) % length;
      inLine.set(lineOf(from), [...(inLine.get(lineOf(from)) ?? []), shift]);
    }
    const turning = new Map();
    if (layout) return turning; // its lines do not come back on the other side
    for (const [line, shifts] of inLine) {
      const first = shifts[0];
      if (length < 3 || shifts.length < length || shifts.some((s) => s !== first)) continue;
      turning.set(line, first <= length / 2 ? first : first - length);
    }
    return turning;
  }

  function motions(pairs) {
    const turningRows = turningLines(pairs, rowOf, columnOf, columns);
    const turningColumns = turningLines(pairs, columnOf, rowOf, rows);
    const moves = pairs.map(([from, to]) => {
      if (rowOf(from) === rowOf(to) && turningRows.has(rowOf(from))) {
        return { from, to, dx: turningRows.get(rowOf(from)), dy: 0, kind: "turn" };
      }
      if (columnOf(from) === columnOf(to) && turningColumns.has(columnOf(from))) {
        return { from, to, dx: 0, dy: turningColumns.get(columnOf(from)), kind: "turn" };
      }
      const [dx, dy] = [0, 1].map((axis) => position(to)[axis] - position(from)[axis]);
      const isNear = Math.max(Math.abs(dx), Math.abs(dy)) <= 1 || joined.has(`${from} ${to}`);
      const kind = isNear ? "slide" : "fly";
      return { from, to, dx, dy, kind };
    });
    return { moves, shape: shapeOf(moves, turningRows, turningColumns) };
  }

  // A whole row or column, or a ring of neighbours; null for anything else.
  function shapeOf(moves, turningRows, turningColumns) {
    const all = (lines) => lines.size === 1 && moves.every((m) => m.kind === "turn");
    if (all(turningRows) && moves.length === columns) {
      const [line, shift] = [...turningRows][0];
      return { kind: "row", line, shift };
    }
    if (all(turningColumns) && moves.length === rows) {
      const [line, shift] = [...turningColumns][0];
      return { kind: "column", line, shift };
    }
    return ringOf(moves);
  }

  function ringOf(moves) {
    const next = new Map(moves.map((m) => [m.from, m]));
    const isStraight = (m) => layout || m.dx * m.dy === 0;
    if (moves.length < 4 || moves.some((m) => m.kind !== "slide" || !isStraight(m))) return null;
    let cell = moves[0].from;
    let area = 0;
    for (let i = 0; i < moves.length; i++) {
      const { to, dy } = next.get(cell);
      area += position(cell)[0] * dy;
      cell = to;
      if (cell === moves[0].from && i < moves.length - 1) return null;
    }
    return area === 0 ? null : { kind: "ring", clockwise: area > 0, cells: moves.length };
  }

  const groups = operators.map(([name, grounds], group) => ({
    name,
    group,
    moves: grounds.map(([need, ...cycles]) => {
      const needs = Array.isArray(need) ? need : need === null ? [] : [[need, 0]];
      const blank = Array.isArray(need) ? null : need;
      const pairs = cycles.flatMap((c) => c.map((from, i) => [from, c[(i + 1) % c.length]]));
      return { group, name, blank, needs, ...motions(pairs) };
    }),
  }));
  for (const group of groups) {
    // Where the blank changes places, people point at the cell that it goes to.
    group.isPointed = group.moves.every((m) => m.blank !== null && blankGoal(m) !== undefined);
  }

  function blankGoal(move) {
    return move.moves.find((m) => m.from === move.blank)?.to;
  }

  function find(group, state) {
    const applies = (m) => m.needs.every(([cell, kind]) => state[cell] === kind);
    return groups[group].moves.find(applies) ?? null;
  }

  function apply(move, state) {
    const after = [...state];
    for (const { from, to } of move.moves) after[to] = state[from];
    return after;
  }

  function inverse(move) {
    const moves = move.moves.map((m) => ({ ...m, from: m.to, to: m.from, dx: -m.dx, dy: -m.dy }));
    return { ...move, moves };
  }

  const possible = (state) => groups.map((g) => find(g.group, state)).filter(Boolean);
  const pointed = (cell, state) =>
    state[cell] === 0
      ? null
      : (possible(state).find((m) => groups[m.group].isPointed && blankGoal(m) === cell) ?? null);

  // The move that takes the content of a cell furthest along (dx, dy), given in any unit.
  function along(cell, dx, dy, state) {
    let best = null;
    let most = 0.7;
    for (const move of possible(state)) {
      const motion = move.moves.find((m) => m.from === cell);
      if (!motion) continue;
      const length = Math.hypot(motion.dx, motion.dy) * Math.hypot(dx, dy);
      const cosine = (motion.dx * dx + motion.dy * dy) / (length || 1);
      if (cosine > most + 1e-6) [best, most] = [move, cosine];
    }
    return best;
  }

  // The move that brings one tile that way into the gap, as an arrow key asks for it.
  function slid(dx, dy, state) {
    const fits = (m) => Math.sign(m.dx) === dx && Math.sign(m.dy) === dy;
    const slides = (move) => {
      const tiles = move.moves.filter((m) => state[m.from] !== 0);
      return tiles.length === 1 && tiles[0].kind === "slide" && fits(tiles[0]);
    };
    return possible(state).find((m) => groups[m.group].isPointed && slides(m)) ?? null;
  }

  const place = (cell) =>
    layout ? `cell ${cell}` : `row ${rowOf(cell) + 1} column ${columnOf(cell) + 1}`;
  const way = (dx, dy) =>
    [dy < 0 ? "up" : dy > 0 ? "down" : "", dx < 0 ? "left" : dx > 0 ? "right" : ""]
      .filter(Boolean)
      .join(" and ");

  function describe(move, state) {
    const { shape } = move;
    if (shape?.kind === "ring") {
      return `the ring of ${shape.cells} tiles turns ${shape.clockwise ? "" : "counter"}clockwise`;
    }
    if (shape) {
      const ways = shape.kind === "row" ? way(shape.shift, 0) : way(0, shape.shift);
      const far = Math.abs(shape.shift) > 1 ? ` by ${Math.abs(shape.shift)}` : "";
      return `${shape.kind} ${shape.line + 1} turns ${ways}${far}`;
    }
    const moved = move.moves.filter((m) => state[m.from] !== 0);
    if (moved.length === 0) return "no tile moves";
    if (moved.length > 1) {
      const ways = new Set(moved.map((m) => way(Math.sign(m.dx), Math.sign(m.dy))));
      return `${moved.length} tiles move${ways.size === 1 ? ` ${[...ways][0]}` : ""}`;
    }
    const [{ from, to, dx, dy, kind }] = moved;
    const tile = `tile ${labels[state[from]]}`;
    return kind === "fly" ? `${tile} jumps to ${place(to)}` : `${tile} moves ${way(dx, dy)}`;
  }

  function boardText(state) {
    const lines = [];
    for (let r = 0; r < rows; r++) {
      const row = state.slice(r * columns, (r + 1) * columns);
      lines.push(`row ${r + 1}: ${row.map((t) => (t ? labels[t] : "gap")).join(" ")}`);
    }
    return lines.join("; ");
  }

  return { groups, key, isGoal, find, apply, inverse, possible, pointed, along, slid, describe, boardText, place };
}
