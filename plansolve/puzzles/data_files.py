"""Families whose rules are files of `data`, such as users write: pocket cube and pyraminx.

Their boards are the stickers, a line for each face. Of the pocket cube (2x2x2) the corner at the
left, back and bottom stays; its faces come in the order U R F D L B, and in each the stickers as
one reads them: on U with B above it, on D with F above it, on the others with U above it. The
corners of the pyraminx, which has no tips, are U (up), L, R and B (back); a face is called after
the corner that it does not have, and holds the stickers of its corners, in the same order, and then
those of its edges, each beside the corner opposite to it.
"""

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from plansolve.errors import BoardError
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_metric, in_order
from plansolve.puzzles.rules import puzzle_from_rules

_METRICS = ("half-turn", "quarter-turn")


def _puzzle(name: str) -> Puzzle:
    file = Path(__file__).with_name("data") / f"{name}.json"
    return puzzle_from_rules(json.loads(file.read_text(encoding="utf-8")))


_CUBE, _PYRAMINX = map(_puzzle, ("pocket-cube", "pyraminx"))


def _sized(puzzle: Puzzle, rows: int, columns: int) -> Puzzle:
    if (rows, columns) != (puzzle.rows, puzzle.columns):
        raise BoardError(
            f"a {puzzle.name.replace('-', ' ')} has {puzzle.rows} lines of {puzzle.columns} "
            "stickers, one a face"
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
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    default_size=(_CUBE.rows, _CUBE.columns),
    parameters=MappingProxyType({"metric": "half-turn (default), or quarter-turn: no U2 R2 F2"}),
    labels=_CUBE.labels,
    presets=(Preset("Pocket cube", _CUBE.rows, _CUBE.columns, moves=20),),
)

PYRAMINX = Family(
    name="pyraminx",
    summary="the pyraminx without tips, by its stickers, a line for each face",
    moves="U L R B turn a corner clockwise, U' L' R' B' back",
    make=lambda rows, columns, _: _sized(_PYRAMINX, rows, columns),
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    default_size=(_PYRAMINX.rows, _PYRAMINX.columns),
    labels=_PYRAMINX.labels,
    presets=(Preset("Pyraminx", _PYRAMINX.rows, _PYRAMINX.columns, moves=20),),
)
