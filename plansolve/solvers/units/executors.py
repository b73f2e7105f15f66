"""Who works on units, by a text that users write.

local, local:4            processes of this machine, as many as it has cores, or 4
dask://HOST:PORT          the workers of a cluster whose scheduler listens there
dask-local, dask-local:4  a cluster of Dask on this machine, ended with the work
"""

import re
from importlib import import_module

from plansolve.errors import EngineError, OptionError
from plansolve.solvers.limits import cores
from plansolve.solvers.units.crew import Crew, ProcessCrew
from plansolve.text import quote

__all__ = ["check_executor", "local_processes", "open_crew"]

_SPECIFICATION = re.compile(r"(local|dask-local)(?::(\d{1,4}))?|dask://([^\s/]+:\d{1,5})")
_CHOICES = "local, local:N, dask://HOST:PORT or dask-local:N"


def check_executor(specification: str) -> None:
    """Raise `OptionError` unless `open_crew` may understand the specification."""
    match = _SPECIFICATION.fullmatch(specification)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise OptionError(f"{quote(specification)} is no executor: choose {_CHOICES}")


def local_processes(specification: str) -> int:
    """Return how many processes of this machine a specification names; 0 where it names others.

    Raise `OptionError` for one that means nothing.
    """
    check_executor(specification)
    kind, _, number = specification.partition(":")
    return (int(number) if number else cores()) if kind == "local" else 0


def open_crew(specification: str) -> Crew:
    """Return the crew that a specification names, see the module.

    Raise `OptionError` for one that means nothing, and `EngineError` where Dask is missing or
    nobody answers.
    """
    check_executor(specification)
    match = _SPECIFICATION.fullmatch(specification)
    assert match is not None
    kind, number, address = match.groups()
    count = int(number) if number else cores()
    if kind == "local":
        return ProcessCrew(count)
    try:
        import_module("distributed")
    except ImportError:
        raise EngineError(
            f"{specification} needs Dask: pip install 'plansolve[distributed]'"
        ) from None
    from plansolve.solvers.units.dask_crew import DaskCrew

    return DaskCrew.at(f"tcp://{address}") if address else DaskCrew.here(count)
