"""sliders: the sixteen functions of a first programming project, "Shall we play a game?".

Boards are lists of rows, and the number 0 belongs in the upper left corner: 0 1 2 ... in order.
Letters name the motion of number 0. The functions that move tiles change the board that they are
given, and copy nothing; `rotate` returns a new board.

>>> b = generate(3, 3)
>>> move(b, "RD"), b
(2, [[1, 4, 2], [3, 0, 5], [6, 7, 8]])
>>> play(b, "ULRULDUDULR"), b
(2, [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
"""

import random
from collections.abc import Iterable
from operator import index
from typing import TypeAlias

from plansolve.compat.shared import say, slide
from plansolve.errors import BoardError, OptionError

__all__ = [
    "generate",
    "get_board_size",
    "is_solved",
    "is_valid",
    "move",
    "move_down",
    "move_left",
    "move_random",
    "move_right",
    "move_up",
    "play",
    "play_interactive",
    "print_board",
    "reset",
    "rotate",
    "shuffle",
]

Board: TypeAlias = list[list[int]]

_SMALLEST, _LARGEST = 2, 10
_STEPS = {"L": (0, -1), "R": (0, 1), "U": (-1, 0), "D": (1, 0)}


def generate(row: int, column: int) -> Board:
    """Return the solved board of that size; raise `BoardError` for sides that are not 2 to 10."""
    if not (_SMALLEST <= index(row) <= _LARGEST and _SMALLEST <= index(column) <= _LARGEST):
        raise BoardError(f"a board of {row}x{column} is out of range: sides go from 2 to 10")
    return [list(range(first, first + column)) for first in range(0, row * column, column)]


def shuffle(board: Board, times: int = 20) -> str:
    """Make `times` random moves, the last of which does not solve the board; return them.

    Raise `OptionError` if `times` is not 1, 2, 3 ..., and `BoardError` if every move solves the
    board.
    """
    if index(times) < 1:
        raise OptionError(f"times must be 1 or more, not {times}")
    made = [move_random(board) for _ in range(times - 1)]
    choices = [x for x, after in _boards_after(board).items() if not is_solved(after)]
    if not choices:
        raise BoardError("the board is too small to shuffle: every move solves it")
    last = random.choice(choices)
    slide(board, *_STEPS[last])
    return "".join([*made, last])


def reset(board: Board) -> None:
    """Bring the board to its solved form."""
    columns = len(board[0])
    for number, row in enumerate(board):
        row[:] = range(number * columns, (number + 1) * columns)


def is_valid(board: object) -> bool:
    """Return True if the board holds each number below row x column once.

    >>> is_valid([[1, 20, 3], [4, 15, 10]])
    False
    """
    if not (isinstance(board, list) and board and all(isinstance(row, list) for row in board)):
        return False
    if len({len(row) for row in board}) > 1 or not board[0]:
        return False
    numbers = [number for row in board for number in row]
    # True and 1.0 equal 1, but are not numbers of a board.
    if any(type(number) is not int for number in numbers):
        return False
    return sorted(numbers) == list(range(len(numbers)))


def is_solved(board: object) -> bool:
    """Return True if the board is valid and its numbers are in order."""
    if not (isinstance(board, list) and is_valid(board)):
        return False
    numbers = [number for row in board for number in row]
    return numbers == sorted(numbers)


def get_board_size(board: Board) -> tuple[int, int]:
    """Return (row, column): the numbers of rows and of columns."""
    return len(board), len(board[0])


def move_right(board: Board) -> int:
    """Swap number 0 with the number to its right; return the number of moves, 0 or 1."""
    return int(slide(board, *_STEPS["R"]))


def move_left(board: Board) -> int:
    """Swap number 0 with the number to its left; return the number of moves, 0 or 1."""
    return int(slide(board, *_STEPS["L"]))


def move_up(board: Board) -> int:
    """Swap number 0 with the number above it; return the number of moves, 0 or 1."""
    return int(slide(board, *_STEPS["U"]))


