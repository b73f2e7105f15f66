"""The interface of lower bounds: what a bound declares, and how searches evaluate it at nodes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.model.structure import UNREACHABLE, Structure


@dataclass(frozen=True)
class Lookup:
    """A number that a table holds for a key, which is a sum over the tiles.

    The key of a board is the sum of weight[tile][cell] over its tiles, those that `weight` leaves
    out add nothing; keys are below 2^64. A key that the table leaves out stands for 0.
    """

    weight: Mapping[int, Sequence[int]]
    table: Mapping[int, int]

    def key(self, board: State) -> int:
        return sum(
            self.weight[tile][cell] for cell, tile in enumerate(board) if tile in self.weight
        )

    def worth(self, board: State) -> int:
        return self.table.get(self.key(board), 0)


@dataclass(frozen=True)
class NodeBound:
    """A bound as data, which the kernels of searches evaluate at each node.

    It is the sum of distance[tile][cell] over the tiles, and of all lookups. If a move may bring
    `divisor` tiles nearer, the distances contribute their sum divided by `divisor`, rounded up, or
    the largest distance if that is more. Numbers are not negative; `UNREACHABLE` stands for a tile
    that cannot come home. Tiles that `distance` leaves out count 0.
    """

    distance: Mapping[int, Sequence[int]] = field(default_factory=dict)
    lookups: Sequence[Lookup] = ()
    divisor: int = 1

    def value(self, board: State) -> int:
        """Return the bound at a board; `UNREACHABLE` or more if a tile cannot come home."""
        cells = enumerate(board)
        parts = [self.distance[tile][cell] for cell, tile in cells if tile in self.distance]
        total = sum(parts)
        if self.divisor > 1 and total < UNREACHABLE:
            total = max(-(-total // self.divisor), *parts, 0)
        return total + sum(lookup.worth(board) for lookup in self.lookups)


class Bound(ABC):
    """A lower bound on the number of moves from a board to the goal.

    It is `admissible` if it never exceeds the length of a shortest plan, and `consistent` if
    no move makes it fall by more than one (Pearl 1984); an admissible one is 0 at the goal. Engines
    that claim optimality refuse a bound that does not declare itself admissible. `name` is what
    users type. A bound that is not `quick` builds tables, and is used only if it is asked for by
    name. `needs` tells people which puzzles it is for.
    """

    name: ClassVar[str]
    admissible: ClassVar[bool]
    consistent: ClassVar[bool]
    needs: ClassVar[str] = "any puzzle"
    quick: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The name as results show it."""
        return self.name.replace("-", " ")

    def fits(self, structure: Structure) -> bool:
        """Return True if the bound holds for puzzles of this structure."""
        return True

    def exceeded(self, problem: Problem) -> str | None:
        """Return the limit that the bound's tables for nodes would exceed, and the puzzle's value.

        Return None if they are not too large. The problem must fit. This is quick: no table is
        made.
        """
        return None

    def check_size(self, problem: Problem) -> None:
        """Raise `OptionError` if the tables for the nodes of searches would be too large."""
        if limit := self.exceeded(problem):
            raise OptionError(f"bound {self.name} takes {limit}")

    @abstractmethod
    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return the bound as data, which does not depend on the start; the problem must fit.

        Raises `OptionError` if it would be too large.
        """

    def value(self, problem: Problem) -> int:
        """Return the bound at the problem's start, at least `UNREACHABLE` if it refutes any plan.

        The problem must fit. Raises `OptionError` if that needs tables that would be too large.
        """
        return self.at_nodes(problem).value(problem.start)
