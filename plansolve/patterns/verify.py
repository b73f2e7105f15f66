"""Verify additive pattern databases, independently of the builder.

An entry is right if and only if no move shortens the way by more than it costs (else it would be
too large), some move shortens it by one (else it would be too small), and the goal has 0. The
kernels test just that for every entry, so one changed entry is found.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import WORD_CELLS
from plansolve.patterns import verify_kernel as kernels
from plansolve.storage.store import Tell

__all__ = ["verify_additive", "verify_table"]

_NO_WAY, _LARGEST = 255, 254


def verify_additive(content: Mapping[str, Any], table: NDArray[np.uint8], tell: Tell) -> list[str]:
    """Return what is wrong with the bytes of stored additive tables, in words; empty if nothing is.

    `content` is the key's, and may be anything that JSON can say. `tell` gets a line for each
    table.
    """
    parts = _parts(content)
    if parts is None or sum(len(parts[0]) ** len(pattern) for pattern, _ in parts[1]) != table.size:
        return ["the description does not tell what the tables are"]
    arcs, tables = parts
    problems, begin = [], 0
    for number, (pattern, blanks) in enumerate(tables, start=1):
        tell(f"verifying table {number} of {len(tables)}")
        end = begin + len(arcs) ** len(pattern)
        wrong = verify_table(arcs, pattern, blanks, table[begin:end])
        if wrong is not None:
            cells = [wrong // len(arcs) ** place % len(arcs) for place in range(len(pattern))]
            problems.append(
                f"table {number}: the entry for tiles in the cells {cells[::-1]} is wrong"
            )
        begin = end
    return problems


def verify_table(
    arcs: Sequence[Sequence[int]],
    pattern: Sequence[int],
    blanks: Sequence[int],
    table: NDArray[np.uint8],
) -> int | None:
    """The index of an entry that is wrong, or None where all are right.

    The goal is the tiles in the cells `pattern` and the blank in one of `blanks`; an entry is the
    least number of moves of the pattern's tiles, as `additive_build.TablePlan` describes it.
    """
    cells = len(arcs)
    into, out = np.zeros(cells, np.uint64), np.zeros(cells, np.uint64)
    for b, targets in enumerate(arcs):
        for d in targets:
            if b != d:
                into[d] |= np.uint64(1 << b)
                out[b] |= np.uint64(1 << d)
    strides: list[int] = [cells**place for place in reversed(range(len(pattern)))]
    bits = kernels.ArcBits(into, out, np.array(strides, np.uint64))
    home = sum(int(stride) * cell for stride, cell in zip(strides, pattern, strict=True))
    mask = np.uint32 if cells <= 32 else np.uint64
    rows = -(-table.size >> kernels.ROW_BITS)
    sets = kernels.BlankSets(
        settled=np.zeros(table.size, mask),
        last=np.zeros(table.size, mask),
        new=np.zeros(table.size, mask),
        touched=np.zeros(table.size, np.uint8),
        rows=np.zeros(rows, np.uint8),
        new_rows=np.zeros(rows, np.uint8),
    )
    if table[home] != 0:
        return home
    sets.last[home] = sets.settled[home] = sum(1 << blank for blank in blanks)
    sets.rows[home >> kernels.ROW_BITS] = 1
    beyond = _NO_WAY
    for level in range(1, _LARGEST + 1):
        if not kernels.mark(bits, sets):
            break
        if level == _LARGEST:
            # Beyond, the builder does not tell a long way from none.
            beyond = _LARGEST
            break
        wrong = kernels.settle(level, table, bits, sets)
        if wrong < table.size:
            return int(wrong)
        sets.last[:] = 0
        sets.rows[:] = 0
        sets = sets._replace(last=sets.new, new=sets.last, rows=sets.new_rows, new_rows=sets.rows)
    wrong = kernels.check_unsettled(table, sets.settled, beyond)
    return None if wrong == table.size else int(wrong)


def _parts(
    content: Mapping[str, Any],
) -> tuple[list[list[int]], list[tuple[list[int], list[int]]]] | None:
    """Arcs, and cells and blanks of each table, where the content has the form of a key's."""
    arcs, tables = content.get("arcs"), content.get("tables")
    if not isinstance(arcs, list) or not 2 <= len(arcs) <= WORD_CELLS:
        return None
    if not isinstance(tables, list) or content.get("consistent") is not False:
        return None
    if not all(_are_cells(targets, len(arcs)) for targets in arcs):
        return None
    for table in tables:
        if not isinstance(table, list) or len(table) != 2:
            return None
        pattern, blanks = table
        if not (_are_cells(pattern, len(arcs)) and _are_cells(blanks, len(arcs))):
            return None
        if not pattern or not blanks or set(pattern) & set(blanks):
            return None
    return arcs, [(pattern, blanks) for pattern, blanks in tables]


def _are_cells(value: Any, cells: int) -> bool:
    return (
        isinstance(value, list)
        and all(type(cell) is int and 0 <= cell < cells for cell in value)
        and len(set(value)) == len(value)
    )
