"""Plans by the letters of pieces: A+2 B-1, A right 2, AR2, for boards of pieces that have letters.

A sign stands for the direction in which the piece is long: + is right or down, - left or up. AR2D
goes two cells right and one down, in one move where the rules count that as one.
"""

import re
from collections.abc import Iterator

from plansolve.errors import OptionError, PlanError
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.puzzles.blocks import letters_of, move_name, shifted
from plansolve.text import quote

_MOVE = re.compile(
    r"([A-Za-z])(?:\s*([+-])\s*(\d{1,2})|\s+(right|left|up|down)(?:\s+(\d{1,2}))?|((?:[RLUD]\d{0,2})+))"
    r"(?![^\s,;])[\s,;]*",
    re.IGNORECASE,
)
_RUN = re.compile(r"([RLUD])(\d*)")


def read_pieces(text: str, problem: Problem) -> Plan | None:
    """Return the moves of a text that tells them by pieces; None for any other text.

    A move that the rules do not allow is kept where it has a name. Raise `PlanError` for a letter
    that is no piece, and for a move without a name.
    """
    rows, body = letters_of(problem.puzzle, problem.start), text.strip()
    moves = [*_MOVE.finditer(body)]
    if rows is None or not moves or "".join(match[0] for match in moves) != body:
        return None
    places: dict[str, tuple[int, ...]] = {}
    for cell, letter in enumerate("".join(rows)):
        places[letter] = (*places.get(letter, ()), cell)
    board, plan = problem.start, list[str]()
    for step, match in enumerate(moves, start=1):
        letter = match[1]
        if letter not in places or not letter.isalpha():
            raise PlanError(f"step {step}: the board has no piece {letter}")
        path = _path(match, places[letter], problem.puzzle.columns)
        if not path:
            raise PlanError(f"step {step}: {quote(match[0].strip())} does not tell the way")
        for name, after in _made(problem, board, letter, places[letter], path):
            if name not in problem.puzzle.move_names:
                raise PlanError(
                    f"step {step}: {quote(match[0].strip())} is no move of "
                    f"{problem.puzzle.short_name}"
                )
            plan.append(name)
            board = after
        places[letter] = shifted(places[letter], path, problem.puzzle)
    return tuple(plan)


def _path(match: re.Match[str], place: tuple[int, ...], columns: int) -> str:
    """Return the directions of a move, one a cell; "" where they are not told."""
    _, sign, count, word, words, runs = match.groups()
    if sign:
        across = place[-1] - place[0] == len(place) - 1
        along = place[-1] - place[0] == columns * (len(place) - 1)
        if across == along:
            return ""
        return ("LR" if across else "UD")[sign == "+"] * int(count)
    if word:
        return word[0].upper() * int(words or 1)
    return "".join(way * int(number or 1) for way, number in _RUN.findall(runs.upper()))


def _made(
    problem: Problem, board: State, letter: str, place: tuple[int, ...], path: str
) -> Iterator[tuple[str, State]]:
    """Yield the names of the moves that take a piece along a path, and the boards after them."""
    puzzle = problem.puzzle
    legal = puzzle.applicable(board)
    after = _after(board, place, shifted(place, path, puzzle))
    found = next((name for name, op in legal.items() if op.apply(board) == after), None)
    name = found or move_name(puzzle, letter, place, path)
    if name in puzzle.move_names or len(path) == 1:
        yield name, after
        return
    # In single steps.
    for way in path:
        there = shifted(place, way, puzzle)
        board, before = _after(board, place, there), place
        place = there
        yield move_name(puzzle, letter, before, way), board


def _after(board: State, place: tuple[int, ...], end: tuple[int, ...]) -> State:
    """Return the board with what is in some cells brought to others, as far as there are any."""
    cells = [*board]
    for cell in place:
        cells[cell] = BLANK
    for cell, there in zip(place, end, strict=True):
        if 0 <= there < len(cells):
            cells[there] = board[cell]
    return tuple(cells)


def pieces_text(plan: Plan, problem: Problem) -> str:
    """Return a legal plan by the letters of the pieces.

    Raise `OptionError` where the pieces have no letters, `PlanError` for a plan that is not legal.
    """
    puzzle = problem.puzzle
    rows = letters_of(puzzle, problem.start) if puzzle.needs_kinds else None
    if rows is None:
        raise OptionError("the style pieces is for boards of pieces that have letters")
    letters, texts = [*"".join(rows)], list[str]()
    for operator in operators_of(problem, plan):
        moved = dict(operator.tile_moves)
        carried = [letters[source] for source in moved.values()]
        for source in moved.values():
            letters[source] = "."
        for cell, letter in zip(moved, carried, strict=True):
            letters[cell] = letter
        way = operator.name.lstrip("abcdefghijklmnopqrstuvwxyz").lstrip("0123456789")
        texts.append(operator.name if way[:1] not in "UDLR" else f"{carried[0]}{way}")
    return " ".join(texts)
