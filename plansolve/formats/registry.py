"""The formats in the order in which they are tried, and the ways to read and write a problem."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import content_lines
from plansolve.formats.json_document import JSON
from plansolve.formats.letters import LETTERS, LLOYD
from plansolve.formats.numbers import ALGS4, COMMA, KORF, LINE, NESTED, NPUZZLE42, PUZ, TORUS
from plansolve.formats.specify import make, specify
from plansolve.formats.tws import TWS
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle, State
from plansolve.puzzles.registry import goals_of
from plansolve.text import quote

FORMATS: Mapping[str, BoardFormat] = MappingProxyType(
    {
        known.name: known
        for known in (
            TWS,
            JSON,
            NESTED,
            LETTERS,
            LLOYD,
            NPUZZLE42,
            ALGS4,
            KORF,
            COMMA,
            LINE,
            TORUS,
            PUZ,
        )
    }
)
"""By name; the first that recognises a text reads it."""


def detect(text: str) -> BoardFormat:
    """Return the first format that recognises `text`; raise `BoardError` where none does."""
    for candidate in FORMATS.values():
        if candidate.recognises(text):
            return candidate
    first, _, rest = text.strip().partition("\n")
    if not first:
        raise BoardError("the input is empty: a board is expected")
    if not content_lines(text):
        raise BoardError("there is no board: the input is blank but for comments")
    raise BoardError(f"{quote(first)} begins no board; {_remedy(first, rest)}")


def _remedy(first: str, rest: str) -> str:
    """Return what would make a board of a text whose first line begins none."""
    if any(known.recognises(rest) for known in FORMATS.values()):
        return "if it is a title, begin the line with #: what follows looks like a board"
    if any(sign.isdecimal() and not sign.isascii() for sign in first):
        return "write its numbers with the digits 0 to 9"
    return (
        "a board is rows of numbers with . or 0 for the gap, one line a row, such as 8 6 7 and "
        f"2 5 4 and 3 . 1; or one of the formats {', '.join(FORMATS)}"
    )


def reader(name: str | None) -> Callable[[str], BoardDocument]:
    """Return what reads the text of one board, in the named format or in the one that fits.

    Raise `OptionError` for an unknown format.
    """
    named = None if name is None else _named(name)
    return lambda part: (named or detect(part)).read(part)


def write_problem(problem: Problem, format: str) -> str:  # noqa: A002
    """Return the text that `read_problem(text, format=format)` reads as `problem`.

    Raise `BoardError` where the format cannot hold its board, puzzle or goal, and `OptionError`
    for an unknown format.
    """
    chosen = _named(format)
    text = chosen.write(problem)
    if not _says(text, chosen, problem):
        others = ""
        if fitting := [name for name, goal in _with_other_goals(problem) if _holds(chosen, goal)]:
            others = f", and {format} this board with the goal {' or '.join(fitting)}"
        raise BoardError(
            f"the {format} format cannot hold this puzzle and goal; json can hold any{others}"
        )
    return text


def common_texts(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each common format that can hold `problem`, json last."""
    for known in FORMATS.values():
        if known.is_common:
            with suppress(BoardError):
                yield known.name, write_problem(problem, known.name)
    yield JSON.name, write_problem(problem, JSON.name)


def _with_other_goals(problem: Problem) -> Iterator[tuple[str, Problem]]:
    for name, goal in goals_of(problem.puzzle).items():
        if goal != problem.goal:
            yield name, Problem(problem.puzzle.with_goal(goal), problem.start)


def _holds(format_: BoardFormat, problem: Problem) -> bool:
    try:
        return _says(format_.write(problem), format_, problem)
    except BoardError:
        return False


def _says(text: str, written: BoardFormat, problem: Problem) -> bool:
    try:
        said = make(specify(written.read(text)))
    except InputError:
        return False
    return is_same(said, problem, has_shape=written.has_shape)


def is_same(one: Problem, other: Problem, *, has_shape: bool = True) -> bool:
    """Return True if two problems differ in nothing, or in nothing but what `_plain` leaves out."""
    return _plain(one, has_shape) == _plain(other, has_shape)


def _plain(problem: Problem, has_shape: bool) -> Problem:
    """Return the same problem without what means nothing, and its shape where files have none.

    The order in which an operator lists its cells means nothing, nor do those that stay. Without a
    shape, kinds of pieces that no board has mean nothing either.
    """
    puzzle = problem.puzzle
    moves = (sorted((a, b) for a, b in op.moves if a != b) for op in puzzle.operators)
    operators = tuple(
        replace(op, moves=tuple(own)) for op, own in zip(puzzle.operators, moves, strict=True)
    )
    if has_shape:
        return Problem(replace(puzzle, operators=operators), problem.start)
    number = {kind: i for i, kind in enumerate(puzzle.kinds, 0 if puzzle.has_blank else 1)}

    def numbered(cells: State) -> State:
        return tuple(number.get(kind, kind) for kind in cells)

    plain = Puzzle(
        puzzle.name,
        1,
        puzzle.cells,
        numbered(puzzle.goal),
        operators,
        tuple(map(str, range(len(number) + 1))),
        pieces=numbered(puzzle.pieces),
    )
    return Problem(plain, numbered(problem.start))


def _named(name: str) -> BoardFormat:
    if name not in FORMATS:
        raise OptionError(f"unknown format {quote(name)}: choose from {', '.join(FORMATS)}")
    return FORMATS[name]
