"""The JSON document `plansolve.result/1`: what it holds, and what is refused in one from strangers.

Plans are replayed and everything that follows from them is compared. What the document says was
*proved* (the lower bound, that plans are all there are) cannot be seen from it, and is taken over.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from reprlib import repr as brief
from typing import Any

from plansolve.checker import check_plan
from plansolve.errors import InputError, ResultError, WrongTypeError
from plansolve.formats import MAX_BYTES, read_problem
from plansolve.formats.json_document import puzzle_entry
from plansolve.formats.notation import CONVENTIONS
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Plan
from plansolve.puzzles.registry import goal_name
from plansolve.solvers.evidence import read_evidence, units_in_use
from plansolve.solvers.statistics import read_statistics
from plansolve.text import quote

SCHEMA = "plansolve.result/1"

MAX_CHARACTERS = 16 << 20
"""The longest document that is read: a list of plans can be long."""

_TEXT, _TRUTH, _WHOLE, _WHOLE_OR_NONE, _NUMBER = (
    "a text",
    "true or false",
    "a whole number from 0",
    "a whole number from 0, or null",
    "a number from 0",
)
_KINDS: Mapping[str, Callable[[object], bool]] = {
    _TEXT: lambda value: isinstance(value, str),
    _TRUTH: lambda value: isinstance(value, bool),
    _WHOLE: lambda value: type(value) is int and value >= 0,
    _WHOLE_OR_NONE: lambda value: value is None or (type(value) is int and value >= 0),
    _NUMBER: lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    ),
}
_FIELDS: Mapping[str, str] = {
    "status": _TEXT,
    "lower_bound": _WHOLE_OR_NONE,
    "upper_bound": _WHOLE_OR_NONE,
    "lower_bound_by": _TEXT,
    "upper_bound_by": _TEXT,
    "penalty": _WHOLE_OR_NONE,
    "is_least_penalty": _TRUTH,
    "plan_count": _WHOLE_OR_NONE,
    "is_every_plan": _TRUTH,
    "engine": _TEXT,
    "stop_reason": _TEXT,
    "explanation": _TEXT,
}
_OTHERS = {"schema", "puzzle", "start", "goal", "moves", "plan", "plans", "statistics"}
_LATER = {"rests_on", "goal_name"}
"""Keys that documents of earlier versions do not have."""
_DERIVED = {"length": _WHOLE_OR_NONE, "seconds": _NUMBER}


def puzzle_fields(problem: Problem, convention: str) -> dict[str, Any]:
    """Return the part of the document that states the problem."""
    puzzle = problem.puzzle
    return {
        "puzzle": puzzle_entry(puzzle),
        "start": puzzle.in_rows(problem.start),
        "goal": puzzle.in_rows(problem.goal),
        "goal_name": goal_name(puzzle),
        "moves": convention,
    }


def told(problem: Problem, plan: Plan, convention: str) -> list[str]:
    """Return the names of a plan's moves under a convention."""
    names = problem.puzzle.blank_names if convention == "blank" else {}
    return [names.get(move, move) for move in plan]


def checked_fields(text: str) -> dict[str, Any]:
    """Return the fields of `Result` that a document holds, the problem among them.

    Raise `ResultError` for what is no such document, or contradicts itself.
    """
    document = _parse(text)
    wanted = _FIELDS.keys() | _DERIVED.keys() | _OTHERS
    known = wanted | _LATER
    if missing := sorted(wanted - document.keys()):
        raise ResultError(f"the result has no {missing[0]!r}")
    if strange := sorted(document.keys() - known):
        raise ResultError(f"the result has an unknown key {quote(strange[0])}")
    for key, kind in {**_FIELDS, **_DERIVED}.items():
        if not _KINDS[kind](document[key]):
            raise ResultError(f"{key}: {kind} is expected, not {_shown(document[key])}")
    fields = {key: document[key] for key in _FIELDS}
    problem = _problem(document)
    fields["problem"] = problem
    plan = document["plan"]
    fields["plan"] = None if plan is None else _plan(problem, document, plan, "plan")
    fields["plans"] = _plans(problem, document)
    fields["statistics"] = read_statistics(document["statistics"])
    if "rests_on" in document:
        fields["rests_on"] = read_evidence(document["rests_on"])
    else:
        # Earlier documents have nothing but the counts of a store's units.
        fields["rests_on"] = units_in_use(fields["statistics"].counts, "")
    _check_derived(problem, fields["plan"], document)
    return fields


def _parse(text: str) -> dict[str, Any]:
    if not isinstance(text, str | bytes):
        raise WrongTypeError(f"a result's JSON text is expected, not {brief(text)}")
    if len(text) > MAX_CHARACTERS:
        raise ResultError(f"the document is longer than {MAX_CHARACTERS >> 20} million characters")
    try:
        document = json_object(text)
    except JsonError as error:
        raise ResultError(str(error)) from None
    if document.get("schema") != SCHEMA:
        found = _shown(document.get("schema"))
        raise ResultError(f"a document of schema {SCHEMA!r} is expected, not {found}")
    return document


def _problem(document: Mapping[str, Any]) -> Problem:
    stated = json.dumps({key: document[key] for key in ("puzzle", "start", "goal")})
    if len(stated) > MAX_BYTES:
        raise ResultError(f"the puzzle and its boards take more than {MAX_BYTES} characters")
    try:
        return read_problem(stated, format="json")
    except InputError as error:
        raise ResultError(str(error)) from None


def _plans(problem: Problem, document: Mapping[str, Any]) -> tuple[Plan, ...] | None:
    plans = document["plans"]
    if plans is None:
        return None
    if not isinstance(plans, list):
        raise ResultError(f"plans: a list or null is expected, not {_shown(plans)}")
    return tuple(
        _plan(problem, document, plan, f"plan {n}") for n, plan in enumerate(plans, start=1)
    )


def _plan(problem: Problem, document: Mapping[str, Any], names: object, where: str) -> Plan:
    """Return a plan under its own names; raise `ResultError` unless it solves the problem."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ResultError(f"{where}: a list of moves' names is expected, not {_shown(names)}")
    plan = _own_names(problem, document["moves"], names)
    verdict = check_plan(problem, plan)
    if verdict.illegal is not None:
        step = verdict.illegal
        raise ResultError(f"{where}: step {step.step}, {quote(step.move)}, cannot be made")
    if not verdict.reaches_goal:
        raise ResultError(f"{where}: its {len(plan)} moves do not reach the goal")
    return plan


def _own_names(problem: Problem, convention: object, names: Iterable[str]) -> Plan:
    if convention not in CONVENTIONS:
        raise ResultError(f"moves: one of {', '.join(CONVENTIONS)}, not {_shown(convention)}")
    if convention == "tile":
        return tuple(names)
    own = {name: move for move, name in problem.puzzle.blank_names.items()}
    return tuple(own.get(name, name) for name in names)


def _check_derived(problem: Problem, plan: Plan | None, document: Mapping[str, Any]) -> None:
    length = None if plan is None else len(plan)
    cost = None if plan is None else penalty(problem, plan)
    for key, value in (("length", length), ("penalty", cost)):
        if document[key] != value:
            said, is_ = _shown(document[key]), "null" if value is None else value
            raise ResultError(f"{key}: the document says {said}, the plan has {is_}")
    name = goal_name(problem.puzzle)
    if document.get("goal_name", name) != name:
        said = _shown(document["goal_name"])
        raise ResultError(f"goal_name: the document says {said}, the goal is {name or 'nameless'}")


def _shown(value: object) -> str:
    return quote(value) if isinstance(value, str) else brief(value)
