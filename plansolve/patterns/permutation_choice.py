"""Which patterns prove lower bounds for permutation puzzles, chosen by what pairs of tiles cost."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import factorial

import numpy as np

from plansolve.analysis.automorphisms import CellMap, symmetries
from plansolve.model.puzzle import Puzzle
from plansolve.patterns.growth import Kinds, grown_pattern, images_of, neighbours
from plansolve.patterns.permutation import (
    PermutationLookups,
    lookup_images,
    permutation_lookups,
    table_key,
)
from plansolve.patterns.permutation_build import (
    Pattern,
    build_seconds,
    build_table,
    table_length,
)
from plansolve.patterns.permutation_rules import PermutationRules, permutation_rules
from plansolve.patterns.table import NO_WAY
from plansolve.storage.store import Store, Tell

__all__ = [
    "larger_patterns",
    "largest_size",
    "prover_images",
    "prover_lookups",
    "prover_patterns",
    "prover_size",
    "sized_pattern",
    "symmetry_maps",
]

_LOOKUPS = 32
_MOST_TABLES = 4
_USUAL_BYTES = 20_000_000
_LARGEST_BYTES = 500_000_000
_MOST_CELLS = 40
"""On larger boards the pairs of tiles are too many to look at; all count the same."""
_MOST_CELLS_TURNED = 150
"""On larger boards symmetries are expensive to find, and proofs do not get far with any table."""


def prover_lookups(
    puzzle: Puzzle,
    *,
    store: Store,
    tell: Tell,
    size: int | None = None,
    memory: int | None = None,
    usual: int = _USUAL_BYTES,
    threads: int = 1,
) -> PermutationLookups | None:
    """The lookups that prove most in least time; None where a move depends on a blank.

    `size` is the number of tiles of the patterns: one more reaches one or two moves further, and
    takes as many times the room and the time as there are cells. None stands for the largest whose
    tables are in the store, or else for those of at most `usual` bytes, which take a second or two
    to build. `memory` bounds the bytes of the tables.
    """
    rules = permutation_rules(puzzle)
    if rules is None:
        return None
    maps = symmetry_maps(puzzle, rules)
    if size is None:
        patterns = _built_patterns(rules, maps, store, memory, usual)
    else:
        patterns = prover_patterns(rules, maps, size=size, memory=memory, usual=usual)
    return permutation_lookups(
        rules, patterns, maps, store=store, tell=tell, most=_LOOKUPS, threads=threads
    )


def prover_images(
    puzzle: Puzzle, size: int | None = None
) -> tuple[list[Pattern], list[tuple[int, CellMap]]]:
    """The patterns and lookups of `lookup_images` that `prover_lookups` takes.

    No move of the puzzle may depend on a blank.
    """
    rules = permutation_rules(puzzle)
    assert rules is not None
    maps = symmetry_maps(puzzle, rules)
    return lookup_images(rules, prover_patterns(rules, maps, size=size), maps, _LOOKUPS)


def prover_size(puzzle: Puzzle, *, store: Store, memory: int | None = None) -> int:
    """The tiles of a pattern that `prover_lookups` takes; 0 where a move depends on a blank."""
    rules = permutation_rules(puzzle)
    if rules is None:
        return 0
    return len(_built_patterns(rules, symmetry_maps(puzzle, rules), store, memory, _USUAL_BYTES)[0])


def _built_patterns(
    rules: PermutationRules,
    maps: Sequence[CellMap],
    store: Store,
    memory: int | None,
    usual: int,
) -> list[Pattern]:
    """The largest patterns whose tables are in the store, or the usual ones."""
    patterns = prover_patterns(rules, maps, memory=memory, usual=usual)
    for size in range(largest_size(rules, memory), len(patterns[0]), -1):
        larger = prover_patterns(rules, maps, size=size, memory=memory)
        if _are_built(rules, larger, store):
            return larger
    return patterns


def larger_patterns(
    puzzle: Puzzle,
    *,
    store: Store,
    memory: int | None = None,
    usual: int = _USUAL_BYTES,
    threads: int = 1,
) -> tuple[int, float] | None:
    """The size of patterns of one tile more than the usual ones, and the seconds to build them.

    The arguments are those of `prover_lookups`. None where the tables would be too large, and where
    a move depends on a blank. Those that are in the store take no time.
    """
    rules = permutation_rules(puzzle)
    if rules is None:
        return None
    maps = symmetry_maps(puzzle, rules)
    size = len(prover_patterns(rules, maps, memory=memory, usual=usual)[0]) + 1
    if size > largest_size(rules, memory):
        return None
    patterns = prover_patterns(rules, maps, size=size, memory=memory)
    if len(patterns[0]) < size:
        return None
    if _are_built(rules, patterns, store):
        return size, 0.0
    return size, build_seconds(rules, patterns, threads)


def prover_patterns(
    rules: PermutationRules,
    symmetries: Sequence[CellMap],
    *,
    size: int | None = None,
    memory: int | None = None,
    usual: int = _USUAL_BYTES,
) -> list[Pattern]:
    """Patterns of `size` tiles, or fewer where that is too many; as many as give enough lookups.

    Each is the set of homes whose pairs have the largest average distances, of those with the
    most images under the symmetries; a pair that an earlier pattern looks at counts no more.
    """
    largest = largest_size(rules, memory)
    if size is None and rules.cells > _MOST_CELLS_TURNED:
        size = 2
    elif size is None:
        # More entries than boards would be a waste.
        size = _fitting(rules, min(usual, factorial(rules.cells)))
    size = max(min(2, rules.cells), min(size, largest))
    room = min(_LARGEST_BYTES, _LARGEST_BYTES if memory is None else memory)
    tables = room // table_length(rules, tuple(range(size)), True)
    worth = dict(_pair_worth(rules, tuple(symmetries)))
    ways = 2 if rules.is_inverse_closed else 1
    near = neighbours(rules.cells, rules.sources)
    chosen: list[Pattern] = []
    lookups = 0
    while not chosen or (lookups < _LOOKUPS and len(chosen) < min(tables, _MOST_TABLES)):
        pattern = grown_pattern(near, size, worth, symmetries)
        images = images_of(pattern, symmetries)
        if any(frozenset(earlier) in images for earlier in chosen):
            break  # Nothing is left to look at.
        chosen.append(pattern)
        lookups += ways * len(images)
        seen = {frozenset(pair) for image in images for pair in combinations(image, 2)}
        worth |= dict.fromkeys(worth.keys() & seen, 0)
    return chosen


def sized_pattern(rules: PermutationRules, symmetries: Sequence[CellMap], size: int) -> Pattern:
    """The pattern of so many tiles that `prover_patterns` would take first, whatever its table."""
    worth = dict(_pair_worth(rules, tuple(symmetries)))
    return grown_pattern(neighbours(rules.cells, rules.sources), size, worth, symmetries)


def symmetry_maps(puzzle: Puzzle, rules: PermutationRules) -> Sequence[CellMap]:
    """The symmetries that lookups are turned by."""
    return symmetries(puzzle) if rules.cells <= _MOST_CELLS_TURNED else (tuple(range(rules.cells)),)


def _are_built(rules: PermutationRules, patterns: Sequence[Pattern], store: Store) -> bool:
    return all(store.has(table_key(rules, pattern, True)) for pattern in patterns)


def largest_size(rules: PermutationRules, memory: int | None) -> int:
    """The most tiles that a pattern with a table of bytes can have."""
    return _fitting(rules, min(_LARGEST_BYTES, _LARGEST_BYTES if memory is None else memory))


def _fitting(rules: PermutationRules, room: int) -> int:
    """The most tiles of a pattern whose table takes `room` bytes; all but one tile tell all."""
    sizes = range(2, max(3, rules.cells))
    fitting = [k for k in sizes if table_length(rules, tuple(range(k)), True) <= room]
    return max(fitting, default=min(2, rules.cells))


@lru_cache(maxsize=4)
def _pair_worth(rules: PermutationRules, symmetries: tuple[CellMap, ...]) -> dict[Kinds, int]:
    """The sum of all distances of each pair of tiles; nothing where there are too many."""
    worth: dict[Kinds, int] = {}
    if rules.cells > _MOST_CELLS:
        return worth
    for pair in map(frozenset, combinations(range(rules.cells), 2)):
        if pair not in worth:
            table = build_table(rules, tuple(sorted(pair)), True)
            total = int(table[table < NO_WAY].sum(dtype=np.int64))
            for image in images_of(pair, symmetries):
                worth[image] = total
    return worth
