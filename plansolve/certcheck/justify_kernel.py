"""Clauses about places and moves, decided by following one piece and the blank through time.

A state is x * width + b: the piece that is followed stands in cell x, the blank in b; where no
operator needs the blank somewhere, width is 1 and b is 0. All other pieces are ignored, so what
cannot happen to the two cannot happen on the board. A clause is true of every plan if no way
through the states from the start to the goal agrees with the negation of its literals, the *facts*:
no way of a piece that the facts place, none of any piece of some kind, or none of any content of a
cell of which they deny a content or name a step.

Of several gaps none is followed along with a piece: any of them may be where an operator needs one.
So the piece must not be there itself, unless it is a gap, the facts must not say that anything else
is, and one of the gaps must be able to be there at that time.

A content is a kind of pieces. That one of the kind is in a cell *binds* the piece that is followed
if it is the only one of its kind, or is followed because it is the one in that cell; of a kind of
several, another may be meant. That none of the kind is in a cell holds for each of them.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

Number: TypeAlias = Any

AT, MOVE, STEP, NEVER = range(1, 5)
"""The kinds of meanings that a variable may have, see `refutation`."""

_MOST_FACTS = 256
"""Clauses of more literals are not accepted."""

_KIND, _TIME, _CELL, _CONTENT, _HOLDS, _BINDS, _COLUMNS = range(7)
"""The columns of a fact: its kind, the legend's three numbers (those of an `AT` have the names of
the columns, a `MOVE` or `STEP` has others), whether it is so or is not so, and whether a
place binds the piece that is followed; and how many columns there are."""


@typed
class MeantClauses(NamedTuple):
    """Clauses, and what their variables mean.

    Clause i is `literals[ends[i - 1]:ends[i]]`. Variable v is of `kind[v]` with the three numbers
    `row[v]`, see `Legend`.
    """

    literals: NDArray[np.int32]
    ends: NDArray[np.int64]
    kind: NDArray[np.int8]
    row: NDArray[np.int32]


@typed
class Reachability(NamedTuple):
    """The rules as arrays, and where contents can be on the way from the start to the goal.

    Of content k the board has `copies[k]` pieces. `after[o, cell]` is where operator o takes a
    cell's content; the operators that apply while the blank is in b are `choices[first[b]]` to
    `choices[first[b + 1] - 1]`. Where there are several gaps, operator o needs one in the cell
    `need[o]`, else, and where it needs none, that is -1. `alive[k, t, state]`: whether content k
    can be in that state after t moves, on some way from the start to the goal.
    """

    width: int
    copies: NDArray[np.int32]
    after: NDArray[np.int32]
    first: NDArray[np.int32]
    choices: NDArray[np.int32]
    need: NDArray[np.int32]
    alive: NDArray[np.bool_]

    def possible(self) -> Array:
        """Return [k, t, cell] (bool): True if content k may be in the cell after t moves."""
        contents, times, _ = self.alive.shape
        found: Array = self.alive.reshape(contents, times, self.after.shape[1], -1).any(axis=3)
        return found


@typed
class ClauseWork(NamedTuple):
    """Scratch space for one clause after another, until `stop` is set, see `threads`.

    `facts`, a row each; `frontier`, two rows of states; `seen[state]`, the stamp of the last step
    that met the state, and that `stamp`, one of them.
    """

    facts: NDArray[np.int64]
    frontier: NDArray[np.int32]
    seen: NDArray[np.int64]
    stamp: NDArray[np.int64]
    stop: NDArray[np.uint8]

    @classmethod
    def of(cls, rules: Reachability, stop: Array) -> "ClauseWork":
        """Make one. Kernels that allocate arrays take a second longer to compile."""
        states = rules.alive.shape[2]
        return cls(
            np.zeros((_MOST_FACTS + 1, _COLUMNS), np.int64),
            np.zeros((2, states), np.int32),
            np.zeros(states, np.int64),
            np.zeros(1, np.int64),
            stop,
        )


@kernel
def true_of_every_plan(
    clauses: MeantClauses, wanted: Array, rules: Reachability, work: ClauseWork, found: Array
) -> None:
    """Set `found[i]` for those of the clauses in `wanted` (int64) that hold for all plans."""
    kind, row, facts = clauses.kind, clauses.row, work.facts
    for place in range(wanted.size):
        if work.stop[0]:
            return
        number = wanted[place]
        begin = np.int64(0) if number == 0 else np.int64(clauses.ends[number - 1])
        length = np.int64(clauses.ends[number]) - begin
        if length > _MOST_FACTS:
            continue
        count = np.int64(0)
        for i in range(length):
            literal = clauses.literals[begin + i]
            variable = abs(literal)
            if kind[variable] == NEVER and literal < 0:
                found[number] = True
            # A variable without a meaning says nothing, and one that is false no more.
            if kind[variable] not in (AT, MOVE, STEP):
                continue
            facts[count, _KIND] = kind[variable]
            facts[count, _TIME] = row[variable, 0]
            facts[count, _CELL] = row[variable, 1]
            facts[count, _CONTENT] = row[variable, 2]
            # A fact is the negation of a literal.
            facts[count, _HOLDS] = literal < 0
            facts[count, _BINDS] = kind[variable] == AT and rules.copies[row[variable, 2]] == 1
            count += 1
        found[number] = found[number] or _are_impossible(count, rules, work)


@kernel
def _are_impossible(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Return True if following one content after another shows that no plan fits the facts."""
    facts = work.facts
    # What settles most clauses comes first: the pieces that are placed, then those that are denied.
    for i in range(count):
        # A blank that is followed along with every content settles little by itself.
        is_followed = facts[i, _CONTENT] != 0 or rules.width == 1
        if facts[i, _KIND] == AT and facts[i, _HOLDS] != 0 and is_followed:
            binds = facts[i, _BINDS]
            facts[i, _BINDS] = 1
            has_none = _has_no_way(facts[i, _CONTENT], count, rules, work)
            facts[i, _BINDS] = binds
            if has_none:
                return True
    last = np.int64(-1)
    for i in range(count):
        content = facts[i, _CONTENT]
        if facts[i, _KIND] == AT and facts[i, _HOLDS] == 0 and content != last:
            if rules.copies[content] > 0 and _has_no_way(content, count, rules, work):
                return True
            last = content
    for i in range(count):
        names_cell = facts[i, _KIND] == STEP or (facts[i, _KIND] == AT and facts[i, _HOLDS] == 0)
        if names_cell and not _can_be_filled(i, count, rules, work):
            return True
    for k in range(rules.copies.size):
        # A content that the board does not have shows nothing.
        if rules.copies[k] > 0 and _has_no_way(k, count, rules, work):
            return True
    return False


