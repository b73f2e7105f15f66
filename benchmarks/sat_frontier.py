"""Measure refutations of sliding boards by SAT, and the effect of each family of lemmas.

For each board: how hard it is for search (boards that IDA* with the Manhattan distance visits), and
for each set of lemmas the conflicts and the seconds of processor time, encoding included, of the
most expensive refutation, that of two moves below the optimum. Conflicts are the steadier figure.

    python benchmarks/sat_frontier.py                    every board, 120 s of processor time each
    python benchmarks/sat_frontier.py --only 50          those whose name contains this
    python benchmarks/sat_frontier.py --whole            whole proofs by default lemmas instead, on
                                                         these boards, the hardest ones, and on some
                                                         of other sizes
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plansolve.encoders.registry import ENCODINGS
from plansolve.formats import write_problem
from plansolve.instances.instance_set import load_instance_set
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle, named_goal
from plansolve.records.board import Board

INSTANCES = Path(__file__).parent.parent / "instances"
FOLDER = INSTANCES / "sat-frontier"
LIGHT = ENCODINGS["half-layer"].default()
WALKS = frozenset({"duplicate-sequences", "perimeter"})
FAMILIES = {
    "none": frozenset[str](),
    "elementary": LIGHT,
    "+ sequences": LIGHT | {"duplicate-sequences"},
    "+ sequences, perimeter": LIGHT | WALKS,
}
COMMAND = "import sys; from plansolve.cli.main import main; sys.argv[0] = 'plansolve'; main()"
ATTEMPT = """
import sys
from plansolve.formats import read_problem
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.horizon import HorizonSolver
problem = read_problem(open(sys.argv[1]).read(), format="json")
solver = HorizonSolver(Job(problem, lemmas=tuple(filter(None, sys.argv[3].split(",")))))
attempt = solver.attempt(int(sys.argv[2]))
assert attempt.refuted
print(attempt.record.conflicts, attempt.record.constraints)
"""
OTHERS = [
    (3, 4, "blank-last"),
    (3, 5, "blank-last"),
    (2, 8, "blank-last"),
    (4, 4, "blank-first"),
    (4, 4, "snail"),
]
# Random boards of this size are far out of reach; these have plans of some 57 moves.
WALKED = (5, 5, 90)


def timed(program: str, arguments: list[str], seconds: int) -> tuple[str, float]:
    """Return a program's output within so many seconds of processor time, and its seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def last_refutations(instance: Board, nodes: int, limit: int) -> None:
    """Print a line for each family of lemmas."""
    assert instance.optimal_length is not None
    horizon = instance.optimal_length - 2
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(write_problem(instance.problem, "json"))
        file.flush()
        for name, lemmas in FAMILIES.items():
            arguments = [file.name, str(horizon), ",".join(sorted(lemmas))]
            printed, seconds = timed(ATTEMPT, arguments, limit)
            conflicts, constraints = printed.split() if printed else ("-", "-")
            shown = f"{seconds:.1f}" if printed else f"> {seconds:.0f}"
            print(
                f"{instance.name:<10} {nodes / 1e6:>9.1f} {horizon:>7} {name:<24} "
                f"{constraints:>11} {conflicts:>9} {shown:>8}",
                flush=True,
            )


def problems() -> Iterator[tuple[str, Problem]]:
    """Return the boards of the set, the hardest ones, and random ones of other sizes and goals."""
    for instance in load_instance_set(FOLDER).instances:
        yield instance.name, instance.problem
    for instance in load_instance_set(INSTANCES / "fifteen-hardest").instances:
        yield f"80 moves {instance.name}", instance.problem
    for rows, columns, goal in OTHERS:
        puzzle = make_puzzle("sliding", rows, columns, named_goal("sliding", goal, rows, columns))
        for seed in range(2):
            start = BoardSampler(puzzle).solvable(Randomness(seed))
            yield f"{rows}x{columns} {goal} {seed}", Problem(puzzle, start)
    rows, columns, steps = WALKED
    puzzle = make_puzzle(
        "sliding", rows, columns, named_goal("sliding", "blank-last", rows, columns)
    )
    for seed in range(2):
        start = Predecessors(puzzle).walk(puzzle.goal, steps, Randomness(seed))
        yield f"{rows}x{columns} walk {seed}", Problem(puzzle, start)


def whole_proof(name: str, problem: Problem, limit: int) -> None:
    """Print a line: all lengths below the optimum refuted by SAT, the plan by whatever has it."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(write_problem(problem, "json"))
        file.flush()
        arguments = [file.name, "--engine", "cnf", "--optimal", "--json", "-q", "--threads", "1"]
        printed, seconds = timed(COMMAND, [*arguments, "--time-limit", str(limit)], limit)
    stopped: dict[str, Any] = {"status": "stopped", "statistics": {}}
    document = json.loads(printed) if printed else stopped
    length = document.get("length") or "-"
    conflicts = document["statistics"].get("conflicts", "-")
    print(
        f"{name:<18} {document['status']:<10} {length:>6} {conflicts:>9} {seconds:>8.1f}",
        flush=True,
    )


def main() -> None:
    """Print one of the tables."""
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--only", default="", help="boards whose name contains this")
    parser.add_argument("--limit", type=int, default=120, help="seconds of processor time each")
    parser.add_argument("--whole", action="store_true", help="whole proofs")
    options = parser.parse_args()
    if options.whole:
        print(f"{'board':<18} {'status':<10} {'length':>6} {'conflicts':>9} {'seconds':>8}")
        for name, problem in problems():
            if options.only in name:
                whole_proof(name, problem, options.limit)
        return
    entries = json.loads((FOLDER / "manifest.json").read_text())["instances"]
    nodes = {entry["name"]: entry["nodes"] for entry in entries}
    print(
        f"{'board':<10} {'M nodes':>9} {'horizon':>7} {'lemmas':<24} {'constraints':>11} "
        f"{'conflicts':>9} {'seconds':>8}"
    )
    for instance in load_instance_set(FOLDER).instances:
        if options.only in instance.name:
            last_refutations(instance, nodes[instance.name], options.limit)


if __name__ == "__main__":
    main()
