"""The funnel and its loop: statuses, bounds, limits, progress, and a child that is killed."""

import os
import signal
import time
from threading import Event, Thread

import pytest
from pysat.solvers import Solver, SolverNames
from support.fixtures import cases
from support.fixtures.cases import make
from support.fixtures.processes import engine_processes

from plansolve.checker import check_plan
from plansolve.encoders.registry import choose_encoding
from plansolve.errors import EngineError, InternalError, OptionError
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.solvers.engine.child import Child, Workers
from plansolve.solvers.engine.choice import Stage, refute_by
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.registry import ENGINES
from plansolve.solvers.engine.scheduler import Scheduler
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.backends import BACKENDS, FORMULA_ENGINES, choose_backend
from plansolve.solvers.limits import CutShort, Limits
from plansolve.solvers.protocol import Options
from plansolve.solvers.result import Status, StopReason

# puz-simple of A. A. Smith's CS431 assignment: 24 moves, one shortest plan.
SIMPLE = Problem(make("sliding", 3, 3), (6, 4, 8, 7, 2, 5, 1, 3, 0))
# puz-altsquare: 59 moves, far too many for the time that tests have.
FIFTEEN = make("sliding", 4, 4)
HARD = Problem(FIFTEEN, (15, 14, 8, 6, 13, 2, 9, 5, 4, 0, 10, 11, 3, 7, 12, 1))


def told(kinds=("trying", "bound", "plan")):
    """A list, and a progress function that puts the events of these kinds into it."""
    events = []
    return events, lambda event: events.append(event) if event.kind in kinds else None


# Answers


def test_a_board_is_solved_with_a_shortest_plan_and_both_bounds():
    result = solve(SIMPLE, engine="cnf")
    assert result.status == Status.OPTIMAL
    assert (result.lower_bound, result.upper_bound, result.length) == (24, 24, 24)
    assert result.stop_reason == StopReason.SOLVED
    assert check_plan(SIMPLE, result.plan).solves
    assert result.statistics.first_horizon % 2 == 0
    assert result.statistics.refuted == list(range(result.statistics.first_horizon, 24, 2))


@pytest.mark.parametrize(
    ("engine", "encoding", "backend"),
    [
        ("cnf", "full-layer", "cadical195"),
        ("cnf", "permutation", None),
        ("cp-sat", None, None),
        ("cp-sat", "full-layer", "cp-sat"),
    ],
)
def test_engines_and_encodings_give_the_same_length(engine, encoding, backend):
    problem = Problem(make("sliding", 2, 3), (4, 5, 0, 1, 2, 3))
    result = solve(problem, engine=engine, encoding=encoding, backend=backend)
    assert (result.status, result.length, result.engine) == (Status.OPTIMAL, 21, engine)
    assert result.statistics.options.backend == (backend or choose_backend(engine).name)


def test_plain_lemmas_are_reported_as_none_and_give_the_same_length():
    problem = Problem(make("sliding", 2, 3), (4, 5, 0, 1, 2, 3))
    result = solve(problem, lemmas=())
    assert (result.length, result.statistics.options.lemmas) == (21, ())


@pytest.mark.parametrize(
    "specification", [("sliding", 4, 4), ("torus-ring", 5, 5), ("lloyd", 5, 5)]
)
def test_the_goal_needs_no_move_and_no_process(specification):
    puzzle = make(*specification)
    events, progress = told(("trying", "waiting", "bound", "plan"))
    result = solve(Problem(puzzle, puzzle.goal), progress=progress, max_horizon=0)
    assert (result.status, result.plan, result.lower_bound) == (Status.OPTIMAL, (), 0)
    assert events == []


def test_an_unsolvable_board_is_a_result_with_its_reason():
    result = solve(Problem(make("sliding", 4, 4), (*range(1, 14), 15, 14, 0)))
    assert result.status == Status.UNSOLVABLE
    assert result.stop_reason == StopReason.UNSOLVABLE
    assert (result.plan, result.lower_bound, result.upper_bound) == (None, None, None)
    assert result.explanation.startswith("parity: ")


