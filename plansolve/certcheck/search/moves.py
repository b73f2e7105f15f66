"""The moves of a problem as a search proof counts them, from the operators alone.

There are two kinds of puzzles. In the first kind each move exchanges the blank with a tile; the
move that takes the blank to cell d has the number d. In all others the operators that move
something are numbered; of operators with the same effect and need, only the first counts. Some of
these puzzles are *free*: all pieces are different, and no move depends on a blank.

A path is a tuple of numbers: the blank's cell, in which it begins (0 if no move depends on a
blank), and then its moves. Several gaps have too many places: then paths begin with 0, and each
*needs* gaps in some of the cells.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import accumulate
from math import comb
from typing import TypeAlias

from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, WORD_CELLS, Plan
from plansolve.model.structure import permutation_parity

Path: TypeAlias = tuple[int, ...]

Effect: TypeAlias = tuple[int, ...]
"""For each cell, the cell from which its content came."""

_MOST_WITH_GAPS = 5_000
"""The most placements of the gaps alone: enough for four gaps on 16 cells or three on 25."""


class PlanMoves(ABC):
    """The moves of one problem.

    `begins` are the numbers with which paths begin, 0, 1, ..; plans begin with `start`. At `most`
    so many moves are possible on a board. `has_gaps` is True if there are several gaps, of which
    paths need some.
    """

    begins: range
    start: int
    most: int
    has_gaps = False

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.cells = problem.puzzle.cells
        self.identity: Effect = tuple(range(self.cells))

    @abstractmethod
    def after(self, path: Path) -> Sequence[int]:
        """Return the moves that can follow a path, in rising order."""

    @abstractmethod
    def tail(self, path: Path) -> Path:
        """Return a path of one move or more without its first move."""

    @abstractmethod
    def effect(self, path: Path, effect: Effect, move: int) -> Effect:
        """Return the effect of a path and one more move, given the effect of the path."""

    def needed(self, gaps: int, effect: Effect, move: int) -> int:
        """Return the cells, as bits, that must hold gaps before a path and one more move.

        `gaps` are the cells that the path needs, and `effect` is its effect.
        """
        return gaps

    @abstractmethod
    def names(self, path: Path) -> Plan:
        """Return the names of the moves of a path from the start of the problem."""


class WalkMoves(PlanMoves):
    """The walks of the blank; `arcs[b]` are the cells to which it can go from cell b."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._graph = problem.blank_graph
        self.arcs = tuple(tuple(sorted(row)) for row in self._graph.successors)
        self.begins, self.start = range(self.cells), problem.start.index(BLANK)
        self.most = max(map(len, self.arcs))

    def after(self, path: Path) -> Sequence[int]:
        return self.arcs[path[-1]]

    def tail(self, path: Path) -> Path:
        return path[1:]

    def effect(self, path: Path, effect: Effect, move: int) -> Effect:
        """Return the effect of the path and an exchange of two cells' contents."""
        changed = [*effect]
        changed[path[-1]], changed[move] = changed[move], changed[path[-1]]
        return tuple(changed)

    def names(self, path: Path) -> Plan:
        return self._graph.plan(path)


class OperatorMoves(PlanMoves):
    """Operators of any kind; pieces may be alike, there may be several gaps and goals may be open.

    Move m fills cell c from cell `sources[m][c]`, while the blank, or one of the gaps, is in cell
    `needs[m]`, or anywhere if that is None. `has_places` is True if a move needs the only blank in
    some cell. Tables are `with_gaps` if this holds, or if a move needs one of several gaps that
    have few placements. If each move `moves_one_piece` at most, beside the gap that it needs, moves
    of different kinds add up.

    Kinds are numbered, the gaps first; in a free puzzle each kind has the number of its goal cell.
    Pieces have slots: those of kind k begin at `slots[number[k]]`. `counts_odd[m]` is True if move
    m takes a free puzzle's board to the other half of its boards. If all moves are odd, or none,
    their number tells parity, and boards have no halves.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        first: dict[tuple[int | None, Effect], str] = {}
        for operator in problem.puzzle.operators:
            effect = operator.apply(self.identity)
            if effect != self.identity:
                first.setdefault((operator.blank, effect), operator.name)
        self._names = tuple(first.values())
        self.sources = tuple(effect for _, effect in first)
        self.needs, self.most = tuple(blank for blank, _ in first), len(first)
        gaps, needs_some = problem.puzzle.gaps, any(need is not None for need in self.needs)
        self.has_places, self.has_gaps = needs_some and gaps == 1, needs_some and gaps > 1
        self.with_gaps = needs_some and comb(self.cells, gaps) <= _MOST_WITH_GAPS
        self.moves_one_piece = all(
            sum(cell not in (c, need) for c, cell in enumerate(source)) < 2
            for source, need in zip(self.sources, self.needs, strict=True)
        )
        puzzle = problem.puzzle
        self.is_free = problem.structure.is_free
        self.number = puzzle.home if self.is_free else {k: i for i, k in enumerate(puzzle.kinds)}
        copies = [puzzle.pieces.count(kind) for kind in puzzle.kinds]
        self.slots = tuple(accumulate(copies[:-1], initial=0))
        are_odd = tuple(permutation_parity(s, self.identity) == 1 for s in self.sources)
        are_mixed = self.is_free and len({*are_odd}) > 1
        self.counts_odd = are_odd if are_mixed else (False,) * len(are_odd)
        self.begins = range(self.cells if self.has_places else 1)
        self.start = problem.start.index(BLANK) if self.has_places else 0
        self._goes = tuple(tuple(map(source.index, self.identity)) for source in self.sources)
        self._rows = [
            [m for m, need in enumerate(self.needs) if self.has_gaps or need in (None, blank)]
            for blank in self.begins
        ]

    def after(self, path: Path) -> Sequence[int]:
        """Return the moves for the cell to which the path takes the blank; with gaps, all moves."""
        place = path[0]
        for move in path[1:]:
            place = self._place(place, move)
        return self._rows[place]

    def tail(self, path: Path) -> Path:
        """Return the moves from the second on, which begin where the first takes the blank."""
        return (self._place(path[0], path[1]), *path[2:])

    def effect(self, path: Path, effect: Effect, move: int) -> Effect:
        return tuple([effect[cell] for cell in self.sources[move]])

    def needed(self, gaps: int, effect: Effect, move: int) -> int:
        """Return `gaps` and the cell whose content comes to where the move needs a gap."""
        need = self.needs[move]
        return gaps if need is None else gaps | 1 << effect[need]

    def names(self, path: Path) -> Plan:
        return tuple(self._names[move] for move in path[1:])

    def _place(self, place: int, move: int) -> int:
        return self._goes[move][place] if self.has_places else 0


def moves_of(problem: Problem) -> PlanMoves:
    """Return the moves of a problem; raise `ProofError` if none moves anything, if one needs
    more than a gap, and for large boards.
    """
    if problem.puzzle.cells <= WORD_CELLS and not problem.puzzle.needs_kinds:
        if problem.structure.blank_graph is not None:
            return WalkMoves(problem)
        if (moves := OperatorMoves(problem)).sources:
            return moves
    raise ProofError(f"there are no search proofs for puzzles like {problem.puzzle.title}")
