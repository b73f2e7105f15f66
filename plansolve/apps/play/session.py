"""A game from the first line that is typed to the last, whatever reads and shows them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from plansolve.apps.play.advice import Advice, Adviser
from plansolve.apps.play.arrows import ARROWS, direction_of, slides_by_arrow
from plansolve.apps.play.game import Game
from plansolve.errors import PlanError
from plansolve.formats.notation import format_plan, read_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.engine.progress import Progress
from plansolve.solvers.result_text import to_go
from plansolve.text import at_least, counted

__all__ = ["Screen", "Session"]

_HELP = """\
Type moves: {moves}; several at once as well.{arrows}
undo [N]  take back the last move, or N
hint      the next move of the best plan from here
solve     let plansolve finish
reset     back to the start
quit      end the game"""


_MOST_NAMES = 24
"""Help lists so many moves: of a longer list, those that can be made."""


class Screen(Protocol):
    """Where a game is shown."""

    def say(self, text: str) -> None:
        """Show a line or several."""

    def show(self, game: Game) -> None:
        """Show the board."""

    def replay(self, problem: Problem, plan: Plan) -> None:
        """Show how a plan is carried out."""

    def progress(self) -> AbstractContextManager[Progress]:
        """Show the progress of a search."""


class Session:
    """One game; moves are read and named in `convention`."""

    def __init__(
        self, game: Game, adviser: Adviser, screen: Screen, convention: str, has_arrows: bool
    ) -> None:
        self._game, self._adviser, self._screen = game, adviser, screen
        self._convention, self._has_arrows = convention, has_arrows
        self._puzzle = game.problem.puzzle
        self._move_names = {self._told((name,)).lower() for name in self._puzzle.move_names}
        self._hints = self._by_solver = 0
        self._commands: dict[str, Callable[[], None]] = {
            "hint": self._hint,
            "solve": self._solve,
            "reset": self._reset,
            "help": self._help,
            "?": self._help,
        }

    def begin(self) -> bool:
        """Show the board; whether there is something to play."""
        self._screen.show(self._game)
        if self._game.is_solved:
            self._screen.say("the board is the goal already")
            return False
        self._screen.say("type moves, or: undo hint solve reset help quit")
        return True

    def enter(self, line: str) -> bool:
        """Do what a line asks for; whether the game goes on."""
        word, *rest = line.lower().split() or [""]
        if word in self._move_names:
            # A puzzle may have a move that is called like a command.
            self._play(line)
        elif word in ("quit", "exit", "q") and not rest:
            self.leave()
            return False
        elif word == "undo" and len(rest) < 2:
            self._undo(*rest)
        elif word in self._commands and not rest:
            self._commands[word]()
        elif word:
            self._play(line)
        return self._goes_on()

    def arrow(self, direction: str) -> bool:
        """Make the move of an arrow key, where there is one; whether the game goes on."""
        if self._is_move(direction):
            names = list(read_plan(direction, self._puzzle, self._convention))
        else:
            names = slides_by_arrow(self._game, direction, self._convention == "blank")
            if len(names) > 1:
                told = self._told(tuple(names), "words-apart")
                self._screen.say(f"several can go {direction}, type one: {told}")
        if len(names) == 1 and self._game.play(names):
            self._screen.show(self._game)
        return self._goes_on()

    def _is_move(self, direction: str) -> bool:
        """Whether an arrow key's direction is the name of a move."""
        try:
            return len(read_plan(direction, self._puzzle, self._convention)) == 1
        except PlanError:
            return False

    def leave(self) -> None:
        """Say how the game stands that ends here."""
        self._screen.say(f"not solved, {counted(len(self._game.moves), 'move')} made")

    def _play(self, line: str) -> None:
        try:
            plan = read_plan(line, self._puzzle, self._convention)
        except PlanError as error:
            self._screen.say(f"{error}; `help` lists what else can be typed")
            return
        made = self._game.play(plan)
        if made < len(plan) and not self._game.is_solved:
            which = f"move {made + 1}, {self._told(plan[made : made + 1])}," if made else ""
            which = which or self._told(plan[:1])
            possible = self._told(self._game.possible, "words-apart") or "none"
            self._screen.say(f"{which} cannot be made here; possible: {possible}")
        if made:
            self._screen.show(self._game)

    def _undo(self, count: str = "1") -> None:
        if not (count.isascii() and count.isdigit() and len(count) < 9):
            self._screen.say(f"undo {count[:20]!r}: a number of moves is expected")
            return
        undone = 0
        while undone < int(count) and self._game.undo() is not None:
            undone += 1
        if not undone:
            self._screen.say("there is no move to take back")
        else:
            self._screen.show(self._game)

    def _reset(self) -> None:
        self._game.reset()
        self._screen.show(self._game)

    def _help(self) -> None:
        arrows = self._arrows if self._has_arrows else ""
        names, where = self._puzzle.move_names, ""
        if len(names) > _MOST_NAMES:
            names, where = self._game.possible, ", to name those that can be made now"
        more = " ..." if len(names) > _MOST_NAMES else ""
        moves = f"{self._told(names[:_MOST_NAMES], 'words-apart')}{more}{where}"
        self._screen.say(_HELP.format(moves=moves, arrows=arrows))

    @property
    def _arrows(self) -> str:
        """What is to be said of the arrow keys."""
        if any(map(self._is_move, ARROWS)):
            return " The arrow keys move, too."
        columns = self._puzzle.columns
        if not any(direction_of(operator, columns, False) for operator in self._puzzle.operators):
            return ""
        told = " The arrow keys move a tile into the gap beside it, too"
        several = "; where several could go, into the gap that moved last"
        return f"{told}{several if self._puzzle.gaps > 1 else ''}."

    def _hint(self) -> None:
        advice = self._advice(self._game.position)
        if not advice.plan:
            self._screen.say(_without_plan(advice))
            return
        self._hints += 1
        name = self._told(advice.plan[:1])
        self._screen.say(f"hint: {name} ({to_go(len(advice.plan), advice.lower_bound)})")

    def _solve(self) -> None:
        advice = self._advice(self._game.position)
        if not advice.plan:
            self._screen.say(_without_plan(advice))
            return
        worth = to_go(len(advice.plan), advice.lower_bound)
        self._screen.say(f"{self._told(advice.plan)} ({worth})")
        self._screen.replay(self._game.position, advice.plan)
        self._by_solver = self._game.play(advice.plan)
        self._screen.show(self._game)

    def _goes_on(self) -> bool:
        if not self._game.is_solved:
            return True
        made = len(self._game.moves)
        helped = f", {self._by_solver} of them by plansolve" if self._by_solver else ""
        helped += f", with {counted(self._hints, 'hint')}" if self._hints else ""
        self._screen.say(f"solved in {counted(made, 'move')}{helped}")
        self._screen.say(_compared(made, self._advice(self._game.problem)))
        return False

    def _advice(self, problem: Problem) -> Advice:
        """Return what is known about a board; says so where a search has to come first."""
        if (known := self._adviser.known(problem.start)) is not None:
            return known
        self._screen.say(
            f"looking for the shortest plan, at most {self._adviser.time_limit:g} s; "
            "Ctrl-C ends the search"
        )
        with self._screen.progress() as progress:
            return self._adviser.search(problem, progress)

    def _told(self, plan: Plan, style: str = "letters") -> str:
        if style == "words-apart":
            return " ".join(self._told((name,)) for name in plan)
        return format_plan(plan, self._puzzle, style, self._convention)


def _without_plan(advice: Advice) -> str:
    if advice.is_unsolvable:
        return f"this board has no plan: {advice.explanation}"
    return (
        f"no plan found ({advice.explanation}), which does not say that there is none; "
        f"{at_least(advice.lower_bound, 'move')}"
    )


def _compared(made: int, advice: Advice) -> str:
    """Return the player's number of moves beside what is known of the shortest plan."""
    bound = advice.lower_bound or 0
    if made == bound:
        return "no plan is shorter: that is the optimum"
    if advice.is_shortest:
        return f"the shortest plan has {counted(bound, 'move')}, {made - bound} fewer"
    best = "" if advice.plan is None else f"; a plan of {len(advice.plan)} is known"
    return f"the optimum is not proved: {at_least(bound, 'move')}{best}"
