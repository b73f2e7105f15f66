"""Deep searches refute lengths that are too short, and change nothing else."""

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.first_walk import formula, keeps_first_walk

from plansolve.encoders.lemmas import board_search, perimeter_search
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.cube_unit import FormulaRecipe
from plansolve.solvers.formula.horizon import HorizonSolver

INSTANCES = Path(__file__).parents[2] / "instances"
DEEP = ("perimeter", "deep-perimeter")


def largest_pattern(builder):
    """The tiles of the largest pattern of which the distances to the goal are a bound."""
    bounds = [note[2:] for note in builder.notes if note[:2] == ("bound", "goal")]
    sizes = [len(tiles.split()) for row in bounds for tiles in " ".join(map(str, row)).split(" 0")]
    return max(sizes)


@pytest.fixture
def deep_on_3x3(monkeypatch):
    """Deep searches with patterns of six and seven tiles, where the first one has five."""
    monkeypatch.setattr(perimeter_search, "MOST_BOARDS", 20)
    monkeypatch.setattr(perimeter_search, "pattern_size", lambda cells: 5)
    monkeypatch.setattr(perimeter_search, "default_size", lambda cells: 6)


@pytest.mark.parametrize(
    ("rooms", "largest"),
    [
        ((1, 1), None),
        ((1, 90_000), 7),
        pytest.param((90_000, 1), 6, marks=pytest.mark.slow),
    ],
)
def test_a_deep_search_refutes_what_is_too_short_and_nothing_else(
    monkeypatch, deep_on_3x3, rooms, largest, eight_table
):
    puzzle = cases.make("sliding", 3, 3)
    monkeypatch.setattr(perimeter_search, "_DEEP_ROOM", rooms[0])
    monkeypatch.setattr(perimeter_search, "_LAST_ROOM", rooms[1])
    far = [board for board, depth in sorted(eight_table.items()) if depth == 25]
    left = (
        s
        for s in Random(12).sample(far, 100)
        if not formula(puzzle, s, DEEP[:1], 23)[0].is_contradiction
    )
    for start in islice(left, 3):
        keeps_first_walk(puzzle, start, eight_table, DEEP)
        for horizon in (23, 25):
            plain, deep = (formula(puzzle, start, x, horizon)[0] for x in (DEEP[:1], DEEP))
            if horizon == 23 and largest is not None:
                assert deep.is_refuted_by_search and not plain.is_contradiction
                assert largest_pattern(deep) == largest
            else:
                # A search that refutes nothing leaves the formula as it is.
                assert deep.clauses == plain.clauses and deep.notes == plain.notes
                assert deep.boards_searched > plain.boards_searched


def test_deep_searches_are_left_out_with_little_memory_and_of_cubes(deep_on_3x3, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    far = max(sorted(eight_table), key=eight_table.__getitem__)
    job = Job(Problem(puzzle, far), lemmas=(*DEEP, "distance"))
    by_search = {}
    for memory in (None, 8 << 30, 1 << 30):
        attempt = HorizonSolver(job, memory=memory).attempt(29)
        assert attempt.refuted
        by_search[memory] = attempt.record.by_search
    assert by_search == {None: True, 8 << 30: True, 1 << 30: False}
    assert FormulaRecipe.of(job, 29).lemmas == ("distance", "perimeter")


def test_how_many_slots_a_search_begins_with_does_not_matter(monkeypatch, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    start = max(sorted(eight_table), key=eight_table.__getitem__)
    made = []
    for slots in (2, 1 << 8, 1 << 20):
        monkeypatch.setattr(board_search, "_FIRST_SLOTS", slots)
        builder = formula(puzzle, start, DEEP[:1], 31)[0]
        made.append((builder.boards_searched, builder.clauses, builder.notes))
    assert made[0][0] > 1_000 and made[0] == made[1] == made[2]


@pytest.mark.slow
def test_a_deep_search_refutes_what_would_need_more_boards():
    instance = load_instance_set(INSTANCES / "fifteen-hardest").instances[0]
    assert instance.optimal_length == 80
    for lemmas in (DEEP[:1], DEEP):
        builder = formula(instance.problem.puzzle, instance.problem.start, lemmas, 74)[0]
        assert builder.is_refuted_by_search == (lemmas == DEEP)
    assert largest_pattern(builder) == 6
