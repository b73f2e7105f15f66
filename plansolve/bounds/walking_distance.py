"""Walking Distance: the exchanges of tiles between rows, and between columns (Takahashi).

Ken'ichiro Takahashi's bound for sliding tiles, http://www.ic-net.or.jp/home/takaken/nt/slide/. Of a
board it keeps, for each row, how many of its tiles belong to which row. A move up or down brings
one tile from a row into the neighbouring row of the blank; a move to the side changes nothing. The
fewest moves that bring all tiles into their rows bound the moves up and down of each plan, and the
same for columns those to the side, so that the sum is a lower bound. Both are distances in an
abstraction of the board's moves, hence consistent. The sum is at least that of the tile distances.
"""

from collections.abc import Iterator
from functools import lru_cache

from plansolve.analysis.grid import Lines, grid_of
from plansolve.bounds.bound import Bound, Lookup, NodeBound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import Structure
from plansolve.text import counted

_WIDEST = {1: 60_000, 2: 60_000, 3: 22, 4: 5, 5: 2, 6: 1, 7: 1, 8: 1}
"""The most cells of a line, by the number of lines: a table has up to 120,000 entries, and its keys
are below 2^64."""


class WalkingDistance(Bound):
    """The exchanges of rows and those of columns; admissible and consistent."""

    name = "walking-distance"
    admissible = consistent = True
    needs = "sliding tiles on a full grid"
    quick = False

    def fits(self, structure: Structure) -> bool:
        return grid_of(structure.blank_graph) is not None

    def exceeded(self, problem: Problem) -> str | None:
        """Return the number of rows or columns, and their length."""
        for lines in _rows_and_columns(problem):
            count, width = len(lines), len(lines[0])
            if count not in _WIDEST:
                return f"at most {max(_WIDEST)} rows and columns: this puzzle has {count}"
            if width > _WIDEST[count]:
                return (
                    f"{count} rows or columns of at most {counted(_WIDEST[count], 'cell')}: those "
                    f"of this puzzle have {width}"
                )
        return None

    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return two lookups, for rows and for columns."""
        self.check_size(problem)
        return NodeBound(lookups=[_lookup(problem, lines) for lines in _rows_and_columns(problem)])


def _rows_and_columns(problem: Problem) -> tuple[Lines, Lines]:
    grid = grid_of(problem.structure.blank_graph)
    assert grid is not None
    return grid.lines, grid.transposed.lines


def _lookup(problem: Problem, lines: Lines) -> Lookup:
    """Return the exchanges of tiles between parallel lines."""
    line_of = {cell: number for number, line in enumerate(lines) for cell in line}
    count, width = len(lines), len(lines[0])
    weight = {
        tile: [
            _weight(line_of[there], line_of[home], count, width)
            for there in range(problem.puzzle.cells)
        ]
        for home, tile in enumerate(problem.goal)
        if tile != BLANK
    }
    return Lookup(weight, walking_table(count, width, line_of[problem.goal.index(BLANK)]))


def _weight(line: int, home: int, count: int, width: int) -> int:
    """Return what a tile that belongs into line `home` adds to the key in some line.

    The key is a number with a digit for each pair of lines: how many such tiles there are.
    """
    return int((width + 1) ** (line * count + home))


@lru_cache(maxsize=8)
def walking_table(count: int, width: int, blank: int) -> dict[int, int]:
    """Return the fewest exchanges from each arrangement of tiles in lines to the goal, by its key.

    There are `count` lines of `width` cells, and the blank's goal cell is in line `blank`. Found by
    breadth-first search from the goal.
    """
    goal = sum((width - (r == blank)) * _weight(r, r, count, width) for r in range(count))
    table = {goal: 0}
    layer = [(goal, blank)]
    while layer:
        following = []
        for key, line in layer:
            for after, there in _exchanges(key, line, count, width):
                if after not in table:
                    table[after] = table[key] + 1
                    following.append((after, there))
        layer = following
    return table


def _exchanges(key: int, line: int, count: int, width: int) -> Iterator[tuple[int, int]]:
    """Return the keys after one exchange, and the blank's line there; `line` is that before."""
    for there in (line - 1, line + 1):
        if 0 <= there < count:
            for home in range(count):
                taken = _weight(there, home, count, width)
                if key // taken % (width + 1):
                    yield key - taken + _weight(line, home, count, width), there
