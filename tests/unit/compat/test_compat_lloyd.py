"""The search of the contest's entry on squares of side 3, against the table of all distances."""

import pytest
from support.reference.oracle import Rules, least_penalties

from plansolve.compat import lloyd as program
from plansolve.compat.lloyd import Stop, best_plan
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import lloyd
from plansolve.solvers.result import Result, Status, StopReason

RULES = Rules.of(lloyd(3, 3))
SQUARES = [(4, 3, 8, 1, 0, 2, 7, 6, 5), (2, 1, 3, 4, 5, 6, 7, 8, 0), (5, 2, 7, 0, 1, 8, 3, 6, 4)]


@pytest.mark.parametrize("square", SQUARES)
def test_the_fewest_moves_and_then_the_fewest_transports(square, lloyd_table):
    puzzle = lloyd(3, 3)
    plan = best_plan(Problem(puzzle, square), 60.0, Stop())
    assert RULES.replay(square, plan)[-1] == (*range(1, 9), 0)
    assert len(plan) == lloyd_table[square]
    assert plan.count("t") == least_penalties(puzzle, square, lloyd_table)


def test_a_wish_to_stop_before_the_search_still_gets_a_plan():
    stop = Stop()
    stop.is_wanted = True
    plan = best_plan(Problem(lloyd(3, 3), SQUARES[0]), 60.0, stop)
    assert RULES.replay(SQUARES[0], plan)[-1] == (*range(1, 9), 0)


def test_so_does_a_search_without_time():
    square = (23, 24, 22, *range(1, 22), 0)
    plan = best_plan(Problem(lloyd(), square), 1e-6, Stop())
    assert Rules.of(lloyd()).replay(square, plan)[-1] == (*range(1, 25), 0)


def test_the_best_plan_of_an_interrupted_search_is_kept(monkeypatch):
    problem = Problem(lloyd(3, 3), (1, 2, 3, 4, 5, 0, 7, 8, 6))
    detour = ("d", "u", "u")
    interrupted = Result(
        Status.FEASIBLE, detour, 1, 3, StopReason.INTERRUPTED, "auto", "interrupted"
    )
    asked = []
    monkeypatch.setattr(program, "solve", lambda *_, **how: asked.append(how) or interrupted)
    assert best_plan(problem, 60.0, Stop()) == detour
    assert len(asked) == 1


def test_of_two_shortest_plans_the_one_with_fewer_transports_is_taken(monkeypatch):
    problem = Problem(lloyd(3, 3), (1, 2, 3, 4, 5, 0, 7, 8, 6))
    # Beside the centre a transport and a slide have the same effect.
    found = {False: ("t", "l"), True: ("r", "l")}

    def solve(_, *, optimal, **how):
        return Result(Status.OPTIMAL, found[optimal], 2, 2, StopReason.SOLVED, "auto")

    monkeypatch.setattr(program, "solve", solve)
    assert best_plan(problem, 60.0, Stop()) == ("r", "l")
    found[True], found[False] = found[False], found[True]
    assert best_plan(problem, 60.0, Stop()) == ("r", "l")
