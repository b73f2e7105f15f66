"""The verdict on each kind of run, with its figures and its words."""

from dataclasses import replace

import pytest

from plansolve.apps.judge.optima import EARLIER_PROOF, Known
from plansolve.apps.judge.protocols import Answer
from plansolve.apps.judge.sandbox import Ending, Run
from plansolve.apps.judge.scoring import Rating, score_run
from plansolve.formats import read_problem
from plansolve.text import shown

BOARD = read_problem("4 1 2\n. 5 3\n7 8 6")
FIRST = read_problem("1 . 2\n3 4 5\n6 7 8")
SQUARE = read_problem("ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXT")
SHORTEST = ("D", "L", "L", "U", "U")
SEVEN = (*SHORTEST, "D", "U")
MIRRORED = ("U", "R", "R", "D", "D")
FIVE = Known(5, "the manifest", 5, True)
RECORDED = replace(FIVE, is_recorded=True)
UNKNOWN = Known(3, "a lower bound")
ONE = Known(1, "a lower bound")
SEARCHED = Known(3, "a search", None, True, SHORTEST)
IMPOSSIBLE = Known(0, "its structure", solvable=False, reason="parity: odd")
DONE = Run(Ending.EXITED, 0, None, b"", b"", 0.1, 0.1, 10_000_000, "")
RIGHT = {Rating.OPTIMAL, Rating.EARLIER_PROOF, Rating.AS_RECORDED, Rating.UNSOLVABLE}


def judged(answer, known=FIVE, run=DONE, problem=BOARD):
    return score_run(problem, known, run, answer)


@pytest.mark.parametrize(
    ("plan", "known", "rating", "detail", "excess"),
    [
        (SHORTEST, FIVE, Rating.OPTIMAL, "5 moves", 0),
        # Nobody knows an optimum, and the bound is met.
        (SHORTEST, Known(5, "a lower bound"), Rating.OPTIMAL, "5 moves", 0),
        (SHORTEST, replace(FIVE, source=EARLIER_PROOF), Rating.EARLIER_PROOF, "5 moves", 0),
        (SHORTEST, RECORDED, Rating.AS_RECORDED, "5 moves", 0),
        (SEVEN, FIVE, Rating.LONGER, "7 moves, 2 more than the optimum 5", 2),
        (SEVEN, RECORDED, Rating.LONGER, "7 moves, 2 more than the recorded optimum 5", 2),
        (SEVEN, SEARCHED, Rating.LONGER, "7 moves, 5 suffice; every plan has 3 or more", None),
        (SHORTEST, UNKNOWN, Rating.LEGAL, "5 moves; every plan has 3 or more", None),
        (SHORTEST, Known(7, "the manifest", 7, True), Rating.CONTRADICTION,
         "5 moves, legal; the manifest wrongly says 7 or more", None),
        (SHORTEST, IMPOSSIBLE, Rating.CONTRADICTION,
         "5 moves, legal; its structure wrongly says unsolvable", None),
    ],
)  # fmt: skip
def test_plans_that_reach_the_goal(plan, known, rating, detail, excess):
    score = judged(Answer(plan), known)
    assert (score.rating, score.detail, score.excess) == (rating, detail, excess)
    assert (score.length, score.placed, score.penalty, score.plan) == (len(plan), 8, 0, plan)
    assert score.is_right == (rating in RIGHT)
    assert score.solves


