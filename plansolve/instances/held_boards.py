"""New boards of pieces that block each other.

Pieces are put at random into cells that their moves allow. All boards that can be reached from
there are visited, and a backward search from the goal boards gives their distances to the goal.
"""

from collections.abc import Iterator
from typing import NamedTuple

from plansolve.errors import OptionError
from plansolve.instances.randomness import Randomness
from plansolve.model.puzzle import BLANK, Plan, Puzzle, State
from plansolve.model.structure import Structure
from plansolve.solvers.search.packed_boards import PackedRules

_TRIES = 200
_MOST_BOARDS = 60_000

_Place = tuple[tuple[int, int], ...]
"""The pairs (cell, kind) of a piece."""


class Reached(NamedTuple):
    """A board, and the boards that can be reached from it, 0, 1, 2 ... moves from the goal."""

    board: State
    layers: list[list[int]]


class HeldBoards:
    """Makes boards of one puzzle; raise `OptionError` if they cannot be made."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle, self._rules = puzzle, PackedRules(puzzle)
        places: dict[tuple[int, ...], set[_Place]] = {}
        for operator in puzzle.operators:
            own = tuple(need for need in operator.needs if need[1] != BLANK)
            places.setdefault(tuple(sorted(kind for _, kind in own)), set()).add(own)
        self._places = [sorted(found) for _, found in sorted(places.items(), reverse=True)]
        known = sorted(kind for kinds in places for kind in kinds)
        moved = {*puzzle.pieces} - {BLANK, *(kind for _, kind in puzzle.fixed)}
        if known != sorted(moved) or not Structure(puzzle).is_inverse_closed:
            raise OptionError(
                f"no new boards of {puzzle.short_name} can be made: a piece never moves, or a move "
                "cannot be taken back"
            )

    def drawn(self, randomness: Randomness) -> Iterator[Reached]:
        """Yield random boards; raise `OptionError` after two hundred."""
        for _ in range(_TRIES):
            board = self._arrangement(randomness)
            if board is not None and (found := self._reached(board)) is not None:
                yield found
        raise OptionError(
            f"among {_TRIES} random boards of {self._puzzle.short_name} none was as requested; "
            "others may be"
        )

    def _arrangement(self, randomness: Randomness) -> State | None:
        """Return a random board; None if the pieces put first leave no place for the next."""
        cells = dict(self._puzzle.fixed)
        for places in self._places:
            for _ in range(self._puzzle.pieces.count(places[0][0][1])):
                free = [place for place in places if cells.keys().isdisjoint(dict(place))]
                if not free:
                    return None
                cells |= dict(randomness.one_of(free))
        return tuple(cells.get(cell, BLANK) for cell in range(self._puzzle.cells))

    def _reached(self, board: State) -> Reached | None:
        """Return the boards around one; None for too many."""
        start, _ = self._rules.packed(enumerate(board))
        seen, layer = {start: start}, [start]
        while layer := self._rules.after(layer, seen, _MOST_BOARDS):
            if len(seen) > _MOST_BOARDS:
                return None
        goal, mask = self._rules.goal
        layers, layer = list[list[int]](), sorted(one for one in seen if one & mask == goal)
        nearer = dict.fromkeys(layer, start)
        # Moves can be undone, so as many moves lead from these boards to the goal.
        while layer:
            layers.append(layer)
            layer = sorted(self._rules.after(layer, nearer, _MOST_BOARDS))
        return Reached(board, layers)

    def of_length(self, least: int, most: int, randomness: Randomness) -> tuple[State, Plan]:
        """Return a board whose shortest plan has so many moves, and such a plan."""
        for found in self.drawn(randomness):
            if lengths := range(least, min(most + 1, len(found.layers))):
                length = randomness.one_of(lengths)
                way = [randomness.one_of(found.layers[length])]
                for layer in found.layers[:length][::-1]:
                    way.append(min({*layer}.intersection(self._rules.after(way[-1:], {}, 1 << 30))))
                return self._rules.unpacked(way[0]), self._rules.plan(way)
        raise AssertionError
