"""Paths from a symmetric start that need not be searched: a symmetry turns them into smaller ones.

If a symmetry of the rules keeps start and goal it turns each plan into another one. A pruning
automaton lets the smallest of all shortest plans through (`analysis.duplicate_sequences`), in the
order of penalties and then the alphabetical one. If symmetries keep penalties as well, they turn
that plan into no smaller one alphabetically, nor any of its beginnings. So a path that a symmetry
turns into a smaller one does not begin it, and the search finds it without that path. From a start
that is its own mirror image this leaves half of the tree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plansolve.analysis.automorphisms import CellMap, keeping_start
from plansolve.model.problem import Problem
from plansolve.solvers.search.idastar.tree import Path

_Goes: TypeAlias = tuple[int, ...]
"""For each cell, the cell that a move takes its content to."""


@dataclass(frozen=True)
class StartSymmetries:
    """The image of each move under symmetries that keep start, goal and rules, but the identity.

    Moves are ordered by their numbers, or by `order[cell]` if the blank is in a cell.
    """

    images: tuple[Sequence[int], ...]
    order: tuple[Mapping[int, int], ...] = ()

    def leave_out(self, path: Path) -> bool:
        """Return True if one of them turns a path into a smaller one."""
        return any(self._is_smaller(image, path) for image in self.images)

    def _is_smaller(self, image: Sequence[int], path: Path) -> bool:
        for number, move in enumerate(path):
            if (other := image[move]) != move:
                order = self.order[path[number - 1]] if self.order else range(len(image))
                return order[other] < order[move]
        return False


def walk_symmetries(problem: Problem) -> StartSymmetries:
    """Return the symmetries of the blank's walks, whose moves are its cells."""
    graph = problem.blank_graph
    arcs = [(b, d) for b, targets in enumerate(graph.successors) for d in targets]
    penalties = graph.penalties
    images = tuple(
        image
        for image in keeping_start(problem)
        if all(penalties[image[b]][image[d]] == penalties[b][d] for b, d in arcs)
    )
    ranks = tuple({d: rank for rank, d in enumerate(row)} for row in graph.successors)
    return StartSymmetries(images, ranks)


def operator_symmetries(
    problem: Problem, effects: Sequence[tuple[_Goes, int | None]]
) -> StartSymmetries:
    """Return the symmetries of operator sequences without penalties; moves are numbers.

    `effects` has what each does, and the cell in which it needs the blank, None for any. Of
    operators with the same effect only the first is in paths.
    """
    first: dict[tuple[_Goes, int | None], int] = {}
    for number, effect in enumerate(effects):
        first.setdefault(effect, number)
    free = {goes for goes, need in first if need is None}
    if any(goes in free for goes, need in first if need is not None):
        # Which of them is in a path depends on where the blank is.
        return StartSymmetries(())
    return StartSymmetries(
        tuple(
            [first[_turned(*effect, image)] for effect in effects]
            for image in keeping_start(problem)
        )
    )


def _turned(goes: _Goes, need: int | None, image: CellMap) -> tuple[_Goes, int | None]:
    turned = list(goes)
    for cell, to in enumerate(goes):
        turned[image[cell]] = image[to]
    return tuple(turned), None if need is None else image[need]
