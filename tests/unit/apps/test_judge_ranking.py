"""Who comes before whom, and why: every rule decides one exact order."""

import pytest

from plansolve.apps.judge.ranking import Outcome, rank
from plansolve.apps.judge.sandbox import Ending, Run
from plansolve.apps.judge.scoring import Rating, Score


def outcome(program, board, verdict, *, moves=None, excess=None, placed=0, t=0, cpu=1.0, wall=1.0):
    run = Run(Ending.EXITED, 0, None, b"", b"", wall, cpu, 10_000_000, "")
    score = Score(verdict, "", moves, excess, placed, None if moves is None else t)
    return Outcome(program, board, run, score)


def square(program, placed, moves, t=0, cpu=1.0, board="s"):
    """A legal plan for a square of the contest."""
    verdict = Rating.LEGAL if placed == 24 else Rating.NOT_GOAL
    return outcome(program, board, verdict, moves=moves, placed=placed, t=t, cpu=cpu)


def order(outcomes, *, contest):
    programs = sorted({one.program for one in outcomes})
    return [(s.rank, s.program) for s in rank(programs, outcomes, contest=contest)]


def test_one_square_most_tiles_then_moves_then_transports_then_time():
    outcomes = [
        square("slow", 24, 90, t=8, cpu=9.0),
        square("quick", 24, 90, t=8, cpu=2.0),
        square("few-transports", 24, 90, t=7, cpu=99.0),
        square("short", 24, 88, t=30, cpu=500.0),
        square("almost", 23, 10),
        square("little", 5, 1),
    ]
    names = ["short", "few-transports", "quick", "slow", "almost", "little"]
    assert order(outcomes, contest=True) == [*enumerate(names, start=1)]


def test_one_square_without_a_legal_plan_is_zero_and_last_together():
    outcomes = [
        outcome("illegal", "s", Rating.ILLEGAL, cpu=0.1),
        outcome("crash", "s", Rating.CRASHED, cpu=0.2),
        square("nothing-placed", 0, 0, cpu=9.0),
        square("one", 1, 400),
    ]
    expected = [(1, "one"), (2, "nothing-placed"), (3, "crash"), (3, "illegal")]
    assert order(outcomes, contest=True) == expected


def test_the_finale_counts_perfect_squares_then_total_moves_on_those():
    outcomes = [
        # Two perfect squares of 100 moves beat one perfect and one almost perfect of 10.
        square("both", 24, 100, board="1"),
        square("both", 24, 100, board="2"),
        square("one", 24, 10, board="1"),
        square("one", 23, 10, board="2"),
        # Moves on the square that is not perfect do not count: 10 against 11.
        square("other", 24, 11, board="1"),
        square("other", 3, 0, board="2"),
        outcome("none", "1", Rating.TIME),
        outcome("none", "2", Rating.TIME),
    ]
    assert order(outcomes, contest=True) == [(1, "both"), (2, "one"), (3, "other"), (4, "none")]


def test_the_finale_total_transports_then_total_time():
    def two(name, transports, seconds):
        figures = zip("12", transports, seconds, strict=True)
        return [square(name, 24, 90, t=t, cpu=cpu, board=board) for board, t, cpu in figures]

    outcomes = two("a", (5, 5), (1, 1)) + two("b", (9, 0), (50, 50)) + two("c", (0, 9), (60, 1))
    assert order(outcomes, contest=True) == [(1, "c"), (2, "b"), (3, "a")]


def test_generally_solved_before_optimal_before_moves_before_time():
    def two(name, *ratings, moves=10, wall=1):
        rated = zip("12", ratings, strict=True)
        return [outcome(name, board, one, moves=moves, wall=wall) for board, one in rated]

    outcomes = [
        *two("slow", Rating.OPTIMAL, Rating.LONGER, wall=9),
        *two("quick", Rating.OPTIMAL, Rating.LONGER, wall=2),
        *two("best", Rating.OPTIMAL, Rating.UNSOLVABLE, wall=99),
        *two("short", Rating.LONGER, Rating.LEGAL, moves=9, wall=50),
        *two("long", Rating.LONGER, Rating.LEGAL, moves=11, wall=1),
        *two("half", Rating.OPTIMAL, Rating.WRONG_CLAIM, moves=1),
        *two("zero", Rating.UNREADABLE, Rating.CRASHED, moves=1),
    ]
    names = ["best", "quick", "slow", "short", "long", "half", "zero"]
    assert order(outcomes, contest=False) == [*enumerate(names, start=1)]


