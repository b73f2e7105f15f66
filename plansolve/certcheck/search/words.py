"""The automaton of move sequences that the first of the shortest plans does not contain.

Paths from one beginning are ordered by their length, and then by the numbers of their moves. Take
the first of all shortest plans. No part of it has the effect of an earlier path: replaced by that
path, the plan would be shorter, or come earlier. So a search that prunes all paths with such a part
still finds this plan (Taylor and Korf 1993).

A *word* is a path that is the first with its effect. Parts of words are words, so that all words
are found by extending shorter ones. With several gaps, a word need be the first only among the
paths that need no other gaps, since these can be made wherever it can.

A search for every shortest plan prunes less: there a word is a path without a shorter one of its
effect.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.search.moves import Effect, Path, PlanMoves
from plansolve.certcheck.threads import Unwanted, never, while_wanted
from plansolve.storage.jit import typed

MOST_WORDS = 100_000
"""The most words from which an automaton is made."""


@typed
class Automaton(NamedTuple):
    """The moves that may follow in state s are those of the edges offset[s] .. offset[s + 1] - 1.

    `move[edge]` is the number of a move, `next[edge]` the state after it. State b is that of the
    paths without a move that begin with b, see `moves`.
    """

    offset: NDArray[np.uint32]
    move: NDArray[np.uint32]
    next: NDArray[np.uint32]

    def follow(self, path: Path) -> int | None:
        """Return the state after a path, None for a pruned one."""
        state = path[0]
        for move in path[1:]:
            begin, end = int(self.offset[state]), int(self.offset[state + 1])
            edges = np.flatnonzero(self.move[begin:end] == move)
            if not len(edges):
                return None
            state = int(self.next[begin + int(edges[0])])
        return state


def automaton(
    moves: PlanMoves, length: int, *, every_plan: bool = False, is_unwanted: Unwanted = never
) -> Automaton:
    """Return the automaton of the paths whose parts of up to `length` moves are words.

    `length` is 2 or more. The automaton is cached for the puzzle object. Raise `ValueError` if
    there are too many words, and `TimeoutError` once the work is unwanted.
    """
    what = "every plan" if every_plan else "one plan"
    derived, key = moves.problem.puzzle.derived, f"words of {length} moves for {what}"
    known = derived.get(key)
    if not isinstance(known, Automaton):
        known = derived[key] = _automaton(moves, length, every_plan, is_unwanted)
    return known


def _automaton(moves: PlanMoves, length: int, every_plan: bool, is_unwanted: Unwanted) -> Automaton:
    levels = list(islice(_words(moves, every_plan, is_unwanted), length + 1))
    if len(levels) <= length:
        raise ValueError(f"there are more than {MOST_WORDS} words of up to {length} moves")
    lengthened: dict[Path, list[Path]] = {}
    for level in levels[1:]:
        for longer in level:
            lengthened.setdefault(longer[:-1], []).append(longer)
    # A state is a word that can be extended: only the end of a path decides what may follow.
    number = {word: i for i, word in enumerate(word for level in levels[:-1] for word in level)}
    after: dict[tuple[Path, int], int] = {}
    offset, edges = [0], list[tuple[int, int]]()
    for word in number:
        for longer in lengthened.get(word, ()):
            move = longer[-1]
            # Otherwise the state is its longest part that can be extended, which came as a shorter
            # word.
            state = number[longer] if longer in number else after[moves.tail(word), move]
            after[word, move] = state
            edges.append((move, state))
        offset.append(len(edges))
    columns = np.array(edges, np.uint32).reshape(-1, 2).T.copy()
    return Automaton(np.array(offset, np.uint32), columns[0], columns[1])


def fitting_length(
    moves: PlanMoves, most: int, *, every_plan: bool = False, is_unwanted: Unwanted = never
) -> int:
    """Return the largest length from 2 to `most` for which there are few enough words."""
    return max(2, sum(1 for _ in islice(_words(moves, every_plan, is_unwanted), 1, most + 1)))


def _words(moves: PlanMoves, every_plan: bool, is_unwanted: Unwanted) -> Iterator[list[Path]]:
    """Yield the words of 0, 1, 2, .. moves in order, until there are too many."""
    none_needed: tuple[int, ...] = (0,)
    level: list[tuple[Path, Effect, int]] = [((b,), moves.identity, 0) for b in moves.begins]
    # For each effect, the gaps that its words need.
    known = {(b, moves.identity): none_needed for b in moves.begins}
    most, count = moves.problem.puzzle.gaps, len(level)
    while count <= MOST_WORDS:
        yield [path for path, _, _ in level]
        following: list[tuple[Path, Effect, int]] = []
        # A level is in order, so the first path that is found comes first. If every plan is wanted,
        # paths of one level do not replace each other.
        found = dict[tuple[int, Effect], tuple[int, ...]]() if every_plan else known
        for path, effect, gaps in while_wanted(level, is_unwanted):
            for move in moves.after(path):
                reached = moves.effect(path, effect, move)
                needed, key = gaps, (path[0], reached)
                if moves.has_gaps:
                    needed, earlier = moves.needed(gaps, effect, move), known.get(key, ())
                    if needed.bit_count() > most or any(not o & ~needed for o in earlier):
                        continue
                    found[key] = (*found.get(key, ()), needed)
                elif key in known:
                    continue
                else:
                    found[key] = none_needed
                following.append(((*path, move), reached, needed))
            if count + len(following) > MOST_WORDS:
                return
        count += len(following)
        level = following
        if every_plan:
            known |= {key: (*known.get(key, ()), *needs) for key, needs in found.items()}
