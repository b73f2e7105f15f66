"""Problems on their way to another process: equal, and of one puzzle where their rules are."""

import copy
import pickle

from support.fixtures import cases

from plansolve.model.problem import Problem


def test_problems_arrive_as_they_were_and_share_their_puzzle():
    puzzle = cases.make("sliding", 3, 3)
    starts = (puzzle.goal, (8, 6, 7, 2, 5, 4, 3, 0, 1))
    problems = [Problem(puzzle, start) for start in starts]
    assert problems[0].structure is problems[1].structure
    first, second = (pickle.loads(pickle.dumps(problem)) for problem in problems)
    assert [first, second] == problems
    assert first.puzzle is second.puzzle and first.structure is second.structure


def test_what_was_derived_stays_behind():
    problem = Problem(cases.make("sliding", 4, 4), tuple(range(16)))
    before = len(pickle.dumps(problem))
    assert problem.structure.blank_graph is not None and problem.home
    assert len(pickle.dumps(problem)) == before == len(pickle.dumps(copy.deepcopy(problem)))


def test_puzzles_that_differ_in_their_goal_arrive_apart():
    puzzle = cases.make("sliding", 2, 2)
    other = puzzle.with_goal((1, 2, 0, 3))
    arrived = [pickle.loads(pickle.dumps(Problem(p, puzzle.goal))) for p in (puzzle, other)]
    assert [p.goal for p in arrived] == [puzzle.goal, (1, 2, 0, 3)]
