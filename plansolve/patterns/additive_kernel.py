"""Build an additive pattern database for a blank graph, level by level.

The k tiles of a pattern stand in k cells; a *placement* has the index sum of cell[i] * stride[i]
with stride[i] = cells**(k - 1 - i). Placements with two tiles in one cell have an index too, and
are never reached. A state is a placement and the blank's cell among the others. The search runs
backwards from the goal: the blank goes back through cells without a tile of the pattern at no
cost, and back over a tile of the pattern at the cost of one move, or of two along a dear arc (Korf
and Felner 2002; the blank cells of a placement are a set of bits, so that one step treats many
states).

The levels are gone through one after the other:

    for each block of placements where the current level has reached a blank cell
        for each placement of the block
            leave out the blank cells of known distance; go on where none is left
            the placement has this distance if it has none yet
            spread its fresh blank cells over the cells without a tile of the pattern
            for each tile beside one of them
                reach the placement with that tile moved, at the next level or the one after
            count the fresh blank cells among those of known distance

Whether a placement that is reached is new is looked up when it is processed: a look at each arc
would cost more than the work that it saves, as most of the time goes into memory.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import BLANK, State
from plansolve.storage.jit import kernel, trailing_zeros, typed

BLOCK_BITS = 8
"""A block is so many of the lowest bits of a placement's index."""


@typed
class AdditiveSets(NamedTuple):
    """Lower bounds in the form that kernels take.

    There are N cells, tiles 1..N-1, S sets of patterns, and G patterns in all sets together. The
    index of pattern g is base[g] plus what its tiles add: weight[(s * N + tile) * N + cell] for a
    tile of set s, whose pattern is group[s * N + tile]. The entries for tile 0 are not used. The
    patterns of set s are first[s] .. first[s + 1] - 1. The bound is the largest over the sets of
    the sum of table[index] over the set's patterns.

    An entry is `NO_WAY` (255) where no plan at all brings the pattern's tiles home, and `LARGEST`
    (254) stands for all larger distances too.
    """

    table: NDArray[np.uint8]
    base: NDArray[np.uint32]
    group: NDArray[np.uint8]
    weight: NDArray[np.uint32]
    first: NDArray[np.uint32]

    def initial(self, state: State) -> NDArray[np.uint32]:
        """Return the G indices into `table` for a board."""
        index = self.base.copy()
        cells = len(state)
        for s in range(len(self.first) - 1):
            for cell, tile in enumerate(state):
                if tile != BLANK:
                    row = s * cells + tile
                    index[self.group[row]] += self.weight[row * cells + cell]
        return index

    def with_others(self, others: "AdditiveSets") -> "AdditiveSets":
        """Return these sets and then others for the same board."""
        groups = len(self.base)
        return AdditiveSets(
            np.concatenate([self.table, others.table]),
            np.concatenate([self.base, others.base + np.uint32(len(self.table))]),
            np.concatenate([self.group, others.group + np.uint8(groups)]),
            np.concatenate([self.weight, others.weight]),
            np.concatenate([self.first, others.first[1:] + np.uint32(groups)]),
        )

    def value(self, state: State) -> int:
        """Return the lower bound on the number of moves from `state`."""
        entries = self.table[self.initial(state)].astype(np.int64)
        return int(np.add.reduceat(entries, self.first[:-1]).max()) if entries.size else 0


@typed
class PatternMoves(NamedTuple):
    """The arcs of the blank, and how a tile's cell counts in an index.

    targets[c]          a bit for each cell to which an arc goes from c
    dear[c]             those of them whose arcs cost two
    sources[256*k + v]  a bit for each cell from which an arc goes to one of the cells 8k + i for
                        which bit i of v is set
    stride[i]           what a step of tile i to the next cell adds to an index
    """

    targets: NDArray[np.uint64]
    dear: NDArray[np.uint64]
    sources: NDArray[np.uint64]
    stride: NDArray[np.uint64]


@typed
class Frontier(NamedTuple):
    """The states that one level reaches.

    blanks[index]   the blank cells of a placement; 32 bits up to 32 cells
    live[block]     1 where a placement of the block may have one
    """

    blanks: NDArray[np.uint32 | np.uint64]
    live: NDArray[np.uint8]


@typed
class Placements(NamedTuple):
    """The search's state for each placement.

    seen[index]       the blank cells whose distance is known, of the type of `Frontier.blanks`
    distance[index]   the least distance over all blank cells, `NO_WAY` where there is none
    """

    seen: NDArray[np.uint32 | np.uint64]
    distance: NDArray[np.uint8]


@kernel
def build_level(
    level: int,
    moves: PatternMoves,
    current: Frontier,
    following: Frontier,
    later: Frontier | None,
    placements: Placements,
) -> int:
    """Settle the states at distance `level`, and find those of level + 1.

    `later` takes those that a dear arc leads to, of level + 2; it is None, and the kernel compiled
    without it, where no arc is dear.

    Return the number of placements that got their distance, `level`. Afterwards `current` is
    all zero, ready to serve as the next level's `following`.
    """
    targets, dear, sources, stride = moves.targets, moves.dear, moves.sources, moves.stride
    seen, distance = placements.seen, placements.distance
    here, live = current.blanks, current.live
    after, live_after = following.blanks, following.live
    cells = int(targets.size)
    parts = np.uint64(sources.size >> 8)
    one, zero = np.uint64(1), np.uint64(0)
    bits = np.uint64(BLOCK_BITS)
    number_of_cells = np.uint64(cells)
    tiles = np.uint64(stride.size)
    everywhere = ~zero >> (np.uint64(64) - number_of_cells)
    size = np.uint64(distance.size)
    cell_of = np.empty(stride.size, np.uint64)
    byte, byte_bits = np.uint64(255), np.uint64(8)
    found = 0
    for block in range(np.uint64(live.size)):
        if not live[block]:
            continue
        live[block] = 0
        begin = np.uint64(block) << bits
        for index in range(begin, min(size, begin + (one << bits))):
            fresh = np.uint64(here[index]) & ~np.uint64(seen[index])
            here[index] = 0
            if fresh == zero:
                continue
            occupied = zero
            rest = np.uint64(index)
            for back in range(tiles):
                tile = tiles - one - np.uint64(back)
                quotient = rest // number_of_cells
                cell = rest - quotient * number_of_cells
                rest = quotient
                occupied |= one << cell
                cell_of[tile] = cell
            known = np.uint64(seen[index])
            if known == zero:
                distance[index] = level
                found += 1
            free = everywhere & ~occupied & ~known
            frontier = fresh
            while frontier != zero:
                reached = zero
                for part in range(parts):
                    value = frontier >> np.uint64(part) * byte_bits & byte
                    reached |= sources[np.uint64(part) << byte_bits | value]
                frontier = reached & free & ~fresh
                fresh |= frontier
            for moved in range(tiles):
                cell = cell_of[moved]
                beside = targets[cell] & fresh
                while beside != zero:
                    blank = trailing_zeros(beside)
                    beside &= beside - one
                    # Backwards the tile goes from `cell` to `blank`, and the blank to `cell`.
                    other = np.uint64(index) + (blank - cell) * stride[moved]
                    if later is not None and dear[cell] >> blank & one:
                        later.blanks[other] |= one << cell
                        later.live[other >> bits] = 1
                        continue
                    after[other] |= one << cell
                    live_after[other >> bits] = 1
            seen[index] = known | fresh
    return found
