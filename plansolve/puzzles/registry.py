"""The puzzle families by name, and puzzles from specifications such as "torus-ring:rings=none"."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import index
from reprlib import repr as brief

from plansolve.errors import BoardError, InputError, OptionError, WrongTypeError
from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.puzzles.blocks import BLOCKS, RUSH_HOUR, place_text
from plansolve.puzzles.family import LARGEST_SIDE, Family
from plansolve.puzzles.hungarian_rings import HUNGARIAN_RINGS
from plansolve.puzzles.lloyd import LLOYD
from plansolve.puzzles.obstacles import HOLES
from plansolve.puzzles.reversals import PANCAKE, TOP_SPIN
from plansolve.puzzles.rules import POCKET_CUBE, PYRAMINX
from plansolve.puzzles.sliding import SLIDING, SLIDING_GAPS
from plansolve.puzzles.torus_ring import LOOPOVER, TORUS_RING
from plansolve.text import counted

FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        SLIDING,
        LLOYD,
        TORUS_RING,
        LOOPOVER,
        SLIDING_GAPS,
        HUNGARIAN_RINGS,
        TOP_SPIN,
        PANCAKE,
        POCKET_CUBE,
        PYRAMINX,
        BLOCKS,
        RUSH_HOUR,
    )
}
"""The families by name. The first with a blank and the first without one are the defaults."""


def puzzle_with(gaps: int) -> str:
    """Return the specification for a board of which only the number of gaps is known."""
    if gaps > 1:
        return f"{SLIDING_GAPS.name}:{gaps}"
    return next(family.name for family in FAMILIES.values() if family.has_blank == bool(gaps))


DEFAULT_PUZZLE = puzzle_with(gaps=1)


def with_holes(specification: str, holes: tuple[int, ...]) -> str:
    """Return the specification with the holes of a board, if its puzzle has any and names none."""
    if not holes or f"{HOLES}=" in specification:
        return specification
    if HOLES not in family_of(specification).parameters:
        return specification
    cells = "+".join(str(cell + 1) for cell in holes)
    return f"{specification}{',' if ':' in specification else ':'}{HOLES}={cells}"


def goal_names() -> tuple[str, ...]:
    """Return the names of all goals, in the families' order."""
    return tuple(dict.fromkeys(goal for family in FAMILIES.values() for goal in family.goals))


def family_of(specification: str) -> Family:
    """Return the family that a specification names; raise `OptionError` if there is none."""
    name = specification.partition(":")[0]
    if name not in FAMILIES:
        raise OptionError(f"unknown puzzle {brief(name)}: choose from {', '.join(FAMILIES)}")
    return FAMILIES[name]


def make_puzzle(
    specification: str,
    rows: int,
    columns: int,
    goal: str | Iterable[int] | Iterable[Iterable[int]] | None = None,
) -> Puzzle:
    """Return the puzzle that `NAME` or `NAME:key=value,...` specifies, on a board of that size.

    `goal` is the name of a goal, or its tiles: in rows or in one list. Tiles of one number are
    alike.

    >>> import plansolve
    >>> plansolve.make_puzzle("sliding", 3, 3, goal="snail").goal
    (1, 2, 3, 8, 0, 4, 7, 6, 5)
    >>> plansolve.make_puzzle("torus-ring:rings=none", 3, 3)
    <Puzzle torus-ring:rings=none 3x3: 12 operators>

    Raise `OptionError` for an unknown name, key or value, `BoardError` for a size or goal that
    the family does not have, and `WrongTypeError` for other types.
    """
    sides = (rows, columns)
    if not isinstance(specification, str) or not all(isinstance(side, int) for side in sides):
        raise WrongTypeError(
            f"a name and two numbers are expected, not {brief((specification, *sides))}"
        )
    family_of(specification)
    if not (1 <= rows <= LARGEST_SIDE and 1 <= columns <= LARGEST_SIDE) or rows * columns < 2:
        raise BoardError(
            f"a board of {brief(rows)}x{brief(columns)} is out of range: "
            f"a side has 1 to {LARGEST_SIDE} cells, and a board at least two"
        )
    if isinstance(goal, str):
        goal = named_goal(specification, goal, rows, columns)
    elif goal is not None:
        goal = _tiles(goal)
    return made(specification, rows, columns, goal)


