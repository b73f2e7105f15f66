"""Why each clause of a formula holds for every plan, by code that no encoder uses.

The legend of a formula says what each variable means of a plan:

    17 at 3 5 0          after 3 moves the blank (content 0, a kind of pieces) is in cell 5
    18 move 3 2          move 3, counted from 0, is operator 2 of the puzzle
    19 step 3 5 6        move 3 takes the content of cell 5 to cell 6
    20 never             nothing: the variable is false

Its writer need not be trusted: if every clause is true of a plan under *some* meanings of the
variables, a formula without a model shows that there is no such plan. There is no need to know
which encoding or lemma a clause came from.

    if there is plainly no plan of that length: every clause holds
    for each clause: the rules for one piece and the blank exclude its negation   (`justify_kernel`)

A clause of which this is not seen may be true, but is not accepted.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from plansolve.certcheck.clauses import Array, Clauses
from plansolve.certcheck.elementary import end_cells
from plansolve.certcheck.justify_kernel import (
    AT,
    MOVE,
    NEVER,
    STEP,
    ClauseWork,
    MeantClauses,
    Reachability,
    true_of_every_plan,
)
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.storage.jit import interruptible
from plansolve.text import counted

_MOST_STATES, _FEW_BOARDS, _AT_ONCE, _SHOWN_LITERALS = 1 << 29, 30, 1 << 12, 12
_MEANINGS = {
    AT: "{2} in cell {1} after {0} moves",
    MOVE: "move {0} is operator {1}",
    STEP: "move {0} takes cell {1} to cell {2}",
    NEVER: "nothing",
}
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


def has_no_plan(problem: Problem, horizon: int) -> bool:
    """Return True if a search over few boards shows that no plan has so many moves."""
    layer = {problem.start}
    for _ in range(horizon):
        layer = {
            operator.apply(board)
            for board in layer
            for operator in problem.puzzle.operators
            if operator.applies_to(board)
        }
        if len(layer) > _FEW_BOARDS:
            return False
    return not any(map(problem.puzzle.is_goal, layer))


def reachability(problem: Problem, horizon: int) -> Reachability:
    """Return the arrays for plans of so many moves; raise `ProofError` for too large ones."""
    puzzle, cells = problem.puzzle, problem.puzzle.cells
    contents = puzzle.kinds[-1] + 1
    needs = [-1 if op.blank is None else op.blank for op in puzzle.operators]
    # Of several gaps none is followed.
    width = cells if puzzle.has_one_blank and max(needs, default=-1) >= 0 else 1
    shape = (contents, horizon + 1, cells * width)
    if np.prod(shape, dtype=np.float64) > _MOST_STATES:
        raise ProofError(f"plans of {horizon} moves on {cells} cells are too many to be followed")
    after = np.array([op.destinations(cells) for op in puzzle.operators], np.int32)
    after = after.reshape(-1, cells)
    choices = [[o for o, n in enumerate(needs) if width == 1 or n in (-1, b)] for b in range(width)]
    copies = Counter(puzzle.pieces)
    found = Reachability(
        width=width,
        copies=np.array([copies[kind] for kind in range(contents)], np.int32),
        after=after,
        first=np.cumsum([0, *map(len, choices)], dtype=np.int32),
        choices=np.array([o for row in choices for o in row], np.int32),
        need=np.array(needs if puzzle.gaps > 1 else [-1] * len(needs), np.int32),
        alive=np.zeros(shape, np.bool_),
    )
    blank = problem.start.index(BLANK) if width > 1 else 0
    ends = end_cells(puzzle)
    for kind in puzzle.kinds:
        begins = [c * width + blank for c, there in enumerate(problem.start) if there == kind]
        goals = [
            cell * width + b
            for cell, b in product(ends[kind], ends[BLANK] if width > 1 else (0,))
            # No other piece is in the blank's cell.
            if width == 1 or (cell == b) == (kind == BLANK)
        ]
        steps = np.array([*_steps(found, kind)], np.int64).reshape(-1, 2).T
        forward = _reached(begins, steps, shape[1:])
        found.alive[kind] = forward & _reached(goals, steps[::-1], shape[1:])[::-1]
    return found


def _steps(rules: Reachability, kind: int) -> Iterable[tuple[int, int]]:
    """Yield the states before and after each move, of a piece of that kind and the blank."""
    cells, width = rules.after.shape[1], rules.width
    for b in range(width):
        for o in rules.choices[rules.first[b] : rules.first[b + 1]].tolist():
            goes = rules.after[o].tolist()
            there = goes[b] if width > 1 else 0
            for x in range(cells):
                if kind == BLANK or rules.need[o] != x:
                    yield x * width + b, goes[x] * width + there


def _reached(begins: Sequence[int], steps: Array, shape: tuple[int, ...]) -> Array:
    """Return [t, state] (bool): whether t steps lead from one of these states to that one."""
    reached = np.zeros(shape, np.bool_)
    reached[0, begins] = True
    source, target = steps[:, np.argsort(steps[1], kind="stable")]
    first = np.flatnonzero(np.diff(target, prepend=-1))
    if len(first):
        for before, after in pairwise(reached):
            after[target[first]] = np.logical_or.reduceat(before[source], first)
    return reached


class Unjustified(ProofError):
    """A clause, counted from 1, that is not seen to hold for every plan."""

    def __init__(self, clause: int, text: str) -> None:
        super().__init__(f"clause {clause}: {text}")
        self.clause = clause


def justify(
    problem: Problem,
    horizon: int,
    formula: Clauses,
    legend: Legend,
    *,
    threads: int = 1,
    deadline: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Return why all clauses hold for every plan of `horizon` moves: "rules", or "no way".

    Raise `Unjustified` for a clause that is not seen to hold, `ProofError` for what is too large,
    and `TimeoutError` at the deadline, a time of `time.monotonic`. `progress` is told now and then
    how many of how many clauses are done.
    """
    rules = reachability(problem, horizon)
    possible = rules.possible()[list(problem.puzzle.kinds)]
    # A content that has no place, or a cell that has no content.
    is_possible = possible.any(axis=2).all() and possible.any(axis=0).all()
    if not is_possible or has_no_plan(problem, horizon):
        # Then all that is said of a plan of this length is true.
        return "no way"
    clauses = MeantClauses(
        np.require(formula.literals, np.int32, ["C", "W"]),
        np.require(formula.ends, np.int64, ["C", "W"]),
        np.require(legend.kind, np.int8, ["C", "W"]),
        np.require(legend.row, np.int32, ["C", "W"]),
    )
    found = np.zeros(len(formula), np.bool_)

    def follow_rules(some: Array) -> None:
        true_of_every_plan(clauses, some, rules, ClauseWork.of(rules), found)

    pieces = [
        np.arange(begin, min(begin + _AT_ONCE, len(formula)), dtype=np.int64)
        for begin in range(0, len(formula), _AT_ONCE)
    ]
    # The kernel holds no lock, and each piece has its own entries of what is found.
    with interruptible(), ThreadPoolExecutor(threads) as pool:
        try:
            for some, _ in zip(pieces, pool.map(follow_rules, pieces), strict=True):
                missing = some[~found[some]]
                if len(missing):
                    number = int(missing[0])
                    raise Unjustified(number + 1, _shown(clauses, number))
                progress(int(some[-1]) + 1, len(found))
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError("time limit reached while the clauses were justified")
        finally:
            pool.shutdown(cancel_futures=True)
    return "rules"


def _shown(clauses: MeantClauses, number: int) -> str:
    begin = int(clauses.ends[number - 1]) if number else 0
    end = min(int(clauses.ends[number]), begin + _SHOWN_LITERALS)
    parts = []
    for literal in clauses.literals[begin:end].tolist():
        text = _MEANINGS.get(int(clauses.kind[abs(literal)]), "a variable without a meaning")
        meaning = text.format(*clauses.row[abs(literal)].tolist())
        parts.append(f"{'not ' if literal < 0 else ''}{meaning}")
    return f"nothing shows that {' or '.join(parts) or 'it'} holds"
