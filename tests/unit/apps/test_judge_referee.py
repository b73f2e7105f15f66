"""The order of the work, what is searched for, and an interruption at any moment."""

from pathlib import Path

import pytest

from plansolve.apps.judge import referee
from plansolve.apps.judge.optima import Known, OptimumStore
from plansolve.apps.judge.protocols import make_program
from plansolve.apps.judge.referee import judge
from plansolve.apps.judge.sandbox import Ending, Run, RunLimits
from plansolve.apps.judge.scoring import Rating
from plansolve.errors import BoardError
from plansolve.formats import read_problem
from plansolve.records.board import Board

FIVE = "4 1 2\n. 5 3\n7 8 6"
ONE = "1 2 3\n4 5 6\n7 . 8"
NINETEEN = "1 8 2\n. 5 3\n6 7 4"
PLAN = "LDLURURDLULDRURDLUL"


def board(name, text, length=None):
    return Board(read_problem(text), name, optimal_length=length)


class Table:
    """A sandbox that looks answers up: {(program, first tile of the board): what it prints}."""

    limits = RunLimits()
    isolation = None

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def run(self, argv, *, files, stdin, readable):
        key = (argv[0], stdin[:1].decode())
        self.asked.append(key)
        answer = self.answers[key]
        if isinstance(answer, BaseException):
            raise answer
        return Run(Ending.EXITED, 0, None, answer.encode(), b"", 0.1, 0.1, 10_000_000, "")


def programs(*names):
    return [make_program(name, name=name) for name in names]


def judged(names, boards, answers, *, seconds=0.0, events=None, **options):
    return judge(
        programs(*names),
        boards,
        Table(answers),
        optimum_time_limit=seconds,
        store=options.pop("store", OptimumStore(None)),
        progress=([] if events is None else events).append,
        **options,
    )


def verdicts(judgement):
    return [(o.board, o.program, o.score.rating) for o in judgement.outcomes]


def test_runs_go_board_by_board_and_are_told_of():
    events = []
    boards = [board("five", FIVE, 5), board("one", ONE, 1)]
    answers = {("a", "4"): "DLLUU", ("a", "1"): "L", ("b", "4"): "nonsense", ("b", "1"): "L"}
    judgement = judged(("a", "b"), boards, answers, events=events)
    assert verdicts(judgement) == [
        ("five", "a", Rating.OPTIMAL),
        ("five", "b", Rating.UNREADABLE),
        ("one", "a", Rating.OPTIMAL),
        ("one", "b", Rating.OPTIMAL),
    ]
    assert [(s.rank, s.program) for s in judgement.standings] == [(1, "a"), (2, "b")]
    assert judgement.is_complete and not judgement.is_all_right
    assert [(e.done, e.total) for e in events] == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.fixture
def searches(monkeypatch):
    """Names the boards that are searched, and answers at once."""
    searched = []

    def prove(problem, known, store, *, time_limit, workers):
        searched.append((problem.start, time_limit))
        return Known(19, "a search", 19, True, tuple(PLAN))

    monkeypatch.setattr(referee.optima, "prove_optimum", prove)
    return searched


@pytest.mark.parametrize(
    ("answer", "length", "seconds", "is_searched"),
    [
        (PLAN, None, 7, True),
        ("impossible", None, 7, True),
        *((answer, None, 7, False) for answer in ("LL", "DLU", "", "what?")),
        # Where the optimum is known, or none is wanted.
        (PLAN, 19, 7, False),
        (PLAN, None, 0, False),
    ],
)
def test_only_what_an_answer_needs_is_searched_for(searches, answer, length, seconds, is_searched):
    answers = {("a", "1"): answer}
    judgement = judged(("a",), [board("b", NINETEEN, length)], answers, seconds=seconds)
    assert [limit for _, limit in searches] == [seconds] * is_searched
    assert judgement.known["b"].optimal_length == (19 if is_searched else length)


def test_a_search_settles_plans_and_claims(searches):
    answers = {("a", "1"): PLAN, ("b", "1"): "impossible", ("c", "1"): f"{PLAN[0]}R{PLAN}"}
    judgement = judged(("a", "b", "c"), [board("b", NINETEEN)], answers, seconds=7)
    assert len(searches) == 1
    assert [o.score.rating for o in judgement.outcomes] == [
        Rating.OPTIMAL, Rating.WRONG_CLAIM, Rating.LONGER
    ]  # fmt: skip
    assert judgement.outcomes[2].score.excess == 2


