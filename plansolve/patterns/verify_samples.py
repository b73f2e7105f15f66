"""Try some entries of a table that is too large to be made once more.

An entry is right if the best way from its placement costs just so much. A* looks for that way, with
the table itself as its bound. Whatever way it finds is one; so an entry that says more than the way
costs overstates, and if all others are right A* finds the best way. Where an entry says that there
is none, all moves must lead to such entries. So if w of n entries are wrong, s samples find that
with a probability of about 1 - (1 - w/n)**s: a table of other rules, but hardly a single entry. The
samples are drawn from a fixed seed.

Reach sets hold no numbers. The larger set must be what the smaller one is, or one move from it, and
random walks from the goal of so many moves must stay within both. A bit too many in the smaller
set, which refutes less, is found in the larger one only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import accumulate, count, pairwise
from math import comb
from random import Random
from typing import TypeAlias

import numpy as np

from plansolve.patterns.permutation_build import REACH_SETS
from plansolve.patterns.table import NO_WAY
from plansolve.storage.store import Bytes

_SAMPLES = 200
_MOST_NODES = 5_000
"""Of one search; a way that takes longer to find tells nothing."""

State: TypeAlias = tuple[tuple[int, ...], ...]
"""The sorted cells of the pieces of each class."""

Number: TypeAlias = tuple[State, int]
"""A state, and 1 where it was reached by an odd number of odd moves."""


@dataclass(frozen=True)
class PieceMoves:
    """What moves do to the pieces of a pattern.

    A move is the cell in which it needs a gap, or -1; where it brings the content of each cell; and
    whether it is odd. A class of pieces that are alike is their goal cells and their number; others
    of it end in cells of `free`. With `has_gaps` the last class are the gaps. `own` moves count if
    they move another piece of the pattern; else all do. An entry is numbered by the cells of single
    tiles as digits if it `is_positional`, the least over all places of the blank; else by the ranks
    of sets of cells.
    """

    cells: int
    moves: Sequence[tuple[int, Sequence[int], bool]]
    classes: Sequence[tuple[Sequence[int], int]]
    free: frozenset[int] = frozenset()
    has_gaps: bool = False
    own: bool = False
    is_positional: bool = False

    @cached_property
    def halves(self) -> int:
        """The number of parities that are told apart."""
        return 1 + any(odd for _, _, odd in self.moves)

    def drawn(self, random: Random) -> list[Number]:
        """Return the states of a random entry."""
        ends = [*accumulate((copies for _, copies in self.classes), initial=0)]
        placed = random.sample(range(self.cells), ends[-1])
        state = tuple(tuple(sorted(placed[begin:end])) for begin, end in pairwise(ends))
        side = random.randrange(self.halves)
        if not (self.is_positional and self.has_gaps):
            return [(state, side)]
        taken = {cell for own in state[:-1] for cell in own}
        blanks = [cell for cell in range(self.cells) if cell not in taken]
        return [((*state[:-1], (blank,)), side) for blank in blanks]

    def entry(self, state: State, side: int) -> int:
        """Return the number of its entry."""
        number, taken = side, set[int]()
        if self.is_positional:
            for (cell,) in state[: len(state) - self.has_gaps]:
                number = number * self.cells + cell
            return number
        for own in state:
            ranks = [cell - sum(other < cell for other in taken) for cell in own]
            number = number * comb(self.cells - len(taken), len(own))
            number += sum(comb(rank, place) for place, rank in enumerate(ranks, start=1))
            taken.update(own)
        return number

    def is_goal(self, state: State, side: int) -> bool:
        """Return True if the pieces are where they belong."""
        return not side and all(
            {*homes} <= {*own} and {*own} - {*homes} <= self.free
            for own, (homes, _) in zip(state, self.classes, strict=True)
        )

    def after(self, state: State, side: int) -> Iterator[tuple[int, State, int]]:
        """Yield what each move costs, and leads to."""
        for need, goes, odd in self.moves:
            if self.has_gaps and need >= 0 and need not in state[-1]:
                continue
            moved = tuple(tuple(sorted(goes[cell] for cell in own)) for own in state)
            counted = len(state) - self.has_gaps
            is_counted = not self.own or any(
                goes[cell] != cell for own in state[:counted] for cell in own
            )
            yield int(is_counted), moved, side ^ odd


def sample_fault(model: PieceMoves, entries: Bytes, farthest: int) -> str:
    """Return what is wrong with the first wrong one of some entries, in words; empty for none."""
    random = Random(1)
    for _ in range(_SAMPLES):
        starts = model.drawn(random)
        number = model.entry(*starts[0])
        found, way = int(entries[number]), _way(model, entries, starts)
        if way is None or found == way or (found == farthest and way > farthest):
            continue
        costs = "no way is found" if way == NO_WAY else f"a way costs {way}"
        return f"entry {number} is {found}, and {costs}"
    return ""


def _way(model: PieceMoves, entries: Bytes, starts: Sequence[Number]) -> int | None:
    """Return what the best way costs that A* finds, `NO_WAY` for none; None if it takes long."""
    ties, nodes, cost = count(), 0, dict.fromkeys(starts, 0)
    waiting = [(0, 0, next(ties), 0, start) for start in starts]
    while waiting:
        _, _, _, done, here = heappop(waiting)
        if cost[here] < done:
            continue
        if model.is_goal(*here):
            return done
        if (nodes := nodes + 1) > _MOST_NODES:
            return None
        for step, state, side in model.after(*here):
            there, made = (state, side), done + step
            left = int(entries[model.entry(*there)])
            if left < NO_WAY and made < cost.get(there, NO_WAY):
                cost[there] = made
                heappush(waiting, (made + left, left, next(ties), made, there))
    return NO_WAY


def reach_fault(model: PieceMoves, entries: Bytes) -> str:
    """Return what is wrong with reach sets, in words; empty where nothing is found."""
    words, random = entries.view(np.uint32), Random(1)
    length, highest = len(words) // REACH_SETS, int(words[-1])
    if not 0 < highest < NO_WAY:
        return f"it tells of {highest} moves"

    def has(moves: int, state: State) -> bool:
        block, cell = divmod(model.entry(state, 0), model.cells)
        return bool(words[moves % REACH_SETS * length + block] >> np.uint32(cell) & 1)

    back = [[*map(goes.index, range(model.cells))] for _, goes, _ in model.moves]
    for _ in range(_SAMPLES):
        ((state, _),) = model.drawn(random)
        near = has(highest - 1, state) or any(
            has(highest - 1, after) for _, after, _ in model.after(state, 0)
        )
        if near != has(highest, state):
            return f"the set of {highest} moves is not one move beyond the other at {state}"
        state = tuple((home,) for (home,), _ in model.classes)
        for moves in range(highest + 1):
            if not has(max(moves, highest - 1), state) or not has(highest, state):
                return f"{moves} moves lead from the goal to {state}, which is not in the set"
            came = random.choice(back)
            state = tuple((came[cell],) for (cell,) in state)
    return ""
