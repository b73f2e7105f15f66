"""Explain without a search why a problem has no plan, and suggest other goals."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from plansolve.analysis.group import Permutation, PermutationGroup
from plansolve.analysis.ways import joined_cells, walks_of
from plansolve.formats.document import BoardDocument
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import UNREACHABLE, breadth_first, exchanges, tile_blank_distances
from plansolve.puzzles.registry import goals_of
from plansolve.text import counted

_MOST_CELLS_OF_GROUP = 36


def why_unsolvable(problem: Problem, go_on: Callable[[], None] = lambda: None) -> str | None:
    """Return the reason why no plan exists, in words and numbers, or None if none was found.

    Looks for a tile or blank that cannot get to its goal cell, for a contradiction of parities,
    and, on boards of up to 36 cells, at the group that the moves generate. This decides the m x n
    puzzle (Johnson, Story 1879), Lloyd's square of the contest and every board of up to 36 cells on
    which no move depends on the blank, or whose blank can get from each cell to each cell; for
    other rules, and if pieces are alike, None does not promise that there is a plan. In slow work
    `go_on` is called now and then; an exception of it ends the work.
    """
    if not problem.puzzle.is_distinct:
        # Parity and groups tell pieces apart; if two are alike an odd board may be an even one.
        return None
    return (
        _why_out_of_reach(problem, go_on)
        or _why_out_of_parity(problem)
        or _why_out_of_group(problem)
    )


def goals_within_reach(problem: Problem) -> list[str]:
    """Return the names of the family's other goals that are not known to be unreachable."""
    return [
        name
        for name, goal in goals_of(problem.puzzle).items()
        if goal != problem.goal
        and not why_unsolvable(Problem(problem.puzzle.with_goal(goal), problem.start))
    ]


def hint_at_goal(problem: Problem, document: BoardDocument) -> str:
    """Return one line about the goal that boards like this often have; "" if there is none.

    That is the goal that the board is already, or a reachable one that its form suggests.
    """
    if document.goal is not None:
        return ""
    for name, goal in goals_of(problem.puzzle).items():
        if goal == problem.start != problem.goal:
            return f"this board is the goal {name}: did you mean --goal {name}?"
    if document.often and document.often in goals_within_reach(problem):
        return f"boards written like this often have another goal: --goal {document.often}"
    return ""


def _why_out_of_reach(problem: Problem, go_on: Callable[[], None]) -> str | None:
    puzzle, structure = problem.puzzle, problem.structure
    goal_cell = problem.home
    for cell, tile in enumerate(problem.start):
        if tile and structure.tile_distances_to(goal_cell[tile])[cell] == UNREACHABLE:
            reached = _reached(breadth_first(structure.tile_arcs, cell))
            return _out_of_reach(problem, tile, reached)
    graph = structure.blank_graph
    if graph is None:
        return None
    blank = problem.start.index(BLANK)
    reached = _reached(breadth_first(graph.successors, blank))
    if goal_cell[BLANK] not in reached:
        return _out_of_reach(problem, BLANK, reached)
    # If the blank has a dead end, tiles may be stuck behind each other, as in a single row.
    if min(len(graph.successors[cell]) for cell in reached) > 1:
        return None
    for cell, tile in enumerate(problem.start):
        if tile == BLANK:
            continue
        go_on()
        distance = tile_blank_distances(graph.successors, cell, blank)
        if distance[goal_cell[tile] * puzzle.cells + goal_cell[BLANK]] == UNREACHABLE:
            pairs = (divmod(pair, puzzle.cells) for pair in _reached(distance))
            return _out_of_reach(
                problem, tile, sorted({p for p, b in pairs if b == goal_cell[BLANK]})
            )
    return None


def _reached(distance: Sequence[int]) -> list[int]:
    return [cell for cell, steps in enumerate(distance) if steps != UNREACHABLE]


def _out_of_reach(problem: Problem, tile: int, reached: Sequence[int]) -> str:
    puzzle = problem.puzzle
    name = f"tile {puzzle.labels[tile]}" if tile else "the blank"
    here, wanted = problem.start.index(tile), problem.goal.index(tile)
    if list(reached) == [here]:
        stays = f"cannot leave {puzzle.cell_name(here)}"
    else:
        shown = ", ".join(puzzle.cell_name(cell) for cell in reached[:6])
        more = f" and {counted(len(reached) - 6, 'more cell')}" if len(reached) > 6 else ""
        stays = f"cannot leave {shown}{more}"
    return f"{name} {stays}; the goal has it in {puzzle.cell_name(wanted)}"


def _why_out_of_parity(problem: Problem) -> str | None:
    structure, goal = problem.structure, problem.goal
    count = exchanges(problem.start, goal)
    needed = count & 1
    apart = counted(count, "exchange")
    if structure.operator_parity == 0 and needed:
        return (
            f"parity: the goal is an odd permutation of the board ({apart} of tiles), "
            "but every move is even"
        )
    graph = structure.blank_graph
    if structure.operator_parity != 1 or graph is None or graph.colouring is None:
        return None
    here, there = problem.start.index(BLANK), goal.index(BLANK)
    if graph.colouring[here] ^ graph.colouring[there] == needed:
        return None
    steps = breadth_first(graph.successors, here)[there]
    words = ("even", "odd")
    return (
        f"parity: the goal is {apart} away from the board, so every plan has an "
        f"{words[needed]} number of moves; but the blank is {counted(steps, 'move')} from its "
        f"goal cell, which makes the number {words[1 - needed]}"
    )


def _why_out_of_group(problem: Problem) -> str | None:
    """Return the reason why the group of the moves excludes a plan; None if it does not.

    The group is generated by the moves if none depends on the blank, otherwise by the closed walks
    of the blank from its goal cell.
    """
    puzzle, start = problem.puzzle, problem.start
    if puzzle.cells > _MOST_CELLS_OF_GROUP or puzzle.needs_kinds:
        return None
    if problem.structure.is_free:
        generators = tuple(operator.destinations(puzzle.cells) for operator in puzzle.operators)
    else:
        walks = walks_of(puzzle)
        at_home = walks.brought_home(start)
        if at_home is None:
            return _out_of_reach(problem, BLANK, joined_cells(puzzle, start.index(BLANK)))
        start, generators = at_home, walks.generators
    group = _group(generators, puzzle.cells)
    if puzzle.arrangement(start) in group:
        return None
    home = "" if problem.structure.is_free else " with the blank in its goal cell"
    return f"the moves reach {group.order} boards{home}, and the goal is not one of them"


@lru_cache(maxsize=16)
def _group(generators: tuple[Permutation, ...], degree: int) -> PermutationGroup:
    return PermutationGroup(generators, degree)
