"""The samples of twsearch given to plansolve and to twsearch itself, in one run on your machine.

    python benchmarks/twsearch.py twsearch/samples/main --program twsearch/build/bin/twsearch

Both solve the same random scrambles optimally in single turns, each in a process of its own, start
included; an earlier scramble has made the kernels and tables that each program keeps.
Prints, for each sample, the lengths of the optima, the median seconds of both, and their ratio.
twsearch: github.com/cubing/twsearch (its C++ program is github.com/rokicki/twsearch).
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from plansolve.cli.board import GivenBoard
from plansolve.model.puzzle import Puzzle

SAMPLES = {"2x2x2": 30, "pyraminx": 30, "skewb": 30, "lo44": 12, "topspin": 30}
"""Each sample's name, and of how many random turns its scrambles are."""

_MEGABYTES = "2048"


def scramble(puzzle: Puzzle, turns: int, random: Random) -> str:
    """Return so many turns, none of which takes the one before back."""
    words: list[str] = []
    while len(words) < turns:
        word = random.choice(puzzle.move_names)
        if not words or {word, words[-1]} != {word.rstrip("'"), word.rstrip("'") + "'"}:
            words.append(word)
    return " ".join(words)


def ours(definition: Path, turns: str) -> list[str]:
    """Return the command that has plansolve solve a scramble."""
    options = ["--optimal", "--quiet", "--scramble", turns]
    return [sys.executable, "-m", "plansolve", "solve", str(definition), *options]


def theirs(program: str, folder: str, definition: Path, turns: str) -> list[str]:
    """Return the command that has twsearch solve it, with its tables in a folder."""
    options = ["-q", "-M", _MEGABYTES, "--cachedir", folder, "--scramblealg", turns]
    return [program, *options, str(definition)]


def timed(command: list[str], limit: float) -> tuple[str, float]:
    """Return what a command prints, and the seconds that it takes."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    seconds = time.perf_counter() - begin
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout, seconds


def plan_of_twsearch(text: str) -> list[str]:
    """Return the moves of the first solution; they are indented by one space."""
    found = re.search(r"^ (\S.*)$", text, re.MULTILINE)
    return found[1].split() if found else []


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="twsearch's samples")
    parser.add_argument("--program", default="twsearch")
    parser.add_argument("--only", default="", help="samples whose name contains this")
    parser.add_argument("--scrambles", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=300.0, metavar="SECONDS")
    options = parser.parse_args()
    program = shutil.which(options.program) or sys.exit(f"no program {options.program}")
    print(f"{'sample':10} {'moves':>16} {'plansolve':>10} {'twsearch':>9} {'ratio':>6}")
    for name, turns in SAMPLES.items():
        if options.only not in name:
            continue
        definition, random = options.folder / f"{name}.tws", Random(options.seed)
        puzzle = GivenBoard(str(definition)).rules()
        lengths, own, other = list[int](), list[float](), list[float]()
        with tempfile.TemporaryDirectory() as folder:
            for number in range(options.scrambles + 1):
                start = scramble(puzzle, turns, random)
                text, mine = timed(ours(definition, start), options.time_limit)
                answer, seconds = timed(
                    theirs(program, folder, definition, start), 10 * options.time_limit
                )
                plan, known = text.split(), plan_of_twsearch(answer)
                assert len(plan) == len(known), (name, start, plan, known)
                if number:
                    lengths.append(len(plan))
                    own.append(mine)
                    other.append(seconds)
        mine, seconds = statistics.median(own), statistics.median(other)
        shown = " ".join(map(str, lengths))
        print(
            f"{name:10} {shown:>16} {mine:10.2f} {seconds:9.2f} {mine / seconds:6.2f}", flush=True
        )


if __name__ == "__main__":
    main()
