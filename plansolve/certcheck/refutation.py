"""Check one formula of a certificate: each clause holds for every plan, and it has no model.

Clauses are checked by code that no encoder uses. The legend gives each variable a meaning:

    17 at 3 5 0          after 3 moves the blank (content 0, a kind of pieces) is in cell 5
    18 move 3 2          move 3, counted from 0, is operator 2 of the puzzle
    19 step 3 5 6        move 3 takes the content of cell 5 to cell 6
    20 never             nothing: the variable is false

Its writer need not be trusted: if every clause is true of a plan under *some* meanings of the
variables, a formula without a model shows that there is no such plan. There is no need to know
which encoding or lemma a clause came from.

    if there is plainly no plan of that length: every clause holds
    for each clause: the rules for one piece and the blank exclude its negation   (`justify_kernel`)

A clause that cannot be justified so may be true, but is not accepted.
"""

import gzip
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from plansolve.certcheck import justify_kernel as kernel
from plansolve.certcheck.clauses import Array, Clauses, HintedProof, lines_of
from plansolve.certcheck.elementary import end_cells
from plansolve.certcheck.external_checkers import external_verdict, reads_hints
from plansolve.certcheck.files import formula_file, legend_file, open_part, proof_file, read_packed
from plansolve.certcheck.lrat import check_hints, read_cnf, read_lrat
from plansolve.certcheck.options import CheckFailed, CheckOptions, CheckUndecided
from plansolve.certcheck.threads import Unwanted, in_threads, never, while_wanted
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.text import counted

_MOST_STATES, _FEW_BOARDS, _AT_ONCE, _SHOWN_LITERALS = 1 << 29, 30, 1 << 12, 12
_MEANINGS = {
    kernel.AT: "{2} in cell {1} after move {0}",
    kernel.MOVE: "move {0} is operator {1}",
    kernel.STEP: "move {0} takes cell {1} to cell {2}",
    kernel.NEVER: "a variable that is never true",
}
_KINDS = {"at": kernel.AT, "move": kernel.MOVE, "step": kernel.STEP, "never": kernel.NEVER}
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
        kernel.AT: (horizon, cell, puzzle.kinds[-1]),
        kernel.MOVE: (last, len(puzzle.operators) - 1),
        kernel.STEP: (last, cell, cell),
        kernel.NEVER: (),
    }
    kind = np.zeros(variables + 1, np.int8)
    row = np.zeros((variables + 1, 3), np.int32)
    for place, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        word = match[2].decode() if match else ""
        if match is None or word not in _KINDS:
            raise ProofError(f"legend, line {place}: not a known meaning")
        number, own, code = int(match[1]), [*map(int, match[3].split())], _KINDS[word]
        most = largest[code]
        if len(own) != len(most):
            raise ProofError(f"legend, line {place}: {word} takes {counted(len(most), 'number')}")
        if number > variables or kind[number]:
            raise ProofError(
                f"legend, line {place}: {number} is not a variable, or has a meaning already"
            )
        if any(n > m for n, m in zip(own, most, strict=True)):
            raise ProofError(f"legend, line {place}: one of the numbers is too large")
        if code == kernel.AT and own[2] not in contents:
            raise ProofError(f"legend, line {place}: the board has no content {own[2]}")
        kind[number] = code
        row[number, : len(own)] = own
    return Legend(kind, row)


def has_no_plan(problem: Problem, horizon: int, is_unwanted: Unwanted = never) -> bool:
    """Return True if a search over few boards shows that no plan has so many moves."""
    layer = {problem.start}
    for _ in while_wanted(range(horizon), is_unwanted):
        layer = {
            operator.apply(board)
            for board in layer
            for operator in problem.puzzle.operators
            if operator.applies_to(board)
        }
        if len(layer) > _FEW_BOARDS:
            return False
    return not any(map(problem.puzzle.is_goal, layer))


