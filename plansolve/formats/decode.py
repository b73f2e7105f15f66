"""From the bytes of a file to text, and the number of a board in its name: boards.txt#2."""

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from plansolve.errors import BoardError

MAX_BYTES = 512 * 1024
"""The largest board file that is read."""

_BOM = b"\xef\xbb\xbf"
_LAST_ASCII = 0x7F
_NUMBERED = re.compile(r"(.+)#(\d{1,6})", re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def numbered(name: str) -> tuple[str, int | None]:
    """Return the file and the number of the board in it: ("a.txt", 2) for "a.txt#2".

    A file that is there under the whole name is meant as a whole.
    """
    match = _NUMBERED.fullmatch(name)
    if match is None or os.path.exists(name):
        return name, None
    return match[1], int(match[2])


def decode(data: bytes, *, most: int = MAX_BYTES) -> str:
    """Return the text of a board file, without a byte order mark, its lines ended by newlines.

    Raise `BoardError` for empty input, for more than `most` bytes, and for anything that is not
    text in UTF-8, or in UTF-16 with its byte order mark.
    """
    if len(data) > most:
        raise BoardError(
            f"the input is larger than any board: more than {most // 1024} KiB; "
            "is it the right file?"
        )
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise BoardError("not a text file: UTF-16 that breaks off; save it as UTF-8") from None
    body = data.removeprefix(_BOM)
    skipped = len(data) - len(body)
    if control := _CONTROL.search(body):
        raise _not_text(body, control.start(), skipped)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_text(body, error.start, skipped) from None
    if not text.strip():
        raise BoardError("the input is empty: a board is expected")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_text(body: bytes, offset: int, skipped: int) -> BoardError:
    message = f"not a text file: byte 0x{body[offset]:02x} at offset {offset + skipped}"
    if body[offset] > _LAST_ASCII:
        message += f", line {body.count(10, 0, offset) + 1}; save the file as UTF-8"
    elif not body[offset] and any(body[i::2].count(0) == len(body[i::2]) for i in (0, 1)):
        message += ": it looks like UTF-16; save it as UTF-8"
    return BoardError(message)
