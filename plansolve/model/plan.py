"""A plan that shows itself as people write it."""

from collections.abc import Iterable

from plansolve.model.puzzle import Puzzle

__all__ = ["MoveNames"]

_SHOWN = 60
"""The characters of a plan that a `repr` shows."""


class MoveNames(tuple[str, ...]):
    """The names of a plan's moves, a tuple; `str` is what `read_plan` reads.

    >>> import plansolve
    >>> plan = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]]).plan
    >>> print(plan)
    DLLUU
    >>> plan
    <Plan of 5 moves: DLLUU>
    >>> plan == ("D", "L", "L", "U", "U")
    True
    """

    separator = " "

    @classmethod
    def of(cls, plan: Iterable[str], puzzle: Puzzle) -> "MoveNames":
        """Return the plan; its names run together where each of the puzzle's is one character."""
        moves = cls(plan)
        if all(len(name) == 1 for name in puzzle.move_names):
            moves.separator = ""
        return moves

    def __str__(self) -> str:
        return self.separator.join(self)

    def __repr__(self) -> str:
        text = str(self)
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        return f"<Plan of {len(self)} move{'s' * (len(self) != 1)}: {shown}>"