def reachability(
    problem: Problem, horizon: int, is_unwanted: Unwanted = never
) -> kernel.Reachability:
    """Return the arrays for plans of `horizon` moves; raise `ProofError` if they are too large."""
    puzzle, cells = problem.puzzle, problem.puzzle.cells
    if puzzle.needs_kinds:
        raise ProofError("formulas about moves that need more than a gap are not checked")
    contents = puzzle.kinds[-1] + 1
    needs = [-1 if op.blank is None else op.blank for op in puzzle.operators]
    # Several gaps are not followed.
    width = cells if puzzle.has_one_blank and max(needs, default=-1) >= 0 else 1
    shape = (contents, horizon + 1, cells * width)
    if np.prod(shape, dtype=np.float64) > _MOST_STATES:
        raise ProofError(f"plans of {horizon} moves on {cells} cells are too many to check")
    after = np.array([op.destinations(cells) for op in puzzle.operators], np.int32)
    after = after.reshape(-1, cells)
    choices = [[o for o, n in enumerate(needs) if width == 1 or n in (-1, b)] for b in range(width)]
    copies = Counter(puzzle.pieces)
    found = kernel.Reachability(
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
            # No other piece can be in the blank's cell.
            if width == 1 or (cell == b) == (kind == BLANK)
        ]
        steps = _steps(found, kind)
        forward = _reached(begins, steps, shape[1:], is_unwanted)
        found.alive[kind] = forward
        found.alive[kind] &= _reached(goals, steps[::-1], shape[1:], is_unwanted)[::-1]
    return found


def _steps(rules: kernel.Reachability, kind: int) -> Array:
    """Return the states before and after each move (int32), of a piece of that kind and the blank.

    Moves between the same two states are one step.
    """
    cells, width = rules.after.shape[1], rules.width
    pairs = [np.zeros(0, np.int64)]
    for b in range(width):
        o = rules.choices[rules.first[b] : rules.first[b + 1]]
        goes = rules.after[o].astype(np.int64)
        there = goes * width + (goes[:, [b]] if width > 1 else 0)
        may_be = (kind == BLANK) | (rules.need[o][:, None] != np.arange(cells))
        pairs.append(np.unique((np.arange(cells) * width + b << 32 | there)[may_be]))
    whole = np.concatenate(pairs)
    return np.array([whole >> 32, whole & (1 << 32) - 1], np.int32)


def _reached(
    begins: Sequence[int], steps: Array, shape: tuple[int, ...], is_unwanted: Unwanted
) -> Array:
    """Return [t, state] (bool): True if t steps lead from one of some states to this one."""
    reached = np.zeros(shape, np.bool_)
    reached[0, begins] = True
    source, target = steps[:, np.argsort(steps[1], kind="stable")]
    first = np.flatnonzero(np.diff(target, prepend=-1))
    if len(first):
        for before, after in while_wanted(pairwise(reached), is_unwanted):
            after[target[first]] = np.logical_or.reduceat(before[source], first)
    return reached