def test_a_torus_board_is_solved_without_fixed_parity():
    puzzle = make("torus-ring", 5, 5)
    # board0 of the seed assignment: three moves.
    start = (
        *(2, 23, 4, 5, 10, 1, 7, 3, 9, 11, 6, 13, 8, 15, 20),
        *(12, 17, 14, 19, 25, 16, 21, 22, 18, 24),
    )
    result = solve(Problem(puzzle, start))
    assert (result.status, result.length) == (Status.OPTIMAL, 3)


# The largest horizon


def test_a_horizon_below_the_depth_proves_a_bound_beyond_itself():
    result = solve(SIMPLE, max_horizon=22)
    assert result.status == Status.NO_PLAN_WITHIN_HORIZON
    assert (result.stop_reason, result.plan) == (StopReason.HORIZON, None)
    assert result.lower_bound == 24


@pytest.mark.parametrize("largest", [0, 5, 23])
def test_no_horizon_gives_a_bound_that_is_false_or_too_small(largest):
    result = solve(SIMPLE, max_horizon=largest, optimal=False)
    assert result.status == Status.NO_PLAN_WITHIN_HORIZON
    assert largest < result.lower_bound <= 24


@pytest.mark.parametrize("largest", [24, 25, 99])
def test_a_horizon_from_the_depth_on_gives_a_shortest_plan(largest):
    result = solve(SIMPLE, max_horizon=largest, optimal=False)
    assert (result.status, result.length) == (Status.OPTIMAL, 24)


# Plans that need not be shortest


@pytest.mark.parametrize(
    ("specification", "start"),
    [
        (("sliding", 3, 3), SIMPLE.start),
        (("sliding", 2, 2), (0, 3, 2, 1)),
        (("sliding", 2, 3), (4, 5, 0, 1, 2, 3)),
        (("lloyd", 3, 3), (8, 7, 6, 5, 4, 3, 2, 1, 0)),
    ],
)
@pytest.mark.parametrize(
    "engine", ["auto", pytest.param("beam", marks=pytest.mark.slow), "constructive"]
)
def test_without_optimality_the_plan_is_legal_and_the_bound_is_true(specification, start, engine):
    depth = cases.distance_table(*specification)[start]
    problem = Problem(make(*specification), start)
    # A beam goes on for shorter plans as long as it may.
    result = solve(problem, optimal=False, engine=engine, time_limit=3)
    assert check_plan(problem, result.plan).solves
    assert result.lower_bound <= depth <= result.length
    assert (result.status == Status.OPTIMAL) == (result.lower_bound == result.length)


def test_the_lemmas_reported_are_those_that_were_used():
    default = choose_encoding(SIMPLE.structure).default
    assert solve(SIMPLE, engine="cnf").statistics.options.lemmas == tuple(sorted(default))
    assert solve(SIMPLE, lemmas=["no-undo"]).statistics.options.lemmas == ("no-undo",)


def test_a_puzzle_whose_move_cannot_be_taken_back_is_solved():
    moves = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3))
    puzzle = Puzzle("one", 1, 7, (1, 2, 3, 4, 5, 6, 7), (Operator("A", moves),), tuple("01234567"))
    result = solve(Problem(puzzle, (3, 1, 2, 5, 6, 7, 4)), optimal=False)
    assert (result.status, result.plan) == (Status.OPTIMAL, ("A",) * 7)


# Progress


def test_progress_tells_each_horizon_from_its_start_to_its_end():
    events, progress = told()
    result = solve(SIMPLE, engine="cnf", progress=progress)
    first = result.statistics.first_horizon
    expected = [("trying", first, first)]
    for horizon in range(first, 24, 2):
        expected += [("bound", horizon, horizon + 2), ("trying", horizon + 2, horizon + 2)]
    expected += [("plan", 24, 24)]
    told_of = [e.record.horizon if e.record else e.trying for e in events]
    assert [(e.kind, h, e.lower_bound) for e, h in zip(events, told_of, strict=True)] == expected
    assert [e.upper_bound for e in events] == [None] * (len(events) - 1) + [24]
    assert {e.engine for e in events} == {"cnf"}


