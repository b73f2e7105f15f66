"""The ledger of plans and bounds, and engines that work beside each other."""

import time
from dataclasses import replace

import pytest
from support.fixtures import cases, odd_engines
from support.fixtures.solving import FIFTEEN, HARD, SIMPLE, told

from plansolve.errors import InternalError, OptionError
from plansolve.model.problem import Problem, penalty
from plansolve.solvers.engine import scheduler
from plansolve.solvers.engine.choice import Stage, refute_by
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.registry import ENGINES
from plansolve.solvers.engine.scheduler import FIRST_RUN, Scheduler
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import CutShort, Limits
from plansolve.solvers.processes.child import Child
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Options


@pytest.fixture
def ledger():
    return Ledger(SIMPLE)


def test_a_plan_that_fails_the_replay_is_an_internal_error(ledger):
    with pytest.raises(InternalError, match="the plan of tests does not solve the board"):
        ledger.found(("U",) * 24, "tests")
    assert ledger.plan is None
    assert ledger.found(solve(SIMPLE, optimal=True).plan, "tests")
    with pytest.raises(InternalError, match="the plan of tests does not solve the board"):
        ledger.prefer(("U",) * 24, "tests")


def test_a_bound_beyond_a_plan_is_an_internal_error(ledger):
    plan = solve(SIMPLE, optimal=True).plan
    assert ledger.found(plan, "tests")
    assert not ledger.found(plan, "others")
    assert ledger.proved(24, "tests")
    assert ledger.is_closed
    with pytest.raises(InternalError, match="others proved 25 moves"):
        ledger.proved(25, "others")


def test_a_plan_below_a_bound_is_an_internal_error(ledger):
    assert ledger.proved(25, "others")
    assert not ledger.proved(24, "tests") and ledger.lower_bound == 25
    with pytest.raises(InternalError, match=r"^tests found .* but others proved 25 moves"):
        ledger.found(solve(SIMPLE, optimal=True).plan, "tests")
    assert ledger.plan is None


def test_an_engine_that_proves_nothing_is_not_named_as_the_prover(ledger):
    with Workers() as workers:
        Scheduler(ledger, Limits(), ignore, workers).run(((Stage(ENGINES["beam"]),),))
    assert ledger.bound_by == "pattern databases" and ledger.plan_by == "beam"


def test_a_proof_that_ends_for_want_of_memory_is_told_when_the_others_are_done(
    ledger, monkeypatch, tmp_path
):
    flag = tmp_path / "told"
    monkeypatch.setenv(odd_engines.FLAG, str(flag))
    events, note = told(("warning",))

    def progress(event):
        note(event)
        if events:
            flag.touch()

    tracks = (Stage(odd_engines.NEEDY),), (Stage(odd_engines.LASTING),)
    with Workers() as workers, pytest.raises(CutShort, match="memory ran out"):
        Scheduler(ledger, Limits(), progress, workers).run(tracks)
    assert ledger.plan_by == "lasting"
    assert [(event.engine, event.note) for event in events] == [
        ("needy", "failed; the others go on (memory ran out)")
    ]


def test_an_engine_that_finds_itself_wrong_ends_the_work(ledger, monkeypatch, tmp_path):
    monkeypatch.setenv(odd_engines.FLAG, str(tmp_path / "never"))
    tracks = (Stage(odd_engines.WRONG),), (Stage(odd_engines.LASTING),)
    with Workers() as workers, pytest.raises(InternalError, match="I am wrong"):
        Scheduler(ledger, Limits(), ignore, workers).run(tracks)


def test_a_contradiction_counts_even_when_the_bounds_have_met(monkeypatch):
    """With children that are kept, what they say at last is listened to."""
    # On a busy machine one child may still start when the other is done.
    monkeypatch.setattr(scheduler, "_GRACE_SECONDS", 60.0)
    start = Problem(SIMPLE.puzzle, SIMPLE.puzzle.goal)
    for name in ("L", "R", "L"):
        back = {"L": "R", "R": "L"}[name]
        start = Problem(start.puzzle, start.puzzle.applicable(start.start)[back].apply(start.start))
    ledger = Ledger(start)
    assert ledger.found(("L", "R", "L", "R", "L"), "tests")
    tracks = (Stage(odd_engines.BOLD),), (Stage(odd_engines.LATE_FINDER),)
    with Workers() as workers, pytest.raises(InternalError, match="bold proved 5 moves"):
        Scheduler(ledger, Limits(), ignore, workers, keep_children=True).run(tracks)


