"""Pancakes, Top Spin, pocket cube and pyraminx against published counts of boards by distance."""

from random import Random

import pytest
from support.fixtures.cases import make
from support.reference.free_layers import free_layers

from plansolve.errors import BoardError, GoalError, OptionError
from plansolve.formats import read_problem
from plansolve.model.problem import Problem
from plansolve.model.structure import PuzzleKind
from plansolve.puzzles.registry import FAMILIES, default_size_of, make_puzzle
from plansolve.puzzles.top_spin import top_spin
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

QUARTER_TURNS = [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852]
QUARTER_TURNS += [782536, 90280, 276]


def of(specification):
    return make_puzzle(specification, *default_size_of(specification))


def counts(specification):
    return [len(layer) for layer in free_layers(of(specification))]


# OEIS A058986: the most flips that a stack of n pancakes needs.
@pytest.mark.parametrize(("size", "most"), [(2, 1), (3, 3), (4, 4), (5, 5), (6, 7), (7, 8), (8, 9)])
def test_the_most_flips_of_pancakes(size, most):
    assert len(counts(f"pancake:{size}")) - 1 == most


def test_seven_pancakes_by_distance():
    # OEIS A092113, row 7.
    assert counts("pancake:7") == [1, 6, 30, 149, 543, 1357, 1903, 1016, 35]


def test_top_spin_without_rotations_has_one_board_less_a_factor():
    # Of even turnstiles both parities are reached, of 8 tiles only those of the parity of the ring.
    assert sum(counts("top-spin:9,4")) == 40320 // 2
    assert sum(counts("top-spin:8,4")) == 5040


@pytest.mark.slow
@pytest.mark.parametrize(
    ("specification", "published"),
    [
        # Jaap Scherphuis, Jaap's Puzzle Page: Mini Cube, Pyraminx.
        (
            "pocket-cube",
            [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644],
        ),
        (
            "pocket-cube:metric=quarter-turn",
            QUARTER_TURNS,
        ),
        (
            "pyraminx",
            [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32],
        ),
    ],
)
def test_all_boards_by_distance(specification, published, kept_workers):
    layers = list(free_layers(of(specification)))
    assert [len(layer) for layer in layers] == published
    farthest = layers[-1][Random(specification).randrange(len(layers[-1]))]
    problem = Problem(of(specification), tuple(map(int, farthest)))
    for engine in ("idastar", "cnf"):
        result = solve(problem, engine=engine, time_limit=600, workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, len(layers) - 1)


@pytest.mark.slow
def test_ten_pancakes(kept_workers):
    layers = list(free_layers(of("pancake:10")))
    assert (len(layers) - 1, sum(map(len, layers))) == (11, 3_628_800)
    for number in Random(3).sample(range(len(layers[-1])), 5):
        problem = Problem(of("pancake:10"), tuple(map(int, layers[-1][number])))
        for engine in ("auto", "cnf"):
            result = solve(problem, engine=engine, time_limit=300, workers=kept_workers)
            assert (result.status, result.length) == (Status.OPTIMAL, 11)


