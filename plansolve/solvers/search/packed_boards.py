"""Breadth-first search over packed boards, for moves that need pieces in their places.

The pieces of such puzzles keep each other in place, so that few boards can be reached: tens of
thousands, where the pieces could be placed in billions of ways. All of them are visited in the
order of their distance from the start. While those of distance d are expanded no plan has d moves
or fewer.
"""

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Operator, Plan, State
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.result import StopReason
from plansolve.solvers.search import packed_boards_kernel as kernel
from plansolve.solvers.search.node_tables import starts
from plansolve.text import counted

_BY = "breadth-first search"
_FEW = 1 << 14
_WORD = 64
_SLICE = 50_000
"""Boards that are expanded in a tenth of a second or less."""
_TELL_SECONDS = 0.2


def packed_breadth_first(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Report until a shortest plan, or that there is none.

    Raise `CutShort` where the boards would not fit into `budget.memory`.
    """
    if problem.is_solved:
        yield Report(_BY, plan=())
        return
    boards = PackedSearch(problem)
    told = time.monotonic()
    while not incumbent.is_closed and boards.depth + 1 < incumbent.upper_bound:
        status = boards.expand(_SLICE)
        if status == kernel.GOAL:
            plan = boards.plan()
            yield Report(_BY, plan=plan, lower_bound=len(plan), counts=boards.counts)
            return
        if status == kernel.LEVEL_DONE and boards.is_exhausted:
            yield Report(_BY, lower_bound=NO_PLAN, counts=boards.counts)
            return
        if status == kernel.FULL and not boards.grow(budget.memory):
            yield Report(_BY, lower_bound=boards.depth + 1, counts=boards.counts)
            raise CutShort(
                StopReason.MEMORY, f"{_BY} has its memory full with {counted(boards.met, 'board')}"
            )
        if (now := time.monotonic()) > told + _TELL_SECONDS:
            told = now
            yield Report(_BY, lower_bound=boards.depth + 1, counts=boards.counts)
    yield Report(_BY, lower_bound=boards.depth + 1, counts=boards.counts)


class PackedSearch:
    """The boards that were met; those at distance `depth` are being expanded."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self.depth, puzzle = problem, 0, problem.puzzle
        self._kinds = np.array(puzzle.kinds, np.int64)
        self._number = {kind: i for i, kind in enumerate(puzzle.kinds)}
        bits = max(1, (len(puzzle.kinds) - 1).bit_length())
        cells = np.arange(puzzle.cells)
        self._word = (cells // (_WORD // bits)).astype(np.uint16)
        self._shift = (cells % (_WORD // bits) * bits).astype(np.uint64)
        self._low = np.uint64((1 << bits) - 1)
        self._words = int(self._word[-1]) + 1
        self._rules = self._packed_rules()
        self._boards = self._with_room(_FEW)
        self._boards.board[: self._words] = self._packed(problem.start)
        self._boards.numbers[kernel.COUNT] = self._end = 1
        kernel.enter_all(self._boards, self._words)

    @property
    def met(self) -> int:
        """The number of boards."""
        return int(self._boards.numbers[kernel.COUNT])

    @property
    def counts(self) -> dict[str, int]:
        """The counts of a report."""
        return {"nodes": self.met}

    @property
    def is_exhausted(self) -> bool:
        """True if the level to be expanded has no boards."""
        return int(self._boards.numbers[kernel.NEXT]) == self.met

    def expand(self, most: int) -> int:
        """Expand so many boards at most; return why the kernel stopped."""
        status: int = kernel.expand(self._rules, self._boards, self._end, most)
        if status == kernel.LEVEL_DONE and not self.is_exhausted:
            self.depth, self._end = self.depth + 1, self.met
        return status

    def grow(self, most: int) -> bool:
        """Make room for twice as many boards; return False where that takes more bytes."""
        old = self._boards
        room = 2 * len(old.parent)
        # The old arrays are there until all has been copied.
        need = 2 * sum(array.nbytes for array in old) + sum(array.nbytes for array in old)
        if need > most or room >= 1 << 32:
            return False
        self._boards = new = self._with_room(room)
        new.board[: len(old.board)], new.parent[: len(old.parent)] = old.board, old.parent
        new.numbers[:] = old.numbers
        kernel.enter_all(new, self._words)
        return True

    def plan(self) -> Plan:
        """Return the moves that lead to the board of the goal that was met."""
        numbers = [int(self._boards.numbers[kernel.FOUND])]
        while numbers[-1]:
            numbers.append(int(self._boards.parent[numbers[-1]]))
        board, plan = self._problem.start, list[str]()
        for number in numbers[-2::-1]:
            after = self._unpacked(number)
            moves = self._problem.puzzle.applicable(board).items()
            plan.append(next(name for name, move in moves if move.apply(board) == after))
            board = after
        return tuple(plan)

    def _with_room(self, room: int) -> kernel.PackedBoards:
        room = max(room, 2 * len(self._rules.need))
        return kernel.PackedBoards(
            np.zeros(room * self._words, np.uint64),
            np.zeros(room, np.uint32),
            np.zeros(1 << (2 * room - 1).bit_length(), np.uint32),
            np.zeros(3, np.int64),
        )

    def _packed(self, board: State) -> NDArray[np.uint64]:
        """Return the words of a board; open cells have no bits."""
        found = np.zeros(self._words, np.uint64)
        for cell, kind in enumerate(board):
            if kind != OPEN:
                found[self._word[cell]] |= np.uint64(self._number[kind]) << self._shift[cell]
        return found

    def _unpacked(self, number: int) -> State:
        words = self._boards.board[number * self._words :][self._word]
        return tuple(self._kinds[words >> self._shift & self._low].tolist())

    def _packed_rules(self) -> kernel.PackedRules:
        puzzle, kinds = self._problem.puzzle, len(self._kinds)
        by_key: list[list[Operator]] = [[] for _ in range(puzzle.cells * kinds + 1)]
        for operator in puzzle.operators:
            first = _first_need(operator)
            by_key[first[0] * kinds + self._number[first[1]] if first else -1].append(operator)
        operators = [operator for own in by_key for operator in own]
        # The first need is told by the place in the list.
        needs = [[need for need in op.needs if need != _first_need(op)] for op in operators]
        mask = np.zeros(self._words, np.uint64)
        for cell, kind in enumerate(puzzle.goal):
            if kind != OPEN:
                mask[self._word[cell]] |= self._low << self._shift[cell]
        return kernel.PackedRules(
            first=starts(map(len, by_key)),
            need=starts(map(len, needs)),
            need_cell=np.array([cell for own in needs for cell, _ in own], np.uint16),
            need_kind=np.array([self._number[k] for own in needs for _, k in own], np.uint16),
            move=starts(len(operator.moves) for operator in operators),
            cell=np.array([cell for op in operators for cell, _ in op.moves], np.uint16),
            source=np.array([source for op in operators for _, source in op.moves], np.uint16),
            word=self._word,
            shift=self._shift,
            low=self._low,
            kinds=np.uint64(kinds),
            goal=self._packed(puzzle.goal),
            mask=mask,
        )


def _first_need(operator: Operator) -> tuple[int, int] | None:
    """Return the need that few boards fulfil, that of a piece if there is one; None without any."""
    return max(operator.needs, key=lambda need: need[1] != BLANK, default=None)
