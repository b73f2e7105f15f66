"""The lemmas that come from tables: what they exclude, against breadth-first search and IDA*.

A wrong lemma cannot be seen in a refutation. So each clause's claim is compared with exhaustive
tables where there are any, and elsewhere the plan that has to be left is looked for.
"""

import subprocess
import sys
from itertools import combinations, permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from plansolve.encoders.lemmas.duplicate_walks import duplicate_walks
from plansolve.encoders.lemmas.partial_assignments import MOST_TILES, goal_assignments
from support.fixtures import cases
from support.fixtures.agreement import SLIDING_GOALS, agrees, refuted, two_by_three
from support.fixtures.first_walk import formula, keeps_first_walk
from support.reference.oracle import Rules

from plansolve.encoders.lemmas import perimeter_search, tables
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve

INSTANCES = Path(__file__).parents[2] / "instances"
EVERY = tuple(sorted(ENCODINGS["half-layer"].lemmas))
TABLE_LEMMAS = ("waste-excess", "duplicate-sequences", "perimeter", "search-tree")
WITH_BASES = {name: tuple(sorted({name, LEMMAS[name].base} - {None})) for name in TABLE_LEMMAS} | {
    "all": EVERY,
    "one plan": ("duplicate-sequences", "perimeter"),
}


# Minimal partial assignments


def tile_distances(puzzle):
    """By home cell and cell: the Manhattan distance."""
    cells = np.arange(puzzle.cells)
    row, column = np.divmod(cells, puzzle.columns)
    return abs(row[:, None] - row) + abs(column[:, None] - column)


def excesses(puzzle, table):
    """For each solvable board the cell of each tile, and half of what its depth has beyond them."""
    boards = np.array(list(table), np.int8)
    where = np.argsort(boards, axis=1)
    distance = tile_distances(puzzle)
    home = {tile: cell for cell, tile in enumerate(puzzle.goal)}
    total = sum(distance[home[tile], where[:, tile]] for tile in puzzle.goal if tile)
    return where, (np.array(list(table.values()), np.int64) - total) // 2


def assignments(puzzle):
    """All minimal partial assignments: pairs of a tile and its cell, with the excess."""
    found = goal_assignments(Problem(puzzle, puzzle.goal))
    for home, cell, units in zip(found.home, found.cell, found.excess, strict=True):
        pairs = [(puzzle.goal[h], int(c)) for h, c in zip(home, cell, strict=True) if h >= 0]
        yield pairs, int(units)


def least_excess(where, excess, pairs):
    standing = np.ones(len(where), bool)
    for tile, cell in pairs:
        standing &= where[:, tile] == cell
    assert standing.any()
    return int(excess[standing].min())


def check_assignments(puzzle, table, share=1):
    """Every board that contains a partial assignment has the moves that its excess says."""
    where, excess = excesses(puzzle, table)
    chosen = list(assignments(puzzle))[::share]
    for pairs, level in chosen:
        assert least_excess(where, excess, pairs) >= level, (pairs, level)
    return len(chosen)


@pytest.mark.parametrize("goal", SLIDING_GOALS)
def test_2x3_assignments_say_exactly_what_three_tiles_force(goal):
    puzzle, table = two_by_three(goal)
    check_assignments(puzzle, table)
    where, excess = excesses(puzzle, table)
    # All five tiles are in one pattern, so nothing is lost.
    found = [(frozenset(pairs), level) for pairs, level in assignments(puzzle)]
    assert max(level for _, level in found) >= 3
    for tiles in combinations(range(1, 6), MOST_TILES):
        for cells in permutations(range(6), MOST_TILES):
            pairs = frozenset(zip(tiles, cells, strict=True))
            levels = [level for assigned, level in found if assigned <= pairs]
            assert least_excess(where, excess, pairs) == max(levels, default=0), pairs


def test_every_3x3_board_with_a_minimal_assignment_has_its_excess(eight_table):
    assert check_assignments(cases.make("sliding", 3, 3), eight_table, 20) > 100


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["blank-last", "snail", "blank-first"])
def test_every_3x3_board_with_any_minimal_assignment_has_its_excess(goal):
    table = cases.distance_table("sliding", 3, 3, goal)
    check_assignments(cases.make("sliding", 3, 3, goal), table)


@pytest.mark.slow
def test_the_4x4_assignments_are_as_many_as_another_program_found():
    puzzle = cases.make("sliding", 4, 4)
    found = goal_assignments(Problem(puzzle, puzzle.goal))
    sizes = (found.home >= 0).sum(axis=1)
    # Those that the level needs, and no part of which reaches it.
    counts = [
        tuple(
            int(
                (
                    (found.pattern == p)
                    & (found.less < level)
                    & (level <= found.excess)
                    & (sizes == size)
                ).sum()
            )
            for size in (2, 3)
        )
        for p in range(2)
        for level in (1, 2)
    ]
    assert found.excess[found.pattern < 2].max() == 2
    # The patterns {9 10 13 14 15} and {4 7 8 11 12}, two levels each.
    assert counts == [(65, 1236), (0, 155), (51, 926), (0, 75)]


