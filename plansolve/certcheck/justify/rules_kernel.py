"""Clauses about places and moves, decided by following one content and the blank through time.

A state is x * width + b: the content that is followed stands in cell x, the blank in b; where no
operator needs the blank somewhere, width is 1 and b is 0. All other contents are ignored, so what
cannot happen to the two cannot happen on the board. A clause is true of every plan if no course of
states from the start to the goal agrees with the negation of its literals, the *facts*.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from plansolve.certcheck.justify.legend import AT, MOVE, STEP, WASTE
from plansolve.storage.jit import Array, kernel

__all__ = ["MOST_FACTS", "Course", "reach_backward", "reach_forward", "true_of_every_plan"]

MOST_FACTS = 256
"""Clauses of more literals are not looked at."""

Number: TypeAlias = Any
_FEW = 2


class Course(NamedTuple):
    """The rules as arrays.

    The contents of the board are `some` and all larger ones. `after[o, cell]` (int32) is where
    operator o takes a cell's content; the operators that apply while the blank is in b are
    `choices[first[b]]` to `choices[first[b + 1] - 1]` (int32).
    `alive[k, t, state]` (bool): state of content k after t moves, on some way from the start to
    the goal. `waste[o, k]` (int32) is the waste of operator o where it moves tile k, -1 for any;
    `moved[o]` (int32) the cell whose tile it moves, -1 where that is not one. No move of a plan
    wastes more than `most`.
    """

    width: int
    some: int
    after: Array
    first: Array
    choices: Array
    alive: Array
    waste: Array
    moved: Array
    most: int

    def possible(self) -> Array:
        """[k, t, cell] (bool): whether content k may be in the cell after t moves."""
        contents, times, _ = self.alive.shape
        found: Array = self.alive.reshape(contents, times, self.after.shape[1], -1).any(axis=3)
        return found


@kernel
def reach_forward(course: Course, reached: Array) -> None:
    """Completes `reached[k, t, state]` from t = 0."""
    for k in range(reached.shape[0]):
        for t in range(reached.shape[1] - 1):
            for state in range(reached.shape[2]):
                if not reached[k, t, state]:
                    continue
                b = state % course.width
                for i in range(course.first[b], course.first[b + 1]):
                    after = _after(course, k, state, np.int64(course.choices[i]))
                    if after >= 0:
                        reached[k, t + 1, after] = True


@kernel
def reach_backward(course: Course, reached: Array) -> None:
    """Completes `reached[k, t, state]` from the last t."""
    for k in range(reached.shape[0]):
        for t in range(reached.shape[1] - 2, -1, -1):
            for state in range(reached.shape[2]):
                b = state % course.width
                for i in range(course.first[b], course.first[b + 1]):
                    after = _after(course, k, state, np.int64(course.choices[i]))
                    if after >= 0 and reached[k, t + 1, after]:
                        reached[k, t, state] = True
                        break


@kernel
def _after(course: Course, k: Number, state: Number, o: Number) -> Any:
    """The state after operator o, -1 if no plan has the waste that it means."""
    x, b = state // course.width, state % course.width
    if course.moved[o] == x and course.waste[o, k] > course.most:
        return np.int64(-1)
    there = np.int64(course.after[o, b]) if course.width > 1 else np.int64(0)
    return np.int64(course.after[o, x]) * course.width + there


@kernel
def true_of_every_plan(
    literals: Array,
    ends: Array,
    wanted: Array,
    kind: Array,
    row: Array,
    course: Course,
    unit: Number,
    found: Array,
) -> None:
    """Sets `found[i]` for those of the clauses in `wanted` (int64) that hold for all plans."""
    facts = np.zeros((MOST_FACTS + 2, 5), np.int64)
    states = course.alive.shape[2]
    frontier = np.zeros((2, states), np.int32)
    seen = np.zeros(states, np.int64)
    stamp = np.zeros(1, np.int64)
    for place in range(wanted.size):
        number = wanted[place]
        begin = np.int64(0) if number == 0 else np.int64(ends[number - 1])
        length = np.int64(ends[number]) - begin
        if length > MOST_FACTS:
            continue
        count = np.int64(0)
        for i in range(length):
            literal = literals[begin + i]
            variable = abs(literal)
            # What other facts there are can be left out: then less is impossible.
            if kind[variable] not in (AT, MOVE, STEP, WASTE):
                continue
            facts[count, 0] = kind[variable]
            facts[count, 1] = row[variable, 0]
            facts[count, 2] = row[variable, 1]
            facts[count, 3] = row[variable, 2]
            # A fact is the negation of a literal.
            facts[count, 4] = literal < 0
            count += 1
        found[number] = _are_impossible(facts, count, course, unit, frontier, seen, stamp)


@kernel
def _are_impossible(
    facts: Array,
    count: Number,
    course: Course,
    unit: Number,
    frontier: Array,
    seen: Array,
    stamp: Array,
) -> Any:
    """Whether no course of states agrees with the facts, whichever content is followed."""
    contents = course.alive.shape[0]
    has_tile = False
    for i in range(count):
        if facts[i, 0] == AT and facts[i, 4] and (facts[i, 3] or course.width == 1):
            has_tile = True
            if _follow(facts[i, 3], facts, count, course, unit, frontier, seen, stamp):
                return True
    if has_tile:
        return False
    has_place, has_denial = False, False
    for i in range(count):
        has_place |= facts[i, 0] == AT
        has_denial |= facts[i, 4] == 0
    if count <= _FEW or (has_denial and not has_place):
        # What is said of moves, or of the blank, may concern contents in known cells.
        for k in range(course.some, contents):
            if _follow(k, facts, count, course, unit, frontier, seen, stamp):
                return True
    wastes = False
    denied = -1
    for i in range(count):
        if facts[i, 0] == AT and not facts[i, 4]:
            # One content after another: most clauses of this kind name one alone.
            if denied != facts[i, 3] and _follow(
                facts[i, 3], facts, count, course, unit, frontier, seen, stamp
            ):
                return True
            denied = facts[i, 3]
        wastes |= facts[i, 0] == WASTE
    if not wastes and denied < 0:
        return _follow(course.some, facts, count, course, unit, frontier, seen, stamp)
    if wastes:
        return _is_no_tile_moved(facts, count, course, unit, frontier, seen, stamp)
    if count > contents + _FEW:
        return False
    # A cell holds one of the contents: all that are not denied have to be impossible there.
    for i in range(count):
        if facts[i, 0] == AT and not facts[i, 4]:
            t, cell = facts[i, 1], facts[i, 2]
            possible = False
            for k in range(contents):
                is_denied = False
                for j in range(count):
                    if (
                        facts[j, 0] == AT
                        and not facts[j, 4]
                        and facts[j, 1] == t
                        and facts[j, 2] == cell
                        and facts[j, 3] == k
                    ):
                        is_denied = True
                if is_denied:
                    continue
                _state(facts, count, t, cell, k)
                if not _follow(k, facts, count + 1, course, unit, frontier, seen, stamp):
                    possible = True
                    break
            if not possible:
                return True
    return False


@kernel
def _is_no_tile_moved(
    facts: Array,
    count: Number,
    course: Course,
    unit: Number,
    frontier: Array,
    seen: Array,
    stamp: Array,
) -> Any:
    """Whether the facts agree with no tile that moves at the time of a waste."""
    t = np.int64(-1)
    for i in range(count):
        if facts[i, 0] == WASTE:
            t = facts[i, 1]
    if course.width == 1 or course.moved.min() < 0:
        # Only where each move exchanges the blank with a tile does one move in each move.
        return False
    contents = course.alive.shape[0]
    for cell in range(course.width):
        _state(facts, count, t + 1, cell, 0)
        if _follow(0, facts, count + 1, course, unit, frontier, seen, stamp):
            continue
        for k in range(1, contents):
            _state(facts, count + 1, t, cell, k)
            if not _follow(k, facts, count + 2, course, unit, frontier, seen, stamp):
                return False
    return True


@kernel
def _state(facts: Array, place: Number, t: Number, cell: Number, content: Number) -> None:
    """Adds the fact that a content is in a cell."""
    facts[place, 0] = AT
    facts[place, 1] = t
    facts[place, 2] = cell
    facts[place, 3] = content
    facts[place, 4] = 1


@kernel
def _follow(
    k: Number,
    facts: Array,
    count: Number,
    course: Course,
    unit: Number,
    frontier: Array,
    seen: Array,
    stamp: Array,
) -> Any:
    """Whether no course of states of content k agrees with the facts."""
    width = course.width
    horizon = np.int64(course.alive.shape[1] - 1)
    begin, end = horizon, np.int64(0)
    for i in range(count):
        begin = min(begin, facts[i, 1])
        end = max(end, facts[i, 1] + np.int64(facts[i, 0] != AT))
    begin = min(begin, end)
    size = np.int64(0)
    for state in range(course.alive.shape[2]):
        if course.alive[k, begin, state] and _agrees(
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
            for j in range(course.first[b], course.first[b + 1]):
                o = np.int64(course.choices[j])
                after = _after(course, k, here, o)
                if (
                    after < 0
                    or not course.alive[k, t + 1, after]
                    or seen[after] == stamp[0]
                    or not _may_be(o, k, x, t, facts, count, course, unit)
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
    """Whether a state of content k after t moves agrees with the facts about places."""
    for i in range(count):
        if facts[i, 0] != AT or facts[i, 1] != t:
            continue
        cell, content = facts[i, 2], facts[i, 3]
        if content == k:
            if (x == cell) != (facts[i, 4] != 0):
                return False
        elif facts[i, 4] and x == cell:
            return False
        if width > 1:
            if content == 0:
                if (b == cell) != (facts[i, 4] != 0):
                    return False
            elif facts[i, 4] and b == cell:
                return False
    return True


@kernel
def _may_be(
    o: Number,
    k: Number,
    x: Number,
    t: Number,
    facts: Array,
    count: Number,
    course: Course,
    unit: Number,
) -> Any:
    """Whether operator o as move t agrees with the facts about moves."""
    for i in range(count):
        if facts[i, 0] == AT or facts[i, 1] != t:
            continue
        holds = facts[i, 4] != 0
        if facts[i, 0] == MOVE and (o == facts[i, 2]) != holds:
            return False
        if facts[i, 0] == STEP and (course.after[o, facts[i, 2]] == facts[i, 3]) != holds:
            return False
        if facts[i, 0] != WASTE or course.moved[o] != x or course.waste[o, k] < 0:
            continue
        if (course.waste[o, k] >= facts[i, 2] * unit) != holds:
            return False
    return True
