"""Rank programs against each other: by the boards that they solved, or by the contest's rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean
from typing import TypeAlias

from plansolve.apps.judge.sandbox import Run
from plansolve.apps.judge.scoring import Score

Key: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """One run of one program on one board, both by name."""

    program: str
    board: str
    run: Run
    score: Score


@dataclass(frozen=True)
class Standing:
    """One program's place and sums.

    Programs with equal results share a `rank`, and the following ranks are skipped. `solved` also
    counts right claims that a board is unsolvable. `mean_excess` is over the solved boards whose
    optimum is known, None without one; `moves` and `penalty` (in the contest: the transports) are
    over the solved boards. `seconds` is wall time and `cpu_seconds` processor time of all `runs`,
    `peak_memory` in bytes.
    """

    program: str
    rank: int
    runs: int
    solved: int
    optimal: int
    mean_excess: float | None
    moves: int
    penalty: int
    placed: int
    seconds: float
    cpu_seconds: float
    peak_memory: int

    @property
    def mean_seconds(self) -> float | None:
        """Return the mean wall time of a run, None without one."""
        return self.seconds / self.runs if self.runs else None


def rank(
    programs: Sequence[str], outcomes: Iterable[Outcome], *, contest: bool
) -> tuple[Standing, ...]:
    """Return the programs' standings, best first.

    In order: boards solved, boards solved optimally, boards solved with a plan (not a claim that
    there is none), fewest moves on the boards that every program with as many of these has solved,
    least wall time. With `contest`, by the rules of AT&T's Programmer of the Month of April 1995:
    on one square most tiles placed, fewest moves, fewest transports, least processor time; on
    several, most squares solved, then moves, transports and time, of the solved squares alone.
    Programs that have solved nothing share the last rank: failing quickly is no merit.

    Only boards on which every program has run count, so that an interrupted judgement is fair.
    """
    results: dict[str, dict[str, Outcome]] = {program: {} for program in programs}
    for outcome in outcomes:
        results[outcome.program][outcome.board] = outcome
    judged = set.intersection(*(set(of) for of in results.values())) if results else set()
    counted = {
        program: [outcome for board, outcome in of.items() if board in judged]
        for program, of in results.items()
    }
    keys = (
        {program: _contest_key(outcomes) for program, outcomes in counted.items()}
        if contest
        else _general_keys(counted)
    )
    places = sorted(keys.values())
    return tuple(
        _standing(program, places.index(keys[program]) + 1, counted[program])
        for program in sorted(programs, key=lambda program: keys[program])
    )


def _general_keys(counted: Mapping[str, Sequence[Outcome]]) -> dict[str, Key]:
    heads = {
        program: (
            -sum(outcome.score.solves for outcome in outcomes),
            -sum(outcome.score.is_right for outcome in outcomes),
            -sum(outcome.score.solves and outcome.score.length is not None for outcome in outcomes),
        )
        for program, outcomes in counted.items()
    }
    keys: dict[str, Key] = {}
    for program, outcomes in counted.items():
        # Compare sums over the same boards only, and leave out programs that solve fewer.
        equals = [counted[other] for other, head in heads.items() if head == heads[program]]
        shared = set.intersection(*({o.board for o in of if o.score.solves} for of in equals))
        moves = sum(o.score.length or 0 for o in outcomes if o.board in shared)
        seconds = sum(o.run.seconds for o in outcomes) if any(heads[program]) else 0.0
        keys[program] = (*heads[program], moves, seconds)
    return keys


def _contest_key(outcomes: Sequence[Outcome]) -> Key:
    if len(outcomes) == 1:
        run, score = outcomes[0].run, outcomes[0].score
        if score.length is None:
            return (0, inf, inf, inf)
        return (-score.placed, score.length, score.penalty or 0, run.cpu_seconds)
    solved = [outcome.score for outcome in outcomes if outcome.score.solves]
    if not solved:
        return (0, 0, 0, 0)
    return (
        -len(solved),
        sum(score.length or 0 for score in solved),
        sum(score.penalty or 0 for score in solved),
        sum(outcome.run.cpu_seconds for outcome in outcomes),
    )


def _standing(program: str, place: int, outcomes: Sequence[Outcome]) -> Standing:
    scores = [outcome.score for outcome in outcomes]
    solved = [score for score in scores if score.solves]
    excesses = [score.excess for score in solved if score.excess is not None]
    return Standing(
        program=program,
        rank=place,
        runs=len(outcomes),
        solved=len(solved),
        optimal=sum(score.is_right for score in scores),
        mean_excess=fmean(excesses) if excesses else None,
        moves=sum(score.length or 0 for score in solved),
        penalty=sum(score.penalty or 0 for score in solved),
        placed=sum(score.placed for score in scores),
        seconds=sum(outcome.run.seconds for outcome in outcomes),
        cpu_seconds=sum(outcome.run.cpu_seconds for outcome in outcomes),
        peak_memory=max((outcome.run.peak_memory for outcome in outcomes), default=0),
    )
