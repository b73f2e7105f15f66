"""Breadth-first search over packed boards, for moves that need pieces in their places.

The pieces of such puzzles keep each other in place, so that few boards can be reached: tens of
thousands, where the pieces could be placed in billions of ways. All of them are visited in the
order of their distance from the start. While those of distance d are expanded no plan has d moves
or fewer.

A board is a number with some bits for each cell. A move that needs a piece or a gap in each cell
that it changes always flips the same bits. Plain Python visits the first boards, and is done with
Klotski before the kernel of larger puzzles would be loaded.
"""

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Operator, Plan, Puzzle, State
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.result import StopReason
from plansolve.text import counted

if TYPE_CHECKING:
    from plansolve.solvers.search import packed_boards_kernel as kernel

_BY = "breadth-first search"
_FEW, _FEW_BYTES = 40_000, 400
"""Boards that a process visits in plain Python in the time that the kernel takes to load."""

_visited = [0]
"""Those of this process so far."""

_WORD = 64
_MOST_MOVES = 1 << 20
_SLICE = 100_000
"""Boards that are expanded in a tenth of a second or less."""
_TELL_SECONDS = 0.2


def packed_breadth_first(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Report until a shortest plan, or that there is none.

    Raise `CutShort` if the boards would not fit into `budget.memory`.
    """
    if problem.is_solved:
        yield Report(_BY, plan=())
        return
    rules = PackedRules(problem.puzzle)
    start, _ = rules.packed(enumerate(problem.start))
    if not (yield from _few_boards(rules, start, incumbent, budget)):
        yield from many_boards(rules, start, incumbent, budget)


class PackedMove(NamedTuple):
    """A move of the boards that have the bits `value` under `mask`: it flips `flip`."""

    value: int
    mask: int
    flip: int
    name: str


class PackedRules:
    """The moves and the goal; cells have their bits one after the other, in words of 64.

    `groups` holds the moves by the pieces that they need, given as `value` and `mask`.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._kinds = {kind: number for number, kind in enumerate(puzzle.kinds)}
        bits = max(1, (len(self._kinds) - 1).bit_length())
        words = [divmod(cell, _WORD // bits) for cell in range(puzzle.cells)]
        self.words, self._low = words[-1][0] + 1, (1 << bits) - 1
        self._shift = [_WORD * word + place * bits for word, place in words]
        self.goal = self.packed((c, kind) for c, kind in enumerate(puzzle.goal) if kind != OPEN)
        by_pieces: dict[tuple[int, int], list[PackedMove]] = {}
        for count, (pieces, move) in enumerate(self._moves(puzzle.operators)):
            by_pieces.setdefault(pieces, []).append(move)
            if count == _MOST_MOVES:
                raise CutShort(StopReason.MEMORY, f"{_BY} has more than {count:,} moves to try")
        self.groups = [(*pieces, moves) for pieces, moves in by_pieces.items()]

    def _moves(self, operators: Iterable[Operator]) -> Iterator[tuple[tuple[int, int], PackedMove]]:
        """Yield the moves of operators, one for each content of cells that they need not know."""
        for operator in operators:
            needs, kind = dict(operator.needs), self._kinds
            others = [cell for cell, _ in operator.moves if cell not in needs]
            for contents in product(kind, repeat=len(others)):
                known = needs | dict(zip(others, contents, strict=True))
                flip = sum(
                    (kind[known[source]] ^ kind[known[cell]]) << self._shift[cell]
                    for cell, source in operator.moves
                )
                pieces = self.packed(pair for pair in known.items() if pair[1] != BLANK)
                yield pieces, PackedMove(*self.packed(known.items()), flip, operator.name)

    def packed(self, contents: Iterable[tuple[int, int]]) -> tuple[int, int]:
        """Return the bits of pairs (cell, kind), and the mask of their cells."""
        value = mask = 0
        for cell, kind in contents:
            value |= self._kinds[kind] << self._shift[cell]
            mask |= self._low << self._shift[cell]
        return value, mask

    def unpacked(self, board: int) -> State:
        """Return the kinds of a board's cells."""
        kinds = [*self._kinds]
        return tuple(kinds[board >> shift & self._low] for shift in self._shift)

    def after(self, layer: Iterable[int], before: dict[int, int], most: int) -> list[int]:
        """Return the boards one move after those of a layer that are not in `before`, and enter
        them there with the board that each comes from; end early once there are more than `most`.
        """
        found, groups = list[int](), self.groups
        for board in layer:
            for value, mask, moves in groups:
                if board & mask == value:
                    for needed, where, flip, _ in moves:
                        if board & where == needed and (after := board ^ flip) not in before:
                            before[after] = board
                            found.append(after)
            if len(before) > most:
                break
        return found

    def plan(self, boards: Iterable[int]) -> Plan:
        """Return the moves that lead from each board to the next."""
        moves = [move for *_, own in self.groups for move in own]
        return tuple(
            next(m.name for m in moves if board & m.mask == m.value and board ^ m.flip == after)
            for board, after in pairwise(boards)
        )


def _few_boards(
    rules: PackedRules, start: int, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, bool]:
    """Report the search in plain Python; return False if there are too many boards for it."""
    goal, goal_mask = rules.goal
    most, told = min(_FEW - _visited[0], budget.memory // _FEW_BYTES), time.monotonic()
    before, layer, depth = {start: start}, [start], 0
    while layer and not incumbent.is_closed and depth + 1 < incumbent.upper_bound:
        _visited[0] += len(layer)
        layer, depth = rules.after(layer, before, most), depth + 1
        # As in the kernel, what counts are the boards met before the goal, and that one.
        for number, board in enumerate(layer, len(before) - len(layer) + 1):
            if board & goal_mask == goal:
                way = [board]
                while way[-1] != start:
                    way.append(before[way[-1]])
                yield Report(_BY, rules.plan(way[::-1]), depth, counts={"nodes": number})
                return True
        if len(before) > most:
            return False
        if (now := time.monotonic()) > told + _TELL_SECONDS:
            told = now
            yield Report(_BY, lower_bound=depth + 1, counts={"nodes": len(before)})
    bound = depth + 1 if layer else NO_PLAN
    yield Report(_BY, lower_bound=bound, counts={"nodes": len(before)})
    return True


def many_boards(
    rules: PackedRules, start: int, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Report the search by the kernel; raise `CutShort` if its memory is full."""
    from plansolve.solvers.search import packed_boards_kernel as kernel

    boards, depth, told = _boards(rules, 1 << 14), 0, time.monotonic()
    boards.board[: rules.words] = _words(rules, [start])
    boards.numbers[kernel.COUNT] = end = 1
    kernel.enter_all(boards, rules.words)
    arrays = _arrays(rules)

    def report(bound: int, plan: Plan | None = None) -> Report:
        return Report(_BY, plan, bound, counts={"nodes": int(boards.numbers[kernel.COUNT])})

    while not incumbent.is_closed and depth + 1 < incumbent.upper_bound:
        status = kernel.expand(arrays, boards, end, _SLICE)
        if status == kernel.GOAL:
            yield report(depth + 1, rules.plan(_way(rules, boards)))
            return
        if status == kernel.LEVEL_DONE:
            if end == boards.numbers[kernel.COUNT]:
                yield report(NO_PLAN)
                return
            depth, end = depth + 1, int(boards.numbers[kernel.COUNT])
        if status == kernel.FULL:
            room = 2 * len(boards.parent)
            # The old arrays are there until all has been copied.
            if 3 * sum(array.nbytes for array in boards) > budget.memory or room >= 1 << 32:
                yield report(depth + 1)
                met = counted(int(boards.numbers[kernel.COUNT]), "board")
                raise CutShort(StopReason.MEMORY, f"{_BY} ran out of memory after {met}")
            old, boards = boards, _boards(rules, room)
            boards.board[: len(old.board)], boards.parent[: len(old.parent)] = old.board, old.parent
            boards.numbers[:] = old.numbers
            kernel.enter_all(boards, rules.words)
        if (now := time.monotonic()) > told + _TELL_SECONDS:
            told = now
            yield report(depth + 1)
    yield report(depth + 1)


def _boards(rules: PackedRules, room: int) -> "kernel.PackedBoards":
    import numpy as np

    from plansolve.solvers.search import packed_boards_kernel as kernel

    room = max(room, 2 * sum(len(moves) for *_, moves in rules.groups))
    return kernel.PackedBoards(
        np.zeros(room * rules.words, np.uint64),
        np.zeros(room, np.uint32),
        np.zeros(1 << (2 * room - 1).bit_length(), np.uint32),
        np.zeros(3, np.int64),
    )


def _arrays(rules: PackedRules) -> "kernel.PackedRules":
    from plansolve.solvers.search import packed_boards_kernel as kernel
    from plansolve.solvers.search.node_tables import starts

    moves = [move for *_, own in rules.groups for move in own]
    columns = (
        [value for value, *_ in rules.groups],
        [mask for _, mask, _ in rules.groups],
        [move.value for move in moves],
        [move.mask for move in moves],
        [move.flip for move in moves],
        rules.goal[:1],
        rules.goal[1:],
    )
    first = starts(len(own) for *_, own in rules.groups)
    return kernel.PackedRules(first, *(_words(rules, column) for column in columns))


def _words(rules: PackedRules, numbers: Sequence[int]) -> "kernel.Words":
    import numpy as np

    data = b"".join(number.to_bytes(rules.words * _WORD // 8, "little") for number in numbers)
    return np.frombuffer(data, "<u8").astype(np.uint64)


def _way(rules: PackedRules, boards: "kernel.PackedBoards") -> Iterator[int]:
    """Return the boards from the start to that of the goal that was met last."""
    way = [int(boards.numbers[0]) - 1]
    while way[-1]:
        way.append(int(boards.parent[way[-1]]))
    for number in way[::-1]:
        own = boards.board[number * rules.words :][: rules.words]
        yield int.from_bytes(own.astype("<u8").tobytes(), "little")
