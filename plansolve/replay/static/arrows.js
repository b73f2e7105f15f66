// Buttons for the moves that nobody can point at: beside the lines and at the corners of rings.
//
// Moves that have no place there, and all the moves that can also be made by pointing at a tile,
// are buttons in a list, so that every move can be reached with the keyboard.
function makeArrows(stage, list, rules, { rows, columns, layout }, press) {
  const taken = new Set();
  const buttons = rules.groups.map((group) => {
    const slot = group.isPointed ? null : slotOf(group.moves);
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.move = group.name;
    if (slot) {
      taken.add(slot.key);
      button.className = `arrow ${slot.side}`;
      button.style.setProperty("--at", slot.at);
      button.append(glyph(slot));
      if (slot.isRing) button.append(group.name);
      button.setAttribute("aria-label", `${group.name}: ${rules.describe(group.moves[0], [])}`);
      stage.append(button);
    } else {
      button.textContent = group.name;
      list.append(button);
    }
    button.addEventListener("click", () => press(group.group));
    return button;
  });
  stage.classList.toggle("has-rows", [...taken].some((key) => /^(left|right)/.test(key)));
  stage.classList.toggle("has-columns", [...taken].some((key) => /^(top|bottom)/.test(key)));
  stage.classList.toggle("has-rings", [...taken].some((key) => key.startsWith("ring")));
  list.hidden = list.childElementCount === 0;

  function slotOf([move, ...others]) {
    const { shape } = move;
    if (!shape || others.length || layout) return null;
    const free = (key) => !taken.has(key);
    if (shape.kind === "ring") {
      const corners = shape.clockwise ? ["top-right", "bottom-right"] : ["top-left", "bottom-left"];
      const corner = corners.find((name) => free(`ring ${name}`));
      const way = shape.clockwise;
      return corner ? { key: `ring ${corner}`, side: corner, at: 0, isRing: true, way } : null;
    }
    const forward = shape.shift > 0;
    const isRow = shape.kind === "row";
    const side = isRow ? (forward ? "right" : "left") : forward ? "bottom" : "top";
    const key = `${side} ${shape.line}`;
    return free(key) ? { key, side, at: (shape.line + 0.5) / (isRow ? rows : columns) } : null;
  }

  function glyph({ side, isRing, way }) {
    const paths = {
      left: "M14 6 8 12l6 6",
      right: "M10 6l6 6-6 6",
      top: "M6 14l6-6 6 6",
      bottom: "M6 10l6 6 6-6",
    };
    const turn = "M19 12a7 7 0 1 1-2.2-5.1M17.4 2.8v4.4H13";
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", "0 0 24 24");
    picture.setAttribute("aria-hidden", "true");
    if (isRing && !way) picture.classList.add("mirrored");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", isRing ? turn : paths[side]);
    picture.append(path);
    return picture;
  }

  return {
    buttons,
    // What to press for a move that is no tile's own: said in a hint.
    pressed: taken.size ? "press an arrow beside the board" : "press the button of a move",
    // What can be done now; a button that cannot is still there, and says so when pressed.
    update(state) {
      for (const group of rules.groups) {
        const possible = rules.find(group.group, state);
        const button = buttons[group.group];
        button.setAttribute("aria-disabled", String(!possible));
        if (button.classList.contains("arrow")) continue;
        const what = possible ? rules.describe(possible, state) : "not possible now";
        button.setAttribute("aria-label", `${group.name}: ${what}`);
        button.title = what;
      }
    },
    hint(group) {
      buttons.forEach((button, index) => button.classList.toggle("hint", index === group));
    },
  };
}
