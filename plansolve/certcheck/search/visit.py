"""Visit all boards within so many moves: the proof for moves that need pieces in certain cells.

Pieces of several cells block each other, so that few boards can be reached. The proof states how
many of them are within the bound, and the check visits them again, one by one. Boards and moves
follow from the rules alone.
"""

import json
from collections.abc import Callable, Sequence
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from plansolve.certcheck.files import SEARCH, errors_about, read_object, read_part, require_keys
from plansolve.certcheck.options import CheckFailed, CheckOptions
from plansolve.certcheck.threads import Unwanted, never, while_wanted
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Plan, Puzzle
from plansolve.text import counted, quote

SCHEMA = "plansolve.visit-proof/1"

_MOST_BOARDS = 4_000_000
"""So many boards take half a gigabyte, and a minute or two."""
_LARGEST_BYTE, _MOST_LARGE = 255, 100_000
"""Boards of more kinds take many times as much."""
_MOST_RECORD_BYTES = 1 << 10


def visited(
    problem: Problem,
    bound: int | None = None,
    is_unwanted: Unwanted = never,
    most: int = _MOST_BOARDS,
) -> int:
    """Return how many boards are at most `bound` moves from the start; None is no limit of moves.

    Raise `CheckFailed` if the goal is among them, `ProofError` for too many, and `TimeoutError`
    once the work is unwanted.
    """
    puzzle = problem.puzzle
    packed: Callable[[Sequence[int]], _Board] = bytes
    if puzzle.kinds[-1] > _LARGEST_BYTE:
        packed, most = tuple, min(most, _MOST_LARGE)
    moves, layer = _moves(puzzle), [packed(problem.start)]
    goal = [(cell, kind) for cell, kind in enumerate(puzzle.goal) if kind != OPEN]
    seen = {*layer}
    for depth in count() if bound is None else range(bound + 1):
        for board in layer:
            if all(board[cell] == kind for cell, kind in goal):
                raise CheckFailed(f"the search meets a plan of {counted(depth, 'move')}")
        if depth == bound or not layer:
            break
        following = []
        for board in while_wanted(layer, is_unwanted):
            for cell, kind in enumerate(board):
                for needs, goes in moves[cell].get(kind, ()):
                    if all(board[other] == wanted for other, wanted in needs):
                        after = packed(goes(board))
                        if after not in seen:
                            seen.add(after)
                            following.append(after)
            if len(seen) > most:
                raise ProofError(f"more than {most:,} boards are within {depth + 1} moves")
        layer = following
    return len(seen)


_Board: TypeAlias = bytes | tuple[int, ...]
_Move: TypeAlias = tuple[list[tuple[int, int]], Callable[[_Board], tuple[int, ...]]]


def _moves(puzzle: Puzzle) -> list[dict[int, list[_Move]]]:
    """Return, for each cell and kind, the moves that need it there, with their other needs.

    A move that needs nothing is listed for each kind in the first cell.
    """
    table: list[dict[int, list[_Move]]] = [{} for _ in range(puzzle.cells)]
    for operator in puzzle.operators:
        sources = [*range(puzzle.cells)]
        for cell, source in operator.moves:
            sources[cell] = source
        move = [*operator.needs][:-1], itemgetter(*sources)
        for cell, kind in operator.needs[-1:] or [(0, kind) for kind in puzzle.kinds]:
            table[cell].setdefault(kind, []).append(move)
    return table


def write_visit(problem: Problem, bound: int, folder: Path, is_unwanted: Unwanted = never) -> None:
    """Write the proof that no plan has at most `bound` moves; raise the errors of `visited`."""
    boards = visited(problem, bound, is_unwanted)
    record = {"schema": SCHEMA, "bound": bound, "boards": boards}
    (folder / SEARCH).write_text(json.dumps(record) + "\n", encoding="utf-8")


def check_visit(
    folder: Path,
    problem: Problem,
    bound: int,
    options: CheckOptions,
    plans: Sequence[Plan] | None = None,
) -> str:
    """Check that no plan has at most `bound` moves, as the proof in a folder states.

    Return the findings, for people. Raise `CheckFailed`, `TimeoutError`, and `ProofError` for files
    that cannot be read.
    """
    if plans is not None:
        raise CheckFailed("plans of moves that need pieces in certain cells are not listed")
    data = read_part(folder, SEARCH, _MOST_RECORD_BYTES)
    with errors_about(folder / SEARCH):
        record = read_object(data)
        require_keys(record, ("schema", "bound", "boards"))
        _require("schema", record["schema"], SCHEMA)
        _require("bound", record["bound"], bound)
        boards = visited(problem, bound, options.is_late)
        _require("boards", record["boards"], boards)
    return f"no plan; {counted(boards, 'board')} visited again"


def _require(key: str, stated: object, right: object) -> None:
    if type(stated) is not type(right) or stated != right:
        raise ProofError(f"{key}: {quote(repr(stated))} should be {right!r}")
