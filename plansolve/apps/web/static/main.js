// The page: the form above, the search below.
import { makeEditor } from "./editor.js";
import { makeSearch } from "./search.js";
import { Failure } from "./server.js";

const search = makeSearch();
const editor = makeEditor(search.compare);
let isAsking = false;

async function solve() {
  if (search.isRunning() || isAsking) return;
  isAsking = true;
  try {
    if (await editor.isReady()) {
      const wrong = await search.solve(editor.posed());
      if (wrong) editor.showError(wrong);
    } else editor.goToError();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    editor.showError(error);
  } finally {
    isAsking = false;
  }
}

document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  solve();
});
document.getElementById("board").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    solve();
  }
});
