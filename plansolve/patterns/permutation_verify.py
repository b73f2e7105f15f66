"""Verify a permutation pattern database against the rules that its description names.

Every entry is compared with those that one move leads to: see `count_faults` for why this tells.
"""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.permutation_build import table_length
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.permutation_verify_kernel import TableShape, TileMoves, count_faults
from plansolve.storage.store import Tell
from plansolve.text import wrong_entries

__all__ = ["described_rules", "verify_permutation"]

_PARTS = 64


def verify_permutation(
    content: Mapping[str, Any], table: NDArray[np.uint8], tell: Tell
) -> list[str]:
    """Return what is wrong with a table, in words; nothing where every entry is right.

    `content` is that of the table's key; it comes from a file and may be anything. This takes about
    as long as building the table.
    """
    described, parity = described_rules(content), content.get("parity")
    if described is None or type(parity) is not bool:
        return ["its description makes no sense"]
    rules, pattern = described
    cells, half = rules.cells, rules.cells ** len(pattern)
    if parity and not rules.differ_in_parity:
        return ["it has a parity bit, but all moves are of one parity"]
    if table.size != table_length(rules, pattern, parity):
        return ["it is not as long as its description says"]
    goal = sum(home * cells ** (len(pattern) - 1 - i) for i, home in enumerate(pattern))
    shape = TableShape(cells, len(pattern), half, goal)
    moves = TileMoves(
        np.array(rules.destinations, np.uint64).reshape(-1),
        np.array([odd and parity for odd in rules.is_odd], np.uint8),
    )
    bounds = np.linspace(0, table.size // cells, _PARTS + 1, dtype=int).tolist()
    tell(f"checking {table.size} entries")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = [
            pool.submit(count_faults, begin, end, shape, moves, table)
            for begin, end in pairwise(bounds)
        ]
        faults = sum(part.result() for part in parts)
    return [wrong_entries(faults, table.size)] if faults else []


def described_rules(
    content: Mapping[str, Any],
) -> tuple[PermutationRules, tuple[int, ...]] | None:
    """The rules and the pattern that a key's content describes, where they are in order."""
    cells, sources, pattern = (content.get(name) for name in ("cells", "sources", "pattern"))
    if type(cells) is not int:
        return None
    if not isinstance(sources, list) or not _are_cells(pattern, cells) or len(pattern) < 2:
        return None
    if not all(_are_cells(source, cells) and len(source) == cells for source in sources):
        return None
    rules = PermutationRules(cells, ("",) * len(sources), tuple(map(tuple, sources)))
    return rules, tuple(pattern)


def _are_cells(value: Any, cells: int) -> TypeGuard[list[int]]:
    """Whether it is a list of different cells."""
    if not isinstance(value, list) or not all(type(cell) is int for cell in value):
        return False
    return len(set(value)) == len(value) and all(0 <= cell < cells for cell in value)
