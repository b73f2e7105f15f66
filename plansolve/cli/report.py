"""A result in words, and as the JSON document `plansolve.result/1`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from plansolve.formats.json_document import in_rows, puzzle_entry
from plansolve.model.problem import Problem
from plansolve.solvers.result import Result, Status

__all__ = ["result_document", "summary"]

SCHEMA = "plansolve.result/1"


def result_document(
    problem: Problem, result: Result, convention: str, seconds: float
) -> dict[str, Any]:
    """The result for machines; `moves` is the convention in which the plan's moves are named."""
    puzzle = problem.puzzle
    names = puzzle.blank_names if convention == "blank" else {}
    return {
        "schema": SCHEMA,
        "puzzle": puzzle_entry(puzzle),
        "start": in_rows(puzzle, problem.start),
        "goal": in_rows(puzzle, problem.goal),
        "moves": convention,
        "status": result.status.value,
        "plan": None if result.plan is None else [names.get(move, move) for move in result.plan],
        "length": result.length,
        "lower_bound": result.lower_bound,
        "upper_bound": result.upper_bound,
        "engine": result.engine,
        "stop_reason": result.stop_reason.value,
        "explanation": result.explanation,
        "seconds": round(seconds, 3),
        "statistics": dict(result.statistics),
    }


def summary(result: Result, max_horizon: int | None, seconds: float) -> str:
    """One line for people: what was found, what was proved and how, in how long."""
    return f"{_claim(result, max_horizon)}; {seconds:.1f} s"


def _claim(result: Result, max_horizon: int | None) -> str:
    if result.status == Status.UNSOLVABLE:
        return f"unsolvable: {result.explanation}"
    length, bound = result.length, result.lower_bound
    if length == 0:
        return "0 moves, optimal: the board is the goal"
    proof = _proof(result)
    match result.status:
        case Status.OPTIMAL:
            return f"{_moves(length)}, optimal: {proof}"
        case Status.FEASIBLE:
            return f"{_moves(length)}, not proved optimal: every plan has {bound} or more, {proof}"
        case Status.NO_PLAN_WITHIN_HORIZON:
            return f"proved: no plan of {_moves(max_horizon)} or fewer: {proof}"
    stopped = result.explanation
    return f"gave up ({stopped}), no plan yet: every plan has {_moves(bound)} or more, {proof}"


def _moves(count: int | None) -> str:
    return f"{count} move{'s' * (count != 1)}"


def _proof(result: Result) -> str:
    statistics = result.statistics
    refuted: Sequence[int] = statistics["refuted"]
    text = f"lower bound {statistics['initial_bound']} ({statistics['initial_bound_by']})"
    first = statistics["first_horizon"]
    if first != statistics["initial_bound"]:
        text += f", {first} by parity"
    text += f"; {_horizons(refuted)} refuted" if refuted else "; no horizon to refute"
    return f"{text} ({result.engine}, {statistics['backend']})"


def _horizons(horizons: Sequence[int]) -> str:
    word = "horizon" if len(horizons) == 1 else "horizons"
    if len(horizons) <= 10:
        return f"{word} {', '.join(map(str, horizons))}"
    if len({b - a for a, b in pairwise(horizons)}) == 1:
        return f"{word} {horizons[0]}, {horizons[1]} to {horizons[-1]}"
    return f"{len(horizons)} {word} from {horizons[0]} to {horizons[-1]}, not all between,"
