"""A result as the JSON document `plansolve.result/1`."""

from typing import Any

from plansolve.formats.json_document import puzzle_entry
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.result import Result

__all__ = ["result_document"]

SCHEMA = "plansolve.result/1"


def result_document(
    problem: Problem, result: Result, convention: str, seconds: float
) -> dict[str, Any]:
    """Return the result for machines; `convention` is what the plan's moves are named after."""
    puzzle = problem.puzzle
    names = puzzle.blank_names if convention == "blank" else {}

    def told(plan: Plan) -> list[str]:
        return [names.get(move, move) for move in plan]

    return {
        "schema": SCHEMA,
        "puzzle": puzzle_entry(puzzle),
        "start": puzzle.in_rows(problem.start),
        "goal": puzzle.in_rows(problem.goal),
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
        "statistics": result.statistics.document(),
    }