@pytest.mark.parametrize(
    ("problem", "plan", "rating", "figures", "detail"),
    [
        (BOARD, "DDU", Rating.ILLEGAL, (2, None, 0, None),
         "step 2: D cannot be made while the blank is in row 1 column 1"),
        (BOARD, MIRRORED, Rating.ILLEGAL, (2, None, 0, None),
         "the plan is right if the letters name the motion of the blank: --moves blank"),
        (BOARD, "DL", Rating.NOT_GOAL, (None, 2, 5, 0), "5 of 8 tiles in place after 2 moves"),
        (FIRST, "R", Rating.NOT_GOAL, (None, 1, 0, 0), "0 of 8 tiles in place after 1 move; "
         "the plan is right if the goal is blank-first: --goal blank-first"),
        (SQUARE, "ut", Rating.NOT_GOAL, (None, 2, 17, 1), "17 of 24 tiles in place"),
        # The gap comes back to the centre: there is nothing to transport.
        (SQUARE, "udt", Rating.ILLEGAL, (3, None, 0, None), "step 3: t cannot be made"),
    ],
)  # fmt: skip
def test_plans_that_do_not(problem, plan, rating, figures, detail):
    score = judged(Answer(tuple(plan)), ONE, problem=problem)
    assert (score.rating, score.is_right, score.solves) == (rating, False, False)
    assert (score.step, score.length, score.placed, score.penalty) == figures
    assert detail in score.detail


@pytest.mark.parametrize(
    ("known", "verdict", "detail"),
    [
        (IMPOSSIBLE, Rating.UNSOLVABLE, "parity: odd"),
        (FIVE, Rating.WRONG_CLAIM, "5 moves suffice"),
        (SEARCHED, Rating.WRONG_CLAIM, "5 moves suffice"),
        (UNKNOWN, Rating.UNDECIDED_CLAIM, "says unsolvable, which is neither proved nor refuted"),
    ],
)
def test_claims_of_impossibility_are_judged(known, verdict, detail):
    score = judged(Answer(claims_unsolvable=True), known)
    assert (score.rating, score.detail) == (verdict, detail)
    assert score.is_right == score.solves == (verdict == Rating.UNSOLVABLE)


ENDINGS = {
    Ending.TIME: Rating.TIME,
    Ending.MEMORY: Rating.MEMORY,
    Ending.OUTPUT: Rating.OUTPUT,
    Ending.PROCESSES: Rating.PROCESSES,
    Ending.DISK: Rating.DISK,
    Ending.FAILED: Rating.FAILED,
}


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending != Ending.EXITED])
def test_a_limit_ends_the_matter_whatever_was_printed(ending):
    run = replace(DONE, ending=ending, exit_code=None, detail="after\x1b[2J 1 s")
    score = judged(Answer(SHORTEST), run=run)
    assert (score.rating, score.solves, score.placed) == (ENDINGS[ending], False, 0)
    assert score.detail == "after\\x1b[2J 1 s"


@pytest.mark.parametrize(
    ("answer", "how", "rating", "detail"),
    [
        (Answer(is_silent=True), {}, Rating.SILENT, "no answer"),
        (Answer(trouble="'x' is no\nmove"), {}, Rating.UNREADABLE, "'x' is no move"),
        (Answer(SHORTEST, note="it says 4"), {}, Rating.OPTIMAL, "5 moves; it says 4"),
        # An exit code does not spoil a right answer, and excuses no wrong one.
        (Answer(SHORTEST), {"exit_code": 7}, Rating.OPTIMAL, "5 moves; exit code 7"),
        (Answer(("D",)), {"exit_code": 7}, Rating.CRASHED, "exit code 7"),
        (Answer(SHORTEST), {"exit_code": None, "signal": 11}, Rating.CRASHED, "signal 11"),
        (Answer(is_silent=True), {"exit_code": 1, "stderr": b"Trace\nKeyError: '\x1b[31m'\n\n"},
         Rating.CRASHED, "exit code 1: KeyError: '\\x1b[31m'"),
    ],
)  # fmt: skip
def test_other_answers_and_how_a_run_ended(answer, how, rating, detail):
    score = judged(answer, run=replace(DONE, **how))
    assert (score.rating, score.detail) == (rating, detail)


def test_shown_is_one_short_printable_line_whatever_comes():
    assert shown("a\nb\tc") == "a b c"
    assert shown("\x1b]0;title\x07") == "\\x1b]0;title\\x07"
    assert shown("\u202eevil") == "\\u202eevil"
    long = shown("x" * 10_000_000)
    assert len(long) == 203 and long.endswith("...")
