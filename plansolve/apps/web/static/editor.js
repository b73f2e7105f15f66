// The form: the board's text, its picture while it is typed, and what is wrong with it.
import { makeLiveBoard } from "./live_board.js";
import { ask, Failure } from "./server.js";

const PAUSE = 250; // milliseconds without a key until the board is looked at
const FIELDS = {
  board: ["board"],
  puzzle: ["puzzle", "rules"],
  goal: ["goal", "goal-board"],
  format: ["format"],
  size: ["rows", "columns"],
  moves: ["distance"],
  form: [],
};
const byId = (id) => document.getElementById(id);

// `changed` hears what the form poses whenever that may have become something else.
export function makeEditor(changed) {
  let asked = 0;
  let waiting = null;
  let making = Promise.resolve(); // a new board on its way
  let moves = []; // made by hand since the board's text was written
  let isTyped = false; // since the last look
  const live = makeLiveBoard(byId("stage"), byId("keys"), {
    moved(name) {
      moves.push(name);
      look();
    },
    told: (text) => (byId("what").textContent = text),
  });

  const puzzle = () => (byId("puzzle").value === "*" ? byId("rules").value : byId("puzzle").value);
  const goal = () => (byId("goal").value === "*" ? byId("goal-board").value : byId("goal").value);

  function posed() {
    return {
      board: byId("board").value,
      puzzle: puzzle().trim(),
      goal: goal(),
      format: byId("format").value,
      aim: byId("aim").value,
      moves: [...moves],
    };
  }

  function clearErrors() {
    for (const [field, ids] of Object.entries(FIELDS)) {
      byId(`${field}-error`).hidden = true;
      for (const id of ids) byId(id).removeAttribute("aria-invalid");
    }
  }

  function showError({ message, field = "form", line = null }) {
    clearErrors();
    const known = FIELDS[field] ? field : "form";
    const place = byId(`${known}-error`);
    place.textContent = message;
    place.hidden = false;
    for (const id of FIELDS[known]) byId(id).setAttribute("aria-invalid", "true");
    if (place.closest("details")) byId("more").open = true;
    const text = { board: byId("board"), goal: byId("goal-board") }[known];
    if (line !== null && text) place.append(" ", lineButton(text, line));
  }

  function lineButton(text, line) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Show line ${line}`;
    button.addEventListener("click", () => selectLine(text, line));
    return button;
  }

  function selectLine(text, line) {
    const lines = text.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  }

  // Whether the board in the form can be solved; one that is on its way is waited for.
  async function isReady() {
    await making;
    return look();
  }

  // Looks at the board; whether it can be solved. A later look makes an earlier one void.
  async function look() {
    clearTimeout(waiting);
    const question = posed();
    const number = ++asked;
    changed(posed());
    if (question.board.trim() === "") {
      stale({ field: "board", message: "Type or paste a board, or take a new one." });
      return false;
    }
    try {
      const answer = await ask("/api/board", question);
      if (number !== asked) return false;
      if (answer.error) {
        stale(answer.error);
        return false;
      }
      clearErrors();
      byId("what").textContent = answer.what;
      if (!question.goal) byId("goal").options[0].textContent = `by default: ${answer.goal}`;
      byId("preview").classList.remove("stale");
      byId("stage").inert = false;
      if (question.moves.length) written(answer.board);
      else live.show(answer.picture, answer.data);
      if (isTyped) for (const side of ["rows", "columns"]) byId(side).value = answer[side];
      isTyped = false;
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (number === asked) showError(error);
      return false;
    }
  }

  // The text follows the moves that were made by hand.
  function written(text) {
    moves = [];
    byId("board").value = text;
    fit();
    changed(posed());
  }

  function stale(error) {
    byId("preview").classList.add("stale");
    byId("stage").inert = true;
    byId("what").textContent = "";
    showError(error);
  }

  // Until the text that is being typed has been looked at, no move is made on the board before it.
  function lookSoon() {
    moves = [];
    isTyped = true;
    byId("stage").inert = true;
    changed(posed());
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE);
  }

  const number = (id) => (byId(id).value.trim() === "" ? null : Number(byId(id).value));

  function scramble() {
    making = newBoard();
  }

  async function newBoard() {
    const buttons = [...document.querySelectorAll(".chips button"), byId("scramble")];
    for (const button of buttons) button.setAttribute("aria-busy", "true");
    try {
      const answer = await ask("/api/scramble", {
        puzzle: puzzle().trim(),
        goal: goal(),
        rows: number("rows"),
        columns: number("columns"),
        moves: number("distance"),
      });
      if (answer.error) showError(answer.error);
      else {
        moves = [];
        byId("board").value = answer.board;
        byId("format").value = "";
        fit();
        await look();
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      showError(error);
    } finally {
      for (const button of buttons) button.removeAttribute("aria-busy");
    }
  }

  function fit() {
    const lines = byId("board").value.trimEnd().split("\n").length;
    byId("board").rows = Math.min(12, Math.max(5, lines));
  }

  function choose() {
    byId("rules-field").hidden = byId("puzzle").value !== "*";
    byId("goal-field").hidden = byId("goal").value !== "*";
  }

  for (const button of document.querySelectorAll(".chips button")) {
    button.addEventListener("click", () => {
      const { puzzle: name, rules, rows, columns, moves } = button.dataset;
      byId("puzzle").value = rules ? "*" : name;
      byId("rules").value = rules ?? "";
      byId("goal").value = "";
      byId("rows").value = rows;
      byId("columns").value = columns;
      byId("distance").value = moves ?? "";
      choose();
      scramble();
    });
  }
  byId("scramble").addEventListener("click", scramble);
  for (const id of ["board", "goal-board", "rules"]) byId(id).addEventListener("input", lookSoon);
  byId("board").addEventListener("paste", () => setTimeout(fit));
  for (const id of ["puzzle", "goal", "format"]) {
    byId(id).addEventListener("change", () => {
      choose();
      look();
    });
  }

  // Brings the place that is wrong into sight, and the keyboard to it.
  function goToError() {
    const show = document.querySelector(".error:not([hidden]) button");
    if (show) show.click();
    else (document.querySelector("[aria-invalid]") ?? byId("board")).focus();
  }

  choose();
  fit();
  if (byId("board").value) look();
  return { posed, isReady, showError, goToError };
}
