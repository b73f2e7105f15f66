"""The puzzle families by name, and puzzles from specifications such as "torus-ring:rings=none"."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from reprlib import repr as brief
from types import MappingProxyType

from plansolve.errors import BoardError, OptionError
from plansolve.model.puzzle import Puzzle, State
from plansolve.puzzles.lloyd import lloyd
from plansolve.puzzles.sliding import GOALS, blank_last, sliding
from plansolve.puzzles.torus_ring import RING_NAMES, torus_ring

__all__ = ["FAMILIES", "LARGEST_SIDE", "Family", "make_puzzle", "named_goal"]

LARGEST_SIDE = 30

Parameters = Mapping[str, str]


@dataclass(frozen=True)
class Family:
    """One puzzle family.

    `parameters` maps each key that a specification may set to a sentence about its values;
    `goals` maps each named goal to the function (rows, columns) -> board, the default first.
    """

    name: str
    summary: str
    moves: str
    make: Callable[[int, int, State | None, Parameters], Puzzle]
    goals: Mapping[str, Callable[[int, int], State]]
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def _in_order(rows: int, columns: int) -> State:
    return tuple(range(1, rows * columns + 1))


def _torus_ring(rows: int, columns: int, goal: State | None, parameters: Parameters) -> Puzzle:
    rings = parameters.get("rings", "+".join(RING_NAMES))
    return torus_ring(
        rows,
        columns,
        goal,
        row_ways=parameters.get("rows", "").upper(),
        column_ways=parameters.get("columns", "").upper(),
        rings=() if rings == "none" else tuple(rings.split("+")),
    )


_TORUS_PARAMETERS = {
    "rows": "a letter for each row: L, R, * (both ways), - (fixed); default all *",
    "columns": "a letter for each column: U, D, *, -; default all *",
}

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (
            Family(
                name="sliding",
                summary="m x n sliding tiles with one blank (8-, 15-, 24-puzzle ...)",
                moves="U D L R: a tile slides into the blank",
                make=lambda rows, columns, goal, _: sliding(rows, columns, goal),
                goals=GOALS,
            ),
            Family(
                name="lloyd",
                summary="Lloyd's Dilemma: 24 letters and one blank, with a transport",
                moves="d u r l: a tile slides into the blank; t: the centre tile jumps into it",
                make=lambda rows, columns, goal, _: lloyd(rows, columns, goal),
                goals=MappingProxyType({"blank-last": blank_last}),
            ),
            Family(
                name="torus-ring",
                summary="the 5x5 2023 puzzle: rows, columns and rings turn; no blank",
                moves="R1.. L1.. D1.. U1.. turn a row or column, Oc Occ Ic Icc a ring",
                make=_torus_ring,
                goals=MappingProxyType({"in-order": _in_order}),
                parameters=MappingProxyType(
                    _TORUS_PARAMETERS | {"rings": "outer+inner (default), outer, inner or none"}
                ),
            ),
            Family(
                name="loopover",
                summary="Loopover: rows and columns turn, no rings",
                moves="R1.. L1.. D1.. U1.. turn a row or column",
                make=lambda rows, columns, goal, parameters: _torus_ring(
                    rows, columns, goal, {**parameters, "rings": "none"}
                ),
                goals=MappingProxyType({"in-order": _in_order}),
                parameters=MappingProxyType(_TORUS_PARAMETERS),
            ),
        )
    }
)


def make_puzzle(specification: str, rows: int, columns: int, goal: State | None = None) -> Puzzle:
    """The puzzle that `NAME` or `NAME:key=value,...` specifies, on a board of the given size.

    Raises `OptionError` for an unknown name, key or value, `BoardError` for a size or goal that
    the family does not have.
    """
    family = _family(specification)
    name, _, rest = specification.partition(":")
    if not (1 <= rows <= LARGEST_SIDE and 1 <= columns <= LARGEST_SIDE) or rows * columns < 2:
        raise BoardError(
            f"a {brief(rows)}x{brief(columns)} board is out of range: "
            f"sides go from 1 to {LARGEST_SIDE}, and two cells are the least"
        )
    parameters = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not equals or key not in family.parameters:
            known = ", ".join(f"{k}=..." for k in family.parameters) or "none"
            raise OptionError(
                f"puzzle {name} has no parameter {brief(item)}; its parameters: {known}"
            )
        parameters[key] = value
    return family.make(rows, columns, goal, parameters)


def named_goal(specification: str, goal: str, rows: int, columns: int) -> State:
    """The board of a family's named goal; raises `OptionError` for an unknown family or goal."""
    family = _family(specification)
    if goal not in family.goals:
        raise OptionError(
            f"unknown goal {brief(goal)} for {family.name}: choose {', '.join(family.goals)}, "
            "or give a file that holds the goal board"
        )
    return family.goals[goal](rows, columns)


def _family(specification: str) -> Family:
    name = specification.partition(":")[0]
    if name not in FAMILIES:
        raise OptionError(f"unknown puzzle {brief(name)}: choose from {', '.join(FAMILIES)}")
    return FAMILIES[name]
