"""Every 3x3 board: the formula of its depth with all lemmas has the first shortest plan as a model.

Lemmas only add clauses, so what all of them together leave, each choice of them leaves as well.
That there is no model below a board's depth is no matter of lemmas: its plan would be replayed.
For the two encodings of boards with a blank; how many plans lemmas keep is another test's matter.

    python -m pytest -n 2 -m slow tests/conformance/test_every_board.py --share 1

takes every board, for two hours; without the option, every 400th.
"""

import gc

import pytest
from support.fixtures import cases
from support.fixtures.witness import WitnessBuilder
from support.reference.first_plan import first_shortest

from plansolve.encoders.lemmas import board_search
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.problem import Problem
from plansolve.storage.store import Store

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
    """One part of the boards, or every so many-th of it, and the farthest ones in each part."""
    boards = sorted(table, key=lambda board: (table[board], board))
    boards = boards[part::PARTS][part * share // PARTS :: share]
    # The farthest boards need most of what lemmas forbid.
    farthest = max(table.values())
    boards += [board for board in table if table[board] == farthest]
    for start in boards:
        assert leaves_the_first_plan(puzzle, start, table, ENCODINGS[encoding]), start


def with_tables_of_the_goal(puzzle, monkeypatch):
    """Tables that depend on the goal alone are read once for all boards."""
    true, goal = board_search.goal_sets, Problem(puzzle, puzzle.goal)
    sets = true(goal, size=board_search.FIRST_PATTERN, store=Store(), tell=cases.silent)
    monkeypatch.setattr(board_search, "goal_sets", lambda problem, **how: sets)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(
    ("specification", "encoding", "boards"),
    [("sliding", "half-layer", 181_440), ("lloyd", "full-layer", 362_880)],
)
def test_all_lemmas_leave_a_plan_of_every_board(
    specification, encoding, boards, part, share, monkeypatch
):
    puzzle, table = cases.make(specification, 3, 3), cases.distance_table(specification, 3, 3)
    with_tables_of_the_goal(puzzle, monkeypatch)
    assert len(table) == boards
    check_every(puzzle, table, encoding, part, share)


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


def test_clauses_that_forbid_too_much_are_noticed(eight_table, monkeypatch):
    puzzle = cases.make("sliding", 3, 3)
    assert leaves_the_first_plan(puzzle, FARTHEST, eight_table, ENCODINGS["half-layer"])
    true = WitnessBuilder.clauses_from

    def add_more(builder, literals):
        true(builder, literals)
        # No walk that is forbidden is so without its last step in every place.
        true(builder, literals[:, :-1])

    monkeypatch.setattr(WitnessBuilder, "clauses_from", add_more)
    assert not leaves_the_first_plan(puzzle, FARTHEST, eight_table, ENCODINGS["half-layer"])