def test_only_a_plan_of_the_same_length_and_no_more_penalty_is_preferred():
    puzzle = cases.make("lloyd", 3, 3)
    start = (4, 2, 3, 5, 1, 6, 7, 8, 0)
    plans = solve(Problem(puzzle, start), plans="all", optimal=True).plans
    ledger = Ledger(Problem(puzzle, start))
    best, *_, worst = sorted(plans, key=lambda plan: penalty(ledger.problem, plan))
    with pytest.raises(InternalError, match="is no better than None"):
        ledger.prefer(best, "tests")
    assert ledger.found(worst, "tests")
    ledger.prefer(best, "others")
    assert (ledger.plan, ledger.plan_by) == (best, "tests")
    assert penalty(ledger.problem, worst) > ledger.penalty
    with pytest.raises(InternalError, match="the plan of others is no better"):
        ledger.prefer(worst, "others")


def ignore(event):
    pass


def test_what_an_engine_proves_does_not_count_where_only_its_plans_are_wanted(ledger):
    with Workers() as workers:
        work = Scheduler(ledger, Limits(), ignore, workers)
        work.run(((Stage(ENGINES["idastar"], plans_only=True),),))
        assert (ledger.lower_bound, len(ledger.plan)) == (0, 24)
        work.run(((Stage(ENGINES["idastar"]),),))
        assert (ledger.lower_bound, ledger.bound_by) == (24, "idastar")


def test_memory_is_left_to_those_that_prove(ledger, monkeypatch):
    monkeypatch.setattr(Child, "memory", lambda self, exactly: 600 << 20)
    events, progress = told(("warning",))
    cnf, beam = Stage(ENGINES["cnf"]), Stage(ENGINES["beam"], plans_only=True)
    with Workers() as workers:
        limits = Limits(memory=1000 << 20, memory_poll=0.0)
        Scheduler(ledger, limits, progress, workers).run(((cnf,), (beam,)))
        assert (ledger.lower_bound, ledger.plan_by) == (24, "cnf")
        notes = [(event.engine, event.note) for event in events]
        assert notes == [("beam", "ended, as the proof needs the memory")]
        limits = Limits(memory=500 << 20, memory_poll=0.0)
        with pytest.raises(CutShort, match="memory limit reached"):
            Scheduler(Ledger(SIMPLE), limits, progress, workers).run(((cnf,),))


def test_a_failure_counts_where_only_plans_are_looked_for_besides():
    ledger = Ledger(Problem(FIFTEEN, HARD.start), Options(backend="none"))
    with Workers() as workers, pytest.raises(OptionError, match="none"):
        Scheduler(ledger, Limits(), ignore, workers).run(
            ((Stage(ENGINES["cnf"]),), (Stage(ENGINES["beam"], plans_only=True),))
        )


def test_engines_that_stop_at_the_deadline_have_not_done_all_they_can(ledger):
    with Workers() as workers, pytest.raises(CutShort, match="time limit reached"):
        Scheduler(ledger, Limits(deadline=time.monotonic()), ignore, workers).run(())


def test_the_clock_stands_still_while_something_is_made_for_the_first_time(ledger):
    events, progress = told(("note",))
    end = time.monotonic() + 60
    limits = Limits(deadline=end, pauses=True)
    # Of two that make something both have to be done.
    tracks = ((Stage(odd_engines.LATE),), (Stage(odd_engines.LATE),))
    with Workers() as workers:
        Scheduler(ledger, limits, progress, workers).run(tracks)
    assert ledger.lower_bound >= 1
    assert limits.deadline >= end + odd_engines.SECONDS
    assert not limits.is_paused
    assert [event.note for event in events] == [FIRST_RUN]


