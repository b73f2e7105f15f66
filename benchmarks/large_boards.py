"""Measure the plans for large sliding boards, and the time until they are found.

For each size random solvable boards of a fixed seed, the goal with the blank last. The ratio is
plan length / Manhattan distance of the start; every plan is replayed by the checker. Yardsticks in
the same run: the plan row by row, and a beam over the whole board (the grid beam's kernels with
a single stage, guided by Manhattan distance and linear conflict alone) of the same time. The target
is a mean over 5 boards, over 2 at 30x30. Run with nothing else on the machine:

    python benchmarks/large_boards.py                        all sizes, 10 s a board, one thread
    python benchmarks/large_boards.py --sizes 10x10,15x15 --seconds 60 --threads 2
    python benchmarks/large_boards.py --sizes 5x20 --boards 3 --no-yardstick
"""

import argparse
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import fmean
from time import monotonic

from figures import keep

from plansolve.analysis.grid import grid_of
from plansolve.bounds.distance import tile_distance_sum
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import blank_last, sliding
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.tiles import constructive
from plansolve.solvers.search.grid_beam.distances_kernel import LAST
from plansolve.solvers.search.grid_beam.grid_beam import LEAST_ROOM, GridBeamRun, grid_beam
from plansolve.solvers.search.grid_beam.layout import GridStage, Layout, Setting

SIZES = "5x5,6x6,8x8,10x10,15x15,20x20,30x30"
TARGETS = {
    10: {"5x5": 1.41, "6x6": 1.40, "8x8": 1.45, "10x10": 1.50, "15x15": 1.56, "20x20": 1.60,
         "30x30": 1.67},
    60: {"8x8": 1.40, "10x10": 1.45, "15x15": 1.53, "20x20": 1.55, "30x30": 1.63},
}  # fmt: skip
PLAIN = Setting(power=1.0, slope=1.0, conflict=1.0, fall=0.0)
_MEMORY = 4 << 30


@dataclass(frozen=True)
class Row:
    """One board: what was found; ratios, and seconds to the first plan of the beam."""

    distance: int
    constructive: float
    full_beam: float | None
    grid_beam: float
    first_seconds: float
    seconds: float


def random_board(random: Random, rows: int, columns: int) -> Problem:
    """Return a random solvable board, uniform over all of them."""
    start = list(blank_last(rows, columns))
    random.shuffle(start)
    problem = Problem(sliding(rows, columns), tuple(start))
    if not list(constructive(problem, Incumbent(), Budget())):
        a, b = [cell for cell, tile in enumerate(start) if tile][:2]
        start[a], start[b] = start[b], start[a]
        problem = Problem(problem.puzzle, tuple(start))
    return problem


def length_of(problem: Problem, plan: tuple[str, ...]) -> int:
    """Return the length of a plan that has been replayed."""
    if not check_plan(problem, plan).solves:
        raise SystemExit(f"a wrong plan for {problem.start}")
    return len(plan)


def grid_beams(problem: Problem, seconds: float, threads: int) -> tuple[int, float, float]:
    """Return the length of the best plan, the seconds to the first of the beam, and to the end."""
    began = monotonic()
    incumbent, first = Incumbent(), 0.0
    for report in grid_beam(problem, incumbent, Budget(began + seconds, _MEMORY, threads)):
        if monotonic() > began + seconds:
            break
        if report.plan is not None:
            first = first or (monotonic() - began if report.counts else 0.0)
            incumbent.lower_upper_bound(length_of(problem, report.plan))
    return incumbent.upper_bound, first, monotonic() - began


def full_beam(problem: Problem, seconds: float) -> int | None:
    """Return the length of the best plan of ever wider beams over the whole board, or None."""
    grid = grid_of(problem.structure.blank_graph)
    graph = problem.structure.blank_graph
    assert grid is not None and graph is not None
    layout = Layout(problem, grid)
    layout.stages = [GridStage(LAST, 0, 0, problem.puzzle.cells, 0)]
    layout.parts = [grid.lines]
    best: int | None = None
    end, width = monotonic() + seconds, LEAST_ROOM
    while monotonic() < end:
        run = GridBeamRun(problem, layout, PLAIN, PLAIN, width)
        # The layout has one stage, number 0.
        for walk in run.walks({0: width}.__getitem__, lambda: 1 << 30):
            if monotonic() > end:
                break
            if walk is not None:
                plan = tuple(graph.names[b][d] for b, d in pairwise(walk))
                best = min(best or len(plan), length_of(problem, plan))
        width *= 3
    return best


def measure(problem: Problem, options: argparse.Namespace) -> Row:
    """All figures of one board."""
    distance = tile_distance_sum(problem)
    (by_rows,) = constructive(problem, Incumbent(), Budget())
    assert by_rows.plan is not None
    whole = full_beam(problem, options.seconds) if options.yardstick else None
    best, first, seconds = grid_beams(problem, options.seconds, options.threads)
    return Row(
        distance,
        length_of(problem, by_rows.plan) / distance,
        whole and whole / distance,
        best / distance,
        first,
        seconds,
    )


def main() -> None:
    """Print the table, a line for each board and one for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=SIZES, help="rows x columns, separated by commas")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--boards", type=int, default=None, help="5, and 2 at 30x30")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--no-yardstick", dest="yardstick", action="store_false")
    options = parser.parse_args()
    # What has to be compiled is no part of the times.
    full_beam(random_board(Random(0), 6, 6), 0.1)
    grid_beams(random_board(Random(0), 6, 6), 0.1, 1)
    print("size    board  Manhattan  by rows  full beam    grid    target  first plan, s   all, s")
    for size in options.sizes.split(","):
        rows, columns = map(int, size.split("x"))
        random = Random(options.seed)
        found = []
        for number in range(options.boards or (2 if rows * columns >= 900 else 5)):
            row = measure(random_board(random, rows, columns), options)
            found.append(row)
            whole = f"{row.full_beam:9.3f}" if row.full_beam else "        -"
            print(
                f"{size:7} {number:5}  {row.distance:9}  {row.constructive:7.2f}  {whole}  "
                f"{row.grid_beam:6.3f}  {'':8}  {row.first_seconds:13.2f}  {row.seconds:7.1f}",
                flush=True,
            )
        target = TARGETS.get(int(options.seconds), {}).get(size)
        whole_beams = [row.full_beam for row in found if row.full_beam]
        keep(
            f"{size} after {options.seconds:g} s: length / Manhattan distance",
            fmean(row.grid_beam for row in found),
            "",
            aim=target,
            yardstick=fmean(whole_beams) if len(whole_beams) == len(found) else None,
        )
        print(
            f"{size:7}  mean  {fmean(row.distance for row in found):9.0f}  "
            f"{fmean(row.constructive for row in found):7.2f}  {'':9}  "
            f"{fmean(row.grid_beam for row in found):6.3f}  {target or '':8}",
            flush=True,
        )


if __name__ == "__main__":
    main()
