// The page: a plan to watch, a game to play, and the controls of both.
const PACE = 620; // milliseconds from move to move at speed 1
const MOTION = 300; // milliseconds that a tile takes to a neighbour
const FLIGHT = 450;
const LINK_DELAY = 400; // browsers refuse to have the address changed more often

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const svg = document.querySelector("#stage > svg");
const rules = makeRules(data);
const board = makeBoard(svg, data);
const game = makeGame(rules, board, data);
const arrows = makeArrows(byId("stage"), byId("keys"), rules, data, press);
byId("stage").style.setProperty("--columns", data.layout?.width ?? data.columns);
byId("stage").style.setProperty("--rows", data.layout?.height ?? data.rows);

// The plan as moves, the boards it goes through, and the last step at which each is reached.
const planMoves = [];
const planStates = [data.start];
for (const group of data.plan ?? []) {
  const move = rules.find(group, planStates.at(-1));
  planMoves.push(move);
  planStates.push(rules.apply(move, planStates.at(-1)));
}
const planSteps = new Map(planStates.map((state, step) => [rules.key(state), step]));
const target = data.optimum ?? (rules.isGoal(planStates.at(-1)) ? data.plan?.length : null);

const plural = (count) => `${count} move${count === 1 ? "" : "s"}`;
const isWatching = () => document.body.dataset.mode === "watch";
const speed = () => Number(byId("speed").value);

function motionTime(move) {
  const longest = move.moves.some((m) => m.kind === "fly") ? FLIGHT : MOTION;
  return isRunning() ? Math.min(longest, (0.7 * PACE) / speed()) : longest;
}

function say(text) {
  byId("live").textContent = text;
}

function tell(text) {
  byId("message").textContent = text;
  say(text);
}

// ---- Watching

let step = 0;
let timer = null;
const isRunning = () => timer !== null;

const moveButtons = planMoves.map((move, index) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = move.name;
  const what = rules.describe(move, planStates[index]);
  button.setAttribute("aria-label", `Move ${index + 1}: ${move.name}, ${what}`);
  button.title = what;
  button.addEventListener("click", () => {
    stop();
    jump(index + 1);
  });
  return button;
});
const longestName = Math.max(1, ...rules.groups.map((group) => group.name.length));
byId("moves").style.setProperty("--letters", Math.min(longestName, 12));
for (let i = 0; i < moveButtons.length; i += 5) {
  const line = document.createElement("li");
  line.value = i + 1;
  line.append(...moveButtons.slice(i, i + 5));
  byId("moves").append(line);
}

function stepText() {
  const isSolved = rules.isGoal(game.state);
  if (step === 0) return isSolved ? "The board is the goal" : "The first board";
  const what = rules.describe(planMoves[step - 1], planStates[step - 1]);
  return `${planMoves[step - 1].name}: ${what}${isSolved ? ". Solved." : ""}`;
}

