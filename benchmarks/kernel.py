"""How fast the kernels of IDA* are, next to the same searches in C.

For a blank: five of Korf's 15-puzzle boards with the sum of the tiles' distances, and no pruning
but "do not undo the last move", each refuted at all lengths below its optimum, so that the order in
which a search looks for a plan plays no part: nodes entered per second of processor time, of the
kernel (once compiled) and of `idastar.c`, which must enter as many; the best of three tries each.
With the default automaton: how many nodes are left. The program in C calls itself, and adds the
change of one tile's distance. The kernel reads distances as pattern databases of one tile each, and
holds its path in arrays, so that it can stop anywhere and give parts of its tree away. Rounds after
one of more than a million nodes, as on boards 75 and 83, are cut into subtrees; to enter these,
some 0.2 ms each, takes an eighth of the time on board 83 and a quarter on board 75.

For moves that permute the cells: boards of the 2023 puzzle, each refuted at one move less than its
optimum, with the tables, lookups and automaton that a proof takes; `permutation.c` reads the same
and must try as many children.

    python benchmarks/kernel.py
"""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from figures import keep

from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.patterns.additive import additive_sets
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.partition import goal_chooser
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.automaton import ONE_PLAN
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.blank_tree import PatternTree, walk_automaton
from plansolve.solvers.search.idastar.idastar import idastar
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.storage.store import Store

HERE = Path(__file__).parent
BOARDS = ("13", "23", "65", "75", "83")
PERMUTED = ("13-2", "14-1", "14-3")
TARGETS = {"kernel of IDA*": 0.4, "kernel of permutations": 0.85}
TRIES = 3
COMPILERS = ("cc", "gcc", "clang")


def kernel(problem: Problem, optimum: int, word_length: int) -> tuple[int, float]:
    """Nodes of the proof that no plan is shorter than `optimum`, and seconds of processor time."""
    blank = problem.goal.index(0)
    tiles = tuple((cell,) for cell in range(problem.puzzle.cells) if cell != blank)
    sets = additive_sets(
        goal_chooser(problem),
        problem.goal,
        [tiles],
        store=Store(in_memory=True),
        tell=lambda note: None,
        title="distances",
        reflected=False,
    )
    begin = time.process_time()
    automaton = walk_automaton(problem, ONE_PLAN, word_length, memory=1 << 30)
    tree = PatternTree(problem, sets, automaton)
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


def permutation_tree(problem: Problem, size: int = 5) -> PermutationTree:
    """The tree of a proof with patterns of so many tiles."""
    lookups = permutation_chooser(problem.puzzle).lookups(size, store=Store(), tell=print)
    return PermutationTree(problem, lookups, length=4)


def permutation_kernel(tree: PermutationTree, limit: int) -> tuple[int, float]:
    """Children tried until no plan of `limit` moves is left, and seconds of processor time."""
    position = tree.position((), limit + 2)
    position.registers[reg.LIMIT] = limit
    position.registers[reg.LEAF] = limit + 1
    begin = time.process_time()
    status = tree.advance(position, 10**15)
    seconds = time.process_time() - begin
    assert status == reg.EXHAUSTED
    return int(position.registers[reg.NODES]), seconds


def permutation_in_c(program: Path, tree: PermutationTree, limit: int) -> tuple[int, float]:
    """The same of the program in C."""
    tables, sizes, state = tree._tables, tree._sizes, tree.position((), 2).state
    numbers = [*sizes, limit, state.odd[0], state.node[0]]
    root = (state.board, state.indices, state.value, np.array(numbers, np.uint64))
    with tempfile.NamedTemporaryFile() as file:
        # The program knows no reach sets, which are the last array.
        for array in (*tables[:-1], *root):
            file.write(np.uint64(array.nbytes).tobytes() + array.tobytes())
        file.flush()
        output = subprocess.run([program, file.name], capture_output=True, text=True, check=True)
    children, seconds, found = output.stdout.split()
    assert found == "0"
    return int(children), float(seconds)


def compiled(source: str, folder: str | Path) -> Path | None:
    """A program in C, or None where there is no compiler."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    program = Path(folder, source).with_suffix("")
    options = ["-O3", "-march=native", "-o", str(program)]
    subprocess.run([compiler, *options, str(HERE / source)], check=True)
    return program


def main() -> None:
    """Prints both tables."""
    walks_of_a_blank()
    print()
    permutations_of_cells()


def permutations_of_cells() -> None:
    """Prints the table of the 2023 puzzle."""
    instances = load_instance_set(HERE.parent / "instances" / "torus-ring-deep").instances
    seconds, seconds_c, total = 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled("permutation.c", folder)
        print(f"{'board':>5} {'moves':>5} {'children':>12} {'M/s':>7} {'M/s in C':>9}")
        for instance in instances:
            if instance.name not in PERMUTED:
                continue
            assert instance.optimal_length is not None
            limit = instance.optimal_length - 1
            tree = permutation_tree(instance.problem)
            permutation_kernel(tree, 2)  # compiles
            children, own = min(permutation_kernel(tree, limit) for _ in range(TRIES))
            theirs = 0.0
            if program is not None:
                same, theirs = min(permutation_in_c(program, tree, limit) for _ in range(TRIES))
                assert same == children, f"{instance.name}: {same} in C, {children} here"
            rate_c = f"{children / theirs / 1e6:9.1f}" if theirs else f"{'-':>9}"
            rate = children / own / 1e6
            print(f"{instance.name:>5} {limit:5} {children:12,} {rate:7.1f} {rate_c}")
            total, seconds, seconds_c = total + children, seconds + own, seconds_c + theirs
    _keep_both("kernel of permutations", total, seconds, seconds_c)


def walks_of_a_blank() -> None:
    """Prints the table of the 15-puzzle."""
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
        program = compiled("idastar.c", folder)
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
    print(f"pruning leaves {pruned / total:.2f}")
    _keep_both("kernel of IDA*", total, seconds, seconds_c)


def _keep_both(name: str, nodes: int, seconds: float, seconds_c: float) -> None:
    rate, rate_c = nodes / seconds / 1e6, nodes / seconds_c / 1e6 if seconds_c else None
    keep(name, rate, "million nodes/s", yardstick=rate_c, more_is_better=True)
    print(f"{name}: {rate:.1f} million nodes/s", end="")
    if rate_c is None:
        print()
    else:
        keep(f"{name} / C", rate / rate_c, "", aim=TARGETS[name], more_is_better=True)
        print(f"; C: {rate_c:.1f}; ratio {rate / rate_c:.2f}, to reach {TARGETS[name]}")


if __name__ == "__main__":
    main()
