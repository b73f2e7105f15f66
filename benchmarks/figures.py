"""Figures that benchmarks measure: kept, one JSON object a line, for the page of all benchmarks.

Unless the environment names a file, nothing is kept, and a benchmark only prints.
"""

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

VARIABLE = "PLANSOLVE_FIGURES"
"""The variable that names the file."""


@dataclass(frozen=True)
class Figure:
    """A measured figure, whose `name` stays the same from version to version.

    `aim` is what it should reach, `yardstick` what something else takes for the same in this run;
    less is better unless `more_is_better`.
    """

    name: str
    value: float
    unit: str
    aim: float | None = None
    yardstick: float | None = None
    more_is_better: bool = False

    @property
    def is_reached(self) -> bool:
        """Return True if the figure reaches its aim, or has none."""
        if self.aim is None:
            return True
        return self.value >= self.aim if self.more_is_better else self.value <= self.aim


def keep(
    name: str,
    value: float,
    unit: str,
    *,
    aim: float | None = None,
    yardstick: float | None = None,
    more_is_better: bool = False,
) -> None:
    """Keep a figure for the page."""
    if path := os.environ.get(VARIABLE):
        figure = Figure(name, value, unit, aim, yardstick, more_is_better)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(figure)) + "\n")


def kept(path: Path) -> list[Figure]:
    """Return the figures of a file."""
    return [Figure(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def machine() -> str:
    """Return what the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0]
    shared = f", shared with other work (load {load:.0f})" if load > 1 else ""
    system = f"{platform.system()} on {_processor()}"
    return f"{system}, {cores} cores{shared}, Python {platform.python_version()}"


def _processor() -> str:
    """Return the processor's name where the system tells it, else its kind."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
