"""Walks from the start, or to the goal, that the first of the shortest plans does not take.

A walk that begins in the start is not taken where its last board needs more moves to the goal than
are left, and where a shorter walk, or an earlier one of the same length, leads to the same board
(see `duplicates` for the order). The same holds for a walk to the goal and its first board.
"""

import time
from collections.abc import Collection, Iterator, Sequence

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify.partial_assignments import MoveTables
from plansolve.certcheck.justify.rules import Rules
from plansolve.model.puzzle import BLANK, WORD_CELLS

__all__ = ["not_taken"]

_Walk = tuple[int, ...]
_MOST_BOARDS = 1_000_000


def not_taken(
    walks: Collection[_Walk],
    rules: Rules,
    moves: MoveTables,
    partitions: Sequence[Sequence[tuple[int, ...]]],
    may_be_blank: Array,
    *,
    from_start: bool,
    only_shorter: bool,
    deadline: float | None,
) -> set[_Walk]:
    """Return those of the walks that are not taken; all begin in the start, or end in the goal.

    The bound on what is left is the largest sum over a partition into patterns;
    `may_be_blank[t, cell]` (bool) tells where the blank can be on a plan, and for how long it is.
    Raise `TimeoutError` at the deadline.
    """
    if rules.problem.puzzle.cells > WORD_CELLS:
        return set()
    # Seen from the goal, walks run back.
    tables = [
        [(p, moves.to_goal(p) if from_start else moves.from_start(p)) for p in partition]
        for partition in partitions
    ]
    blank = may_be_blank if from_start else may_be_blank[::-1]
    search = _SearchFromEnd(rules, tables, blank, from_start, only_shorter, deadline)
    found = search.run({walk if from_start else walk[::-1] for walk in walks})
    return found if from_start else {walk[::-1] for walk in found}


class _SearchFromEnd:
    """A search over boards from one end, layer by layer, each in the order of its walks."""

    def __init__(
        self,
        rules: Rules,
        tables: Sequence[Sequence[tuple[tuple[int, ...], Array]]],
        may_be_blank: Array,
        from_start: bool,
        only_shorter: bool,
        deadline: float | None,
    ) -> None:
        problem = rules.problem
        self._arcs = (rules.arcs if from_start else rules.into) or ()
        self._tables, self._may_be_blank = tables, may_be_blank.tolist()
        self._from_start = from_start
        self._only_shorter, self._deadline = only_shorter, deadline
        self._board = bytes(problem.start if from_start else problem.goal)

    def run(self, asked: set[_Walk]) -> set[_Walk]:
        """Return those of the walks that are not taken."""
        found: set[_Walk] = set()
        known = {self._board}
        layer: list[tuple[_Walk, bytes]] = [((self._board.index(BLANK),), self._board)]
        horizon = len(self._may_be_blank) - 1
        for depth in range(1, min(max(map(len, asked), default=0), horizon + 1)):
            following, new = list[tuple[_Walk, bytes]](), set[bytes]()
            for walk, board in self._children(layer, self._may_be_blank[depth]):
                if board in known or (board in new and not self._only_shorter):
                    # Whether the earlier walk is one of those asked for makes no difference.
                    found |= asked & {walk}
                elif walk in asked and self._exceeds(board, horizon - depth):
                    found.add(walk)
                elif board not in new:
                    new.add(board)
                    following.append((walk, board))
                if len(known) + len(new) > _MOST_BOARDS:
                    return found
            known |= new
            layer = following
            if self._deadline is not None and time.monotonic() > self._deadline:
                raise TimeoutError("time limit reached while walks from both ends were searched")
        return found

    def _exceeds(self, board: bytes, left: int) -> bool:
        """Whether the board is more moves than that from the other end."""
        for partition in self._tables:
            moves = 0
            for tiles, table in partition:
                moves += int(table[tuple(map(board.index, tiles))])
            if moves > left:
                return True
        return False

    def _children(
        self, layer: list[tuple[_Walk, bytes]], may_be: Sequence[bool]
    ) -> Iterator[tuple[_Walk, bytes]]:
        """Yield the walks that are one move longer, in their order.

        Those from the goal run back: the cell that was added last is the first of the walk.
        """
        if self._from_start:
            pairs = ((walk, board, d) for walk, board in layer for d in self._arcs[walk[-1]])
        else:
            begins: list[list[tuple[_Walk, bytes]]] = [[] for _ in self._board]
            for walk, board in layer:
                for d in self._arcs[walk[-1]]:
                    begins[d].append((walk, board))
            pairs = ((walk, board, d) for d, row in enumerate(begins) for walk, board in row)
        for walk, board, there in pairs:
            if not may_be[there]:
                continue
            here = walk[-1]
            low, high = min(here, there), max(here, there)
            # The blank and a tile change places.
            changed = b"%b%c%b%c%b" % (
                board[:low], board[high], board[low + 1 : high], board[low], board[high + 1 :],
            )  # fmt: skip
            yield (*walk, there), changed
