"""Clauses about places and moves, decided by following one piece and the blank through time.

A state is x * width + b: the piece that is followed stands in cell x, the blank in b; where no
operator needs the blank somewhere, width is 1 and b is 0. All other pieces are ignored, so what
cannot happen to the two cannot happen on the board. A clause is true of every plan if no way
through the states from the start to the goal agrees with the negation of its literals, the *facts*.

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

from plansolve.certcheck.justify.legend import AT, MOVE, STEP, WASTE
from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "MOST_FACTS", "ClauseWork", "MeantClauses", "Reachability", "reach_backward", "reach_forward",
    "true_of_every_plan",
]  # fmt: skip

MOST_FACTS = 256
"""Clauses of more literals are not looked at."""

Number: TypeAlias = Any
_FEW = 2

_KIND, _TIME, _CELL, _CONTENT, _HOLDS, _BINDS, _COLUMNS = range(7)
"""The columns of a fact: its kind, the legend's three numbers (those of an `AT` have the names of
the columns, a `MOVE`, `STEP` or `WASTE` has others), whether it is so or is not so, and whether a
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

    The smallest content of the board is `some`, and of content k it has `copies[k]` pieces.
    `after[o, cell]` is where operator o
    takes a cell's content; the operators that apply while the blank is in b are
    `choices[first[b]]` to `choices[first[b + 1] - 1]`. Where there are several gaps, operator o
    needs one in the cell `need[o]`, else, and where it needs none, that is -1.
    `alive[k, t, state]`: whether content k can be in that state after t moves, on some way from
    the start to the goal. `waste[o, k]` is the waste of operator o where it moves tile k, -1 for
    any; `moved[o]` the cell whose tile it moves, -1 where that is not one. No move of a plan
    wastes more than `most`.
    """

    width: int
    some: int
    copies: NDArray[np.int32]
    after: NDArray[np.int32]
    first: NDArray[np.int32]
    choices: NDArray[np.int32]
    need: NDArray[np.int32]
    alive: NDArray[np.bool_]
    waste: NDArray[np.int32]
    moved: NDArray[np.int32]
    most: int

    def possible(self) -> Array:
        """[k, t, cell] (bool): whether content k may be in the cell after t moves."""
        contents, times, _ = self.alive.shape
        found: Array = self.alive.reshape(contents, times, self.after.shape[1], -1).any(axis=3)
        return found


@typed
class ClauseWork(NamedTuple):
    """What one clause after another is worked on with.

    `facts`, a row each; `frontier`, two rows of states; `seen[state]`, the stamp of the last step
    that met the state, and that `stamp`, one of them; `unit`, that of `Legend`.
    """

    facts: NDArray[np.int64]
    frontier: NDArray[np.int32]
    seen: NDArray[np.int64]
    stamp: NDArray[np.int64]
    unit: int

    @classmethod
    def of(cls, rules: Reachability, unit: int) -> "ClauseWork":
        """Make one. Kernels that allocate arrays take a second longer to compile."""
        states = rules.alive.shape[2]
        return cls(
            np.zeros((MOST_FACTS + 2, _COLUMNS), np.int64),
            np.zeros((2, states), np.int32),
            np.zeros(states, np.int64),
            np.zeros(1, np.int64),
            unit,
        )


@kernel
def reach_forward(rules: Reachability, reached: Array) -> None:
    """Complete `reached[k, t, state]` from t = 0."""
    for k in range(reached.shape[0]):
        for t in range(reached.shape[1] - 1):
            for state in range(reached.shape[2]):
                if not reached[k, t, state]:
                    continue
                b = state % rules.width
                for i in range(rules.first[b], rules.first[b + 1]):
                    after = _after(rules, k, state, np.int64(rules.choices[i]))
                    if after >= 0:
                        reached[k, t + 1, after] = True


@kernel
def reach_backward(rules: Reachability, reached: Array) -> None:
    """Complete `reached[k, t, state]` from the last t."""
    for k in range(reached.shape[0]):
        for t in range(reached.shape[1] - 2, -1, -1):
            for state in range(reached.shape[2]):
                b = state % rules.width
                for i in range(rules.first[b], rules.first[b + 1]):
                    after = _after(rules, k, state, np.int64(rules.choices[i]))
                    if after >= 0 and reached[k, t + 1, after]:
                        reached[k, t, state] = True
                        break


@kernel
def _after(rules: Reachability, k: Number, state: Number, o: Number) -> Any:
    """Return the state after operator o, -1 if no plan has the waste that it means.

    Also where it needs one of several gaps in the cell of the piece that is followed.
    """
    x, b = state // rules.width, state % rules.width
    if rules.moved[o] == x and rules.waste[o, k] > rules.most:
        return np.int64(-1)
    if rules.need[o] == x and k != 0:
        return np.int64(-1)
    there = np.int64(rules.after[o, b]) if rules.width > 1 else np.int64(0)
    return np.int64(rules.after[o, x]) * rules.width + there


@kernel
def true_of_every_plan(
    clauses: MeantClauses, wanted: Array, rules: Reachability, work: ClauseWork, found: Array
) -> None:
    """Set `found[i]` for those of the clauses in `wanted` (int64) that hold for all plans."""
    kind, row, facts = clauses.kind, clauses.row, work.facts
    for place in range(wanted.size):
        number = wanted[place]
        begin = np.int64(0) if number == 0 else np.int64(clauses.ends[number - 1])
        length = np.int64(clauses.ends[number]) - begin
        if length > MOST_FACTS:
            continue
        count = np.int64(0)
        for i in range(length):
            literal = clauses.literals[begin + i]
            variable = abs(literal)
            # What other facts there are can be left out: then less is impossible.
            if kind[variable] not in (AT, MOVE, STEP, WASTE):
                continue
            facts[count, _KIND] = kind[variable]
            facts[count, _TIME] = row[variable, 0]
            facts[count, _CELL] = row[variable, 1]
            facts[count, _CONTENT] = row[variable, 2]
            # A fact is the negation of a literal.
            facts[count, _HOLDS] = literal < 0
            facts[count, _BINDS] = kind[variable] == AT and rules.copies[row[variable, 2]] == 1
            count += 1
        found[number] = _are_impossible(count, rules, work)


@kernel
def _are_impossible(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Whether no plan agrees with the facts, as following one content after another shows."""
    facts = work.facts
    # One pass: most clauses place a content, and need no other look at the facts.
    is_content_placed = False
    for i in range(count):
        if _places_followed(facts, i, rules.width):
            is_content_placed = True
            if _piece_there_has_no_way(i, count, rules, work):
                return True
    if is_content_placed:
        return False
    # What is said of moves, or of the blank, may concern contents in known cells.
    of_moves = _is_something_denied(facts, count) and not _is_of_kind(facts, count, AT)
    if (count <= _FEW or of_moves) and _some_content_has_no_way(count, rules, work):
        return True
    if _denied_content_has_no_way(count, rules, work):
        return True
    if _is_of_kind(facts, count, WASTE):
        return _no_tile_can_move(count, rules, work)
    if not _is_place_denied(facts, count):
        if _has_no_way(rules.some, count, rules, work):
            return True
        return _no_piece_can_step(count, rules, work)
    # As many steps as there are cells may lead away from one.
    most = max(rules.alive.shape[0], rules.after.shape[1]) + _FEW
    return count <= most and _some_cell_stays_empty(count, rules, work)


