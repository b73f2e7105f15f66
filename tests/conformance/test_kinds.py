"""Pieces that are alike, several gaps, goals with open cells: every engine against a full search.

The rules are random: operators that need the blank somewhere, and others that need none.
"""

from random import Random

import pytest
from support.fixtures.cases import make, scrambles
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve.checker import check_plan
from plansolve.encoders.registry import ENCODINGS
from plansolve.errors import OptionError
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.solvers.engine.registry import ENGINES, fits
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

PROVERS = [engine.name for engine in ENGINES.values() if engine.proves]


def boards(seeds):
    """Problems with their distances, None where there is no plan."""
    for seed in seeds:
        random = Random(seed)
        are_alike, is_open = divmod(seed % 4, 2)
        puzzle = random_puzzle(
            random,
            4 + seed % 3,
            are_alike=bool(are_alike),
            is_open=is_open == 1,
            gaps=1 + seed // 4 % 3,
        )
        distances = goal_distances(puzzle)
        for _ in range(3):
            board = tuple(random.sample(puzzle.pieces, puzzle.cells))
            yield Problem(puzzle, board), distances.get(board)


def agrees(problem, distance, engine, workers):
    result = solve(problem, engine=engine, time_limit=60, workers=workers)
    if distance is None:
        # A formula never ends; the searches see all boards that can be reached.
        assert result.plan is None
        assert result.status == Status.UNSOLVABLE or engine in ("cnf", "cp-sat")
        return
    assert (result.status, result.length) == (Status.OPTIMAL, distance)
    assert check_plan(problem, result.plan).solves
    assert problem.puzzle.is_goal(Rules.of(problem.puzzle).replay(problem.start, result.plan)[-1])


@pytest.mark.parametrize("engine", ["auto", "breadth-first", "astar", "idastar"])
def test_searches_agree_with_a_search_of_all_boards(engine, kept_workers):
    for problem, distance in boards(range(12)):
        agrees(problem, distance, engine, kept_workers)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "breadth-first", "astar", "idastar"])
def test_searches_agree_on_many_more(engine, kept_workers):
    for problem, distance in boards(range(100, 400)):
        agrees(problem, distance, engine, kept_workers)


@pytest.mark.parametrize("engine", ["cnf", "cp-sat"])
def test_formulas_agree_with_a_search_of_all_boards(engine, kept_workers):
    for problem, distance in boards(range(20)):
        if distance is not None:
            agrees(problem, distance, engine, kept_workers)


@pytest.mark.slow
def test_formulas_agree_on_many_more(kept_workers):
    for problem, distance in boards(range(1000, 1150)):
        if distance is not None:
            agrees(problem, distance, "cnf", kept_workers)


def letters():
    """RATE YOUR MIND PAL: two R, two A; all boards can be solved."""
    text = "RATEYOURMINDPAL"
    labels = (".", *sorted(set(text)))
    goal = (*(labels.index(letter) for letter in text), 0)
    rules = make("sliding", 4, 4)
    return Puzzle("letters", 4, 4, goal, rules.operators, labels, rules.blank_names)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_letters_that_repeat(seed, kept_workers):
    puzzle = letters()
    (board,) = scrambles(puzzle, 1, 40, seed)
    result = solve(Problem(puzzle, board), time_limit=100, workers=kept_workers)
    assert result.status == Status.OPTIMAL and result.length <= 40
    # With letters that repeat a plan is no longer than with numbers.
    rules = make("sliding", 4, 4)
    where = {letter: [c for c, k in enumerate(puzzle.goal) if k == letter] for letter in board}
    numbered = tuple(rules.goal[where[letter].pop(0)] for letter in board)
    numbers = solve(Problem(rules, numbered), time_limit=100, workers=kept_workers)
    assert numbers.length is None or result.length <= numbers.length


@pytest.mark.parametrize("puzzle", [letters(), make("sliding-gaps", 4, 4)])
def test_what_tells_pieces_apart_is_refused(puzzle):
    problem = Problem(puzzle, puzzle.goal)
    structure = problem.structure
    assert structure.blank_graph is None and not structure.is_free
    assert {e.name for e in ENCODINGS.values() if e.fits(structure)} == {"permutation"}
    assert {name for name in PROVERS if fits(ENGINES[name], structure)} == set(PROVERS)
    with pytest.raises(OptionError, match="lemma pair-mutex needs pieces that are all different"):
        solve(problem, engine="cnf", lemmas=("distance", "pair-mutex"))


@pytest.mark.parametrize("seed", range(24))
def test_documents_hold_what_is_alike_and_open(seed):
    for problem, _ in boards([seed]):
        again = read_problem(write_problem(problem, "json"), format="json")
        assert (again.start, again.goal) == (problem.start, problem.goal)
        assert again.puzzle == problem.puzzle


def test_only_the_first_row_of_a_15_puzzle(kept_workers):
    problem = read_problem("5 1 2 3\n4 6 7 8\n9 10 11 12\n13 14 15 .\n")
    wanted = read_problem(problem, goal=[[1, 2, 3, 4], *([["*"] * 4] * 3)])
    assert wanted.puzzle.goal[4:] == (-1,) * 12
    result = solve(wanted, time_limit=100, workers=kept_workers)
    assert result.status == Status.OPTIMAL
