"""What a legend says of the searches from both ends of the plans: how far, and with what bounds.

A line `bound goal 1 2 0 3 0` tells that tiles 1 and 2 and tile 3 were the patterns of a bound on
the distance to the goal, `bound start ...` the same for the start; the largest of such sums
counts. Where no move depends on a blank it is the largest of lookups, as in a search proof: a line
`table 3 8 12` names the tiles whose homes are these cells, `symmetry 2 1 0 ...` a map of the cells,
and `lookup 0 1 0` table 0 by symmetry 1, of the board (0) or its inverse (1). A line `depth goal
24`, or `depth start ...`, tells how many moves a search with that bound has to make.
"""

from dataclasses import dataclass, field

from plansolve.certcheck.search.proof import PatternLookup
from plansolve.errors import ProofError
from plansolve.model.problem import Problem

__all__ = ["LINES", "PerimeterBounds"]

LINES = ("bound goal", "bound start", "depth goal", "depth start", "table", "symmetry", "lookup")
"""How these lines begin."""

_MOST_PARTITIONS = 16
_MOST_LOOKUPS = 256


@dataclass(eq=False)
class PerimeterBounds:
    """The lines that were read; `partitions` into patterns and `depth` for "goal" and "start".

    `lookups` are looks into `tables`, told by the homes of their tiles, at images by `symmetries`.
    """

    partitions: dict[str, list[list[tuple[int, ...]]]] = field(
        default_factory=lambda: {"goal": [], "start": []}
    )
    depth: dict[str, int] = field(default_factory=lambda: {"goal": 0, "start": 0})
    tables: list[tuple[int, ...]] = field(default_factory=list)
    symmetries: list[tuple[int, ...]] = field(default_factory=list)
    lookups: list[PatternLookup] = field(default_factory=list)

    def read(self, word: str, numbers: list[int], problem: Problem) -> None:
        """Take in a line that begins with one of `LINES`.

        Raise `ProofError`, or `ValueError` for too many numbers or too few.
        """
        match word.split():
            case "bound", end:
                self.partitions[end].append(_partition(numbers, problem))
                if len(self.partitions[end]) > _MOST_PARTITIONS:
                    raise ProofError("too many lists")
            case "depth", end:
                (self.depth[end],) = numbers
            case "lookup", *_:
                table, symmetry, inverse = numbers
                if table >= len(self.tables) or symmetry >= len(self.symmetries) or inverse > 1:
                    raise ProofError(
                        "a lookup is the numbers of a table and a symmetry, and 0 or 1"
                    )
                self.lookups.append(PatternLookup(table, symmetry, bool(inverse)))
            case _:
                cells, count = problem.puzzle.cells, len({*numbers})
                is_whole = count == cells or word == "table"
                if not 0 < count == len(numbers) or not is_whole or max(numbers) >= cells:
                    raise ProofError(f"a {word} names different cells of the board")
                (self.tables if word == "table" else self.symmetries).append(tuple(numbers))
        if max(len(self.tables), len(self.symmetries), len(self.lookups)) > _MOST_LOOKUPS:
            raise ProofError("too many lists")


def _partition(numbers: list[int], problem: Problem) -> list[tuple[int, ...]]:
    """Return patterns that share no tile; raise `ProofError`."""
    patterns: list[tuple[int, ...]] = [()]
    for number in numbers:
        if number:
            patterns[-1] = (*patterns[-1], number)
        else:
            patterns.append(())
    tiles = [tile for pattern in patterns for tile in pattern]
    if len(set(tiles)) < len(tiles) or not {*tiles} <= {*problem.puzzle.tiles}:
        raise ProofError("not patterns of different tiles")
    return [pattern for pattern in patterns if pattern]
