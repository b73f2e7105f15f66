"""Measure how soon commands end after a signal at a random moment.

    python benchmarks/interruptions.py              200 interruptions, over all commands
    python benchmarks/interruptions.py --runs 20    some of them

Prints the slowest run of each command: the seconds to its end, the signal and the moment.
The target is two seconds, on an idle machine. A run that has ended before its
signal does not count. The first Ctrl-C lets `batch` finish its boards, so it gets another one.
"""

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.hostile.bombs import many_ends, many_tables  # noqa: E402

HARD = ROOT / "instances" / "fifteen-hardest"
LARGE = "14 5 9 2 18\n8 23 19 12 17\n15 0 10 20 4\n6 11 21 1 7\n24 3 16 22 13\n"
SHORT = {"report": 0.6, "replay": 0.8, "convert": 0.5, "list": 0.5}
"""Commands that end by themselves, and the seconds within which their signals come."""
MOST_SECONDS = 6.0


def commands(folder: Path) -> dict[str, list[str]]:
    """Return a command line for each command; those that are not `SHORT` would take long."""
    bomb, ends = many_tables(folder / "bomb"), many_ends(folder / "ends")
    large, small, store = folder / "large.puz", folder / "small.puz", folder / "store.sqlite"
    large.write_text(LARGE)
    small.write_text("7 2 4\n5 0 6\n8 3 1\n")
    for line in f"batch {small} --store {store}", f"solve {large} --json":
        words = [sys.executable, "-m", "plansolve", *line.split()]
        done = subprocess.run(words, check=True, capture_output=True)
    (folder / "plan").write_bytes(done.stdout)
    lines = {
        "solve": f"solve {large} --goal blank-first --optimal",
        "solve by SAT": f"solve {large} --goal blank-first --optimal --engine cnf",
        "batch": f"batch {HARD} --optimal --store {folder}/batch.sqlite",
        "report": f"report {store}",
        "verify": f"verify {large} {folder}/plan --optimal",
        "certify": f"certify {large} --goal blank-first -o {folder}/certificate --by search",
        "check": f"check {bomb}",
        "check of ends": f"check {ends}",
        "judge": f"judge 'sleep 1000' {HARD}",
        "replay": f"replay {small} L --html {folder}/replay.html",
        "web": "web --port 0 --no-browser",
        "generate": "generate --size 5x5 --optimal-length 90",
        "convert": f"convert {small} --to json",
        "list": "list engines",
        "tables warm": "tables warm",
        "tables build": "tables build --size 5x5 --pattern-size 6",
        "tables verify": "tables verify",
        "encode": f"encode {large} --goal blank-first --horizon 100",
        "decode": f"decode {small} --horizon 20",
    }
    return {name: shlex.split(line) for name, line in lines.items()}


def seconds_to_end(words: list[str], number: int, moment: float, folder: Path) -> float | None:
    """Return how long a run takes to end after a signal; None if it has ended before."""
    environment = os.environ | {"PLANSOLVE_CACHE_DIR": str(folder / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-m", "plansolve", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    try:
        process.wait(moment)
        return None
    except subprocess.TimeoutExpired:
        begin = time.monotonic()
        process.send_signal(number)
        if words[0] == "batch" and number == signal.SIGINT:
            time.sleep(0.1)
            process.send_signal(number)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        return time.monotonic() - begin
    finally:
        process.wait()


def main() -> None:
    """Interrupt commands, and print the slowest of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    # Shells start background jobs with Ctrl-C ignored, which the commands would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random, slowest = Random(given.seed), dict[str, tuple[float, str, float]]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lines = commands(folder)
        count = 0
        for name in cycle(lines):
            if count == given.runs:
                break
            number = random.choice([signal.SIGINT, signal.SIGTERM])
            moment = random.uniform(0.0, SHORT.get(name, MOST_SECONDS))
            if (took := seconds_to_end(lines[name], number, moment, folder)) is not None:
                count += 1
                seen = took, number.name, moment
                slowest[name] = max(slowest.get(name, seen), seen)
    for name, (took, signal_name, moment) in sorted(slowest.items(), key=lambda item: item[1]):
        print(f"{name:14} {took:5.2f} s after {signal_name} at {moment:.2f} s")
    print(f"{count} interruptions")


if __name__ == "__main__":
    main()