class Unjustified(ProofError):
    """A clause, counted from 1, that could not be justified."""

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
    is_unwanted: Unwanted = never,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Return why all clauses hold for plans of `horizon` moves: "by the rules" or "no such plan".

    Raise `Unjustified` for a clause that is not shown to hold, `ProofError` for a formula that is
    too large, and `TimeoutError` once the work is unwanted. `progress` is called now and then with
    the number of clauses done and the total.
    """
    rules = reachability(problem, horizon, is_unwanted)
    possible = rules.possible()[list(problem.puzzle.kinds)]
    # No cell is possible for a content, or no content for a cell.
    is_possible = possible.any(axis=2).all() and possible.any(axis=0).all()
    if not is_possible or has_no_plan(problem, horizon, is_unwanted):
        # Then there is no plan of this length, and every clause holds.
        return "no such plan"
    clauses = kernel.MeantClauses(
        np.require(formula.literals, np.int32, ["C", "W"]),
        np.require(formula.ends, np.int64, ["C", "W"]),
        np.require(legend.kind, np.int8, ["C", "W"]),
        np.require(legend.row, np.int32, ["C", "W"]),
    )
    found = np.zeros(len(formula), np.bool_)

    def missing(begin: int, stop: Array) -> Array:
        some = np.arange(begin, min(begin + _AT_ONCE, len(found)))
        kernel.true_of_every_plan(clauses, some, rules, kernel.ClauseWork.of(rules, stop), found)
        return some[~found[some]]

    # Each piece writes entries of its own.
    pieces = range(0, len(found), _AT_ONCE)
    with closing(in_threads(missing, pieces, threads, is_unwanted)) as done:
        for piece, left in zip(pieces, done, strict=True):
            if len(left):
                raise Unjustified(int(left[0]) + 1, _shown(clauses, int(left[0])))
            progress(min(piece + _AT_ONCE, len(found)), len(found))
    return "by the rules"


def _shown(clauses: kernel.MeantClauses, number: int) -> str:
    begin = int(clauses.ends[number - 1]) if number else 0
    end = min(int(clauses.ends[number]), begin + _SHOWN_LITERALS)
    parts = []
    for literal in clauses.literals[begin:end].tolist():
        text = _MEANINGS.get(int(clauses.kind[abs(literal)]), "a variable without a meaning")
        meaning = text.format(*clauses.row[abs(literal)].tolist())
        parts.append(f"{'not ' if literal < 0 else ''}{meaning}")
    return f"nothing shows this: {' or '.join(parts) or 'the empty clause'}"


_MOST_FORMULA = 2 << 30
_MOST_LEGEND = 1 << 30
# In memory a proof takes as much as its text again, at worst twice that.
_MOST_PROOF = 2 << 30
_LONGEST_LINE = 1 << 14
# Seconds for an external checker: without a limit of the user's, and at the very least.
_LONG, _SHORT = 3600.0, 0.1


def check_formula(folder: Path, horizon: int, problem: Problem, options: CheckOptions) -> str:
    """Check the formula in a folder that states that there is a plan of `horizon` moves.

    Every clause must hold for every such plan, and the LRAT proof must show that the formula has no
    model. Return the findings, for people. Raise `CheckFailed`, `CheckUndecided`, `TimeoutError`,
    and `ProofError` for files that cannot be read.
    """
    name = str(horizon)
    formula = read_packed(folder, formula_file(name), _MOST_FORMULA, read_cnf)

    def legend_of(stream: gzip.GzipFile, most: int) -> Legend:
        lines = while_wanted(_lines(stream, most), options.is_late)
        return read_legend(lines, formula.variables, problem, horizon)

    legend = read_packed(folder, legend_file(name), _MOST_LEGEND, legend_of)
    try:
        reason = justify(
            problem,
            horizon,
            formula,
            legend,
            threads=options.threads,
            is_unwanted=options.is_late,
            progress=lambda done, total: options.progress("clauses", done, total),
        )
    except Unjustified as error:
        raise CheckFailed(f"{formula_file(name)}: {error}") from None
    steps = _follows(folder, name, formula, options)
    seen = f"refuted: {counted(len(formula), 'clause')} ({reason}), {counted(steps, 'step')}"
    if options.external is None:
        return seen
    return f"{seen}; {_external(folder, name, formula, options)}"


def _follows(folder: Path, name: str, formula: Clauses, options: CheckOptions) -> int:
    """Check that each step of the proof follows from its hints; return the number of steps."""
    steps = 0

    def parts(stream: gzip.GzipFile, most: int) -> Iterator[HintedProof]:
        nonlocal steps
        for part in read_lrat(stream, formula, most):
            steps += len(part.steps)
            yield part

    def check(stream: gzip.GzipFile, most: int) -> str | None:
        def progress(done: int, total: int) -> None:
            options.progress("steps of the proof", done, total)

        return check_hints(formula, parts(stream, most), progress, options.is_late)

    problem = read_packed(folder, proof_file(name), _MOST_PROOF, check)
    if problem is not None:
        raise CheckFailed(f"{proof_file(name)}: {problem}")
    return steps


def _lines(stream: gzip.GzipFile, most: int) -> Iterator[bytes]:
    total = 0
    while line := stream.readline(_LONGEST_LINE):
        total += len(line)
        if total > most or (len(line) == _LONGEST_LINE and not line.endswith(b"\n")):
            raise ProofError("the legend is too long, or one of its lines is")
        yield line


def _external(folder: Path, name: str, formula: Clauses, options: CheckOptions) -> str:
    """Return what an external checker says about the same two files."""
    checker = options.external
    assert checker is not None
    left = _LONG if options.deadline is None else options.deadline - time.monotonic()
    with TemporaryDirectory() as place:
        cnf, proof = Path(place) / "formula", Path(place) / "proof"
        _unpack(folder, formula_file(name), cnf)
        if reads_hints(checker):
            _unpack(folder, proof_file(name), proof)
        else:
            _unpack_without_hints(folder, name, formula, proof)
        verdict = external_verdict(checker, cnf, proof, max(left, _SHORT))
    if verdict.verified is None:
        raise CheckUndecided(f"{checker}: {verdict.reason}")
    if not verdict.verified:
        raise CheckFailed(f"{checker}: {verdict.reason}")
    return f"{checker} agrees"


def _unpack_without_hints(folder: Path, name: str, formula: Clauses, path: Path) -> None:
    def write(stream: gzip.GzipFile, most: int) -> None:
        with path.open("w") as target:
            for part in read_lrat(stream, formula, most):
                target.writelines(f"{line}\n" for line in lines_of(part.steps))

    read_packed(folder, proof_file(name), _MOST_PROOF, write)


def _unpack(folder: Path, name: str, path: Path) -> None:
    with (
        open_part(folder, name) as raw,
        gzip.GzipFile(fileobj=raw) as stream,
        path.open("wb") as target,
    ):
        shutil.copyfileobj(stream, target)
