"""Compare the speed of the kernels of IDA* with the same searches in C.

Boards are refuted at their optimum minus the least step, in one round, with the tables, lookups and
automaton that a proof takes, and so that the order in which a search looks for a plan plays no
part: the hardest of Korf's 15-puzzles for a blank, boards of the 2023 puzzle for moves that permute
the cells. `blank.c` and `permutation.c` read the same arrays and must enter as many nodes, or try
as many children: millions of them per second of processor time, the best of three tries each. The
programs in C call themselves; the kernels hold their path in arrays, so that they can stop anywhere
and give parts of their tree away.

    python benchmarks/kernel.py
"""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from figures import keep

from plansolve.analysis.duplicate_sequences import ONE_PLAN
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.goal_tables import goal_sets
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_trees import PatternTree, walk_automaton
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.storage.store import Store

HERE = Path(__file__).parent
TRIES = 3
COMPILERS = ("cc", "gcc", "clang")


def blank_tree(problem: Problem, size: int | None = None) -> PatternTree:
    """Return the tree of a proof with patterns of so many tiles."""
    sets = goal_sets(problem, size=size, store=Store(), tell=print)
    return PatternTree(problem, sets, walk_automaton(problem, ONE_PLAN, memory=1 << 30))


def permutation_tree(problem: Problem, size: int = 5) -> PermutationTree:
    """Return the same where moves permute the cells."""
    lookups = permutation_chooser(problem.puzzle).lookups(size, store=Store(), tell=print)
    return PermutationTree(problem, lookups, length=4)


def searched(tree: SearchTree, limit: int) -> tuple[int, float]:
    """Nodes entered until no plan of `limit` moves is left, and seconds of processor time."""
    position = tree.position(tree.root, limit + 2)
    position.registers[reg.LIMIT] = limit
    position.registers[reg.LEAF] = limit + 1
    begin = time.process_time()
    status = tree.advance(position, 10**15)
    seconds = time.process_time() - begin
    assert status == reg.EXHAUSTED
    return int(position.registers[reg.NODES]), seconds


def arrays_of(tree: SearchTree, limit: int) -> Sequence[Any]:
    """Return what the program in C reads."""
    position, arrays = tree.position(tree.root, 2), tuple[Any, ...]()
    if isinstance(tree, PermutationTree):
        state = position.state
        numbers = [*tree._sizes, limit, state.odd[0], state.node[0]]
        # The program knows no reach sets, which are the last array.
        arrays = (*tree._tables[:-1], state.board, state.indices, state.value)
    else:
        assert isinstance(tree, PatternTree)
        tables, bounds = tree._tables, position.bounds
        blank = int(position.state.path[0])
        numbers = [tree.problem.puzzle.cells, len(bounds.total), limit, blank,
                   tree.automaton.roots[blank]]  # fmt: skip
        arrays = (*tree.moves, tables.group, tables.weight, tables.table)
        arrays += (position.state.board, bounds.indices, bounds.entry, bounds.total)
        assert arrays[1].dtype == position.state.board.dtype == np.uint8
    return (*arrays, np.array(numbers, np.uint64))


def in_c(program: Path, tree: SearchTree, limit: int) -> tuple[int, float]:
    """Return the same search by a program in C."""
    with tempfile.NamedTemporaryFile() as file:
        for array in arrays_of(tree, limit):
            file.write(np.uint64(array.nbytes).tobytes() + array.tobytes())
        file.flush()
        output = subprocess.run([program, file.name], capture_output=True, text=True, check=True)
    nodes, seconds, found = output.stdout.split()
    assert found == "0"
    return int(nodes), float(seconds)


def compiled(source: str, folder: str | Path) -> Path | None:
    """Return a program in C, or None where there is no compiler."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    program = Path(folder, source).with_suffix("")
    options = ["-O3", "-march=native", "-o", str(program)]
    subprocess.run([compiler, *options, str(HERE / source)], check=True)
    return program


KERNELS: dict[str, tuple[str, Callable[[Problem], SearchTree], str, Sequence[str], int, float]] = {
    "kernel of IDA*": ("blank.c", blank_tree, "korf100", ("60", "82", "88"), 2, 0.7),
    "kernel of permutations": (
        "permutation.c",
        permutation_tree,
        "torus-ring-deep",
        ("13-2", "14-1", "14-3"),
        1,
        0.85,
    ),
}
"""The program in C, the tree, boards and the least step between lengths, and the target ratio."""


def main() -> None:
    """Print a table for each kernel."""
    for name in KERNELS:
        compare(name)
        print()


def compare(name: str) -> None:
    """Print the table of one kernel."""
    source, tree_of, folder, boards, step, aim = KERNELS[name]
    seconds, seconds_c, total = 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as place:
        program = compiled(source, place)
        print(f"{'board':>5} {'moves':>5} {'nodes':>12} {'M/s':>7} {'M/s in C':>9}")
        for instance in load_instance_set(HERE.parent / "instances" / folder).instances:
            if instance.name not in boards:
                continue
            assert instance.optimal_length is not None
            limit, tree = instance.optimal_length - step, tree_of(instance.problem)
            searched(tree, 2)  # compiles
            nodes, own = min(searched(tree, limit) for _ in range(TRIES))
            theirs = 0.0
            if program is not None:
                same, theirs = min(in_c(program, tree, limit) for _ in range(TRIES))
                assert same == nodes, f"{instance.name}: {same} in C, {nodes} here"
            in_c_rate = f"{nodes / theirs / 1e6:9.1f}" if theirs else f"{'-':>9}"
            print(f"{instance.name:>5} {limit:5} {nodes:12,} {nodes / own / 1e6:7.1f} {in_c_rate}")
            total, seconds, seconds_c = total + nodes, seconds + own, seconds_c + theirs
    rate = total / seconds / 1e6
    rate_c = total / seconds_c / 1e6 if seconds_c else None
    keep(name, rate, "million nodes/s", yardstick=rate_c, more_is_better=True)
    print(f"{name}: {rate:.1f} million nodes/s", end="")
    if rate_c is None:
        print()
    else:
        keep(f"{name} / C", rate / rate_c, "", aim=aim, more_is_better=True)
        print(f"; C: {rate_c:.1f}; ratio {rate / rate_c:.2f}, target {aim}")


if __name__ == "__main__":
    main()
