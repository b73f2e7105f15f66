"""Rules from and to a JSON object: puzzles that a user defines, pocket cube and pyraminx.

    {"name": "swap", "rows": 1, "columns": 3, "goal": [[1, 2, 3]],
     "operators": [{"name": "A", "moves": [[0, 1], [1, 0]], "blank": null}],
     "labels": ["_", "a", "b", "c"], "blank_names": {}}

`docs/reference/formats.md`, "JSON documents", explains the keys.

The boards of the two families whose rules are files of `data` are stickers, a line for each face.
The left back bottom corner of the pocket cube (2x2x2) stays in place. Its faces are in the order U
R F D L B, and each is read row by row: U with B above it, D with F above it, the others with U
above them. The corners of the pyraminx, which has no tips, are U (up), L, R and B (back). A face is
named after the corner that it does not have, and lists the stickers of its corners, in this order,
and then those of its edges, in the order of the opposite corners.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from plansolve.errors import BoardError
from plansolve.json_reader import Rule, read
from plansolve.json_text import JsonError, json_word
from plansolve.model.layout import CellLayout
from plansolve.model.puzzle import MOST_CELLS, OPEN, OPEN_SIGN, Operator, Puzzle, State
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_metric, in_order
from plansolve.text import counted, quote

_LARGEST_NUMBER = 9999

Labels = Mapping[str, int]

_Side = Annotated[
    int, Rule(f"a whole number from 1 to {MOST_CELLS}", lambda side: 1 <= side <= MOST_CELLS)
]


@dataclass(frozen=True)
class _Rules:
    """The keys of the object; the values of type `Any` depend on other keys."""

    name: str
    rows: _Side
    columns: _Side
    goal: Any
    operators: tuple["_Move", ...]
    labels: tuple[str, ...] | None = None
    blank_names: Mapping[str, str] | None = None
    layout: CellLayout | None = None
    pieces: Any = None
    fixed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _Move:
    name: str
    moves: tuple[tuple[int, int], ...]
    blank: int | None = None
    penalty: int = 0
    needs: tuple[tuple[int, int], ...] = ()


def puzzle_from_rules(rules: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle that the object defines; raise `BoardError` naming the wrong key."""
    try:
        given = read(_Rules, rules, "puzzle")
    except JsonError as error:
        raise BoardError(str(error)) from None
    rows, columns = given.rows, given.columns
    operators = tuple(Operator(**vars(move)) for move in given.operators)
    labels = given.labels or ()
    tile_of = {label: tile for tile, label in enumerate(labels)}
    shape, goal = read_cells(given.goal, "goal", {**tile_of, OPEN_SIGN: OPEN})
    if shape != (rows, columns):
        raise BoardError(
            f"the goal has {counted(shape[0], 'row')} of {shape[1]}, not {rows} of {columns}"
        )
    pieces = _pieces(given.pieces, goal, tile_of)
    tiles = max(pieces) + 1
    if labels and len(labels) < tiles:
        raise BoardError(f"labels: {counted(len(labels), 'label')} for the tiles 0 to {tiles - 1}")
    return Puzzle(
        name="-".join(given.name.split()),
        rows=rows,
        columns=columns,
        goal=goal,
        operators=operators,
        labels=labels or tuple(map(str, range(tiles))),
        blank_names=given.blank_names or {},
        layout=given.layout,
        pieces=pieces,
        fixed=given.fixed,
    )


def rules_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the object from which `puzzle_from_rules` makes `puzzle`."""
    layout = {} if puzzle.layout is None else vars(puzzle.layout)
    others = {
        "layout": {key: value for key, value in layout.items() if value},
        "pieces": puzzle.pieces if OPEN in puzzle.goal else None,
        "fixed": puzzle.fixed,
    }
    return {
        "name": puzzle.name,
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "goal": written_goal(puzzle),
        "operators": [
            {"name": operator.name, "moves": operator.moves}
            | ({"needs": operator.needs} if operator.needs_kinds else {"blank": operator.blank})
            | ({"penalty": operator.penalty} if operator.penalty else {})
            for operator in puzzle.operators
        ],
        "labels": puzzle.labels,
        "blank_names": dict(puzzle.blank_names),
    } | {key: value for key, value in others.items() if value}


def written_goal(puzzle: Puzzle) -> list[tuple[int | str, ...]]:
    """Return the goal's rows as a document has them."""
    return puzzle.in_rows(tuple(OPEN_SIGN if kind == OPEN else kind for kind in puzzle.goal))


