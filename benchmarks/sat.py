"""Measure the time to find and prove shortest plans by SAT and CP-SAT.

For each board, encoding variant and back end: whole-command seconds (start-up, reading, encoding
and solving of every horizon), conflicts, and constraints of the last formula; and the ratio to
the plain encoding (no lemma) of the same back end, timed in the same run. If the plain one does
not end within the limit, the ratio is a lower bound. Run with nothing else on the machine:

    python benchmarks/sat.py                          every board, glucose42
    python benchmarks/sat.py --only 15-puzzle --backends glucose42,cadical195,cp-sat --limit 60
    python benchmarks/sat.py --ablation --only 42b    each lemma left out in turn
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from figures import keep

from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.formats import write_problem
from plansolve.instances.instance_set import load_instance_set
from plansolve.records.board import Board
from plansolve.solvers.formula.backends import BACKENDS

INSTANCES = Path(__file__).parent.parent / "instances"
COMMAND = "import sys; from plansolve.cli.main import main; sys.argv[0] = 'plansolve'; main()"


@dataclass(frozen=True)
class Case:
    """A board of the benchmark; `target` is the number of seconds that it should not exceed."""

    group: str
    name: str
    instance: Board
    target: float | None


@dataclass(frozen=True)
class Run:
    """One finished or stopped run."""

    seconds: float
    proved: bool
    conflicts: int
    constraints: int


def boards() -> Iterator[Case]:
    """Return the boards in the order of the table."""
    chosen = [
        ("8-puzzle", "eight-puzzle", 31, 2, 0.5),
        ("2023 puzzle", "torus-ring-walks", 8, 2, 2.0),
        ("2023 puzzle", "torus-ring-walks", 9, 2, 20.0),
        ("Lloyd", "lloyd-walks", 22, 2, 1.5),
        ("Lloyd", "lloyd-walks", 28, 2, 10.0),
    ]
    for group, folder, length, count, target in chosen:
        found = [
            i for i in load_instance_set(INSTANCES / folder).instances if i.optimal_length == length
        ]
        for instance in found[:count]:
            yield Case(group, f"{length} moves, {instance.name}", instance, target)
    targets = {"31": 1.0, "42b": 20.0, "44": 20.0, "46": 20.0}
    for instance in load_instance_set(INSTANCES / "sat-frontier").instances:
        yield Case("15-puzzle", instance.name, instance, targets.get(instance.name))


def measure(board: Case, backend: str, encoding: tuple[str, ...], limit: float, runs: int) -> Run:
    """Return the median of `runs` runs."""
    results = []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(write_problem(board.instance.problem, "json"))
        file.flush()
        arguments = [file.name, "--optimal", "--json", "-q", "--time-limit", str(limit)]
        arguments += ["--engine", BACKENDS[backend].engine, "--backend", backend]
        arguments += encoding
        for _ in range(runs):
            begin = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True
            )
            seconds = time.perf_counter() - begin
            if not done.stdout:
                raise SystemExit(f"{board.name}: {done.stderr}")
            document = json.loads(done.stdout)
            if document["status"] == "optimal":
                assert document["length"] == board.instance.optimal_length, board.name
            figures = document["statistics"]
            last = figures["horizons"][-1] if figures["horizons"] else {"constraints": 0}
            results.append(
                Run(
                    seconds,
                    document["status"] == "optimal",
                    figures["conflicts"],
                    last["constraints"],
                )
            )
    results.sort(key=lambda run: run.seconds)
    return results[len(results) // 2]


def variants(board: Case, backend: str, ablation: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the name and the options of each variant; the plain one comes first.

    Boards that have the half-layer encoding are measured with the plain full-layer one as well,
    which uses no property of the board at all.
    """
    encoding = choose_encoding(board.instance.problem.structure)
    yield "plain", ("--lemmas", "none")
    if encoding.name == "half-layer":
        yield "plain full-layer", ("--encoding", "full-layer", "--lemmas", "none")
    yield "default", ()
    if ablation:
        puzzle = board.instance.problem.puzzle
        default = choose_lemmas(encoding, puzzle, engine=BACKENDS[backend].engine)
        for lemma in sorted(default):
            # What stands on a lemma goes with it.
            left = {x for x in default - {lemma} if LEMMAS[x].base != lemma}
            yield f"without {lemma}", ("--lemmas", ",".join(sorted(left)) or "none")


def main() -> None:
    """Print the table."""
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--only",
        default="",
        help="boards whose group and name contain one of these, separated by commas",
    )
    parser.add_argument("--backends", default="glucose42", help="names, separated by commas")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run")
    parser.add_argument("--runs", type=int, default=1, help="runs of each; the median is shown")
    parser.add_argument("--ablation", action="store_true", help="leave out each lemma in turn")
    options = parser.parse_args()
    print(
        f"{'puzzle':<12} {'board':<24} {'back end':<11} {'variant':<24} {'seconds':>8} "
        f"{'target':>7} {'conflicts':>10} {'constraints':>11} {'plain/this':>10}"
    )
    ratios = []
    for board in boards():
        if not any(part in f"{board.group} {board.name}" for part in options.only.split(",")):
            continue
        for backend in options.backends.split(","):
            plain = 0.0
            for name, chosen in variants(board, backend, options.ablation):
                run = measure(board, backend, chosen, options.limit, options.runs)
                plain = plain or run.seconds
                sign = ">" if plain >= options.limit and run.proved else ""
                ratio = plain / run.seconds
                if name == "default" and run.proved:
                    ratios.append(ratio)
                    where = f"{board.group}, {board.name}, {backend}"
                    keep(where, run.seconds, "s", aim=board.target, yardstick=plain)
                seconds = f"{run.seconds:.2f}" if run.proved else f"> {run.seconds:.0f}"
                print(
                    f"{board.group:<12} {board.name:<24} {backend:<11} {name:<24} {seconds:>8} "
                    f"{board.target or '':>7} {run.conflicts:>10} {run.constraints:>11} "
                    f"{sign + format(ratio, '.1f') if run.proved else '-':>10}",
                    flush=True,
                )
    if ratios:
        print(f"plain/default: geometric mean {statistics.geometric_mean(ratios):.1f} or more")


if __name__ == "__main__":
    main()
