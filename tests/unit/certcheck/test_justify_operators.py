"""Of the first shortest plan the check's own search along operators denies no part."""

from random import Random

import pytest
from support.fixtures import cases
from support.reference.meanings import first_shortest

from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.justify.duplicates import DuplicateSequences
from plansolve.certcheck.justify.formula import Justifier, Listed, Unjustified
from plansolve.certcheck.justify.legend import read_legend
from plansolve.certcheck.justify.operator_perimeter import sequences_not_taken
from plansolve.certcheck.justify.rules import Rules
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import ENCODINGS
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle

LOOPOVER = ("loopover", 2, 3)
ODD_AND_EVEN = ("torus-ring:rings=outer", 3, 3)


def legend_lines(problem, horizon):
    builder = CnfBuilder()
    ENCODINGS["permutation"].prepare(problem, frozenset({"perimeter"})).encode(builder, horizon)
    return [line.encode() for line in builder.legend(())]


def not_taken(problem, sequences, horizon, lines, *, from_start):
    """What the search denies of plans of so many moves."""
    rules = Rules.of(problem)
    legend = read_legend(lines, 0, problem, horizon)
    duplicates = DuplicateSequences(rules, only_shorter=False)
    return sequences_not_taken(
        sequences,
        rules,
        duplicates,
        legend.perimeters,
        horizon,
        from_start=from_start,
        deadline=None,
    )


def look_at(puzzle, starts, table):
    """At the length of each board nothing of its first plan is denied, below it everything."""
    number = {id(operator): i for i, operator in enumerate(puzzle.operators)}
    for start in starts:
        problem = Problem(puzzle, start)
        _, operators = first_shortest(problem, table)
        plan = tuple(number[id(operator)] for operator in operators)
        lines = legend_lines(problem, len(plan))
        parts = [plan[:length] for length in range(len(plan) + 1)]
        assert not not_taken(problem, parts, len(plan), lines, from_start=True), start
        parts = [plan[length:] for length in range(len(plan) + 1)]
        assert not not_taken(problem, parts, len(plan), lines, from_start=False), start
        for horizon in range(1, len(plan)):
            # The encoder needs no search from the goal there.
            lines = [*legend_lines(problem, horizon), b"depth start %d" % horizon]
            for from_start in (True, False):
                found = not_taken(problem, [()], horizon, lines, from_start=from_start)
                assert found == {()}, (start, horizon)


@pytest.mark.parametrize("share", [80, pytest.param(1, marks=pytest.mark.slow)])
def test_the_first_plan_of_2x3_boards_is_left(share):
    table = cases.distance_table(*LOOPOVER)
    boards = sorted(table, key=lambda board: (table[board], board))
    look_at(cases.make(*LOOPOVER), boards[1::share], table)


@pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_the_first_plan_is_left_where_moves_are_odd_and_even(count):
    table = cases.distance_table(*ODD_AND_EVEN, depth=4)
    boards = [board for board in sorted(table) if table[board] >= 3]
    look_at(cases.make(*ODD_AND_EVEN), Random(8).sample(boards, count), table)


def wheel():
    """A puzzle with moves that no move takes back."""
    turns = (((1, 0), (2, 1), (3, 2), (4, 3), (0, 4)), ((0, 1), (1, 2), (2, 0)))
    operators = tuple(Operator(name, moves) for name, moves in zip("TS", turns, strict=True))
    return Puzzle("wheel", 1, 5, (1, 2, 3, 4, 5), operators, tuple(map(str, range(6))))


def test_there_is_no_search_from_the_goal_where_moves_cannot_be_taken_back():
    problem = Problem(wheel(), (2, 3, 4, 5, 1))
    lines = legend_lines(problem, 2)
    assert not_taken(problem, [()], 2, lines, from_start=True) == {()}
    assert not not_taken(problem, [()], 2, lines, from_start=False)


@pytest.mark.parametrize(
    ("puzzle", "lines", "message"),
    [
        (cases.make(*LOOPOVER), ["table 0 1", "symmetry 1 0 2 3 4 5"], "symmetry 0 does not keep"),
        (wheel(), ["table 0 1", "symmetry 0 1 2 3 4", "lookup 0 0 1"], "cannot be taken back"),
        (cases.make(*ODD_AND_EVEN), ["table 0 1 2 3 4 5 6 7"], "more than are built here"),
    ],
)
def test_lookups_that_are_no_bounds_are_named(puzzle, lines, message):
    problem = Problem(puzzle, puzzle.goal)
    with pytest.raises(ProofError, match=message):
        not_taken(problem, [()], 3, [line.encode() for line in lines], from_start=True)


def test_where_nothing_moves_no_sequence_is_denied():
    for operators in ((), (Operator("stay", ((0, 0),)),)):
        puzzle = Puzzle("stiff", 1, 3, (1, 2, 3), operators, tuple("0123"))
        problem = Problem(puzzle, (2, 1, 3))
        lines = [b"table 0 1", b"symmetry 0 1 2", b"lookup 0 0 0", b"1 never"]
        assert not not_taken(problem, [()], 4, lines[:3], from_start=True)
        legend = read_legend(lines, 1, problem, 4)
        counts = Justifier(problem).justify(4, Clauses.of(1, [[1]]), legend)
        # All boards are looked at there.
        assert counts == {"no way": 1}


def test_a_search_ends_where_all_boards_are_known():
    problem = Problem(wheel(), (2, 3, 4, 5, 1))
    lines = [*legend_lines(problem, 3), b"depth goal 999999"]
    assert not not_taken(problem, [()], 100_000, lines, from_start=True) - {()}


def test_the_tables_that_an_encoder_names_are_not_too_large():
    turns = [range(i, i + 7) for i in range(0, 5, 2)]
    moves = [tuple(zip(row, [*row[1:], row[0]], strict=True)) for row in turns]
    back = [tuple((s, c) for c, s in move) for move in moves]
    operators = tuple(Operator(f"{i}", move) for i, move in enumerate([*moves, *back]))
    puzzle = Puzzle("eleven", 1, 11, tuple(range(1, 12)), operators, tuple(map(str, range(12))))
    problem = Problem(puzzle, operators[0].apply(puzzle.goal))
    lines = legend_lines(problem, 8)
    assert sum(11 ** len(line.split()[1:]) for line in lines if line.startswith(b"table")) > 1 << 26
    not_taken(problem, [(0,)], 1, lines, from_start=True)


def test_sequences_are_not_denied_beside_a_list_of_plans():
    puzzle, table = cases.make(*LOOPOVER), cases.distance_table(*LOOPOVER)
    problem = Problem(puzzle, next(board for board in sorted(table) if table[board] == 4))
    never = [*legend_lines(problem, 3), b"1 never"]
    legend, formula = read_legend(never, 1, problem, 3), Clauses.of(1, [[1]])
    assert Justifier(problem).justify(3, formula, legend) == {"sequences": 1}
    listed = Listed(frozenset(), frozenset())
    with pytest.raises(Unjustified):
        Justifier(problem, listed=listed).justify(3, formula, legend)
