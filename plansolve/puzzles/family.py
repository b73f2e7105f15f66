"""The interface of a puzzle family."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as brief
from typing import TypeAlias

from plansolve.errors import OptionError
from plansolve.model.puzzle import Operator, Puzzle, State

LARGEST_SIDE = 30

Parameters = Mapping[str, str]

NOTHING: Parameters = {}


def specified(name: str, *parameters: str) -> str:
    """Return the specification of a family with parameters; empty ones are left out."""
    said = ",".join(filter(None, parameters))
    return f"{name}:{said}" if said else name


def chosen_metric(parameters: Parameters, metrics: tuple[str, ...]) -> str:
    """Return the metric that the parameters name, by default the first of `metrics`.

    Raise `OptionError` for any other.
    """
    metric = parameters.get("metric", metrics[0])
    if metric not in metrics:
        raise OptionError(f"unknown metric {brief(metric)}: choose from {', '.join(metrics)}")
    return metric


def chosen_number(
    parameters: Parameters, key: str, usual: int, least: int, most: int, where: str = ""
) -> int:
    """Return the number that a parameter gives, by default `usual`.

    Raise `OptionError` for anything but a number from `least` to `most`; `where` ends the message.
    """
    text = parameters.get(key, str(usual))
    is_number = text.isascii() and text.isdigit() and len(text) <= 3
    if not (is_number and least <= int(text) <= most):
        wanted = str(least) if least == most else f"a number from {least} to {most}"
        raise OptionError(f"{key}={text[:20]}: {wanted} is expected{where and f' {where}'}")
    return int(text)


def turn(name: str, cells: Sequence[int], places: int) -> Operator:
    """Return the move that rotates the contents of a ring of cells by so many places."""
    return Operator(name, tuple(zip((*cells[places:], *cells[:places]), cells, strict=True)))


def ring_cells(rows: int, columns: int, depth: int) -> list[int]:
    """Return the cells at `depth` from the edge, clockwise from the upper left one."""
    last_row, last = rows - 1 - depth, columns - 1 - depth
    cells = [(depth, column) for column in range(depth, last + 1)]
    cells += [(row, last) for row in range(depth + 1, last_row + 1)]
    if depth < last_row:
        cells += [(last_row, column) for column in range(last - 1, depth - 1, -1)]
    if depth < last:
        cells += [(row, depth) for row in range(last_row - 1, depth, -1)]
    return [row * columns + column for row, column in cells]


def in_order(rows: int, columns: int) -> State:
    """Return 1 2 3 ... row by row."""
    return tuple(range(1, rows * columns + 1))


@dataclass(frozen=True)
class Preset:
    """A board size that people know by a name, such as the 15-puzzle.

    `moves` is the number of random moves from the goal to a new board; None is a random board.
    `parameters` are those of the specification, as text.
    """

    title: str
    rows: int
    columns: int
    moves: int | None = None
    parameters: str = ""


Pose: TypeAlias = Callable[
    [Sequence[str], str | Sequence[str] | None, Parameters], tuple[Puzzle, State]
]


@dataclass(frozen=True)
class Family:
    """One puzzle family.

    `make` builds the rules from rows, columns and parameters, with the first of the goals.
    `parameters` maps each key that a specification may set to a sentence about its values. `goals`
    maps each named goal to the function (rows, columns) -> board, the default first; `adapted`
    changes such a board for some parameters, such as holes. `default_size` holds the rows and
    columns of a new board. `labels[k]` is the label of tile k, item 0 that of the blank; it is
    empty if labels are numbers. `words` maps names of moves, in lower case, to words that plans may
    use for them. `positional` are the parameters that a specification may give by their values
    alone, in this order. The parameter `size_key` is the size of a new board, from `least` to
    `most`, and `shape` turns it into rows and columns. If rules depend on the pieces of a board,
    `pose` makes both from rows of letters, a goal and parameters.
    """

    name: str
    summary: str
    moves: str
    make: Callable[[int, int, Parameters], Puzzle]
    goals: Mapping[str, Callable[[int, int], State]]
    has_blank: bool = True
    default_size: tuple[int, int] = (5, 5)
    parameters: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    labels: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    presets: tuple[Preset, ...] = ()
    positional: tuple[str, ...] = ()
    adapted: Callable[[State, int, int, Parameters], State] = lambda board, *_: board
    size_key: str = "size"
    least: int = 2
    most: int = LARGEST_SIDE
    shape: Callable[[int], tuple[int, int]] = lambda size: (1, size)
    pose: Pose | None = None

    def size_of(self, parameters: Parameters) -> tuple[int, int]:
        """Return the rows and columns of a new board.

        Raise `OptionError` if the parameter `size_key` is not a number from `least` to `most`.
        """
        if self.size_key not in parameters:
            return self.default_size
        return self.shape(chosen_number(parameters, self.size_key, 0, self.least, self.most))
