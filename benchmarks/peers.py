"""The same boards given to plansolve and to other programs, in one run on your machine.

    python benchmarks/peers.py                              what is found, on all boards
    python benchmarks/peers.py --python /tmp/peers/bin/python --time-limit 120
    python benchmarks/peers.py --only 8-puzzle --write docs/comparison.md

Peers are taken from the PATH and from a Python (`--python`) that may have its own environment: Fast
Downward (`pip install up-fast-downward`, or `fast-downward.py` on the PATH), pyperplan and
fifteen-puzzle-solvers (both by pip), and twsearch (its C++ program, on the PATH). The output names
the programs that are missing. Each program solves each board in a process of its own, start
included; before that, plansolve has solved one board of the same kind, so that its kernels and
tables are in place. Each plan is replayed by plansolve's checker and held against the recorded
optimum.
"""

import argparse
import datetime
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from figures import machine
from peer_inputs import pddl, plan_of_planner, plan_of_twsearch, tws

from plansolve.checker import check_plan
from plansolve.formats import read_plan, write_problem
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan

ROOT = Path(__file__).parent.parent
BOARDS = (
    ("8-puzzle", "eight-puzzle", "4"),
    ("8-puzzle", "eight-puzzle", "2"),
    ("8-puzzle", "eight-puzzle", "hardest-1"),
    ("15-puzzle", "sat-frontier", "31"),
    ("15-puzzle", "sat-frontier", "38"),
    ("15-puzzle", "sat-frontier", "44"),
    ("15-puzzle", "sat-frontier", "54"),
    ("2023", "torus-ring-walks", "4-1"),
    ("2023", "torus-ring-walks", "6-1"),
    ("2023", "torus-ring-walks", "8-1"),
)
MEMORY = 8 << 30
BEGIN, END = "<!-- figures: benchmarks/peers.py writes them -->", "<!-- end of the figures -->"
FIFTEEN = """
import sys, types
sys.modules["tkinter"] = types.ModuleType("tkinter")  # only its window needs it
from fifteen_puzzle_solvers.domain import Puzzle
from fifteen_puzzle_solvers.services.algorithms import AStar
rows = [[int(word) for word in line.split()] for line in open(sys.argv[1])]
algorithm = AStar(Puzzle(rows), "manhattan_distance")
algorithm.solve_puzzle()
gaps = [puzzle.find_empty_tile() for puzzle in algorithm.solution]
names = {(1, 0): "U", (-1, 0): "D", (0, 1): "L", (0, -1): "R"}
print(*(names[c - a, d - b] for (a, b), (c, d) in zip(gaps, gaps[1:])))
"""

Command = Callable[[Problem, Path], list[str]]
Read = Callable[[str, Problem, Path], Plan | None]


@dataclass(frozen=True)
class Peer:
    """A program: how it is started in a folder of its own, and how its plan is read.

    `kinds` are the kinds of boards that it can be given.
    """

    name: str
    version: str
    kinds: Sequence[str]
    command: Command
    read: Read


SLIDING = ("8-puzzle", "15-puzzle")
EVERY = (*SLIDING, "2023")


def printed(out: str, problem: Problem, folder: Path) -> Plan | None:
    """Return the plan that a program has printed as moves."""
    return read_plan(out, problem.puzzle) if out.strip() else None


def of_planner(name: str) -> Read:
    """Return what reads the plan that a planner has written to the file `name`."""

    def read(out: str, problem: Problem, folder: Path) -> Plan | None:
        path = folder / name
        return plan_of_planner(path.read_text(), problem) if path.exists() else None

    return read


def with_pddl(*words: str) -> Command:
    """Return a command whose words DOMAIN and PROBLEM stand for the files."""

    def command(problem: Problem, folder: Path) -> list[str]:
        for name, text in zip(("domain.pddl", "problem.pddl"), pddl(problem), strict=True):
            (folder / name).write_text(text)
        files = {"DOMAIN": "domain.pddl", "PROBLEM": "problem.pddl"}
        return [files.get(word, word) for word in words]

    return command


def with_board(*words: str) -> Command:
    """Return a command whose word BOARD is a file with rows of numbers, BOARD.json a document."""

    def command(problem: Problem, folder: Path) -> list[str]:
        kind = "json" if "BOARD.json" in words else "rows"
        text = write_problem(problem, "json")
        if kind == "rows":
            rows = problem.puzzle.in_rows(problem.start)
            text = "".join(f"{' '.join(map(str, row))}\n" for row in rows)
        name = "board.json" if kind == "json" else "board.txt"
        (folder / name).write_text(text)
        return [name if word.startswith("BOARD") else word for word in words]

    return command


def twsearch(program: str) -> Command:
    """Return the command that has twsearch solve in single turns."""

    def command(problem: Problem, folder: Path) -> list[str]:
        for name, text in zip(("board.tws", "board.scr"), tws(problem), strict=True):
            (folder / name).write_text(text)
        return [program, "-q", "--nowrite", "board.tws", "board.scr"]

    return command


