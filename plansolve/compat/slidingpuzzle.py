"""slidingpuzzle: the program of the sliding-puzzle homework of Puget Sound's CS431.

    python -m plansolve.compat.slidingpuzzle FILE.puz [-n|--nographics]

Prints a shortest solution and animates it: in a window, or in the terminal if there is no
display; with -n it only prints. Letters name the motion of the tile.
"""

import sys
from collections.abc import Sequence
from functools import partial

from plansolve.compat.shared import proved, read_file, run_program, say
from plansolve.errors import OptionError
from plansolve.formats import read_problem
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import BLANK, Plan
from plansolve.program import complain

__all__ = ["Window", "main"]

_USAGE = (
    "usage: python -m plansolve.compat.slidingpuzzle [-n|--nographics] FILE.puz; "
    "-n or --nographics turns off the graphical display"
)
_FLAGS = ("-n", "--nographics")

_MOVE_SECONDS, _PAUSE_SECONDS = 0.25, 0.125
_FRAMES = 10
_BOARD, _TILE, _NUMBER, _TROUBLE = "#1f2430", "#f3c77b", "#4a2f0a", "#c0392b"
_LARGEST_TILE = 120
_SHARE_OF_SCREEN = 0.7


class Window:
    """A window that shows the start and then slides tile after tile, until it is closed.

    `plan` is None for an unsolvable board; the window then says so. Raises `tkinter.TclError` if
    there is no display, and `ImportError` if Python has no tkinter.
    """

    def __init__(self, problem: Problem, plan: Plan | None) -> None:
        import tkinter

        self.root = tkinter.Tk()
        self.root.title("Sliding Puzzle")
        self.root.resizable(False, False)
        rows, self._columns = problem.puzzle.rows, problem.puzzle.columns
        self._boards = list(boards_of(problem, plan or ()))
        self._step = self._frame = 0
        tall, wide = self.root.winfo_screenheight() / rows, self.root.winfo_screenwidth()
        self._side = int(min(_LARGEST_TILE, _SHARE_OF_SCREEN * min(tall, wide / self._columns)))
        width, height = self._columns * self._side, rows * self._side
        self.canvas = tkinter.Canvas(
            self.root, width=width, height=height, background=_BOARD, highlightthickness=0
        )
        self.canvas.pack()
        for cell, tile in enumerate(problem.start):
            if tile != BLANK:
                self._draw(tile, cell)
        if plan is None:
            font = ("Helvetica", max(8, width // 8), "bold italic")
            middle = (width / 2, height / 2)
            self.canvas.create_text(*middle, text="Unsolvable!", fill=_TROUBLE, font=font)
        self.root.after(int(1000 * _PAUSE_SECONDS), self._advance)

    @property
    def is_done(self) -> bool:
        """Return True if the last tile has come to rest."""
        return self._step == len(self._boards) - 1

    def cell_of(self, tile: int) -> int:
        """Return the cell in which a tile is drawn."""
        left, top = self.canvas.coords(f"tile{tile}")[:2]
        return round(top / self._side) * self._columns + round(left / self._side)

    def run(self) -> None:
        """Show the window until somebody closes it."""
        self.root.mainloop()

    def _draw(self, tile: int, cell: int) -> None:
        side, tag = self._side, f"tile{tile}"
        top, left = (side * place for place in divmod(cell, self._columns))
        self.canvas.create_rectangle(
            left, top, left + side, top + side, fill=_TILE, outline=_BOARD, width=3, tags=tag
        )
        font = ("Helvetica", max(6, int(side * 0.35)), "bold")
        middle = (left + side / 2, top + side / 2)
        self.canvas.create_text(*middle, text=str(tile), fill=_NUMBER, font=font, tags=tag)

    def _advance(self) -> None:
        """Draw the next frame of the current move, and ask to be called again."""
        if self.is_done:
            return
        before, after = self._boards[self._step : self._step + 2]
        # The sliding tile is the one that is now in the gap's old cell.
        goes_to, comes_from = before.index(BLANK), after.index(BLANK)
        tile = after[goes_to]
        (r0, c0), (r1, c1) = divmod(comes_from, self._columns), divmod(goes_to, self._columns)
        done, self._frame = self._frame, self._frame + 1
        # Whole pixels, such that the frames of a move add up to exactly one side.
        pixels = self._side * self._frame // _FRAMES - self._side * done // _FRAMES
        self.canvas.move(f"tile{tile}", (c1 - c0) * pixels, (r1 - r0) * pixels)
        seconds = _MOVE_SECONDS / _FRAMES
        if self._frame == _FRAMES:
            self._step, self._frame, seconds = self._step + 1, 0, _PAUSE_SECONDS
        self.root.after(int(1000 * seconds), self._advance)


def _show(problem: Problem, plan: Plan | None) -> None:
    """Show the solution in a window, else in the terminal."""
    try:
        import tkinter
    except ImportError:
        missing = "this Python has no tkinter"
    else:
        try:
            window = Window(problem, plan)
        except tkinter.TclError:
            missing = "there is no display"
        else:
            window.run()
            return
    if sys.stdout.isatty():
        complain(f"No window: {missing}. The animation is shown in the terminal.")
        # It takes a third of a second to load, and few runs need it.
        from rich.console import Console

        from plansolve.replay.terminal import animate

        animate(problem, plan or (), Console(highlight=False), 1 / _MOVE_SECONDS)
    else:
        complain(f"No window: {missing}. No animation: the output is not a terminal.")


def main(arguments: Sequence[str]) -> None:
    """Run the course's program; raise `InputError` for wrong input."""
    files = [argument for argument in arguments if argument not in _FLAGS]
    if len(files) != 1 or files[0].startswith("-"):
        raise OptionError(_USAGE)
    problem = read_file(files[0], partial(read_problem, format="puz"))
    plan = proved(problem).plan
    say("Solution: Impossible!" if plan is None else f"Solution: {''.join(plan)} ({len(plan)})")
    sys.stdout.flush()
    if len(files) == len(arguments):
        _show(problem, plan)


if __name__ == "__main__":
    run_program(main, "slidingpuzzle: ")
