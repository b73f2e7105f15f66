"""The request of a caller of `solve`, checked before anything is done."""

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from pathlib import Path
from reprlib import repr as brief
from typing import Any, Literal, SupportsIndex

from plansolve.bounds.registry import admissible_bound
from plansolve.errors import OptionError, WrongTypeError
from plansolve.formats import path_of
from plansolve.model.problem import Problem
from plansolve.solvers.engine.follow_up import Enumeration, check_enumerable
from plansolve.solvers.engine.registry import ENGINES, Engine, check_fit, find_engine
from plansolve.solvers.limits import Limits, as_bytes, as_seconds
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Distribution, Options, Progress

_QUICK_SECONDS = 10.0


@dataclass(frozen=True)
class Request:
    """The options of one call of `solve`, which documents them.

    Raise `OptionError` for those that make no sense, and `WrongTypeError` for wrong types.
    """

    optimal: bool = False
    engine: str = "auto"
    backend: str | None = None
    encoding: str | None = None
    bound: str | None = None
    lemmas: Iterable[str] | None = None
    proofs: str | Path | None = None
    max_horizon: int | None = None
    time_limit: float | str | None = None
    setup_counts: bool = True
    memory_limit: int | str | None = None
    threads: int | None = None
    plans: Literal["one", "all", "count"] = "one"
    most_plans: int | None = None
    progress: Progress | None = None
    workers: Workers | None = None
    cancel: threading.Event | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.optimal, bool):
            raise WrongTypeError(f"optimal must be True or False, not {brief(self.optimal)}")
        for name in ("engine", "plans", "backend", "encoding", "bound"):
            _check_name(name, getattr(self, name), is_needed=name in ("engine", "plans"))
        if isinstance(self.lemmas, str):
            raise OptionError(f"lemmas is the text {self.lemmas!r}: give a list of names")
        if not isinstance(self.lemmas, Iterable | None):
            raise WrongTypeError(f"lemmas must be a list of names, not {brief(self.lemmas)}")
        if self.progress is not None and not callable(self.progress):
            what = f"must be a function that takes an Event, not {brief(self.progress)}"
            raise WrongTypeError(f"progress {what}")
        if not isinstance(self.workers, Workers | None):
            raise WrongTypeError(f"workers must be plansolve.Workers(), not {brief(self.workers)}")
        if self.cancel is not None and not hasattr(self.cancel, "is_set"):
            raise WrongTypeError(f"cancel is {brief(self.cancel)}: give a threading.Event")
        if (horizon := self.horizon) is not None and horizon < 0:
            raise OptionError(f"max_horizon must be 0 or more, not {horizon}")
        as_seconds(self.time_limit)
        as_bytes(self.memory_limit)
        if (count := _whole("threads", self.threads)) is not None and count <= 0:
            raise OptionError(f"threads must be 1 or more, not {count}")

    @property
    def horizon(self) -> int | None:
        return _whole("max_horizon", self.max_horizon)

    def options(self) -> Options:
        return Options(
            self.backend,
            self.encoding,
            None if self.lemmas is None else tuple(self.lemmas),
            # The engines' processes may have been started in another folder.
            None if self.proofs is None else os.path.abspath(self.proofs),
            self.bound,
        )

    @property
    def is_quick(self) -> bool:
        """Return True if ten seconds are the limit: no proof, horizon or limit was requested."""
        return not self.optimal and self.max_horizon is None and self.time_limit is None

    @property
    def seconds(self) -> float | None:
        return _QUICK_SECONDS if self.is_quick else as_seconds(self.time_limit)

    def limits_from(self, begin: float) -> Limits:
        """Return the limits of a call that began at that time of `time.monotonic`."""
        return Limits(
            None if self.seconds is None else begin + self.seconds,
            as_bytes(self.memory_limit),
            cancel=self.cancel,
            pauses=self.is_quick or not self.setup_counts,
        )

    def for_store(self, engine: str) -> dict[str, Any]:
        """Return the options that a store records for the chosen engine."""
        return {
            "horizon": self.horizon,
            "seconds": self.seconds,
            "memory": as_bytes(self.memory_limit),
            "threads": self.threads,
            "engine": engine,
            "optimal": self.optimal,
        }

    def engine_for(self, problem: Problem) -> tuple[Engine | None, Options]:
        """Return the engine and all its options; None is "auto", which with any option is "cnf".

        Raise `OptionError` if they do not exist, do not fit the puzzle or do not go together.
        """
        name, options = self.engine, self.options()
        if name == "auto":
            if options == Options():
                return None, options
            name = "cnf" if options.bound is None else name
        if options.bound is not None:
            _check_bound(problem, name, options.bound)
        engine = find_engine(name)
        check_fit(engine, problem.structure)
        if engine.by_formula:
            # Importing the encoders takes longer than some searches.
            from plansolve.solvers.formula.attempt import Job

            options = Job(problem, options, name).options
        elif options != Options(bound=options.bound):
            raise OptionError(
                f"engine {name} takes no back end, encoding, lemmas or proofs: those are for "
                f"{' and '.join(e.name for e in ENGINES.values() if e.by_formula)}"
            )
        if self.optimal and not engine.proves:
            raise OptionError(
                f"engine {name} proves nothing, so it cannot find an optimal plan: choose another "
                "or leave optimality out"
            )
        return engine, options

    def enumeration(self, problem: Problem, *, by_formula: bool) -> Enumeration | None:
        """Return what to list or count, None for one plan; raise `OptionError` for nonsense."""
        if self.plans == "one":
            return None
        most = _whole("most_plans", self.most_plans)
        if self.plans not in ("all", "count"):
            raise OptionError(f"plans is {self.plans!r}: choose from one, all, count")
        if most is not None and most < 1:
            raise OptionError(f"most_plans must be 1 or more, not {most}")
        if not by_formula:
            check_enumerable(problem)
        return Enumeration(self.plans == "count", most, by_formula)


def checked_distribution(executor: str | None, store: object) -> Distribution:
    """Return the executor and the store of a proof; raise `OptionError` for meaningless values.

    Raise `StoreError` for a store that cannot be used, and `WrongTypeError` for other types.
    """
    _check_name("executor", executor)
    if executor is not None:
        # Most calls have none.
        from plansolve.solvers.units.executors import check_executor

        check_executor(executor)
    if store is None:
        return Distribution(executor)
    # The engines' processes may have been started in another folder.
    from plansolve.records.records import Records

    path = os.path.abspath(path_of(store, "store"))
    Records(path).close()
    return Distribution(executor, path, keeps_result=True)


def _check_bound(problem: Problem, name: str, bound: str) -> None:
    """Raise `OptionError` unless the engine may use a bound at its nodes, and it is admissible."""
    if name == "auto" or not find_engine(name).takes_bound:
        able = (e.name for e in ENGINES.values() if e.takes_bound)
        raise OptionError(f"engine {name} takes no bound for its nodes: choose {' or '.join(able)}")
    admissible_bound(bound, problem)


def _check_name(name: str, value: object, *, is_needed: bool = False) -> None:
    if not isinstance(value, str) and (is_needed or value is not None):
        raise WrongTypeError(f"{name} must be a name, not {brief(value)}")


def _whole(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise WrongTypeError(f"{name} must be a whole number, not {brief(value)}")
    return index(value)
