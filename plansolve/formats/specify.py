"""From a parsed text to the problem: the only module that decides which puzzle is meant.

`specify` finds the puzzle, its gaps and holes, the numbers of the pieces and the goal; `make` makes
the problem from these.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeGuard

from plansolve.errors import BoardError, GoalError, OptionError
from plansolve.formats.document import BoardDocument
from plansolve.formats.grid import GAP, square_side
from plansolve.model.names import HOLE_SIGN, describe_mismatch
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, OPEN_SIGN, Puzzle, State
from plansolve.puzzles.blocks import BLOCKS, EXIT, RUSH_HOUR, are_cars, is_place
from plansolve.puzzles.obstacles import HOLE, HOLES
from plansolve.puzzles.registry import (
    DEFAULT_PUZZLE,
    family_of,
    made,
    make_puzzle,
    named_goal,
    posed,
    puzzle_with,
    with_holes,
)
from plansolve.text import counted, quote


@dataclass(frozen=True)
class PuzzleSpec:
    """All that determines a problem.

    `name` specifies the puzzle, with the gaps and holes that the board shows: "sliding-gaps:2" or
    "sliding:holes=5"; it is empty if the board comes with rules of its own. `usual` are the
    rules of that name, or the board's own. `goal` has the numbers of the pieces, and is None for
    the first goal, `pieces` are those of all boards, and `labels` are given if they are not the
    usual ones. `board` is the start as it was written.
    """

    name: str
    usual: Puzzle
    goal: State | None
    pieces: State
    labels: tuple[str, ...]
    board: BoardDocument


def specify(
    document: BoardDocument,
    puzzle: str | None = None,
    goal: str | State | BoardDocument | None = None,
) -> PuzzleSpec:
    """Return the puzzle, the pieces and the goal that a document states.

    `puzzle` and `goal` override the document; `goal` is the name of a goal, its cells, or a
    document whose board it is. If nothing names the puzzle, take the first family with a gap; for
    a board without one, the first family without a gap. The goal may have other pieces than usual
    for the puzzle, and some of them may be alike. Raise `BoardError` if the board does not fit the
    puzzle, `GoalError` if the goal does not, and `OptionError` for a puzzle or goal that does not
    exist.
    """
    wanted = document.goal if goal is None else goal
    if (name := _blocks_name(document, puzzle, wanted)) is not None:
        return _of_blocks(name, document, wanted)
    if document.rules is None:
        document = _as_meant(document, puzzle)
    if isinstance(wanted, BoardDocument):
        wanted = _as_meant(wanted, puzzle, like=document)
        if (wanted.rows, wanted.columns) != (document.rows, document.columns):
            raise GoalError(
                f"the goal is {wanted.rows}x{wanted.columns}, but the board is "
                f"{document.rows}x{document.columns}"
            )
    if document.rules is not None:
        name, usual = "", _own_rules(document.rules, puzzle, wanted)
    else:
        name, usual = _family_rules(document, puzzle, wanted)
    if isinstance(wanted, str):
        wanted = named_goal(name, wanted, usual.rows, usual.columns)
    if name and not _letters(document, wanted) <= {*usual.labels}:
        return _of_letters(name, usual, document, wanted)
    cells = _goal_cells(wanted, usual, usual.labels)
    pieces = _pieces(usual, document, cells) if name else usual.pieces
    _check_goal(cells, usual, pieces, usual.labels)
    return PuzzleSpec(name, usual, cells, pieces, (), document)


def make_rules(spec: PuzzleSpec) -> Puzzle:
    """Return the puzzle with its goal; the start is not needed.

    Raise `GoalError` if the goal is not a board of the puzzle.
    """
    usual, goal = spec.usual, spec.goal
    if goal is None:
        return usual
    try:
        if not spec.name:
            return usual.with_goal(goal)
        pieces = spec.pieces if OPEN in goal else ()
        return made(spec.name, usual.rows, usual.columns, goal, pieces, spec.labels)
    except BoardError as error:
        raise GoalError(f"the goal is not a board of {usual.short_name}: {error}") from None


def make(spec: PuzzleSpec) -> Problem:
    """Return the problem; raise `BoardError` if the start is missing or does not fit the puzzle.

    Raise the errors of `make_rules` too.
    """
    rules, board = make_rules(spec), spec.board
    if board.no_start:
        raise BoardError(board.no_start)
    start = _in_kinds(board, spec.usual, rules.labels)
    _check_start(start, board, rules)
    return Problem(rules, start)


def reading(document: BoardDocument, problem: Problem, puzzle: str | None = None) -> str:
    """Return how a board was read if that is not obvious, otherwise "".

    `puzzle` is the specification of the puzzle, if one is given.
    """
    rules, notes = problem.puzzle, list[str]()
    if document.note:
        notes.append(document.note)
    is_guessed = not (puzzle or document.puzzle or document.rules)
    name = puzzle if puzzle and len(puzzle) < len(rules.short_name) else rules.short_name
    read_as = f"read as {rules.rows}x{rules.columns} {name}"
    if (rules.rows, rules.columns) != (document.rows, document.columns):
        other = f"; --format puz reads it as {document.rows}x{document.columns}"
        is_other = not document.labels and (rules.has_blank or puzzle is not None)
        notes.append(read_as + other * is_other)
    elif document.is_line or (is_guessed and 1 in (rules.rows, rules.columns)):
        notes.append(f"{read_as}; a board of several rows has one row per line")
    elif is_guessed and rules.name != DEFAULT_PUZZLE:
        notes.append(read_as)
    if looks_like_blocks(document) and not rules.needs_kinds:
        notes.append(_SINGLE_CELLS)
    return "\n".join(notes)


def puzzle_name(document: BoardDocument, goal: object = None) -> str:
    """Return the specification of the puzzle of a document that defines no rules."""
    if document.puzzle is not None:
        return document.puzzle
    cells = {*document.cells, *(goal.cells if isinstance(goal, BoardDocument) else ())}
    if not document.has_gap and cells.isdisjoint((BLANK, HOLE)):
        return puzzle_with(gaps=0)
    # Several gaps are a mistake unless the other cells hold the tiles 1, 2, 3 ..., or letters.
    gaps = document.cells.count(BLANK)
    tiles = sorted(tile for tile in document.cells if tile not in (BLANK, HOLE))
    are_meant = document.labels or tiles == [*range(1, len(tiles) + 1)]
    return puzzle_with(gaps if gaps > 1 and are_meant else 1)


def _as_meant(
    board: BoardDocument, puzzle: str | None, like: BoardDocument | None = None
) -> BoardDocument:
    """Return a board with its only - or * as its gap, and a line as a square if it can be one.

    A goal has the shape of its board, `like`; there * is not a gap.
    """
    name = puzzle or board.puzzle
    signs = [kind for kind in board.cells if kind in (HOLE, OPEN)]
    has_gap = name is None or (family_of(name).has_blank and f"{HOLES}=" not in name)
    if has_gap and len(signs) == 1 and BLANK not in board.cells and (like is None or HOLE in signs):
        board = replace(board, cells=tuple(BLANK if k in signs else k for k in board.cells))
    if like is not None:
        is_same = board.is_line and len(board.cells) == len(like.cells)
        return replace(board, rows=like.rows, columns=like.columns) if is_same else board
    side = square_side(len(board.cells)) if board.is_line else None
    if side is not None:
        with suppress(BoardError):
            make_puzzle(name or puzzle_name(board), side, side)
            return replace(board, rows=side, columns=side)
    return board


def _own_rules(rules: Puzzle, puzzle: str | None, goal: object) -> Puzzle:
    if puzzle is not None:
        raise OptionError(
            f"the board comes with rules of its own, {rules.short_name}: it cannot be "
            f"read as {puzzle}"
        )
    if isinstance(goal, str):
        raise OptionError(f"puzzle {rules.short_name} has no named goals: give the goal's board")
    return rules


def _family_rules(document: BoardDocument, puzzle: str | None, goal: object) -> tuple[str, Puzzle]:
    """Return the specification of the puzzle, with the holes of the board, and its usual rules."""
    name = puzzle_name(document, goal) if puzzle is None else puzzle
    name = with_holes(name, tuple(c for c, kind in enumerate(document.cells) if kind == HOLE))
    try:
        return name, make_puzzle(name, document.rows, document.columns)
    except BoardError as error:
        if puzzle or document.puzzle or name != puzzle_with(gaps=0):
            raise
        raise BoardError(
            f"the board has no gap (write 0 or .), and is not a {name} board: {error}"
        ) from None


def _letters(document: BoardDocument, goal: object) -> set[str]:
    """Return the letters of pieces on the board and in the goal."""
    goal_labels = goal.labels if isinstance(goal, BoardDocument) else ()
    return {*goal_labels[1:], *document.labels[1:]}


def _of_letters(
    name: str, usual: Puzzle, document: BoardDocument, goal: State | BoardDocument | None
) -> PuzzleSpec:
    """Return the puzzle whose pieces have the letters of the goal, or of the board if that is open.

    Pieces in holes keep their numbers, which follow those of all tiles.
    """
    if not isinstance(goal, BoardDocument) or not goal.labels:
        return _of_alphabet(name, usual, document, goal)
    is_open = OPEN in goal.cells
    letters = dict.fromkeys((*goal.labels[1:], *(document.labels[1:] if is_open else ())))
    holes = usual.labels.count(HOLE_SIGN)
    most = len(usual.labels) - holes - 1
    if len(letters) > most:
        raise GoalError(
            f"{len(letters)} different letters, but {usual.short_name} has {counted(most, 'tile')}"
        )
    none = (HOLE_SIGN,) * (most - len(letters) + holes) if holes else ()
    labels = (GAP, *letters, *none)
    cells = _goal_cells(goal, usual, labels)
    if is_open and (document.no_start or OPEN in document.cells):
        raise GoalError("the goal leaves cells open, so a board must give the pieces")
    pieces = sorted(_in_kinds(document, usual, labels) if is_open else cells or ())
    return PuzzleSpec(name, usual, cells, tuple(pieces), labels, document)


def _of_alphabet(
    name: str, usual: Puzzle, document: BoardDocument, goal: State | BoardDocument | None
) -> PuzzleSpec:
    """Return the puzzle whose pieces are the first letters of the alphabet instead of numbers."""
    letters, holes = sorted(document.labels[1:]), usual.labels.count(HOLE_SIGN)
    first = ord(letters[0]) if letters and letters[0] in "aA" else 0
    are_first = [*map(ord, letters)] == [*range(first, first + len(letters))]
    are_all = len(letters) == len(document.cells) - holes - usual.gaps
    if isinstance(goal, BoardDocument) or not (are_first and are_all):
        raise BoardError(
            'a board of letters needs a goal: write it below a line "goal:", as "goal" in a '
            "document, or give --goal (in Lloyd's square, + is the gap)"
            + f"; {_SINGLE_CELLS}"
            * looks_like_blocks(document)
        )
    labels = (GAP, *letters, *(HOLE_SIGN,) * holes)
    return PuzzleSpec(name, usual, goal or usual.goal, usual.pieces, labels, document)


_BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))
_SINGLE_CELLS = (
    "each letter is a piece of one cell here; with --puzzle blocks the cells of one letter are one "
    "piece"
)


def _blocks_name(document: BoardDocument, puzzle: str | None, goal: object) -> str | None:
    """Return the specification for a board of letters that are pieces of several cells.

    Return None for other boards. If nothing names the puzzle, letters are such pieces if they look
    like it and no goal distinguishes them; on a 6x6 board they are cars if all are straight.
    """
    name = puzzle or document.puzzle
    if document.rules is not None or not document.labels:
        return None
    if name is not None:
        return name if family_of(name).pose else None
    is_other = isinstance(goal, BoardDocument) and not _keeps_blocks(goal, document)
    if is_other or _is_other_goal(goal) or not looks_like_blocks(document):
        return None
    return RUSH_HOUR.name if are_cars(_grid(document)) else BLOCKS.name


def _is_other_goal(goal: object) -> TypeGuard[str]:
    """Return True for the name of a goal that boards of blocks do not have."""
    return isinstance(goal, str) and goal != EXIT and not is_place(goal)


def _keeps_blocks(goal: BoardDocument, board: BoardDocument) -> bool:
    """Return True for an open goal in which each letter has as many cells as on the board."""
    if not goal.labels:
        return False
    letters = Counter("".join(_grid(board)))
    wanted = Counter(letter for letter in "".join(_grid(goal)) if letter.isalpha())
    return OPEN in goal.cells and all(letters[one] == count for one, count in wanted.items())


def _of_blocks(
    name: str, document: BoardDocument, goal: str | State | BoardDocument | None
) -> PuzzleSpec:
    """Return the puzzle whose rules follow from the pieces of a board."""
    if _is_other_goal(goal):
        raise OptionError(
            f"unknown goal {quote(goal)} for {name}: choose {EXIT}, or name the place of a piece, "
            "as in B at row 4 column 2"
        )
    if isinstance(goal, BoardDocument) and not goal.labels:
        raise GoalError(
            "the goal names no piece of the board: write letters of pieces, and * for other cells"
        )
    if goal is not None and not isinstance(goal, str | BoardDocument):
        raise GoalError("the goal of pieces of several cells is a board of letters, not of numbers")
    wanted = _grid(goal) if isinstance(goal, BoardDocument) else goal
    rules, start = posed(name, _grid(document), wanted)
    board = replace(document, cells=start, labels=(), rules=rules, puzzle=None)
    return PuzzleSpec("", rules, None, rules.pieces, (), board)


def _grid(document: BoardDocument) -> list[str]:
    """Return the rows of a board as letters."""
    signs = {BLANK: GAP, HOLE: HOLE_SIGN, OPEN: OPEN_SIGN}
    text = "".join(signs.get(kind) or document.labels[kind] for kind in document.cells)
    width = document.columns
    return [text[begin : begin + width] for begin in range(0, len(text), width)]


def looks_like_blocks(board: BoardDocument) -> bool:
    """Return True if letters repeat, and only in touching cells, as the pieces of blocks do."""
    width, counts = board.columns, Counter(board.cells)
    at = {(i // width, i % width): kind for i, kind in enumerate(board.cells)}
    letters = board.labels
    # Beside capital letters, o is a gap and x a wall.
    others = {*"ox"} if any(map(str.isupper, letters)) else set[str]()
    alike = [
        place
        for place, kind in at.items()
        if kind > BLANK and counts[kind] > 1 and letters and letters[kind] not in others
    ]
    return bool(alike) and all(
        any(at.get((row + down, column + right)) == at[row, column] for down, right in _BESIDE)
        for row, column in alike
    )


def _goal_cells(
    goal: State | BoardDocument | None, usual: Puzzle, labels: Sequence[str]
) -> State | None:
    if not isinstance(goal, BoardDocument):
        return goal
    try:
        return _in_kinds(goal, usual, labels)
    except BoardError as error:
        raise GoalError(str(error)) from None


def _in_kinds(document: BoardDocument, usual: Puzzle, labels: Sequence[str]) -> State:
    """Return the cells as the numbers that letters and holes have in the puzzle.

    Raise `BoardError` for a letter that is not one of its pieces, and for a hole if it has none.
    """
    kinds = {label: kind for kind, label in reversed([*enumerate(labels)])}
    cells = []
    for cell, content in enumerate(document.cells):
        if content == HOLE:
            content = usual.goal[cell] if cell < usual.cells else OPEN
            if content == OPEN or usual.labels[content] != HOLE_SIGN:
                raise BoardError(
                    f"{document.place(cell)}: {HOLE_SIGN} is a hole, "
                    f"{usual.short_name} has none there"
                )
        elif content > BLANK and document.labels:
            letter = document.labels[content]
            if letter not in kinds:
                raise BoardError(
                    f"{document.place(cell)}: {quote(letter)} is not a piece of the goal"
                )
            content = kinds[letter]
        cells.append(content)
    return tuple(cells)


def _pieces(usual: Puzzle, document: BoardDocument, goal: State | None) -> State:
    """Return the pieces of board and goal: the usual ones, unless both agree on others.

    A mistake in one of them does not change the pieces.
    """
    if goal is None or document.no_start or OPEN in goal:
        return usual.pieces
    board = sorted(_in_kinds(document, usual, usual.labels))
    return tuple(board) if sorted(goal) == board else usual.pieces


def _check_goal(goal: State | None, usual: Puzzle, pieces: State, labels: Sequence[str]) -> None:
    if goal is None:
        return
    if len(goal) != usual.cells:
        raise GoalError(f"the goal has {counted(len(goal), 'cell')}, the board has {usual.cells}")
    if OPEN not in goal and (mismatch := describe_mismatch(goal, pieces, labels)):
        raise GoalError(f"the goal is not a board of {usual.short_name}: {mismatch}")


def _check_start(start: State, board: BoardDocument, rules: Puzzle) -> None:
    if len(start) != rules.cells:
        raise BoardError(
            f"the board has {counted(len(start), 'cell')}, "
            f"puzzle {rules.short_name} has {rules.cells}"
        )
    if OPEN in start:
        where = board.place(start.index(OPEN))
        raise BoardError(f"{where}: only a goal may leave cells open (*)")
    mismatch = describe_mismatch(start, rules.pieces, rules.labels)
    if not mismatch:
        return
    for cell, content in enumerate(board.cells) if HOLE in board.cells else ():
        if content > BLANK and rules.labels[content:][:1] == (HOLE_SIGN,) and not board.labels:
            mismatch = f"there is no tile {content}, since {HOLE_SIGN} is a hole; a gap is . or 0"
            raise BoardError(f"{board.place(cell)}: {mismatch}")
    counts = Counter(rules.pieces)
    wrong = next(
        cell for cell, tile in enumerate(start) if start[:cell].count(tile) >= counts[tile]
    )
    if rules.has_one_blank and start.count(BLANK) > 1:
        mismatch += f"; boards of {rules.short_name} have one gap"
    elif rules.has_blank and BLANK not in start:
        mismatch += f"; {rules.labels[BLANK]} is the gap"
    elif not rules.has_blank and BLANK in start:
        mismatch += f"; {rules.short_name} has no gap"
    raise BoardError(f"{board.place(wrong)}: {mismatch}")
