"""Pieces that are alike, several gaps, goals with open cells: every engine against a full search.

The rules are random: operators that need the blank somewhere, and others that need none. Shortest
plans are counted in three ways.
"""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures.cases import make, scrambles
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle, shortest_sequences

from plansolve.encoders.registry import ENCODINGS
from plansolve.errors import OptionError
from plansolve.formats import read_problem
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.solvers.engine.follow_up import _has_doubles
from plansolve.solvers.engine.registry import ENGINES, fits
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

PROVERS = [engine.name for engine in ENGINES.values() if engine.proves]


def rules(seed, gaps=1):
    are_alike, is_open = divmod(seed % 4, 2)
    return random_puzzle(
        Random(seed), 4 + seed % 3, are_alike=bool(are_alike), is_open=bool(is_open), gaps=gaps
    )


def boards(seeds):
    """Problems with their distances, None where there is no plan."""
    for seed in seeds:
        puzzle, random = rules(seed, 1 + seed // 4 % 3), Random(seed)
        distances = goal_distances(puzzle)
        for _ in range(3):
            board = tuple(random.sample(puzzle.pieces, puzzle.cells))
            yield Problem(puzzle, board), distances.get(board)


# The search engines alone are held to this by tests/unit/search/test_search_contract.py.
@pytest.mark.parametrize("engine", ["auto", "cnf", "cp-sat"])
@pytest.mark.parametrize("seeds", [range(9), pytest.param(range(100, 300), marks=pytest.mark.slow)])
def test_engines_agree_with_a_search_of_all_boards(engine, seeds, kept_workers):
    for problem, distance in boards(seeds):
        if distance is None and engine != "auto":
            continue  # A formula never ends.
        result = solve(problem, engine=engine, time_limit=60, workers=kept_workers, optimal=True)
        if distance is None:
            assert (result.status, result.plan) == (Status.UNSOLVABLE, None)
            continue
        assert (result.status, result.length) == (Status.OPTIMAL, distance)
        replayed = Rules.of(problem.puzzle).replay(problem.start, result.plan)
        assert problem.puzzle.is_goal(replayed[-1])


def lists_agree(problem, distances, workers):
    wanted = shortest_sequences(problem, distances)
    cells = problem.puzzle.cells
    for engine in ("auto", "cnf"):
        result = solve(
            problem, plans="all", engine=engine, time_limit=60, workers=workers, optimal=True
        )
        found = [
            tuple(o.destinations(cells) for o in operators_of(problem, p)) for p in result.plans
        ]
        assert result.is_every_plan and result.length == distances[problem.start]
        assert len(found) == len(wanted) and {*found} == wanted
    count = solve(problem, plans="count", time_limit=60, workers=workers, optimal=True)
    assert (count.is_every_plan, count.plan_count) == (True, len(wanted))
    return len(wanted)


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(200, 500), marks=pytest.mark.slow)])
def test_lists_and_counts_are_those_of_a_search_of_all_boards(seeds, kept_workers):
    counts = []
    for seed in seeds:
        distances = goal_distances(rules(seed))
        board = max(distances, key=lambda b: (distances[b], b))
        counts.append(lists_agree(Problem(rules(seed), board), distances, kept_workers))
    assert sum(count > 1 for count in counts) > len(counts) // 6


def letters():
    """RATE YOUR MIND PAL: two R, two A; all boards can be solved."""
    text = "RATEYOURMINDPAL"
    labels = (".", *sorted(set(text)))
    goal = (*(labels.index(letter) for letter in text), 0)
    whole = make("sliding", 4, 4)
    return Puzzle("letters", 4, 4, goal, whole.operators, labels, whole.blank_names)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_letters_that_repeat(seed, kept_workers):
    puzzle = letters()
    (board,) = scrambles(puzzle, 1, 40, seed)
    result = solve(Problem(puzzle, board), time_limit=100, workers=kept_workers, optimal=True)
    assert result.status == Status.OPTIMAL and result.length <= 40
    # With letters that repeat a plan is no longer than with numbers.
    whole = make("sliding", 4, 4)
    where = {letter: [c for c, k in enumerate(puzzle.goal) if k == letter] for letter in board}
    numbered = tuple(whole.goal[where[letter].pop(0)] for letter in board)
    numbers = solve(Problem(whole, numbered), time_limit=100, workers=kept_workers, optimal=True)
    assert numbers.length is None or result.length <= numbers.length


