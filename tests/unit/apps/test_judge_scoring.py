"""The verdict on each kind of run, with its figures and its words."""

from dataclasses import replace

import pytest

from plansolve.apps.judge.optima import EARLIER_PROOF, Known
from plansolve.apps.judge.protocols import Answer
from plansolve.apps.judge.sandbox import Ending, Run
from plansolve.apps.judge.scoring import Rating, score_run, shown
from plansolve.formats import read_problem

BOARD = read_problem("4 1 2\n. 5 3\n7 8 6")
SHORTEST = ("D", "L", "L", "U", "U")
FIVE = Known(5, "the manifest", 5, True)
UNKNOWN = Known(3, "a lower bound")
IMPOSSIBLE = Known(0, "its structure", solvable=False, reason="parity: odd")
DONE = Run(Ending.EXITED, 0, None, b"", b"", 0.1, 0.1, 10_000_000, "")


def judged(answer, known=FIVE, run=DONE, problem=BOARD):
    return score_run(problem, known, run, answer)


def test_a_shortest_plan():
    score = judged(Answer(SHORTEST))
    assert (score.rating, score.detail, score.excess) == (Rating.OPTIMAL, "5 moves", 0)
    assert (score.length, score.placed, score.penalty) == (5, 8, 0)
    assert score.is_right and score.solves


def test_a_plan_that_meets_the_lower_bound_is_optimal_whoever_knows_no_optimum():
    assert judged(Answer(SHORTEST), Known(5, "a lower bound")).rating == Rating.OPTIMAL


def test_what_only_a_manifest_says_has_a_verdict_of_its_own():
    recorded = replace(FIVE, is_recorded=True)
    score = judged(Answer(SHORTEST), recorded)
    assert (score.rating, score.excess, score.is_right) == (Rating.AS_RECORDED, 0, True)
    longer = judged(Answer((*SHORTEST, "D", "U")), recorded)
    assert longer.rating == Rating.LONGER
    assert longer.detail == "7 moves, 2 more than the recorded optimum 5"


def test_what_an_earlier_proof_says_is_told_as_such():
    score = judged(Answer(SHORTEST), replace(FIVE, source=EARLIER_PROOF))
    assert (score.rating, score.detail) == (Rating.OPTIMAL, "5 moves; by an earlier proof")


def test_longer_plans_tell_by_how_much():
    score = judged(Answer((*SHORTEST, "D", "U")))
    assert (score.rating, score.excess, score.length) == (Rating.LONGER, 2, 7)
    assert score.detail == "7 moves, 2 more than the optimum 5"
    assert score.solves and not score.is_right


def test_longer_than_a_known_plan_whose_optimality_is_open():
    known = Known(3, "a search", None, True, SHORTEST)
    score = judged(Answer((*SHORTEST, "D", "U")), known)
    assert (score.rating, score.excess) == (Rating.LONGER, None)
    assert score.detail == "7 moves, 5 suffice; every plan has 3 or more"


def test_a_legal_plan_without_a_known_optimum_is_not_called_optimal():
    score = judged(Answer(SHORTEST), UNKNOWN)
    assert (score.rating, score.excess) == (Rating.LEGAL, None)
    assert score.detail == "5 moves; every plan has 3 or more"
    assert score.solves and not score.is_right


@pytest.mark.parametrize("known", [Known(7, "the manifest", 7, True), replace(IMPOSSIBLE)])
def test_a_plan_better_than_the_record_shows_the_record_wrong(known):
    score = judged(Answer(SHORTEST), known)
    assert score.rating == Rating.CONTRADICTION
    assert known.source in score.detail and "wrong" in score.detail
    assert not score.is_right


def test_the_first_illegal_step_with_its_reason():
    score = judged(Answer(("D", "D", "U")))
    assert (score.rating, score.step, score.length, score.placed) == (
        Rating.ILLEGAL, 2, None, 0
    )  # fmt: skip
    assert score.detail.startswith("step 2: D cannot be made while the blank is in row 1 column 1")


def test_a_plan_right_in_the_other_convention_is_told_so():
    mirrored = {"D": "U", "U": "D", "L": "R", "R": "L"}
    score = judged(Answer(tuple(mirrored[move] for move in SHORTEST)))
    assert score.rating == Rating.ILLEGAL or score.rating == Rating.NOT_GOAL
    assert score.detail.endswith("right if the letters name the motion of the blank: --moves blank")


