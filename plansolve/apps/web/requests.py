"""The requests of the page: untrusted JSON objects, read into problems and orders."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from starlette.requests import Request

from plansolve.checker import check_plan
from plansolve.errors import GoalError, InputError, OptionError
from plansolve.formats import (
    FORMATS,
    BoardDocument,
    decode,
    detect,
    make,
    make_rules,
    parse,
    specify,
)
from plansolve.formats.registry import is_same
from plansolve.instances.instance_set import natural_format
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import Problem
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.registry import DEFAULT_PUZZLE, family_of, goal_names, make_puzzle

LARGEST_BODY = 64 * 1024
"""The most bytes of a request."""

BODY_SECONDS = 10.0
"""The time for a request to arrive: a few endless requests would take up all connections."""

_MOST_MOVES = 100_000
_LONGEST_NAME = 200
_MOST_MOVES_BY_HAND = 1000
_POSED = {"board", "puzzle", "goal", "format", "aim", "moves"}
_SCRAMBLE = {"puzzle", "goal", "rows", "columns", "moves"}
_AIMS = ("optimal", "short")


class Refusal(Exception):
    """A refused request, with the HTTP status and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class FieldError(InputError):
    """An error in one field of the form: "board", "puzzle", "goal", "format", ..."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


async def requested_object(request: Request) -> dict[str, Any]:
    """Return the object in a request; raise `Refusal` for anything else, or if it is too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "the content type must be application/json")
    too_large = Refusal(413, f"the request is larger than {LARGEST_BODY // 1024} KiB")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 9 or int(length) > LARGEST_BODY):
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large
    except TimeoutError:
        raise Refusal(408, f"the request took longer than {BODY_SECONDS:.0f} s") from None
    try:
        return json_object(bytes(body))
    except JsonError as error:
        raise Refusal(400, f"the request: {error}") from None


def read_posed(request: Mapping[str, Any]) -> tuple[Problem, str]:
    """Return the problem that the form poses, and the aim: "optimal" or "short".

    Raise `FieldError` for mistakes of the user, `Refusal` for other requests.
    """
    _check_keys(request, _POSED)
    text, puzzle = _text(request, "board") or "", _name(request, "puzzle")
    aim = _name(request, "aim") or _AIMS[0]
    if aim not in _AIMS:
        raise FieldError("aim", f"unknown aim {aim!r}: choose {' or '.join(_AIMS)}")
    if puzzle is not None:
        with _errors_of("puzzle"):
            family_of(puzzle)
    document = _read_board("board", text, _name(request, "format"), puzzle)
    goal = _read_goal(_text(request, "goal"), puzzle)
    if puzzle is not None:
        with _errors_of("puzzle"):
            make_puzzle(puzzle, document.rows, document.columns)
    with _errors_of("board", goal="goal", option="puzzle" if goal is None else "goal"):
        problem = make(specify(document, puzzle, goal))
    return _moved(problem, request.get("moves")), aim


def written(request: Mapping[str, Any], problem: Problem) -> str:
    """Return the text of a board that was moved by hand, if possible in the form's format.

    With the form's puzzle, goal and format, the text is read as `problem`. Raise as `read_posed`
    does.
    """
    chosen = _name(request, "format")
    if chosen is None:
        # Rows of a table have a format, but the table has none.
        with suppress(InputError):
            chosen = detect(_text(request, "board") or "").name
    for name in dict.fromkeys((chosen or "json", natural_format(problem), "json")):
        with suppress(InputError):
            found = FORMATS[name].write(problem)
            read, _ = read_posed({**request, "board": found, "moves": None})
            if is_same(read, problem, has_shape=FORMATS[name].has_shape):
                return found
    raise FieldError("board", "this format cannot hold the board")


def _moved(problem: Problem, moves: object) -> Problem:
    """Return the problem after moves that the user made on its board."""
    if moves is None:
        return problem
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise Refusal(400, "moves must be a list of names")
    if len(moves) > _MOST_MOVES_BY_HAND:
        raise Refusal(400, f"at most {_MOST_MOVES_BY_HAND} moves by hand")
    verdict = check_plan(problem, moves)
    if not verdict.legal:
        raise Refusal(400, "a move by hand is illegal")
    return Problem(problem.puzzle, verdict.board)


def read_goal_board(request: Mapping[str, Any]) -> tuple[Problem, int | None]:
    """Return the solved board to scramble, and the number of moves (None: at random)."""
    _check_keys(request, _SCRAMBLE)
    puzzle = _name(request, "puzzle") or DEFAULT_PUZZLE
    rows, columns = (_count(request, side, 1, LARGEST_SIDE) for side in ("rows", "columns"))
    if rows is None or columns is None:
        raise FieldError("size", "give the number of rows and of columns")
    moves = _count(request, "moves", 0, _MOST_MOVES)
    with _errors_of("puzzle"):
        make_puzzle(puzzle, rows, columns)
    goal = _read_goal(_text(request, "goal"), puzzle)
    with _errors_of("goal"):
        if isinstance(goal, BoardDocument):
            if (goal.rows, goal.columns) != (rows, columns):
                size = f"{goal.rows}x{goal.columns}"
                raise GoalError(f"the goal is {size}, not {rows}x{columns}")
            rules = make_rules(specify(goal, puzzle, goal))
        else:
            rules = make_puzzle(puzzle, rows, columns, goal)
        return Problem(rules, rules.goal_board), moves


@contextmanager
def _errors_of(field: str, *, goal: str = "", option: str = "") -> Iterator[None]:
    """Turn errors into those of a field; errors about a goal or an option may have other ones."""
    try:
        yield
    except InputError as error:
        others = goal if isinstance(error, GoalError) else option
        is_other = isinstance(error, GoalError | OptionError)
        raise FieldError((is_other and others) or field, str(error)) from None


def _read_board(field: str, text: str, format_: str | None, puzzle: str | None) -> BoardDocument:
    with _errors_of(field, option="format"):
        data = text.encode("utf-8", "surrogatepass")
        return parse(decode(data), format=format_, puzzle=puzzle)


def _read_goal(goal: str | None, puzzle: str | None) -> str | BoardDocument | None:
    if goal is None or goal in goal_names():
        return goal
    return _read_board("goal", goal, None, puzzle)


def _check_keys(request: Mapping[str, Any], known: set[str]) -> None:
    if unknown := set(request) - known:
        shown = repr(min(unknown))[:_LONGEST_NAME]
        raise Refusal(400, f"unknown key {shown}: known are {', '.join(sorted(known))}")


def _text(request: Mapping[str, Any], key: str) -> str | None:
    """Return the text under a key; None if it is missing or empty."""
    value = request.get(key)
    if value is not None and not isinstance(value, str):
        raise Refusal(400, f"{key} must be text")
    return value or None


def _name(request: Mapping[str, Any], key: str) -> str | None:
    value = _text(request, key)
    if value is not None and len(value) > _LONGEST_NAME:
        raise FieldError(key, f"{value[:20]!r}... is too long for a name")
    return value


def _count(request: Mapping[str, Any], key: str, least: int, most: int) -> int | None:
    value = request.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refusal(400, f"{key} must be a whole number")
    if not least <= value <= most:
        field = "moves" if key == "moves" else "size"
        raise FieldError(field, f"{key} must be from {least} to {most}, not {str(value)[:20]}")
    return value
