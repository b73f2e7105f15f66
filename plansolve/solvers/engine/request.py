"""What `solve` is asked, checked before anything is done."""

from plansolve.bounds.registry import admissible_bound
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.solvers.engine.follow_up import Enumeration, check_enumerable
from plansolve.solvers.engine.registry import ENGINES, Engine, check_fit, find_engine
from plansolve.solvers.protocol import Options

__all__ = ["check_limits", "checked_engine", "checked_enumeration"]


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
    if name == "auto" or not find_engine(name).bounded:
        able = (e.name for e in ENGINES.values() if e.bounded)
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
    if plans not in ("all", "count"):
        raise OptionError(f"plans is {plans!r}: choose from one, all, count")
    if not optimal:
        raise OptionError("only shortest plans are listed or counted: ask for an optimal one")
    if most is not None and most < 1:
        raise OptionError(f"at most {most} plans make no sense: ask for 1 or more")
    if not by_formula:
        check_enumerable(problem)
    return Enumeration(plans == "count", most, by_formula)


def check_limits(
    max_horizon: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    threads: int | None,
    cancel: object,
) -> None:
    """Raise `OptionError` for limits that make no sense."""
    if cancel is not None and not hasattr(cancel, "is_set"):
        raise OptionError(f"cancel is {cancel!r}: give a threading.Event")
    if max_horizon is not None and not (isinstance(max_horizon, int) and max_horizon >= 0):
        raise OptionError(f"the largest horizon is {max_horizon}: it must be 0, 1, 2 ...")
    if time_limit is not None and not time_limit > 0:
        raise OptionError(f"the time limit is {time_limit} seconds: it must be more than 0")
    if memory_limit is not None and memory_limit <= 0:
        raise OptionError(f"the memory limit is {memory_limit} bytes: it must be more than 0")
    if threads is not None and not (isinstance(threads, int) and threads > 0):
        raise OptionError(f"the number of threads is {threads}: it must be 1, 2, 3 ...")
