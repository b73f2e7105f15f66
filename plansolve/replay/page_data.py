"""What the page knows: the puzzle as data, a board, a plan and the optimum, as JSON."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Plan, Puzzle
from plansolve.replay.geometry import geometry
from plansolve.replay.svg import MARGIN, PITCH, TILE

__all__ = ["page_data", "script_json"]


def page_data(
    problem: Problem,
    plan: Plan | None,
    *,
    optimum: int | None,
    names: Mapping[str, str],
) -> dict[str, Any]:
    """Return the object that the page's script reads; every value can be written as JSON.

    `operators` is a list of [name, ground operators], and a ground operator is [blank, cycle, ...]
    where `blank` is a cell or null, and the content of each cell of a cycle goes to the next one.
    `plan` holds indices into that list, or is null. `names` says how moves are called where it is
    not by their own names.
    """
    puzzle = problem.puzzle
    index = {name: i for i, name in enumerate(puzzle.move_names)}
    operators: list[tuple[str, list[Any]]] = [
        (names.get(name, name), []) for name in puzzle.move_names
    ]
    for operator in puzzle.operators:
        operators[index[operator.name]][1].append([operator.blank, *_cycles(operator)])
    return {
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "labels": puzzle.labels,
        "start": problem.start,
        "goal": puzzle.goal,
        "operators": operators,
        "plan": None if plan is None else [index[move] for move in plan],
        "optimum": optimum,
        "picture": {"pitch": PITCH, "tile": TILE, "margin": MARGIN},
        "layout": _layout(puzzle),
    }


def _layout(puzzle: Puzzle) -> dict[str, Any] | None:
    """Return where the cells are and which are joined, null for a grid."""
    if puzzle.layout is None:
        return None
    shape = geometry(puzzle)
    return {
        "positions": shape.positions,
        "width": shape.width,
        "height": shape.height,
        "edges": puzzle.layout.edges,
        "holes": puzzle.layout.holes,
    }


def script_json(data: Mapping[str, Any]) -> str:
    """Return the object as JSON that cannot end the `<script>` element around it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _cycles(operator: Operator) -> Iterator[list[int]]:
    """Yield the cycles of the cells that change, each from a cell to where its content goes."""
    goes_to = {source: cell for cell, source in operator.moves if cell != source}
    while goes_to:
        cell, after = goes_to.popitem()
        cycle = [cell]
        while after != cycle[0]:
            cycle.append(after)
            after = goes_to.pop(after)
        yield cycle