def test_statistics_hold_one_entry_a_horizon_in_their_order():
    result = solve(SIMPLE, engine="cnf")
    horizons = result.statistics.horizons
    assert [h.refuted for h in horizons] == [True] * (len(horizons) - 1) + [False]
    assert [h.horizon for h in horizons][-1] == 24
    assert result.statistics.conflicts == sum(h.conflicts for h in horizons)
    assert all(h.variables > 0 and h.constraints > 0 for h in horizons)


def test_an_error_in_the_caller_s_progress_reaches_the_caller_and_ends_the_child():
    class Mine(Exception):
        pass

    def progress(event):
        raise Mine

    with pytest.raises(Mine):
        solve(SIMPLE, progress=progress)
    assert engine_processes() == []


# Limits


def test_a_time_limit_that_is_over_at_once_leaves_the_proved_bound():
    result = solve(HARD, time_limit=1e-9)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.TIME)
    assert result.plan is None
    # Linear conflict proves some of the 59 moves, and their number is odd.
    assert result.lower_bound == result.statistics.first_horizon
    assert result.lower_bound % 2 == 1
    assert 0 < result.lower_bound <= 59


def test_a_time_limit_in_the_midst_leaves_what_was_proved_until_then():
    events, progress = told()
    result = solve(HARD, engine="cnf", time_limit=1, progress=progress)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.TIME)
    assert result.lower_bound == events[-1].lower_bound <= 59
    assert engine_processes() == []


def test_a_tiny_memory_limit_ends_with_the_proved_bound():
    result = solve(HARD, engine="cnf", memory_limit=1)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.MEMORY)
    assert 0 < result.lower_bound <= 59
    assert engine_processes() == []


@pytest.mark.parametrize("kind", ["trying", "waiting", "bound"])
def test_ctrl_c_ends_with_the_proved_bound(kind):
    seen = []

    def progress(event):
        seen.append(event)
        if event.kind == kind:
            raise KeyboardInterrupt

    result = solve(HARD, engine="cnf", progress=progress)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.INTERRUPTED)
    assert result.lower_bound == seen[-1].lower_bound
    assert engine_processes() == []


def test_ctrl_c_when_the_plan_is_told_does_not_lose_the_plan():
    def progress(event):
        if event.kind == "plan":
            raise KeyboardInterrupt

    result = solve(SIMPLE, progress=progress)
    assert result.length == 24
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)


def test_another_thread_cancels_and_gets_plan_and_bounds():
    cancel, results = Event(), []

    def progress(event):
        if event.upper_bound is not None and event.lower_bound >= 47:
            has_both.set()

    has_both = Event()
    solving = Thread(
        target=lambda: results.append(solve(HARD, progress=progress, cancel=cancel, threads=1))
    )
    solving.start()
    assert has_both.wait(60)
    cancel.set()
    solving.join(60)
    (result,) = results
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.INTERRUPTED)
    assert result.was_interrupted and result.explanation == "cancelled"
    assert 47 <= result.lower_bound <= 59 < result.length
    assert check_plan(HARD, result.plan).solves
    assert engine_processes() == []


@pytest.mark.parametrize("options", [{}, {"engine": "cnf"}, {"plans": "all"}], ids=str)
def test_what_is_cancelled_before_it_begins_leaves_the_first_bound(options):
    cancel = Event()
    cancel.set()
    result = solve(HARD, cancel=cancel, **options)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.INTERRUPTED)
    assert result.lower_bound == result.statistics.first_horizon > 1


