"""Verify pattern databases of placements against the rules that their description names.

Every move is looked at once, by code that shares nothing with the builder's. A move costs 1, or
where only the pieces' own moves count may cost nothing. No entry is larger than what a move costs
and the entry after it: so none is too large. From each entry moves lead to the goal, after each of
which the entry is less by what the move costs: so none is too small. Tables that tell of two
classes of moves are verified in another way, see `placement_verify_turn_kernel`.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, combinations, pairwise
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import WORD_CELLS
from plansolve.patterns.placement_verify_kernel import (
    PROVED,
    TOO_LARGE,
    UNMET,
    BackwardSteps,
    PlacedPieces,
    follow_back,
    number_of_cells,
)
from plansolve.patterns.placement_verify_turn_kernel import ForwardSteps, count_wrong
from plansolve.storage.store import Tell
from plansolve.text import wrong_entries

__all__ = ["verify_placements"]

_NO_WAY = 255
_FARTHEST, _FARTHEST_ADDED, _FARTHEST_TURNS = 254, 251, 62
"""Stand for these distances and all larger ones."""

_SMALL = 1 << 16
"""Smaller tables are verified in less time than threads take to start."""

_Class: TypeAlias = tuple[list[int], int]
"""The goal cells of a class, and how many pieces it has."""


def verify_placements(
    content: Mapping[str, Any], table: NDArray[np.uint8], tell: Tell
) -> list[str]:
    """Return what is wrong with tables, in words; nothing where every entry is right.

    `content` is that of the tables' key; it comes from a file and may be anything. This takes about
    as long as building them, twice that for those that tell of two classes.
    """
    described = _described(content)
    if described is None:
        return ["its description makes no sense"]
    cells, operators, free, patterns = described
    if sum(_length(cells, classes) for classes in patterns) != table.size:
        return ["it is not as long as its description says"]
    steps, turns = _steps(cells, operators), content.get("turns")
    has_gaps = any(need >= 0 for need, *_ in operators)
    problems, begin = [], 0
    for number, classes in enumerate(patterns, start=1):
        tell(f"verifying table {number} of {len(patterns)}")
        end = begin + _length(cells, classes)
        gaps = classes[-1][1] if has_gaps else 0
        pieces = _pieces(cells, classes, gaps, are_added=bool(content.get("added")))
        entries, goals = table[begin:end], _goals(cells, free, classes, pieces)
        if turns is None:
            faults = _faults(steps, pieces, entries, goals)
        else:
            faults = _faults_in_turns(_forward(cells, operators, turns), pieces, entries, goals)
        if faults:
            problems.append(f"table {number}: {wrong_entries(faults, entries.size)}")
        begin = end
    return problems


def _faults(
    steps: BackwardSteps, pieces: PlacedPieces, entries: NDArray[np.uint8], goals: NDArray[np.int64]
) -> int:
    """How many entries are too large, or are not proved to be large enough."""
    known = np.zeros(entries.size, np.uint8)
    known[goals] = np.where(entries[goals] == 0, PROVED, TOO_LARGE)
    if not np.any(entries == _NO_WAY):
        # Where distances are too large for the table, what has no way has the largest entry, too.
        known[entries == pieces.farthest] = PROVED
    threads = os.cpu_count() or 1
    parts = threads if entries.size >= _SMALL else 1
    bounds = [*pairwise(np.linspace(0, entries.size, 16 * parts + 1, dtype=int).tolist())]

    def follow(part: tuple[int, int]) -> tuple[int, int]:
        return follow_back(*part, steps, pieces, entries, known)

    faults = 0
    with ThreadPoolExecutor(threads) as pool:
        followed = 1
        while followed:
            followed, more = map(sum, zip(*pool.map(follow, bounds), strict=True))
            faults += more
    wrong = (known == TOO_LARGE) | ((known == UNMET) & (entries != _NO_WAY))
    # A thread may write over what another has found.
    return max(int(wrong.sum()), min(faults, 1))


def _faults_in_turns(
    steps: ForwardSteps, pieces: PlacedPieces, entries: NDArray[np.uint8], goals: NDArray[np.int64]
) -> int:
    """How many entries are not what follows from others, in tables that tell of two classes."""
    pieces = pieces._replace(farthest=_FARTHEST_TURNS)
    is_zero = entries == 0
    wrong = int(is_zero.sum()) - int(is_zero[goals].sum()) + int((~is_zero[goals]).sum())
    parts = 16 * (os.cpu_count() or 1) if entries.size >= _SMALL else 1
    bounds = [*pairwise(np.linspace(0, entries.size, parts + 1, dtype=int).tolist())]

    def count(part: tuple[int, int]) -> int:
        return count_wrong(*part, steps, pieces, entries)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return wrong + sum(pool.map(count, bounds))


def _steps(cells: int, operators: Sequence[Sequence[int]]) -> BackwardSteps:
    """The operators taken back, by the cell in which they leave a gap."""
    groups: list[list[NDArray[np.int64]]] = [[] for _ in range(cells + 1)]
    for need, *goes in operators:
        groups[cells if need < 0 else goes[need]].append(np.argsort(goes))
    return BackwardSteps(
        cells,
        np.array([origin for group in groups for origin in group], np.int64).reshape(-1),
        np.array([*accumulate(map(len, groups), initial=0)], np.int64),
    )


def _forward(cells: int, operators: Sequence[Sequence[int]], turns: Sequence[int]) -> ForwardSteps:
    """The operators by their class, and by the cell in which they need a gap."""
    groups: list[list[Sequence[int]]] = [[] for _ in range(2 * cells + 2)]
    for (need, *goes), turn in zip(operators, turns, strict=True):
        groups[turn * (cells + 1) + (cells if need < 0 else need)].append(goes)
    return ForwardSteps(
        cells,
        np.array([to for group in groups for goes in group for to in goes], np.int64),
        np.array([*accumulate(map(len, groups), initial=0)], np.int64),
    )


def _length(cells: int, classes: Sequence[_Class]) -> int:
    """The number of placements."""
    length, left = 1, cells
    for _, copies in classes:
        length, left = length * comb(left, copies), left - copies
    return length


def _pieces(cells: int, classes: Sequence[_Class], gaps: int, *, are_added: bool) -> PlacedPieces:
    """The pieces of some classes; tables that `are_added` count the moves of their tiles alone."""
    choose = np.array([[comb(n, k) for k in range(cells + 1)] for n in range(cells + 1)], object)
    return PlacedPieces(
        np.array([rank for _, copies in classes for rank in range(copies)], np.int64),
        np.array([copies for _, copies in classes for _ in range(copies)], np.int64),
        np.minimum(choose, np.iinfo(np.int64).max).astype(np.int64),
        gaps,
        sum(copies for _, copies in classes) - gaps if are_added else -1,
        _FARTHEST_ADDED if are_added else _FARTHEST,
    )


def _goals(
    cells: int, free: Sequence[int], classes: Sequence[_Class], pieces: PlacedPieces
) -> NDArray[np.int64]:
    """The numbers of the placements that a goal has."""
    placements: list[list[int]] = [[]]
    for homes, copies in classes:
        placements = [
            [*before, *sorted([*homes, *more])]
            for before in placements
            for more in combinations(set(free) - set(before), copies - len(homes))
        ]
    return np.array(
        [number_of_cells(np.array(placed, np.int64), cells, pieces) for placed in placements],
        np.int64,
    )


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
    if (turns := content.get("turns")) is not None and not _are_turns(turns, len(operators)):
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


def _are_turns(value: Any, operators: int) -> bool:
    """Whether it is a class for each operator."""
    if not isinstance(value, list) or len(value) != operators:
        return False
    return all(type(turn) is int and turn in (0, 1) for turn in value)


def _are_cells(value: list[Any], cells: int) -> bool:
    """Whether these are different cells."""
    return all(_is_cell(cell, cells) for cell in value) and len(set(value)) == len(value)


def _is_cell(value: Any, cells: int) -> bool:
    return type(value) is int and 0 <= value < cells
