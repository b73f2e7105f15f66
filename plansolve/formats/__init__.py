"""Read and write boards and plans: decode, parse, specify and make a problem; notation of moves."""

from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.notation import format_plan
from plansolve.formats.parse import MAX_BYTES, decode, is_windows, numbered, parse, parse_all
from plansolve.formats.plans import as_plan, read_plan
from plansolve.formats.read import BoardLike, path_of, read_problem
from plansolve.formats.registry import FORMATS, common_texts, detect, write_problem
from plansolve.formats.specify import make, make_rules, puzzle_name, reading, specify

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "BoardDocument",
    "BoardFormat",
    "BoardLike",
    "as_plan",
    "common_texts",
    "decode",
    "detect",
    "format_plan",
    "is_windows",
    "make",
    "make_rules",
    "numbered",
    "parse",
    "parse_all",
    "path_of",
    "puzzle_name",
    "read_plan",
    "read_problem",
    "reading",
    "specify",
    "write_problem",
]