def package(python: str, name: str, module: str) -> tuple[str, str] | None:
    """Return version and folder of a package of another Python; None where it has none."""
    code = (
        "import importlib.metadata as m, importlib.util as u;"
        f"print(m.version({name!r}), u.find_spec({module!r}).submodule_search_locations[0])"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    found, _, folder = done.stdout.strip().partition(" ")
    return (found, folder) if done.returncode == 0 else None


def peers(python: str, limit: float) -> tuple[list[Peer], list[str]]:
    """Return the programs that are there, plansolve first, and the names of the others.

    Of `limit`, in seconds, iPDB takes a third at most to choose its patterns.
    """
    ours = [sys.executable, "-m", "plansolve"]
    sat = [sys.executable, str(ROOT / "benchmarks" / "plain_sat.py")]
    mine = version("plansolve")
    solve = with_board(*ours, "BOARD.json", "--optimal", "--quiet")
    found = [
        Peer("plansolve", mine, EVERY, solve, printed),
        Peer(
            "plain SAT",
            f"(PySAT {version('python-sat')})",
            EVERY,
            with_board(*sat, "BOARD.json"),
            printed,
        ),
    ]
    missing = []
    if downward := fast_downward(python):
        number, words = downward
        for name, search, kinds in (
            ("FD, LM-cut", "astar(lmcut())", SLIDING),
            ("FD, iPDB", f"astar(ipdb(max_time={limit / 3:.0f}))", SLIDING),
            ("FD, blind", "astar(blind())", EVERY),
        ):
            line = with_pddl(*words, "--plan-file", "plan", "DOMAIN", "PROBLEM", "--search", search)
            found.append(Peer(name, number, kinds, line, of_planner("plan")))
    else:
        missing.append("Fast Downward")
    if perplan := package(python, "pyperplan", "pyperplan"):
        words = [python, "-m", "pyperplan", "-s", "astar", "-H", "lmcut", "DOMAIN", "PROBLEM"]
        read = of_planner("problem.pddl.soln")
        found.append(Peer("pyperplan, LM-cut", perplan[0], SLIDING, with_pddl(*words), read))
    else:
        missing.append("pyperplan")
    if fifteen := package(python, "fifteen-puzzle-solvers", "fifteen_puzzle_solvers"):
        words = [python, "-c", FIFTEEN, "BOARD"]
        found.append(
            Peer("fifteen-puzzle-solvers", fifteen[0], SLIDING, with_board(*words), printed)
        )
    else:
        missing.append("fifteen-puzzle-solvers")
    if program := shutil.which("twsearch"):

        def read_twsearch(out: str, problem: Problem, folder: Path) -> Plan | None:
            return plan_of_twsearch(out, problem)

        found.append(Peer("twsearch", "on the PATH", ("2023",), twsearch(program), read_twsearch))
    else:
        missing.append("twsearch")
    return found, missing


def fast_downward(python: str) -> tuple[str, list[str]] | None:
    """Return Fast Downward's version and the words that start it."""
    if found := package(python, "up-fast-downward", "up_fast_downward"):
        return found[0], [python, f"{found[1]}/downward/fast-downward.py"]
    for name in ("fast-downward.py", "fast-downward"):
        if program := shutil.which(name):
            return "on the PATH", [program]
    return None


@dataclass(frozen=True)
class Run:
    """The run of one program on one board; `plan` is None if it printed none."""

    plan: Plan | None
    seconds: float
    cpu_seconds: float
    was_ended: bool


def run(peer: Peer, problem: Problem, seconds: float) -> Run:
    """Run a program on a board, in a folder of its own, for so many seconds at the most."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = peer.command(problem, folder)
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        was_ended = False
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            was_ended = True
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
        wall = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        plan = None if was_ended else peer.read(out, problem, folder)
        return Run(plan, wall, cpu, was_ended)


def told(done: Run, problem: Problem, optimum: int, limit: float) -> str:
    """Return a cell of the table."""
    if done.was_ended:
        return f"> {limit:.0f} s"
    if done.plan is None:
        return "failed"
    if not check_plan(problem, done.plan).solves:
        return f"wrong plan, {done.seconds:.1f} s"
    if len(done.plan) > optimum:
        return f"{len(done.plan)} moves"
    return f"{done.seconds:.1f} s"


def report(lines: list[str], found: list[Peer], missing: list[str], limit: float) -> str:
    """Return table and circumstances as Markdown."""
    names = [peer.name for peer in found]
    head = [f"| board | moves | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    names_of = (p.name.partition(",")[0].replace("FD", "Fast Downward") for p in found)
    versions = ", ".join(
        dict.fromkeys(f"{name} {p.version}" for name, p in zip(names_of, found, strict=True))
    )
    absent = f" Not installed: {', '.join(missing)}." if missing else ""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    note = (
        f"Wall time, including start-up; at most {limit:.0f} s and {MEMORY >> 30} GiB. "
        f"Measured on {day}: {machine()}. Versions: {versions}.{absent}"
    )
    return "\n".join([*head, *lines, "", note])


def main() -> None:
    """Measure, and print the table or write it into a page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--time-limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--only", default="", help="boards whose kind and name contain this")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    options = parser.parse_args()
    # Not resolved: the link to the interpreter is what tells the virtual environment.
    python = os.path.abspath(shutil.which(options.python) or options.python)
    found, missing = peers(python, options.time_limit)
    lines = []
    warm = set[str]()
    for kind, folder, name in BOARDS:
        instances = load_instance_set(ROOT / "instances" / folder).instances
        (instance,) = (i for i in instances if i.name == name)
        problem, optimum = instance.problem, instance.optimal_length
        if options.only not in f"{kind} {name}" or optimum is None:
            continue
        if kind not in warm:
            warm.add(kind)
            run(found[0], problem, options.time_limit)
        cells = [
            told(run(peer, problem, options.time_limit), problem, optimum, options.time_limit)
            if kind in peer.kinds
            else "-"
            for peer in found
        ]
        lines.append(f"| {kind} `{name}` | {optimum} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = report(lines, found, missing, options.time_limit)
    if options.write is None:
        print(text)
        return
    page = options.write.read_text(encoding="utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
