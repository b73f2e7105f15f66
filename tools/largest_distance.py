#!/usr/bin/env python3
"""Show by counting how far from the goal some boards of a puzzle must be.

    python tools/largest_distance.py torus-ring
    python tools/largest_distance.py hungarian-rings:20,5 --length 8

If D moves reach fewer boards than the puzzle has, the largest distance is more than D. A
sequence of moves is forbidden if a shorter one does the same, or one of the same length that comes
first in alphabetical order. The first of a board's shortest plans has no forbidden part: what does
the same would make it shorter, or put another first. So at distance D there are at most as many
boards as sequences of D moves without forbidden parts. Here the parts of up to `--length` moves are
known, and up to that length the numbers are exact.

The pieces have to be different, and no move may need a blank. With 6 moves the 2023 puzzle takes
6 GB and some minutes.
"""

import argparse
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import (
    ONE_PLAN,
    MoveGraph,
    Numbers,
    SequenceLevel,
    candidates,
    sequence_levels,
)
from plansolve.analysis.group import PermutationGroup
from plansolve.cli.board import puzzle_of
from plansolve.errors import OptionError, PlansolveError
from plansolve.model.puzzle import Puzzle
from plansolve.model.structure import Structure

MOST_SEQUENCES = 10_000_000
"""Of one move less than `--length`: each takes a kilobyte."""

AT_A_TIME = 5_000_000
"""The number of the longest sequences that are sorted at a time."""

ROUNDING = 1 + 1e-9
"""Numbers beyond 2^53 are rounded, in at most some hundred additions one after the other."""


def boards_at_distance(puzzle: Puzzle, length: int) -> Iterator[float]:
    """Yield bounds on the numbers of boards 0, 1, 2, ... moves from the goal, without end.

    They are exact up to `length`.
    """
    if not Structure(puzzle).is_free:
        raise OptionError("a puzzle without a blank is expected, with pieces that differ")
    graph = MoveGraph.of_puzzle(puzzle)
    levels = sequence_levels(graph, length - 1, ONE_PLAN, MOST_SEQUENCES, sys.maxsize)
    last = levels[-1]
    if len(levels) < length and last.count:
        raise OptionError(f"--length: there are too many sequences; {len(levels)} is possible")
    yield from (float(level.count) for level in levels)
    slots, tails = _of_one_move_more(graph, levels)
    parents = last.parent[slots]
    # How many sequences end with each of those of the last level.
    ending = np.ones(last.count)
    while True:
        ending = np.bincount(tails, ending[parents], last.count).astype(np.float64)
        total = float(ending.sum())
        yield total if total < 2**53 else total * ROUNDING


def shares(puzzle: Puzzle, length: int) -> Iterator[tuple[float, float]]:
    """Yield for 0, 1, 2, ... moves a bound on the boards there, and on the share up to there.

    The last share is the first of at least 1: the largest distance is at least that many moves.
    """
    destinations = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    boards = PermutationGroup(destinations, puzzle.cells).order
    met = 0.0
    for count in boards_at_distance(puzzle, length):
        met += count
        yield count, met / boards
        if met >= boards:
            return


def _of_one_move_more(graph: MoveGraph, levels: list[SequenceLevel]) -> tuple[Numbers, Numbers]:
    """Return the last level's slots whose sequences are allowed, and the tails' numbers."""
    slots, tails = candidates(graph, levels)
    boards = np.arange(graph.cells, dtype=np.uint8)[None]
    shorter = [_packed(boards)]
    for level in levels[:-1]:
        chosen = level.child >= 0
        boards = graph.moved(boards[level.parent[chosen]], level.arc[chosen])
        shorter.append(_packed(boards))
    last = levels[-1]
    # What is shorter stands first, and equal boards are never in two parts.
    keys = np.concatenate(
        (
            *shorter,
            *(
                _packed(graph.moved(boards[last.parent[some]], last.arc[some]))
                for some in np.array_split(slots, 1 + len(slots) // AT_A_TIME)
            ),
        )
    )
    is_first = np.zeros(len(keys), np.bool_)
    parts = 1 + len(keys) // AT_A_TIME
    part = keys.sum(axis=1) % np.uint64(parts)
    for number in range(parts):
        rows = np.flatnonzero(part == number)
        order = np.lexsort(keys[rows].T)
        ordered = keys[rows[order]]
        differs = (ordered[1:] != ordered[:-1]).any(axis=1)
        is_first[rows[order[np.concatenate(([True], differs))]]] = True
    is_fresh = is_first[-len(slots) :]
    return slots[is_fresh], tails[is_fresh]


def _packed(boards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Boards in 64-bit words, a row each; equal where the boards are."""
    bits = int(boards.shape[1] - 1).bit_length()
    fields = 64 // bits
    # The last cell has the piece that is left over.
    cells = boards.shape[1] - 1
    words = np.zeros((len(boards), -(-cells // fields)), np.uint64)
    for cell in range(cells):
        words[:, cell // fields] |= boards[:, cell].astype(np.uint64) << np.uint64(
            bits * (cell % fields)
        )
    return words


def main() -> None:
    """Print a line for each distance, and what follows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("puzzle", nargs="?", default="torus-ring", help="as in --puzzle")
    parser.add_argument("--size", help="rows and columns: 5x5")
    parser.add_argument("--length", type=int, default=6, help="the most moves of a sequence")
    options = parser.parse_args()
    try:
        puzzle = puzzle_of(options.puzzle, options.size, None)
        print(f"{'moves':>5} {'boards, at most':>26} {'of all up to here':>18}")
        for moves, (count, share) in enumerate(shares(puzzle, options.length)):
            print(f"{moves:5} {count:26,.0f} {share:18.3g}", flush=True)
    except PlansolveError as error:
        parser.error(str(error))
    print(f"Some boards are {moves} moves from the goal, or more.")


if __name__ == "__main__":
    main()
