"""Read headings above, between and below boards: start, goal, title, size and the gap's cell."""

import re
from collections.abc import Sequence

from plansolve.errors import BoardError
from plansolve.formats.grid import (
    GAPS,
    GOAL,
    Line,
    Row,
    content_lines,
    is_number,
    square_side,
)
from plansolve.model.puzzle import BLANK, State

_THING = "state|board|position|configuration|config|node|grid|puzzle|matrix|layout|tiles"
_GOAL = "goal|target|destination|final|end|desired|finish|finished|solved|to|after"
_START = (
    "initial|init|start|starting|begin|source|current|input|given|scrambled|scramble|from|before"
)
_HEADING = re.compile(
    r"\s*(?P<type>(?:[\w<>\[\]:,]+\s+){0,3}?)(?:enter\s+|\*)?(?:the\s+)?"
    rf"(?:(?P<goal>{_GOAL})|{_START}|(?={_THING}))(?:[ _-]?(?:{_THING}))?(?:\[\w*\])*"
    r"(?:\s+is)?\s*(?P<mark>:=|[:=]|(?<=\s)-$|(?=(?:[\d._x]+[ ,]+){2})|$)(?P<rest>.*)",
    re.IGNORECASE,
)
_ON_ONE_LINE = re.compile(
    rf"(\n*[^\n]+?)(?:(->|=>|→)|[\s,;]+(?=(?:{_GOAL})(?:[ _-]?(?:{_THING}))?\s*[:=]))([^\n]+)",
    re.IGNORECASE,
)
_FOOT = re.compile(r"\W*(?:end(?:[ _-]?(?:of|file|board|input|puzzle))*|eof)\W*", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{3,}")
_LONGEST_TITLE = 80
_SIZE = re.compile(r"\s*[A-Za-z]\w*\s*[:=]\s*(\d{1,2})\W*|\s*(\d{1,2})\s*[x*\u00d7]\s*(\d{1,2})\W*")


def sections(text: str) -> tuple[str, str]:
    """Return the board and the goal below headings such as `Initial state:` and `goal:`.

    Both keep their line numbers; a goal that is not given is "". Raise `BoardError` for a second
    goal, and for a goal without a board.
    """
    # In several lines, each arrow would cost a pass.
    is_line = "\n" not in text.strip()
    if is_line and (both := _ON_ONE_LINE.fullmatch(text.rstrip())):
        board, arrow, goal = both.groups()
        text = f"{board}\n{GOAL if arrow else ''}{goal}"
    lines = text.rstrip().split("\n")
    found = _headings(lines)
    goals = [number for number, heading in found.items() if heading["goal"]]
    if not found:
        return text, ""
    if len(goals) > 1:
        raise BoardError(f"line {goals[1] + 1}: a second goal: a board has only one")
    parts, is_goal = [[""] * len(lines), [""] * len(lines)], False
    for number, line in enumerate(lines):
        heading = found.get(number)
        is_goal = is_goal if heading is None else heading["goal"] is not None
        parts[is_goal][number] = line if heading is None else heading["rest"]
    board, goal = map("\n".join, parts)
    if goals and not (content_lines(board) and content_lines(goal)):
        raise BoardError(
            f"line {goals[0] + 1}: the board must stand before {GOAL!r}, and the goal after it"
        )
    return board, goal if goals else ""


def named_part(key: str) -> str:
    """Return "goal" or "board" for a key that other programs use for it; "" for other keys."""
    heading = _HEADING.fullmatch(key[:_LONGEST_TITLE])
    return ("goal" if heading["goal"] else "board") if heading else ""


def has_goal(text: str) -> bool:
    """Return True if a line of a text says that the goal follows."""
    return any(heading["goal"] for heading in _headings(text.rstrip().split("\n")).values())


def _headings(lines: Sequence[str]) -> dict[int, re.Match[str]]:
    """Return the lines that are headings; a single word may be a row of a square of letters."""
    words = [line.strip() for line in lines if len(line.split()) == 1]
    alone = [len(word) for word in words if any(map(str.isalnum, word))]
    return {
        number: heading
        for number, line in enumerate(lines)
        if (heading := _HEADING.fullmatch(line.partition("#")[0].replace("**", "").rstrip()))
        and (heading["mark"].endswith("=") or not heading["type"])
        and (heading["mark"] or len(line.split()) > 1 or alone.count(len(line.strip())) == 1)
        and not (number == len(lines) - 1 and _FOOT.fullmatch(line))
    }


def inner_rows(rows: Sequence[Row]) -> slice:
    """Return the rows of a board between a title and an end such as END OF FILE.

    A title holds a word, and rows of tiles follow it.
    """
    texts = [row.text for row in rows]
    has_digits = any(map(str.isdigit, "".join(texts)))
    last = len(rows) - bool(has_digits and len(rows) > 1 and _FOOT.fullmatch(texts[-1]))
    tokens = [row.tokens for row in rows[1:last]]
    has_title = (
        len(tokens) > 1
        and len(texts[0]) <= _LONGEST_TITLE
        and rows[0].number < rows[1].number
        and (is_title(texts[0]) or _is_size(texts[0], rows[1:last]))
        and all(_is_tile(token) for row in tokens for token in row)
        # The gap may be an empty cell.
        and max(map(len, tokens[1:])) - min(map(len, tokens[1:])) <= 1
    )
    return slice(int(has_title), last)


def is_title(text: str) -> bool:
    """Return True for words; a row with a mistake in it has more numbers than words."""
    tokens = text.split()
    words = sum(token.strip(":,.()*").isalpha() for token in tokens)
    return (
        WORD.search(text) is not None
        and {*'|[]{}"'}.isdisjoint(text)
        and sum(map(_is_tile, tokens)) <= max(words, 1)
    )


def _is_size(text: str, rows: Sequence[Row]) -> bool:
    """Return True for a title such as 3x4 or n = 3 above so many rows."""
    found = _SIZE.fullmatch(text)
    sides = [int(side) for side in found.groups() if side] if found else []
    tokens = [row.tokens if len(row.tokens) > 1 else row.text.strip() for row in rows]
    shapes = [[len(rows), max(map(len, tokens))], [square_side(len(rows)) or 0] * 2]
    return bool(sides) and sides in [shape[: len(sides)] for shape in shapes]


def _is_tile(token: str) -> bool:
    return token in GAPS or is_number(token.replace(",", "")) or token in ("-", "*", "-1")


def head_of(rows: Sequence[Line]) -> tuple[int, State | None]:
    """Return the number of lines above a board that are its head, and the goal that they state.

    A head holds rows and columns, or the number of tiles and the gap's cell in the goal, from 0; -1
    is the last. A single number may be that of tiles or cells; formats that begin with a size read
    it themselves. Rows that are a whole board have no head.
    """
    # A row of a board may begin with an empty cell.
    written = [re.split(",? |,", " ".join(row.tokens).removesuffix(",")) for row in rows]
    rows = [
        Line(row.number, [*filter(None, cells)]) for row, cells in zip(rows, written, strict=True)
    ]
    for lines in (1, 2):
        if lines >= len(rows) or not all(written[lines - 1]):
            break
        numbers = [token for row in rows[:lines] for token in row.tokens]
        body = rows[lines:]
        if not 0 < len(numbers) <= 2 or (lines == 2 and len(numbers) != 2):
            continue
        if not all(is_number(token.removeprefix("-")) and len(token) <= 4 for token in numbers):
            continue
        cells, lengths = sum(len(row.tokens) for row in body), {len(row.tokens) for row in body}
        if len(lengths) > 1:
            continue
        if {len(row.tokens) for row in rows} == lengths and not is_whole(body):
            continue
        first, last = int(numbers[0]), int(numbers[-1])
        side = square_side(cells)
        if len(numbers) == 1:
            if side and first in (cells, cells - 1) and len(body) in (side, cells):
                return lines, None
        elif (first, last) == (len(body), *lengths) and first * last == cells:
            return lines, None
        elif first + 1 == cells and side and -1 <= last < cells and len(body) in (1, side, cells):
            gap = last % cells
            tiles = [*range(1, cells)]
            return lines, (*tiles[:gap], BLANK, *tiles[gap:])
    return 0, None


def is_whole(rows: Sequence[Row] | Sequence[Line]) -> bool:
    """Return True if rows hold each number from 0 or 1 on once; a gap is 0."""
    tokens = ["0" if token in GAPS else token for row in rows for token in row.tokens]
    if not all(is_number(token) and len(token) <= 4 for token in tokens):
        return False
    numbers = sorted(map(int, tokens))
    return numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