@lru_cache(maxsize=64)
def made(
    specification: str,
    rows: int,
    columns: int,
    goal: State | None = None,
    pieces: State = (),
    labels: tuple[str, ...] = (),
) -> Puzzle:
    """Return the specified puzzle, cached because thousands of boards may share it.

    The goal and labels are those of the family by default; `pieces` are those of all boards if the
    goal leaves cells open. Raise `BoardError` for a goal that is not a board of the puzzle.
    """
    family, parameters = _parsed(specification)
    if goal is None and not labels:
        return family.make(rows, columns, parameters)
    usual = made(specification, rows, columns)
    goal = usual.goal if goal is None else goal
    if not labels and goal == usual.goal and pieces in ((), usual.pieces):
        return usual
    gaps = (pieces or goal).count(BLANK)
    if usual.gaps > 1 and gaps != usual.gaps:
        raise BoardError(f"the goal has {counted(gaps, 'gap')}, not {usual.gaps}")
    puzzle = replace(usual, goal=goal, pieces=pieces, labels=labels or usual.labels)
    if puzzle.has_blank != family.has_blank:
        gap = "has no gap" if puzzle.has_blank else "needs a gap"
        raise BoardError(f"the goal is not a board of {puzzle.short_name}, which {gap}")
    return puzzle


def default_size_of(specification: str) -> tuple[int, int]:
    family, parameters = _parsed(specification)
    return family.size_of(parameters)


def _parsed(specification: str) -> tuple[Family, dict[str, str]]:
    """Return the family that a specification names, and its parameters.

    Raise `OptionError` for an unknown family or parameter.
    """
    family = family_of(specification)
    name, _, rest = specification.partition(":")
    parameters: dict[str, str] = {}
    left = list(family.positional)
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            key, value = left[0] if left else "", item
        if key not in family.parameters:
            known = ", ".join(f"{k}=..." for k in family.parameters) or "none"
            raise OptionError(
                f"puzzle {name} has no parameter {brief(item)}; its parameters: {known}"
            )
        parameters[key] = value
        left = [other for other in left if other not in parameters]
    return family, parameters


def posed(
    specification: str, grid: Sequence[str], goal: str | Sequence[str] | None
) -> tuple[Puzzle, State]:
    """Return the rules that follow from the pieces in rows of letters, and the board.

    Raise `OptionError` for a family whose rules do not depend on pieces, and the errors of
    `blocks.pose`.
    """
    family, parameters = _parsed(specification)
    if family.pose is None:
        raise OptionError(f"puzzle {family.name} has no pieces of several cells")
    return family.pose(grid, goal, parameters)


def _tiles(goal: object) -> State:
    """Return the tiles of a list, or of a list of rows; raise `WrongTypeError` for other types."""
    try:
        rows = [row if isinstance(row, Iterable) else (row,) for row in goal]  # type: ignore[attr-defined]
        return tuple(index(tile) for row in rows for tile in row)
    except TypeError:
        raise WrongTypeError(f"a goal: a name or numbers are expected, not {brief(goal)}") from None


def named_goal(specification: str, goal: str, rows: int, columns: int) -> State:
    """Return the board of a named goal; raise `OptionError` for an unknown family or goal."""
    family, parameters = _parsed(specification)
    if goal not in family.goals:
        raise OptionError(
            f"unknown goal {brief(goal)} for {family.name}: choose {', '.join(family.goals)}, "
            "or give the goal's board"
        )
    return family.adapted(family.goals[goal](rows, columns), rows, columns, parameters)


def goals_of(puzzle: Puzzle) -> dict[str, State]:
    """Return the named goals of the puzzle's family that hold its tiles; none for other rules."""
    try:
        boards = _named_goals(puzzle.name, puzzle.rows, puzzle.columns)
    except InputError:
        # Rules that a user defines may have the name of a family.
        return {}
    tiles = sorted(puzzle.goal)
    return {name: board for name, (board, own_tiles) in boards.items() if own_tiles == tiles}


@lru_cache(maxsize=64)
def _named_goals(name: str, rows: int, columns: int) -> dict[str, tuple[State, list[int]]]:
    """Return each named goal of a puzzle and its sorted tiles."""
    boards = {goal: named_goal(name, goal, rows, columns) for goal in family_of(name).goals}
    return {goal: (board, sorted(board)) for goal, board in boards.items()}


def goal_name(puzzle: Puzzle) -> str | None:
    """Return the name of the puzzle's goal; None if it has no name."""
    return next((name for name, board in goals_of(puzzle).items() if board == puzzle.goal), None)


def goal_text(puzzle: Puzzle) -> str:
    """Return the name of the puzzle's goal, or the places that it gives, or else its cells."""
    return goal_name(puzzle) or place_text(puzzle) or puzzle.line_text(puzzle.goal)


def to_goal(puzzle: Puzzle) -> str:
    """Return " to " and the goal; "" if it is the default or that of user-defined rules."""
    is_family = puzzle.name.partition(":")[0] in FAMILIES
    is_first = goal_name(puzzle) == next(iter(goals_of(puzzle)), "")
    return f" to {goal_text(puzzle)}" if is_family and not is_first else ""
