"""The referee: runs every program on every board, then scores the answers.

All runs come first, and nothing else works meanwhile, since their time is measured. Only then are
optima proved, and only for boards with a plan or claim to compare with them.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias

from plansolve.apps.judge import optima
from plansolve.apps.judge.protocols import Answer, Invocation, Program
from plansolve.apps.judge.ranking import Outcome, Standing, rank
from plansolve.apps.judge.sandbox import Run, Sandbox
from plansolve.apps.judge.scoring import Rating, score_run
from plansolve.errors import BoardError
from plansolve.records.board import Board
from plansolve.solvers.processes.workers import Workers
from plansolve.text import at_least, counted


@dataclass(frozen=True)
class JudgeEvent:
    """A step of the work: `done` of `total` runs or boards, and the last one done."""

    done: int
    total: int
    note: str


Progress: TypeAlias = Callable[[JudgeEvent], None]


@dataclass(frozen=True)
class Judgement:
    """The results of all programs on all boards.

    `known` has an entry for each board, by name. `outcomes` are in the order of the boards, and
    for each in the order of the programs. `is_complete` is False if the work was interrupted:
    then runs are missing, or some optima have not been looked for.
    """

    programs: tuple[Program, ...]
    boards: tuple[Board, ...]
    known: Mapping[str, optima.Known]
    outcomes: tuple[Outcome, ...]
    standings: tuple[Standing, ...]
    is_contest: bool
    is_complete: bool
    sandbox: Sandbox

    @property
    def is_all_right(self) -> bool:
        """Return True if every run was made and every answer is the best possible."""
        return self.is_complete and all(outcome.score.is_right for outcome in self.outcomes)

    @property
    def contradictions(self) -> tuple[Outcome, ...]:
        """Return the runs that show a record of ours or of a manifest to be wrong."""
        return tuple(o for o in self.outcomes if o.score.rating == Rating.CONTRADICTION)


@dataclass(frozen=True)
class _Game:
    """One program on one board, before it is run."""

    program: Program
    board: Board
    task: Invocation


def judge(
    programs: Sequence[Program],
    boards: Sequence[Board],
    sandbox: Sandbox,
    *,
    optimum_time_limit: float,
    store: optima.OptimumStore,
    jobs: int = 1,
    progress: Progress = lambda event: None,
) -> Judgement:
    """Run `programs` on `boards`, `jobs` runs at a time, and score and rank them.

    The names of programs and boards must differ. For a board with an unknown optimum, a search of
    at most `optimum_time_limit` seconds (0: none) proves it. Ctrl-C ends the work with the results
    so far.

    Raise `BoardError` if a program's protocol is not for a board or a manifest contradicts
    the rules, before anything is run.
    """
    known = {board.name: optima.known_without_search(board, store) for board in boards}
    games = [
        _Game(program, board, _task(program, board)) for board in boards for program in programs
    ]
    runs, is_complete = _play_all(games, sandbox, jobs, progress)
    answers = [
        (game, run, game.program.answer(run.stdout, game.board.problem))
        for game, run in zip(games, runs, strict=True)
        if run is not None
    ]
    if is_complete and optimum_time_limit > 0:
        wanted = _worth_proving(answers, known)
        is_complete = _prove(wanted, known, store, optimum_time_limit, progress)
    outcomes = _scored(answers, known)
    if fallen := {o.board for o in outcomes if o.score.rating == Rating.CONTRADICTION}:
        again = [board for board in boards if board.name in fallen]
        for board in again:
            if known[board.name].source == optima.EARLIER_PROOF:
                store.forget(board.problem)
            known[board.name] = optima.bounds_alone(board.problem)
        if is_complete and optimum_time_limit > 0:
            is_complete = _prove(again, known, store, optimum_time_limit, progress)
        # Plans that beat the record keep that rating; the others are compared with the proved
        # optimum.
        outcomes = tuple(
            old if old.score.rating == Rating.CONTRADICTION else new
            for old, new in zip(outcomes, _scored(answers, known), strict=True)
        )
    is_contest = all(program.protocol.is_contest for program in programs)
    names = [program.name for program in programs]
    standings = rank(names, outcomes, contest=is_contest)
    return Judgement(
        tuple(programs), tuple(boards), known, outcomes, standings, is_contest, is_complete, sandbox
    )


def _scored(
    answers: Sequence[tuple[_Game, Run, Answer]], known: Mapping[str, optima.Known]
) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(
            game.program.name,
            game.board.name,
            run,
            score_run(game.board.problem, known[game.board.name], run, answer),
        )
        for game, run, answer in answers
    )


def _task(program: Program, board: Board) -> Invocation:
    try:
        return program.task(board.problem)
    except BoardError as error:
        raise BoardError(f"{board.name}: {error}") from None


def _play_all(
    games: Sequence[_Game], sandbox: Sandbox, jobs: int, progress: Progress
) -> tuple[list[Run | None], bool]:
    """Return the run of each game, None for those interrupted, and whether none was."""
    runs: list[Run | None] = [None] * len(games)
    try:
        with closing(_runs(games, sandbox, jobs)) as finished:
            for done, (place, run) in enumerate(finished, start=1):
                runs[place] = run
                who = f"{games[place].program.name} on {games[place].board.name}"
                end = Rating.__members__.get(run.ending.name, run.ending)
                note = f"{who}: {end}, {run.seconds:.1f} s"
                progress(JudgeEvent(done, len(games), note))
    except KeyboardInterrupt:
        return runs, False
    return runs, True


def _runs(games: Sequence[_Game], sandbox: Sandbox, jobs: int) -> Generator[tuple[int, Run]]:
    """Yield the number of each game with its run, as they end."""
    if jobs == 1:
        # Run in this thread, so that Ctrl-C reaches the run itself.
        for place, game in enumerate(games):
            yield place, _play(game.task, sandbox)
        return
    with ThreadPoolExecutor(jobs) as threads:
        places = {
            threads.submit(_play, game.task, sandbox): place for place, game in enumerate(games)
        }
        try:
            for ended in as_completed(places):
                yield places[ended], ended.result()
        except BaseException:
            # An interruption does not reach the runs in other threads.
            threads.shutdown(wait=False, cancel_futures=True)
            sandbox.stop()
            raise


def _play(task: Invocation, sandbox: Sandbox) -> Run:
    return sandbox.run(task.argv, files=task.files, stdin=task.stdin, readable=task.readable)


def _worth_proving(
    answers: Sequence[tuple[_Game, Run, Answer]], known: Mapping[str, optima.Known]
) -> list[Board]:
    """Return the boards on which an answer can be scored only after a search."""
    wanted = {}
    for game, run, answer in answers:
        board = game.board
        if known[board.name].is_settled:
            continue
        score = score_run(board.problem, known[board.name], run, answer)
        if score.rating in (Rating.LEGAL, Rating.UNDECIDED_CLAIM, Rating.WRONG_CLAIM):
            wanted[board.name] = board
    return list(wanted.values())


def _prove(
    boards: Sequence[Board],
    known: dict[str, optima.Known],
    store: optima.OptimumStore,
    time_limit: float,
    progress: Progress,
) -> bool:
    """Add the results of searches to `known`; return True if they were not interrupted."""
    with Workers() as workers:
        try:
            for done, board in enumerate(boards, start=1):
                found = optima.prove_optimum(
                    board.problem, known[board.name], store, time_limit=time_limit, workers=workers
                )
                known[board.name] = found
                progress(JudgeEvent(done, len(boards), f"{board.name}: {_told(found)}"))
        except KeyboardInterrupt:
            return False
    return True


def _told(known: optima.Known) -> str:
    if known.solvable is False:
        return "unsolvable"
    if known.optimal_length is None:
        return at_least(known.lower_bound, "move")
    how = "optimal as recorded" if known.is_recorded else "optimal"
    return f"{counted(known.optimal_length, 'move')}, {how}"
