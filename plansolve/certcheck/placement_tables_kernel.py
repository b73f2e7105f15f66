"""The least number of moves of pieces that may be alike, by breadth-first search over placements.

A *class* is all pieces of one kind. Of m pieces of a class the cells c0 < c1 < .. have the number
C(c0, 1) + C(c1, 2) + .. (the combinatorial number system: Knuth, TAOCP 4A, 7.2.1.3). A placement's
number is the sum of those of its classes, each times the `stride` of the class.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.compiler import trailing_zeros
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["LARGEST", "NEVER", "ClassShape", "MovesBack", "search_placements"]

LARGEST, _MET, NEVER = 253, 254, 255

Number: TypeAlias = Any


@typed
class ClassShape(NamedTuple):
    """How placements of some classes are numbered; class k has `copies[k]` pieces.

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
    moves: MovesBack, shape: ClassShape, free: Number, queues: Array, ends: Number, table: Array
) -> None:
    """Count the moves to any of the first `ends` placements of `queues[0]` (uint32).

    All entries of `table` (uint8) are `NEVER` before, and where there is no way; `LARGEST` stands
    for any larger number too. Where `free` is not 0, moves that move pieces of no class but the
    gaps' are not counted: they lead to placements of the same level (0-1 breadth-first search).
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
        entry, known = np.uint8(min(steps, np.uint64(LARGEST))), zero
        for i in range(waiting):
            number = np.uint64(queue[i])
            if table[number] >= _MET:
                table[number] = entry
                queue[known] = number
                known += one
        done, waiting = zero, zero
        while done < known:
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
