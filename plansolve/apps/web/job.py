"""The child process that solves or makes one board: `python -c "...; main()"`, see `child`.

It reads one JSON object, the order, from the first line of standard input, and answers with one
JSON object a line on what was its standard output: events while it works, and at last a result.
A line "stop" ends the search with what it has found. The end of standard input means that nobody
is there any more, however the server ended, and ends this process at once.
"""

import _thread
import json
import os
import secrets
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from plansolve.errors import InputError, PlansolveError
from plansolve.formats import read_problem, write_problem
from plansolve.instances.instance_set_writer import natural_format
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.solvers.engine.progress import Event
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import most_memory
from plansolve.solvers.result import Result

__all__ = ["STOP", "main"]

STOP = "stop"
"""The line that ends a search."""

_SEEDS = 1 << 32

Send = Callable[[Mapping[str, Any]], None]
Order = Mapping[str, Any]


def main() -> None:
    """Does one order and ends."""
    send = _sender(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    # Libraries may print: that must not get between the answers.
    os.dup2(2, 1)
    line = sys.stdin.readline()
    if not line:
        return
    order = json.loads(line)
    try:
        threading.Thread(target=_listen, daemon=True).start()
        _ORDERS[order["do"]](order, send)
    except InputError as error:
        send({"event": "refused", "message": str(error)})
    except PlansolveError as error:
        send({"event": "failed", "message": str(error).strip().splitlines()[-1]})
    except MemoryError:
        send({"event": "failed", "message": "memory ran out"})
    except KeyboardInterrupt:
        # It came before the search began, or after its end; the server knows the last bounds.
        send({"event": "failed", "message": "stopped"})
    except Exception as error:
        traceback.print_exc()
        what = f"internal error, please report it: {type(error).__name__}: {error}"
        send({"event": "failed", "message": what})


def _sender(stream: TextIO) -> Send:
    def send(document: Mapping[str, Any]) -> None:
        try:
            stream.write(json.dumps(document) + "\n")
            stream.flush()
        except BrokenPipeError:
            os._exit(1)

    return send


def _listen() -> None:
    """Waits for a word from the server while the main thread works."""
    for line in sys.stdin:
        if line.strip() == STOP:
            # As Ctrl-C would: `solve` then returns what it has.
            _thread.interrupt_main()
    os._exit(1)


def _solve(order: Order, send: Send) -> None:
    problem = read_problem(order["problem"], format="json")
    result = solve(
        problem,
        optimal=order["optimal"],
        time_limit=order["seconds"],
        memory_limit=most_memory() // order["share"],
        progress=_Reporter(send),
    )
    send({"event": "result", **_document(result)})


def _scramble(order: Order, send: Send) -> None:
    goal = read_problem(order["problem"], format="json")
    rules, moves = goal.puzzle, order["moves"]
    randomness = Randomness(secrets.randbelow(_SEEDS))
    if moves is None:
        board = BoardSampler(rules).solvable(randomness)
    else:
        board = Predecessors(rules).walk(rules.goal, moves, randomness)
    problem = Problem(rules, board)
    send({"event": "board", "text": write_problem(problem, natural_format(problem))})


_ORDERS: Mapping[str, Callable[[Order, Send], None]] = {"solve": _solve, "scramble": _scramble}


class _Reporter:
    """Passes on what is news: bounds that have changed, notes, and which length is tried."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._bounds: tuple[int, int | None] = (0, None)

    def __call__(self, event: Event) -> None:
        bounds = (event.lower_bound, event.upper_bound)
        if bounds != self._bounds:
            self._bounds = bounds
            self._send(
                {"event": "bounds", "lower": bounds[0], "upper": bounds[1], "engine": event.engine}
            )
        if event.kind in ("choice", "note"):
            self._send({"event": "note", "engine": event.engine, "note": event.note})
        elif event.kind == "trying":
            self._send({"event": "trying", "engine": event.engine, "length": event.trying})


def _document(result: Result) -> dict[str, Any]:
    return {
        "status": result.status.value,
        "plan": None if result.plan is None else list(result.plan),
        "lower": result.lower_bound,
        "upper": result.upper_bound,
        "lower_by": result.lower_bound_by,
        "upper_by": result.upper_bound_by,
        "penalty": result.penalty,
        "is_least_penalty": result.is_least_penalty,
        "stop_reason": result.stop_reason.value,
        "explanation": result.explanation,
        "seconds": result.statistics.seconds,
    }