def read_cells(value: object, what: str, labels: Labels) -> tuple[tuple[int, int], State]:
    """Return the shape (rows, columns) and the cells of a list of rows.

    A row is a list of numbers and labels, or a string of labels, which are single characters if
    there is no white space between them. Raise `BoardError` naming the row.
    """
    rows = [_row(row, f"{what}: row {n}", labels) for n, row in enumerate(_list(value, what), 1)]
    if not rows or not rows[0]:
        raise BoardError(f"{what}: the list is empty, rows are expected")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise BoardError(
                f"{what}: row {number} has {counted(len(row), 'cell')}, "
                f"the first row has {len(rows[0])}"
            )
    return (len(rows), len(rows[0])), tuple(tile for row in rows for tile in row)


def _pieces(value: object, goal: State, labels: Labels) -> State:
    """Return the pieces of the boards, sorted; raise `BoardError` if they are missing."""
    if value is None:
        if OPEN in goal:
            raise BoardError('the goal leaves cells open: "pieces" must list all pieces of a board')
        return tuple(sorted(goal))
    rows = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    _, pieces = read_cells(rows, "pieces", labels)
    return tuple(sorted(pieces))


def row_cells(row: object) -> object:
    """Return the cells of a row that is a string; anything else as it is."""
    if isinstance(row, str):
        return row.split() if row.split() != [row] else list(row)
    return row


def _row(row: object, where: str, labels: Labels) -> list[int]:
    return [_cell(cell, where, labels) for cell in _list(row_cells(row), where)]


def _cell(cell: object, where: str, labels: Labels) -> int:
    if isinstance(cell, str) and cell in labels:
        return labels[cell]
    if cell is None or cell == OPEN_SIGN:
        raise BoardError(f"{where}: each cell needs its tile: only a goal may leave cells open")
    if not isinstance(cell, str):
        return whole_number(cell, where)
    if cell.isascii() and cell.isdigit() and len(cell) <= len(str(_LARGEST_NUMBER)):
        return int(cell)
    raise BoardError(f"{where}: {quote(cell)} is not a tile")


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise BoardError(f"{where}: a list is expected, not {json_word(value)}")
    return value


def whole_number(value: object, where: str, largest: int = _LARGEST_NUMBER) -> int:
    """Return `value`; raise `BoardError` unless it is an integer from 0 to `largest`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
        raise BoardError(f"{where}: {json_word(value)} is not a whole number from 0 to {largest}")
    return value


_METRICS = ("half-turn", "quarter-turn")


def _puzzle(name: str) -> Puzzle:
    file = Path(__file__).with_name("data") / f"{name}.json"
    return puzzle_from_rules(json.loads(file.read_text(encoding="utf-8")))


_CUBE, _PYRAMINX = map(_puzzle, ("pocket-cube", "pyraminx"))


def _sized(puzzle: Puzzle, rows: int, columns: int) -> Puzzle:
    if (rows, columns) != (puzzle.rows, puzzle.columns):
        raise BoardError(
            f"a {puzzle.name.replace('-', ' ')} has {puzzle.rows} lines of {puzzle.columns} "
            "stickers, one for each face"
        )
    return puzzle


def _pocket_cube(rows: int, columns: int, parameters: Parameters) -> Puzzle:
    puzzle, metric = _sized(_CUBE, rows, columns), chosen_metric(parameters, _METRICS)
    if metric == _METRICS[0]:
        return puzzle
    quarters = tuple(turn for turn in puzzle.operators if not turn.name.endswith("2"))
    return replace(puzzle, name=f"{puzzle.name}:metric={metric}", operators=quarters)


POCKET_CUBE = Family(
    name="pocket-cube",
    summary="the pocket cube (2x2x2) by its stickers, a line for each of U R F D L B",
    moves="U R F turn a face clockwise, U2 .. twice, U' .. back",
    make=_pocket_cube,
    goals={"in-order": in_order},
    has_blank=False,
    default_size=(_CUBE.rows, _CUBE.columns),
    parameters={"metric": "half-turn (default), or quarter-turn: no U2 R2 F2"},
    labels=_CUBE.labels,
    presets=(Preset("Pocket cube", _CUBE.rows, _CUBE.columns, moves=20),),
)

PYRAMINX = Family(
    name="pyraminx",
    summary="the pyraminx without tips, by its stickers, a line for each face",
    moves="U L R B turn a corner clockwise, U' L' R' B' back",
    make=lambda rows, columns, _: _sized(_PYRAMINX, rows, columns),
    goals={"in-order": in_order},
    has_blank=False,
    default_size=(_PYRAMINX.rows, _PYRAMINX.columns),
    labels=_PYRAMINX.labels,
    presets=(Preset("Pyraminx", _PYRAMINX.rows, _PYRAMINX.columns, moves=20),),
)
