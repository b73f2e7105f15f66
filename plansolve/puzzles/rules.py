"""Puzzles that a user defines: rules as a JSON object, and back.

    {"name": "swap", "rows": 1, "columns": 3, "goal": [[1, 2, 3]],
     "operators": [{"name": "A", "moves": [[0, 1], [1, 0]], "blank": null}],
     "labels": ["_", "a", "b", "c"], "blank_names": {}}

A pair [cell, source] says that the new content of `cell` is what stood in `source`; cells count
from 0, row by row. `blank` is the cell where the blank must be, or one of several gaps, if any.
`labels[k]` is how tile k is written, item 0 being the blank, even where there is none.
`blank_names` names each move after the motion of the blank. These three may be left out, and so may
an operator's `penalty` (0) and the `layout`, which says where pictures draw the cells:
{"positions": [[0, 0], [1.5, 0]], "edges": [[0, 1]]}, with `holes`, the cells that are not drawn,
the `colours` of the pieces by their kinds, and `round`, true for balls.

Pieces of one kind have one number or label. A cell of the goal may be "*": anything may stand
there. Then `pieces` lists all pieces of a board, in rows or in one list, in any order.
"""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from plansolve.errors import BoardError
from plansolve.json_text import json_word
from plansolve.model.layout import LARGEST_POSITION, CellLayout, Position
from plansolve.model.puzzle import OPEN, OPEN_SIGN, Operator, Puzzle, State
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.obstacles import HOLE_SIGN
from plansolve.text import counted, quote

LONGEST_SPECIFICATION = 10_000
"""Walls between all cells of the largest board take so many characters."""

_NAME = re.compile(r"[\w.+*][^\s,\[\]()\"→]*")
_NAME_LENGTH = 60
_REQUIRED = ("name", "rows", "columns", "goal", "operators")
_OPTIONAL = ("labels", "blank_names", "layout", "pieces")
_LAYOUT_KEYS = {"positions", "edges", "holes", "colours", "round"}
_LARGEST_NUMBER = 9999

Labels = Mapping[str, int]


def check_name(name: object, what: str, longest: int = _NAME_LENGTH) -> str:
    """Return `name`, which plans and messages can hold; raise `BoardError` where they cannot."""
    if (
        not isinstance(name, str)
        or len(name) > longest
        or not name.isprintable()
        or "->" in name
        or not _NAME.fullmatch(name)
    ):
        raise BoardError(
            f"{what}: {json_word(name)} is not a name: it begins with a letter, a digit or one "
            f"of _.+*, has at most {longest} characters, and no space, comma, bracket, "
            "quotation mark or arrow"
        )
    return name


def check_puzzle_name(name: object, what: str) -> str:
    """Return the name of rules: perhaps a family's, with commas between its parameters.

    Raise `BoardError` as `check_name` does.
    """
    if not isinstance(name, str) or "," not in name or len(name) > LONGEST_SPECIFICATION:
        return check_name(name, what)
    return ",".join(check_name(part, what, len(name)) for part in name.split(","))


