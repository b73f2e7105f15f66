"""Build a pattern database over the cells of k tiles that permutations move, level by level.

A *placement* tells in which cell each of the k tiles stands, and where there is a parity bit also
whether the board is an odd permutation. The placements of the first k - 1 tiles, with the parity,
are the *blocks*, numbered parity * cells**(k-1) + sum of cell[i] * cells**(k-2-i); within a block
the cells of the last tile are the bits of `words` words, of which the spare bits count as seen. A
set of placements is an array of such words, and one step of the search treats all placements of a
block at once.

One call does a part of the blocks for one level:

    for each block of the part
        for each permutation, until every unseen placement of the block is reached
            collect the placements that it turns into one of the last level
        those that are unseen belong to this level
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import bit_count, kernel, trailing_zeros, typed


class BlockShape(NamedTuple):
    """The numbers of cells, of words a block, and of tiles before the last two."""

    cells: int
    words: int
    outer: int


@typed
class MovedBits(NamedTuple):
    """The effect of permutations on cells and on words of them.

    destination[o*cells + cell]   the cell to which permutation o takes a cell's content
    odd[o]                        1 where it leads to the other parity
    stay[o*words + w]             of the type of the sets: the bits of the cells it leaves alone

    The cells that it moves, by word of the cell, are the entries first[o*words + w] ..
    first[o*words + w + 1] - 1: the bit `bit` of the cell, and the word `to_word` and bit `to_bit`
    of the cell that its content goes to.
    """

    destination: NDArray[np.uint64]
    odd: NDArray[np.uint8]
    stay: NDArray[np.uint32 | np.uint64]
    first: NDArray[np.uint64]
    bit: NDArray[np.uint64]
    to_word: NDArray[np.uint64]
    to_bit: NDArray[np.uint64]


@typed
class PlacementSets(NamedTuple):
    """Sets of placements, all words of one type, and their distances.

    seen       those of known distance and the impossible ones
    here       those of the last level
    after      those of the next
    distance   indexed block * cells + cell of the last tile; empty where none is wanted
    """

    seen: NDArray[np.uint32 | np.uint64]
    here: NDArray[np.uint32 | np.uint64]
    after: NDArray[np.uint32 | np.uint64]
    distance: NDArray[np.uint8]


@kernel
def next_level(
    begin: int, end: int, level: int, shape: BlockShape, moves: MovedBits, sets: PlacementSets
) -> int:
    """Find the placements of distance `level` in some blocks, and return how many there are.

    Those are the unseen ones that one move turns into one of `here`. The blocks are those whose
    number divided by `cells` is in begin..end-1. Write `after` for these blocks, and `distance`
    for the placements that are found.
    """
    cells, words, outer = shape
    destination, odd, stay, first, bit, to_word, to_bit = moves
    seen, here, after, distance = sets
    one, zero = np.uint64(1), np.uint64(0)
    number_of_cells, number_of_words = np.uint64(cells), np.uint64(words)
    operators = np.uint64(odd.size)
    every_bit = ~zero >> (np.uint64(64) - np.uint64(8 * seen.itemsize))
    span = one
    for _ in range(outer):
        span *= number_of_cells
    base = np.empty(odd.size, np.uint64)
    found = 0
    for prefix in range(np.uint64(begin), np.uint64(end)):
        parity = prefix // span
        for o in range(operators):
            base[o] = (parity ^ np.uint64(odd[o])) * span
        rest, stride = prefix % span, one
        for _ in range(outer):
            cell = rest % number_of_cells
            rest //= number_of_cells
            for o in range(operators):
                base[o] += stride * destination[o * number_of_cells + cell]
            stride *= number_of_cells
        for own in range(number_of_cells):
            block = prefix * number_of_cells + own
            for word in range(number_of_words):
                place = block * number_of_words + word
                unseen = ~np.uint64(seen[place]) & every_bit
                reached = zero
                if unseen != zero:
                    for o in range(operators):
                        to = base[o] * number_of_cells + destination[o * number_of_cells + own]
                        to *= number_of_words
                        same = np.uint64(here[to + word])
                        if same == zero and number_of_words == one:
                            continue
                        row = o * number_of_words + word
                        reached |= same & np.uint64(stay[row])
                        for moved in range(first[row], first[row + one]):
                            content = np.uint64(here[to + to_word[moved]]) >> to_bit[moved]
                            reached |= (content & one) << bit[moved]
                        if reached & unseen == unseen:
                            break
                    reached &= unseen
                after[place] = reached
                found += bit_count(reached)
                if distance.size == 0:
                    continue
                at = block * number_of_cells + (word << np.uint64(6))
                while reached != zero:
                    distance[at + trailing_zeros(reached)] = level
                    reached &= reached - one
    return found
