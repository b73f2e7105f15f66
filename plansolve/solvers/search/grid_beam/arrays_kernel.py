"""What the arrays of the staged beam hold; the kernels of all its parts take them as arguments.

A stage begins with some boards (of different numbers of moves), and collects the best boards in
which its tiles are home. Boards of one level have as many moves; they compete by `score = weight *
distance + H`: the exact distance of the stage's tiles, and the guidance H of all tiles, a table
of each tile's cell and linear conflicts. H and scores count sixteenths of a move.

Cells are numbered such that those which are solved and locked come last: a cell is open where its
number is less than `numbers[FREE]`. Tiles are numbered by their home cells, so the blank too. For
`cells` and `room`, the most boards of a level, see `numbers`; where arrays come in two halves of
`room` entries, or have two rows, these are the two banks that `FRONT`, `BANK` and `CONTEXT` tell.

- numbers: int64 [NUMBERS], the entries named below
- beam = boards, slots, marks: the level, and the one in the making. boards: the tile in each
  cell, uint16 [2 * room, cells]; slots: int32 [2 * room, 6], the blank, the cell that it
  came from (`cells` for none), H, the cells of the stage's two tiles, the node; marks: uint64 [2 *
  room], hashes
- store = pool, files, pool_marks, sequence, keys, heap: the stage's first boards, and the finished
  ones. pool: as boards; files: int32 [2 * room, 5], the blank, the cell that it came from, H, the
  node, the number of moves; pool_marks: as marks; sequence: int32 [room], the first boards, those
  with the fewest moves first; keys: int64 [room], what the finished boards compete by; heap:
  int32 [room], their numbers, the worst first
- market = offers, offer_marks, order, counts: the candidates of a level. offers: int32 [5 * room,
  4], the board of the level, or -1 - i for board i of the pool, the cell that the blank goes to,
  H, the score; offer_marks: uint64, hashes; order: int32, by score; counts: uint64, scratch
- tree = closed, parents, steps. closed: uint32 [2 ** bits], hashes of the boards that were in a
  level of the stage, each in its one place; parents: int32, for each board that was in a level
  the node before (a smaller number, or -1 for none); steps: uint16, the cell of its blank
- codes = tile_mark, cell_mark: uint64 [cells]; a hash is the sum of their products over all tiles
- guide: uint16 [cells, cells], what each tile adds to H in each cell
- lines = line_first, line_cells, line_of, place_of, tops: uint64. The rows and then the columns,
  where each begins among the cells of all; for each cell its row and its place there (in row 0 of
  the table), and its column and its place there (in row 1); tops: scratch
- reach = first, there, targets, side, queue, filled, rows, local, door, window, far. first,
  there: uint64, `there[first[c]]` to `there[first[c + 1] - 1]` are beside cell c. Then the
  distance of a tile to the nearest target cell: targets: uint8 [2, cells], whether a cell is one;
  side: uint16 [2, arcs], where the tile stands in the cell that the arc leaves and the blank in
  the one that it leads to; queue: int32, scratch; rows: uint16 [2, cells, cells], by the cells of
  tile and blank, for those of the tile that filled (uint8 [2, cells]) tells. Then a pair's window:
  local: uint8 [2, cells], the number of a cell in it, or OUT; door: uint16 [2, cells], the cell of
  it that is nearest; window: uint16 [2, size ** 3], the pair's distance by the numbers of their
  cells and the blank's. far: uint16 [cells, cells], distances of cells
"""

from typing import Any, TypeAlias

from plansolve.storage.jit import Array

__all__ = [
    "ALPHA",
    "ARENA",
    "BANK",
    "BITS",
    "BLANK_HOME",
    "CELLS",
    "CONFLICT",
    "CONTEXT",
    "COUNT",
    "DONE",
    "FAR",
    "FIRST_OUT",
    "FREE",
    "FRONT",
    "FULL",
    "INPUTS",
    "KEEP",
    "KIND",
    "LAST",
    "LEVEL",
    "LIMIT",
    "NODES",
    "NUMBERS",
    "ONE",
    "OTHER",
    "OUT",
    "OUTPUTS",
    "PAIR",
    "ROOM",
    "RUNNING",
    "SALT",
    "SINGLE",
    "SLACK",
    "START",
    "TAKEN",
    "WIDTH",
    "WINDOW",
    "WINDOW_MOST",
    "WORK",
    "Arrays",
    "Number",
]

Number: TypeAlias = Any
"""A number as a kernel sees it: unsigned where it is an index, else signed, both of 64 bits."""

Arrays: TypeAlias = tuple[Array, ...]
"""Some of the arrays, in the order of their groups above."""

# Sizes; the width of a level, how many finished boards are kept, and the first locked cell; a
# number of moves that is no news.
CELLS, ROOM, WIDTH, KEEP, FREE, LIMIT = 0, 1, 2, 3, 4, 5
# The weight of the distance, in 1 / 64; of a linear conflict; how many levels a stage goes on
# after its first finished board; what voids hashes of earlier stages; the size of their table.
ALPHA, CONFLICT, SLACK, SALT, BLANK_HOME, BITS = 6, 7, 8, 9, 10, 11
# The level, the stage's first one, the number of its boards and their bank; how many boards the
# stage begins with, and how many of them are in a level by now.
LEVEL, START, COUNT, FRONT, INPUTS, TAKEN = 12, 13, 14, 15, 16, 17
# The bank of these boards, how many are finished (in the other bank), and the first one's level;
# the nodes of the tree, and how many it can hold; the number of boards expanded.
BANK, OUTPUTS, FIRST_OUT, NODES, ARENA, WORK = 18, 19, 20, 21, 22, 23
# The bank of the stage's distances; the following stage has the other one. Then two entries each,
# one a bank: kind of the stage, its tiles, size of the window, and the largest distance in it.
CONTEXT, KIND, ONE, OTHER, WINDOW, WINDOW_MOST = 24, 25, 27, 29, 31, 33
NUMBERS = 35

# Kinds of stages: that of all tiles that are left, of one tile, of the last two of a line. The
# number tells how many cells are locked after it.
LAST, SINGLE, PAIR = 0, 1, 2

# How `advance` ends: the work that was allowed is done, the stage is over, the tree is full.
RUNNING, DONE, FULL = 0, 1, 2

OUT = 255
"""No cell of a window."""

FAR = 65535
"""No way."""
