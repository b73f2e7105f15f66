"""Verify pattern databases of placements against the rules that their description names.

Every entry is compared with those that one move leads to, by code that shares nothing with the
builder's. Only the goal has 0, and each other entry has a neighbour that is nearer by one: so none
is too small, and none is too large. Where only the pieces' own moves count, neighbours may be as
near; see `placement_sum_verify_kernel`.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import WORD_CELLS
from plansolve.patterns.placement_sum_verify_kernel import count_sum_faults
from plansolve.patterns.placement_verify_kernel import (
    ForwardMoves,
    PlacedPieces,
    count_faults,
    number_of_cells,
)
from plansolve.storage.store import Tell

__all__ = ["verify_placements"]

_Class: TypeAlias = tuple[list[int], int]
"""The goal cells of a class, and how many pieces it has."""


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
    cells, operators, free, patterns = described
    if sum(_length(cells, classes) for classes in patterns) != table.size:
        return ["it is not as long as its description says"]
    moves = ForwardMoves(
        cells,
        np.array([goes for _, *goes in operators], np.int64).reshape(-1),
        np.array([need for need, *_ in operators], np.int64),
    )
    problems, begin = [], 0
    for number, classes in enumerate(patterns, start=1):
        tell(f"verifying table {number} of {len(patterns)}")
        end = begin + _length(cells, classes)
        gaps = classes[-1][1] if (moves.need >= 0).any() else 0
        pieces, entries = _pieces(cells, free, classes, gaps), table[begin:end]
        count = _sum_faults if content.get("added") else _faults
        if faults := count(moves, pieces, entries):
            problems.append(f"table {number}: {faults} of its {entries.size} entries are wrong")
        begin = end
    return problems


def _faults(moves: ForwardMoves, pieces: PlacedPieces, entries: NDArray[np.uint8]) -> int:
    """How many entries are wrong in a table that counts all moves."""
    check = partial(count_faults, moves=moves, pieces=pieces, table=entries)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults, right = map(sum, zip(*pool.map(check, range(moves.cells)), strict=True))
    return max(faults, entries.size - right)


def _sum_faults(moves: ForwardMoves, pieces: PlacedPieces, entries: NDArray[np.uint8]) -> int:
    """How many entries are wrong in a table that counts the moves of its own pieces."""
    proved = np.zeros(entries.size, np.uint8)
    check = partial(count_sum_faults, moves=moves, pieces=pieces, table=entries, proved=proved)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        news = 1
        while news:
            faults, news = map(sum, zip(*pool.map(check, range(moves.cells)), strict=True))
            if faults:
                return faults
    return entries.size - int(proved.sum(dtype=np.int64))


def _length(cells: int, classes: Sequence[_Class]) -> int:
    """The number of placements."""
    length, left = 1, cells
    for _, copies in classes:
        length, left = length * comb(left, copies), left - copies
    return length


def _pieces(cells: int, free: Sequence[int], classes: Sequence[_Class], gaps: int) -> PlacedPieces:
    """The pieces of some classes, and which of their placements a goal has."""
    choose = np.array([[comb(n, k) for k in range(cells + 1)] for n in range(cells + 1)], object)
    pieces = PlacedPieces(
        np.array([rank for _, copies in classes for rank in range(copies)], np.int64),
        np.array([copies for _, copies in classes for _ in range(copies)], np.int64),
        np.minimum(choose, np.iinfo(np.int64).max).astype(np.int64),
        np.zeros(_length(cells, classes), np.uint8),
        gaps,
    )
    placements: list[list[int]] = [[]]
    for homes, copies in classes:
        placements = [
            [*before, *sorted([*homes, *more])]
            for before in placements
            for more in combinations(set(free) - set(before), copies - len(homes))
        ]
    for placed in placements:
        pieces.is_goal[number_of_cells(np.array(placed, np.int64), cells, pieces)] = 1
    return pieces


def _described(
    content: Mapping[str, Any],
) -> tuple[int, list[list[int]], list[int], list[list[_Class]]] | None:
    """Cells, operators, open cells, and each table's classes, where all that is in order."""
    cells, operators, has_blank = (content.get(name) for name in ("cells", "operators", "blank"))
    free, patterns = content.get("open"), content.get("patterns")
    if type(cells) is not int or not 2 <= cells <= WORD_CELLS:
        return None
    if not isinstance(operators, list) or not isinstance(patterns, list) or not operators:
        return None
    if not all(_is_operator(one, cells) for one in operators):
        return None
    if any(need >= 0 for need, *_ in operators) is not has_blank:
        return None
    if not isinstance(free, list) or not _are_cells(free, cells):
        return None
    classes = [_classes(pattern, cells, free) for pattern in patterns]
    known = [own for own in classes if own is not None]
    if len(known) < len(classes):
        return None
    return cells, operators, free, known


def _classes(pattern: Any, cells: int, free: list[int]) -> list[_Class] | None:
    """The goal cells and the number of pieces of each class, where they can be so."""
    if not isinstance(pattern, list) or not pattern:
        return None
    for own in pattern:
        if not isinstance(own, list) or len(own) != 2 or not isinstance(own[0], list):
            return None
        homes, copies = own
        if type(copies) is not int or not max(1, len(homes)) <= copies <= len(homes) + len(free):
            return None
    if not _are_cells([home for homes, _ in pattern for home in homes] + free, cells):
        return None
    if sum(copies - len(homes) for homes, copies in pattern) > len(free):
        return None
    return [(homes, copies) for homes, copies in pattern]


def _is_operator(value: Any, cells: int) -> bool:
    """Whether it is the cell in which a gap must be, or -1, and each content's destination."""
    if not isinstance(value, list) or len(value) != cells + 1:
        return False
    need, *goes = value
    return type(need) is int and -1 <= need < cells and _are_cells(goes, cells)


def _are_cells(value: list[Any], cells: int) -> bool:
    """Whether these are different cells."""
    return all(_is_cell(cell, cells) for cell in value) and len(set(value)) == len(value)


def _is_cell(value: Any, cells: int) -> bool:
    return type(value) is int and 0 <= value < cells