@kernel
def _can_be_filled(i: Number, count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Return True if some content can be in the cell that fact i names, at that time."""
    facts = work.facts
    facts[count, _KIND] = AT
    facts[count, _TIME] = facts[i, _TIME]
    facts[count, _CELL] = facts[i, _CELL]
    facts[count, _HOLDS] = 1
    facts[count, _BINDS] = 1
    for k in range(rules.copies.size):
        facts[count, _CONTENT] = k
        if not _has_no_way(k, count + 1, rules, work):
            return True
    return False


@kernel
def _after(rules: Reachability, k: Number, state: Number, o: Number) -> Any:
    """Return the state after operator o, -1 if that needs a gap where the piece k is."""
    x, b = state // rules.width, state % rules.width
    if rules.need[o] == x and k != 0:
        return np.int64(-1)
    there = np.int64(rules.after[o, b]) if rules.width > 1 else np.int64(0)
    return np.int64(rules.after[o, x]) * rules.width + there


@kernel
def _has_no_way(k: Number, count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Return True if no way of content k through the states agrees with the facts."""
    if work.stop[0]:
        return False
    width, facts, frontier = rules.width, work.facts, work.frontier
    seen, stamp = work.seen, work.stamp
    begin, end = np.int64(rules.alive.shape[1] - 1), np.int64(0)
    for i in range(count):
        begin = min(begin, facts[i, _TIME])
        end = max(end, facts[i, _TIME] + np.int64(facts[i, _KIND] != AT))
    begin = min(begin, end)
    size = np.int64(0)
    for state in range(rules.alive.shape[2]):
        if rules.alive[k, begin, state] and _agrees(
            k, state // width, state % width, begin, facts, count, width
        ):
            frontier[0, size] = state
            size += 1
    side = np.int64(0)
    for t in range(begin, end):
        stamp[0] += 1
        grown = np.int64(0)
        for i in range(size):
            if work.stop[0]:
                return False
            here = np.int64(frontier[side, i])
            b = here % width
            for j in range(rules.first[b], rules.first[b + 1]):
                o = np.int64(rules.choices[j])
                after = _after(rules, k, here, o)
                if (
                    after < 0
                    or not rules.alive[k, t + 1, after]
                    or seen[after] == stamp[0]
                    or not _may_be(o, t, facts, count, rules)
                    or not _agrees(k, after // width, after % width, t + 1, facts, count, width)
                ):
                    continue
                seen[after] = stamp[0]
                frontier[1 - side, grown] = after
                grown += 1
        side = 1 - side
        size = grown
    return size == 0


@kernel
def _agrees(
    k: Number, x: Number, b: Number, t: Number, facts: Array, count: Number, width: Number
) -> Any:
    """Return True if the facts allow a piece of kind k in x, and the blank in b, after t moves."""
    for i in range(count):
        if facts[i, _KIND] != AT or facts[i, _TIME] != t:
            continue
        cell, content, holds = facts[i, _CELL], facts[i, _CONTENT], facts[i, _HOLDS] != 0
        if content == k:
            if x == cell:
                if not holds:
                    return False
            elif holds and facts[i, _BINDS] != 0:
                return False
        elif holds and x == cell:
            return False
        if width > 1:
            if content == 0:
                if (b == cell) != holds:
                    return False
            elif holds and b == cell:
                return False
    return True


@kernel
def _may_be(o: Number, t: Number, facts: Array, count: Number, rules: Reachability) -> Any:
    """Return True if operator o as move t agrees with the facts.

    Of the places only that counts in which it needs one of several gaps.
    """
    need = np.int64(rules.need[o])
    if need >= 0 and not rules.alive[0, t, need]:
        return False
    for i in range(count):
        if facts[i, _TIME] != t:
            continue
        kind, first, second = facts[i, _KIND], facts[i, _CELL], facts[i, _CONTENT]
        holds = facts[i, _HOLDS] != 0
        if kind == AT and first == need and (second == 0) != holds:
            return False
        if kind == MOVE and (o == first) != holds:
            return False
        if kind == STEP and (rules.after[o, first] == second) != holds:
            return False
    return True
