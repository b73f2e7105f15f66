"""All shortest plans where pieces are alike or goals leave cells open: three ways to count them."""

from random import Random

import pytest
from support.fixtures.cases import make, scrambles
from support.reference.placements import goal_distances, random_puzzle, shortest_sequences

from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.solvers.engine.follow_up import _has_doubles
from plansolve.solvers.engine.solve import solve


def boards(seeds):
    """Problems with a plan, and the distances of all boards of their rules."""
    for seed in seeds:
        random = Random(seed)
        puzzle = random_puzzle(random, 4 + seed % 3, are_alike=seed % 4 > 1, is_open=seed % 2 == 1)
        distances = goal_distances(puzzle)
        board = max(distances, key=lambda b: (distances[b], b))
        yield Problem(puzzle, board), distances


def lists_agree(problem, distances, workers):
    wanted = shortest_sequences(problem, distances)
    cells = problem.puzzle.cells
    for engine in ("auto", "cnf"):
        result = solve(problem, plans="all", engine=engine, time_limit=60, workers=workers)
        found = [
            tuple(o.destinations(cells) for o in operators_of(problem, p)) for p in result.plans
        ]
        assert result.is_every_plan and result.length == distances[problem.start]
        assert len(found) == len(wanted) and {*found} == wanted
    count = solve(problem, plans="count", time_limit=60, workers=workers)
    assert (count.is_every_plan, count.plan_count) == (True, len(wanted))
    return len(wanted)


def test_lists_and_counts_are_those_of_a_search_of_all_boards(kept_workers):
    assert max(lists_agree(*one, kept_workers) for one in boards(range(8))) > 2


@pytest.mark.slow
def test_many_more_lists_and_counts(kept_workers):
    counts = [lists_agree(*one, kept_workers) for one in boards(range(200, 500))]
    assert sum(count > 1 for count in counts) > 100


def test_a_move_that_exchanges_equal_pieces_is_in_no_shortest_plan(kept_workers):
    swap, turn = Operator("swap", ((0, 1), (1, 0))), Operator("turn", ((0, 2), (1, 0), (2, 1)))
    puzzle = Puzzle("alike", 1, 3, (1, 1, 2), (swap, turn), tuple("0123"))
    result = solve(Problem(puzzle, (2, 1, 1)), plans="all", workers=kept_workers)
    # A turn takes the 2 from the first cell to the second, and another one to the third.
    assert set(result.plans) == {("turn", "turn"), ("swap", "turn")}
    other = solve(Problem(puzzle, (1, 2, 1)), plans="all", workers=kept_workers)
    assert [*other.plans] == [("turn",)]


def test_moves_that_lead_to_the_same_board_are_two_plans_unless_they_do_the_same(kept_workers):
    there = ((0, 1), (1, 2), (2, 0))
    moves = (
        Operator("there", there, penalty=5),
        Operator("again", there, penalty=1),
        Operator("swap", ((0, 2), (2, 0))),
    )
    puzzle = Puzzle("two-ways", 1, 4, (1, 1, 2, 3), moves, tuple("0123"))
    for engine in ("auto", "cnf"):
        result = solve(
            Problem(puzzle, (2, 1, 1, 3)), plans="all", engine=engine, workers=kept_workers
        )
        assert set(result.plans) == {("again",), ("swap",)}
        assert (result.penalty, result.is_least_penalty) == (0, True)


def test_a_goal_that_places_the_blank_alone_has_lists_too(kept_workers):
    rules = make("sliding", 3, 3)
    goal = (*[OPEN] * 8, 0)
    puzzle = Puzzle("corner", 3, 3, goal, rules.operators, rules.labels, pieces=tuple(range(9)))
    problem = Problem(puzzle, tuple(range(9)))
    # Two moves up and two to the left, in any order.
    for plans, engine in (("count", "auto"), ("all", "auto"), ("all", "cnf")):
        result = solve(problem, plans=plans, engine=engine, workers=kept_workers)
        assert (result.is_every_plan, result.plan_count, result.length) == (True, 6, 4)


def test_lists_and_counts_of_boards_with_several_gaps(kept_workers):
    puzzle = make("sliding-gaps", 2, 3)
    distances = goal_distances(puzzle)
    start = next(board for board in sorted(distances) if distances[board] == 9)
    assert lists_agree(Problem(puzzle, start), distances, kept_workers) > 3


def test_moves_that_several_gaps_may_allow_at_once_are_not_told_apart_by_a_search():
    def has_doubles(*operators):
        return _has_doubles(Puzzle("own", 1, 4, (0, 1, 2, 3), operators, tuple("0123")))

    exchange, turn = ((0, 1), (1, 0)), ((0, 1), (1, 2), (2, 0))
    # Where both cells are gaps an exchange of the two changes nothing.
    assert not has_doubles(Operator("a", exchange, 0), Operator("b", exchange, 1))
    assert not has_doubles(Operator("a", turn, 0), Operator("b", exchange, 0))
    assert has_doubles(Operator("a", turn, 0), Operator("b", turn, 1))
    assert has_doubles(Operator("a", exchange, 0), Operator("b", exchange))


@pytest.mark.slow
def test_letters_that_repeat_on_a_4x4_board_have_as_many_plans_by_clauses(kept_workers):
    rules, text = make("sliding", 4, 4), "RATEYOURMINDPAL"
    labels = (".", *sorted(set(text)))
    goal = (*(labels.index(letter) for letter in text), 0)
    puzzle = Puzzle("letters", 4, 4, goal, rules.operators, labels, rules.blank_names)
    (board,) = scrambles(puzzle, 1, 14, 3)
    counts = {
        solve(Problem(puzzle, board), plans="all", engine=engine, workers=kept_workers).plan_count
        for engine in ("auto", "cnf")
    }
    assert len(counts) == 1