# Duplicate sequences


def walks_by_brute_force(puzzle, longest):
    """The smallest walks that have the effect of a smaller one, from every cell of the blank."""
    rules = Rules.of(puzzle)
    found = set()
    for blank in range(puzzle.cells):
        rest = iter(range(1, puzzle.cells))
        board = tuple(0 if cell == blank else next(rest) for cell in range(puzzle.cells))
        known, layer = {board}, {(blank,): board}
        for _ in range(longest):
            longer, reached = {}, set()
            for walk, state in sorted(layer.items()):
                for after in sorted(
                    {s for _, s in rules.successors(state)}, key=lambda s: s.index(0)
                ):
                    word = (*walk, after.index(0))
                    if after in known or after in reached:
                        found.add(word)
                    else:
                        reached.add(after)
                        longer[word] = after
            known |= reached
            layer = longer
    shorter = {w for w in found if any(w[i:j] in found for i, j in parts(len(w)))}
    return found - shorter


def parts(length):
    return [(i, j) for i, j in combinations(range(length + 1), 2) if j - i < length]


@pytest.mark.parametrize(
    ("name", "rows", "columns", "longest"),
    [("sliding", 2, 3, 10), ("sliding", 3, 3, 9), ("sliding", 4, 4, 8), ("lloyd", 3, 3, 7)],
)
def test_duplicate_walks_are_those_that_an_enumeration_of_boards_finds(
    name, rows, columns, longest
):
    puzzle = cases.make(name, rows, columns)
    graph = Problem(puzzle, puzzle.goal).structure.blank_graph
    found = {tuple(walk) for walks in duplicate_walks(graph, longest) for walk in walks.tolist()}
    assert found == walks_by_brute_force(puzzle, longest)


def test_the_4x4_duplicate_walks_are_as_many_as_another_program_found():
    puzzle = cases.make("sliding", 4, 4)
    walks = duplicate_walks(Problem(puzzle, puzzle.goal).structure.blank_graph)
    counts = {array.shape[1] - 1: len(array) for array in walks}
    assert counts == {2: 48, 6: 36, 7: 18, 8: 128, 9: 88, 10: 712}


# The plan that is left


@pytest.mark.parametrize("lemmas", ["one plan", "all"])
@pytest.mark.parametrize("goal", SLIDING_GOALS)
def test_the_first_2x3_walk_is_always_left(goal, lemmas):
    puzzle, table = two_by_three(goal)
    for start in sorted(table)[::24]:
        keeps_first_walk(puzzle, start, table, WITH_BASES[lemmas])


