"""Texts that hold several boards, and the numbers by which they are named: boards.txt#2."""

import os
import re
from collections.abc import Callable, Iterator, Sequence

from plansolve.errors import BoardError, InputError
from plansolve.formats.document import BoardDocument
from plansolve.formats.grid import content_lines
from plansolve.model.puzzle import BLANK

__all__ = ["boards_in", "numbered", "only_board"]

_NUMBERED = re.compile(r"(.+)#(\d{1,6})", re.DOTALL)
_FEWEST_CELLS = 4
_SHOWN = 5


def numbered(name: str) -> tuple[str, int | None]:
    """Return the file and the number of the board in it: ("a.txt", 2) for "a.txt#2".

    A file that is there under the whole name is meant as a whole.
    """
    match = _NUMBERED.fullmatch(name)
    if match is None or os.path.exists(name):
        return name, None
    return match[1], int(match[2])


def boards_in(text: str, read: Callable[[str], BoardDocument]) -> list[tuple[int, str]]:
    """Return the line on which each board of a text begins, and its text with its line numbers.

    There are several boards where each line is a whole board, or each part between blank lines;
    else all of it is one. `read` reads the text of one.
    """
    if text.lstrip()[:1] == "{":
        return [(1, text)]
    for parts in (_each_line(text), _between_blank_lines(text)):
        if len(parts) > 1 and all(_is_whole(part, read) for _, part in parts):
            return parts
    return [(1, text)]


def only_board(parts: Sequence[tuple[int, str]], number: int | None) -> str:
    """Return the text of the board with that number, or of the only one; raise `BoardError`."""
    if number is None:
        if len(parts) > 1:
            lines = ", ".join(str(line) for line, _ in parts[:_SHOWN])
            more = ", ..." if len(parts) > _SHOWN else ""
            raise BoardError(
                f"the file holds {len(parts)} boards, on lines {lines}{more}: name one by its "
                "number, FILE#2 for the second"
            )
        return parts[0][1]
    if not 1 <= number <= len(parts):
        raise BoardError(
            f"there is no board {number}: the file holds {len(parts)}, #1 is the first"
        )
    return parts[number - 1][1]


def _each_line(text: str) -> list[tuple[int, str]]:
    lines = text.split("\n")
    return [
        (line.number, _at_line(line.number, lines[line.number - 1])) for line in content_lines(text)
    ]


def _between_blank_lines(text: str) -> list[tuple[int, str]]:
    return [(first, _at_line(first, part)) for first, part in _blocks(text) if content_lines(part)]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    first, block = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            first = first if block else number
            block.append(line)
        elif block:
            yield first, "\n".join(block)
            block = []


def _at_line(number: int, part: str) -> str:
    return "\n" * (number - 1) + part


def _is_whole(part: str, read: Callable[[str], BoardDocument]) -> bool:
    """Whether a text is a board with each tile once."""
    try:
        document = read(part)
    except InputError:
        return False
    first = int(BLANK not in document.cells)
    tiles = [*range(first, len(document.cells) + first)]
    return len(tiles) >= _FEWEST_CELLS and sorted(document.cells) == tiles
