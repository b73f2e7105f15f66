"""Board files and move notation: reading and writing, one format a file."""

from plansolve.formats.binding import bind, bind_rules
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.given import BoardLike, path_of, read_problem
from plansolve.formats.notation import as_plan, format_plan, read_plan
from plansolve.formats.registry import (
    FORMATS,
    common_texts,
    detect,
    read_board,
    write_problem,
)
from plansolve.formats.text import MAX_BYTES, decode_text

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "BoardDocument",
    "BoardFormat",
    "BoardLike",
    "as_plan",
    "bind",
    "bind_rules",
    "common_texts",
    "decode_text",
    "detect",
    "format_plan",
    "path_of",
    "read_board",
    "read_plan",
    "read_problem",
    "write_problem",
]
