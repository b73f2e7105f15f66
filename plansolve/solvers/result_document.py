"""The JSON document `plansolve.result/1`: its keys, and the checks of an untrusted one.

Plans are replayed, and everything that follows from them is compared. What the document says was
*proved* (the lower bound, that the list of plans is complete) cannot be checked, and is trusted.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as brief
from typing import Annotated, Any, Literal

from plansolve.checker import check_plan
from plansolve.errors import InputError, ResultError, WrongTypeError
from plansolve.formats import MAX_BYTES, read_problem
from plansolve.formats.json_document import puzzle_entry
from plansolve.formats.notation import CONVENTIONS
from plansolve.json_reader import Rule, Seconds, Whole, read
from plansolve.json_text import JsonError, json_object, json_word
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Plan
from plansolve.puzzles.registry import goal_name
from plansolve.puzzles.rules import written_goal
from plansolve.solvers.evidence import Evidence
from plansolve.solvers.statistics import read_statistics
from plansolve.text import quote

SCHEMA = "plansolve.result/1"

MAX_CHARACTERS = 16 << 20
"""The longest document that is read; a list of plans can be long."""

_Moves = tuple[str, ...]


@dataclass(frozen=True)
class _Document:
    """The keys of a document: those of `Result`, and those below, which state the problem or follow
    from the plan.
    """

    schema: Literal["plansolve.result/1"]
    puzzle: Any
    start: Any
    goal: Any
    goal_name: str | None
    moves: Annotated[str, Rule(f"one of {', '.join(CONVENTIONS)}", CONVENTIONS.__contains__)]
    status: str
    plan: _Moves | None
    plans: tuple[_Moves, ...] | None
    plan_count: Whole | None
    is_every_plan: bool
    length: Whole | None
    lower_bound: Whole | None
    upper_bound: Whole | None
    lower_bound_by: str
    upper_bound_by: str
    penalty: Whole | None
    is_least_penalty: bool
    rests_on: tuple[Evidence, ...]
    engine: str
    stop_reason: str
    explanation: str
    seconds: Seconds
    statistics: Mapping[str, Any]


_OTHERS = ("schema", "puzzle", "start", "goal", "goal_name", "moves", "length", "seconds")
"""The keys that are not fields of `Result`."""


def puzzle_fields(problem: Problem, convention: str) -> dict[str, Any]:
    """Return the part of the document that states the problem."""
    puzzle = problem.puzzle
    return {
        "puzzle": puzzle_entry(puzzle),
        "start": puzzle.in_rows(problem.start),
        "goal": written_goal(puzzle),
        "goal_name": goal_name(puzzle),
        "moves": convention,
    }


def checked_fields(text: str) -> dict[str, Any]:
    """Return the fields of `Result` that a document holds, the problem among them.

    Raise `ResultError` for other texts, and for a document that contradicts itself.
    """
    if not isinstance(text, str | bytes):
        raise WrongTypeError(f"a result's JSON text is expected, not {brief(text)}")
    if len(text) > MAX_CHARACTERS:
        raise ResultError(f"the document is longer than {MAX_CHARACTERS >> 20} million characters")
    try:
        document = read(_Document, json_object(text))
        statistics = read_statistics(document.statistics, "statistics")
    except JsonError as error:
        raise ResultError(str(error)) from None
    problem = _problem(document)
    plan = None if document.plan is None else _plan(problem, document, document.plan, "plan")
    plans = document.plans and tuple(
        _plan(problem, document, names, f"plans[{i}]") for i, names in enumerate(document.plans)
    )
    _check_derived(problem, plan, document)
    fields = {key: value for key, value in vars(document).items() if key not in _OTHERS}
    return fields | {"problem": problem, "plan": plan, "plans": plans, "statistics": statistics}


def _problem(document: _Document) -> Problem:
    stated = json.dumps({key: getattr(document, key) for key in ("puzzle", "start", "goal")})
    if len(stated) > MAX_BYTES:
        raise ResultError(f"the puzzle and its boards take more than {MAX_BYTES} characters")
    try:
        return read_problem(stated, format="json")
    except InputError as error:
        raise ResultError(str(error)) from None


def _plan(problem: Problem, document: _Document, names: _Moves, place: str) -> Plan:
    """Return a plan under its own names; raise `ResultError` unless it solves the problem."""
    own: dict[str, str] = {}
    if document.moves == "blank":
        own = {name: move for move, name in problem.puzzle.blank_names.items()}
    plan = tuple(own.get(name, name) for name in names)
    verdict = check_plan(problem, plan)
    if verdict.illegal is not None:
        step = verdict.illegal
        raise ResultError(f"{place}: step {step.step}, {quote(step.move)}, cannot be made")
    if not verdict.reaches_goal:
        raise ResultError(f"{place}: its moves do not reach the goal")
    return plan


def _check_derived(problem: Problem, plan: Plan | None, document: _Document) -> None:
    """Raise `ResultError` if a derived field differs from what the document implies."""
    for key, is_ in (
        ("length", None if plan is None else len(plan)),
        ("penalty", None if plan is None else penalty(problem, plan)),
        ("goal_name", goal_name(problem.puzzle)),
    ):
        if (said := getattr(document, key)) != is_:
            raise ResultError(f"{key}: expected {json_word(is_)}, got {json_word(said)}")
