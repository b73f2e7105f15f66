"""Every 3x3 board: the formula of its depth with all lemmas has the first shortest plan as a model.

Lemmas only add clauses, so what all of them together leave, each choice of them leaves as well.
That there is no model below a board's depth is no matter of lemmas: its plan would be replayed.

    python -m pytest -n 2 -m slow tests/conformance/test_every_board.py --share 1

takes every board, for an hour or two; without the option, every 400th.
"""

import gc
from random import Random

import pytest
from support import cases
from support.meanings import first_shortest
from support.witness import WitnessBuilder

from plansolve.encoders import duplicate_words, pattern_excess, perimeter, placements
from plansolve.encoders.registry import ENCODINGS
from plansolve.encoders.waste_excess import WasteExcess
from plansolve.model.problem import Problem

PARTS = 20


@pytest.fixture
def share(request):
    return request.config.getoption("--share")


@pytest.fixture(autouse=True)
def no_collection():
    """Formulas are long lists without cycles."""
    gc.disable()
    yield
    gc.enable()


def leaves_the_first_plan(puzzle, start, table, encoding):
    problem = Problem(puzzle, start)
    boards, _ = first_shortest(problem, table)
    builder = WitnessBuilder(boards)
    encoding.prepare(problem, encoding.lemmas).encode(builder, table[start])
    return builder.has_model()


def check_every(puzzle, table, encoding, part, share):
    """One part of the boards, or every so many-th of it; each part has boards of all depths."""
    boards = sorted(table, key=lambda board: (table[board], board))[part::PARTS][::share]
    assert len(boards) >= len(table) // PARTS // share
    for start in boards:
        assert leaves_the_first_plan(puzzle, start, table, ENCODINGS[encoding]), start


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_lemmas_leave_a_plan_of_every_8_puzzle(part, share, eight_table, monkeypatch):
    puzzle = cases.make("sliding", 3, 3)
    # What depends on the goal alone is not read anew for each board.
    goal = Problem(puzzle, puzzle.goal)
    stored, tables = placements._stored(goal), placements.goal_tables(goal)
    monkeypatch.setattr(placements, "_stored", lambda problem: stored)
    monkeypatch.setattr(perimeter, "goal_tables", lambda problem: tables)
    assert len(eight_table) == 181440
    check_every(puzzle, eight_table, "half-layer", part, share)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_lemmas_leave_a_plan_of_every_lloyd_3x3_board(part, share, lloyd_table, monkeypatch):
    puzzle = cases.make("lloyd", 3, 3)
    made = WasteExcess(Problem(puzzle, puzzle.goal))._made
    monkeypatch.setattr(WasteExcess, "_made", made)
    assert len(lloyd_table) == 362880
    check_every(puzzle, lloyd_table, "full-layer", part, share)


# That a wrong formula is noticed

FARTHEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)


def test_a_plan_that_goes_wrong_at_one_board_is_no_model(eight_table):
    puzzle = cases.make("sliding", 3, 3)
    problem = Problem(puzzle, FARTHEST)
    boards, _ = first_shortest(problem, eight_table)
    encoding = ENCODINGS["half-layer"]
    for t in (1, 10, 20):
        wrong = list(boards[t])
        # There are no variables for the cells of the blank's colour.
        one, other, *_ = (cell for cell in range(9) if (cell + wrong.index(0)) % 2)
        wrong[one], wrong[other] = wrong[other], wrong[one]
        builder = WitnessBuilder([*boards[:t], tuple(wrong), *boards[t + 1 :]])
        encoding.prepare(problem, frozenset()).encode(builder, len(boards) - 1)
        assert not builder.has_model()


@pytest.mark.parametrize("where", [duplicate_words, perimeter, pattern_excess])
def test_one_clause_too_many_is_noticed(where, eight_table, monkeypatch):
    puzzle = cases.make("sliding", 3, 3)
    assert leaves_the_first_plan(puzzle, FARTHEST, eight_table, ENCODINGS["half-layer"])
    true = where.add_clauses

    def add_more(builder, literals):
        true(builder, literals)
        # No clause of these lemmas is right without its last literal in every place.
        true(builder, literals[:, :-1])

    monkeypatch.setattr(where, "add_clauses", add_more)
    assert not leaves_the_first_plan(puzzle, FARTHEST, eight_table, ENCODINGS["half-layer"])


def test_an_excess_too_large_by_one_is_noticed(lloyd_table, monkeypatch):
    puzzle = cases.make("lloyd", 3, 3)
    boards = Random(1).sample(list(lloyd_table), 10)
    full = ENCODINGS["full-layer"]
    assert all(leaves_the_first_plan(puzzle, start, lloyd_table, full) for start in boards)
    patterns, *rest = WasteExcess(Problem(puzzle, puzzle.goal))._made
    larger = [[g._replace(excess=g.excess + 1) for g in pattern] for pattern in patterns]
    monkeypatch.setattr(WasteExcess, "_made", (larger, *rest))
    assert sum(leaves_the_first_plan(puzzle, start, lloyd_table, full) for start in boards) < 5
