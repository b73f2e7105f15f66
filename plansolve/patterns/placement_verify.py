"""Verify pattern databases of placements against the rules that their description names.

Every entry is compared with those that one move leads to, by code that shares nothing with the
builder's. Only the goal has 0, and each other entry has a neighbour that is nearer by one: so none
is too small, and none is too large.
"""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import WORD_CELLS
from plansolve.patterns.placement_verify_kernel import ForwardMoves, count_faults
from plansolve.storage.store import Tell

__all__ = ["verify_placements"]


def verify_placements(
    content: Mapping[str, Any], table: NDArray[np.uint8], tell: Tell
) -> list[str]:
    """Return what is wrong with tables, in words; nothing where every entry is right.

    `content` is that of the tables' key; it comes from a file and may be anything. This takes some
    times as long as building them.
    """
    described = _described(content)
    if described is None:
        return ["its description makes no sense"]
    cells, operators, patterns = described
    if sum(perm(cells, len(homes)) for homes in patterns) != table.size:
        return ["it is not as long as its description says"]
    problems, begin = [], 0
    for number, homes in enumerate(patterns, start=1):
        tell(f"verifying table {number} of {len(patterns)}")
        end = begin + perm(cells, len(homes))
        moves = ForwardMoves(
            np.array([goes for _, *goes in operators], np.int64).reshape(-1),
            np.array([need for need, *_ in operators], np.int64),
            np.array(homes, np.int64),
        )
        check = partial(count_faults, cells=cells, moves=moves, table=table[begin:end])
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults, right = map(sum, zip(*pool.map(check, range(cells)), strict=True))
        if faults or right != end - begin:
            problems.append(f"table {number}: {faults} of its {end - begin} entries are wrong")
        begin = end
    return problems


def _described(
    content: Mapping[str, Any],
) -> tuple[int, list[list[int]], list[list[int]]] | None:
    """The cells, the operators and each table's homes, where all that is in order."""
    cells, operators, blank = (content.get(name) for name in ("cells", "operators", "blank"))
    patterns = content.get("patterns")
    if type(cells) is not int or not 2 <= cells <= WORD_CELLS:
        return None
    if not isinstance(operators, list) or not isinstance(patterns, list) or not operators:
        return None
    if not all(_is_operator(one, cells) for one in operators):
        return None
    is_blank_needed = any(need >= 0 for need, *_ in operators)
    if is_blank_needed != (blank is not None):
        return None
    first = [] if blank is None else [blank]
    pieces = [[*first, *homes] for homes in patterns if isinstance(homes, list) and homes]
    if len(pieces) < len(patterns) or not all(_are_cells(homes, cells) for homes in pieces):
        return None
    return cells, operators, pieces


def _is_operator(value: Any, cells: int) -> bool:
    """Whether it is the cell in which the blank must be, or -1, and each content's destination."""
    if not isinstance(value, list) or len(value) != cells + 1:
        return False
    need, *goes = value
    return type(need) is int and -1 <= need < cells and _are_cells(goes, cells)


def _are_cells(value: list[Any], cells: int) -> bool:
    """Whether these are different cells."""
    return all(_is_cell(cell, cells) for cell in value) and len(set(value)) == len(value)


def _is_cell(value: Any, cells: int) -> bool:
    return type(value) is int and 0 <= value < cells
