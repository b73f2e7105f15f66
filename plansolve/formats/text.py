"""From the bytes of a file to text."""

import re

from plansolve.errors import BoardError

__all__ = ["MAX_BYTES", "decode_text"]

MAX_BYTES = 512 * 1024
"""The largest board file that is read."""

_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def decode_text(data: bytes) -> str:
    """Return the text of a board file, without a byte order mark, its lines ended by newlines.

    Raise `BoardError` for empty input, for more than `MAX_BYTES`, and for anything that is not
    UTF-8 text.
    """
    if len(data) > MAX_BYTES:
        raise BoardError(
            f"the input is larger than any board: more than {MAX_BYTES // 1024} KiB; "
            "is it the right file?"
        )
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
    return BoardError(f"not a text file: byte 0x{body[offset]:02x} at offset {offset + skipped}")
