"""Build pattern databases for puzzles whose moves take turns, see `placement_alternation`."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import compress, pairwise
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
from plansolve.patterns.placement_turn_kernel import DEARER, expand_turns

__all__ = ["FARTHEST", "build_turn_table"]

FARTHEST = 62
"""Stands for this distance or any larger one."""

_SMALL = 1 << 16
"""Smaller tables are built in less time than threads take to start."""


def build_turn_table(
    rules: PlacementRules, pattern: Pattern, turns: Sequence[int], threads: int = 1
) -> NDArray[np.uint8]:
    """The distances of all placements of a pattern, of which class of moves may come first.

    `turns` are the `alternating_classes`. Indexed as the tables of `placement_build`; see
    `placement_turn_kernel` for the entries.
    """
    classes = classes_of(rules, pattern)
    shape = placement_shape(rules.cells, classes)
    own = [backward_moves(_of_class(rules, turns, one)) for one in (0, 1)]
    table = np.full(table_length(rules, pattern), NO_WAY, np.uint8)
    table[goal_numbers(rules, classes)] = 0
    parts = 1 if threads == 1 or table.size < _SMALL else 16 * threads
    bounds = [*pairwise(np.linspace(0, table.size, parts + 1, dtype=int).tolist())]
    with ExitStack() as stack:
        mapped = stack.enter_context(ThreadPoolExecutor(threads)).map if parts > 1 else map
        for level in range(FARTHEST):
            # One class after the other: entries depend on which is there first.
            expanded = [
                sum(
                    mapped(
                        partial(_expanded, (level, DEARER[one], own[1 - one], shape, table)), bounds
                    )
                )
                for one in (0, 1)
            ]
            if not any(expanded):
                return table
    # What is left is farther away than a table can tell, or has no way.
    table[table == NO_WAY] = FARTHEST
    return table


def _of_class(rules: PlacementRules, turns: Sequence[int], one: int) -> PlacementRules:
    chosen = [turn == one for turn in turns]
    return replace(
        rules,
        destinations=tuple(compress(rules.destinations, chosen)),
        needs=tuple(compress(rules.needs, chosen)),
    )


def _expanded(arguments: tuple[Any, ...], part: tuple[int, int]) -> int:
    return expand_turns(*part, *arguments)
