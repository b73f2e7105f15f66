"""Which reach sets serve the longest proofs of permutation puzzles."""

import os

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.patterns.permutation_build import Pattern
from plansolve.patterns.permutation_choice import (
    largest_size,
    prover_lookups,
    sized_pattern,
    symmetry_maps,
)
from plansolve.patterns.permutation_reach import (
    MOST_CELLS,
    ReachLookups,
    reach_key,
    reach_length,
    reach_lookups,
)
from plansolve.patterns.permutation_rules import PermutationRules, permutation_rules
from plansolve.storage.store import Store, Tell

__all__ = ["build_permutation", "larger_reach", "prover_reach"]

_LARGEST_BYTES = 2_000_000_000

# For each operator and word of a set; measured with 7 tiles on a 5x5 board, beside other work.
_SECONDS_A_WORD = 8e-8
_SECONDS_TO_LOAD = 1.0


def build_permutation(problem: Problem, size: int | None, store: Store, tell: Tell) -> None:
    """Put the tables that proofs for a problem's rules use into the store."""
    puzzle, threads = problem.puzzle, os.cpu_count() or 1
    prover_lookups(puzzle, store=store, tell=tell, size=size, threads=threads)
    if size is not None:
        prover_reach(puzzle, size, store=store, tell=tell, threads=threads)


def prover_reach(
    puzzle: Puzzle,
    size: int,
    *,
    store: Store,
    tell: Tell,
    memory: int | None = None,
    threads: int = 1,
) -> ReachLookups | None:
    """The lookups in reach sets that a proof with patterns of `size` tiles makes besides others.

    None where tables of bytes are enough for so many tiles, or sets are too large for the `memory`
    in bytes. To build them takes twice as much.
    """
    found = _pattern(puzzle, memory, size)
    if found is None:
        return None
    rules, pattern = found
    maps = symmetry_maps(puzzle, rules)
    return reach_lookups(rules, pattern, maps, store=store, tell=tell, threads=threads)


def larger_reach(
    puzzle: Puzzle, *, store: Store, memory: int | None = None, threads: int = 1
) -> tuple[int, float] | None:
    """The size of the patterns of `prover_reach`, and the seconds to have their sets.

    None where they would be too large, and where a move depends on a blank.
    """
    found = _pattern(puzzle, memory)
    if found is None:
        return None
    rules, pattern = found
    if store.has(reach_key(rules, pattern)):
        return len(pattern), _SECONDS_TO_LOAD
    words = rules.cells ** (len(pattern) - 1)
    return len(pattern), _SECONDS_A_WORD * words * len(rules.sources) / threads


def _pattern(
    puzzle: Puzzle, memory: int | None, most: int = MOST_CELLS
) -> tuple[PermutationRules, Pattern] | None:
    """The rules, and a pattern of one tile more than the largest tables of bytes can have.

    None where that is more than `most` tiles.
    """
    rules = permutation_rules(puzzle)
    if rules is None or not 3 < rules.cells <= MOST_CELLS:
        return None
    size = largest_size(rules, memory) + 1
    room = min(_LARGEST_BYTES, _LARGEST_BYTES if memory is None else memory)
    if not 3 <= size < rules.cells or size > most or reach_length(rules, range(size)) > room:
        return None
    # Symmetries take a while to find.
    return rules, sized_pattern(rules, symmetry_maps(puzzle, rules), size)
