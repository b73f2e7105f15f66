"""The automaton that reads clauses from text, character by character."""

import numpy as np

from plansolve.storage.jit import Array, kernel

__all__ = [
    "AT",
    "BAD_DELETION",
    "BAD_NUMBER",
    "BEGAN",
    "BETWEEN",
    "COMMENT",
    "FINE",
    "LINE",
    "LITERALS",
    "NUMBERS",
    "PLACE",
    "STEPS",
    "TOO_LARGE",
    "parse",
]

_NEWLINE = 10

BETWEEN, COMMENT, _LETTER, _IN_CLAUSE, _SIGN, _NUMBER = range(6)
"""Where a character stands: between clauses, in a comment, after the letter d, in a clause between
numbers, after a minus sign, in a number."""

FINE, _BAD_CHARACTER, BAD_NUMBER, TOO_LARGE, BAD_DELETION = range(5)
"""What is said of a piece of text."""

LINE, BEGAN, PLACE, _VALUE, _IS_NEGATIVE, _IS_DELETION, LITERALS, STEPS, AT, NUMBERS = range(10)
"""The places in `state` (int64, so many `NUMBERS`) of what passes from piece to piece: the line,
and the one in which the clause began; where the last character stood; the number so far, whether a
minus sign was before it, and whether a d was before the clause; how many literals and steps there
are; and the place of the last character that was read."""


@kernel
def parse(
    text: Array,
    variables: int,
    deletions: bool,
    state: Array,
    literals: Array,
    ends: Array,
    deletes: Array,
) -> int:
    """Parse a piece of text (uint8), and go on where `state` says that the one before stopped.

    `literals` (int32), `ends` (int64) and `deletes` (bool) are those of a `Proof`. Two characters
    at least make a literal, and two a step but perhaps for the first: this is what the arrays need
    room for. Return `FINE`, or what is wrong with the character at `state[AT]`.
    """
    line, began, place = state[LINE], state[BEGAN], state[PLACE]
    value, is_negative, is_deletion = state[_VALUE], state[_IS_NEGATIVE], state[_IS_DELETION]
    count, steps = state[LITERALS], state[STEPS]
    outcome = FINE
    at = 0
    while at < text.size and outcome == FINE:
        c = text[np.uintp(at)]
        at += 1
        if place == COMMENT:
            if c == _NEWLINE:
                place = BETWEEN
        elif 48 <= c <= 57:
            if place == _LETTER:
                outcome = BAD_DELETION
            elif place != _NUMBER:
                if place == BETWEEN:
                    began = line
                value, place = np.int64(0), np.int64(_NUMBER)
            value = 10 * value + (np.int64(c) - 48)
            if value > variables:
                outcome = TOO_LARGE
        elif c == 32 or c == _NEWLINE or c == 13 or c == 9:
            if place == _SIGN or (place == _NUMBER and value == 0 and is_negative):
                outcome = BAD_NUMBER
            elif place == _LETTER:
                place = _IN_CLAUSE
            elif place == _NUMBER and value == 0:
                ends[np.uintp(steps)] = count
                deletes[np.uintp(steps)] = is_deletion
                steps += 1
                place, is_deletion = BETWEEN, np.int64(0)
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
        elif c == ord("d") and place == BETWEEN and deletions:
            began, place, is_deletion = line, _LETTER, np.int64(1)
        else:
            outcome = _BAD_CHARACTER
        if c == _NEWLINE and outcome == FINE:
            line += 1
    state[LINE], state[BEGAN], state[PLACE] = line, began, place
    state[_VALUE], state[_IS_NEGATIVE], state[_IS_DELETION] = value, is_negative, is_deletion
    state[LITERALS], state[STEPS], state[AT] = count, steps, at - 1
    return outcome
