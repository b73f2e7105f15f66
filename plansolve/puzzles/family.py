"""What the rest of the package knows of a puzzle family before it has a board."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from reprlib import repr as brief
from types import MappingProxyType

from plansolve.errors import OptionError
from plansolve.model.puzzle import Puzzle, State

__all__ = ["Family", "Parameters", "Preset", "chosen_metric"]

Parameters = Mapping[str, str]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def chosen_metric(parameters: Parameters, metrics: tuple[str, ...]) -> str:
    """Return how moves are counted, the first of `metrics` where nothing is said.

    Raise `OptionError` for what is none of them.
    """
    metric = parameters.get("metric", metrics[0])
    if metric not in metrics:
        raise OptionError(f"unknown metric {brief(metric)}: choose from {', '.join(metrics)}")
    return metric


@dataclass(frozen=True)
class Preset:
    """A board size that people know by a name, such as the 15-puzzle.

    `moves` is how far a new board is scrambled from the goal; None stands for a random board.
    """

    title: str
    rows: int
    columns: int
    moves: int | None = None


@dataclass(frozen=True)
class Family:
    """One puzzle family.

    `make` builds the rules from rows, columns, goal (None for the default) and parameters.
    `parameters` maps each key that a specification may set to a sentence about its values.
    `goals` maps each named goal to the function (rows, columns) -> board, the default first.
    `default_size` holds the rows and columns of a new board. `labels[k]` is how boards of the
    family write tile k, item 0 being the blank; empty where they write numbers. `words` maps
    names of moves, in lower case, to words that plans may use for them.
    """

    name: str
    summary: str
    moves: str
    make: Callable[[int, int, State | None, Parameters], Puzzle]
    goals: Mapping[str, Callable[[int, int], State]]
    has_blank: bool = True
    default_size: tuple[int, int] = (5, 5)
    parameters: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    labels: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    presets: tuple[Preset, ...] = ()
