"""The specification of an executor: threads, lasting processes, or a Dask cluster.

local, local:4            processes of this machine, as many as it has cores, or 4
dask://HOST:PORT          the workers of a cluster whose scheduler listens there
dask-local, dask-local:4  a cluster of Dask on this machine, ended with the work
"""

import re

from plansolve.errors import OptionError
from plansolve.extras import require
from plansolve.solvers.limits import cores
from plansolve.solvers.units.executors import UnitExecutor, process_executor
from plansolve.text import quote

_SPECIFICATION = re.compile(r"(local|dask-local)(?::(\d{1,4}))?|dask://([^\s/]+:\d{1,5})")
_CHOICES = "local, local:N, dask://HOST:PORT or dask-local:N"


def check_executor(specification: str) -> None:
    """Raise `OptionError` unless `open_executor` may understand the specification.

    It is also raised where Dask is named and not installed.
    """
    match = _SPECIFICATION.fullmatch(specification)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise OptionError(f"{quote(specification)} is not an executor: choose {_CHOICES}")
    if "dask" in specification:
        require("distributed", specification, "distributed")


def local_processes(specification: str) -> int:
    """Return how many processes of this machine a specification names; 0 where it names others.

    Raise `OptionError` for one that means nothing.
    """
    check_executor(specification)
    kind, _, number = specification.partition(":")
    return (int(number) if number else cores()) if kind == "local" else 0


def open_executor(specification: str) -> UnitExecutor:
    """Return who a specification names, see the module.

    Raise `OptionError` for one that means nothing or needs a package that is missing, and
    `EngineError` where no scheduler answers.
    """
    if processes := local_processes(specification):
        return process_executor(processes)
    from plansolve.solvers.units.dask import open_cluster, start_cluster

    kind, _, rest = specification.partition(":")
    if kind == "dask":
        return open_cluster(f"tcp:{rest}")
    return start_cluster(int(rest) if rest else cores())
