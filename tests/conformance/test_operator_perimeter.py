"""Perimeters along operators: the first shortest plan is left, and nothing shorter."""

from pathlib import Path
from random import Random

import pytest
from pysat.solvers import Solver
from support.fixtures import cases
from support.fixtures.agreement import agrees
from support.reference.first_plan import first_shortest
from support.reference.oracle import Rules

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas import operator_search, tables
from plansolve.encoders.registry import ENCODINGS
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle

PERMUTATION = ENCODINGS["permutation"]
ORDERED = frozenset({"perimeter", "no-undo", "move-order"})


def keeps_first_plan(puzzle, start, table, lemmas):
    """The formula of the board's depth; how many clauses it has."""
    problem = Problem(puzzle, start)
    _, operators = first_shortest(problem, table)
    builder = CnfBuilder()
    decode = PERMUTATION.prepare(problem, lemmas).encode(builder, table[start])
    number = {id(operator): i for i, operator in enumerate(puzzle.operators)}
    taken = [row[number[id(o)]] for row, o in zip(decode.chosen, operators, strict=True)]
    with Solver(name="glucose42", bootstrap_with=builder.clauses or [[builder.new()]]) as sat:
        assert sat.solve(assumptions=taken), start
    return len(builder.clauses)


@pytest.mark.parametrize("share", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_the_first_plan_of_2x3_boards_is_left(share):
    puzzle = cases.make("loopover", 2, 3)
    table = cases.distance_table("loopover", 2, 3)
    for start in sorted(table, key=lambda board: (table[board], board))[::share]:
        for lemmas in (ORDERED, PERMUTATION.lemmas):
            keeps_first_plan(puzzle, start, table, lemmas)


@pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_the_first_plan_is_left_where_moves_are_odd_and_even(count):
    # A row of three turns evenly, the ring of eight oddly.
    puzzle = cases.make("torus-ring:rings=outer", 3, 3)
    table = cases.distance_table("torus-ring:rings=outer", 3, 3, depth=4)
    boards = [board for board in sorted(table) if table[board] >= 3]
    for start in Random(4).sample(boards, count):
        keeps_first_plan(puzzle, start, table, ORDERED)


def test_nothing_is_left_below_a_boards_depth():
    puzzle = cases.make("loopover", 2, 3)
    table = cases.distance_table("loopover", 2, 3)
    for start in Random(5).sample(sorted(table), 12):
        agrees(puzzle, start, table[start], ("permutation", tuple(sorted(ORDERED))))


def test_moves_that_cannot_be_taken_back_are_searched_from_the_start_alone():
    turns = (((1, 0), (2, 1), (3, 2), (4, 3), (0, 4)), ((0, 1), (1, 2), (2, 0)))
    operators = tuple(Operator(name, moves) for name, moves in zip("TS", turns, strict=True))
    puzzle = Puzzle("wheel", 1, 5, (1, 2, 3, 4, 5), operators, tuple(map(str, range(6))))
    table = {puzzle.goal: 0}
    rules, layer = Rules.of(puzzle), [puzzle.goal]
    for depth in range(1, 6):
        layer = [b for board in layer for b in rules.predecessors(board) if b not in table]
        table |= dict.fromkeys(layer, depth)
    assert len(table) > 25
    for start in table:
        keeps_first_plan(puzzle, start, table, ORDERED)


def test_a_search_without_room_leaves_the_first_plan(monkeypatch):
    puzzle = cases.make("loopover", 2, 3)
    table = cases.distance_table("loopover", 2, 3)
    farthest = max(table, key=lambda board: (table[board], board))
    written = {}
    for most, told in ((720, 4_000), (720, 100), (50, 4_000)):
        monkeypatch.setattr(operator_search, "MOST_BOARDS", most)
        monkeypatch.setattr(operator_search, "_MOST_TOLD", told)
        written[most, told] = keeps_first_plan(puzzle, farthest, table, {"perimeter"})
    assert max(written[720, 100], written[50, 4_000]) < written[720, 4_000]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5-1", "6-1", "7-2", "8-2", "9-1", "10-1"])
def test_2023_boards_have_their_depth(name, monkeypatch):
    monkeypatch.setattr(tables, "FIRST_FREE_HORIZON", 0)
    folder = Path(__file__).parents[2] / "instances" / "torus-ring-walks"
    (one,) = (i for i in load_instance_set(folder).instances if i.name == name)
    solver = cases.solver(one.problem.puzzle, one.problem.start, "permutation", None)
    assert solver.attempt(one.optimal_length - 1).record.by_search
    plan = solver.attempt(one.optimal_length).plan
    assert Rules.of(one.problem.puzzle).replay(one.problem.start, plan)[-1] == one.problem.goal