def test_a_limit_that_counts_everything_stays_as_it_is(ledger):
    events, progress = told(("note",))
    end = time.monotonic() + 60
    limits = Limits(deadline=end)
    with Workers() as workers:
        Scheduler(ledger, limits, progress, workers).run(((Stage(odd_engines.SOON),),))
    assert (ledger.lower_bound, limits.deadline) == (1, end)
    assert [(event.engine, event.note) for event in events] == [("soon", odd_engines.NOTICE)]


def test_a_stage_has_its_seconds_besides_what_it_makes_first(ledger):
    limits = Limits(deadline=time.monotonic() + 60, pauses=True)
    track = (Stage(odd_engines.LATE, 30.0), Stage(odd_engines.SOON))
    with Workers() as workers:
        Scheduler(ledger, limits, ignore, workers).run((track,))
    assert ledger.lower_bound == 2


@pytest.mark.parametrize(
    ("limits", "is_kept"),
    [
        (Limits(), True),
        (Limits(deadline=time.monotonic() + 3600, pauses=True), True),
        # What a user has limited does not go on after the answer.
        (Limits(deadline=time.monotonic() + 3600), False),
    ],
)
def test_what_was_begun_for_later_runs_is_kept(ledger, tmp_path, monkeypatch, limits, is_kept):
    monkeypatch.setenv(odd_engines.FOLDER, str(tmp_path))
    assert ledger.found(solve(SIMPLE, optimal=True).plan, "tests")
    with Workers() as workers:
        tracks = (Stage(odd_engines.KEEPER),), (Stage(odd_engines.CLOSER),)
        Scheduler(ledger, limits, ignore, workers).run(tracks)
        assert ledger.is_closed
        workers.finish()
        assert not workers.is_making
    # The child has not gone on with its search.
    assert [path.name for path in tmp_path.iterdir()] == (["kept"] if is_kept else [])


def test_a_table_that_nobody_waits_for_is_left(ledger, tmp_path, monkeypatch):
    monkeypatch.setenv(odd_engines.FOLDER, str(tmp_path))
    with Workers() as workers:
        child = workers.take()
        workers.leave(child)
        assert workers.is_making
    assert not child.is_alive


def test_who_yields_leaves_the_cores_to_the_others_once_there_is_a_plan(
    ledger, monkeypatch, tmp_path
):
    flag, plans = tmp_path / "flag", []
    give_way = Child.give_way

    def seen(child):
        plans.append(ledger.plan)
        give_way(child)
        flag.touch()

    monkeypatch.setenv(odd_engines.FLAG, str(flag))
    monkeypatch.setattr(Child, "give_way", seen)
    yielding = Stage(odd_engines.LASTING, yields_after=0.0)
    with Workers() as workers:
        Scheduler(ledger, Limits(), ignore, workers).run(
            ((Stage(odd_engines.LASTING),), (yielding,))
        )
        assert len(plans) == 1 and plans[0] is not None
        # One that yields later has not yielded.
        later = replace(yielding, yields_after=3600.0)
        Scheduler(Ledger(SIMPLE), Limits(), ignore, workers).run(
            ((Stage(odd_engines.LASTING),), (later,))
        )
    assert len(plans) == 1


def test_a_track_begins_when_its_time_has_come(ledger):
    tracks = (Stage(ENGINES["idastar"]),), (Stage(ENGINES["beam"], after=3600.0),)
    with Workers() as workers:
        Scheduler(ledger, Limits(), ignore, workers).run(tracks)
    assert ledger.is_closed and "beam" not in ledger.counts


def test_beside_a_formula_engine_a_search_may_find_the_plan_and_proves_nothing():
    problem = Problem(FIFTEEN, cases.scrambles(FIFTEEN, 1, 12, 3)[0])
    result = solve(problem, engine="cnf", optimal=True)
    proof, plans = refute_by(ENGINES["cnf"], problem, seconds=None, threads=2).tracks
    assert result.statistics.tracks == (("cnf",), ("constructive", "beam"))
    assert [(stage.engine.name, stage.threads) for stage in proof] == [("cnf", 2)]
    assert all(stage.plans_only for stage in plans)
    within = solve(problem, engine="cnf", max_horizon=result.length, optimal=True)
    assert within.statistics.tracks == (("cnf",),)
    assert within.upper_bound_by == "cnf"
