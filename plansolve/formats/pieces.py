"""Plans by the letters of pieces: A+2 B-1, A right 2, AR2, for boards whose pieces have letters.

With a sign, the piece moves lengthwise: + is right or down, - is left or up. AR2D moves A two cells
right and one down, in one move if the rules count that as one.
"""

import re

from plansolve.errors import OptionError, PlanError
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import Operator, Plan
from plansolve.puzzles.blocks import letters_of
from plansolve.text import quote

_MOVE = re.compile(
    r"([A-Za-z])(?:\s*([+-])\s*(\d{1,2})|\s+(right|left|up|down)(?:\s+(\d{1,2}))?|((?:[RLUD]\d{0,2})+))"
    r"(?![^\s,;])[\s,;]*",
    re.IGNORECASE,
)
_RUN = re.compile(r"([RLUD])(\d*)")


def read_pieces(text: str, problem: Problem) -> Plan | None:
    """Return the moves of a text that names pieces; None for any other text.

    From the first illegal move on, moves are kept as written. Raise `PlanError` for a letter that
    is not a piece, and for a move without a direction.
    """
    puzzle, board, plan = problem.puzzle, problem.start, list[str]()
    rows, found = letters_of(puzzle, board), [*_MOVE.finditer(text.strip())]
    written = [match[0].strip(" \t\r\n,;") for match in found]
    if rows is None or not found or "".join(match[0] for match in found) != text.strip():
        return None
    letters = [*"".join(rows)]
    cells = {"R": 1, "L": -1, "U": -puzzle.columns, "D": puzzle.columns}
    for step, match in enumerate(found, start=1):
        if match[1] not in letters:
            raise PlanError(f"step {step}: the board has no piece {match[1]}")
        place = [cell for cell, letter in enumerate(letters) if letter == match[1]]
        if not (path := _path(match, place, puzzle.columns)):
            raise PlanError(
                f"step {step}: {quote(written[step - 1])} gives no direction, as {match[1]}R2 does"
            )
        ways = [cells[way] for way in path]
        # As one move if there is one, otherwise as single steps.
        while ways:
            # If two paths lead to one place, the written path counts.
            fitting = puzzle.applicable(board).values()
            ordered = sorted(fitting, key=lambda op: op.name.endswith((match[6] or "").upper()))
            moves = {_carried(op, letters): op for op in ordered}
            whole = moves.get((match[1], sum(ways)))
            operator = whole or moves.get((match[1], ways[0]))
            if operator is None:
                return (*plan, *written[step - 1 :])
            ways = [] if whole else ways[1:]
            plan.append(operator.name)
            board, letters = operator.apply(board), _after(operator, letters)
    return tuple(plan)


def _path(match: re.Match[str], place: list[int], columns: int) -> str:
    """Return the directions of a move, one per cell; "" if they are not given."""
    _, sign, count, word, words, runs = match.groups()
    if sign:
        across = place[-1] - place[0] == len(place) - 1
        along = place[-1] - place[0] == columns * (len(place) - 1)
        return "" if across == along else ("LR" if across else "UD")[sign == "+"] * int(count)
    if word:
        return word[0].upper() * int(words or 1)
    return "".join(way * int(number or 1) for way, number in _RUN.findall(runs.upper()))


def _carried(operator: Operator, letters: list[str]) -> tuple[str, int]:
    """Return the letter of the piece that a move carries, and by how many cells."""
    cell, source = operator.tile_moves[0]
    return letters[source], cell - source


def _after(operator: Operator, letters: list[str]) -> list[str]:
    """Return the letters of the cells after a move."""
    sources = dict(operator.moves)
    return [letters[sources.get(cell, cell)] for cell in range(len(letters))]


def pieces_text(plan: Plan, problem: Problem) -> str:
    """Return a legal plan by the letters of the pieces.

    Raise `OptionError` if the pieces have no letters, `PlanError` for a plan that is not legal.
    """
    puzzle = problem.puzzle
    rows = letters_of(puzzle, problem.start) if puzzle.needs_kinds else None
    if rows is None:
        raise OptionError("style 'pieces' is for boards whose pieces have letters")
    letters, texts = [*"".join(rows)], list[str]()
    for operator in operators_of(problem, plan):
        letter, _ = _carried(operator, letters)
        letters = _after(operator, letters)
        way = operator.name.lstrip("abcdefghijklmnopqrstuvwxyz").lstrip("0123456789")
        texts.append(operator.name if way[:1] not in "UDLR" else f"{letter}{way}")
    return " ".join(texts)