def puzzle_from_rules(rules: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle that the object defines; raise `BoardError` naming a key that is wrong."""
    for key in _REQUIRED:
        if key not in rules:
            raise BoardError(f"the rules have no {key!r}; they need {', '.join(_REQUIRED)}")
    for key in rules:
        if key not in _REQUIRED + _OPTIONAL:
            known = ", ".join(_REQUIRED + _OPTIONAL)
            raise BoardError(f"the rules have an unknown key {quote(key)}; the keys are {known}")
    most = LARGEST_SIDE * LARGEST_SIDE
    rows, columns = (whole_number(rules[key], key, most) for key in ("rows", "columns"))
    if rows * columns > most:
        raise BoardError(f"rows and columns: {rows * columns} cells, {most} are the most")
    labels = _labels(rules.get("labels"))
    tile_of = {label: tile for tile, label in enumerate(labels)}
    shape, goal = read_cells(rules["goal"], "goal", {**tile_of, OPEN_SIGN: OPEN})
    if shape != (rows, columns):
        raise BoardError(
            f"the goal has {counted(shape[0], 'row')} of {shape[1]}, not {rows} of {columns}"
        )
    pieces = _pieces(rules.get("pieces"), goal, tile_of)
    tiles = max(pieces) + 1
    if labels and len(labels) < tiles:
        raise BoardError(f"labels: {len(labels)} labels for the tiles 0 to {tiles - 1}")
    operators = tuple(_operator(item) for item in _list(rules["operators"], "operators"))
    return Puzzle(
        name=check_puzzle_name(rules["name"], "name"),
        rows=rows,
        columns=columns,
        goal=goal,
        operators=operators,
        labels=labels or tuple(map(str, range(tiles))),
        blank_names=_blank_names(rules.get("blank_names"), operators),
        layout=_read_layout(rules.get("layout")),
        pieces=pieces,
    )


def rules_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the object that `puzzle_from_rules` makes `puzzle` of."""
    return {
        "name": puzzle.name,
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "goal": written_goal(puzzle),
        "operators": [
            {"name": operator.name, "moves": operator.moves, "blank": operator.blank}
            | ({"penalty": operator.penalty} if operator.penalty else {})
            for operator in puzzle.operators
        ],
        "labels": puzzle.labels,
        "blank_names": dict(puzzle.blank_names),
    } | (
        ({} if puzzle.layout is None else {"layout": _layout_rules(puzzle.layout)})
        | ({"pieces": puzzle.pieces} if OPEN in puzzle.goal else {})
    )


def written_goal(puzzle: Puzzle) -> list[tuple[int | str, ...]]:
    """Return the goal's rows as a document has them."""
    return puzzle.in_rows(tuple(OPEN_SIGN if kind == OPEN else kind for kind in puzzle.goal))


def read_cells(value: object, what: str, labels: Labels) -> tuple[tuple[int, int], State]:
    """Return the shape (rows, columns) and the cells of a list of rows.

    A row is a list of numbers and labels, or a string: labels with white space between them or,
    where there is none, one character each. Raise `BoardError` naming the row.
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
    """Return the pieces of the boards, sorted; raise `BoardError` where they are missing."""
    if value is None:
        if OPEN in goal:
            raise BoardError(
                'the goal leaves cells open: "pieces" has to list all pieces of a board'
            )
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


def _operator(item: object) -> Operator:
    if not isinstance(item, dict) or not {"name", "moves"} <= set(item) <= {
        "name",
        "moves",
        "blank",
        "penalty",
    }:
        raise BoardError(
            'operators: each is an object {"name": ..., "moves": ..., "blank": ..., "penalty": ...}'
        )
    name = check_name(item["name"], "operators")
    where = f"operator {name!r}"
    moves = []
    for pair in _list(item["moves"], where):
        if not isinstance(pair, list) or len(pair) != 2:
            raise BoardError(f"{where}: the moves are pairs [cell, source]")
        moves.append((whole_number(pair[0], where), whole_number(pair[1], where)))
    blank = item.get("blank")
    return Operator(
        name,
        tuple(moves),
        None if blank is None else whole_number(blank, where),
        whole_number(item.get("penalty", 0), where),
    )


def _labels(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    labels = tuple(
        HOLE_SIGN if label == HOLE_SIGN else check_name(label, "labels")
        for label in _list(value, "labels")
    )
    told_apart = [label for label in labels if label != HOLE_SIGN]
    if len(set(told_apart)) < len(told_apart):
        raise BoardError("labels: two tiles have the same label")
    return labels


def _blank_names(value: object, operators: tuple[Operator, ...]) -> Mapping[str, str]:
    if value is None or value == {}:
        return {}
    if not isinstance(value, dict):
        raise BoardError(
            f"blank_names: an object with a name for each move is expected, not {json_word(value)}"
        )
    moves = {operator.name for operator in operators}
    if unknown := sorted(set(value) - moves):
        raise BoardError(f"blank_names: there is no move {quote(unknown[0])}")
    if unnamed := sorted(moves - set(value)):
        raise BoardError(f"blank_names: the move {quote(unnamed[0])} has no name there")
    names = {move: check_name(name, "blank_names") for move, name in value.items()}
    if len(set(names.values())) < len(names):
        raise BoardError("blank_names: two moves have the same name")
    return names


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise BoardError(f"{where}: a list is expected, not {json_word(value)}")
    return value


def _read_layout(value: object) -> CellLayout | None:
    """Return the layout, whose positions and edges are numbers; raise `BoardError` otherwise.

    Whether they fit a puzzle is `Puzzle`'s to check.
    """
    if value is None:
        return None
    if not isinstance(value, dict) or not {"positions"} <= set(value) <= _LAYOUT_KEYS:
        raise BoardError('layout: an object {"positions": ..., "edges": ...} is expected')
    positions = tuple(_position(pair) for pair in _pairs(value["positions"], "positions"))
    edges = tuple(_edge(pair) for pair in _pairs(value.get("edges", []), "edges"))
    holes, colours = value.get("holes", []), value.get("colours", [])
    if not isinstance(holes, list) or not all(type(cell) is int for cell in holes):
        raise BoardError("layout: holes: a list of cells, which count from 0, is expected")
    if not isinstance(colours, list) or not all(isinstance(colour, str) for colour in colours):
        raise BoardError("layout: colours: a list of colours like #ff8800 is expected")
    are_round = value.get("round", False)
    if not isinstance(are_round, bool):
        raise BoardError("layout: round: true or false is expected")
    return CellLayout(positions, edges, tuple(holes), tuple(colours), are_round)


def _layout_rules(layout: CellLayout) -> dict[str, Any]:
    """Return the object that `_read_layout` makes `layout` of."""
    others = {key: getattr(layout, key) for key in ("edges", "holes", "colours", "round")}
    return {"positions": layout.positions} | {key: given for key, given in others.items() if given}


def _pairs(value: object, what: str) -> list[list[Any]]:
    if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 for p in value):
        raise BoardError(f"layout: {what}: a list of pairs is expected")
    return value


def _position(pair: list[Any]) -> Position:
    for number in pair:
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if not is_number or not 0 <= number <= LARGEST_POSITION:
            raise BoardError(
                f"layout: a position is two numbers from 0 to {LARGEST_POSITION}, right and down"
            )
    return pair[0], pair[1]


def _edge(pair: list[Any]) -> tuple[int, int]:
    if not all(type(cell) is int for cell in pair):
        raise BoardError("layout: an edge is a pair of cells, which count from 0")
    return pair[0], pair[1]


def whole_number(value: object, where: str, largest: int = _LARGEST_NUMBER) -> int:
    """Return `value`; raise `BoardError` unless it is an integer from 0 to `largest`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
        is_fraction = isinstance(value, float) and isfinite(value)
        is_number = is_fraction or (isinstance(value, int) and not isinstance(value, bool))
        shown = quote(str(value)) if is_number else json_word(value)
        raise BoardError(f"{where}: {shown} is not a whole number from 0 to {largest}")
    return value
