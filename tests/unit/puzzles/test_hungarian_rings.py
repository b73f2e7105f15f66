"""Hungarian rings: two rings that cross, as Jaap Scherphuis describes them, and in colours."""

from collections import Counter
from random import Random

import pytest
from support.fixtures.cases import make
from support.reference.free_layers import free_layers

from plansolve.errors import BoardError, OptionError
from plansolve.model.problem import Problem
from plansolve.puzzles.hungarian_rings import hungarian_rings
from plansolve.puzzles.registry import default_size_of, goals_of, make_puzzle, named_goal
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

UPPER, LOWER = 0, 19


def of(specification):
    return make_puzzle(specification, *default_size_of(specification))


def turn(puzzle, name):
    """Where a turn takes the content of each cell that it moves."""
    (operator,) = (op for op in puzzle.operators if op.name == name)
    return {source: cell for cell, source in operator.moves}


def way(goes, cell, end):
    """The cells from one to another, along a turn."""
    cells = [cell]
    while cells[-1] != end:
        cells.append(goes[cells[-1]])
    return cells


def test_the_rings_cross_where_they_do_on_the_classic():
    puzzle = of("hungarian-rings")
    left, right = turn(puzzle, "L"), turn(puzzle, "R")
    assert len(left) == len(right) == 20 and left.keys() & right.keys() == {UPPER, LOWER}
    assert left.keys() | right.keys() == set(range(38))
    # Four balls between the crossings, and clockwise from the lower one the left ring goes round
    # outside, the right one inside.
    assert len(way(left, LOWER, UPPER)) - 1 == len(way(right, UPPER, LOWER)) - 1 == 15
    assert len(way(left, UPPER, LOWER)) - 1 == len(way(right, LOWER, UPPER)) - 1 == 5
    assert turn(puzzle, "L'") == {to: source for source, to in left.items()}


def test_clockwise_is_clockwise_in_the_picture():
    for specification in ("hungarian-rings", "hungarian-rings:7,2", "hungarian-rings:4,1"):
        puzzle = of(specification)
        places = puzzle.layout.positions
        for name in "LR":
            goes = turn(puzzle, name)
            pairs = [(places[a], places[b]) for a, b in goes.items()]
            # Twice the area inside, y going down, by the shoelace formula.
            assert sum(x * v - u * y for (x, y), (u, v) in pairs) > 0
            sides = [((x - u) ** 2 + (y - v) ** 2) ** 0.5 for (x, y), (u, v) in pairs]
            assert max(sides) - min(sides) < 0.01 and min(sides) > 1


@pytest.mark.parametrize(
    ("specification", "colours"),
    [
        # Jaap's Puzzle Page: ten black, ten red, nine yellow, nine blue.
        ("hungarian-rings:colours=4", {"R": 10, "K": 10, "Y": 9, "B": 9}),
        # The same, Rubik's Rings: the five balls between the crossings and these are yellow.
        ("hungarian-rings:18,6,colours=3", {"R": 11, "B": 11, "Y": 12}),
    ],
)
def test_the_colours_are_those_of_the_toys(specification, colours):
    puzzle = of(specification)
    assert Counter(puzzle.labels[ball] for ball in puzzle.goal) == colours
    # Each colour is in one piece: a walk along the rings meets all of it.
    for kind in set(puzzle.goal):
        cells = {cell for cell, ball in enumerate(puzzle.goal) if ball == kind}
        seen, edges = {min(cells)}, puzzle.layout.edges
        for _ in cells:
            seen |= {b for a, b in edges if a in seen} | {a for a, b in edges if b in seen}
            seen &= cells
        assert seen == cells
    assert goals_of(puzzle) == {"in-order": puzzle.goal}
    assert named_goal(specification, "in-order", puzzle.rows, puzzle.columns) == puzzle.goal


def test_the_crossings_of_the_classic_have_different_colours():
    goal = of("hungarian-rings:colours=4").goal
    assert goal[UPPER] != goal[LOWER]


def test_turns_by_any_distance_are_turns_repeated():
    puzzle, one = of("hungarian-rings:6,2,metric=any-distance"), of("hungarian-rings:6,2")
    assert puzzle.move_names[:6] == ("L", "L2", "L3", "L'", "L2'", "L3'")
    for name in puzzle.move_names:
        board = puzzle.goal
        single = one.applicable(board)[name[0] + "'" * name.endswith("'")]
        for _ in range(int(name[1:].strip("'") or 1)):
            board = single.apply(board)
        assert puzzle.applicable(puzzle.goal)[name].apply(puzzle.goal) == board


@pytest.mark.parametrize("engine", ["idastar", "cnf"])
@pytest.mark.parametrize(
    ("specification", "boards"),
    [
        # The symmetric group of five acts on six balls in the one exotic way.
        ("hungarian-rings:4,1", 120),
        # Turns of five balls are even, and make all even arrangements.
        ("hungarian-rings:5,2", 20160),
        ("hungarian-rings:6,2,colours=3", 4200),
    ],
)
def test_searches_and_sat_prove_the_largest_distance(specification, boards, engine, kept_workers):
    puzzle = of(specification)
    layers = list(free_layers(puzzle))
    assert sum(map(len, layers)) == boards
    for distance in (len(layers) - 1, len(layers) // 2):
        board = layers[distance][Random(distance).randrange(len(layers[distance]))]
        problem = Problem(puzzle, tuple(map(int, board)))
        result = solve(problem, engine=engine, time_limit=100, workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, distance)


def test_names_and_sizes():
    assert of("hungarian-rings").name == "hungarian-rings"
    assert default_size_of("hungarian-rings:8,2") == (2, 7)
    specification = "hungarian-rings:apart=2,colours=3,metric=any-distance"
    assert make("hungarian-rings:ring=8,apart=2,colours=3,metric=any-distance", 2, 7).name == (
        specification
    )
    assert make(specification, 2, 7) == of(f"{specification},ring=8")


@pytest.mark.parametrize(
    ("specification", "size", "error", "message"),
    [
        ("hungarian-rings", (1, 19), BoardError, "the board has 1 row, the rings two"),
        ("hungarian-rings:9", (2, 7), BoardError, "the rings have 8 balls, the puzzle 9"),
        (
            "hungarian-rings:9,4",
            (2, 8),
            OptionError,
            "apart=4: a number from 1 to 3 is expected for rings of 9 balls",
        ),
        ("hungarian-rings:9,0", (2, 8), OptionError, "apart=0: a number from 1 to 3"),
        ("hungarian-rings:9,x", (2, 8), OptionError, "apart=x: a number from 1 to 3"),
        ("hungarian-rings", (2, 3), OptionError, "apart=5: 1 is expected for rings of 4 balls"),
        ("hungarian-rings", (2, 1), BoardError, "the rings have 2 balls: 3 are the least"),
        ("hungarian-rings:colours=2", (2, 19), OptionError, "choose from numbers, 3, 4"),
    ],
)
def test_what_are_no_rings(specification, size, error, message):
    with pytest.raises(error) as caught:
        make_puzzle(specification, *size)
    assert message in str(caught.value)


def test_rings_cross_one_place_apart_or_more():
    with pytest.raises(BoardError, match="cannot cross 0 places apart: one is the least"):
        hungarian_rings(9, 0)
