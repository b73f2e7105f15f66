"""Pancakes: a stack whose top is turned over with a spatula (Jacob Goodman, 1975)."""

from types import MappingProxyType

from plansolve.model.layout import CellLayout
from plansolve.model.puzzle import Operator, Puzzle, State
from plansolve.puzzles.family import LARGEST_SIDE, Family, Parameters, Preset, in_order, sized

__all__ = ["PANCAKE", "pancake"]


def pancake(size: int, goal: State | None = None) -> Puzzle:
    """Return the stack of so many pancakes, its top on the left; F3 turns the first three over."""
    return Puzzle(
        name="pancake",
        rows=1,
        columns=size,
        goal=in_order(1, size) if goal is None else goal,
        operators=tuple(
            Operator(f"F{top}", tuple((cell, top - 1 - cell) for cell in range(top)))
            for top in range(2, size + 1)
        ),
        labels=tuple(map(str, range(size + 1))),
        # A stack, as it stands on a plate.
        layout=CellLayout(tuple((0, place) for place in range(size))),
    )


def _make(rows: int, columns: int, goal: State | None, parameters: Parameters) -> Puzzle:
    sized(rows, columns, parameters)
    return pancake(columns, goal)


PANCAKE = Family(
    name="pancake",
    summary="a stack of pancakes whose top is turned over",
    moves="F2 F3 .. turn the first two, three .. over",
    make=_make,
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    default_size=(1, 10),
    parameters=MappingProxyType(
        {"size": f"how many there are, 2 to {LARGEST_SIDE}, as in pancake:10"}
    ),
    positional=("size",),
    presets=(Preset("Pancakes", 1, 10),),
)
