"""The least number of moves of a few pieces, by breadth-first search over their placements.

A placement of k tiles that differ has the number sum of cell[i] * cells**(k - 1 - i). The first two
kernels go back from one placement, move by move, and write into `moves` (uint8, one entry a
placement, `NEVER` before) how many it takes; `LARGEST` stands for any larger number too.

Where pieces may be alike a *class* is all pieces of one kind. Of m pieces of a class the cells
c0 < c1 < .. have the number C(c0, 1) + C(c1, 2) + .. (the combinatorial number system: Knuth, TAOCP
4A, 7.2.1.3). A placement's number is the sum of those of its classes, each times the `stride` of
the class.

Each search ends soon after another thread has set `stop` (uint8, one entry); its table is of no use
then.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, trailing_zeros, typed

LARGEST, NEVER = 254, 255
LARGEST_PLACED, _MET = 253, 254
"""The values for like pieces: LARGEST_PLACED stands for any larger number too, and _MET marks a
placement that has just been met."""

Number: TypeAlias = Any


@typed
class PlacementBlanks(NamedTuple):
    """Scratch space of the search with a blank, zero at first; 32 bits where they suffice.

    `seen[n]` are the cells, as bits, in which the blank has been while the tiles were placed so;
    `fresh[side, n]` those that it enters in an even or an odd number of moves. `queue[side]` are
    the placements with fresh cells, with room for all placements.
    """

    seen: NDArray[np.uint32 | np.uint64]
    fresh: NDArray[np.uint32 | np.uint64]
    queue: NDArray[np.uint32]


@typed
class TileSources(NamedTuple):
    """For each of N cells and each operator, where its content has come from.

    `source[o * N + c]` is the cell from which operator o fills cell c. For the cells 8j, 8j + 1, ..
    whose bits are set in v, `sources[(o * J + j) * 256 + v]` are all these cells as bits; a board
    has J bytes of cells. `odd[o]` is 1 where the operator counts as odd.
    """

    source: NDArray[np.uint64]
    sources: NDArray[np.uint64]
    odd: NDArray[np.uint8]


@typed
class CellSets(NamedTuple):
    """Scratch space of the search without a blank, zero at first; 32 bits where they suffice.

    A block is all placements that differ in the last tile alone, whose cells are bits. `seen[n]`
    are those with a known number of moves, `fresh[side, n]` those that an even or an odd number of
    moves reaches.
    """

    seen: NDArray[np.uint32 | np.uint64]
    fresh: NDArray[np.uint32 | np.uint64]


@kernel
def search_blank(
    ways: Array, homes: Array, blanks: Number, moves: Array, sets: PlacementBlanks, stop: Array
) -> None:
    """Count the moves of the pattern's tiles; all other tiles let the blank pass for nothing.

    From the placement `homes` (uint64) with the blank in one of the cells `blanks`, which are bits.
    `ways[x]` (uint64) are the cells, as bits, to which the blank goes from x: a tile there is in x
    then.
    """
    seen, fresh, queue = sets.seen, sets.fresh, sets.queue
    one, zero = np.uint64(1), np.uint64(0)
    cells, tiles = np.uint64(ways.size), np.uint64(homes.size)
    weight = np.ones(homes.size, np.uint64)
    for i in range(homes.size - 1, 0, -1):
        weight[i - 1] = weight[i] * cells
    # From where the blank comes into each cell.
    back = np.zeros(ways.size, np.uint64)
    for x in range(cells):
        for y in range(cells):
            back[y] |= (ways[x] >> y & one) << x
    start = zero
    for i in range(tiles):
        start += homes[i] * weight[i]
    queue[0, 0] = start
    fresh[0, start] = blanks
    at = np.zeros(homes.size, np.uint64)
    size, steps = 1, 0
    side, other_side = zero, one
    while size:
        grown = 0
        for place in range(np.uint64(size)):
            if stop[0]:
                return
            placement = np.uint64(queue[side, place])
            known = np.uint64(seen[placement])
            reached = np.uint64(fresh[side, placement]) & ~known
            fresh[side, placement] = 0
            if reached == zero:
                continue
            if known == zero:
                moves[placement] = min(steps, LARGEST)
            closed, rest = known, placement
            for i in range(tiles):
                cell = rest // weight[i]
                rest -= cell * weight[i]
                at[i] = cell
                closed |= one << cell
            todo = reached
            while todo != zero:
                found = ways[trailing_zeros(todo)] & ~closed & ~reached
                reached |= found
                todo = (todo & (todo - one)) | found
            seen[placement] = known | reached
            for i in range(tiles):
                there = at[i]
                comes = reached & back[there]
                while comes != zero:
                    here = trailing_zeros(comes)
                    comes &= comes - one
                    after = placement + (here - there) * weight[i]
                    if np.uint64(seen[after]) >> there & one:
                        continue
                    if fresh[other_side, after] == 0:
                        queue[other_side, grown] = after
                        grown += 1
                    fresh[other_side, after] |= one << there
        side, other_side = other_side, side
        size = grown
        steps += 1


@kernel
def search_free(
    rules: TileSources, homes: Array, moves: Array, sets: CellSets, stop: Array
) -> None:
    """Count the moves of all tiles, where no move depends on a blank.

    From the placement `homes` (uint64). The second half of `moves`, if operators count as odd, are
    the placements after an odd number of such moves.
    """
    source, sources, odd, seen, fresh = (
        rules.source,
        rules.sources,
        rules.odd,
        sets.seen,
        sets.fresh,
    )
    one, zero, byte = np.uint64(1), np.uint64(0), np.uint64(255)
    operators, last = np.uint64(odd.size), np.uint64(homes.size - 1)
    cells, parts = np.uint64(source.size // odd.size), np.uint64(sources.size // odd.size // 256)
    half, start = one, zero
    for i in range(last):
        half *= cells
        start = start * cells + homes[i]
    at = np.zeros(homes.size, np.uint64)
    fresh[0, start] = one << homes[last]
    steps, found = 0, 1
    side, other_side = zero, one
    while found:
        found = 0
        for block in range(np.uint64(seen.size)):
            reached = np.uint64(fresh[side, block]) & ~np.uint64(seen[block])
            fresh[side, block] = 0
            if stop[0]:
                return
            if reached == zero:
                continue
            seen[block] |= reached
            found += 1
            todo = reached
            while todo != zero:
                moves[block * cells + trailing_zeros(todo)] = min(steps, LARGEST)
                todo &= todo - one
            parity, rest = block // half, block % half
            for i in range(last):
                at[last - one - i] = rest % cells
                rest //= cells
            for operator in range(operators):
                row, before = operator * cells, zero
                for i in range(last):
                    before = before * cells + source[row + at[i]]
                before += (parity ^ np.uint64(odd[operator])) * half
                images, bits, row = zero, reached, operator * parts * np.uint64(256)
                while bits != zero:
                    images |= sources[row + (bits & byte)]
                    bits >>= np.uint64(8)
                    row += np.uint64(256)
                fresh[other_side, before] |= images
        side, other_side = other_side, side
        steps += 1


@typed
class ClassShape(NamedTuple):
    """The numbering of placements of some classes; class k has `copies[k]` pieces.

    `choose[n * width + m]` is the number of ways to choose m of n things, `ways[k]` that to place
    class k alone.
    """

    copies: NDArray[np.uint64]
    stride: NDArray[np.uint64]
    ways: NDArray[np.uint64]
    choose: NDArray[np.uint64]
    width: np.uint64


@typed
class MovesBack(NamedTuple):
    """The moves by where they leave the gap that they need, if the first class are the gaps.

    Those that leave it in cell b are numbered begin[b] .. begin[b + 1] - 1, and those that need
    none begin[N] .. begin[N + 1] - 1: all of them if the first class is another, where `has_blank`
    is 0. Move m fills cell c from `source[m * N + c]`.
    """

    has_blank: np.uint64
    begin: NDArray[np.uint64]
    source: NDArray[np.uint64]


@kernel
def search_placements(
    moves: MovesBack,
    shape: ClassShape,
    free: Number,
    queues: Array,
    ends: Number,
    table: Array,
    stop: Array,
) -> None:
    """Count the moves to any of the first `ends` placements of `queues[0]` (uint32).

    All entries of `table` (uint8) are `NEVER` before, and where there is no way; `LARGEST_PLACED`
    stands for any larger number too. Where `free` is not 0, moves that move pieces of no class but
    the gaps' are not counted: they lead to placements of the same level (0-1 breadth-first search).
    Both queues have room for all placements.
    """
    copies, stride, ways, choose, width = shape
    one, zero = np.uint64(1), np.uint64(0)
    cells = np.uint64(choose.size) // width - one
    classes = np.uint64(copies.size)
    held = np.zeros(copies.size, np.uint64)
    queue, following = queues[0], queues[1]
    steps, waiting = np.uint64(0), np.uint64(ends)
    while waiting > zero:
        entry, known = np.uint8(min(steps, np.uint64(LARGEST_PLACED))), zero
        for i in range(waiting):
            number = np.uint64(queue[i])
            if table[number] >= _MET:
                table[number] = entry
                queue[known] = number
                known += one
        done, waiting = zero, zero
        while done < known:
            if stop[0]:
                return
            number = np.uint64(queue[done])
            done += one
            for k in range(classes):
                held[k] = _cells_of(number // stride[k] % ways[k], copies[k], cells, choose, width)
            group, gaps = cells, held[0] if moves.has_blank else zero
            while True:
                for m in range(moves.begin[group], moves.begin[group + one]):
                    before, is_own = _before(moves, m * cells, held, shape)
                    if free and not is_own:
                        if table[before] >= _MET:
                            table[before] = entry
                            queue[known] = before
                            known += one
                    elif table[before] == NEVER:
                        table[before] = _MET
                        following[waiting] = before
                        waiting += one
                if gaps == zero:
                    break
                group = trailing_zeros(gaps)
                gaps &= gaps - one
        queue, following = following, queue
        steps += one


@kernel
def _before(moves: MovesBack, row: Number, held: Array, shape: ClassShape) -> tuple[Any, Any]:
    """Return the placement that a move makes that of the classes in `held`, by its number.

    And whether the move takes a piece of one of them, but the gaps, to another cell.
    """
    source, stride, choose, width = moves.source, shape.stride, shape.choose, shape.width
    one, zero = np.uint64(1), np.uint64(0)
    number, is_own = zero, False
    for k in range(np.uint64(held.size)):
        todo, came = held[k], zero
        while todo != zero:
            came |= one << source[row + trailing_zeros(todo)]
            todo &= todo - one
        if came != held[k] and (k > zero or not moves.has_blank):
            is_own = True
        place = one
        while came != zero:
            number += stride[k] * choose[trailing_zeros(came) * width + place]
            came &= came - one
            place += one
    return number, is_own


@kernel
def _cells_of(rank: Number, size: Number, cells: Number, choose: Array, width: Number) -> Any:
    """Return, as bits, the cells of a class of so many pieces that have a number."""
    one = np.uint64(1)
    found, rest, place, cell = np.uint64(0), np.uint64(rank), np.uint64(size), np.uint64(cells)
    while place > 0:
        cell -= one
        ways = choose[cell * width + place]
        if ways <= rest:
            rest -= ways
            found |= one << cell
            place -= one
    return found
