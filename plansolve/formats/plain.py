"""From a board as people write it to the plain rows that the formats read.

`plain` is one pipeline: each step takes the rows of a text and returns rows, unchanged if it does
not apply. Drawings, separators and words for the gap go; what is left is tiles with spaces between
them. Rows keep the numbers of their lines, so that an error names the line of the file. A step
changes only text that no format reads, or reads otherwise than people do.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from string import ascii_lowercase, digits

from plansolve.formats.grid import GAP, GAPS, ROW_END, Row, is_number, rows_of, square_side
from plansolve.formats.headings import WORD, inner_rows, is_title, is_whole
from plansolve.formats.listed import listed

DIGITS = digits + ascii_lowercase
"""The digits of tiles without spaces between them."""

_LONGEST = 128 * 1024
_MOST_ROWS = 400

_FENCE = re.compile(r"\s*(?:```|~~~)\s*\w*\s*")
_REMARK = re.compile(r"(?:^|(?<=\s))//.*")
_BLOCK_REMARK = re.compile(r"/\*[^\n]*?\*/")
_QUOTE = re.compile(r"\s*>")
_STRING = re.compile(r"(?:[^\n\"'=]{1,60}=\s*)?(\"\"\"|\'\'\'|[\"'`])([^\"'`]+)\1\s*[;,]?\s*")
_LINE_END = re.compile(r"\\n(?=[\s\d]|$)")
_SIMPLE = re.compile(r"[0-9a-z]*|\d{1,2}(?: +\d{1,2})*")

DRAWN = str.maketrans(
    dict.fromkeys("│┃║╎┆╏┇┊┋¦", "|")
    | dict.fromkeys("\u2591\u2588\u25a0\u25a1\u25a2\u25fb\u25fc\u2b1b\u2b1c", GAP)
    | dict.fromkeys("\u00b7\u2022\u2423", GAP)
    | dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-")
    | {chr(0xFF10 + digit): str(digit) for digit in range(10)}
    | dict.fromkeys("\ufe0f\u20e3", "")
)
"""Bars, pictures of the gap, wide digits and the signs that make keys of digits, in plain text."""
_RULE = re.compile(r"(?:[\s|+*/\\:=_.~'`,\u2500-\u257f-]|o(?=-)|(?<=-)o)*")
_RULE_SIGNS = re.compile(r"[-=~]{2}|:-|_{5}|_{2}\||\+[-=]|[\u2500-\u257f]")

_CELL = r"(?:\d{1,4}|[._xX*]|__)"
_DASHED = re.compile(rf"\s*{_CELL}(?:\s*-\s*{_CELL})+\s*")
_ROW_SEPARATORS = "/\\|:;,"
GAP_WORD = re.compile(r"(?i:none|null|nil|nan|blank|empty|gap|space)|_{2,}|0{2,}")
_ODD_GAP = re.compile(r"(?i:[beo])|-1|[?@~+]|--|\*\*|\.\.")
_BETWEEN = re.compile(r"([\s,;]+)")
QUOTED_GAP = re.compile(
    r"(?<![\w'\"])(['\"])[ _xX.*]?\1(?![\w'\"])|[\[(<](?i:\s?|blank|empty)[\])>]"
)
_QUOTED = re.compile(r"(['\"])([^\W_]{1,4})\1")


Rows = list[Row]


def plain(text: str) -> str:
    """Return a board's text as rows of tiles with spaces between, each on its line.

    A text that needs no change is returned as it is.
    """
    if len(text) > _LONGEST or _SIMPLE.fullmatch(text.strip()):
        return text
    before = rows_of(text)
    if string := _STRING.fullmatch(text.strip()):
        text = "\n" * text[: text.index(string[2])].count("\n") + string[2]
    if not 0 < len(before) <= _MOST_ROWS:
        return text
    rows = rows_of(_without_remarks(_LINE_END.sub(ROW_END, text)))
    # A title may stand above a list.
    has_title = len(rows) > 1 and is_title(rows[0].text)
    for begin in range(min(1 + has_title, len(rows))):
        body = as_text(rows[begin:])
        if (found := listed(body)) is not None:
            if found.lstrip().startswith("["):
                return found
            rows = rows_of(found)
            break
    for step in _STEPS:
        if not rows:
            return text
        rows = step(rows)
    return text if rows == before or not rows else as_text(rows, text)


def as_text(rows: Rows, text: str = "") -> str:
    """Return the text that `rows_of` reads as these rows, with the comments of `text`."""
    comments = text.split("\n")
    lines = [""] * max(len(comments), rows[-1].number if rows else 0)
    for number, row in rows:
        lines[number - 1] += (ROW_END if lines[number - 1] else "") + row
    for number, line in enumerate(comments):
        _, mark, comment = line.partition("#")
        lines[number] += f"{mark}{comment}"
    return "\n".join(lines)


def _without_remarks(text: str) -> str:
    """Return the text without the fences and quotes of Markdown and the remarks of C and Java."""
    lines = ["" if _FENCE.fullmatch(line) else line for line in text.split("\n")]
    if all(map(_QUOTE.match, filter(str.strip, lines))):
        lines = [_QUOTE.sub("", line, count=1) for line in lines]
    return "\n".join(_REMARK.sub("", _BLOCK_REMARK.sub("", line)) for line in lines)


def _without_title(rows: Rows) -> Rows:
    return rows[inner_rows(rows)]


# Drawings


def _without_drawing(rows: Rows) -> Rows:
    """Remove the lines of a table or a box; an empty cell between two bars is the gap."""
    rows = [Row(number, text.translate(DRAWN)) for number, text in rows]
    rules = {row.number for row in rows if _is_rule(row.text, rows)}
    kept = [row for row in rows if row.number not in rules]
    lined = [number for number, row in enumerate(kept) if "|" in row.text]
    if not lined:
        return kept
    around = kept[: lined[0]] + kept[lined[-1] + 1 :]
    if len(lined) > 1 and all(WORD.search(row.text) for row in around):
        # Text above and below a table.
        kept = kept[lined[0] : lined[-1] + 1]
    if len(kept) > 1 and kept[1].number - kept[0].number == 2 and kept[0].number + 1 in rules:
        kept = kept[_is_header(kept[0].text, kept[1:]) :]
    inner = [row.text.strip().removeprefix("|").removesuffix("|") for row in kept]
    cells = [text.split("|") for text in inner]
    if all(len(row) == 1 for row in cells):
        # If there is only a frame, the columns inside may show the gap.
        return [Row(row.number, row.text.replace("|", " ")) for row in kept]
    if len(kept) == 1 or any(len(cell.split()) > 1 for row in cells for cell in row):
        # Between rows.
        return [Row(row.number, text) for row, text in zip(kept, inner, strict=True)]
    return [
        Row(row.number, " ".join(cell.strip() or GAP for cell in own))
        for row, own in zip(kept, cells, strict=True)
        if any(map(str.strip, own))
    ]


def _is_rule(text: str, rows: Rows) -> bool:
    """Return True for a line of a drawing; a row of holes in a square of letters is not one."""
    if not _RULE.fullmatch(text) or not _RULE_SIGNS.search(text):
        return False
    words = {row.text.strip() for row in rows if row.text.strip().isalpha()}
    return not {*text.strip()} <= {*"-o"} or len(text.strip()) not in map(len, words)


def _is_header(text: str, rows: Rows) -> bool:
    """Return True if the first row of a table has no tile, and the others have."""
    are_numbers = any(sign.isdigit() for row in rows for sign in row.text)
    return are_numbers and not any(
        is_number(cell.strip()) or cell.strip() in GAPS for cell in text.strip("| ").split("|")
    )


# Separators


def _without_separators(rows: Rows) -> Rows:
    """Begin a row at each separator within a line, or remove separators between tiles."""
    for separator in _ROW_SEPARATORS:
        if any(separator in row.text for row in rows):
            rows = _broken(rows, separator)
    if len(rows) == 1:
        for parts in rows[0].text.split(" - "), rows[0].text.split():
            groups = [_tokens(part) for part in parts]
            if len(groups) > 1 and len({*map(len, groups)}) == 1 < len(groups[0]):
                return [Row(rows[0].number, " ".join(group)) for group in groups]
    if all(_DASHED.fullmatch(row.text) for row in rows) and _are_dashed(rows):
        rows = [Row(row.number, row.text.replace("-", " ")) for row in rows]
    return rows


def _broken(rows: Rows, separator: str) -> Rows:
    parts = [_parts(row.text, separator) for row in rows]
    tokens = [[_tokens(part) for part in row] for row in parts]
    counts = {len(part) for row in tokens for part in row}
    are_weak = separator in ":;,"
    are_rows = len(rows) == 1 and _are_run_together(parts[0])
    if are_weak and are_rows:
        are_rows = len(parts[0]) == len(parts[0][0].strip())
    are_tiles = counts == {1} and not are_rows
    are_read = separator in ";," and are_tiles and max(map(len, parts)) > 1
    if 0 in counts or not counts or (are_weak and len(counts) > 1) or are_read:
        # Commas between tiles stay until `_with_empty_cell` has seen where a cell is empty.
        return rows
    if are_tiles:
        return [Row(row.number, " ".join(own)) for row, own in zip(rows, parts, strict=True)]
    return [
        # Columns may show the gap; a space beside each separator is not a column.
        Row(row.number, " ".join(own) if {*part} & {*",-"} else part.removeprefix(" "))
        for row, texts, all_own in zip(rows, parts, tokens, strict=True)
        for part, own in zip(texts, all_own, strict=True)
    ]


def _parts(text: str, separator: str) -> list[str]:
    """Return the parts between single or double separators, which do not count at the ends."""
    if text.count(separator) == 2 * text.count(separator * 2):
        text = text.replace(separator * 2, separator)
    return text.strip().removeprefix(separator).removesuffix(separator).split(separator)


def _tokens(part: str) -> list[str]:
    """Return the tiles of a row, which commas or dashes may separate; no tile is the gap."""
    if "," in part:
        return [cell.strip() or GAP for cell in part.strip().removesuffix(",").split(",")]
    return part.replace("-", " ").split() if _DASHED.fullmatch(part) else part.split()


def _are_run_together(parts: Sequence[str]) -> bool:
    lengths = {len(part.strip()) for part in parts}
    return len(parts) > 1 and len(lengths) == 1 and lengths != {1}


def _are_dashed(rows: Rows) -> bool:
    """Return True if dashes separate the tiles, and are not holes."""
    return all(" - " not in row.text for row in rows) or (
        len(rows) > 1
        and all({*row.text.split()[1::2]} == {"-"} for row in rows)
        and not any("-" in row.text.split()[::2] for row in rows)
    )


# Gaps


def _with_gaps(rows: Rows) -> Rows:
    """Write . for words and signs that mean the gap, and remove quotation marks of tiles."""
    changed = []
    for row in rows:
        text = _QUOTED.sub(r"\2", QUOTED_GAP.sub(GAP, row.text))
        pieces = _BETWEEN.split(text)
        tiles = [GAP if GAP_WORD.fullmatch(piece) else piece for piece in pieces]
        are_tiles = all(_is_tile(tile) for tile in tiles[::2] if tile)
        changed.append(Row(row.number, "".join(tiles)) if are_tiles else row)
    return changed


def _is_tile(token: str) -> bool:
    return is_number(token) or len(token) == 1


def _with_odd_gap(rows: Rows) -> Rows:
    """Write . for a single sign, such as b or -1, on a board that has all tiles."""
    tokens = [[GAP if _ODD_GAP.fullmatch(t) else t for t in row.tokens] for row in rows]
    shown = [Row(row.number, " ".join(own)) for row, own in zip(rows, tokens, strict=True)]
    return shown if is_whole(shown) else rows


def _with_empty_cell(rows: Rows) -> Rows:
    """Write . where columns, tabs or commas show an empty cell."""
    begin = len(rows) > 2 and rows[0].text.strip() == str(len(rows) - 1)
    head, body = rows[:begin], rows[begin:]
    texts = [row.text for row in body]
    if len(rows) == 1:
        cells = texts[0].split(",")
        is_square = square_side(len(cells)) and sum(not cell.strip() for cell in cells) == 1
        found = _by_separator(texts, ",") if is_square else None
    else:
        found = next(filter(None, (_by_separator(texts, sign) for sign in "\t,;")), None)
        if found is None and not any("," in text or ";" in text for text in texts):
            found = by_columns(texts) or _by_characters(texts)
    if found is None:
        return rows
    return head + [Row(row.number, text) for row, text in zip(body, found, strict=True)]


def _by_separator(texts: Sequence[str], separator: str) -> list[str] | None:
    rows = [[cell.strip() for cell in text.split(separator)] for text in texts]
    for end in 0, -1:
        if len(rows) > 1 and not any(row and row[end] for row in rows):
            rows = [row[1:] if end == 0 else row[:-1] for row in rows]
    is_table = len({*map(len, rows)}) == 1 and len(rows[0]) > 1
    if not is_table or not all(_is_tile(cell) for row in rows for cell in row if cell):
        return None
    return [" ".join(cell or GAP for cell in row) for row in rows]


def by_columns(texts: Sequence[str], *, is_open: bool = False) -> list[str] | None:
    """Write the one cell that is missing in a column.

    If rows are open, the last cell of a row may be missing without a space that shows it.
    """
    texts = [text.expandtabs() for text in texts]
    places = [[found.span() for found in re.finditer(r"\S+", text)] for text in texts]
    most = max(map(len, places))
    short = [number for number, spans in enumerate(places) if len(spans) < most]
    tokens = [token for text in texts for token in text.split()]
    if len(short) != 1 or not all(map(_is_tile, tokens)) or not GAPS.isdisjoint(tokens):
        return None
    row, full = short[0], [spans for spans in places if len(spans) == most]
    columns = [
        (min(begin for begin, _ in column), max(end for _, end in column))
        for column in zip(*full, strict=True)
    ]
    if len(places[row]) != most - 1:
        return None
    if shown := _by_spaces(texts, row, is_open=is_open):
        return [*texts[:row], shown, *texts[row + 1 :]]
    if any(a[1] >= b[0] for a, b in pairwise(columns)):
        return None
    found = [
        [n for n, (begin, end) in enumerate(columns) if begin < span[1] and span[0] < end]
        for span in places[row]
    ]
    missing = {*range(most)} - {column for own in found for column in own}
    # At the end of a row only spaces show that a cell is missing.
    is_shown = is_open or len(texts[row]) > columns[min(missing, default=0)][0]
    if any(len(own) != 1 for own in found) or len(missing) != 1 or not is_shown:
        return None
    cells = texts[row].split()
    cells.insert(missing.pop(), GAP)
    return [*texts[:row], " ".join(cells), *texts[row + 1 :]]


def _by_spaces(texts: Sequence[str], row: int, *, is_open: bool) -> str:
    """Return a row with the cell that is missing between equal spaces; "" if none is."""
    others = [*texts[:row], *texts[row + 1 :]]
    spaces = {space for text in others for space in re.findall(r"\s+", text)}
    if len(spaces) != 1 or any(text != text.strip() for text in others):
        return ""
    (space,) = spaces
    for gap in " ", "":
        shown = f"{space}{texts[row]}{space}".replace(f"{space}{gap}{space}", f"{space}.{space}")
        if shown.count(GAP) == 1:
            # An extra space at the end does not count.
            return shown.strip() if gap or is_open or GAP not in shown.split()[-1] else ""
    return ""


def _by_characters(texts: Sequence[str]) -> list[str] | None:
    """Find the only space in rows of tiles without spaces between them."""
    width = max(map(len, map(str.rstrip, texts)))
    shown = [text[:width].ljust(len(text.rstrip("\n"))) for text in texts]
    is_square = all(len(text) == width > 1 for text in shown)
    signs = "".join(shown)
    if not is_square or signs.count(" ") != 1 or not signs.replace(" ", "").isalnum():
        return None
    return [" ".join(text.replace(" ", GAP)) for text in shown]


def _with_digits_apart(rows: Rows) -> Rows:
    """Write spaces between the digits of rows such as 867, 254, 301."""
    are_signs = all({*map(len, row.tokens)} == {1} for row in rows)
    words = ["".join(row.tokens if are_signs else row.text.strip()).lower() for row in rows]
    parts = words[0].split()
    if len(words) == 1 and _are_run_together(parts) and len(parts[0]) == len(parts):
        # 867 254 301 on one line.
        split = _with_digits_apart([Row(rows[0].number, part) for part in parts])
        return split if is_whole(split) else rows
    width, signs = len(words[0]), "".join(words)
    if not _are_run_together(words) or not any(map(str.isdigit, signs)):
        return rows
    values = values_of(signs)
    if not {*signs} <= values.keys():
        return rows
    spaced = [
        Row(row.number, " ".join(str(values[sign]) for sign in word))
        for row, word in zip(rows, words, strict=True)
    ]
    are_tiles = len(rows) == width and all(values[sign] <= width**2 for sign in signs)
    return spaced if are_tiles or is_whole(spaced) else rows


def values_of(signs: str) -> dict[str, int]:
    """Return the tile of each digit; if there is no 0, also the tile of a sign for the gap."""
    values = {sign: value for value, sign in enumerate(DIGITS)}
    return values if "0" in signs else values | dict.fromkeys(GAPS, 0)


_STEPS: tuple[Callable[[Rows], Rows], ...] = (
    _without_drawing,
    _with_gaps,
    _without_title,
    _without_separators,
    _without_title,
    _with_gaps,
    _with_empty_cell,
    _with_digits_apart,
    _with_odd_gap,
)
