"""Random boards that have a plan, or provably none, each with the same probability.

Random arrangements are drawn until one is of the wanted kind. `BoardSampler` derives from the rules
whether every board without a proof that it is unsolvable has a plan.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count, pairwise
from math import factorial, prod

from plansolve.analysis.group import PermutationGroup
from plansolve.analysis.solvability import why_unsolvable
from plansolve.analysis.ways import joined_cells, walks_of
from plansolve.errors import OptionError
from plansolve.instances.held_boards import HeldBoards
from plansolve.instances.predecessors import Predecessors, require_walks
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Puzzle, State
from plansolve.model.structure import UNREACHABLE, Structure, breadth_first
from plansolve.text import counted

_TRIES = 200
# The most boards that are listed, times their cells: they take a tenth of a gigabyte.
_MOST_LISTED_CELLS = 4_000_000

# On at most so many cells `why_unsolvable` decides all free puzzles, and all whose blank can get
# from each cell to each cell.
_MOST_CELLS_DECIDED = 36
# On larger boards the sampler computes the group once, not once for each board.
_MOST_CELLS_OF_GROUP = 100
# Wilson's one exception to his theorem has 7 cells.
_LEAST_CELLS_OF_WILSON = 8


class BoardSampler:
    """Draws boards of one puzzle."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self._structure = Structure(puzzle)
        # True if boards with a plan are known to be too rare to be drawn.
        self._is_rare = False

    def solvable(self, randomness: Randomness) -> State:
        """Return a board that has a plan, each equally probable unless pieces have several cells.

        Raise `OptionError` if such boards are too rare to be drawn and too many to be listed, or if
        the rules do not show which boards have a plan.
        """
        if self.puzzle.needs_kinds:
            drawn = HeldBoards(self.puzzle).drawn(randomness)
            return next(found.board for found in drawn if len(found.layers) > 1)
        if self._numbered is not None:
            kind_of = dict(zip(self._numbered.puzzle.goal, self.puzzle.goal, strict=True))
            return tuple(map(kind_of.__getitem__, self._numbered.solvable(randomness)))
        if self._is_decided and not self._is_rare:
            for _ in range(_TRIES):
                board = self._arrangement(randomness)
                if self.why_unsolvable(board) is None:
                    return board
            self._is_rare = True
        if self._listed is None and self._is_decided and self._group is not None:
            return self._of_group(self._group, randomness)
        if self._listed is None:
            raise OptionError(
                f"boards of {self.puzzle.name} cannot be drawn at random: it is not known which "
                "arrangements have a plan, and they are too many to list; scramble a board "
                "(--scramble N)"
            )
        return randomness.one_of(self._listed)

    def unsolvable(self, randomness: Randomness) -> tuple[State, str]:
        """Return a random board that provably has no plan, and the reason.

        Raise `OptionError` if every board has a plan, or no proof was found.
        """
        size = f"{self.puzzle.rows}x{self.puzzle.columns}"
        require_walks(self.puzzle)
        if self._is_every_board_solvable:
            # Boards do not differ in holes.
            layout = self.puzzle.layout
            drawn = len(self._moved) + (0 if layout is None else len(layout.holes))
            is_whole = drawn >= self.puzzle.cells
            kept = "" if is_whole else " if the cells that no plan changes hold the goal's pieces"
            raise OptionError(f"every {size} board of {self.puzzle.name} can be solved{kept}")
        for _ in range(_TRIES):
            board = self._arrangement(randomness)
            if reason := self.why_unsolvable(board):
                return board, reason
        raise OptionError(
            f"none of {_TRIES} random {size} boards of {self.puzzle.name} could be proved "
            "unsolvable; others may be unsolvable"
        )

    def why_unsolvable(self, board: State) -> str | None:
        """Return why a board has no plan; None if that was not proved."""
        if reason := why_unsolvable(Problem(self.puzzle, board)):
            return reason
        if not self._is_decided and self._listed is not None and board not in self._listed_set:
            return f"only {counted(len(self._listed), 'board')} can reach the goal, not this one"
        if self.puzzle.cells <= _MOST_CELLS_DECIDED or self._group is None:
            return None
        if self.puzzle.arrangement(board) in self._group:
            return None
        return f"the moves reach {self._group.order} boards, and the goal is not one of them"

    @cached_property
    def _numbered(self) -> "BoardSampler | None":
        """A sampler of the same boards with all pieces told apart, if some are alike.

        If a group decides, as many boards of it look like one of these as like any other, namely
        as many as the group has elements that change nothing of the goal that one could see. None
        if that is not known.
        """
        puzzle = self.puzzle
        if puzzle.is_distinct or OPEN in puzzle.goal or puzzle.gaps > 1:
            return None
        numbers = count(1)
        goal = tuple(BLANK if kind == BLANK else next(numbers) for kind in puzzle.goal)
        labels = tuple(map(str, range(puzzle.cells + 1)))
        numbered = BoardSampler(replace(puzzle, goal=goal, pieces=(), labels=labels))
        return numbered if numbered._is_decided else None

    def _arrangement(self, randomness: Randomness) -> State:
        """Return the goal with its movable pieces in a random order."""
        board = list(self.puzzle.goal_board)
        contents = randomness.shuffled(sorted(board[cell] for cell in self._moved))
        for cell, content in zip(self._moved, contents, strict=True):
            board[cell] = content
        return tuple(board)

    @cached_property
    def _moved(self) -> list[int]:
        """The cells whose contents can change, which the blank can enter: usually all but holes."""
        operators, puzzle = self.puzzle.operators, self.puzzle
        if puzzle.has_blank and puzzle.is_distinct:
            joined = {None, *joined_cells(puzzle, puzzle.home[BLANK])}
            operators = tuple(op for op in operators if op.blank in joined)
        return sorted({cell for op in operators for cell, _ in op.moves})

    @cached_property
    def _group(self) -> PermutationGroup | None:
        """The group of the moves, or of the blank's closed walks; None if it decides nothing."""
        cells = self.puzzle.cells
        if self._structure.is_free and cells <= _MOST_CELLS_OF_GROUP:
            moves = [operator.destinations(cells) for operator in self.puzzle.operators]
            return PermutationGroup(moves, cells)
        if self._structure.is_free or not self._is_decided or cells > _MOST_CELLS_DECIDED:
            return None
        return PermutationGroup(walks_of(self.puzzle).generators, cells)

    def _of_group(self, group: PermutationGroup, randomness: Randomness) -> State:
        """Return a board that an element of the group makes of the goal."""
        goal = self.puzzle.goal
        board = tuple(goal[source] for source in group.drawn(randomness.one_of))
        if self._structure.is_free:
            return board
        walks = walks_of(self.puzzle)
        return walks.taken_away(board, randomness.one_of(walks.cells))

    @cached_property
    def _listed(self) -> tuple[State, ...] | None:
        """All boards that have a plan, or None if they are too many."""
        return Predecessors(self.puzzle).all_boards(_MOST_LISTED_CELLS // self.puzzle.cells)

    @cached_property
    def _listed_set(self) -> frozenset[State]:
        return frozenset(self._listed or ())

    @cached_property
    def _is_decided(self) -> bool:
        """True if every board for which `why_unsolvable` knows no reason has a plan."""
        structure, cells = self._structure, self.puzzle.cells
        if self._gaps_reach_all:
            return True
        if not self.puzzle.is_distinct:
            return False
        if structure.is_free:
            return cells <= _MOST_CELLS_OF_GROUP
        graph = structure.blank_graph
        if cells <= _MOST_CELLS_DECIDED and walks_of(self.puzzle).is_strongly_connected:
            return True
        if graph is None:
            return False
        # An odd one then needs a closed walk of odd length, and parity shows if there is one.
        joined = joined_cells(self.puzzle, self.puzzle.home[BLANK])
        number = {cell: i for i, cell in enumerate(joined)}
        return _makes_even_ones([[number[d] for d in graph.names[b]] for b in number])

    @cached_property
    def _gaps_reach_all(self) -> bool:
        """True if several gaps reach every board, by moves that exchange one with a neighbour.

        Take one gap for the blank and the others for tiles, with which it may also change places.
        If parity forbids a rearrangement, exchange two gaps of the target board, which does not
        change it: if their cells have the same colour, parity now allows it. Of three gaps, two are
        on cells of the same colour. If there are two gaps, on cells of different colours, one of
        them has a tile beside it: the board after its move can be reached, and the move undone.
        Holes are cells that no move touches.
        """
        if self.puzzle.gaps < 2:
            return False
        number = {cell: i for i, cell in enumerate(self._moved)}
        arcs: list[set[int]] = [set() for _ in number]
        for operator in self.puzzle.operators:
            cells = {cell for cell, _ in operator.moves}
            if operator.blank in cells and len(cells) == 2:
                arcs[number[operator.blank]] |= {number[c] for c in cells - {operator.blank}}
        return _makes_even_ones(arcs)

    @cached_property
    def _is_every_board_solvable(self) -> bool:
        """True if it is proved that each board has a plan."""
        if self._gaps_reach_all:
            return True
        if not self._is_decided:
            counts = Counter(self.puzzle.pieces).values()
            boards = factorial(self.puzzle.cells) // prod(map(factorial, counts))
            return self._listed is not None and len(self._listed) == boards
        goal = self.puzzle.goal
        if self.puzzle.has_blank and not self._structure.is_free:
            joined = joined_cells(self.puzzle, self.puzzle.home[BLANK])
            # The blank may be in a cell from which it cannot get to its goal cell.
            if not {*self._moved} <= {*joined}:
                return False
        # The rearrangements by plans form a group, which exchanges of two tiles generate.
        cells = [c for c in self._moved if goal[c] != BLANK or self._structure.is_free]
        for first, second in pairwise(cells):
            board = list(goal)
            board[first], board[second] = goal[second], goal[first]
            if self.why_unsolvable(tuple(board)):
                return False
        return True


def _makes_even_ones(arcs: Sequence[Collection[int]]) -> bool:
    """Return True if a blank that moves along these arcs certainly makes every even rearrangement.

    Wilson (1974): it does so along arcs in both directions that form a biconnected graph other than
    a ring.
    """
    mutual = [[d for d in targets if b in arcs[d]] for b, targets in enumerate(arcs)]
    return (
        len(mutual) >= _LEAST_CELLS_OF_WILSON
        and any(len(targets) != 2 for targets in mutual)
        and _is_biconnected(mutual)
    )


def _is_biconnected(neighbours: Sequence[Sequence[int]]) -> bool:
    """Return True if a graph is connected, and stays so without any one vertex."""
    for cut in (None, *range(len(neighbours))):
        rest: list[Sequence[int]] = list(neighbours)
        if cut is not None:
            for vertex in neighbours[cut]:
                rest[vertex] = [other for other in neighbours[vertex] if other != cut]
        start = 1 if cut == 0 else 0
        away = breadth_first(rest, start).count(UNREACHABLE)
        if away > (cut is not None):
            return False
    return True
