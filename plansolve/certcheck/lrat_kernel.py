"""The compiled parts: the automaton that reads clauses from text, and the check of hints.

That check is one pass, without a search and without watches.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

Number: TypeAlias = Any

_NEWLINE = 10

BETWEEN, COMMENT, _IN_CLAUSE, _SIGN, _NUMBER = range(5)
"""The places of a character: between clauses, in a comment, in a clause between numbers, after a
minus sign, in a number."""

FINE, _BAD_CHARACTER, BAD_NUMBER, TOO_LARGE = range(4)
"""The verdicts on a piece of text."""

LINE, BEGAN, PLACE, _VALUE, _IS_NEGATIVE, LITERALS, CLAUSES, AT, NUMBERS = range(9)
"""The places in `state` (int64, so many `NUMBERS`) of what passes from piece to piece: the line,
and the one in which the clause began; where the last character stood; the number so far, and
whether a minus sign was before it; how many literals and clauses there are; and the place of the
last character that was read."""


@kernel
def parse(text: Array, variables: int, state: Array, literals: Array, ends: Array) -> int:
    """Parse a piece of text (uint8), and go on where `state` says that the one before stopped.

    `literals` (int32) and `ends` (int64) are those of `Clauses`. Two characters at least make a
    literal, and two a clause but perhaps for the first: this is what the arrays need room for.
    Return `FINE`, or what is wrong with the character at `state[AT]`.
    """
    line, began, place = state[LINE], state[BEGAN], state[PLACE]
    value, is_negative = state[_VALUE], state[_IS_NEGATIVE]
    count, clauses = state[LITERALS], state[CLAUSES]
    outcome = FINE
    at = 0
    while at < text.size and outcome == FINE:
        c = text[np.uintp(at)]
        at += 1
        if place == COMMENT:
            if c == _NEWLINE:
                place = BETWEEN
        elif 48 <= c <= 57:
            if place != _NUMBER:
                if place == BETWEEN:
                    began = line
                value, place = np.int64(0), np.int64(_NUMBER)
            value = 10 * value + (np.int64(c) - 48)
            if value > variables:
                outcome = TOO_LARGE
        elif c == 32 or c == _NEWLINE or c == 13 or c == 9:
            if place == _SIGN or (place == _NUMBER and value == 0 and is_negative):
                outcome = BAD_NUMBER
            elif place == _NUMBER and value == 0:
                ends[np.uintp(clauses)] = count
                clauses += 1
                place = BETWEEN
            elif place == _NUMBER:
                literals[np.uintp(count)] = -value if is_negative else value
                count += 1
                place, is_negative = _IN_CLAUSE, np.int64(0)
        elif c == ord("-"):
            if place == BETWEEN:
                began = line
            if place in (BETWEEN, _IN_CLAUSE):
                place, is_negative = _SIGN, np.int64(1)
            else:
                outcome = BAD_NUMBER
        elif c == ord("c") and place == BETWEEN:
            place = COMMENT
        else:
            outcome = _BAD_CHARACTER
        if c == _NEWLINE and outcome == FINE:
            line += 1
    state[LINE], state[BEGAN], state[PLACE] = line, began, place
    state[_VALUE], state[_IS_NEGATIVE] = value, is_negative
    state[LITERALS], state[CLAUSES], state[AT] = count, clauses, at - 1
    return outcome


RUNNING, REFUTED, FAILED, NO_UNIT, ENDED = range(5)
"""The ends of a call: to be continued; the empty clause; a step that its hints do not justify; a
hint that leaves two literals open; the last step."""

_SLICE = 1 << 22
"""Literals between two looks at the clock: some hundredths of a second."""
_TRUE, _FALSE, _OPEN = 1, -1, 0


@typed
class Followed(NamedTuple):
    """Formula and steps, one after the other, and where the check stands.

    `literals` up to `ends` are those of each clause, `hints` up to `hint_ends` those of each step:
    numbers of clauses, the first of which is 1. `values` (by literal 2 * variable + (1 if
    negative)) is open everywhere between two steps, `trail` has room for a literal of each
    variable. `at` holds the number of the current step, counted from 0; the place of its next hint,
    -1 before it has begun; and how many literals of the trail are true.
    """

    literals: NDArray[np.int32]
    ends: NDArray[np.int64]
    hints: NDArray[np.int32]
    hint_ends: NDArray[np.int64]
    values: NDArray[np.int8]
    trail: NDArray[np.int64]
    at: NDArray[np.int64]


@kernel
def follow(formula: Number, state: Followed) -> int:
    """Check steps until one settles the matter; the formula has so many clauses.

    A step follows if its literals' negations make one hint after the other a unit clause, and the
    last one false. A hint that is true already shows nothing, and does no harm.
    """
    work = 0
    step, place, top = state.at[0], state.at[1], state.at[2]
    while step < state.hint_ends.size:
        number = formula + step
        size = state.ends[number] - (state.ends[number - 1] if number else 0)
        outcome = FAILED
        if place < 0:
            top, is_true = _assume(number, state)
            outcome = RUNNING if is_true else FAILED
            place = state.hint_ends[step - 1] if step else np.int64(0)
            work += size
        while outcome == FAILED and place < state.hint_ends[step]:
            if work > _SLICE:
                state.at[0], state.at[1], state.at[2] = step, place, top
                return RUNNING
            clause = np.int64(state.hints[np.uintp(place)]) - 1
            place += 1
            unit = np.int64(-1)
            is_open, has_true = 0, False
            begin = state.ends[np.uintp(clause - 1)] if clause else np.int64(0)
            end = state.ends[np.uintp(clause)]
            work += 1 + end - begin
            for k in range(begin, end):
                literal = _index(state.literals[np.uintp(k)])
                value = state.values[np.uintp(literal)]
                has_true |= value == _TRUE
                if value == _OPEN and literal != unit:
                    unit = literal
                    is_open += 1
            if has_true:
                continue
            if is_open == 0:
                outcome = RUNNING
            elif is_open == 1:
                top = _assign(unit, top, state)
            else:
                outcome = NO_UNIT
        for k in range(top):
            literal = state.trail[np.uintp(k)]
            state.values[np.uintp(literal)] = _OPEN
            state.values[np.uintp(literal ^ 1)] = _OPEN
        state.at[0] = step
        if outcome != RUNNING:
            return outcome
        if size == 0:
            return REFUTED
        step, place = step + 1, np.int64(-1)
    state.at[0] = step
    return ENDED


@kernel
def _index(literal: Number) -> Number:
    return 2 * np.int64(abs(literal)) + (literal < 0)


@kernel
def _assume(number: Number, state: Followed) -> tuple[int, bool]:
    """Assume that a clause is false; return how many literals that makes true.

    And whether it cannot be false, since it names a literal and its negation.
    """
    top = 0
    begin = state.ends[number - 1] if number else np.int64(0)
    for k in range(begin, state.ends[number]):
        literal = _index(state.literals[np.uintp(k)])
        if state.values[np.uintp(literal)] == _TRUE:
            return top, True
        if state.values[np.uintp(literal)] == _OPEN:
            top = _assign(literal ^ 1, top, state)
    return top, False


@kernel
def _assign(literal: Number, top: Number, state: Followed) -> Number:
    state.values[np.uintp(literal)] = _TRUE
    state.values[np.uintp(literal ^ 1)] = _FALSE
    state.trail[np.uintp(top)] = literal
    return top + 1
