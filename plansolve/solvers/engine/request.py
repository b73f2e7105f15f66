"""What `solve` is asked, checked before anything is done."""

import os
import threading
from collections.abc import Iterable
from operator import index
from reprlib import repr as brief
from typing import NamedTuple, SupportsIndex

from plansolve.bounds.registry import admissible_bound
from plansolve.errors import OptionError, WrongTypeError
from plansolve.formats import path_of
from plansolve.model.problem import Problem
from plansolve.solvers.engine.follow_up import Enumeration, check_enumerable
from plansolve.solvers.engine.registry import ENGINES, Engine, check_fit, find_engine
from plansolve.solvers.limits import Limits, as_bytes, as_seconds
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Options, Spread
from plansolve.solvers.units.executors import check_executor

__all__ = [
    "AskedLimits",
    "check_types",
    "checked_engine",
    "checked_enumeration",
    "checked_limits",
    "checked_spread",
]


def checked_engine(
    problem: Problem, name: str, options: Options, optimal: bool
) -> tuple[Engine | None, Options]:
    """Return the engine and all its options; None is "auto", which with any option is "cnf".

    Raise `OptionError` where they do not exist, do not fit the puzzle or do not go together.
    """
    if name == "auto":
        if options == Options():
            return None, options
        name = "cnf" if options.bound is None else name
    if options.bound is not None:
        _check_bound(problem, name, options.bound)
    engine = find_engine(name)
    check_fit(engine, problem.structure)
    if engine.by_formula:
        # The encoders take longer to import than some searches to prove a plan.
        from plansolve.solvers.formula.attempt import Job

        options = Job.of(problem, name, options).options
    elif options != Options(bound=options.bound):
        raise OptionError(
            f"engine {name} takes no back end, encoding or lemmas: those are for "
            f"{' and '.join(e.name for e in ENGINES.values() if e.by_formula)}"
        )
    if optimal and not engine.proves:
        raise OptionError(
            f"engine {name} proves nothing, so it cannot find an optimal plan: choose another "
            "or leave optimality out"
        )
    return engine, options


def _check_bound(problem: Problem, name: str, bound: str) -> None:
    """Raise `OptionError` unless the engine may use a bound at its nodes, and it is admissible."""
    if name == "auto" or not find_engine(name).takes_bound:
        able = (e.name for e in ENGINES.values() if e.takes_bound)
        raise OptionError(
            f"engine {name} takes no bound for its nodes here: choose {' or '.join(able)}"
        )
    admissible_bound(bound, problem)


def checked_enumeration(
    problem: Problem, plans: str, most: int | None, optimal: bool, by_formula: bool
) -> Enumeration | None:
    """Return what to list or count, None for `plans="one"`; raise `OptionError` for nonsense."""
    if plans == "one":
        return None
    most = _whole("most_plans", most)
    if plans not in ("all", "count"):
        raise OptionError(f"plans is {plans!r}: choose from one, all, count")
    if not optimal:
        raise OptionError("only shortest plans are listed or counted: ask for an optimal one")
    if most is not None and most < 1:
        raise OptionError(f"at most {most} plans make no sense: ask for 1 or more")
    if not by_formula:
        check_enumerable(problem)
    return Enumeration(plans == "count", most, by_formula)


class AskedLimits(NamedTuple):
    """The limits of one call, in moves, seconds, bytes and cores; None where unlimited."""

    horizon: int | None
    seconds: float | None
    memory: int | None
    threads: int | None

    def from_now(self, begin: float, cancel: threading.Event | None, *, pauses: bool) -> Limits:
        """Return the limits of a call that began at that time of `time.monotonic`."""
        deadline = None if self.seconds is None else begin + self.seconds
        return Limits(deadline, self.memory, cancel=cancel, pauses=pauses)


def checked_limits(
    max_horizon: int | None,
    time_limit: float | str | None,
    memory_limit: int | str | None,
    threads: int | None,
    cancel: object,
) -> AskedLimits:
    """Return the limits in numbers; raise `OptionError` for those that make no sense.

    Raise `WrongTypeError` for what is neither a number nor text.
    """
    if cancel is not None and not hasattr(cancel, "is_set"):
        raise WrongTypeError(f"cancel is {brief(cancel)}: give a threading.Event")
    horizon = _whole("max_horizon", max_horizon)
    if horizon is not None and horizon < 0:
        raise OptionError(f"the largest horizon is {horizon}: it must be 0, 1, 2 ...")
    seconds, size = as_seconds(time_limit), as_bytes(memory_limit)
    count = _whole("threads", threads)
    if count is not None and count <= 0:
        raise OptionError(f"the number of threads is {count}: it must be 1, 2, 3 ...")
    return AskedLimits(horizon, seconds, size, count)


def checked_spread(executor: str | None, store: object) -> Spread:
    """Return who works on a proof, and what keeps it; raise `OptionError` for what means nothing.

    Raise `StoreError` for a store that cannot be used.
    """
    if executor is not None:
        check_executor(executor)
    if store is None:
        return Spread(executor)
    if isinstance(store, Spread):
        # A batch has opened its store, and keeps results itself.
        return store
    # The engines' processes may have been started in another folder.
    from plansolve.records.records import Records

    path = os.path.abspath(path_of(store, "store"))
    Records(path).close()
    return Spread(executor, path, keeps_result=True)


def check_types(
    optimal: object, progress: object, workers: object, lemmas: object, **names: object
) -> None:
    """Raise `WrongTypeError` where an option is not of its type; `names` are texts or None."""
    if not isinstance(optimal, bool):
        raise WrongTypeError(f"optimal: True or False, not {brief(optimal)}")
    for name, value in names.items():
        is_needed = name in ("engine", "plans")
        if not isinstance(value, str) and (is_needed or value is not None):
            raise WrongTypeError(f"{name}: a name, not {brief(value)}")
    if isinstance(lemmas, str):
        raise OptionError(f"lemmas is the text {lemmas!r}: give a list of names")
    if not isinstance(lemmas, Iterable | None):
        raise WrongTypeError(f"lemmas: a list of names, not {brief(lemmas)}")
    if progress is not None and not callable(progress):
        raise WrongTypeError(f"progress: a function that takes an Event, not {brief(progress)}")
    if not isinstance(workers, Workers | None):
        raise WrongTypeError(f"workers: plansolve.Workers(), not {brief(workers)}")


def _whole(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise WrongTypeError(f"{name}: a whole number, not {brief(value)}")
    return index(value)
