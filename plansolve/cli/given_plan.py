"""Reads the plan that a command is given, from a file, standard input or --plan."""

import os
from collections.abc import Callable
from typing import TypeVar

from plansolve.cli.board import read_input, shown_name
from plansolve.errors import InputError, PlanError
from plansolve.formats.extract import decode_plan
from plansolve.formats.notation import MAX_PLAN
from plansolve.json_text import JsonError, json_object

__all__ = ["plan_in", "read_given_plan"]

T = TypeVar("T")


def plan_in(file: str) -> str | None:
    """Return the text of a board's file where it is a document that holds a plan; else None."""
    # A pipe can be read once only, and the board is still to be read. Standard input is kept.
    if file != "-" and not os.path.isfile(file):
        return None
    try:
        text = decode_plan(read_input(file, MAX_PLAN))
        document = json_object(text)
    except (InputError, JsonError):
        return None
    return text if isinstance(document.get("plan"), list) else None


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
