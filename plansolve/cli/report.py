"""A result in words, and as the JSON document `plansolve.result/1`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from plansolve.formats.json_document import in_rows, puzzle_entry
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, Puzzle
from plansolve.solvers.formula.backends import FORMULA_ENGINES
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.text import counted

__all__ = ["penalty_name", "result_document", "summary"]

SCHEMA = "plansolve.result/1"

# Ends that a user should hear of even where there is a plan.
_UNASKED = (StopReason.MEMORY, StopReason.CRASH, StopReason.INTERRUPTED)


def result_document(
    problem: Problem, result: Result, convention: str, seconds: float
) -> dict[str, Any]:
    """The result for machines; `moves` is the convention in which the plan's moves are named."""
    puzzle = problem.puzzle
    names = puzzle.blank_names if convention == "blank" else {}

    def told(plan: Plan) -> list[str]:
        return [names.get(move, move) for move in plan]

    return {
        "schema": SCHEMA,
        "puzzle": puzzle_entry(puzzle),
        "start": in_rows(puzzle, problem.start),
        "goal": in_rows(puzzle, problem.goal),
        "moves": convention,
        "status": result.status.value,
        "plan": None if result.plan is None else told(result.plan),
        "plans": None if result.plans is None else [told(plan) for plan in result.plans],
        "plan_count": result.plan_count,
        "is_every_plan": result.is_every_plan,
        "length": result.length,
        "lower_bound": result.lower_bound,
        "upper_bound": result.upper_bound,
        "lower_bound_by": result.lower_bound_by,
        "upper_bound_by": result.upper_bound_by,
        "penalty": result.penalty,
        "is_least_penalty": result.is_least_penalty,
        "engine": result.engine,
        "stop_reason": result.stop_reason.value,
        "explanation": result.explanation,
        "seconds": round(seconds, 3),
        "statistics": dict(result.statistics),
    }


def summary(problem: Problem, result: Result, max_horizon: int | None, seconds: float) -> str:
    """One line for people: what was found, what was proved and how, in how long."""
    return f"{_claim(problem, result, max_horizon)}; {seconds:.1f} s"


def _claim(problem: Problem, result: Result, max_horizon: int | None) -> str:
    if result.status == Status.UNSOLVABLE:
        return f"unsolvable: {result.explanation}"
    length, bound = result.length, result.lower_bound
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
                f"every plan has {bound} or more, {proof}"
            )
        case Status.NO_PLAN_WITHIN_HORIZON:
            assert max_horizon is not None
            return f"proved: no plan of {counted(max_horizon, 'move')} or fewer: {proof}"
    assert bound is not None
    stopped = result.explanation
    least = counted(bound, "move")
    return f"gave up ({stopped}), no plan yet: every plan has {least} or more, {proof}"


def _penalty(problem: Problem, result: Result) -> str:
    """The second key of the ranking, where the puzzle has one: ", 12 t (the fewest)"."""
    what = penalty_name(problem.puzzle)
    if not what or (result.plan_count is not None and not result.is_least_penalty):
        return ""
    proved = "the fewest" if result.is_least_penalty else "not proved the fewest"
    return f", {result.penalty} {what} ({proved})"


def penalty_name(puzzle: Puzzle) -> str:
    """What a penalty counts, for people: the moves' names where each costs 1; "" for none."""
    penalised = {o.name: o.penalty for o in puzzle.operators if o.penalty}
    return "/".join(penalised) if set(penalised.values()) <= {1} else "penalty"


def _count(result: Result) -> str:
    if result.plan_count is None:
        return ""
    if result.is_every_plan:
        return (
            ", the only such plan"
            if result.plan_count == 1
            else f", {result.plan_count} such plans"
        )
    return f", at least {result.plan_count} such plans"


def _proof(result: Result) -> str:
    statistics = result.statistics
    first, initial = statistics["first_horizon"], statistics["initial_bound"]
    text = f"lower bound {initial} ({statistics['initial_bound_by']})"
    if first != initial:
        text += f", {first} by parity"
    formula = next((e for e in (result.engine, result.lower_bound_by) if e in FORMULA_ENGINES), "")
    if formula:
        refuted: Sequence[int] = statistics["refuted"]
        text += f"; {_horizons(refuted)} refuted" if refuted else "; no horizon to refute"
        text += f" ({formula}, {statistics['backend']})"
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
