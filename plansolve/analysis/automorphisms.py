"""Permutations of the cells that keep a graph, a puzzle's rules and goal, and also a start."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Operator, Puzzle
from plansolve.model.structure import Structure, reverse

CellMap: TypeAlias = tuple[int, ...]
"""The image of each cell."""

_MOST = 10_000
"""Boards on which any two cells are alike have too many."""

_OperatorKey: TypeAlias = tuple[int | None, frozenset[tuple[int, int]]]


def symmetries(puzzle: Puzzle) -> tuple[CellMap, ...]:
    """Return all permutations of the cells that keep the set of operators and the goal.

    The goal stays the same up to the names of the tiles: without a blank, under any map, and with a
    blank, under those that keep the blank's goal cell. The identity comes first. The candidates are
    the automorphisms of the graph of single-tile moves; each is tested on the operators. If there
    are more than 10,000 of these, pieces are alike, or the goal leaves cells open, the identity
    stands alone.
    """
    if not puzzle.is_distinct:
        return (tuple(range(puzzle.cells)),)
    fixed = puzzle.goal.index(BLANK) if puzzle.has_blank else None
    return _symmetries(Structure(puzzle).tile_arcs, fixed, puzzle.operators)


# Cached: tables, trees and lemmas of one search need the same ones.
@lru_cache(maxsize=8)
def _symmetries(
    arcs: tuple[tuple[int, ...], ...], fixed: int | None, operators: tuple[Operator, ...]
) -> tuple[CellMap, ...]:
    candidates = tuple(islice(automorphisms(arcs), _MOST + 1))
    if len(candidates) > _MOST:
        return candidates[:1]
    keys = {_mapped(operator, candidates[0]) for operator in operators}
    found = [
        image
        for image in candidates
        if (fixed is None or image[fixed] == fixed)
        and all(_mapped(operator, image) in keys for operator in operators)
    ]
    return tuple(sorted(found))


def keeping_start(problem: Problem) -> tuple[CellMap, ...]:
    """Return the symmetries of a problem's rules and goal that also keep its start.

    The start stays the same up to the new names that the goal gives the tiles, so each of these
    turns a plan into another plan. The identity is left out.
    """
    others = symmetries(problem.puzzle)[1:]
    if not others:
        return ()
    home = problem.puzzle.arrangement(problem.start)
    return tuple(
        image for image in others if all(home[image[c]] == image[h] for c, h in enumerate(home))
    )


def _mapped(operator: Operator, image: CellMap) -> _OperatorKey:
    blank = None if operator.blank is None else image[operator.blank]
    return blank, frozenset((image[cell], image[source]) for cell, source in operator.moves)


def automorphisms(arcs: Sequence[Sequence[int]]) -> Iterator[CellMap]:
    """Return the permutations of the cells that keep the set of arcs; the identity comes first.

    `arcs[cell]` are the cells that arcs lead to. They are found by backtracking along a
    breadth-first order of the cells. If the cells fall into parts that no arc joins the
    identity stands alone: the automorphisms of the parts would multiply beyond use.
    """
    cells = len(arcs)
    identity = tuple(range(cells))
    yield identity
    out = [frozenset(targets) for targets in arcs]
    into = [frozenset(sources) for sources in reverse(arcs)]
    order = _connected_order(out, into)
    if len(order) < cells:
        return
    position = {cell: i for i, cell in enumerate(order)}
    # The neighbours of each cell that are mapped before it: they tie its image down.
    earlier_out = [[n for n in out[c] if position[n] < position[c]] for c in order]
    earlier_in = [[n for n in into[c] if position[n] < position[c]] for c in order]

    image = [-1] * cells
    used = [False] * cells

    def candidates(depth: int) -> Iterator[int]:
        cell = order[depth]
        if depth == 0:
            pool = frozenset(range(cells))
        elif earlier_out[depth]:
            pool = into[image[earlier_out[depth][0]]]
        else:
            pool = out[image[earlier_in[depth][0]]]
        for other in sorted(pool):
            if (
                not used[other]
                and len(out[other]) == len(out[cell])
                and len(into[other]) == len(into[cell])
                and all(image[n] in out[other] for n in earlier_out[depth])
                and all(image[n] in into[other] for n in earlier_in[depth])
            ):
                yield other

    # An explicit stack: a 30x30 board is deeper than Python's recursion limit.
    stack = [candidates(0)]
    while stack:
        depth = len(stack) - 1
        cell = order[depth]
        if image[cell] >= 0:
            used[image[cell]] = False
            image[cell] = -1
        chosen = next(stack[-1], None)
        if chosen is None:
            stack.pop()
            continue
        image[cell] = chosen
        used[chosen] = True
        if depth + 1 < cells:
            stack.append(candidates(depth + 1))
        elif (found := tuple(image)) != identity:
            yield found


def _connected_order(out: list[frozenset[int]], into: list[frozenset[int]]) -> list[int]:
    """Return the cells that are joined with cell 0, breadth first."""
    order, seen = [0], {0}
    for cell in order:
        fresh = sorted((out[cell] | into[cell]) - seen)
        order += fresh
        seen.update(fresh)
    return order
