"""Lloyd's Dilemma: an entry for AT&T's Programmer of the Month of April 1995.

    python -m plansolve.compat.lloyd SQUARE [SECONDS]

Prints one line of the letters d u r l t and nothing else: moves that turn the square in the file
into perfection. Letters name the motion of the tile; t transports the centre tile into the gap.
Fewer moves come first, then fewer transports. Ctrl-C or SIGTERM prints the best plan so far.
"""

import os
import signal
import time
from collections.abc import Sequence
from functools import partial
from types import FrameType

from plansolve.compat.shared import read_file, run_program, say
from plansolve.errors import EngineError, OptionError
from plansolve.formats import read_problem
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Plan
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import read_seconds
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Result, Status

# The contest's ten minutes are processor time ("sys+user time as measured by timex"). One process
# shortens plans and one proves bounds, so the two may run for half of that time; the rest is for
# work that is not counted here, above all for starting and ending the processes.
_PROCESSOR_SECONDS = 570.0
_PROCESSES = 2


class Stop:
    """Records a signal that asks for the end, and interrupts a running search."""

    def __init__(self) -> None:
        self.is_wanted = self.is_searching = False

    def catch(self) -> None:
        """Receive the signals from now on."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.is_wanted = True
        if self.is_searching:
            # A second signal must not prevent the answer to the first.
            self.is_searching = False
            raise KeyboardInterrupt


def best_plan(problem: Problem, seconds: float, stop: Stop) -> Plan:
    """Return the best plan by the contest's order, found in `seconds` or until the signal.

    There always is one: every square can be solved, and one engine finds a plan at once.
    """
    end = time.monotonic() + seconds
    with Workers() as workers:
        short = _search(problem, seconds, stop, workers, optimal=False)
        plans = [] if short is None or short.plan is None else [short.plan]
        left = end - time.monotonic()
        is_shortest = short is not None and short.status == Status.OPTIMAL
        if is_shortest and penalty(problem, plans[0]) and left > 0:
            # The rest of the time is for fewer transports at the same length.
            ranked = _search(problem, left, stop, workers, optimal=True)
            if ranked is not None and ranked.plan is not None:
                plans.append(ranked.plan)
        if not plans:
            plan = solve(problem, optimal=False, engine="constructive", workers=workers).plan
            if plan is None:
                raise EngineError("no plan was found")
            plans.append(plan)
    return min(plans, key=lambda plan: (len(plan), penalty(problem, plan)))


def _search(
    problem: Problem, seconds: float, stop: Stop, workers: Workers, *, optimal: bool
) -> Result | None:
    """Return the result; None if the signal came too early for one."""
    try:
        stop.is_searching = True
        if stop.is_wanted:
            return None
        return solve(
            problem,
            optimal=optimal,
            time_limit=seconds,
            # The search for short plans has one of them, or with `optimal` a part of its time.
            threads=1 if optimal else _PROCESSES,
            workers=workers,
        )
    except KeyboardInterrupt:
        return None
    finally:
        stop.is_searching = False


def main(arguments: Sequence[str]) -> None:
    """Run the contest's program; raise `InputError` for wrong input."""
    stop = Stop()
    stop.catch()
    if len(arguments) not in (1, 2):
        raise OptionError("expected the name of a file that holds a square")
    seconds = _PROCESSOR_SECONDS / min(_PROCESSES, os.cpu_count() or 1)
    if len(arguments) == 2:
        seconds = read_seconds(arguments[1])
    problem = read_file(arguments[0], partial(read_problem, format="lloyd", puzzle="lloyd"))
    say("".join(best_plan(problem, seconds, stop)))


if __name__ == "__main__":
    run_program(main, "lloyd: ")
