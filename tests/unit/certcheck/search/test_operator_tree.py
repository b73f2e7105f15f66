"""The sceptic's search and tables for operators of any kind, against searches of all boards."""

import json
from dataclasses import replace
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import exchanges, puzzles
from support.reference.placements import goal_distances

from plansolve.certcheck.options import CheckFailed
from plansolve.certcheck.search import moves as moves_module
from plansolve.certcheck.search.check import built_tables, tree_of
from plansolve.certcheck.search.moves import OperatorMoves, moves_of
from plansolve.certcheck.search.proof import PatternLookup, SearchProof, read_search_proof
from plansolve.certcheck.search.units import frontier, search_unit
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle


def named(puzzle):
    """A goal cell of each kind but the blank that has one."""
    kinds = [kind for kind in puzzle.kinds if kind and kind in puzzle.goal]
    return {kind: puzzle.goal.index(kind) for kind in kinds}


def proof_for(puzzle, bound, tables, **changes):
    given = {
        "bound": bound,
        "tables": tables,
        "symmetries": (tuple(range(puzzle.cells)),),
        "sets": tuple((PatternLookup(number, 0, False),) for number in range(len(tables))),
        "words": 3,
        "depth": 0,
    }
    return SearchProof(**given | changes)


def tree_for(problem, bound, tables, **changes):
    tree = tree_of(problem, proof_for(problem.puzzle, bound, tables, **changes))
    tree.use(built_tables(tree, 1))
    return tree


def others(seeds, gaps=1):
    """Puzzles of the third kind whose goal places a tile."""
    return [
        puzzle
        for puzzle in puzzles(seeds, gaps)
        if isinstance(moves_of(Problem(puzzle, puzzle.goal_board)), OperatorMoves) and named(puzzle)
    ]


def met(tree, depth):
    """Whether a plan is met on the way to the units, or below one of them."""
    try:
        for path in frontier(tree, depth):
            if search_unit(tree, path).plans:
                return True
    except CheckFailed:
        return True
    return False


def met_from_its_length_on(puzzles, **changes):
    seen = 0
    for puzzle in puzzles:
        distances = goal_distances(puzzle)
        random = Random(seen)
        for board in random.sample(sorted(distances), min(4, len(distances))):
            length = distances[board]
            tables = [(cell,) for cell in named(puzzle).values()]
            for bound in range(max(0, length - 1), length + 2):
                words, depth = random.randint(2, 4), random.randint(0, 2)
                given = {key: change(tables) for key, change in changes.items()}
                tree = tree_for(Problem(puzzle, board), bound, tables, words=words, **given)
                assert met(tree, depth) == (bound >= length)
                seen += 1
    return seen


def in_one_sum(tables):
    return (tuple(PatternLookup(number, 0, False) for number in range(len(tables))),)


def of_exchanges(seeds):
    """Puzzles of the third kind whose goal places two kinds of tiles, with one gap to three."""
    return [
        puzzle
        for gaps in (1, 2, 3)
        for puzzle in exchanges(seeds, gaps)
        if isinstance(moves_of(Problem(puzzle, puzzle.goal_board)), OperatorMoves)
        and len(named(puzzle)) > 1
    ]


MANY = pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])


@MANY
def test_a_plan_is_met_exactly_from_its_length_on(many):
    assert met_from_its_length_on(others(range(100, 400) if many else range(7))) > 30
    rules = others(range(200), gaps=2) + others(range(200), gaps=3)
    assert met_from_its_length_on(rules if many else rules[::50]) > 25


@MANY
def test_with_sums_a_plan_is_met_exactly_from_its_length_on(many):
    seeds = range(100, 300) if many else range(8)
    assert met_from_its_length_on(of_exchanges(seeds), sets=in_one_sum) > 60


def test_where_gaps_have_many_placements_tables_do_without_them(monkeypatch):
    monkeypatch.setattr(moves_module, "_MOST_WITH_GAPS", 1)
    rules = [*others(range(8), gaps=2), *others(range(4), gaps=3)]
    assert not any(moves_of(Problem(one, one.goal_board)).with_gaps for one in rules)
    assert met_from_its_length_on(rules) > 60
    assert met_from_its_length_on(of_exchanges(range(6)), sets=in_one_sum) > 40


def test_operators_with_one_effect_in_one_place_are_one_move():
    there, back = ((0, 1), (1, 2), (2, 0)), ((1, 0), (2, 1), (0, 2))
    operators = (
        Operator("a", there),
        Operator("b", there, 0),
        Operator("c", there, 0),
        Operator("d", back, 1),
        Operator("none", (), 2),
    )
    puzzle = Puzzle("own", 1, 4, (0, 1, 1, 2), operators, tuple("012"))
    moves = moves_of(Problem(puzzle, (1, 0, 1, 2)))
    assert moves.names((1, 0, 1, 2)) == ("a", "b", "d")
    assert [*map(list, map(moves.after, [(0,), (1,), (2,)]))] == [[0, 1], [0, 2], [0]]
    # The first move takes what is in cell 0 to cell 2.
    assert moves.tail((0, 0, 1)) == (2, 1) and [*moves.after((0, 0))] == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"symmetries": ((1, 0, 2, 3),)}, "only the identity"),
        ({"sets": ((PatternLookup(0, 0, True),),)}, "no inverse"),
        ({"sets": ((PatternLookup(0, 0, False), PatternLookup(1, 0, False)),)}, "do not add up"),
        ({"tables": ((0, 1), (2,))}, "different kinds"),
        ({"tables": ((0,), (3,))}, "different kinds"),
    ],
)
def test_what_bounds_nothing_is_refused(change, message):
    swap = Operator("swap", ((0, 3), (3, 0)), 3)
    turn = Operator("turn", ((0, 1), (1, 2), (2, 0)))
    puzzle = Puzzle("own", 1, 4, (1, 1, 2, OPEN), (swap, turn), tuple("012"), pieces=(0, 1, 1, 2))
    problem = Problem(puzzle, (2, 1, 1, 0))
    given = {"tables": ((0,), (2,))} | change
    with pytest.raises(ProofError, match=message):
        tree_for(problem, 3, **given)


@pytest.mark.parametrize("tables", [((0,), (0, 1)), ((0,), (3,)), ((0, 5), (1,))])
def test_patterns_that_share_a_kind_or_hold_the_gaps_are_not_added(tables):
    puzzle = cases.make("sliding-gaps", 2, 3)
    puzzle = replace(puzzle, goal=(1, 2, 3, 1, 0, 0), pieces=())
    with pytest.raises(ProofError, match="do not add up"):
        tree_for(Problem(puzzle, puzzle.goal), 3, tables, sets=in_one_sum(tables))


def test_a_goal_that_allows_too_many_placements_is_refused():
    rules = cases.make("sliding", 8, 8)
    pieces = (0, 1, *[2] * 10, *[3] * 52)
    goal = (1, 2, *[OPEN] * 61, 0)
    puzzle = Puzzle("many", 8, 8, goal, rules.operators, tuple("0123"), pieces=pieces)
    problem = Problem(puzzle, pieces)
    with pytest.raises(ProofError, match="entries are more than are built"):
        tree_for(problem, 3, ((1,),))


def test_a_proof_is_what_its_document_says():
    puzzle = others(range(4))[0]
    proof = proof_for(puzzle, 3, tuple((cell,) for cell in named(puzzle).values()))
    assert read_search_proof(json.dumps(proof.document()).encode(), puzzle.cells) == proof