@kernel
def _places(facts: Array, i: Number) -> Any:
    """Whether fact i says that a content is in a cell."""
    return facts[i, _KIND] == AT and facts[i, _HOLDS] != 0


@kernel
def _denies(facts: Array, i: Number) -> Any:
    """Whether fact i says that a content is not in a cell."""
    return facts[i, _KIND] == AT and facts[i, _HOLDS] == 0


@kernel
def _places_followed(facts: Array, i: Number, width: Number) -> Any:
    """The same as `_places`, but not of a blank that is followed along with every content."""
    return _places(facts, i) and (facts[i, _CONTENT] != 0 or width == 1)


@kernel
def _is_something_denied(facts: Array, count: Number) -> Any:
    for i in range(count):
        if facts[i, _HOLDS] == 0:
            return True
    return False


@kernel
def _is_place_denied(facts: Array, count: Number) -> Any:
    for i in range(count):
        if _denies(facts, i):
            return True
    return False


@kernel
def _is_of_kind(facts: Array, count: Number, kind: Number) -> Any:
    """Whether one of the facts is of this kind."""
    for i in range(count):
        if facts[i, _KIND] == kind:
            return True
    return False


@kernel
def _some_content_has_no_way(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    for k in range(rules.some, rules.alive.shape[0]):
        # A content that the board does not have shows nothing.
        if rules.copies[k] > 0 and _has_no_way(k, count, rules, work):
            return True
    return False


@kernel
def _denied_content_has_no_way(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    last = np.int64(-1)
    for i in range(count):
        if not _denies(work.facts, i):
            continue
        # One content after another: most clauses of this kind name one alone.
        content = work.facts[i, _CONTENT]
        is_new = content != last and rules.copies[content] > 0
        if is_new and _has_no_way(content, count, rules, work):
            return True
        last = content
    return False


@kernel
def _some_cell_stays_empty(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Whether, in a cell of which contents are denied, each other content is impossible too."""
    for i in range(count):
        if _denies(work.facts, i):
            t, cell = work.facts[i, _TIME], work.facts[i, _CELL]
            if not _can_be_filled(t, cell, count, rules, work):
                return True
    return False


@kernel
def _no_piece_can_step(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Whether no content can be in a cell of which a step is said to lead away, or not to."""
    facts = work.facts
    for i in range(count):
        if facts[i, _KIND] == STEP and not _can_be_filled(
            facts[i, _TIME], facts[i, _CELL], count, rules, work
        ):
            return True
    return False


@kernel
def _can_be_filled(
    t: Number, cell: Number, count: Number, rules: Reachability, work: ClauseWork
) -> Any:
    """Whether a content that is not denied there can be in the cell after t moves."""
    for k in range(rules.alive.shape[0]):
        if _is_denied(work.facts, count, t, cell, k):
            continue
        _state(work.facts, count, t, cell, k)
        if not _has_no_way(k, count + 1, rules, work):
            return True
    return False


@kernel
def _is_denied(facts: Array, count: Number, t: Number, cell: Number, content: Number) -> Any:
    """Whether the facts say that the content is not in the cell after t moves."""
    for i in range(count):
        if (
            _denies(facts, i)
            and facts[i, _TIME] == t
            and facts[i, _CELL] == cell
            and facts[i, _CONTENT] == content
        ):
            return True
    return False


@kernel
def _no_tile_can_move(count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Whether the facts agree with no tile that moves at the time of a waste."""
    facts = work.facts
    t = np.int64(-1)
    for i in range(count):
        if facts[i, _KIND] == WASTE:
            t = facts[i, _TIME]
    # Only where each move exchanges the blank with a tile does one move in each move.
    if rules.width == 1:
        return False
    for o in range(rules.moved.size):
        if rules.moved[o] < 0:
            return False
    # A literal 0 would be a type of its own, for which what is called is compiled once more.
    blank = np.int64(0)
    for cell in range(rules.width):
        _state(facts, count, t + 1, cell, blank)
        if _has_no_way(blank, count + 1, rules, work):
            continue
        for k in range(1, rules.alive.shape[0]):
            _state(facts, count + 1, t, cell, k)
            if not _has_no_way(k, count + 2, rules, work):
                return False
    return True


@kernel
def _state(facts: Array, i: Number, t: Number, cell: Number, content: Number) -> None:
    """Make fact i say that a content is in a cell after t moves."""
    facts[i, _KIND] = AT
    facts[i, _TIME] = t
    facts[i, _CELL] = cell
    facts[i, _CONTENT] = content
    facts[i, _HOLDS] = 1
    facts[i, _BINDS] = 1


@kernel
def _piece_there_has_no_way(i: Number, count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Whether no way of the very piece that fact i places agrees with the facts."""
    facts = work.facts
    binds = facts[i, _BINDS]
    facts[i, _BINDS] = 1
    has_none = _has_no_way(facts[i, _CONTENT], count, rules, work)
    facts[i, _BINDS] = binds
    return has_none


@kernel
def _has_no_way(k: Number, count: Number, rules: Reachability, work: ClauseWork) -> Any:
    """Whether no way of content k through the states agrees with the facts."""
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
            here = np.int64(frontier[side, i])
            x, b = here // width, here % width
            for j in range(rules.first[b], rules.first[b + 1]):
                o = np.int64(rules.choices[j])
                after = _after(rules, k, here, o)
                if (
                    after < 0
                    or not rules.alive[k, t + 1, after]
                    or seen[after] == stamp[0]
                    or not _may_be(o, k, x, t, count, rules, work)
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
    """Whether a piece of kind k in cell x and the blank in b after t moves agree with the facts."""
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
def _may_be(
    o: Number,
    k: Number,
    x: Number,
    t: Number,
    count: Number,
    rules: Reachability,
    work: ClauseWork,
) -> Any:
    """Whether operator o as move t agrees with the facts, content k being in x.

    Of the places only that is looked at in which it needs one of several gaps.
    """
    facts, need = work.facts, np.int64(rules.need[o])
    if need >= 0 and not rules.alive[0, t, need]:
        return False
    for i in range(count):
        if facts[i, _TIME] != t:
            continue
        kind, first, second = facts[i, _KIND], facts[i, _CELL], facts[i, _CONTENT]
        holds = facts[i, _HOLDS] != 0
        if kind == AT:
            if first == need and (second == 0) != holds:
                return False
            continue
        if kind == MOVE and (o == first) != holds:
            return False
        if kind == STEP and (rules.after[o, first] == second) != holds:
            return False
        if kind != WASTE or rules.moved[o] != x or rules.waste[o, k] < 0:
            continue
        if (rules.waste[o, k] >= first * work.unit) != holds:
            return False
    return True