@pytest.mark.parametrize("engine", ["idastar", "cnf"])
@pytest.mark.parametrize("specification", ["pancake:6", "top-spin:7,4", "top-spin:8,3"])
def test_searches_and_sat_prove_the_distances(specification, engine, kept_workers):
    layers = list(free_layers(of(specification)))
    for distance in (len(layers) - 1, len(layers) // 2):
        board = layers[distance][Random(distance).randrange(len(layers[distance]))]
        problem = Problem(of(specification), tuple(map(int, board)))
        result = solve(problem, engine=engine, time_limit=100, workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, distance)


@pytest.mark.parametrize("specification", ["pocket-cube", "pyraminx"])
def test_a_turn_has_its_order_and_moves_whole_pieces(specification):
    puzzle = of(specification)
    order = {"pocket-cube": 4, "pyraminx": 3}[specification]
    # A corner of the cube has three stickers, one of the pyraminx too, and its edges two.
    moved = {"pocket-cube": 12, "pyraminx": 9}[specification]
    for operator in puzzle.operators:
        board, seen = puzzle.goal, set()
        while board not in seen:
            seen.add(board)
            board = operator.apply(board)
        assert len(seen) == (2 if operator.name.endswith("2") else order)
        assert len(operator.moves) == moved
    assert Problem(puzzle, puzzle.goal).structure.kind == PuzzleKind.PERMUTATIONS


def test_sizes_and_turnstiles_by_their_values_alone():
    assert of("pancake:6").cells == 6
    assert of("top-spin:12,3").name == "top-spin:turnstile=3" and of("top-spin:12,3").cells == 12
    assert of("top-spin:turnstile=3,size=12").operators == of("top-spin:12,3").operators
    assert default_size_of("top-spin") == (1, 20) and default_size_of("sliding") == (4, 4)
    assert make("pancake", 1, 5).operators == of("pancake:5").operators


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "error", "message"),
    [
        ("pancake:10", 1, 9, BoardError, "the board has 9 tiles, the puzzle 10"),
        ("pancake", 2, 5, BoardError, "the board has 2 rows, the puzzle one"),
        ("pancake:10,3", 1, 10, OptionError, "puzzle pancake has no parameter '3'"),
        (
            "top-spin:9,10",
            1,
            9,
            OptionError,
            "turnstile=10: a number from 2 to 8 is expected for a ring of 9 tiles",
        ),
        ("top-spin:3,9", 1, 3, OptionError, "turnstile=9: 2 is expected for a ring of 3 tiles"),
        ("top-spin", 1, 4, OptionError, "turnstile=4: a number from 2 to 3 is expected"),
        ("top-spin:9,x", 1, 9, OptionError, "turnstile=x: a number from 2 to 8 is expected"),
        ("top-spin", 1, 2, BoardError, "the board has 2 tiles: 3 are the least"),
        ("pocket-cube", 4, 6, BoardError, "a pocket cube has 6 lines of 4 stickers"),
        ("pyraminx", 6, 4, BoardError, "a pyraminx has 4 lines of 6 stickers"),
    ],
)
def test_what_is_no_board_of_the_family(specification, rows, columns, error, message):
    with pytest.raises(error) as caught:
        make_puzzle(specification, rows, columns)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ("pancake:x", "size=x: a number from 2 to 30 is expected"),
        ("pancake:1", "size=1: a number from 2 to 30 is expected"),
        ("pancake:31", "size=31: a number from 2 to 30 is expected"),
        ("pancake:9999", "size=9999: a number from 2 to 30 is expected"),
        ("top-spin:2", "size=2: a number from 3 to 30 is expected"),
        ("hungarian-rings:2", "ring=2: a number from 3 to 31 is expected"),
    ],
)
def test_sizes_that_are_none(specification, message):
    with pytest.raises(OptionError, match=message):
        default_size_of(specification)


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if f.size_key in f.parameters])
def test_the_least_and_the_largest_size_have_boards(name):
    family = FAMILIES[name]
    for size in (family.least, family.most):
        rest = {"top-spin": ",2", "hungarian-rings": ",1"}.get(name, "")
        assert of(f"{name}:{size}{rest}").cells >= size


def test_a_turnstile_turns_some_tiles_over_and_not_all():
    with pytest.raises(BoardError, match=r"a turnstile of 1 tile: two .* the 9 of the ring"):
        top_spin(9, 1)


def test_a_ring_begins_with_tile_1():
    told = "the ring is written beginning with tile 1, here as 1 3 4 5 6 2"
    with pytest.raises(BoardError, match=told):
        make_puzzle("top-spin", 1, 6, (2, 1, 3, 4, 5, 6))
    # A ring that was only turned is not to be called unsolvable.
    with pytest.raises(BoardError, match=told):
        read_problem("2 1 3 4 5 6", puzzle="top-spin")
    with pytest.raises(BoardError, match="beginning with tile A, here as A B C C B D"):
        read_problem("C C B D A B", puzzle="top-spin", goal="A B B C C D")
    with pytest.raises(GoalError, match="beginning with tile 1, and there are several"):
        read_problem("A A B C D E", puzzle="top-spin", goal="A B A C D E")


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_makes_the_board_of_its_presets(name):
    family = FAMILIES[name]
    assert family.presets
    for preset in family.presets:
        puzzle = make_puzzle(name, preset.rows, preset.columns)
        again = make_puzzle(puzzle.name, preset.rows, preset.columns)
        assert again == puzzle
        assert set(family.positional) <= set(family.parameters)
        assert not family.labels or puzzle.labels == family.labels[: len(puzzle.labels)]
        effects = {op.apply(puzzle.goal) for op in puzzle.operators if op.applies_to(puzzle.goal)}
        # Gaps may change places with each other.
        assert puzzle.goal not in effects or puzzle.gaps > 1
        assert all(sorted(board) == sorted(puzzle.goal) for board in effects)
