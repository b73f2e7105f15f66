"""Measure the plans for random Lloyd squares, and the proved bounds.

The squares are ten permutations of 25 contents (numpy's RandomState(11); content c in cell i, 0 is
the blank), or a chosen few of them. For each, beams run for the first seconds, and IDA* proves for
the rest; lengths, bounds and the times of the last improvements are printed. If a length is
proved or given, `--least` looks for the fewest transports ("t") of a plan of that length.
The winner of the contest of 1995 needed 90.6 moves on average for squares of its kind.

    python benchmarks/lloyd.py                                ten squares, 10 s of beams each
    python benchmarks/lloyd.py --squares 0,1,3 --prove 120 --threads 2 --memory 8
    python benchmarks/lloyd.py --squares 1,3 --lengths 70,79 --least 120 --threads 2
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from figures import keep

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import lloyd
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Search
from plansolve.solvers.search.beam.pattern_beam import pattern_beam
from plansolve.solvers.search.idastar.idastar import least_penalty, shortest_plan


def squares() -> list[Problem]:
    """Return the ten squares."""
    random = np.random.RandomState(11)
    return [Problem(lloyd(), tuple(map(int, random.permutation(25)))) for _ in range(10)]


@dataclass
class Run:
    """The plan and the bound of one square, and the seconds after which they were found."""

    problem: Problem
    incumbent: Incumbent
    plan_after: float = 0.0
    bound_after: float = 0.0
    transports: int = 0
    least: str = ""

    def search(self, engine: Search, budget: Budget) -> float:
        """Run an engine until it ends, the bounds meet or the deadline; return the seconds."""
        begin = time.monotonic()
        for report in engine(self.problem, self.incumbent, budget):
            now = time.monotonic()
            if report.lower_bound > self.incumbent.lower_bound:
                self.incumbent.raise_lower_bound(report.lower_bound)
                self.bound_after = now - begin
            if report.plan is not None and len(report.plan) < self.incumbent.upper_bound:
                if not check_plan(self.problem, report.plan).solves:
                    raise SystemExit(f"not a plan: {report.plan}")
                self.incumbent.lower_upper_bound(len(report.plan))
                self.transports = report.plan.count("t")
                self.plan_after = now - begin
            if self.incumbent.is_closed or (budget.deadline and now > budget.deadline):
                break
        return time.monotonic() - begin

    def search_least(self, budget: Budget) -> None:
        """Look for the fewest transports; keep what was found and what it took."""
        known, seconds, nodes, is_proved = self.incumbent, time.process_time(), 0, False
        for report in least_penalty(self.problem, known, budget):
            nodes = report.counts.get("nodes", nodes)
            if report.plan is not None:
                if not check_plan(self.problem, report.plan).solves:
                    raise SystemExit(f"not a plan: {report.plan}")
                known.penalty = report.plan.count("t")
            is_proved = report.is_complete
            if is_proved or (budget.deadline and time.monotonic() > budget.deadline):
                break
        seconds = time.process_time() - seconds
        how = "proved" if is_proved else "open"
        self.least = f"  least {known.penalty}, {how}, {nodes:,} nodes, {seconds:.1f} s of CPU"


def runs(options: argparse.Namespace) -> Iterator[Run]:
    """Run both engines on each square and print a line."""
    problems = squares()
    memory = int(options.memory * (1 << 30))
    print(
        f"{'square':>6} {'moves':>5} {'t':>3} {'after':>7} {'proved':>6} {'after':>7} {'in all':>7}"
    )
    numbers = [int(number) for number in options.squares.split(",")]
    lengths = [int(length) for length in options.lengths.split(",") if length]
    for number, proved in zip_longest(numbers, lengths, fillvalue=0):
        run = Run(problems[number], Incumbent(proved))
        run.search(pattern_beam, Budget(time.monotonic() + options.beam, memory))
        seconds = 0.0
        if options.prove:
            deadline = time.monotonic() + options.prove
            seconds = run.search(shortest_plan, Budget(deadline, memory, options.threads))
        known = run.incumbent
        if options.least and known.is_closed:
            known.penalty = run.transports
            deadline = time.monotonic() + options.least
            run.search_least(Budget(deadline, memory, options.threads))
        length = "-" if known.upper_bound == NO_PLAN else str(known.upper_bound)
        print(
            f"{number:>6} {length:>5} {run.transports:>3} {run.plan_after:>6.1f}s "
            f"{known.lower_bound:>6} {run.bound_after:>6.1f}s {seconds:>6.1f}s"
            f"{'  optimal' if known.is_closed else ''}{run.least}",
            flush=True,
        )
        yield run


def main() -> None:
    """Print the table."""
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--squares", default="0,1,2,3,4,5,6,7,8,9", help="separated by commas")
    parser.add_argument("--beam", type=float, default=10, help="seconds of beams for each square")
    parser.add_argument("--prove", type=float, default=0, help="seconds of proving for each")
    parser.add_argument("--lengths", default="", help="bounds proved before, in the squares' order")
    parser.add_argument("--least", type=float, default=0, help="seconds for the fewest transports")
    parser.add_argument("--threads", type=int, default=1, help="threads that prove")
    parser.add_argument("--memory", type=float, default=4, help="GiB")
    # The kernels are compiled, and the tables to the goal built, before the clock runs.
    for _ in pattern_beam(Problem(lloyd(), squares()[0].start), Incumbent(), Budget(0.0)):
        pass
    options = parser.parse_args()
    found = list(runs(options))
    lengths = [run.incumbent.upper_bound for run in found]
    proved = sum(run.incumbent.is_closed for run in found)
    what = f"Lloyd's squares {options.squares}, beams of {options.beam:g} s, mean"
    keep(what, statistics.mean(lengths), "moves")
    print(f"mean {statistics.mean(lengths):.1f} moves; {proved} of {len(found)} proved optimal")


if __name__ == "__main__":
    main()
