"""What the variables of a formula mean, read from the text beside it.

A line of a legend is a variable's number and its meaning:

    17 at 3 5 0          after 3 moves the blank (content 0, a kind of pieces) is in cell 5
    18 move 3 2          move 3, counted from 0, is operator 2 of the puzzle
    19 step 3 5 6        move 3 takes the content of cell 5 to cell 6
    20 never             nothing: the variable is false
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.text import counted

__all__ = ["AT", "MOVE", "NEVER", "STEP", "Legend", "read_legend"]

AT, MOVE, STEP, NEVER = range(1, 5)

_KINDS = {"at": AT, "move": MOVE, "step": STEP, "never": NEVER}
_LINE = re.compile(rb"([1-9][0-9]{0,8}) ([a-z]+)((?: (?:0|[1-9][0-9]{0,8}))*)\n?")


@dataclass(frozen=True, eq=False)
class Legend:
    """The meaning of variable v: `kind[v]` (int8), and its numbers `row[v]` (int32, three of them).

    Kind 0 means nothing.
    """

    kind: Array
    row: Array


def read_legend(lines: Iterable[bytes], variables: int, problem: Problem, horizon: int) -> Legend:
    """Return the legend of a formula about plans of `horizon` moves; raise `ProofError`."""
    puzzle = problem.puzzle
    cell, last, contents = puzzle.cells - 1, horizon - 1, {*puzzle.kinds}
    largest = {
        AT: (horizon, cell, puzzle.kinds[-1]),
        MOVE: (last, len(puzzle.operators) - 1),
        STEP: (last, cell, cell),
        NEVER: (),
    }
    kind = np.zeros(variables + 1, np.int8)
    row = np.zeros((variables + 1, 3), np.int32)
    for place, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        word = match[2].decode() if match else ""
        if match is None or word not in _KINDS:
            raise ProofError(f"legend, line {place}: not a meaning")
        number, own, code = int(match[1]), [*map(int, match[3].split())], _KINDS[word]
        most = largest[code]
        if len(own) != len(most):
            raise ProofError(f"legend, line {place}: {word} has {counted(len(most), 'number')}")
        if number > variables or kind[number]:
            raise ProofError(f"legend, line {place}: {number} is no variable without a meaning")
        if any(n > m for n, m in zip(own, most, strict=True)):
            raise ProofError(f"legend, line {place}: one of the numbers is too large")
        if code == AT and own[2] not in contents:
            raise ProofError(f"legend, line {place}: the board has no content {own[2]}")
        kind[number] = code
        row[number, : len(own)] = own
    return Legend(kind, row)
