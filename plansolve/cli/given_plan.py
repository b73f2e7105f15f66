"""Reads the plan that a command is given, from a file, standard input or --plan."""

from collections.abc import Callable
from typing import TypeVar

from plansolve.cli.board import keep_input, read_input, shown_name
from plansolve.errors import BoardError, InputError, PlanError
from plansolve.formats.extract import decode_plan
from plansolve.formats.json_document import JSON
from plansolve.formats.notation import MAX_PLAN
from plansolve.json_text import JsonError, begins_object, json_object

__all__ = ["holds_plan", "read_given_plan"]

T = TypeVar("T")


def holds_plan(file: str, format_: str | None = None) -> bool:
    """Whether a board's file is a document that holds a plan.

    Raise `BoardError` for a document that cannot be read.
    """
    if format_ not in (None, JSON.name):
        return False
    try:
        keep_input(file)
        data = read_input(file, MAX_PLAN)
    except (OSError, InputError):
        return False  # the board's reader says what is wrong, and knows names like `boards.txt#2`
    if not begins_object(data):
        return False
    try:
        document = json_object(decode_plan(data))
    except (PlanError, JsonError) as error:
        raise BoardError(f"{shown_name(file)}: {error}") from None
    return isinstance(document.get("plan"), list)


def read_given_plan(plan_file: str | None, plan: str | None, read: Callable[[str], T]) -> T:
    """Return what `read` makes of a plan's text, which is in a file or `plan` itself.

    A `PlanError` begins with where the plan is from.
    """
    where = "--plan" if plan_file is None else shown_name(plan_file)
    try:
        if plan_file is None:
            return read(plan or "")
        hint = "moves themselves are given with --plan"
        return read(decode_plan(read_input(plan_file, MAX_PLAN, hint)))
    except PlanError as error:
        raise PlanError(f"{where}: {error}") from None
