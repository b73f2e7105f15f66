"""Measure the time of proofs for puzzles of any kind: random boards of several families.

For each family: the mean length of the optima, and the seconds of `solve`, with kernels and tables
in place, one board after the other: median and longest. Run with nothing else on the machine:

    python benchmarks/any_puzzle.py                        every family
    python benchmarks/any_puzzle.py --only multi-tile --boards 20
"""

import argparse
import statistics
import time

from figures import keep

from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import default_size_of, make_puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

FAMILIES = {
    "sliding:metric=multi-tile": 2.0,
    "pocket-cube": 2.0,
    "pyraminx": 2.0,
    "top-spin:12,4": 2.0,
    "pancake:12": 2.0,
}
"""Specifications, and the target of a proof in seconds."""


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="families whose specification contains this")
    parser.add_argument("--boards", type=int, default=10)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    print(f"{'puzzle':28} {'moves':>6} {'median, s':>9} {'longest, s':>10} {'target':>8}")
    for specification, target in FAMILIES.items():
        if options.only not in specification:
            continue
        puzzle = make_puzzle(specification, *default_size_of(specification))
        sampler, randomness = BoardSampler(puzzle), Randomness(options.seed)
        boards = [sampler.solvable(randomness) for _ in range(options.boards)]
        # The first round has kernels compiled and tables built.
        for _ in range(2):
            lengths, seconds = list[int](), list[float]()
            for board in boards:
                begin = time.perf_counter()
                result = solve(Problem(puzzle, board), time_limit=300, optimal=True)
                seconds.append(time.perf_counter() - begin)
                assert result.status == Status.OPTIMAL and result.length is not None
                lengths.append(result.length)
        mean, middle, most = statistics.mean(lengths), statistics.median(seconds), max(seconds)
        keep(f"{specification}, median proof", middle, "s", aim=target)
        keep(f"{specification}, longest proof", most, "s")
        print(
            f"{specification:28} {mean:6.1f} {middle:9.2f} {most:10.2f} {target:8.1f}", flush=True
        )


if __name__ == "__main__":
    main()