def move_down(board: Board) -> int:
    """Swap number 0 with the number below it; return the number of moves, 0 or 1."""
    return int(slide(board, *_STEPS["D"]))


def move_random(board: Board) -> str:
    """Swap number 0 with one of its neighbours; return the letter of the direction.

    Raise `BoardError` for a board of one cell.
    """
    possible = list(_boards_after(board))
    if not possible:
        raise BoardError("number 0 has no neighbour: the board has one cell")
    letter = random.choice(possible)
    slide(board, *_STEPS[letter])
    return letter


def move(board: Board, moves: Iterable[str]) -> int:
    """Make the moves that are possible, in upper or lower case; return how many were made.

    `moves` is a string or, as the project's text also says, a list of moves. Other characters, and
    moves over the edge, change nothing and do not count.
    """
    return sum(slide(board, *_STEPS[x]) for x in "".join(moves).upper() if x in _STEPS)


def rotate(board: Board) -> Board:
    """Return a new board: the given one turned to the right by 90 degrees.

    >>> rotate([[1, 4, 2], [0, 3, 5], [6, 7, 8]])
    [[6, 0, 1], [7, 3, 4], [8, 5, 2]]
    """
    return [list(column) for column in zip(*reversed(board), strict=True)]


def print_board(board: Board) -> None:
    r"""Print the rows, with tabs between the numbers.

    >>> print_board([[0, 1], [2, 3]])  # doctest: +NORMALIZE_WHITESPACE
    0   1
    2   3
    """
    for row in board:
        say("\t".join(map(str, row)))


def play(board: Board, moves: Iterable[str]) -> int:
    """Make the moves until the board is solved; return the number of moves made.

    Return 0 for a solved board, -1 if the moves do not solve the board, -2 for an invalid one.
    """
    if not is_valid(board):
        return -2
    made = 0
    for letter in "".join(moves):
        if is_solved(board):
            break
        made += move(board, letter)
    return made if is_solved(board) else -1


def play_interactive(board: Board | None = None) -> tuple[str, int]:
    """Let somebody play with L, R, U, D, M (a random move) and Q (quit); other letters are wrong.

    Returns the moves that were made and their number, which is -1 if the board was not solved,
    and ("", -2) for a board that is not valid. Without a board it shuffles one of a size you type.
    The end of the input quits as well.
    """
    made: list[str] = []
    try:
        if board is None:
            board = _asked_for()
        if not is_valid(board):
            say("The board matrix elements must be between 0:1:row*column-1")
            return "", -2
        while not _show(board):
            letter = input("Where do you want to move: ").strip().upper()
            if letter == "Q":
                break
            if letter == "M":
                made.append(move_random(board))
            elif letter in _STEPS and slide(board, *_STEPS[letter]):
                made.append(letter)
            else:
                say("Wrong move.")
        else:
            say(f"Congrats! You solved the board in {len(made)} moves.")
            return "".join(made), len(made)
    except EOFError:
        say()
    say("Exiting.")
    return "".join(made), -1


def _asked_for() -> Board:
    """Return a shuffled board of the size that somebody types."""
    say("Please type the puzzle size number.")
    board = generate(_size("Row number:"), _size("Column number:"))
    shuffle(board)
    return board


def _size(prompt: str) -> int:
    while True:
        answer = input(prompt).strip()
        if answer in map(str, range(_SMALLEST, _LARGEST + 1)):
            return int(answer)
        say("Please type a number from 2 to 10.")


def _show(board: Board) -> bool:
    """Print the board; return True if it is solved."""
    say("Current board is:")
    print_board(board)
    return is_solved(board)


def _boards_after(board: Board) -> dict[str, Board]:
    """Return new boards: the given one after each move that stays on the board."""
    after = {letter: [row[:] for row in board] for letter in _STEPS}
    return {letter: after[letter] for letter, step in _STEPS.items() if slide(after[letter], *step)}
