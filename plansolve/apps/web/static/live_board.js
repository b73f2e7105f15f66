// The board of the form: the replay page's own board, to be moved by hand.
import { makeArrows, makeBoard, makeGame, makeHand, makeRules } from "./replay.js";

const MOTION = 200; // milliseconds that a tile takes
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// `moved` hears the name of each move that is made, `told` why one cannot be made.
export function makeLiveBoard(stage, list, { moved, told }) {
  let shown = null;

  function show(picture, data) {
    const parsed = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
    const svg = document.importNode(parsed, true);
    stage.replaceChildren(svg);
    list.replaceChildren();
    stage.style.setProperty("--columns", data.layout?.width ?? data.columns);
    stage.style.setProperty("--rows", data.layout?.height ?? data.rows);
    const rules = makeRules(data);
    const board = makeBoard(svg, data);
    const game = makeGame(rules, board, data);
    const arrows = makeArrows(stage, list, rules, data, press);
    const canSlide = rules.groups.some((group) => group.isPointed);
    // Who can click the tiles, or slide them by the arrow keys, needs no buttons for that.
    list.hidden ||= rules.groups.every((group) => group.isPointed);
    makeHand(svg, rules, board, game, data, { made: play, refused });
    shown = { rules, board, game, play, canSlide };
    update();

    function update() {
      arrows.update(game.state);
      svg.classList.toggle("solved", rules.isGoal(game.state));
      const words = (data.rows * data.columns < 100 && rules.boardText(game.state)) || "a large board";
      svg.setAttribute("aria-label", `Board: ${words}`);
    }

    function play(move, held = null) {
      game.make(move, held ? MOTION / 2 : MOTION, held);
      update();
      moved(move.name);
    }

    function press(group) {
      const move = rules.find(group, game.state);
      if (move) return play(move);
      board.refuse();
      return told(`${rules.groups[group].name} cannot be made here`);
    }

    function refused(cell, isClickedLine) {
      if (isClickedLine) return told(`Drag the tile, or ${arrows.pressed}`);
      return board.refuse(cell);
    }
  }

  stage.addEventListener("keydown", (event) => {
    if (!shown?.canSlide || !KEYS[event.key] || event.target !== stage) return;
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const move = shown.rules.slid(...KEYS[event.key], shown.game.state);
    if (move) shown.play(move);
    else shown.board.refuse();
  });

  return { show };
}
