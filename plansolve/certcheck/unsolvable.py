"""Proofs that a problem has no plan, from its rules alone.

There are four reasons: a piece that, with the only blank, cannot reach a goal cell of its kind
whatever the others do; a parity that no move changes, and that differs between board and goal; few
boards, all of which are visited; and moves that need no blank and do not generate the permutation
that takes the board to the goal. Parity and group are about one permutation, so they do not apply
if pieces are alike or the goal leaves cells open. If none of the four is found, there may still be
no plan.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from plansolve.certcheck.elementary import end_cells
from plansolve.certcheck.options import CheckFailed
from plansolve.certcheck.search.visit import visited
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import permutation_parity
from plansolve.text import counted

_MOST_PAIRS, _MOST_BOARDS, _MOST_MOVES = 1 << 16, 100_000, 1 << 23
# Of pieces that need other pieces in certain cells.
_MOST_HELD = 500_000
# For more points the stabiliser chain takes minutes.
_MOST_CELLS_OF_GROUP = 32


def why_no_plan(problem: Problem) -> str | None:
    """Return why no moves lead from the start to the goal; None if no reason is found."""
    for reason in (_out_of_reach, _other_parity, _not_among, _not_generated):
        if found := reason(problem):
            return found
    return None


def _out_of_reach(problem: Problem) -> str | None:
    puzzle = problem.puzzle
    if puzzle.needs_kinds:
        return None
    if puzzle.cells**2 * len(puzzle.operators) * puzzle.cells > _MOST_PAIRS << 8:
        return None
    after = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    ends = end_cells(puzzle)
    blank_ends: Sequence[int | None] = ends[BLANK] if puzzle.has_one_blank else (None,)
    for start, content in enumerate(problem.start):
        last = {
            (cell, blank)
            for cell, blank in product(ends[content], blank_ends)
            if blank is None or (cell == blank) == (content == BLANK)
        }
        if _reached(problem, start, after).isdisjoint(last):
            blank = "the blank" if puzzle.has_one_blank else "the gap"
            what = f"tile {puzzle.labels[content]}" if content else blank
            if puzzle.pieces.count(content) > 1:
                what += f" of {puzzle.cell_name(start)}"
            goal = "its goal cell" if len(ends[content]) == 1 else "any of its goal cells"
            is_beside = content and puzzle.has_one_blank
            others = " while the blank reaches its own" if is_beside else ""
            return f"{what} cannot reach {goal}{others}, wherever the other tiles are"
    return None


def _reached(
    problem: Problem, start: int, after: Sequence[Sequence[int]]
) -> set[tuple[int, int | None]]:
    """Return where the piece that begins in a cell, and the one blank, get to by themselves.

    Several gaps are not followed: one may be wherever a move needs it, unless the piece is there.
    """
    puzzle, is_tile = problem.puzzle, problem.start[start] != BLANK
    needs = [operator.blank for operator in puzzle.operators]
    first = start, problem.start.index(BLANK) if puzzle.has_one_blank else None
    found: set[tuple[int, int | None]] = {first}
    todo = [*found]
    while todo:
        cell, blank = todo.pop()
        for need, goes in zip(needs, after, strict=True):
            if need is not None and (is_tile and need == cell if blank is None else need != blank):
                continue
            there = goes[cell], None if blank is None else goes[blank]
            if there not in found:
                found.add(there)
                todo.append(there)
    return found


def _other_parity(problem: Problem) -> str | None:
    """Return why board and goal differ in a parity that no move changes; None if they do not.

    If cells can be coloured such that the blank changes colour with just the odd moves, then the
    parity of the arrangement and the colour of the blank's cell together never change.
    """
    if not problem.puzzle.is_distinct or problem.puzzle.needs_kinds:
        return None
    cells = problem.puzzle.cells
    same = tuple(range(cells))
    here = problem.start.index(BLANK) if problem.puzzle.has_blank else None
    there = problem.goal.index(BLANK) if problem.puzzle.has_blank else None
    colour, todo = {here: 0}, [here]
    while todo:
        blank = todo.pop()
        for operator in problem.puzzle.operators:
            if operator.blank not in (None, blank):
                continue
            goes = operator.destinations(cells)
            to = None if blank is None else goes[blank]
            expected = colour[blank] ^ permutation_parity(same, goes)
            if to not in colour:
                colour[to] = expected
                todo.append(to)
            elif colour[to] != expected:
                return None
    needed = permutation_parity(problem.start, problem.goal)
    if there not in colour or colour[there] == needed:
        return None
    kinds = ("an even", "an odd")
    if here is None:
        return f"the goal is {kinds[needed]} permutation of the board, but every move is even"
    return (
        f"parity: the goal is {kinds[needed]} permutation of the board, which takes "
        f"{kinds[needed]} number of odd moves; the blank's path to its goal cell takes "
        f"{kinds[1 - needed]} number"
    )


def _not_among(problem: Problem) -> str | None:
    most = min(_MOST_BOARDS, _MOST_MOVES // max(1, len(problem.puzzle.operators)))
    try:
        count = visited(problem, most=_MOST_HELD if problem.puzzle.needs_kinds else most)
    except (CheckFailed, ProofError):
        return None
    return f"the moves reach {counted(count, 'board')}, and the goal is not among them"


def _not_generated(problem: Problem) -> str | None:
    puzzle = problem.puzzle
    if not problem.structure.is_free or puzzle.cells > _MOST_CELLS_OF_GROUP:
        return None
    moves = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    group = Generated(moves, puzzle.cells)
    if [problem.goal.index(content) for content in problem.start] in group:
        return None
    return f"none of the {group.order} permutations that the moves generate leads to the goal"


_Permutation: TypeAlias = tuple[int, ...]


class Generated:
    """The group that permutations of the points 0..degree-1 generate."""

    def __init__(self, generators: Iterable[Sequence[int]], degree: int) -> None:
        self._same: _Permutation = tuple(range(degree))
        self._by: list[list[_Permutation]] = [[] for _ in range(degree)]
        self._takes: list[dict[int, _Permutation]] = [{b: self._same} for b in range(degree)]
        for generator in generators:
            self._add(tuple(generator), 0)
        level = degree - 1
        while level >= 0:
            # Elements that were added to lower levels must be handled first.
            level = self._complete(level)

    @property
    def order(self) -> int:
        return prod(map(len, self._takes))

    def __contains__(self, permutation: Sequence[int]) -> bool:
        return self._divided(tuple(permutation), 0)[0] == self._same

    def _complete(self, level: int) -> int:
        """Look for a product of the level that lower levels lack; return the level to do next."""
        for point, taking in list(self._takes[level].items()):
            for generator in self._by[level]:
                back = _inverse(self._takes[level][generator[point]])
                product = _then(_then(taking, generator), back)
                if (stop := self._add(product, level + 1)) is not None:
                    return stop
        return level - 1

    def _add(self, element: _Permutation, level: int) -> int | None:
        """Make the levels from this one on generate an element; return the last that changes."""
        rest, stop = self._divided(element, level)
        if rest == self._same:
            return None
        for b in range(level, stop + 1):
            self._by[b].append(rest)
            takes = self._takes[b]
            points = list(takes)
            for point in points:
                for generator in self._by[b]:
                    if generator[point] not in takes:
                        takes[generator[point]] = _then(takes[point], generator)
                        points.append(generator[point])
        return stop

    def _divided(self, element: _Permutation, level: int) -> tuple[_Permutation, int]:
        """Return the residue of an element that fixes all points below a level, and its level."""
        for b in range(level, len(self._takes)):
            taking = self._takes[b].get(element[b])
            if taking is None:
                return element, b
            element = _then(element, _inverse(taking))
        return element, len(self._takes) - 1


def _then(first: _Permutation, second: _Permutation) -> _Permutation:
    return tuple(second[image] for image in first)


def _inverse(permutation: _Permutation) -> _Permutation:
    points = [0] * len(permutation)
    for point, image in enumerate(permutation):
        points[image] = point
    return tuple(points)
