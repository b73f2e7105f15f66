"""The first and last layer in which a tile or the blank can be in a cell: no variables, or mutexes.

The encodings leave out the variables of contents that cannot be in a cell in time (`distance`), and
forbid the pairs of a tile's and the blank's cell that cannot be reached together (`tile-blank`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.lemma import ALWAYS, Lemma
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN
from plansolve.model.structure import BlankGraph, breadth_first, reverse, tile_blank_distances

DISTANCE = Lemma(
    name="distance",
    keeps="every plan",
    argument="no variable for a tile or the blank in a cell that it cannot reach from the start in "
    "t moves, or from which it cannot reach its goal cell in T - t",
    encodings={"half-layer": ALWAYS, "full-layer": ALWAYS, "permutation": ALWAYS},
    is_plain=True,
)

TILE_BLANK = Lemma(
    name="tile-blank",
    keeps="every plan",
    argument="a tile and the blank are never in two cells that they cannot reach together in time",
    encodings={"half-layer": ALWAYS, "full-layer": ALWAYS},
    is_plain=True,
)


class TileTimes:
    """Distances of single tiles, and of the blank, from their start and to their goal cells.

    Each is taken to move alone, by any operator that moves it, so the times are lower bounds. Of
    tiles of one kind the nearest counts, and the nearest of its goal cells, which may be open ones
    if the goal does not place all of them.
    """

    def __init__(self, problem: Problem) -> None:
        forward: list[list[int]] = [[] for _ in problem.start]
        for operator in problem.puzzle.operators:
            for cell, source in operator.moves:
                forward[source].append(cell)
        backward = reverse(forward)
        self._earliest, self._remaining = dict[int, list[int]](), dict[int, list[int]]()
        for kind in problem.puzzle.kinds:
            begins = _cells(problem.start, kind)
            ends = _cells(problem.goal, kind)
            if len(ends) < len(begins):
                ends += _cells(problem.goal, OPEN)
            self._earliest[kind] = _nearest(forward, begins)
            self._remaining[kind] = _nearest(backward, ends)

    def possible(self, done: int, left: int, tile: int, cell: int) -> bool:
        """Return True if `tile` may be in `cell` after `done` moves, with `left` moves to come."""
        return self._earliest[tile][cell] <= done and self._remaining[tile][cell] <= left


class TileBlankTimes:
    """Distances of a tile together with the blank, all other tiles being out of the way.

    A breadth-first search over (cell of the tile, cell of the blank), from the start and to the
    goal, for each tile.
    """

    def __init__(self, problem: Problem, graph: BlankGraph, lemmas: Collection[str]) -> None:
        self._problem, self._graph, self._lemmas = problem, graph, lemmas
        self._cells = problem.puzzle.cells

    @cached_property
    def _earliest(self) -> dict[int, list[int]]:
        return self._tables(_places(self._problem.start), self._graph.successors)

    @cached_property
    def _remaining(self) -> dict[int, list[int]]:
        return self._tables(_places(self._problem.goal), self._graph.predecessors)

    def _tables(
        self, places: dict[int, int], arcs: Sequence[Sequence[int]]
    ) -> dict[int, list[int]]:
        return {
            tile: tile_blank_distances(arcs, places[tile], places[BLANK])
            for tile in self._problem.puzzle.tiles
        }

    def possible(self, done: int, left: int, tile: int, cell: int, blank: int) -> bool:
        """Return True if `tile` may be in `cell` and the blank in `blank`, as in `TileTimes`."""
        pair = cell * self._cells + blank
        return self._earliest[tile][pair] <= done and self._remaining[tile][pair] <= left

    def new_row(
        self, builder: Builder, done: int, left: int, cell: int, blanks: Iterable[int]
    ) -> list[int]:
        """Return a variable for each tile that may be in `cell` while the blank is in `blanks`.

        `FALSE` stands for the others; without the lemma `distance` there are none.
        """
        tiles = self._problem.puzzle.tiles
        if DISTANCE.name not in self._lemmas:
            return [builder.new("at", done, cell, tile) for tile in tiles]
        pairs = [cell * self._cells + blank for blank in blanks]
        row = []
        for tile in tiles:
            earliest, remaining = self._earliest[tile], self._remaining[tile]
            possible = any(earliest[i] <= done and remaining[i] <= left for i in pairs)
            row.append(builder.new("at", done, cell, tile) if possible else FALSE)
        return row

    def add_mutexes(
        self,
        builder: Builder,
        done: int,
        left: int,
        rows: Iterable[tuple[int, Sequence[int]]],
        blanks: Mapping[int, int],
    ) -> None:
        """Forbid a tile and the blank in cells that they cannot reach together.

        `rows` are cells with the literal of each tile, `blanks[cell]` is the literal of the blank.
        """
        if TILE_BLANK.name not in self._lemmas:
            return
        for cell, row in rows:
            pairs = [(cell * self._cells + blank, there) for blank, there in blanks.items()]
            for tile, literal in enumerate(row, start=1):
                if literal == FALSE:
                    continue
                earliest, remaining = self._earliest[tile], self._remaining[tile]
                for pair, standing in pairs:
                    if earliest[pair] > done or remaining[pair] > left:
                        builder.clause(-literal, -standing)


def _cells(board: Sequence[int], kind: int) -> list[int]:
    return [cell for cell, there in enumerate(board) if there == kind]


def _nearest(adjacency: Sequence[Sequence[int]], cells: Sequence[int]) -> list[int]:
    tables = [breadth_first(adjacency, cell) for cell in cells]
    return tables[0] if len(tables) == 1 else list(map(min, *tables))


def _places(board: Sequence[int]) -> dict[int, int]:
    return {content: cell for cell, content in enumerate(board)}
