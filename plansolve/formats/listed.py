"""Read boards that programs write as lists: assigned, in braces, quoted, as numpy prints them."""

import re
from dataclasses import dataclass, field

from plansolve.errors import BoardError
from plansolve.formats.grid import GAP, GAPS, ROW_END
from plansolve.text import quote

_PAIRS = str.maketrans("{}()", "[][]")
_LONGEST_PREFIX = 100
_DECLARED = re.compile(r"\s*[\"']?[A-Za-z_$][^\n\"'#]*[\"']?\s*")
"""The left side of an assignment."""
_CALL = re.compile(
    r"\s*(?:\[\d*\])*(?:(?:return|new)\s+)?[A-Za-z_][\w.:!]{0,60}(?:<[\w\s:,<>]{0,60}>)?(?:\s+[A-Za-z_]\w{0,60})?"
    r"(?:\[[\d, ]*\])*\s*(?=[\[({])"
)
_METHOD = re.compile(r"(?<=[)\]])\s*\.\w+\([\w\s,.=-]*\)\s*;?\s*$")
_LISP = re.compile(r"'(?=\()|(?<=\()(?:list|vector|(?:setq|def\w*)\s+\S+)\s+")
_NESTED_CALL = re.compile(r"(?<=[\[({,\s])(?:new )?[A-Za-z_][\w.:]{0,60}!?(?:\[\d?\])* ?(?=[\[({])")
_KEYWORD = re.compile(r",\s*dtype\s*=\s*[\w.'\"]+")
_QUOTED = re.compile(r"\"([^\"\n\[\](){}]{0,80})\"|'([^'\n\[\](){}]{0,80})'")
_NO_TILE = re.compile(r"(?<![\w.])(?i:none|null|nil|nan|undefined|blank|empty|-1)(?![\w.-])")
_FLOAT = re.compile(r"(?<![\w.])(\d{1,4})\.0?(?![\w.])")
_TOKEN = re.compile(r"[\[\](){}\n]|[^\s\[\](){},]+")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_INNERMOST = re.compile(r"\[([^\[\]]*)\]")
_JSON = re.compile(
    r"\s*(?:[\w ]{1,60}=\s*)?(?=\{\s*(?:\}|(?:\"(?:[^\"\\]|\\.)*\"|'\w+'|[A-Za-z_]\w*)\s*:))"
)
_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")


def is_json(text: str) -> bool:
    """Return True if a text begins as a JSON object does, or a dictionary of another language."""
    return _JSON.match(text) is not None


def as_json(text: str) -> str:
    """Return a dictionary of Python or JavaScript as a JSON object."""
    begin = found.end() if (found := _JSON.match(text)) else 0
    body = _NO_TILE.sub("null", _QUOTED.sub(r'"\1\2"', text[begin:]))
    body = _KEY.sub(r'\1"\2":', body.translate(str.maketrans("()", "[]")))
    return re.sub(r",(?=\s*[\]}])", "", body).rstrip("; \n")


def listed(text: str) -> str | None:
    """Return a list as nested brackets, or as rows of letters or texts; None for other texts.

    Text around it is replaced by spaces, and each row stays on its line.
    """
    body = _without_prefix(_LISP.sub("", text))
    if not body.lstrip().startswith(("[", "(", "{")):
        return None
    body = _NESTED_CALL.sub("", _KEYWORD.sub("", _METHOD.sub("", body))).rstrip(" \n\t;,.")
    try:
        list_in(f"[{body}]")
    except BoardError:
        return None
    is_tuple = body.count("(") == 2 and body.lstrip().startswith("((") and body.endswith("))")
    if is_tuple or (body.lstrip().startswith("([") and body.endswith("])")):
        # The list or tuple is the only argument of a call.
        body = body.replace("(", " ", 1)[:-1]
    texts = [one or other for one, other in _QUOTED.findall(body)]
    body = _NO_TILE.sub(
        ".", _QUOTED.sub(lambda found: found[0][1:-1].strip() or ".", body)
    ).translate(_PAIRS)
    body = _FLOAT.sub(r"\1", body)
    blank, body = "\n" * (len(body) - len(body.lstrip("\n"))), body.strip()
    rows = _INNERMOST.findall(body)
    if not rows or not body.endswith("]"):
        return None
    are_flat = body.startswith("[") and "[[" not in re.sub(r"\s", "", body)
    if len(rows) > 1 and are_flat and all("," not in row and len(row.split()) < 2 for row in rows):
        # Each tile may have brackets of its own.
        return blank + re.sub(r"[\[\]]", " ", re.sub(r"\[\s*\]", GAP, body))
    if len(rows) == 1 and ";" in body:
        body = f"[{body.replace(';', '],[')}]"
    elif len(rows) > 1 and are_flat:
        body = f"[{body}]"
    lengths, has_digits = {*map(len, texts)}, any(map(str.isdigit, "".join(texts)))
    are_rows = all(len(text.split()) > 1 for text in texts) or (
        len(lengths) == 1 and (lengths == {len(texts)} if has_digits else lengths != {1})
    )
    if len(rows) == 1 and len(texts) > 1 and are_rows:
        return blank + re.sub(r"[\[\]]", "", body.replace(",", ROW_END))
    cells = re.split(r"[\s,;]+", " ".join(rows).strip(" ,"))
    if any(len(cell) == 1 and cell.isalpha() and cell not in GAPS for cell in cells):
        return blank + re.sub(r"[\[,]", " ", body.replace("]", ROW_END))
    return blank + body


def _without_prefix(text: str) -> str:
    """Return the text without `name =` and a call such as `np.array` before its first bracket."""
    before, equals, rest = text.partition("=")
    is_balanced = all(before.count(a) == before.count(b) for a, b in ("[]", "()", "{}"))
    is_name = len(before.strip()) <= _LONGEST_PREFIX and _DECLARED.fullmatch(before)
    if equals and is_balanced and is_name and rest.lstrip()[:1] not in ("=", ""):
        text = "\n" * before.count("\n") + rest
    if found := _CALL.match(text):
        text = "\n" * found[0].count("\n") + text[found.end() :]
    return text


@dataclass
class BracketList:
    """A list in brackets: the line on which it begins, its tokens, and its sublists."""

    line: int
    tokens: list[str] = field(default_factory=list)
    lists: list["BracketList"] = field(default_factory=list)


def list_in(text: str) -> BracketList:
    """Return the list that a text consists of, without extra brackets around a list of lists.

    Raise `BoardError` if there is text before or after it, or brackets do not match.
    """
    outside, number = BracketList(1), 1
    opened = [("", outside)]
    for part in _TOKEN.findall(text):
        if part == "\n":
            number += 1
        elif len(opened) == 1 and outside.lists:
            raise BoardError(f"line {number}: {quote(part)} follows the end of the list")
        elif part in _CLOSING:
            inner = BracketList(number)
            opened[-1][1].lists.append(inner)
            opened.append((_CLOSING[part], inner))
        elif part in _CLOSING.values():
            if opened.pop()[0] != part:
                raise BoardError(f"line {number}: {part} has no opening bracket")
        elif len(opened) == 1:
            raise BoardError(f"line {number}: {quote(part)} stands before the list: [ is expected")
        else:
            opened[-1][1].tokens.append(part)
    if len(opened) > 1 or not outside.lists:
        raise BoardError(f"line {number}: the list is not closed: ] is expected")
    (found,) = outside.lists
    while not found.tokens and len(found.lists) == 1 and found.lists[0].lists:
        (found,) = found.lists
    return found