def test_cancel_ends_the_count_of_plans_with_what_was_counted():
    cancel = Event()

    def progress(event):
        if event.kind == "plan":
            cancel.set()

    puzzle = make("loopover", 3, 3)
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 12, 5)[0])
    result = solve(problem, plans="count", progress=progress, cancel=cancel)
    assert result.length and not result.is_every_plan
    assert result.was_interrupted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_horizon": -1}, "the largest horizon is -1: it must be 0, 1, 2 ..."),
        ({"time_limit": 0}, "the time limit is 0 seconds: it must be more than 0"),
        ({"time_limit": -2.5}, "the time limit is -2.5 seconds"),
        ({"time_limit": float("nan")}, "the time limit is nan seconds"),
        ({"memory_limit": 0}, "the memory limit is 0 bytes: it must be more than 0"),
        ({"engine": "magic"}, "unknown engine 'magic': choose from auto, cnf, cp-sat"),
        ({"engine": "beam"}, "engine beam proves nothing"),
        ({"engine": "astar", "lemmas": []}, "engine astar takes no back end, encoding or lemmas"),
        ({"threads": 0}, "the number of threads is 0: it must be 1, 2, 3 ..."),
        ({"cancel": 3}, "cancel is 3: give a threading.Event"),
        ({"plans": "some"}, "plans is 'some': choose from one, all, count"),
        ({"plans": "all", "optimal": False}, "only shortest plans are listed or counted"),
        ({"plans": "all", "most_plans": 0}, "at most 0 plans make no sense"),
        ({"backend": "magic"}, "unknown back end 'magic': choose from glucose42, cadical195"),
        ({"backend": "cp-sat"}, "cp-sat does not belong to engine cnf: choose from glucose42"),
        (
            {"engine": "cp-sat", "backend": "cadical195"},
            "cadical195 does not belong to engine cp-sat: choose from cp-sat",
        ),
        ({"encoding": "magic"}, "unknown encoding 'magic'"),
        ({"lemmas": ["magic"]}, "unknown lemma 'magic'"),
        ({"encoding": "full-layer", "lemmas": ["pair-mutex"]}, "has no lemma 'pair-mutex'"),
        ({"lemmas": ["linear-conflict"]}, "works on top of waste-counter"),
    ],
    ids=str,
)
def test_options_that_mean_nothing_are_refused_even_on_the_goal(options, message):
    puzzle = make("sliding", 3, 3)
    with pytest.raises(OptionError) as caught:
        solve(Problem(puzzle, puzzle.goal), **options)
    assert message in str(caught.value)


# The child


def test_a_child_that_is_ended_from_outside_keeps_the_bounds():
    def progress(event):
        if event.kind == "waiting":
            (child,) = engine_processes()
            os.kill(child.pid, signal.SIGTERM)

    result = solve(HARD, engine="cnf", progress=progress)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.CRASH)
    assert result.explanation == "the solver's process ended unexpectedly, signal 15"
    assert result.lower_bound >= 40
    assert engine_processes() == []


def test_a_child_that_the_kernel_kills_counts_as_out_of_memory():
    def progress(event):
        if event.kind == "waiting":
            (child,) = engine_processes()
            os.kill(child.pid, signal.SIGKILL)

    result = solve(HARD, engine="cnf", progress=progress)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.MEMORY)


@pytest.fixture
def ledger():
    return Ledger(SIMPLE)


def test_a_plan_that_fails_the_replay_is_an_internal_error(ledger):
    with pytest.raises(InternalError, match="the plan of tests does not solve the board"):
        ledger.found(("U",) * 24, "tests")
    assert ledger.plan is None
    assert ledger.found(solve(SIMPLE).plan, "tests")
    with pytest.raises(InternalError, match="the plan of tests does not solve the board"):
        ledger.prefer(("U",) * 24, "tests")


def test_a_bound_beyond_a_plan_is_an_internal_error(ledger):
    plan = solve(SIMPLE).plan
    assert ledger.found(plan, "tests")
    assert not ledger.found(plan, "others")
    assert ledger.proved(24, "tests")
    assert ledger.is_closed
    with pytest.raises(InternalError, match="others proved 25 moves"):
        ledger.proved(25, "others")


def test_only_a_plan_of_the_same_length_and_no_more_penalty_is_preferred():
    puzzle = cases.make("lloyd", 3, 3)
    start = next(s for s, depth in cases.distance_table("lloyd", 3, 3).items() if depth == 9)
    plans = solve(Problem(puzzle, start), plans="all").plans
    ledger = Ledger(Problem(puzzle, start))
    best, *_, worst = sorted(plans, key=lambda plan: penalty(ledger.problem, plan))
    with pytest.raises(InternalError, match="is no better than None"):
        ledger.prefer(best, "tests")
    assert ledger.found(worst, "tests")
    ledger.prefer(best, "others")
    assert (ledger.plan, ledger.plan_by) == (best, "tests")
    if penalty(ledger.problem, worst) > ledger.penalty:
        with pytest.raises(InternalError, match="the plan of others is no better"):
            ledger.prefer(worst, "others")