def test_moves_are_compared_on_boards_that_all_equals_solved():
    outcomes = [
        outcome("a", "easy", Rating.LONGER, moves=12),
        outcome("a", "hard", Rating.CRASHED),
        outcome("b", "easy", Rating.SILENT),
        outcome("b", "hard", Rating.LONGER, moves=80),
        outcome("c", "easy", Rating.LONGER, moves=14, wall=0.1),
        outcome("c", "hard", Rating.SILENT, wall=0.1),
    ]
    # No board was solved by all, so 12 and 80 moves tell nothing; the time does.
    assert order(outcomes, contest=False) == [(1, "c"), (2, "a"), (2, "b")]


def test_ties_share_a_place_and_the_next_is_so_much_further():
    outcomes = [outcome(p, "1", Rating.OPTIMAL, moves=5) for p in ("a", "b")]
    outcomes.append(outcome("c", "1", Rating.CRASHED))
    assert order(outcomes, contest=False) == [(1, "a"), (1, "b"), (3, "c")]


def test_boards_that_not_all_have_run_do_not_count():
    outcomes = [
        outcome("a", "1", Rating.LONGER, moves=7, excess=2),
        outcome("b", "1", Rating.OPTIMAL, moves=5, excess=0),
        outcome("a", "2", Rating.OPTIMAL, moves=5, excess=0),  # then came Ctrl-C
    ]
    first, second = rank(["a", "b"], outcomes, contest=False)
    assert (first.program, first.runs, first.optimal) == ("b", 1, 1)
    assert (second.program, second.runs, second.optimal, second.mean_excess) == ("a", 1, 0, 2.0)


def test_the_figures():
    outcomes = [
        outcome("a", "1", Rating.LONGER, moves=9, excess=4, placed=8, t=2, cpu=1.5, wall=2.0),
        outcome("a", "2", Rating.OPTIMAL, moves=5, excess=0, placed=8, t=1, cpu=0.5, wall=1.0),
        outcome("a", "3", Rating.LEGAL, moves=30, placed=8),
        outcome("a", "4", Rating.NOT_GOAL, moves=3, placed=6),
        outcome("a", "5", Rating.UNSOLVABLE),
    ]
    (standing,) = rank(["a"], outcomes, contest=False)
    assert (standing.runs, standing.solved, standing.optimal) == (5, 4, 2)
    assert standing.mean_excess == pytest.approx(2.0)
    assert (standing.moves, standing.penalty, standing.placed) == (44, 3, 30)
    assert (standing.seconds, standing.cpu_seconds) == (6.0, 5.0)


def test_without_runs_nobody_is_better():
    assert [s.rank for s in rank(["a", "b"], [], contest=False)] == [1, 1]
    assert [s.mean_excess for s in rank(["a", "b"], [], contest=True)] == [None, None]


@pytest.mark.parametrize("contest", [False, True])
def test_programs_that_solve_nothing_share_the_last_rank_however_quickly_they_fail(contest):
    failures = ((Rating.CRASHED, 0.1), (Rating.ILLEGAL, 3.0), (Rating.TIME, 60.0))
    outcomes = [
        outcome(rating.name, board, rating, wall=seconds, cpu=seconds)
        for rating, seconds in failures
        for board in "12"
    ]
    outcomes += [square("one", 24, 90, board="1"), outcome("one", "2", Rating.TIME)]
    expected = [(1, "one"), (2, "CRASHED"), (2, "ILLEGAL"), (2, "TIME")]
    assert order(outcomes, contest=contest) == expected


def test_a_plan_comes_before_a_claim():
    outcomes = [
        outcome("claims", "1", Rating.UNSOLVABLE, wall=0.1),
        outcome("claims", "2", Rating.WRONG_CLAIM, wall=0.1),
        outcome("plans", "1", Rating.UNREADABLE, wall=9.0),
        outcome("plans", "2", Rating.OPTIMAL, moves=70, wall=9.0),
    ]
    assert order(outcomes, contest=False) == [(1, "plans"), (2, "claims")]
