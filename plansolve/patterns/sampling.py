"""Whether the entries of a stored table can be right: they are sampled along walks from the goal.

The checksum of a table stands in its own file, so it tells damage and no forgery. A table that says
more than the truth makes a search miss plans. After n moves back from the goal the goal is n
moves away, or fewer: no entry on the way may say more. A thousand random walks, drawn anew each
time, take some milliseconds. They find what is wrong near the goal, or wrong in many places; only
`plansolve tables verify` compares every entry.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import reverse
from plansolve.patterns.additive_build import TablePlan
from plansolve.patterns.permutation_build import REACH_SETS
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.placement_build import goal_placements, placement_shape
from plansolve.patterns.placement_kernel import numbers_of
from plansolve.patterns.placement_rules import PieceClass, PlacementRules
from plansolve.patterns.placement_turn_kernel import DEARER, MOVES
from plansolve.storage.store import Bytes, Store, StoreKey, Tell
from plansolve.storage.used import note_unused

__all__ = [
    "blank_overstates",
    "free_overstates",
    "placement_overstates",
    "reach_overstates",
    "sound_table",
]

_WALKS, _MOVES = 1000, 30

Random = np.random.Generator


def sound_table(
    store: Store,
    key: StoreKey,
    length: int,
    build: Callable[[], Bytes],
    tell: Tell,
    *,
    overstates: Callable[[Bytes], bool],
) -> Bytes:
    """Return the table as `Store.load_or_build` does, but for one that overstates distances.

    That one is built anew, in the place of the file where it can be deleted.
    """
    load = partial(store.load_or_build, key, length, build, tell)
    table = load()
    if not overstates(table):
        return table
    tell(f"the table {key.title} says more than is true: it is not used")
    note_unused(key)
    try:
        store.remove(key.name)
    except OSError:
        return build()
    return load()


def blank_overstates(
    arcs: Sequence[Sequence[int]], plan: TablePlan, entries: Bytes, random: Random | None = None
) -> bool:
    """Whether an entry of an additive table is larger than the moves of a walk from the goal."""
    random = random or np.random.default_rng()
    cells, tiles = len(arcs), len(plan.pattern)
    into = reverse(arcs)
    choices = np.array([len(row) for row in into])
    before = np.zeros((cells, max(1, *choices)), np.int64)
    for cell, row in enumerate(into):
        before[cell, : len(row)] = row
    blank = random.choice(np.array(plan.blanks), _WALKS)
    placed = np.tile(np.array(plan.pattern), (_WALKS, 1))
    moves = np.zeros(_WALKS, np.int64)
    for _ in range(_MOVES):
        if (entries[placed @ _strides(cells, tiles)] > moves).any():
            return True
        is_stuck = choices[blank] == 0
        came = before[blank, random.integers(np.maximum(choices[blank], 1))]
        came = np.where(is_stuck, blank, came)
        # A tile that stands where the blank came from has come from where the blank is.
        is_moved = (placed == came[:, None]) & ~is_stuck[:, None]
        placed = np.where(is_moved, blank[:, None], placed)
        moves += is_moved.any(axis=1)
        blank = came
    return False


def free_overstates(
    rules: PermutationRules,
    pattern: Sequence[int],
    entries: Bytes,
    random: Random | None = None,
) -> bool:
    """Whether an entry of a table without a blank is larger than the moves of a walk."""
    random = random or np.random.default_rng()
    sources, half = np.array(rules.sources), rules.cells ** len(pattern)
    odd = np.array(rules.is_odd, np.int64) * (entries.size > half)
    placed = np.tile(np.array(pattern), (_WALKS, 1))
    side = np.zeros(_WALKS, np.int64)
    for moves in range(_MOVES):
        if (entries[placed @ _strides(rules.cells, len(pattern)) + side * half] > moves).any():
            return True
        operators = random.integers(len(sources), size=_WALKS)
        placed = sources[operators[:, None], placed]
        side ^= odd[operators]
    return False


def reach_overstates(
    rules: PermutationRules,
    pattern: Sequence[int],
    entries: Bytes,
    random: Random | None = None,
) -> bool:
    """Whether a placement is in no reach set of some moves that a walk of no more moves leads to.

    Also where the most moves that it tells make no sense.
    """
    random = random or np.random.default_rng()
    sources, words = np.array(rules.sources), entries.view(np.uint32)
    length, highest = words.size // REACH_SETS, int(words[-1])
    if highest >= _MOVES:
        return True
    placed = np.tile(np.array(pattern), (_WALKS, 1))
    for moves in range(highest + 1):
        block = placed[:, :-1] @ _strides(rules.cells, len(pattern) - 1)
        for within in range(max(moves, highest - REACH_SETS + 1), highest + 1):
            found = words[within % REACH_SETS * length + block]
            if not (found >> placed[:, -1].astype(np.uint32) & 1).all():
                return True
        operators = random.integers(len(sources), size=_WALKS)
        placed = sources[operators[:, None], placed]
    return False


def placement_overstates(
    rules: PlacementRules,
    classes: Sequence[PieceClass],
    entries: Bytes,
    random: Random | None = None,
    *,
    are_added: bool = False,
    turns: Sequence[int] | None = None,
) -> bool:
    """Whether an entry of a table of placements is larger than the moves of a walk.

    The gaps are the last class where operators need one. Where tables `are_added` the moves of the
    other classes count. With `turns`, the classes of the operators, an entry tells what the walk
    may have to be longer for the class that it begins with.
    """
    random = random or np.random.default_rng()
    if not rules.destinations:
        return False  # The goals are the only placements that have a distance.
    origin = np.argsort(np.array(rules.destinations), axis=1)
    # By the cell in which a move leaves a gap: the operators that can have led there.
    ways: list[list[int]] = [[] for _ in range(rules.cells)]
    for operator, (goes, need) in enumerate(zip(rules.destinations, rules.needs, strict=True)):
        for cell in range(rules.cells) if need is None else (need,):
            ways[goes[cell]].append(operator)
    choices = np.array([len(operators) for operators in ways])
    before = np.zeros((rules.cells, max(choices)), np.int64)
    for cell, operators in enumerate(ways):
        before[cell, : len(operators)] = operators
    shape = placement_shape(rules.cells, classes)
    goals = np.array([*islice(goal_placements(rules, classes), _WALKS)])
    placed = goals[random.integers(len(goals), size=_WALKS)]
    ends = np.cumsum([own.copies for own in classes])
    own = ends[-1] - (0 if rules.blank is None else rules.blank.copies)
    number, moves = np.zeros(_WALKS, np.uint64), np.zeros(_WALKS, np.int64)
    bits, dear = np.array(DEARER)[list(turns or [0] * len(origin))], np.zeros(_WALKS, np.int64)
    for _ in range(_MOVES):
        numbers_of(placed.astype(np.uint64), shape, number)
        found = entries[number].astype(np.int64)
        if turns is not None:
            found = (found & MOVES) + (found & dear != 0)
        if (found > moves).any():
            return True
        # Where nothing needs a gap each operator may have led anywhere.
        gaps = 1 if rules.blank is None else rules.blank.copies
        at = placed[np.arange(_WALKS), -1 - random.integers(gaps, size=_WALKS)]
        is_stuck = choices[at] == 0
        chosen = before[at, random.integers(np.maximum(choices[at], 1))]
        came = origin[chosen[:, None], placed]
        counted = (came != placed)[:, :own].any(axis=1) if are_added else True
        placed = np.where(is_stuck[:, None], placed, came)
        moves += ~is_stuck & counted
        dear = np.where(is_stuck, dear, bits[chosen])
    return False


def _strides(cells: int, tiles: int) -> NDArray[Any]:
    return cells ** np.arange(tiles - 1, -1, -1, dtype=np.int64)
