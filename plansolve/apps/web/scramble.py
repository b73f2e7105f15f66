"""A new board for the form, made in a child process: some puzzles make that long."""

import secrets

from plansolve.errors import OptionError
from plansolve.formats import write_problem
from plansolve.instances.instance_set_writer import natural_format
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.solvers.limits import CutShort, Limits
from plansolve.solvers.processes.call import call_in_child
from plansolve.solvers.result import StopReason

__all__ = ["scrambled"]

_SEEDS = 1 << 32


def scrambled(goal: Problem, moves: int | None, limits: Limits) -> str:
    """Return a board so many random moves from the goal, or a random one for None, as text.

    Raise `OptionError` where it cannot be made, or not within the limits.
    """
    try:
        return call_in_child(_board, goal, moves, limits=limits)
    except CutShort as cut:
        is_late = cut.reason == StopReason.TIME
        late = "that board takes too long to make: give a number of moves"
        raise OptionError(late if is_late else f"no board was made: {cut}") from None
    except MemoryError:
        raise OptionError("memory ran out") from None


def _board(goal: Problem, moves: int | None) -> str:
    rules, randomness = goal.puzzle, Randomness(secrets.randbelow(_SEEDS))
    if moves is None:
        board = BoardSampler(rules).solvable(randomness)
    else:
        board = Predecessors(rules).walk(rules.goal_board, moves, randomness)
    problem = Problem(rules, board)
    return write_problem(problem, natural_format(problem))
