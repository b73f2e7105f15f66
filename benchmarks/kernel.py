"""How fast the IDA* kernel is, next to a plain IDA* in C.

Five of Korf's 15-puzzle boards with the sum of the tiles' distances, and no pruning but "do not
undo the last move", each refuted at all lengths below its optimum, so that the order in which a
search looks for a plan plays no part: nodes entered per second of processor time, of the kernel
(once compiled) and of `idastar.c`, which must enter as many; the best of three tries each. With the
default automaton: how many nodes are left.

    python benchmarks/kernel.py
"""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from figures import keep

from plansolve.bounds.distance import TileDistances
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.idastar.bound_tree import bound_tree
from plansolve.solvers.search.idastar.idastar import idastar

HERE = Path(__file__).parent
BOARDS = ("13", "23", "65", "75", "83")
TARGET = 0.7
TRIES = 3
COMPILERS = ("cc", "gcc", "clang")


def kernel(problem: Problem, optimum: int, word_length: int) -> tuple[int, float]:
    """Nodes of the proof that no plan is shorter than `optimum`, and seconds of processor time."""
    begin = time.process_time()
    tree = bound_tree(problem, TileDistances(), Budget(), length=word_length)
    assert tree is not None
    *_, last = idastar(tree, Incumbent(upper_bound=optimum), Budget())
    assert last.lower_bound == optimum
    return last.counts["nodes"], time.process_time() - begin


def in_c(program: Path, problem: Problem, optimum: int) -> tuple[int, float]:
    """The same of the program in C."""
    output = subprocess.run(
        [program, *map(str, problem.start), str(optimum)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return int(output[0]), float(output[1])


def compiled(folder: Path) -> Path | None:
    """The program in C, or None where there is no compiler."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    program = folder / "idastar"
    options = ["-O3", "-march=native", "-o", str(program)]
    subprocess.run([compiler, *options, str(HERE / "idastar.c")], check=True)
    return program


def main() -> None:
    """Prints the table."""
    instances = load_instance_set(HERE.parent / "instances" / "korf100").instances
    boards = {
        i.name: (i.problem, i.optimal_length)
        for i in instances
        if i.name in BOARDS and i.optimal_length is not None
    }
    for word_length in (2, 10):
        kernel(*boards[BOARDS[0]], word_length)  # compiles, and makes the automaton
    total, seconds, seconds_c, pruned = 0, 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        print(f"{'board':>5} {'moves':>5} {'nodes':>12} {'M/s':>7} {'M/s in C':>9} {'pruned':>12}")
        for name, (problem, optimum) in boards.items():
            nodes, own = min(kernel(problem, optimum, 2) for _ in range(TRIES))
            theirs = 0.0
            if program is not None:
                nodes_c, theirs = min(in_c(program, problem, optimum) for _ in range(TRIES))
                assert nodes_c == nodes, f"board {name}: {nodes_c} nodes in C, {nodes} here"
            few, _ = kernel(problem, optimum, 10)
            rate_c = f"{nodes / theirs / 1e6:9.1f}" if theirs else f"{'-':>9}"
            print(f"{name:>5} {optimum:5} {nodes:12,} {nodes / own / 1e6:7.1f} {rate_c} {few:12,}")
            total, pruned = total + nodes, pruned + few
            seconds, seconds_c = seconds + own, seconds_c + theirs
    print(
        f"kernel: {total / seconds / 1e6:.1f} million nodes/s; pruning leaves {pruned / total:.2f}"
    )
    rate, rate_in_c = total / seconds / 1e6, total / seconds_c / 1e6 if seconds_c else None
    keep("kernel of IDA*", rate, "million nodes/s", yardstick=rate_in_c, more_is_better=True)
    if seconds_c:
        ratio = seconds_c / seconds
        keep("kernel / C", ratio, "", aim=TARGET, more_is_better=True)
        print(f"C: {total / seconds_c / 1e6:.1f}; ratio {ratio:.2f}, to reach {TARGET}")


if __name__ == "__main__":
    main()
