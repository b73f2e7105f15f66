"""The one funnel: validate, pick an engine, solve, replay the plan, return a result."""

import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from plansolve.analysis.solvability import why_unsolvable
from plansolve.bounds.registry import LowerBound, best_lower_bound
from plansolve.errors import OptionError
from plansolve.model.problem import Problem, penalty
from plansolve.model.structure import raised_to_parity
from plansolve.solvers.engine.child import Workers
from plansolve.solvers.engine.choice import Choice, choose, refute_by
from plansolve.solvers.engine.portfolio import Event, Portfolio, Progress, Stage
from plansolve.solvers.engine.registry import ENGINES, Engine, check_fit, find_engine
from plansolve.solvers.engine.shortest_plans import Enumeration, check_enumerable, least_penalty
from plansolve.solvers.limits import CutShort, Limits, cores
from plansolve.solvers.protocol import NO_PLAN, Options
from plansolve.solvers.result import Result, Status, StopReason

__all__ = ["solve"]


def solve(
    problem: Problem,
    *,
    optimal: bool = True,
    engine: str = "auto",
    backend: str | None = None,
    encoding: str | None = None,
    lemmas: Iterable[str] | None = None,
    proofs: Path | None = None,
    max_horizon: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    plans: Literal["one", "all", "count"] = "one",
    most_plans: int | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Result:
    """Finds a plan and proves what it can about the shortest one.

    With `optimal` the plan is a shortest one, and among those one of the least penalty, unless a
    limit comes first. Without, short plans and the bound are improved side by side until they
    meet or `time_limit` is over. `engine` is "auto" or one of `ENGINES`; `backend`, `encoding`
    and `lemmas` are for the formula engines (`lemmas=()` is the plain encoding). `proofs` is a
    folder in which `cnf` puts each formula that it refutes, from an elementary bound on, and the
    proof. `max_horizon` asks only whether there is a plan of at most so many moves. `time_limit`
    is in seconds, `memory_limit` in bytes of all the engines' processes, `threads` how many cores
    a proof may use (default: all). `plans` asks for all shortest plans, or how many there are, up
    to `most_plans`. `progress` is called with an `Event` now and then. `workers` are processes to
    use again and again, for those who solve many boards.

    Every plan has been replayed by the checker. A limit, or Ctrl-C, ends the work with a result
    that holds the best plan and what was proved until then.

    Raises `OptionError` for options that do not exist or do not go together, `EngineError` where
    a back end is not installed, and `InternalError` where a plan fails the replay.
    """
    begin = time.monotonic()
    if isinstance(lemmas, str):
        raise OptionError(f"lemmas is the text {lemmas!r}: give a list of names")
    options = Options(
        backend,
        encoding,
        None if lemmas is None else tuple(lemmas),
        None if proofs is None else str(proofs),
    )
    chosen, options = _checked_engine(problem, engine, options, optimal)
    name = "auto" if chosen is None else chosen.name
    _check_limits(max_horizon, time_limit, memory_limit, threads)
    enumeration = _enumeration(problem, plans, most_plans, optimal, name == "cnf")
    if problem.start == problem.goal:
        return _nothing_to_do(name, enumeration)
    limits = Limits(None if time_limit is None else begin + time_limit, memory_limit)
    with ExitStack() as stack:
        job = _Solving(
            problem,
            chosen,
            options,
            Portfolio(
                problem,
                options,
                limits,
                progress or _ignore,
                workers or stack.enter_context(Workers()),
                cap=NO_PLAN if max_horizon is None else max_horizon + 1,
                keep_children=workers is not None or enumeration is not None,
            ),
            enumeration,
            max_horizon is not None,
        )
        reason, explanation = job.run(optimal, limits, threads or cores())
    return job.result(reason, explanation, time.monotonic() - begin)


def _ignore(event: Event) -> None:
    """Progress that nobody watches."""


def _checked_engine(
    problem: Problem, name: str, options: Options, optimal: bool
) -> tuple[Engine | None, Options]:
    """The engine and all its options; None is "auto", which with any option is "cnf"."""
    if name == "auto":
        if options == Options():
            return None, options
        name = "cnf"
    engine = find_engine(name)
    check_fit(engine, problem.structure)
    if engine.by_formula:
        # The encoders take longer to import than some searches to prove a plan.
        from plansolve.solvers.formula.attempt import Job

        options = Job.of(problem, name, options).options
    elif options != Options():
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


def _enumeration(
    problem: Problem, plans: str, most: int | None, optimal: bool, by_formula: bool
) -> Enumeration | None:
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


def _nothing_to_do(engine: str, enumeration: Enumeration | None) -> Result:
    found: dict[str, Any] = {}
    if enumeration is not None:
        found = {"plan_count": 1, "is_every_plan": True}
        if not enumeration.count_only:
            found["plans"] = ((),)
    return Result(
        Status.OPTIMAL,
        (),
        0,
        0,
        StopReason.SOLVED,
        engine,
        lower_bound_by="the board is the goal",
        penalty=0,
        is_least_penalty=True,
        **found,
    )


def _check_limits(
    max_horizon: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    threads: int | None,
) -> None:
    if max_horizon is not None and not (isinstance(max_horizon, int) and max_horizon >= 0):
        raise OptionError(f"the largest horizon is {max_horizon}: it must be 0, 1, 2 ...")
    if time_limit is not None and not time_limit > 0:
        raise OptionError(f"the time limit is {time_limit} seconds: it must be more than 0")
    if memory_limit is not None and memory_limit <= 0:
        raise OptionError(f"the memory limit is {memory_limit} bytes: it must be more than 0")
    if threads is not None and not (isinstance(threads, int) and threads > 0):
        raise OptionError(f"the number of threads is {threads}: it must be 1, 2, 3 ...")


class _Solving:
    """One call of `solve`, from the first bound to the result."""

    def __init__(
        self,
        problem: Problem,
        engine: Engine | None,
        options: Options,
        portfolio: Portfolio,
        enumeration: Enumeration | None,
        any_plan: bool,
    ) -> None:
        self._name = "auto" if engine is None else engine.name
        # Whether a plan within the horizon is all that was asked for.
        self._any_plan = any_plan
        self._problem, self._engine, self._options = problem, engine, options
        self._portfolio, self._enumeration = portfolio, enumeration
        # A board that is not the goal needs a move; more is known soon.
        self._initial = LowerBound(1, "the board is not the goal")
        self._first = 1
        self._choice: Choice | None = None
        self._is_least_penalty = False

    def run(self, optimal: bool, limits: Limits, threads: int) -> tuple[StopReason, str]:
        """Works until all is proved or a limit is reached, and tells why it ended."""
        portfolio = self._portfolio
        portfolio.proved(1, self._initial.by)
        try:
            if explanation := why_unsolvable(self._problem):
                return StopReason.UNSOLVABLE, explanation
            elementary = self._options.proofs is not None
            self._initial = best_lower_bound(self._problem, elementary=elementary)
            self._first = raised_to_parity(
                self._initial.value, self._problem.structure.plan_parity(self._problem.start)
            )
            portfolio.proved(self._first, self._initial.by)
            seconds = None if limits.deadline is None else limits.deadline - time.monotonic()
            self._choice = self._choose(optimal, seconds, threads)
            if self._engine is None:
                portfolio.tell_choice(self._choice.reason)
            portfolio.run(self._choice.tracks, any_plan=self._any_plan and not optimal)
            if portfolio.is_closed and optimal and portfolio.plan is not None:
                self._is_least_penalty = penalty(self._problem, portfolio.plan) == 0
                if self._enumeration is not None:
                    self._enumeration.run(portfolio, threads)
                    self._is_least_penalty |= self._enumeration.rank(portfolio)
                elif not self._is_least_penalty:
                    self._is_least_penalty = least_penalty(self._problem, portfolio, threads)
        except CutShort as cut:
            return cut.reason, cut.detail
        except KeyboardInterrupt:
            return StopReason.INTERRUPTED, "interrupted"
        return StopReason.EXHAUSTED, "the engines have done what they can within their limits"

    def _choose(self, optimal: bool, seconds: float | None, threads: int) -> Choice:
        if self._engine is None:
            return choose(
                self._problem, self._initial, optimal=optimal, seconds=seconds, threads=threads
            )
        # Who lists plans by formulas, or asks for one within a horizon, wants SAT's own answer.
        alone = self._enumeration is not None or self._any_plan
        if self._engine.by_formula and not alone:
            return refute_by(self._engine, self._problem, seconds=seconds, threads=threads)
        stage = Stage(self._engine, threads=threads, memory=0.8)
        return Choice(((stage,),), f"{self._engine.name} was asked for")

    def result(self, reason: StopReason, explanation: str, seconds: float) -> Result:
        """What is known at the end, after the work has ended for the given reason."""
        portfolio = self._portfolio
        plan, lower = portfolio.plan, portfolio.lower_bound
        was_interrupted = reason == StopReason.INTERRUPTED
        if lower >= NO_PLAN:
            reason = StopReason.UNSOLVABLE
            explanation = f"{portfolio.bound_by} has searched every board that can be reached"
        if reason == StopReason.UNSOLVABLE:
            return Result(
                Status.UNSOLVABLE,
                None,
                None,
                None,
                reason,
                self._name,
                explanation,
                was_interrupted=was_interrupted,
            )
        if plan is None and portfolio.is_closed:
            status, reason = Status.NO_PLAN_WITHIN_HORIZON, StopReason.HORIZON
        elif plan is None:
            status = Status.UNKNOWN
        elif lower == len(plan):
            status, reason = Status.OPTIMAL, StopReason.SOLVED
        else:
            status = Status.FEASIBLE
        cut_short = reason not in (StopReason.SOLVED, StopReason.HORIZON)
        found: dict[str, Any] = {}
        if self._enumeration is not None and status == Status.OPTIMAL:
            found = self._enumeration.document()
            cut_short = not (self._enumeration.is_complete or self._enumeration.is_enough)
        return Result(
            status=status,
            plan=plan,
            lower_bound=lower,
            upper_bound=None if plan is None else len(plan),
            stop_reason=reason,
            engine=self._name,
            explanation=explanation if cut_short else "",
            statistics=self._statistics(seconds),
            lower_bound_by=portfolio.bound_by,
            upper_bound_by=portfolio.plan_by,
            penalty=None if plan is None else penalty(self._problem, plan),
            is_least_penalty=self._is_least_penalty,
            was_interrupted=was_interrupted,
            **found,
        )

    def _statistics(self, seconds: float) -> dict[str, object]:
        portfolio = self._portfolio
        document: dict[str, object] = {
            "initial_bound": self._initial.value,
            "initial_bound_by": self._initial.by,
            "first_horizon": self._first,
            "counts": {engine: dict(counts) for engine, counts in portfolio.counts.items()},
            "seconds": round(seconds, 3),
        }
        if self._choice is not None:
            document["choice"] = self._choice.document()
        horizons = portfolio.records
        if horizons or (self._engine is not None and self._engine.by_formula):
            options = portfolio.options
            document |= {
                "backend": options.backend,
                "encoding": options.encoding,
                "lemmas": list(options.lemmas or ()),
                "refuted": [r["horizon"] for r in horizons if r["refuted"]],
                "conflicts": sum(r["conflicts"] or 0 for r in horizons),
                "horizons": horizons,
            }
        document["rounds"] = []
        return document
