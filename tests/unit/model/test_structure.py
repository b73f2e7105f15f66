"""The structure derived from the rules: blank graph, colours, parity, inverses, symmetries."""

from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules, parity

from plansolve.analysis.automorphisms import symmetries
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import (
    UNREACHABLE,
    Structure,
    breadth_first,
    permutation_parity,
    reverse,
)


def structure(*specification):
    return Structure(make(*specification))


# The blank graph


def test_on_a_grid_the_blank_graph_is_the_grid():
    graph = structure("sliding", 3, 4).blank_graph
    for cell, neighbours in enumerate(graph.successors):
        r, c = divmod(cell, 4)
        beside = {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)}
        assert set(neighbours) == {i * 4 + j for i, j in beside if 0 <= i < 3 and 0 <= j < 4}
        assert sorted(graph.predecessors[cell]) == sorted(neighbours)
    assert graph.is_symmetric


def test_a_walk_of_the_blank_is_a_plan():
    problem = Problem(make("sliding", 2, 2), (1, 2, 3, 0))
    # A move is named after the motion of its tile.
    assert problem.blank_graph.plan([3, 1, 0, 2]) == ("D", "R", "U")
    assert problem.blank_graph.plan([3]) == ()


def test_a_problem_without_a_blank_graph_says_so():
    torus = make("torus-ring", 5, 5)
    with pytest.raises(InternalError, match="torus-ring has no blank graph"):
        _ = Problem(torus, torus.goal).blank_graph


def test_lloyd_s_blank_graph_has_an_arc_from_every_cell_to_the_centre():
    graph = structure("lloyd", 5, 5).blank_graph
    assert all(12 in out for cell, out in enumerate(graph.successors) if cell != 12)
    assert sorted(graph.successors[12]) == [7, 11, 13, 17]
    assert graph.names[0][12] == "t"
    # Beside the centre slide and transport do the same, and the slide is preferred.
    assert [graph.names[cell][12] for cell in (7, 11, 13, 17)] == ["u", "l", "r", "d"]
    assert {b for b in range(25) if graph.penalties[b].get(12) == 0} == {7, 11, 13, 17}
    assert not graph.is_symmetric and graph.colouring is None
    assert structure("lloyd", 3, 3).blank_graph.colouring is None
    # On three cells in a row the transport is a slide.
    row = structure("lloyd", 1, 3).blank_graph
    assert row.is_symmetric and row.colouring in ((0, 1, 0), (1, 0, 1))


