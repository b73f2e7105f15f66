"""Measure the searches on boards that are too hard for SAT.

Each section prints its figures and their targets. Run with nothing else on the machine:

    python benchmarks/search.py                       every section but the long ones
    python benchmarks/search.py --only korf100,torus  some of them

Sections: `commands` (whole commands on small boards), `korf100` (Korf's 15-puzzles, from a cold and
from a warm table cache), `hardest` (15-puzzles at distance 80), `torus` (proofs of scrambles of the
2023 puzzle), `torus-plans` (20 random boards, 10 s each; long), `korf24` (24-puzzles, with the
tables of six tiles, which are built first; long). Large boards, Lloyd's squares and the bare
kernel have benchmarks of their own.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from figures import keep

from plansolve.formats import write_problem
from plansolve.formats.json_document import problem_key
from plansolve.instances.batch import solve_many
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.records.board import Board
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status
from plansolve.storage.folder import cache_folder

INSTANCES = Path(__file__).parent.parent / "instances"
COMMAND = "import sys; from plansolve.cli.main import main; sys.argv[0] = 'plansolve'; main()"


def instances(folder: str) -> tuple[Board, ...]:
    return load_instance_set(INSTANCES / folder).instances


@contextmanager
def cold_tables() -> Iterator[None]:
    """Return a cache folder that holds the compiled kernels and no table."""
    kernels = cache_folder() / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("PLANSOLVE_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernels").symlink_to(kernels)
        os.environ["PLANSOLVE_CACHE_DIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("PLANSOLVE_CACHE_DIR")
            if before is not None:
                os.environ["PLANSOLVE_CACHE_DIR"] = before


def whole_command(problem: Problem, *options: str) -> float:
    """Return the median of five runs of the command on the board, in seconds."""
    seconds = []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(write_problem(problem, "json"))
        file.flush()
        for _ in range(5):
            begin = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", COMMAND, file.name, "--optimal", "-q", *options],
                check=True,
                capture_output=True,
            )
            seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def commands() -> None:
    chosen = [("8-puzzle", "eight-puzzle", 31, 0.6), ("15-puzzle", "sat-frontier", 31, 1)]
    chosen += [("torus-ring", "torus-ring", 11, 1.0), ("Lloyd", "lloyd-walks", 28, 10.0)]
    for title, folder, length, target in chosen:
        board = next(i for i in instances(folder) if i.optimal_length == length)
        seconds = whole_command(board.problem)
        keep(f"command, {title}, {length} moves", seconds, "s", aim=target)
        print(f"  {title}, {length} moves: {seconds:.2f} s (target: {target} s)")


def korf100() -> None:
    boards = instances("korf100")

    def run() -> float:
        begin = time.perf_counter()
        lengths = {problem_key(i.problem): i.optimal_length for i in boards}
        for result in solve_many((i.problem for i in boards), engine="idastar", optimal=True):
            assert result.status == Status.OPTIMAL and result.problem is not None
            assert result.length == lengths.pop(problem_key(result.problem)), result.problem
        assert not lengths
        return time.perf_counter() - begin

    with cold_tables():
        for when, target in (("no tables yet", 10), ("with tables", 3)):
            seconds = run()
            keep(f"Korf's hundred, {when}", seconds, "s", aim=target)
            print(f"  100 boards, {when}: {seconds:.1f} s (target: {target} s)")


def proofs(folder: str, targets: dict[int, float], limit: float, most: int | None = None) -> None:
    for instance in instances(folder)[:most]:
        length = instance.optimal_length
        if length not in targets:
            continue
        begin = time.perf_counter()
        result = solve(instance.problem, time_limit=limit, optimal=True)
        seconds = time.perf_counter() - begin
        proved = "proved" if result.status == Status.OPTIMAL else f"bound {result.lower_bound}"
        assert result.status != Status.OPTIMAL or result.length == length
        keep(f"{folder} {instance.name}, {length} moves", seconds, "s", aim=targets[length])
        print(
            f"  {instance.name}: {length} moves {proved}, {seconds:.1f} s "
            f"(target: {targets[length]:g} s)"
        )


def hardest() -> None:
    proofs("fifteen-hardest", {80: 600.0}, 1800.0, most=2)


def torus() -> None:
    proofs("torus-ring", {11: 1.0}, 60.0)
    proofs("torus-ring-deep", {13: 2.0, 14: 3.0, 15: 30.0}, 300.0)


def torus_plans(seconds: float = 10.0) -> None:
    puzzle, random = make_puzzle("torus-ring", 5, 5), Random(2023)
    lengths, bounds = [], []
    for _ in range(20):
        start = tuple(random.sample(range(1, 26), 25))
        result = solve(Problem(puzzle, start), optimal=False, time_limit=seconds)
        assert result.length is not None and result.lower_bound is not None
        lengths.append(result.length)
        bounds.append(result.lower_bound)
        print(f"  {result.length} moves, {result.lower_bound} or more", flush=True)
    keep(f"2023 boards, mean after {seconds:g} s", statistics.mean(lengths), "moves", aim=24)
    print(
        f"  20 random boards, {seconds:g} s each: mean {statistics.mean(lengths):.2f} moves "
        f"(target: 24), least bound {min(bounds)} (target: 14)"
    )


def korf24() -> None:
    quick = {"38", "40", "25", "32", "44", "37", "1"}
    for instance in instances("korf24"):
        if instance.name not in quick:
            continue
        begin = time.perf_counter()
        result = solve(instance.problem, engine="idastar", time_limit=600, optimal=True)
        seconds = time.perf_counter() - begin
        assert result.length == instance.optimal_length, instance.name
        nodes = result.statistics.counts["idastar"]["nodes"]
        keep(f"24-puzzle no. {instance.name}", seconds, "s", aim=30)
        print(
            f"  #{instance.name}: {result.length} moves, {nodes:.3g} nodes, {seconds:.1f} s "
            "(target: 30 s)",
            flush=True,
        )


SECTIONS: dict[str, Callable[[], None]] = {
    "commands": commands,
    "korf100": korf100,
    "hardest": hardest,
    "torus": torus,
    "torus-plans": torus_plans,
    "korf24": korf24,
}
LONG = {"torus-plans", "korf24"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", help="sections, separated by commas")
    chosen = parser.parse_args().only
    for name in chosen.split(",") if chosen else [name for name in SECTIONS if name not in LONG]:
        print(name, flush=True)
        SECTIONS[name]()


if __name__ == "__main__":
    main()
