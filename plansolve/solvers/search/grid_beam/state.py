"""The state that the kernels of the grid beam work on.

Cells are numbered such that those which are solved and locked come last: a cell is open if its
number is less than the stage's `free`. Tiles are numbered by their home cells, so the blank too.
H and scores count sixteenths of a move.
"""

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.grid_beam.distances_kernel import StageDistances
from plansolve.storage.jit import Array, typed

Number: TypeAlias = Any
"""A number as a kernel sees it: unsigned if it is an index, else signed, both of 64 bits."""

# The ends of `advance`: its work is done, the stage is over, the tree is full.
RUNNING, DONE, FULL = 0, 1, 2

FACTS = np.dtype(
    [(name, np.int32) for name in ("blank", "came", "h", "node", "one", "other", "moves")]
)
"""Of a board: the cells of the blank, where it came from (the number of cells for none); H; the
node in the tree; the cells of the stage's two tiles; the number of moves."""

CHILD = np.dtype([(name, np.int32) for name in ("source", "blank", "h", "score")])
"""Of a candidate: the board of the level, or -1 - i for first board i; the blank; H; the score."""

PROGRESS = np.dtype(
    [
        (name, np.int64)
        for name in (
            "level",  # the number of moves of the level's boards
            "count",  # how many there are
            "swapped",  # whether they are in `following`, and `level` is the one in the making
            "made",  # candidates for the next level
            "first",  # how many boards the stage begins with
            "joined",  # how many of them have been in a level
            "finished",  # how many boards are finished
            "first_finished",  # the level of the first one; -1 while there is none
            "nodes",  # of the tree
            "expanded",  # boards, in all stages
        )
    ]
)


@typed
class GridBoards(NamedTuple):
    """Boards with equal indices: tiles [boards, cells]; facts; hash."""

    tiles: NDArray[np.uint16]
    facts: Annotated[Array, FACTS]
    hash: NDArray[np.uint64]


@typed
class GridCandidates(NamedTuple):
    """Boards that may enter a level.

    order   scratch: their numbers, sorted by score
    counts  scratch: how many have each score
    """

    child: Annotated[Array, CHILD]
    hash: NDArray[np.uint64]
    order: NDArray[np.int32]
    counts: NDArray[np.uint64]


@typed
class Ranking(NamedTuple):
    """The ranking of finished boards: keys; heap, their numbers, worst first."""

    keys: NDArray[np.int64]
    heap: NDArray[np.int32]


@typed
class Tree(NamedTuple):
    """For each board that was in a level the node before and the cell of its blank.

    The parent has a smaller number, -1 stands for none.
    """

    parents: NDArray[np.int32]
    cells: NDArray[np.uint16]


@typed
class Lines(NamedTuple):
    """The rows, and then the columns.

    first, cells  line l has the cells cells[first[l]] to cells[first[l + 1] - 1]
    of, place     [2, cells]: each cell's row and its place there, then its column and the place
    tops          [2, longest line], scratch
    """

    first: NDArray[np.uint64]
    cells: NDArray[np.uint64]
    of: NDArray[np.uint64]
    place: NDArray[np.uint64]
    tops: NDArray[np.uint64]


@typed
class Guidance(NamedTuple):
    """H: what each tile adds in each cell ([cells, cells]), and `conflict` for each tile
    that has to leave its goal line. The blank, whose goal cell is given, adds nothing.
    """

    table: NDArray[np.uint16]
    lines: Lines
    conflict: int
    blank_home: int


@typed
class HashKeys(NamedTuple):
    """A board's hash is the sum of tile[t] * cell[c] over its tiles."""

    tile: NDArray[np.uint64]
    cell: NDArray[np.uint64]


class StageTerms(NamedTuple):
    """The numbers of one stage.

    free, free_after  the first locked cell, in this stage and in the next
    start             the least number of moves of a first board
    width, keep       the most boards of a level, and of those that are finished
    alpha             the weight of the stage's distance, in 1 / 64
    slack             how many levels the stage goes on after its first finished board
    salt              makes entries of earlier stages in the closed table void
    bits              the closed table has 2 ** bits entries
    """

    free: int
    free_after: int
    start: int
    width: int
    keep: int
    alpha: int
    slack: int
    salt: int
    bits: int


@typed
class GridState(NamedTuple):
    """All of it. `order` sorts the first boards by moves; `closed` holds the
    hashes of the boards that were in a level of the stage, each in its one place. `here` and
    `ahead` are the distances of this stage and of the next.
    """

    progress: Annotated[Any, PROGRESS]
    terms: StageTerms
    level: GridBoards
    following: GridBoards
    first: GridBoards
    order: NDArray[np.int32]
    finished: GridBoards
    ranking: Ranking
    candidates: GridCandidates
    tree: Tree
    closed: NDArray[np.uint32]
    guidance: Guidance
    keys: HashKeys
    here: StageDistances
    ahead: StageDistances
