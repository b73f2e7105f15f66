"""The funnel and its loop: statuses, bounds, options and progress."""

from fractions import Fraction

import pytest
from support.fixtures.cases import make
from support.fixtures.solving import HARD, SIMPLE, told

from plansolve.encoders.registry import choose_encoding
from plansolve.errors import OptionError, PlansolveError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.protocol import Distribution
from plansolve.solvers.result import Status, StopReason


def test_statistics_hold_one_entry_a_horizon_in_their_order_and_the_options_in_use(kept_workers):
    result = solve(SIMPLE, engine="cnf", workers=kept_workers, optimal=True)
    assert (result.lower_bound, result.upper_bound, result.length) == (24, 24, 24)
    assert (result.status, result.stop_reason) == (Status.OPTIMAL, StopReason.SOLVED)
    statistics, horizons = result.statistics, result.statistics.horizons
    assert statistics.refuted == list(range(statistics.first_horizon, 24, 2))
    assert [h.refuted for h in horizons] == [True] * (len(horizons) - 1) + [False]
    assert horizons[-1].horizon == 24
    assert statistics.conflicts == sum(h.conflicts for h in horizons)
    assert all(h.variables > 0 and h.constraints > 0 for h in horizons)
    default = choose_encoding(SIMPLE.structure).default()
    assert statistics.options.lemmas == tuple(sorted(default))
    for lemmas in ((), ("no-undo",)):
        result = solve(SIMPLE, lemmas=list(lemmas), workers=kept_workers, optimal=True)
        assert (result.length, result.statistics.options.lemmas) == (24, lemmas)


@pytest.mark.parametrize(
    "specification", [("sliding", 4, 4), ("torus-ring", 5, 5), ("lloyd", 5, 5)]
)
def test_the_goal_needs_no_move_and_no_process(specification):
    puzzle = make(*specification)
    events, progress = told(("trying", "waiting", "bound", "plan"))
    result = solve(Problem(puzzle, puzzle.goal), progress=progress, max_horizon=0, optimal=True)
    assert (result.status, result.plan, result.lower_bound) == (Status.OPTIMAL, (), 0)
    assert events == []


@pytest.mark.parametrize("engine", ["auto", "cnf", "astar", "breadth-first", "idastar"])
@pytest.mark.parametrize("largest", [5, 23, 24])
def test_a_largest_horizon_proves_a_bound_beyond_itself_or_gives_a_plan(
    engine, largest, kept_workers
):
    result = solve(
        SIMPLE, engine=engine, max_horizon=largest, optimal=engine != "auto", workers=kept_workers
    )
    if largest == 24:
        assert (result.status, result.length) == (Status.OPTIMAL, 24)
    else:
        assert (result.status, result.plan) == (Status.NO_PLAN_WITHIN_HORIZON, None)
        assert result.stop_reason == StopReason.HORIZON
        assert largest < result.lower_bound <= 24


def test_with_a_largest_horizon_any_plan_within_it_is_enough():
    result = solve(HARD, max_horizon=400, optimal=False)
    assert result.length <= 400
    assert result.status in (Status.FEASIBLE, Status.OPTIMAL)


def test_a_puzzle_whose_move_cannot_be_taken_back_is_solved(kept_workers):
    moves = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3))
    puzzle = Puzzle("one", 1, 7, (1, 2, 3, 4, 5, 6, 7), (Operator("A", moves),), tuple("01234567"))
    result = solve(Problem(puzzle, (3, 1, 2, 5, 6, 7, 4)), optimal=False, workers=kept_workers)
    assert (result.status, result.plan) == (Status.OPTIMAL, ("A",) * 7)


