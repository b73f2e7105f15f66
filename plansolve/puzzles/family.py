"""What the rest of the package knows of a puzzle family before it has a board."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from reprlib import repr as brief
from types import MappingProxyType

from plansolve.errors import BoardError, OptionError
from plansolve.model.puzzle import Puzzle, State

__all__ = ["Family", "Parameters", "Preset", "chosen_metric", "in_order", "sized"]

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


def in_order(rows: int, columns: int) -> State:
    """Return 1 2 3 ... row by row."""
    return tuple(range(1, rows * columns + 1))


def sized(rows: int, columns: int, parameters: Parameters) -> None:
    """Raise `BoardError` where a puzzle in one row has another size than `parameters` say."""
    if rows != 1:
        raise BoardError(f"the board has {rows} rows, the puzzle one")
    size = parameters.get("size", str(columns))
    if size != str(columns):
        raise BoardError(f"the board has {columns} tiles, the puzzle {size[:20]}")


@dataclass(frozen=True)
class Preset:
    """A board size that people know by a name, such as the 15-puzzle.

    `moves` is how far a new board is scrambled from the goal; None stands for a random board.
    """

    title: str
    rows: int
    columns: int
    moves: int | None = None


def _unchanged(goal: State, parameters: Parameters) -> State:
    return goal


@dataclass(frozen=True)
class Family:
    """One puzzle family.

    `make` builds the rules from rows, columns, goal (None for the default) and parameters.
    `parameters` maps each key that a specification may set to a sentence about its values.
    `goals` maps each named goal to the function (rows, columns) -> board, the default first, and
    `goal_for` makes of such a board the one for some parameters.
    `default_size` holds the rows and columns of a new board. `labels[k]` is how boards of the
    family write tile k, item 0 being the blank; empty where they write numbers. `words` maps
    names of moves, in lower case, to words that plans may use for them. `positional` are the
    parameters that a specification may give by their values alone, in this order. Where a family
    `is_measured`, what encodings tell of times was measured with its boards of the default size.
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
    positional: tuple[str, ...] = ()
    goal_for: Callable[[State, Parameters], State] = _unchanged
    is_measured: bool = False

    def size_of(self, parameters: Parameters) -> tuple[int, int]:
        """Return the rows and columns of a new board.

        Raise `OptionError` for a parameter "size" that is no number from 2 on.
        """
        size = parameters.get("size")
        if size is None:
            return self.default_size
        if not (size.isascii() and size.isdigit() and len(size) <= 3 and int(size) > 1):
            raise OptionError(f"size={brief(size)}: a number of tiles is expected")
        return 1, int(size)
