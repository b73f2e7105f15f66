"""Rate the answer of one run, given what is known about the board."""

from dataclasses import dataclass, replace
from enum import StrEnum

from plansolve.apps.judge.optima import EARLIER_PROOF, Known
from plansolve.apps.judge.protocols import Answer
from plansolve.apps.judge.sandbox import Ending, Run
from plansolve.claims.diagnosis import diagnose
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.text import at_least, counted, shown, suffice


class Rating(StrEnum):
    """The verdict on one run."""

    OPTIMAL = "optimal"
    EARLIER_PROOF = "optimal (earlier proof)"
    AS_RECORDED = "optimal as recorded"
    LONGER = "longer"
    LEGAL = "legal, optimum unknown"
    UNSOLVABLE = "unsolvable, as said"
    CONTRADICTION = "better than the record"
    NOT_GOAL = "does not reach the goal"
    ILLEGAL = "illegal"
    WRONG_CLAIM = "wrongly called unsolvable"
    UNDECIDED_CLAIM = "claim undecided"
    UNREADABLE = "unreadable"
    SILENT = "no output"
    CRASHED = "crashed"
    TIME = "timed out"
    MEMORY = "memory limit"
    OUTPUT = "output limit"
    PROCESSES = "process limit"
    DISK = "disk limit"
    FAILED = "failed to start"


_RIGHT = (Rating.OPTIMAL, Rating.EARLIER_PROOF, Rating.AS_RECORDED, Rating.UNSOLVABLE)
_SOLVED = (*_RIGHT, Rating.LONGER, Rating.LEGAL, Rating.CONTRADICTION)


@dataclass(frozen=True)
class Score:
    """A rating and its figures.

    `detail` is one printable line. `length` and `penalty` (for Lloyd's Dilemma: the transports)
    are those of a legal plan, `placed` the tiles in their goal cells at its end, 0 without one.
    `excess` is by how many moves a plan is longer than the optimum, None if the optimum is
    unknown; `step` the first illegal move, from 1. `plan` is the program's plan as operator names.
    """

    rating: Rating
    detail: str
    length: int | None = None
    excess: int | None = None
    placed: int = 0
    penalty: int | None = None
    step: int | None = None
    plan: Plan | None = None

    @property
    def is_right(self) -> bool:
        """Return True if nothing better was possible, by a proof or by the set's record."""
        return self.rating in _RIGHT

    @property
    def solves(self) -> bool:
        """Return True if the plan is legal and solves the board, or there rightly is none."""
        return self.rating in _SOLVED

    @property
    def mark(self) -> str:
        """Return its mark in a report: good, fair, bad or, if it beats the record, odd."""
        if self.rating == Rating.CONTRADICTION:
            return "odd"
        if self.is_right:
            return "good"
        return "fair" if self.solves or self.rating == Rating.UNDECIDED_CLAIM else "bad"


def score_run(problem: Problem, known: Known, run: Run, answer: Answer) -> Score:
    """Return the score of a run whose output says `answer`."""
    if run.ending is not Ending.EXITED:
        return Score(Rating[run.ending.name], shown(run.detail))
    score = _score_answer(problem, known, answer)
    if run.signal is None and not run.exit_code:
        return score
    said = f"signal {run.signal}" if run.signal is not None else f"exit code {run.exit_code}"
    if run.signal is None and score.solves:
        # Old C programs end with any exit code; the answer is complete and right.
        return _with_remark(score, said)
    last = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return Score(Rating.CRASHED, shown(f"{said}: {last}" if last else said))


def _score_answer(problem: Problem, known: Known, answer: Answer) -> Score:
    if answer.is_silent:
        return Score(Rating.SILENT, "no answer")
    if answer.claims_unsolvable:
        return _score_claim(known)
    if answer.plan is None:
        return Score(Rating.UNREADABLE, shown(answer.trouble))
    score = _score_plan(problem, known, answer.plan, answer.convention)
    return _with_remark(score, answer.note)


def _with_remark(score: Score, remark: str) -> Score:
    return replace(score, detail=f"{score.detail}; {remark}") if remark else score


def _score_claim(known: Known) -> Score:
    if known.solvable is False:
        return Score(Rating.UNSOLVABLE, shown(known.reason))
    if known.solvable is None:
        return Score(Rating.UNDECIDED_CLAIM, "says unsolvable, which is neither proved nor refuted")
    if known.optimal_length is not None:
        return Score(Rating.WRONG_CLAIM, suffice(known.optimal_length))
    if known.plan is not None:
        return Score(Rating.WRONG_CLAIM, suffice(len(known.plan)))
    return Score(Rating.WRONG_CLAIM, shown(known.reason))


def _score_plan(problem: Problem, known: Known, plan: Plan, convention: str) -> Score:
    diagnosis = diagnose(problem, plan, convention)
    replayed = diagnosis.verdict
    # Say that the convention or the goal was mistaken, instead of only "illegal".
    otherwise = "".join(f"; {way.told(convention)}" for way in diagnosis.other_readings[:1])
    if replayed.illegal is not None:
        step = replayed.illegal
        detail = shown(f"step {step.step}: {step.reason}{otherwise}")
        return Score(Rating.ILLEGAL, detail, step=step.step, plan=plan)
    in_place = f"{replayed.placed} of {counted(problem.puzzle.goal_tiles, 'tile')} in place"
    legal = Score(
        Rating.NOT_GOAL,
        shown(f"{in_place} after {counted(replayed.length, 'move')}{otherwise}"),
        length=replayed.length,
        placed=replayed.placed,
        penalty=diagnosis.penalty,
        plan=plan,
    )
    return _against(known, replayed.length, legal) if replayed.reaches_goal else legal


def _against(known: Known, length: int, legal: Score) -> Score:
    """Return the score of a plan of `length` moves that solves the board."""
    optimum, bound, moves = known.optimal_length, known.lower_bound, counted(length, "move")
    if known.solvable is False or length < bound:
        record = "unsolvable" if known.solvable is False else f"{bound} or more"
        detail = f"{moves}, legal; {known.source} wrongly says {record}"
        return replace(legal, rating=Rating.CONTRADICTION, detail=detail)
    if length == bound:
        rating = Rating.AS_RECORDED if known.is_recorded else Rating.OPTIMAL
        if known.source == EARLIER_PROOF:
            # Programs that run as this user could forge kept optima.
            rating = Rating.EARLIER_PROOF
        return replace(legal, rating=rating, detail=moves, excess=0)
    if optimum is not None:
        excess = length - optimum
        recorded = "recorded " if known.is_recorded else ""
        detail = f"{moves}, {excess} more than the {recorded}optimum {optimum}"
        return replace(legal, rating=Rating.LONGER, detail=detail, excess=excess)
    if known.plan is not None and len(known.plan) < length:
        detail = f"{moves}, {suffice(len(known.plan), '')}; {at_least(bound)}"
        return replace(legal, rating=Rating.LONGER, detail=detail)
    detail = f"{moves}; {at_least(bound)}"
    return replace(legal, rating=Rating.LEGAL, detail=detail)
