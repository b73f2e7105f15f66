"""The formats in the order in which they are tried; detection, reading and writing."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import board_lines, content_lines, rows_of
from plansolve.formats.headings import head_of, is_whole, sections
from plansolve.formats.json_document import json_format
from plansolve.formats.letters import JAM, LETTERS, LLOYD, are_letters
from plansolve.formats.listed import is_json
from plansolve.formats.numbers import ALGS4, COMMA, KORF, LINE, NESTED, NPUZZLE42, PUZ, TORUS
from plansolve.formats.plain import as_text, plain
from plansolve.formats.specify import make, specify
from plansolve.formats.tws import TWS
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle, State
from plansolve.puzzles.blocks import is_place
from plansolve.puzzles.registry import family_of, goal_names
from plansolve.text import quote

JSON = json_format(lambda text, puzzle: reader(None, puzzle)(text))
FORMATS: Mapping[str, BoardFormat] = MappingProxyType(
    {
        known.name: known
        for known in (
            TWS,
            JSON,
            NESTED,
            JAM,
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
    """Return the first format that recognises a board's text; raise `BoardError` if none does.

    Text around the tiles, and a goal below them, are ignored.
    """
    if (own := _definition(text)) is not None:
        return own
    board, goal = sections(text)
    return _recognised(board, of_letters=bool(goal))[0]


def _definition(text: str) -> BoardFormat | None:
    """Return the format of a text that defines a whole puzzle or problem; None for a board."""
    return TWS if TWS.recognises(text) else JSON if is_json(text) else None


def _recognised(written: str, *, of_letters: bool) -> tuple[BoardFormat, str]:
    """Return the format of a board, and the text that it reads.

    With `of_letters`, rows of letters are not a board of Lloyd's Dilemma.
    """
    text = plain(written)
    if of_letters and are_letters(text) and not JAM.recognises(text):
        return LETTERS, text
    for plainly in dict.fromkeys((text, written)):
        for candidate in FORMATS.values():
            if candidate.recognises(plainly):
                return candidate, plainly
    board_lines(written)
    first, _, rest = written.strip().partition("\n")
    remedy = (
        "write rows of numbers with 0 or . for the gap, such as 8 6 7/2 5 4/3 . 1 with a new line "
        "for each /; `plansolve list formats` shows other forms"
    )
    if any(known.recognises(rest) for known in FORMATS.values()):
        remedy = "if it is a title, put # before it: the rest looks like a board"
    raise BoardError(f"{quote(first)} does not begin a board; {remedy}")


def reader(name: str | None, puzzle: str | None = None) -> Callable[[str], BoardDocument]:
    """Return the function that reads a board and its goal, in the named format or one that fits.

    `puzzle` specifies the puzzle if it is named. Raise `OptionError` for an unknown format.
    """
    named = None if name is None else _named(name)
    is_named = puzzle is not None and puzzle.partition(":")[0] != LLOYD.name
    posed = puzzle if puzzle and family_of(puzzle).pose else None

    def read(text: str) -> BoardDocument:
        if own := named if named in (TWS, JSON) else None if named else _definition(text):
            return own.read(text)
        board, goal = sections(text)
        document = _read(board, named, of_letters=is_named or bool(goal))
        if document.labels and posed:
            document = replace(document, puzzle=posed)
        if not goal:
            return document
        name = goal.strip().lower()
        if is_place(goal):
            return replace(document, goal=goal.strip())
        found = name if name in goal_names() else _read(goal, named, of_letters=True)
        return replace(document, goal=found)

    return read


def _read(written: str, named: BoardFormat | None, *, of_letters: bool) -> BoardDocument:
    """Return the board of a text, which may be below a head that states its goal."""
    plainly = plain(written)
    lines = content_lines(plainly)
    # A column below a number may be a board, too: a named format takes rows as they are.
    count, goal = (0, None) if named and is_whole(lines) else head_of(lines)
    below = as_text(rows_of(plainly)[count:]) if count else written
    own, text = (named, plain(below)) if named else _recognised(below, of_letters=of_letters)
    document = own.read(text)
    return document if goal is None else replace(document, goal=goal)


def write_problem(problem: Problem, format: str) -> str:  # noqa: A002
    """Return the text that `read_problem(text, format=format)` reads as `problem`.

    Raise `BoardError` if the format cannot hold the board, puzzle or goal, and `OptionError` for an
    unknown format.
    """
    chosen = _named(format)
    text = chosen.write(problem)
    if not _says(text, chosen, problem):
        raise BoardError(f"the {format} format cannot hold this puzzle and goal; json can hold any")
    return text


def common_texts(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each common format that can hold `problem`, json last."""
    for known in FORMATS.values():
        if known.is_common:
            with suppress(BoardError):
                yield known.name, write_problem(problem, known.name)
    yield JSON.name, write_problem(problem, JSON.name)


def _says(text: str, written: BoardFormat, problem: Problem) -> bool:
    try:
        said = make(specify(reader(written.name)(text)))
    except InputError:
        return False
    return is_same(said, problem, has_shape=written.has_shape)


def is_same(one: Problem, other: Problem, *, has_shape: bool = True) -> bool:
    """Return True if two problems are equal, except for what `_plain` removes."""
    return _plain(one, has_shape) == _plain(other, has_shape)


def _plain(problem: Problem, has_shape: bool) -> Problem:
    """Return the problem without meaningless differences, and without its shape if files have none.

    The order in which an operator lists its cells is meaningless, and so are cells that do not
    change. Without a shape, so are kinds of pieces that no board has.
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
