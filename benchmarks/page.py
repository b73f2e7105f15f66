"""All benchmarks in one page: figures, aims and yardsticks, with the machine's name.

    python benchmarks/page.py                                  writes benchmark.html, benchmark.json
    python benchmarks/page.py --against earlier.json           and how each figure has changed
    python benchmarks/page.py --only kernel,lloyd

It takes less than a quarter of an hour, a minute of which builds missing tables. Run
with nothing else on the machine. The JSON file holds the same figures, for a later `--against`.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from html import escape
from importlib.metadata import version
from pathlib import Path

from figures import VARIABLE, Figure, kept, machine

from plansolve.tables import Cell, Table, Value, as_html, html_page, paragraph

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Part:
    """A benchmark as the page runs it."""

    name: str
    title: str
    arguments: tuple[str, ...] = ()

    @property
    def script(self) -> Path:
        """The file that is run."""
        return HERE / f"{self.name}.py"


PARTS = (
    Part("kernel", "The kernels of IDA* beside the same in C"),
    Part("search", "Proofs by search"),
    Part(
        "sat",
        "Proofs by SAT beside the plain encoding",
        ("--only", "8-puzzle,2023,Lloyd,31,42b", "--limit", "20"),
    ),
    Part("any_puzzle", "Puzzles of any kind"),
    Part("lloyd", "Lloyd's squares", ("--squares", "0,1,2,3", "--beam", "8")),
    Part("large_boards", "Large boards", ("--sizes", "6x6,10x10,20x20", "--boards", "2")),
)


@dataclass(frozen=True)
class Measured:
    """A part's figures, what it printed, and how it ended."""

    part: Part
    figures: list[Figure]
    printed: str
    exit_code: int
    seconds: float


def measure(part: Part) -> Measured:
    """Run a benchmark, pass on what it prints, and return its figures."""
    print(f"{part.title}: {part.name}.py {' '.join(part.arguments)}", flush=True)
    begin, printed = time.monotonic(), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "figures")
        path.touch()
        with subprocess.Popen(
            [sys.executable, str(part.script), *part.arguments],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {VARIABLE: str(path), "PYTHONUNBUFFERED": "1"},
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(f"  {line}", end="", flush=True)
                printed.append(line)
        figures = kept(path)
    return Measured(part, figures, "".join(printed), process.returncode, time.monotonic() - begin)


def body(found: list[Measured], before: Mapping[str, float], about: str) -> Iterator[str]:
    """Yield the page but for its head."""
    missed = [f for one in found for f in one.figures if not f.is_reached]
    failed = [one.part.name for one in found if one.exit_code]
    yield paragraph(about)
    for name in failed:
        yield paragraph(f"{name} ended with an error: its figures are not all here.", "notice")
    total = sum(len(one.figures) for one in found)
    yield paragraph(
        f"{total} figures, of which {len(missed)} miss their targets. The gain is over "
        "the yardstick: below 1, the yardstick is better."
    )
    columns: tuple[str, ...] = ("figure", "measured", "target", "yardstick", "gain")
    columns += ("before", "change") if before else ()
    for one in found:
        rows = [row(figure, before) for figure in one.figures]
        yield from as_html(Table(one.part.title, columns, rows))
        yield f"<details><summary>{one.part.name}.py, {one.seconds:.0f} s</summary>"
        yield f"<pre>{escape(one.printed)}</pre></details>\n"


def row(figure: Figure, before: Mapping[str, float]) -> list[Cell | Value]:
    """Return a figure's row."""
    mark = "fair" if figure.aim is None else "good" if figure.is_reached else "bad"
    against = None
    if figure.yardstick:
        against = figure.yardstick / figure.value
        if figure.more_is_better:
            against = 1 / against
    cells: list[Cell | Value] = [
        Cell(figure.name, mark=mark),
        Cell(figure.value, f"{figure.value:.3g} {figure.unit}"),
        figure.aim,
        number(figure.yardstick, ".3g"),
        number(against, ".2f"),
    ]
    if before:
        old = before.get(figure.name)
        change = figure.value / old - 1 if old else None
        cells += [number(old, ".3g"), number(change, "+.0%")]
    return cells


def number(value: float | None, form: str) -> Cell:
    """Return a number in that form, or the cell of none."""
    return Cell(value, "" if value is None else format(value, form))


def figures_of(path: Path) -> dict[str, float]:
    """Return the figures of an earlier page, by name."""
    try:
        found = json.loads(path.read_text("utf-8"))["figures"]
        return {str(figure["name"]): float(figure["value"]) for figure in found}
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path}: not the figures of an earlier page: {error!r}")


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", help="benchmarks, separated by commas")
    parser.add_argument("--against", type=Path, metavar="JSON", help="figures of an earlier page")
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmark.html"))
    options = parser.parse_args()
    before = figures_of(options.against) if options.against else {}
    wanted = options.only.split(",") if options.only else [part.name for part in PARTS]
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    about = f"plansolve {version('plansolve')}, measured on {day}: {machine()}."
    found = [measure(part) for part in PARTS if part.name in wanted]
    page = html_page("plansolve benchmarks", "Benchmarks", body(found, before, about))
    options.output.write_text(page, encoding="utf-8")
    figures = [asdict(figure) for one in found for figure in one.figures]
    document = {"about": about, "figures": figures}
    options.output.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
    print(f"{options.output} and {options.output.with_suffix('.json')} written")
    return int(any(one.exit_code for one in found))


if __name__ == "__main__":
    sys.exit(main())
