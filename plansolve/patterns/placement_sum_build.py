"""Build pattern databases whose values add up: the least number of moves of their own pieces."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_build import (
    NO_WAY,
    Pattern,
    backward_moves,
    classes_of,
    goal_numbers,
    placement_shape,
    table_length,
)
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.patterns.placement_sum_kernel import FARTHEST, REACHED, settle

__all__ = ["build_sum_table"]

_SMALL = 1 << 16
"""Smaller tables are built in less time than threads take to start."""


def build_sum_table(rules: PlacementRules, pattern: Pattern, threads: int = 1) -> NDArray[np.uint8]:
    """For all placements of a pattern, the least number of its own pieces' moves to the goal.

    Indexed as the tables of `placement_build`. Tables of patterns that are unions of different
    `placement_independence.independent_kinds` may be added.
    """
    classes = classes_of(rules, pattern)
    shape, moves = placement_shape(rules.cells, classes), backward_moves(rules)
    table = np.full(table_length(rules, pattern), NO_WAY, np.uint8)
    table[goal_numbers(rules, classes)] = REACHED
    parts = 1 if threads == 1 or table.size < _SMALL else 16 * threads
    bounds = [*pairwise(np.linspace(0, table.size, parts + 1, dtype=int).tolist())]
    with ExitStack() as stack:
        mapped = stack.enter_context(ThreadPoolExecutor(threads)).map if parts > 1 else map
        for level in range(FARTHEST):
            settling = partial(_settled, (level, moves, shape, table))
            is_over = True
            while sum(mapped(settling, bounds)):
                is_over = False
            if is_over:
                return table
    # What is left is farther away than a table can tell, or has no way.
    table[table >= REACHED] = FARTHEST
    return table


def _settled(arguments: tuple[Any, ...], part: tuple[int, int]) -> int:
    return settle(*part, *arguments)