def ignore(event):
    pass


def test_what_an_engine_proves_does_not_count_where_only_its_plans_are_wanted(ledger):
    with Workers() as workers:
        scheduler = Scheduler(ledger, Limits(), ignore, workers)
        scheduler.run(((Stage(ENGINES["idastar"], plans_only=True),),))
        assert (ledger.lower_bound, len(ledger.plan)) == (0, 24)
        scheduler.run(((Stage(ENGINES["idastar"]),),))
        assert (ledger.lower_bound, ledger.bound_by) == (24, "idastar")


def test_memory_is_left_to_those_that_prove(ledger, monkeypatch):
    monkeypatch.setattr(Child, "memory", lambda self: 600 << 20)
    events, progress = told(("note",))
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


def test_a_track_begins_when_its_time_has_come(ledger):
    tracks = (Stage(ENGINES["idastar"]),), (Stage(ENGINES["beam"], after=3600.0),)
    with Workers() as workers:
        Scheduler(ledger, Limits(), ignore, workers).run(tracks)
    assert ledger.is_closed and "beam" not in ledger.counts


def test_beside_a_formula_engine_a_search_may_find_the_plan_and_proves_nothing():
    problem = Problem(FIFTEEN, cases.scrambles(FIFTEEN, 1, 12, 3)[0])
    result = solve(problem, engine="cnf")
    proof, plans = refute_by(ENGINES["cnf"], problem, seconds=None, threads=2).tracks
    assert result.statistics.tracks == (("cnf",), ("constructive", "beam"))
    assert [(stage.engine.name, stage.threads) for stage in proof] == [("cnf", 2)]
    assert all(stage.plans_only for stage in plans)
    within = solve(problem, engine="cnf", max_horizon=result.length)
    assert within.statistics.tracks == (("cnf",),)
    assert within.upper_bound_by == "cnf"


# Back ends


def test_every_cnf_back_end_is_one_of_pysat_s():
    known = {name for name in vars(SolverNames) if not name.startswith("_")}
    cnf = {backend.name for backend in BACKENDS.values() if backend.engine == "cnf"}
    assert cnf <= known
    assert {backend.engine for backend in BACKENDS.values()} == set(FORMULA_ENGINES)
    assert all(key == backend.name for key, backend in BACKENDS.items())


@pytest.mark.parametrize("name", [b.name for b in BACKENDS.values() if b.engine == "cnf"])
def test_every_cnf_back_end_finds_the_same_depth(name):
    puzzle = make("sliding", 2, 3)
    start = (4, 5, 0, 1, 2, 3)
    solver = cases.solver(puzzle, start, None, None, "cnf", name)
    found = [h for h in range(15, 22) if not solver.attempt(h).refuted]
    assert found == [21]


@pytest.mark.parametrize("name", [b.name for b in BACKENDS.values() if b.proof])
def test_back_ends_that_declare_a_proof_hand_out_one(name):
    # All eight clauses over three variables: unsatisfiable, and not by units alone.
    clauses = [[a, b, c] for a in (1, -1) for b in (2, -2) for c in (3, -3)]
    with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        assert not solver.solve()
        proof = solver.get_proof()
    # CaDiCaL 3 deletes clauses even after the empty one.
    assert ["0"] in [line.split() for line in proof]


def test_the_first_back_end_of_an_engine_is_its_default():
    assert choose_backend("cnf").name == "glucose42"
    assert choose_backend("cp-sat").name == "cp-sat"
    assert choose_backend("cnf", "minisat22").name == "minisat22"


def test_a_back_end_that_this_pysat_lacks_is_an_engine_error(monkeypatch):
    monkeypatch.delattr(SolverNames, "glucose42")
    puzzle = make("sliding", 2, 2)
    with pytest.raises(EngineError, match="has no back end glucose42: upgrade it"):
        cases.solver(puzzle, (0, 1, 3, 2), None, None).attempt(2)


def test_a_job_refuses_choices_that_do_not_go_together():
    with pytest.raises(OptionError, match="needs a blank graph"):
        Job(Problem(make("torus-ring", 5, 5), tuple(range(1, 26))), encoding="half-layer")
