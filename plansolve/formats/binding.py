"""From what a file says to a problem: the choice of the puzzle and the goal, and the checks."""

from collections import Counter
from dataclasses import replace

from plansolve.errors import BoardError, GoalError, OptionError
from plansolve.formats.document import BoardDocument
from plansolve.formats.pieces import in_kinds, with_holes, with_pieces
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Puzzle, State, describe_mismatch
from plansolve.puzzles.obstacles import HOLE
from plansolve.puzzles.registry import family_of, make_puzzle, named_goal, puzzle_with
from plansolve.puzzles.sliding_gaps import sliding_of
from plansolve.text import counted

__all__ = ["bind", "bind_rules"]


def bind(
    document: BoardDocument,
    puzzle: str | None = None,
    goal: str | State | BoardDocument | None = None,
) -> Problem:
    """Return the problem that a document states; `puzzle` and `goal` override its hints.

    `goal` is the name of a goal, its cells, or a document whose board it is. Where nothing says
    which puzzle it is, the first family with or without a gap is taken, as the board has it. Raises
    `BoardError` where the board does not fit the puzzle, `GoalError` where the goal does not, and
    `OptionError` for a puzzle or goal that does not exist.
    """
    rules = bind_rules(document, puzzle, goal)
    if document.no_start:
        raise BoardError(document.no_start)
    start = in_kinds(document, rules)
    _check_board(replace(document, cells=start), rules)
    if not document.rules:
        family_of(rules.name).check_board(rules, start)
    return Problem(rules, start)


def bind_rules(
    document: BoardDocument,
    puzzle: str | None = None,
    goal: str | State | BoardDocument | None = None,
) -> Puzzle:
    """Return the puzzle of `bind`, its goal included, whether the document has a start or not.

    The goal may have other pieces than the puzzle usually has, some of them alike.
    """
    wanted = goal if goal is not None else document.goal
    if isinstance(wanted, BoardDocument):
        _check_shape(wanted, document)
    if document.rules:
        if puzzle is not None:
            raise OptionError(
                f"the board comes with rules of its own, {document.rules.short_name}: it cannot be "
                f"read as {puzzle}"
            )
        rules = document.rules
        if isinstance(wanted, str):
            raise OptionError(
                f"puzzle {rules.short_name} has no named goals: give the goal's board"
            )
    else:
        specification = puzzle if puzzle is not None else document.puzzle
        if specification is None:
            specification, rules = _guess(document, wanted)
        else:
            specification = with_holes(specification, document)
            rules = make_puzzle(specification, document.rows, document.columns)
        if isinstance(wanted, str):
            wanted = named_goal(specification, wanted, document.rows, document.columns)
        rules = with_pieces(specification, rules, document, wanted)
    if wanted is not None:
        if isinstance(wanted, BoardDocument):
            wanted = _goal_cells(wanted, rules)
        _check_goal(wanted, rules)
        rules = rules.with_goal(wanted)
    return rules


def _guess(document: BoardDocument, goal: str | State | BoardDocument | None) -> tuple[str, Puzzle]:
    """Return the specification and the rules of the puzzle that has such boards."""
    cells = {*document.cells, *(goal.cells if isinstance(goal, BoardDocument) else ())}
    has_blank = not cells.isdisjoint((BLANK, HOLE))
    if has_blank:
        base = sliding_of(document.cells, are_letters=bool(document.labels))
    else:
        base = puzzle_with(blank=False)
    specification = with_holes(base, document)
    try:
        return specification, make_puzzle(specification, document.rows, document.columns)
    except BoardError as error:
        if has_blank:
            raise
        raise BoardError(
            f"{error}; a board without a gap (0 . _ x) is taken for {specification} "
            "unless the puzzle is named"
        ) from None


def _check_shape(goal: BoardDocument, board: BoardDocument) -> None:
    if (goal.rows, goal.columns) != (board.rows, board.columns):
        raise GoalError(
            f"the goal is a {goal.rows}x{goal.columns} board, the board is "
            f"{board.rows}x{board.columns}"
        )


def _goal_cells(goal: BoardDocument, rules: Puzzle) -> State:
    try:
        return in_kinds(goal, rules)
    except BoardError as error:
        raise GoalError(str(error)) from None


def _check_goal(goal: State, rules: Puzzle) -> None:
    if len(goal) != rules.cells:
        raise GoalError(f"the goal has {counted(len(goal), 'cell')}, the board has {rules.cells}")
    if OPEN not in goal and (mismatch := describe_mismatch(goal, rules.pieces, rules.labels)):
        raise GoalError(f"the goal is not a board of {rules.short_name}: {mismatch}")
    try:
        rules.with_goal(goal)
    except BoardError as error:
        raise GoalError(f"the goal is not a board of {rules.short_name}: {error}") from None


def _check_board(document: BoardDocument, rules: Puzzle) -> None:
    cells = document.cells
    if len(cells) != rules.cells:
        raise BoardError(
            f"the board has {counted(len(cells), 'cell')}, "
            f"puzzle {rules.short_name} has {rules.cells}"
        )
    if OPEN in cells:
        where = document.place(cells.index(OPEN))
        raise BoardError(f"{where}: only a goal may leave cells open (*)")
    mismatch = describe_mismatch(cells, rules.pieces, rules.labels)
    if not mismatch:
        return
    counts = Counter(rules.pieces)
    wrong = next(
        cell for cell, tile in enumerate(cells) if cells[:cell].count(tile) >= counts[tile]
    )
    if rules.has_one_blank and cells.count(BLANK) > 1:
        mismatch += f"; boards of {rules.short_name} have one gap"
    elif rules.has_blank and BLANK not in cells:
        mismatch += f"; {rules.labels[BLANK]} is the gap"
    elif not rules.has_blank and BLANK in cells:
        mismatch += f"; {rules.short_name} has no gap"
    raise BoardError(f"{document.place(wrong)}: {mismatch}")
