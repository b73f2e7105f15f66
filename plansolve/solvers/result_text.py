"""A result in words: the one place for what every program says of plans, bounds and proofs."""

from collections.abc import Sequence
from itertools import pairwise

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.solvers.formula.backends import FORMULA_ENGINES
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.text import at_least, counted

__all__ = ["fewest", "penalty_name", "such_plans", "summary"]

# Ends that a user should hear of even where there is a plan.
_UNASKED = (StopReason.MEMORY, StopReason.CRASH, StopReason.INTERRUPTED)


def summary(problem: Problem, result: Result, max_horizon: int | None, seconds: float) -> str:
    """Return one line for people: what was found, what was proved and how, in how long."""
    return f"{_claim(problem, result, max_horizon)}; {seconds:.1f} s"


def _claim(problem: Problem, result: Result, max_horizon: int | None) -> str:
    if result.status == Status.UNSOLVABLE:
        return f"unsolvable: {result.explanation}"
    length = result.length
    if length == 0:
        return "0 moves, optimal: the board is the goal"
    proof = _proof(result)
    match result.status:
        case Status.OPTIMAL:
            assert length is not None
            second = _penalty(problem, result) + _count(result)
            return f"{counted(length, 'move')}, optimal{second}: {proof}"
        case Status.FEASIBLE:
            assert length is not None
            stopped = f" ({result.explanation})" if result.stop_reason in _UNASKED else ""
            return (
                f"{counted(length, 'move')}, not proved optimal{stopped}: "
                f"{at_least(result.lower_bound)}, {proof}"
            )
        case Status.NO_PLAN_WITHIN_HORIZON:
            assert max_horizon is not None
            return f"proved: no plan of {counted(max_horizon, 'move')} or fewer: {proof}"
    least = at_least(result.lower_bound, "move")
    return f"gave up ({result.explanation}), no plan yet: {least}, {proof}"


def _penalty(problem: Problem, result: Result) -> str:
    what = penalty_name(problem.puzzle)
    if not what or (result.plan_count is not None and not result.is_least_penalty):
        return ""
    return f", {result.penalty} {what} ({fewest(result.is_least_penalty)})"


def fewest(is_least: bool) -> str:
    """Return what is known of a plan's penalty, the second key of the ranking."""
    return "the fewest" if is_least else "not proved the fewest"


def penalty_name(puzzle: Puzzle) -> str:
    """Return what a penalty counts: the moves' names where each costs 1; "" where none does."""
    penalised = {o.name: o.penalty for o in puzzle.operators if o.penalty}
    return "/".join(penalised) if set(penalised.values()) <= {1} else "penalty"


def _count(result: Result) -> str:
    if result.plan_count is None:
        return ""
    return f", {such_plans(result.plan_count, result.is_every_plan)}"


def such_plans(count: int, is_every_plan: bool = True) -> str:
    """Return how many shortest plans there are, or at least are."""
    if not is_every_plan:
        return f"at least {count} such plans"
    return "the only such plan" if count == 1 else f"{count} such plans"


def _proof(result: Result) -> str:
    statistics = result.statistics
    first, initial = statistics.first_horizon, statistics.initial_bound
    text = f"lower bound {initial} ({statistics.initial_bound_by})"
    if first != initial:
        text += f", {first} by parity"
    formula = next((e for e in (result.engine, result.lower_bound_by) if e in FORMULA_ENGINES), "")
    if formula and statistics.options is not None:
        refuted = statistics.refuted
        text += f"; {_horizons(refuted)} refuted" if refuted else "; no horizon to refute"
        text += f" ({formula}, {statistics.options.backend})"
    elif result.lower_bound is not None and result.lower_bound > first:
        text += f"; {result.lower_bound} by {result.lower_bound_by}"
    if result.upper_bound_by not in ("", result.lower_bound_by, formula):
        text += f"; plan by {result.upper_bound_by}"
    return text


def _horizons(horizons: Sequence[int]) -> str:
    word = "horizon" if len(horizons) == 1 else "horizons"
    if len(horizons) <= 10:
        return f"{word} {', '.join(map(str, horizons))}"
    if len({b - a for a, b in pairwise(horizons)}) == 1:
        return f"{word} {horizons[0]}, {horizons[1]} to {horizons[-1]}"
    return f"{len(horizons)} {word} from {horizons[0]} to {horizons[-1]}, not all between,"