function showStep() {
  byId("step").value = step;
  byId("step").setAttribute("aria-valuetext", `${step} of ${planMoves.length}`);
  byId("count").textContent = `${step} / ${planMoves.length}`;
  byId("message").textContent = stepText();
  if (!isRunning()) say(`Step ${step} of ${planMoves.length}. ${stepText()}`);
  moveButtons.forEach((button, index) => {
    button.classList.toggle("made", index < step);
    if (index === step - 1) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  showCurrent();
  // Not `disabled`, which would take the focus away from a user who presses the key again.
  const ends = { first: 0, back: 0, forward: planMoves.length, last: planMoves.length };
  for (const [id, end] of Object.entries(ends)) {
    byId(id).setAttribute("aria-disabled", String(step === end));
  }
  showBoard();
  link();
}

// The list is scrolled, and never the page.
function showCurrent() {
  const list = byId("moves");
  const button = moveButtons[Math.max(0, step - 1)];
  if (!button) return;
  const above = button.offsetTop - list.clientHeight / 2;
  if (Math.abs(above - list.scrollTop) > list.clientHeight / 4) list.scrollTop = above;
}

function showBoard() {
  const solved = rules.isGoal(game.state);
  svg.classList.toggle("solved", solved);
  arrows.update(game.state);
  arrows.hint(null);
  board.mark("hint", []);
  if (!isRunning()) svg.setAttribute("aria-label", `Board: ${rules.boardText(game.state)}`);
}

let linking = null;
function link() {
  linking ??= setTimeout(() => {
    linking = null;
    if (isWatching() && location.protocol !== "about:") {
      history.replaceState(null, "", `#step=${step}`);
    }
  }, LINK_DELAY);
}

function linkedStep() {
  const found = /^#step=(\d{1,7})$/.exec(location.hash);
  return found ? Math.min(Number(found[1]), planMoves.length) : null;
}

function jump(to) {
  step = Math.max(0, Math.min(planMoves.length, to));
  game.show([...planStates[step]], planMoves[step - 1]);
  showStep();
}

function forward() {
  if (step === planMoves.length) return;
  step += 1;
  game.make(planMoves[step - 1], motionTime(planMoves[step - 1]));
  showStep();
}

function back() {
  if (step === 0) return;
  step -= 1;
  game.takeBack(planMoves[step], motionTime(planMoves[step]), planMoves[step - 1]);
  showStep();
}

function start() {
  if (step === planMoves.length) jump(0);
  if (planMoves.length === 0) return;
  timer = setTimeout(tick, PACE / speed() / 2);
  showRunning();
}

function tick() {
  timer = setTimeout(tick, PACE / speed());
  forward();
  if (step === planMoves.length) stop();
}

function stop() {
  if (!isRunning()) return;
  clearTimeout(timer);
  timer = null;
  showRunning();
  showStep();
}

function showRunning() {
  byId("run").classList.toggle("running", isRunning());
  byId("run").setAttribute("aria-label", isRunning() ? "Pause" : "Play");
}

// ---- Playing

let played = [];
let hasPlayed = false;

function boardAfter(moves) {
  return moves.reduce((state, move) => rules.apply(move, state), [...data.start]);
}

function play(move, held = null) {
  const what = rules.describe(move, game.state);
  if (isWatching()) takeOver();
  played.push(move);
  game.make(move, held ? 120 : motionTime(move), held);
  tell(`${move.name}: ${what}`);
  showGame();
}

// A user who touches the board while the plan is shown plays on from that step.
function takeOver() {
  stop();
  played = planMoves.slice(0, step);
  hasPlayed = true;
  setMode("play");
}

function press(group) {
  const move = rules.find(group, game.state);
  if (move) play(move);
  else refuse(rules.groups[group].name);
}

function refuse(name) {
  board.refuse();
  tell(`${name} cannot be made here`);
}

function refuseTile(cell, isClickedLine) {
  if (isClickedLine) return tell(`Drag the tile, or ${arrows.pressed}`);
  board.refuse(cell);
  const tile = game.state[cell];
  return tell(
    tile ? `Tile ${data.labels[tile]} cannot make that move` : "That is the gap: move a tile into it",
  );
}

function undo() {
  if (played.length === 0) return tell("There is nothing to undo");
  const move = played.pop();
  game.takeBack(move, 160, played.at(-1));
  tell(`Undone: ${move.name}`);
  return showGame();
}

function reset() {
  played = [];
  game.show([...data.start], null);
  tell("The first board");
  showGame();
}

function nextOfPlan() {
  const at = planSteps.get(rules.key(game.state));
  return at === undefined ? null : (planMoves[at] ?? null);
}

function hint() {
  if (!data.plan) return;
  const move = nextOfPlan();
  if (rules.isGoal(game.state)) tell("The board is solved");
  else if (!planSteps.has(rules.key(game.state))) tell("Off the plan: go back to the plan for a hint");
  else if (!move) tell("The plan ends here");
  else {
    showGame();
    board.mark("hint", move.moves.map((m) => m.from));
    arrows.hint(move.group);
    tell(`Hint: ${move.name}, ${rules.describe(move, game.state)}`);
  }
}

// The last board on the plan among those of the game; the first board is one.
function returnToPlan() {
  let state = game.state;
  while (!planSteps.has(rules.key(state))) state = rules.apply(rules.inverse(played.pop()), state);
  game.show([...state], played.at(-1));
  tell(`Back on the plan at step ${planSteps.get(rules.key(state))}`);
  showGame();
}

function showGame() {
  showBoard();
  const key = rules.key(game.state);
  const count = played.length;
  byId("made").textContent = count;
  const suffice = `${target} suffice${target === 1 ? "s" : ""}`;
  const best = data.optimum === null ? `the plan has ${target}` : suffice;
  byId("made-of").textContent = `move${count === 1 ? "" : "s"}${target == null ? "" : `; ${best}`}`;
  const isOff = data.plan && !planSteps.has(key);
  byId("return").hidden = !isOff;
  byId("hint").hidden = !data.plan || isOff;
  byId("undo").setAttribute("aria-disabled", String(count === 0));
  if (rules.isGoal(game.state)) {
    const praise = count > 0 && count === data.optimum ? ", optimal" : "";
    byId("standing").textContent = `Solved in ${plural(count)}${praise}.`;
    if (count) tell(byId("standing").textContent);
  } else if (data.plan) {
    byId("standing").textContent = isOff ? "Off the plan." : "On the plan.";
  } else {
    byId("standing").textContent = "";
  }
}

// An arrow key moves the tile that goes that way into the gap.
function slide(dx, dy) {
  const move = rules.slid(dx, dy, game.state);
  if (move) play(move);
  else {
    board.refuse();
    tell("No tile can move that way");
  }
}

// ---- Modes and keys

function setMode(mode) {
  document.body.dataset.mode = mode;
  byId("to-watch").setAttribute("aria-pressed", String(mode === "watch"));
  byId("to-play").setAttribute("aria-pressed", String(mode === "play"));
}

function watch() {
  if (isWatching()) return;
  setMode("watch");
  jump(planSteps.get(rules.key(game.state)) ?? step);
}

function playOn() {
  if (!isWatching() && hasPlayed) return;
  stop();
  setMode("play");
  if (!hasPlayed) played = [];
  hasPlayed = true;
  game.show(boardAfter(played), played.at(-1));
  tell(played.length ? "Your game" : "Your turn");
  showGame();
}

const canSlide = rules.groups.some((group) => group.isPointed);
const watchKeys = {
  ArrowLeft: () => (stop(), back()),
  ArrowRight: () => (stop(), forward()),
  Home: () => (stop(), jump(0)),
  End: () => (stop(), jump(planMoves.length)),
  " ": () => (isRunning() ? stop() : start()),
};
const playKeys = {
  ...(canSlide && {
    ArrowLeft: () => slide(-1, 0),
    ArrowRight: () => slide(1, 0),
    ArrowUp: () => slide(0, -1),
    ArrowDown: () => slide(0, 1),
  }),
  z: undo,
  Backspace: undo,
  h: hint,
};

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const on = event.target;
  // A control that has the focus keeps the keys that it knows itself.
  if (on.matches("select") || (on.matches("button") && event.key === " ")) return;
  const act = (isWatching() ? watchKeys : playKeys)[event.key];
  if (!act || (event.repeat && event.key === " ")) return;
  event.preventDefault();
  act();
});

const clicks = {
  "to-watch": watch,
  "to-play": playOn,
  first: watchKeys.Home,
  back: watchKeys.ArrowLeft,
  run: watchKeys[" "],
  forward: watchKeys.ArrowRight,
  last: watchKeys.End,
  undo,
  reset,
  hint,
  return: returnToPlan,
};
for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
byId("step").max = planMoves.length;
byId("step").addEventListener("input", (event) => {
  const to = Number(event.target.value);
  stop();
  jump(to);
});
addEventListener("hashchange", () => {
  const to = linkedStep();
  if (to === null || !data.plan) return;
  stop();
  setMode("watch");
  jump(to);
});
makeHand(svg, rules, board, game, data, { made: play, refused: refuseTile });

byId("hint-key").hidden = !data.plan;
byId("how").textContent = canSlide
  ? "Click or drag a tile, or use the arrow keys."
  : `Drag a tile, or ${arrows.pressed}.`;
document.querySelector(".modes").hidden = !data.plan;
setMode(data.plan ? "watch" : "play");
if (data.plan) jump(linkedStep() ?? 0);
else playOn();
