"""The back ends by name and what each can do; nothing here imports a solver."""

from collections.abc import Mapping
from dataclasses import dataclass

from plansolve.errors import OptionError

FORMULA_ENGINES = ("cnf", "cp-sat")
"""The engines that work on formulas."""


@dataclass(frozen=True)
class Backend:
    """One solver of formulas.

    `proof` is True if it writes DRUP proofs, `incremental` if it accepts more clauses after an
    answer, and `cubes` if its proofs under assumptions have the form that `cubes` expects.
    `package` is its Python package.
    """

    name: str
    engine: str
    package: str
    proof: bool
    note: str = ""
    incremental: bool = True
    cubes: bool = False


_PYSAT = "python-sat"

BACKENDS: Mapping[str, Backend] = {
    backend.name: backend
    for backend in (
        Backend(
            "glucose42", "cnf", _PYSAT, True, "the default: fastest on most boards", cubes=True
        ),
        Backend("cadical195", "cnf", _PYSAT, True, "steady; takes about twice as long"),
        Backend("cadical300", "cnf", _PYSAT, True),
        Backend("cadical153", "cnf", _PYSAT, True),
        Backend("cadical103", "cnf", _PYSAT, True),
        Backend("glucose4", "cnf", _PYSAT, True, cubes=True),
        Backend("glucose3", "cnf", _PYSAT, True, cubes=True),
        Backend("gluecard4", "cnf", _PYSAT, True),
        Backend("kissat404", "cnf", _PYSAT, False, incremental=False),
        Backend("lingeling", "cnf", _PYSAT, True),
        Backend("maplechrono", "cnf", _PYSAT, True),
        Backend("maplecm", "cnf", _PYSAT, False),
        Backend("maplesat", "cnf", _PYSAT, False),
        Backend("mergesat3", "cnf", _PYSAT, False),
        Backend("minicard", "cnf", _PYSAT, False),
        Backend("minisat22", "cnf", _PYSAT, False),
        Backend("cp-sat", "cp-sat", "ortools", False),
    )
}


def choose_backend(engine: str, name: str | None = None) -> Backend:
    """Return the back end called `name`, or the engine's first.

    Raise `OptionError` if the engine or the name is unknown, or they do not go together.
    """
    if engine not in FORMULA_ENGINES:
        raise OptionError(f"unknown engine {engine!r}: choose from {', '.join(FORMULA_ENGINES)}")
    fitting = {b.name: b for b in BACKENDS.values() if b.engine == engine}
    if name is None:
        return next(iter(fitting.values()))
    if name not in fitting:
        other = f"{name} does not belong to engine {engine}"
        what = other if name in BACKENDS else f"unknown back end {name!r}"
        raise OptionError(f"{what}: choose from {', '.join(fitting)}")
    return fitting[name]
