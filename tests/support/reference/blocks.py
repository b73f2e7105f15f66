"""Sliding blocks by their pieces: a plain breadth-first search that knows no operators."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Cells = frozenset[tuple[int, int]]
Pieces = frozenset[tuple[Any, Cells]]
"""Each piece with what tells it from others: its letter if that counts, or else its shape."""

WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def letters(grid: Sequence[str], gaps: str = ".ox-") -> dict[str, Cells]:
    found: dict[str, set[tuple[int, int]]] = {}
    for r, row in enumerate(grid):
        for c, letter in enumerate(row):
            if letter not in gaps:
                found.setdefault(letter, set()).add((r, c))
    return {letter: frozenset(cells) for letter, cells in found.items()}


def _shape(cells: Cells) -> frozenset[tuple[int, int]]:
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    return frozenset((r - top, c - left) for r, c in cells)


def search(
    grid: Sequence[str], goal: Mapping[str, Cells], metric: str, *, cars: bool = False
) -> tuple[int | None, int]:
    """Return the length of a shortest plan, or None, and how many positions can be reached."""
    walls = letters(grid, ".o" + "".join(letters(grid))).values()
    free = {(r, c) for r, row in enumerate(grid) for c, _ in enumerate(row)}.difference(*walls)
    own = letters(grid)
    told = {*own} if cars else {*goal}
    start = frozenset((k if k in told else _shape(cells), k, cells) for k, cells in own.items())
    first: Pieces = frozenset(_named(start))
    wanted = {(letter, cells) for letter, cells in goal.items()}
    distance = {first: 0}
    queue, found = [first], None
    for pieces in queue:
        if found is None and wanted <= pieces:
            found = distance[pieces]
        for after in _moves(pieces, free, metric, cars):
            if after not in distance:
                distance[after] = distance[pieces] + 1
                queue.append(after)
    return found, len(queue)


def _named(start: frozenset[Any]) -> Iterator[tuple[Any, Cells]]:
    # Pieces of one shape are alike wherever they are, and each has its own cells.
    for key, _, cells in start:
        yield key, cells


def _moves(pieces: Pieces, free: set[tuple[int, int]], metric: str, cars: bool) -> Iterator[Pieces]:
    taken = {cell for _, cells in pieces for cell in cells}
    for key, cells in pieces:
        room = free - (taken - cells)
        across = len({r for r, _ in cells}) == 1
        ways = [w for w in WAYS if not cars or (w[0] == 0) == across]
        seen, todo = {cells}, [(cells, ways)]
        for here, onward in todo:
            for way in onward:
                there = frozenset((r + way[0], c + way[1]) for r, c in here)
                if there <= room and there not in seen:
                    seen.add(there)
                    if metric != "step":
                        todo.append((there, ways if metric == "move" else [way]))
        for there in seen - {cells}:
            yield pieces - {(key, cells)} | {(key, there)}