def test_a_plan_for_another_goal_is_told_so():
    board = read_problem("1 . 2\n3 4 5\n6 7 8")
    score = judged(Answer(("R",)), Known(3, "a lower bound"), problem=board)
    assert score.rating == Rating.NOT_GOAL
    assert score.detail == (
        "0 of 8 tiles in place after 1 move; right if the goal is blank-first: --goal blank-first"
    )


def test_tiles_in_place_where_the_goal_is_not_reached():
    score = judged(Answer(("D", "L")))
    assert score.rating == Rating.NOT_GOAL
    assert (score.length, score.placed, score.penalty) == (2, 5, 0)
    assert score.detail.startswith("5 of 8 tiles in place after 2 moves")


def test_transports_are_counted():
    board = read_problem("ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXT")
    score = judged(Answer(tuple("udt")), Known(1, "a lower bound"), problem=board)
    assert score.rating == Rating.ILLEGAL  # the gap comes back to the centre: nothing to move
    score = judged(Answer(tuple("ut")), Known(1, "a lower bound"), problem=board)
    assert (score.rating, score.penalty, score.length) == (Rating.NOT_GOAL, 1, 2)


@pytest.mark.parametrize(
    ("known", "verdict", "detail"),
    [
        (IMPOSSIBLE, Rating.UNSOLVABLE, "parity: odd"),
        (FIVE, Rating.WRONG_CLAIM, "5 moves suffice"),
        (Known(3, "a search", None, True, SHORTEST), Rating.WRONG_CLAIM, "5 moves suffice"),
        (UNKNOWN, Rating.UNDECIDED_CLAIM, "says unsolvable; neither proved nor refuted"),
    ],
)
def test_claims_of_impossibility_are_judged(known, verdict, detail):
    score = judged(Answer(claims_unsolvable=True), known)
    assert (score.rating, score.detail) == (verdict, detail)
    assert score.is_right == score.solves == (verdict == Rating.UNSOLVABLE)


def test_silence_and_trouble():
    assert judged(Answer(is_silent=True)).rating == Rating.SILENT
    score = judged(Answer(trouble="step 1: 'x' is not a move"))
    assert (score.rating, score.detail) == (Rating.UNREADABLE, "step 1: 'x' is not a move")


@pytest.mark.parametrize(
    ("ending", "verdict"),
    [
        (Ending.TIME, Rating.TIME),
        (Ending.MEMORY, Rating.MEMORY),
        (Ending.OUTPUT, Rating.OUTPUT),
        (Ending.PROCESSES, Rating.PROCESSES),
        (Ending.DISK, Rating.DISK),
        (Ending.FAILED, Rating.NOT_STARTED),
    ],
)
def test_a_limit_ends_the_matter_whatever_was_printed(ending, verdict):
    run = replace(DONE, ending=ending, exit_code=None, detail="after\x1b[2J 1 s")
    score = judged(Answer(SHORTEST), run=run)
    assert (score.rating, score.solves, score.placed) == (verdict, False, 0)
    assert score.detail == "after\\x1b[2J 1 s"


def test_every_ending_but_a_normal_one_has_its_verdict():
    for ending in set(Ending) - {Ending.EXITED}:
        score = judged(Answer(SHORTEST), run=replace(DONE, ending=ending, exit_code=None))
        assert not score.solves


def test_crashes_tell_the_last_line_of_the_error():
    run = replace(DONE, exit_code=1, stderr=b"Traceback\n  ...\nKeyError: '\x1b[31m'\n\n")
    score = judged(Answer(is_silent=True), run=run)
    assert score.rating == Rating.CRASHED
    assert score.detail == "exit code 1: KeyError: '\\x1b[31m'"
    run = replace(DONE, exit_code=None, signal=11)
    assert judged(Answer(SHORTEST), run=run).detail == "signal 11"


def test_an_exit_code_does_not_spoil_a_right_answer_but_excuses_no_wrong_one():
    run = replace(DONE, exit_code=7)
    assert judged(Answer(SHORTEST), run=run).detail == "5 moves; exit code 7"
    assert judged(Answer(SHORTEST), run=run).rating == Rating.OPTIMAL
    assert judged(Answer(("D",)), run=run).rating == Rating.CRASHED


def test_a_note_is_passed_on():
    score = judged(Answer(SHORTEST, note="it says 4 moves and prints 5"))
    assert score.detail == "5 moves; it says 4 moves and prints 5"


def test_shown_is_one_short_printable_line_whatever_comes():
    assert shown("a\nb\tc") == "a b c"
    assert shown("\x1b]0;title\x07") == "\\x1b]0;title\\x07"
    assert shown("\u202eevil") == "\\u202eevil"
    long = shown("x" * 10_000_000)
    assert len(long) == 203 and long.endswith("...")
