"""Shows a game on a console: coloured and in place on a terminal, as plain text elsewhere."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from rich.console import Console
from rich.text import Text

from plansolve.apps.play.game import Game
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan
from plansolve.replay.terminal import animate, board_view, can_redraw
from plansolve.solvers.engine.progress import Progress
from plansolve.text import counted

__all__ = ["TerminalScreen"]

# Moves a second, and seconds.
_REPLAY_SPEED = 4.0
_LONGEST_REPLAY = 20.0


class TerminalScreen:
    """A `Screen` on a rich console; `progress` shows what the solver does."""

    def __init__(
        self,
        console: Console,
        convention: str,
        progress: Callable[[], AbstractContextManager[Progress]],
    ) -> None:
        self.progress = progress
        self._console, self._convention = console, convention
        # The lines of the board that was shown last, where nothing has been written below it.
        self._lines_above = 0

    def say(self, text: str) -> None:
        """Show a line or several."""
        self._lines_above = 0
        self._console.print(Text(text), soft_wrap=True)

    def show(self, game: Game) -> None:
        """Show the board and the number of moves, over the board before where that can be."""
        puzzle = game.problem.puzzle
        holes = puzzle.layout.holes if puzzle.layout else ()
        tiles = [
            (tile, goal)
            for cell, (tile, goal) in enumerate(zip(game.board, puzzle.goal, strict=True))
            if goal > BLANK and cell not in holes
        ]
        made, placed = counted(len(game.moves), "move"), sum(tile == goal for tile, goal in tiles)
        status = f"{made}, {placed} of {len(tiles)} tiles in place"
        if not self._console.is_terminal:
            self._console.print(Text(puzzle.board_text(game.board)), soft_wrap=True)
            self._console.print(Text(status), soft_wrap=True)
            return
        if self._lines_above and can_redraw(puzzle, self._console):
            self._console.file.write(f"\x1b[{self._lines_above}A\x1b[J")
        self._console.print(board_view(puzzle, game.board, game.changed), soft_wrap=True)
        self._console.print(Text(status), soft_wrap=True)
        self._lines_above = puzzle.rows + 1

    def replay(self, problem: Problem, plan: Plan) -> None:
        """Show how a plan is carried out, where there is a place for it; Ctrl-C skips the rest."""
        self._lines_above = 0
        if can_redraw(problem.puzzle, self._console):
            speed = max(_REPLAY_SPEED, len(plan) / _LONGEST_REPLAY)
            try:
                animate(problem, plan, self._console, speed, convention=self._convention)
            except KeyboardInterrupt:
                return
            # The game's own board takes the place of the last picture, its title and its margin.
            self._lines_above = problem.puzzle.rows + 2

    def typed(self) -> None:
        """Note that a line was typed below the board."""
        self._lines_above = 0

    def echo(self, text: str) -> None:
        """Write what a line editor would."""
        self._console.file.write(text)
        self._console.file.flush()
