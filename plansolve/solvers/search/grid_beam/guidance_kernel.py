"""The guidance H of a board: a table of tiles and cells, and linear conflicts (see `bounds`)."""

import numpy as np

from plansolve.solvers.search.grid_beam.state import GridBoards, Guidance, Lines, Number
from plansolve.storage.jit import Array, kernel


@kernel
def conflicts_made(
    board: Array,
    free: Number,
    lines: Lines,
    blank_home: Number,
    kind: Number,
    cell: Number,
    tile: Number,
) -> Number:
    """Return how many more tiles must leave a line when `tile` enters its cell `cell`.

    The line is the goal line of the tile: its row for kind 0, its column for kind 1. The tiles are
    all those of the line but a longest rising run (patience sorting, twice).
    """
    line_first, line_cells, line_of, place_of, tops = lines
    with_tile, without = np.uint64(0), np.uint64(0)
    one = np.uint64(1)
    line = line_of[kind, tile]
    for i in range(line_first[line], line_first[line + one]):
        c = line_cells[i]
        if c >= free:
            continue
        t = np.uint64(board[c])
        if c == cell:
            t = tile
        elif t == tile:
            continue
        if line_of[kind, t] != line or t == blank_home:
            continue
        place = place_of[kind, t]
        j = np.uint64(0)
        while j < with_tile and tops[0, j] < place:
            j += one
        tops[0, j] = place
        with_tile = max(with_tile, j + one)
        if t != tile:
            j = np.uint64(0)
            while j < without and tops[1, j] < place:
                j += one
            tops[1, j] = place
            without = max(without, j + one)
    return 1 + np.int64(without) - np.int64(with_tile)


@kernel
def measure(boards: GridBoards, count: int, free: int, guidance: Guidance) -> None:
    """Compute H anew for `count` boards, after the guidance has changed."""
    line_first, line_cells, line_of, place_of, tops = guidance.lines
    for i in range(count):
        board = boards.tiles[i]
        h: Number = 0
        for cell in range(free):
            h += np.int64(guidance.table[board[cell], cell])
        for line in range(len(line_first) - 1):
            rising, homes = 0, 0
            kind = 0 if line_of[0, line_cells[line_first[line]]] == line else 1
            for j in range(line_first[line], line_first[line + 1]):
                cell = line_cells[j]
                if cell >= free:
                    continue
                tile = board[cell]
                if line_of[kind, tile] != line or tile == guidance.blank_home:
                    continue
                homes += 1
                k = 0
                while k < rising and tops[0, k] < place_of[kind, tile]:
                    k += 1
                tops[0, k] = place_of[kind, tile]
                rising = max(rising, k + 1)
            h += guidance.conflict * (homes - rising)
        boards.facts[i].h = h