def test_an_interrupted_run_leaves_what_was_before_it(searches):
    boards = [board("nineteen", NINETEEN), board("five", FIVE, 5)]
    answers = {("a", "1"): PLAN, ("b", "1"): PLAN, ("a", "4"): KeyboardInterrupt()}
    judgement = judged(("a", "b"), boards, answers, seconds=7)
    assert not judgement.is_complete and not judgement.is_all_right
    # No search either: whoever interrupts wants an end.
    assert searches == []
    assert verdicts(judgement) == [("nineteen", program, Rating.LEGAL) for program in "ab"]


def test_an_interrupted_search_leaves_all_runs(monkeypatch):
    def prove(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(referee.optima, "prove_optimum", prove)
    judgement = judged(("a",), [board("b", NINETEEN)], {("a", "1"): PLAN}, seconds=7)
    assert not judgement.is_complete
    assert verdicts(judgement) == [("b", "a", Rating.LEGAL)]


def test_a_wrong_record_of_ours_is_forgotten(tmp_path):
    store = OptimumStore(tmp_path)
    problem = read_problem(FIVE)
    store.write(problem, ("U", "D", "D", "L", "L", "U", "U"))
    answers = {("a", "4"): "DLLUU"}
    judgement = judged(("a",), [board("five", FIVE)], answers, store=store)
    assert verdicts(judgement) == [("five", "a", Rating.CONTRADICTION)]
    assert len(judgement.contradictions) == 1 and store.read(problem) is None


def test_a_record_that_falls_falls_for_everybody(tmp_path):
    boards = [board("five", FIVE, 7)]
    answers = {("a", "4"): "UDDLLUU", ("b", "4"): "DLLUU", ("c", "4"): "unsolvable"}
    judgement = judged(("a", "b", "c"), boards, answers, seconds=60)
    assert verdicts(judgement) == [
        ("five", "a", Rating.LONGER),
        ("five", "b", Rating.CONTRADICTION),
        ("five", "c", Rating.WRONG_CLAIM),
    ]
    assert judgement.known["five"].optimal_length == 5
    # A proof of ours is not thrown away because somebody's manifest was wrong.
    store = OptimumStore(tmp_path)
    judged(("a", "b", "c"), boards, answers, seconds=60, store=store)
    assert len(store.read(read_problem(FIVE))) == 5


def test_boards_that_do_not_fit_are_told_before_anything_is_run():
    table = Table({})
    square = board("square", "ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVW+X")
    with pytest.raises(BoardError, match="five: not a board for this protocol"):
        judge(
            [make_program("a", name="a", protocol="potm")],
            [square, board("five", FIVE, 5)],
            table,
            optimum_time_limit=0,
            store=OptimumStore(None),
        )
    assert table.asked == []


def test_the_contest_ranks_when_all_programs_speak_its_protocol():
    square = board("square", "ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVW+X")

    class Contest(Table):
        def run(self, argv, *, files, stdin, readable):
            assert argv[1:] == ("board.txt",) and set(files) == {"board.txt"}
            return super().run(argv, files=files, stdin=files["board.txt"], readable=readable)

    entries = [make_program(name, name=name, protocol="potm") for name in ("a", "b")]
    sandbox = Contest({("a", "A"): "rll\n", ("b", "A"): "l\n"})
    judgement = judge(entries, [square], sandbox, optimum_time_limit=0, store=OptimumStore(None))
    assert judgement.is_contest
    assert [s.program for s in judgement.standings] == ["b", "a"]
    assert verdicts(judgement)[1] == ("square", "b", Rating.OPTIMAL)  # its lower bound is 1


class Failing:
    limits, isolation = RunLimits(), None

    def stop(self):
        """Nothing runs."""

    def run(self, argv, *, files, stdin, readable):
        raise BoardError(f"cannot run {Path(argv[0]).name}")


def test_an_error_in_a_thread_of_its_own_is_raised_here():
    with pytest.raises(BoardError, match="cannot run a"):
        judge(
            programs("a"),
            [board("five", FIVE, 5), board("one", ONE, 1)],
            Failing(),
            optimum_time_limit=0,
            store=OptimumStore(None),
            jobs=2,
        )
