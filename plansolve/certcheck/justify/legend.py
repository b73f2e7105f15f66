"""What the variables of a formula mean, read from the text beside it.

A line of a legend is a variable's number and its meaning:

    17 at 3 5 0          after 3 moves the blank (content 0, a kind of pieces) is in cell 5
    18 move 3 2          move 3, counted from 0, is operator 2 of the puzzle
    19 step 3 5 6        move 3 takes the content of cell 5 to cell 6
    20 waste 3 2         move 3 wastes 2 units or more
    21 count 7 2         of the first 7 events, 2 or more happen
    22 excess 3 1 4 5 9  after 3 moves the tiles 4, 5, 9 have an excess of 1 unit or more
    23 conflict 3 0 1 2  after 3 moves two tiles at home in the line of cells 0, 1, 2 are reversed
    24 sum 7 2 22 23     2 or more: the events of the first 7, and those of 22, 23 that hold
    25 never             nothing: the variable is false

`waste` says what waste, unit and events are, `partial_assignments` what an excess and a line are.
A line `unit 2` sets the unit. `perimeter_bounds` lists the other lines that are about no variable.
Where pieces are alike, or the goal leaves cells open, only `at`, `move`, `step`, `never` are read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify.perimeter_bounds import LINES, PerimeterBounds
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.text import counted, quote

__all__ = [
    "AT",
    "CONFLICT",
    "COUNT",
    "EXCESS",
    "MOVE",
    "NEVER",
    "STEP",
    "SUM",
    "WASTE",
    "Legend",
    "read_legend",
]

AT, MOVE, STEP, WASTE, COUNT, EXCESS, CONFLICT, SUM, NEVER = range(1, 10)

_KINDS = {
    "at": (AT, 3),
    "move": (MOVE, 2),
    "step": (STEP, 3),
    "waste": (WASTE, 2),
    "count": (COUNT, 2),
    "excess": (EXCESS, 2),
    "conflict": (CONFLICT, 1),
    "sum": (SUM, 2),
    "never": (NEVER, 0),
}
_OF_KINDS = ("at", "move", "step", "never")
_WITH_MORE = (EXCESS, CONFLICT, SUM)
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")
_MOST_IN_A_ROW = 1000
# What begins the lines that are about no variable.
_OF_ALL = {"unit", *(line.split()[0] for line in LINES)}
_MOST_LISTS = 200_000
_MOST_IN_LISTS = 10_000_000


@dataclass(frozen=True, eq=False)
class Legend:
    """The meaning of variable v: `kind[v]`, and its numbers `row[v]` (int32, three of them).

    Kind 0 means nothing. The rest of what an excess, a conflict or a sum names, tiles, cells or
    variables, is `lists[row[v][2]]`. `perimeters` bound the searches from both ends.
    """

    kind: Array
    row: Array
    lists: list[tuple[int, ...]]
    unit: int = 1
    perimeters: PerimeterBounds = field(default_factory=PerimeterBounds)


def read_legend(lines: Iterable[bytes], variables: int, problem: Problem, horizon: int) -> Legend:
    """Return the legend of a formula about plans of `horizon` moves; raise `ProofError`."""
    kind = np.zeros(variables + 1, np.int8)
    row = np.zeros((variables + 1, 3), np.int32)
    known: dict[tuple[int, ...], int] = {}
    unit, perimeters = 1, PerimeterBounds()
    largest, contents = _largest(problem, horizon), {*problem.puzzle.kinds}
    in_lists = 0
    for place, line in enumerate(lines, start=1):
        try:
            word, numbers = _parts(line)
            if not problem.puzzle.is_distinct and word not in _OF_KINDS:
                raise ProofError(f"{quote(word)} is about pieces that are all different")
            match word:
                case "unit":
                    (unit,) = numbers
                    if unit not in (1, 2):
                        raise ProofError("a unit is 1 or 2")
                case _ if word in LINES:
                    perimeters.read(word, numbers, problem)
                case _:
                    code, width = _KINDS[word]
                    number, own, more = numbers[0], numbers[1 : width + 1], numbers[width + 1 :]
                    if len(own) != width or (more and code not in _WITH_MORE):
                        raise ProofError(f"{word} has {counted(width, 'number')}")
                    if not 1 <= number <= variables or kind[number]:
                        raise ProofError(f"{number} is no variable without a meaning")
                    if any(n > most for n, most in zip(own, largest[code], strict=True)):
                        raise ProofError("one of the numbers is too large")
                    if code == AT and own[2] not in contents:
                        raise ProofError(f"the board has no content {own[2]}")
                    if code in (WASTE, EXCESS) and not own[1]:
                        raise ProofError("a waste or an excess is of 1 unit or more")
                    kind[number] = code
                    row[number, :width] = own
                    if code in _WITH_MORE:
                        row[number, 2] = known.setdefault(tuple(more), len(known))
                        in_lists += len(more)
                        _check_list(code, more, variables, problem)
        except ProofError as error:
            raise ProofError(f"legend, line {place}: {error}") from None
        except (ValueError, KeyError, IndexError):
            raise ProofError(f"legend, line {place}: not a meaning") from None
        if len(known) > _MOST_LISTS or in_lists > _MOST_IN_LISTS:
            raise ProofError(f"legend, line {place}: too many lists")
    lists = list(known)
    for number in np.unique(row[kind == SUM, 2]).tolist():
        if not np.isin(kind[list(lists[number])], (EXCESS, CONFLICT)).all():
            raise ProofError("legend: a sum is of excesses and conflicts")
    return Legend(kind, row, lists, unit, perimeters)


def _parts(line: bytes) -> tuple[str, list[int]]:
    """Return the words of a line and its numbers.

    The words come first, but for the number of a variable; a meaning has one spelling.
    """
    words = line.decode("ascii").split()
    if len(words) > _MOST_IN_A_ROW:
        raise ValueError
    named = [word for word in words if not _NUMBER.fullmatch(word)]
    begin = 0 if named and named[0] in _OF_ALL else 1
    if words[begin : begin + len(named)] != named:
        raise ValueError
    return " ".join(named), [int(word) for word in words if _NUMBER.fullmatch(word)]


def _largest(problem: Problem, horizon: int) -> dict[int, tuple[int, ...]]:
    """Return the largest numbers of each kind."""
    puzzle = problem.puzzle
    cell, last = puzzle.cells - 1, horizon - 1
    much = (horizon + 8) * (horizon + 8)
    return {
        AT: (horizon, cell, puzzle.kinds[-1]),
        MOVE: (last, len(puzzle.operators) - 1),
        STEP: (last, cell, cell),
        WASTE: (last, much),
        COUNT: (much, much),
        EXCESS: (horizon, much),
        CONFLICT: (horizon,),
        SUM: (much, much),
        NEVER: (),
    }


def _check_list(code: int, numbers: list[int], variables: int, problem: Problem) -> None:
    most = {EXCESS: len(problem.puzzle.tiles), CONFLICT: problem.puzzle.cells - 1, SUM: variables}
    if len(set(numbers)) < len(numbers) or not all(n <= most[code] for n in numbers):
        raise ProofError("numbers that are repeated or too large")
    if code != CONFLICT and 0 in numbers:
        raise ProofError("0 is neither a tile nor a variable")
