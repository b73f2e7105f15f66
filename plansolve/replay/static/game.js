// The board that is shown, and the moves that led to it, whether from the plan or by hand.
//
// What stands where changes at once; the pictures follow. So whatever comes next, a key, a click
// or the next move of the plan, never has to wait for them.
function makeGame(rules, board, data) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let state = [...data.start];
  let running = null;
  let holding = null;

  // Whatever moves, or is held by the pointer, goes where it belongs.
  function finish() {
    if (!running && !holding) return;
    if (running) cancelAnimationFrame(running.request);
    (running ?? holding).pictures.end();
    if (holding) holding.isOver = true;
    running = holding = null;
    board.settle(state);
  }

  // Brings pictures from the time `from` to 1 or back to 0, in the given milliseconds.
  function run(pictures, from, to, milliseconds) {
    running = { pictures };
    if (calm.matches || milliseconds <= 0) return finish();
    let begun = null;
    const tick = (now) => {
      begun ??= now;
      const passed = Math.min(1, (now - begun) / milliseconds);
      const eased = passed < 0.5 ? 2 * passed ** 2 : 1 - 2 * (1 - passed) ** 2;
      pictures.frame(from + (to - from) * eased);
      if (passed === 1) return finish();
      running.request = requestAnimationFrame(tick);
    };
    pictures.frame(from);
    running.request = requestAnimationFrame(tick);
    return undefined;
  }

  function make(move, milliseconds, held = null) {
    if (!held) finish();
    holding = null;
    const pictures = held?.pictures ?? board.begin(move);
    state = rules.apply(move, state);
    board.carry(move);
    board.mark("last", move.moves.map((m) => m.to));
    run(pictures, held?.time ?? 0, 1, milliseconds);
  }

  return {
    get state() {
      return state;
    },
    finish,
    make,
    takeBack(move, milliseconds, before) {
      make(rules.inverse(move), milliseconds);
      markLast(before);
    },
    // Without pictures: a jump.
    show(next, last) {
      finish();
      state = next;
      board.settle(state);
      markLast(last);
    },
    hold(move) {
      finish();
      holding = { move, pictures: board.begin(move), time: 0, isOver: false };
      return holding;
    },
    release(held, milliseconds) {
      holding = null;
      run(held.pictures, held.time, 0, milliseconds);
    },
  };

  function markLast(move) {
    board.mark("last", move ? move.moves.map((m) => m.to) : []);
  }
}