@pytest.mark.parametrize(
    ("puzzle", "why"),
    [
        (make("torus-ring", 5, 5), "no blank"),
        (cases.row_slides(), "a move shifts several tiles"),
        (
            Puzzle("p", 1, 3, (1, 2, 0), (Operator("a", ((0, 1), (1, 0))),), tuple("0123")),
            "a move asks for no blank",
        ),
        (
            Puzzle("p", 1, 3, (1, 2, 0), (Operator("a", ((0, 1), (1, 0)), 2),), tuple("0123")),
            "a move exchanges two tiles",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_there_is_no_blank_graph_where_a_move_is_no_exchange_with_the_blank(puzzle, why):
    assert Structure(puzzle).blank_graph is None, why


@pytest.mark.parametrize("shape", [(1, 2), (1, 5), (2, 2), (3, 3), (4, 5), (5, 4)])
def test_a_grid_has_the_colours_of_a_chessboard(shape):
    colouring = structure("sliding", *shape).blank_graph.colouring
    board = [(r + c) % 2 for r in range(shape[0]) for c in range(shape[1])]
    assert list(colouring) in (board, [1 - colour for colour in board])


def test_a_directed_ring_of_odd_length_has_no_two_colours():
    operators = tuple(Operator("n", ((b, (b + 1) % 5), ((b + 1) % 5, b)), b) for b in range(5))
    ring = Puzzle("ring", 1, 5, (1, 2, 3, 4, 0), operators, tuple("012345"))
    graph = Structure(ring).blank_graph
    assert graph.successors == ((1,), (2,), (3,), (4,), (0,))
    assert graph.predecessors == ((4,), (0,), (1,), (2,), (3,))
    assert graph.colouring is None
    assert not graph.is_symmetric


# Parity and inverses


@pytest.mark.parametrize(
    ("specification", "expected"),
    [
        (("sliding", 4, 4), 1),
        (("sliding", 1, 4), 1),
        (("lloyd", 5, 5), 1),
        (("loopover", 5, 5), 0),
        (("loopover", 3, 3), 0),
        (("loopover", 4, 4), 1),
        (("loopover", 4, 5), None),
        (("torus-ring", 5, 5), None),
        (("torus-ring", 4, 4), 1),
        (("torus-ring:rings=none", 1, 5), 0),
    ],
)
def test_the_parity_of_all_operators_is_that_of_their_cycles(specification, expected):
    puzzle = make(*specification)
    assert Structure(puzzle).operator_parity == expected
    parities = {
        parity(operator.apply(tuple(range(puzzle.cells))), tuple(range(puzzle.cells)))
        for operator in puzzle.operators
    }
    assert (parities.pop() if len(parities) == 1 else None) == expected


def test_the_parity_of_a_permutation_is_that_of_its_inversions():
    for source in permutations(range(5)):
        assert permutation_parity(source, (0, 1, 2, 3, 4)) == parity(source, (0, 1, 2, 3, 4))
        assert permutation_parity((2, 0, 1, 4, 3), source) == parity((2, 0, 1, 4, 3), source)


@pytest.mark.parametrize(
    "specification",
    [
        ("sliding", 2, 3),
        ("sliding", 1, 4),
        ("loopover", 3, 4),
        ("torus-ring", 4, 4),
        ("torus-ring:rings=outer", 2, 2),
        ("loopover", 2, 2),
    ],
)
def test_each_inverse_takes_its_operator_back(specification):
    puzzle = make(*specification)
    found = Structure(puzzle)
    assert found.is_inverse_closed
    for operator, index in zip(puzzle.operators, found.inverses, strict=True):
        back = puzzle.operators[index]
        state = list(range(1, puzzle.cells + 1))
        if operator.blank is not None:
            state[operator.blank] = 0
        after = operator.apply(tuple(state))
        assert back.applies_to(after)
        assert back.apply(after) == tuple(state)


@pytest.mark.parametrize(
    ("puzzle", "without"),
    [
        # Four of the 24 transports are the opposites of slides out of the centre, and the slides
        # into the centre and out of it are each other's.
        (make("lloyd", 5, 5), 20),
        (make("lloyd", 3, 3), 4),
        (make("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5), 9),
        # A column of two cells turns back by turning on.
        (make("torus-ring:rows=LL,columns=UUU,rings=none", 2, 3), 2),
    ],
    ids=["lloyd-5x5", "lloyd-3x3", "one-way", "one-way-of-two-rows"],
)
def test_moves_that_cannot_be_taken_back_have_no_inverse(puzzle, without):
    found = Structure(puzzle)
    assert found.inverses.count(None) == without
    assert not found.is_inverse_closed


@pytest.mark.parametrize(
    "specification",
    [
        ("sliding", 2, 3),
        ("sliding", 2, 2, (0, 1, 2, 3)),
        ("sliding", 2, 3, "snail"),
        ("lloyd", 1, 5),
        ("loopover", 2, 2),
        ("torus-ring:rows=RR,columns=UU,rings=none", 2, 2),
        ("loopover", 2, 3),
    ],
)
def test_plan_parity_is_that_of_every_walk_to_the_goal(specification):
    puzzle = make(*specification)
    found, rules = Structure(puzzle), Rules.of(puzzle)
    table = cases.distance_table(*specification)
    for start, depth in sorted(table.items())[::5]:
        fixed = found.plan_parity(start)
        lengths = {
            t % 2 for t, boards in enumerate(rules.exact(start, depth + 3)) if puzzle.goal in boards
        }
        assert lengths == ({0, 1} if fixed is None else {fixed}), (start, depth)


def test_plan_parity_is_fixed_by_the_blank_alone_where_operators_differ():
    # The blank exchanges and two tiles turn with it, or do not: odd and even permutations.
    operators = (Operator("a", ((0, 1), (1, 0)), 0), Operator("a", ((0, 1), (1, 0)), 1))
    puzzle = Puzzle("pair", 1, 2, (1, 0), operators, ("0", "1", "2"))
    assert Structure(puzzle).plan_parity((0, 1)) == 1
    assert Structure(puzzle).plan_parity((1, 0)) == 0


# Distances


def test_breadth_first_counts_arcs_and_knows_what_cannot_be_reached():
    assert breadth_first([[1], [2], [], [0]], 0) == [0, 1, 2, UNREACHABLE]
    assert [sorted(arcs) for arcs in reverse([[1], [2], [1], [0]])] == [[3], [0, 2], [1], []]


# Symmetries


def is_symmetry(puzzle, image):
    """By the meaning of operators: the mapped move does to the mapped board what it should."""
    after = {}
    for operator in puzzle.operators:
        effect = [operator.apply(tuple(range(puzzle.cells)))]
        after.setdefault(operator.blank, set()).update(effect)
    back = [image.index(cell) for cell in range(puzzle.cells)]
    for blank, effects in after.items():
        there = None if blank is None else image[blank]
        # In the mapped world cell image[c] holds what image[effect[c]] held.
        mapped = {tuple(image[effect[back[c]]] for c in range(puzzle.cells)) for effect in effects}
        if mapped != after.get(there, set()):
            return False
    return not puzzle.has_blank or image[puzzle.goal.index(0)] == puzzle.goal.index(0)


@pytest.mark.parametrize(
    ("specification", "count"),
    [
        (("sliding", 4, 4), 2),
        (("sliding", 3, 5), 1),
        (("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)), 8),
        (("sliding", 3, 3, (1, 0, 2, 3, 4, 5, 6, 7, 8)), 2),
        (("sliding", 3, 5, (1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10, 11, 12, 13, 14)), 4),
        (("sliding", 1, 4), 1),
        (("sliding", 1, 3, (1, 0, 2)), 2),
        (("sliding", 2, 2), 2),
        (("lloyd", 5, 5), 2),
        (("torus-ring", 5, 5), 8),
        (("loopover", 5, 5), 200),
        (("loopover", 3, 4), 2 * 3 * 2 * 4),
        (("torus-ring:rings=none", 1, 5), 10),
    ],
)
def test_the_number_of_symmetries_is_the_known_one(specification, count):
    puzzle = make(*specification)
    found = symmetries(puzzle)
    assert len(found) == count == len(set(found))
    assert found[0] == tuple(range(puzzle.cells))
    assert all(is_symmetry(puzzle, image) for image in found)
    # They are a group: the map after another is one of them.
    sample = Random(1).sample(found, min(6, count))
    assert all(tuple(b[c] for c in a) in found for a in sample for b in sample)


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 2, 3),
        make("sliding", 2, 3, (1, 0, 2, 3, 4, 5)),
        make("lloyd", 1, 5),
        make("loopover", 2, 3),
        make("torus-ring:rows=L-,columns=U*D,rings=none", 2, 3),
        cases.row_slides(),
        cases.one_way_ring(),
    ],
    ids=lambda puzzle: puzzle.name,
)
def test_all_symmetries_are_found(puzzle):
    every = {image for image in permutations(range(puzzle.cells)) if is_symmetry(puzzle, image)}
    assert set(symmetries(puzzle)) == every


def test_where_no_move_joins_the_cells_the_identity_stands_alone():
    puzzle = make("torus-ring:rows=R--,columns=---,rings=none", 3, 3)
    assert symmetries(puzzle) == (tuple(range(9)),)
