"""Boards whose shortest plan has a wanted number of moves.

If all boards within that distance of the goal can be listed, the answer is exact: a random board,
each with the same probability, or a proof that there is none. Otherwise a walk back from the goal
is solved, and extended while its proved optimum rises: a step back adds at most one move. These
boards are not uniform.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from plansolve.errors import InternalError, OptionError
from plansolve.instances.held_boards import HeldBoards
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, Plan, Puzzle, State
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import CutShort, most_memory
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.text import counted

# All boards of few cells, and larger boards near the goal, are listed in seconds.
_MOST_LISTED = 200_000
_MOST_LISTED_OF_LARGER = 30_000
_PATIENCE = 200
# After so many successive walks without a longer optimum, accept a shorter one.
_STUCK = 12


def boards_of_length(
    puzzle: Puzzle,
    length: int,
    count: int,
    randomness: Randomness,
    *,
    longest: int | None = None,
    time_limit: float | None = None,
    patience: int = _PATIENCE,
    most_listed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[State, Plan]]:
    """Yield `count` boards, each with a plan of `length` moves that is proved shortest.

    With `longest` the length of each is drawn from `length` to `longest`. Up to `most_listed`
    boards (None: a number that suits the puzzle) are listed from the goal on. Otherwise `progress`
    is called after each solved board, with its length and the number of solved boards.

    Raise `OptionError` if it is proved that there is no such board. Raise `CutShort`, which proves
    nothing, after `time_limit` seconds for all boards together, if `patience` solved boards in a
    row were no farther from the goal than those before, or if the solver was interrupted.
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    if puzzle.needs_kinds:
        held, last = HeldBoards(puzzle), length if longest is None else longest
        yield from (held.of_length(length, last, randomness.child()) for _ in range(count))
        return
    before = Predecessors(puzzle)
    is_small = puzzle.cells <= FEW_CELLS
    if most_listed is None:
        most_listed = _MOST_LISTED if is_small else _MOST_LISTED_OF_LARGER
    longest = length if longest is None else longest
    listed = before.layers(longest, most_listed)
    if listed is not None:
        longest = min(longest, len(listed.layers) - 1)
        if longest < length:
            raise OptionError(
                f"no board has optimal length {length}: all {len(listed.distances)} boards that "
                f"have a plan were listed, and the farthest need {longest}"
            )
    with Workers() as workers:
        for _ in range(count):
            draws = randomness.child()
            wanted = draws.one_of(range(length, longest + 1)) if longest > length else length
            if listed is not None:
                board = draws.one_of(listed.layers[wanted])
                yield board, listed.plan(board)
            else:
                climb = _Climb(before, wanted, draws, workers, deadline, patience, progress)
                try:
                    found = climb.run()
                except KeyboardInterrupt:
                    raise climb.cut(StopReason.INTERRUPTED, "interrupted") from None
                yield found


@dataclass
class _Climb:
    """The search for one board: its arguments, then its state."""

    before: Predecessors
    wanted: int
    draws: Randomness
    workers: Workers
    deadline: float | None
    patience: int
    progress: Callable[[int, int], None] | None
    solved: int = 0
    farthest: int = 0
    since_farthest: int = 0

    def run(self) -> tuple[State, Plan]:
        """Return a board of the wanted length and its plan; raise `CutShort` if it gives up."""
        best: Plan = ()
        board, stuck = self.before.puzzle.goal_board, 0
        while (level := len(best)) < self.wanted:
            # If long walks give no longer optimum, shorter ones may.
            steps = max(1, (self.wanted - level) >> stuck)
            candidate = self.before.walk(board, steps, self.draws)
            plan = self._shortest_plan(candidate, level + steps)
            rises = len(plan) > level
            if rises or len(plan) == level or stuck >= _STUCK:
                board, best = candidate, plan
            stuck = 0 if rises or stuck >= _STUCK else stuck + 1
        return board, best

    def _shortest_plan(self, board: State, most: int) -> Plan:
        """Return the plan of a board from which a walk of `most` moves leads to the goal."""
        if self.since_farthest >= self.patience:
            why = f"the last {self.patience} boards got no farther from the goal"
            raise self.cut(StopReason.EXHAUSTED, why)
        seconds = None if self.deadline is None else self.deadline - time.monotonic()
        if seconds is not None and seconds <= 0:
            raise self.cut(StopReason.TIME, "time limit reached")
        result: Result = solve(
            Problem(self.before.puzzle, board),
            time_limit=seconds,
            memory_limit=most_memory(),
            workers=self.workers,
            optimal=True,
        )
        result.unless_interrupted()
        if result.status == Status.UNSOLVABLE:
            raise InternalError(f"a board at the end of a walk was called unsolvable: {board}")
        if result.status != Status.OPTIMAL or result.plan is None:
            raise self.cut(result.stop_reason, result.explanation)
        if (length := len(result.plan)) > most:
            raise InternalError(f"{length} moves are called optimal, {most} are enough: {board}")
        self.solved += 1
        self.since_farthest += 1
        if length > self.farthest:
            self.farthest, self.since_farthest = length, 0
        if self.progress is not None:
            self.progress(length, self.solved)
        return result.plan

    def cut(self, reason: StopReason, why: str) -> CutShort:
        """Return the error to raise for the given reason."""
        seen = f": {counted(self.solved, 'board')} solved, the farthest at {self.farthest}"
        return CutShort(
            reason,
            f"no board of {counted(self.wanted, 'move')} found ({why}){seen * bool(self.solved)}; "
            "such a board may exist",
        )
