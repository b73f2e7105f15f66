"""The automaton that reads clauses from text, character by character."""

import numpy as np

from plansolve.storage.jit import Array, kernel

_NEWLINE = 10

BETWEEN, COMMENT, _IN_CLAUSE, _SIGN, _NUMBER = range(5)
"""Where a character stands: between clauses, in a comment, in a clause between numbers, after a
minus sign, in a number."""

FINE, _BAD_CHARACTER, BAD_NUMBER, TOO_LARGE = range(4)
"""What is said of a piece of text."""

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
