"""What a board's letters and holes are in a puzzle, and puzzles with other pieces than usual."""

from dataclasses import replace

from plansolve.errors import BoardError, GoalError
from plansolve.formats.document import BoardDocument
from plansolve.model.puzzle import BLANK, OPEN, Puzzle, State
from plansolve.puzzles.obstacles import HOLE, HOLE_SIGN, HOLES, hole_numbers
from plansolve.puzzles.registry import family_of, make_puzzle
from plansolve.text import counted, quote

__all__ = ["in_kinds", "with_holes", "with_pieces"]

_GAP = "."


def with_holes(specification: str, document: BoardDocument) -> str:
    """Return the specification with the holes that the board shows, where it names none."""
    holes = tuple(cell for cell, kind in enumerate(document.cells) if kind == HOLE)
    is_told = f"{HOLES}=" in specification or HOLES not in family_of(specification).parameters
    if not holes or is_told:
        return specification
    return f"{specification}{',' if ':' in specification else ':'}{HOLES}={hole_numbers(holes)}"


def in_kinds(document: BoardDocument, rules: Puzzle) -> State:
    """Return the cells with the numbers that letters and holes have in the puzzle.

    Raise `BoardError` for a letter that is no piece of it, and for a hole where it has none.
    """
    if not document.labels and HOLE not in document.cells:
        return document.cells
    kinds = {label: kind for kind, label in reversed([*enumerate(rules.labels)])}
    cells = []
    for cell, content in enumerate(document.cells):
        if content == HOLE:
            content = rules.goal[cell] if cell < rules.cells else OPEN
            if content == OPEN or rules.labels[content] != HOLE_SIGN:
                raise BoardError(
                    f"{document.place(cell)}: {HOLE_SIGN} is a hole, "
                    f"{rules.short_name} has none there"
                )
        elif content > BLANK and document.labels:
            letter = document.labels[content]
            if letter not in kinds:
                raise BoardError(f"{document.place(cell)}: {quote(letter)} is no piece of the goal")
            content = kinds[letter]
        cells.append(content)
    return tuple(cells)


def with_pieces(
    specification: str,
    rules: Puzzle,
    document: BoardDocument,
    goal: State | BoardDocument | None,
) -> Puzzle:
    """Return the rules for the pieces of board and goal, some of which may be alike.

    Where both have numbers, a goal has other pieces than the usual ones only if the board has the
    same: a slip in one of them is none. Letters are those of the goal, and where that leaves cells
    open also the board's. Raise `BoardError` for letters without a goal, and `GoalError` for a goal
    that the family does not have.
    """
    goal_labels = goal.labels if isinstance(goal, BoardDocument) else ()
    if not {*goal_labels[1:], *document.labels[1:]} <= {*rules.labels}:
        if not isinstance(goal, BoardDocument) or not goal_labels:
            raise BoardError(
                "a board of letters needs its goal, which tells where they belong: write it below "
                'a line goal:, in a document as "goal", or in a file for --goal (for Lloyd\'s '
                "square write + for the gap)"
            )
        return _with_letters(specification, rules, document, goal)
    if goal is None or document.no_start:
        return rules
    wanted = in_kinds(goal, rules) if isinstance(goal, BoardDocument) else goal
    board = sorted(in_kinds(document, rules))
    if OPEN in wanted or sorted(wanted) != board or tuple(board) == rules.pieces:
        return rules
    return _made(specification, rules, wanted)


def _with_letters(
    specification: str, rules: Puzzle, document: BoardDocument, goal: BoardDocument
) -> Puzzle:
    is_open = OPEN in goal.cells
    letters = dict.fromkeys((*goal.labels[1:], *(document.labels[1:] if is_open else ())))
    holes = rules.labels.count(HOLE_SIGN)
    most = len(rules.labels) - holes - 1
    if len(letters) > most:
        raise GoalError(
            f"{len(letters)} different letters, but {rules.short_name} has {counted(most, 'tile')}"
        )
    labels = (_GAP, *letters)
    # The pieces in holes keep their numbers, which come after those of all tiles.
    padded = (*labels, *(HOLE_SIGN,) * (most - len(letters) + holes))
    lettered = replace(rules, labels=padded)
    cells = in_kinds(goal, lettered)
    if is_open and (document.no_start or OPEN in document.cells):
        raise GoalError("the goal leaves cells open, and there is no board that tells the pieces")
    if is_open:
        pieces = tuple(sorted(in_kinds(document, lettered)))
        made = replace(lettered, goal=cells, pieces=pieces)
    else:
        made = _made(specification, rules, cells)
    return replace(made, labels=padded if holes else labels)


def _made(specification: str, rules: Puzzle, goal: State) -> Puzzle:
    try:
        return make_puzzle(specification, rules.rows, rules.columns, goal)
    except BoardError as error:
        raise GoalError(f"the goal is not a board of {rules.short_name}: {error}") from None