@pytest.mark.parametrize("lemmas", [pytest.param("one plan", marks=pytest.mark.slow), "all"])
def test_the_first_3x3_walk_is_left(lemmas, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    for start in Random(8).sample(sorted(eight_table), 4):
        keeps_first_walk(puzzle, start, eight_table, WITH_BASES[lemmas])


@pytest.mark.parametrize("lemmas", [pytest.param("one plan", marks=pytest.mark.slow), "full-layer"])
def test_the_first_walk_of_a_blank_that_jumps_is_left(lemmas, lloyd_table):
    puzzle = cases.make("lloyd", 3, 3)
    names = WITH_BASES.get(lemmas, ENCODINGS["full-layer"].lemmas)
    for start in Random(10).sample(sorted(lloyd_table), 3):
        keeps_first_walk(puzzle, start, lloyd_table, names, "full-layer")


def test_a_search_that_is_told_in_part_leaves_the_first_walk(monkeypatch, lloyd_table):
    puzzle = cases.make("lloyd", 3, 3)
    (start,) = Random(11).sample(sorted(lloyd_table), 1)
    horizon = lloyd_table[start]
    told = {}
    for most in (10, 1_000):
        monkeypatch.setattr(perimeter_search, "_MOST_TOLD", most)
        keeps_first_walk(puzzle, start, lloyd_table, ["perimeter"], "full-layer")
        told[most] = len(formula(puzzle, start, ["perimeter"], horizon, "full-layer")[0].clauses)
    assert told[10] < told[1_000]


@pytest.mark.slow
def test_the_first_3x3_walk_of_many_boards_is_left(eight_table):
    puzzle = cases.make("sliding", 3, 3)
    for start in Random(9).sample(sorted(eight_table), 400):
        keeps_first_walk(puzzle, start, eight_table, EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("lemmas", WITH_BASES)
def test_every_2x3_board_is_solvable_exactly_at_its_depth_and_at_no_horizon_below(lemmas):
    puzzle, table = two_by_three()
    for start in sorted(table):
        agrees(puzzle, start, table[start], ("half-layer", WITH_BASES[lemmas]))
    unsolvable = sorted(start[::-1] for start in table if start[::-1] not in table)
    for start in unsolvable[::10]:
        refuted(puzzle, start, ("half-layer", WITH_BASES[lemmas]), range(22))


# 15-puzzles


@pytest.fixture
def always(monkeypatch):
    """Has boards of any size use the tables at every horizon."""
    monkeypatch.setattr(tables, "FIRST_HORIZON", 0)


def fifteen_walks(count, seed):
    """Boards at the end of random walks of 20 to 60 steps that never go straight back."""
    return walks(cases.make("sliding", 4, 4), count, seed)


def walks(puzzle, count, seed):
    """The same for any puzzle."""
    random = Random(seed)
    rules = Rules.of(puzzle)
    for _ in range(count):
        before, board = None, puzzle.goal
        for _ in range(random.randint(20, 60)):
            choice = random.choice([s for s in rules.predecessors(board) if s != before])
            before, board = board, choice
        yield Problem(puzzle, board)


def agrees_with_search(problem, encoding="half-layer"):
    optimum = solve(problem, engine="idastar").length
    lemmas = tuple(sorted(ENCODINGS[encoding].lemmas))
    solver = cases.solver(problem.puzzle, problem.start, encoding, lemmas)
    if optimum >= 2:
        assert solver.attempt(optimum - 2).refuted
    plan = solver.attempt(optimum).plan
    assert plan is not None, problem.start
    assert Rules.of(problem.puzzle).replay(problem.start, plan)[-1] == problem.goal


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_few_15_puzzles_have_the_optimum_of_ida_star(count, always):
    for problem in fifteen_walks(count, 1):
        agrees_with_search(problem)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_15_puzzles_have_the_optimum_of_ida_star(seed, always):
    for problem in fifteen_walks(30, seed):
        agrees_with_search(problem)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "columns", "goal"),
    [
        (3, 4, "blank-last"),
        (3, 5, "blank-first"),
        (2, 8, "blank-last"),
        (5, 5, "blank-last"),
        (4, 4, "snail"),
        (4, 4, "blank-first"),
    ],
)
def test_boards_of_other_sizes_and_goals_have_the_optimum_of_ida_star(rows, columns, goal, always):
    for problem in walks(cases.make("sliding", rows, columns, goal), 4, rows * columns):
        agrees_with_search(problem)


@pytest.mark.slow
def test_lloyd_squares_have_the_optimum_of_ida_star(monkeypatch):
    monkeypatch.setattr(tables, "FIRST_DIRECTED_HORIZON", 0)
    for problem in walks(cases.make("lloyd", 5, 5), 8, 25):
        agrees_with_search(problem, "full-layer")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["31", "38", "38'", "42b"])
def test_the_excess_keeps_the_number_of_shortest_15_puzzle_plans(name, always):
    instances = load_instance_set(INSTANCES / "sat-frontier").instances
    (instance,) = (one for one in instances if one.name == name)
    kept = tuple(lemma for lemma in EVERY if LEMMAS[lemma].keeps != "one plan")
    assert "waste-excess" in kept
    problem = instance.problem
    plans = cases.all_plans(
        problem.puzzle, problem.start, "half-layer", kept, instance.optimal_length
    )
    assert len(plans) == instance.optimal_plans


# The formula


PRINT_DIGEST = """
import hashlib, sys
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import ENCODINGS
from plansolve.formats import read_problem
problem = read_problem("8 6 7\\n2 5 4\\n3 . 1")
encoding = ENCODINGS["half-layer"]
builder = CnfBuilder()
encoding.prepare(problem, encoding.lemmas).encode(builder, 29)
print(hashlib.sha256("\\n".join(builder.dimacs()).encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_formula_does_not_depend_on_hash_seeds():
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGEST],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


# The sums of distances are 20, 1 and 38.
FAR = (15, 3, 4, 8, 1, 6, 7, 0, 9, 10, 2, 12, 5, 11, 14, 13)
NEAR = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15)


@pytest.mark.parametrize(
    ("start", "horizon", "has_tables"),
    [
        (FAR, 32, False),
        (FAR, 34, True),
        pytest.param(NEAR, 33, False, marks=pytest.mark.slow),
        pytest.param(NEAR, 35, True, marks=pytest.mark.slow),
    ],
)
def test_shallow_horizons_of_large_boards_have_the_formula_without_tables(
    start, horizon, has_tables
):
    puzzle = cases.make("sliding", 4, 4)
    light = ENCODINGS["half-layer"].default
    # A tree is asked for by name, and is there at any length.
    every = [lemma for lemma in EVERY if lemma != "search-tree"]
    plain, whole = (formula(puzzle, start, lemmas, horizon)[0].clauses for lemmas in (light, every))
    assert (plain != whole) == has_tables