@pytest.mark.parametrize("puzzle", [letters(), make("sliding-gaps", 4, 4)])
def test_what_tells_pieces_apart_is_refused(puzzle):
    problem = Problem(puzzle, puzzle.goal)
    structure = problem.structure
    assert structure.blank_graph is None and not structure.is_free
    assert {e.name for e in ENCODINGS.values() if e.fits(structure)} == {"permutation"}
    assert {name for name in PROVERS if fits(ENGINES[name], structure)} == set(PROVERS)
    with pytest.raises(OptionError, match="lemma pair-mutex needs distinct pieces"):
        solve(problem, engine="cnf", lemmas=("distance", "pair-mutex"), optimal=True)


def test_only_the_first_row_of_a_15_puzzle(kept_workers):
    problem = read_problem("5 1 2 3\n4 6 7 8\n9 10 11 12\n13 14 15 .\n")
    wanted = read_problem(problem, goal=[[1, 2, 3, 4], *([["*"] * 4] * 3)])
    assert wanted.puzzle.goal[4:] == (-1,) * 12
    result = solve(wanted, time_limit=100, workers=kept_workers, optimal=True)
    assert result.status == Status.OPTIMAL


# All shortest plans


def test_a_move_that_exchanges_equal_pieces_is_in_no_shortest_plan(kept_workers):
    swap, turn = Operator("swap", ((0, 1), (1, 0))), Operator("turn", ((0, 2), (1, 0), (2, 1)))
    puzzle = Puzzle("alike", 1, 3, (1, 1, 2), (swap, turn), tuple("0123"))
    result = solve(Problem(puzzle, (2, 1, 1)), plans="all", workers=kept_workers, optimal=True)
    # A turn takes the 2 from the first cell to the second, and another one to the third.
    assert set(result.plans) == {("turn", "turn"), ("swap", "turn")}
    other = solve(Problem(puzzle, (1, 2, 1)), plans="all", workers=kept_workers, optimal=True)
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
            Problem(puzzle, (2, 1, 1, 3)),
            plans="all",
            engine=engine,
            workers=kept_workers,
            optimal=True,
        )
        assert set(result.plans) == {("again",), ("swap",)}
        assert (result.penalty, result.is_least_penalty) == (0, True)


def test_a_goal_that_places_the_blank_alone_has_lists_too(kept_workers):
    goal = (*[OPEN] * 8, 0)
    puzzle = replace(make("sliding", 3, 3), goal=goal, pieces=tuple(range(9)))
    problem = Problem(puzzle, tuple(range(9)))
    # Two moves up and two to the left, in any order.
    for plans, engine in (("count", "auto"), ("all", "auto"), ("all", "cnf")):
        result = solve(problem, plans=plans, engine=engine, workers=kept_workers, optimal=True)
        assert (result.is_every_plan, result.plan_count, result.length) == (True, 6, 4)


@pytest.mark.parametrize(
    ("puzzle", "distance", "least"),
    [
        (make("sliding-gaps", 2, 3), 9, 4),
        (make("sliding", 2, 3), 20, 2),
        (make("lloyd", 1, 5), 5, 1),
        (make("loopover", 2, 3), 5, 2),
    ],
)
def test_lists_and_counts_of_boards_of_families(puzzle, distance, least, kept_workers):
    distances = goal_distances(puzzle)
    starts = [board for board in sorted(distances) if distances[board] == distance]
    counts = [lists_agree(Problem(puzzle, x), distances, kept_workers) for x in starts[:2]]
    assert max(counts) >= least


def test_moves_that_several_gaps_may_allow_at_once_are_not_told_apart_by_a_search():
    def has_doubles(*operators):
        return _has_doubles(Puzzle("own", 1, 4, (0, 1, 2, 3), operators, tuple("0123")))

    exchange, turn = ((0, 1), (1, 0)), ((0, 1), (1, 2), (2, 0))
    # Where both cells are gaps an exchange of the two changes nothing.
    assert not has_doubles(Operator("a", exchange, 0), Operator("b", exchange, 1))
    assert not has_doubles(Operator("a", turn, 0), Operator("b", exchange, 0))
    assert has_doubles(Operator("a", turn, 0), Operator("b", turn, 1))
    assert has_doubles(Operator("a", exchange, 0), Operator("b", exchange))