def test_progress_tells_each_horizon_from_its_start_to_its_end(kept_workers):
    events, progress = told()
    result = solve(SIMPLE, engine="cnf", progress=progress, workers=kept_workers, optimal=True)
    first = result.statistics.first_horizon
    expected = [("trying", first, first)]
    for horizon in range(first, 24, 2):
        expected += [("bound", horizon, horizon + 2), ("trying", horizon + 2, horizon + 2)]
    expected += [("plan", 24, 24)]
    told_of = [e.record.horizon if e.record else e.trying for e in events]
    assert [(e.kind, h, e.lower_bound) for e, h in zip(events, told_of, strict=True)] == expected
    assert [e.upper_bound for e in events] == [None] * (len(events) - 1) + [24]
    assert {e.engine for e in events} == {"cnf"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_horizon": -1}, "max_horizon must be 0 or more, not -1"),
        ({"time_limit": 0}, "the time limit is 0 seconds: it must be more than 0"),
        ({"time_limit": -2.5}, "the time limit is -2.5 seconds"),
        ({"time_limit": float("nan")}, "the time limit is nan seconds"),
        ({"memory_limit": 0}, "the memory limit is 0 bytes: it must be more than 0"),
        ({"engine": "magic"}, "unknown engine 'magic': choose from auto, cnf, cp-sat"),
        ({"engine": "beam", "optimal": True}, "engine beam proves nothing"),
        (
            {"engine": "astar", "lemmas": []},
            "engine astar takes no back end, encoding, lemmas or proofs",
        ),
        ({"threads": 0}, "threads must be 1 or more, not 0"),
        (
            {"time_limit": "soon"},
            "'soon' is not a duration above 0: write it like 30, 90s, 10m or 2h",
        ),
        ({"time_limit": "0s"}, "'0s' is not a duration above 0"),
        (
            {"memory_limit": "4 apples"},
            "'4 apples' is not a size above 0: write it like 500M or 4G",
        ),
        ({"plans": "some"}, "plans is 'some': choose from one, all, count"),
        ({"plans": "all", "most_plans": 0}, "most_plans must be 1 or more, not 0"),
        ({"backend": "magic"}, "unknown back end 'magic': choose from glucose42, cadical195"),
        ({"backend": "cp-sat"}, "cp-sat does not belong to engine cnf: choose from glucose42"),
        (
            {"engine": "cp-sat", "backend": "cadical195"},
            "cadical195 does not belong to engine cp-sat: choose from cp-sat",
        ),
        ({"encoding": "magic"}, "unknown encoding 'magic'"),
        ({"lemmas": ["magic"]}, "unknown lemma 'magic'"),
        ({"encoding": "full-layer", "lemmas": ["pair-mutex"]}, "has no lemma 'pair-mutex'"),
        ({"lemmas": ["linear-conflict"]}, "needs waste-counter"),
    ],
)
def test_options_that_mean_nothing_are_refused_even_on_the_goal(options, message):
    puzzle = make("sliding", 3, 3)
    with pytest.raises(OptionError) as caught:
        solve(Problem(puzzle, puzzle.goal), **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("cancel", 3, "cancel is 3: give a threading.Event"),
        ("time_limit", [5], 'time_limit must be seconds or text like "90s", not [5]'),
        ("time_limit", True, 'time_limit must be seconds or text like "90s", not True'),
        ("memory_limit", 1e9, 'memory_limit must be bytes or text like "4G", not 1000000000.0'),
        ("threads", "all", "threads must be a whole number, not 'all'"),
        ("max_horizon", 2.5, "max_horizon must be a whole number, not 2.5"),
        ("optimal", "no", "optimal must be True or False, not 'no'"),
        ("engine", None, "engine must be a name, not None"),
        ("engine", 1j, "engine must be a name, not 1j"),
        ("plans", True, "plans must be a name, not True"),
        ("bound", 7, "bound must be a name, not 7"),
        ("executor", 7, "executor must be a name, not 7"),
        ("store", 7, "store: a path is expected, not "),
        ("store", Distribution("local:1"), "store: a path is expected, not "),
        ("lemmas", 7, "lemmas must be a list of names, not 7"),
        ("progress", "bar", "progress must be a function that takes an Event, not 'bar'"),
        ("workers", 2, "workers must be plansolve.Workers(), not 2"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_in_one_sentence(option, value, message):
    with pytest.raises(TypeError) as caught:
        solve(SIMPLE, **{option: value})
    assert message in str(caught.value)
    assert isinstance(caught.value, PlansolveError)
    with pytest.raises(TypeError, match="most_plans must be a whole number, not 'many'"):
        solve(SIMPLE, most_plans="many", plans="all", optimal=True)


def test_limits_may_be_texts_or_numbers_of_any_kind():
    limits = {"time_limit": "90s", "memory_limit": "4G", "threads": True + 1}
    assert solve(SIMPLE, optimal=True, **limits).length == 24
    result = solve(HARD, engine="cnf", time_limit=Fraction(1, 10), optimal=True)
    assert result.stop_reason == StopReason.TIME


def test_the_board_may_be_anything_that_is_read():
    rows = SIMPLE.puzzle.in_rows(SIMPLE.start)
    for board in (rows, list(SIMPLE.start), str(SIMPLE)):
        assert solve(board, optimal=True).length == 24


def test_a_bound_that_shows_that_there_is_no_plan_is_not_called_a_search():
    cycle = Operator("b", ((0, 1), (1, 0)))
    puzzle = Puzzle("pairs", 1, 4, (1, 1, 2, 3), (cycle,), ("_", "1", "2", "3"))
    result = solve(Problem(puzzle, (1, 1, 3, 2)), optimal=True)
    assert result.status == Status.UNSOLVABLE
    assert "cannot reach its goal" in result.explanation
