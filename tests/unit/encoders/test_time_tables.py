"""The tables behind the lemmas against breadth-first search in their abstraction."""

from itertools import combinations, permutations, product

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.encoders.builder import FALSE, TRUE
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.distance import TileBlankTimes, TileTimes
from plansolve.encoders.lemmas.lemma import Layers
from plansolve.encoders.lemmas.pair_mutex import PairMutexes
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure

# Tables of times


def spread(puzzle, contents, arcs_back=False):
    """Fewest operators that take some cells' contents to other cells, preconditions ignored."""
    distance, frontier, steps = {contents: 0}, [contents], 0
    images = []
    for operator in puzzle.operators:
        image = list(range(puzzle.cells))
        for cell, source in operator.moves:
            if arcs_back:
                image[cell] = source
            else:
                image[source] = cell
        images.append(image)
    while frontier:
        steps += 1
        following = []
        for cells in frontier:
            for image in images:
                after = tuple(image[c] for c in cells)
                if after not in distance:
                    distance[after] = steps
                    following.append(after)
        frontier = following
    return distance


TIMED = [
    make("sliding", 2, 3),
    make("lloyd", 1, 5),
    make("loopover", 2, 3),
    make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    cases.row_slides(),
    cases.one_way_ring(),
]


def name(puzzle):
    return puzzle.name.replace("torus-ring:", "")


@pytest.mark.parametrize("puzzle", TIMED, ids=name)
def test_tile_times_are_the_distances_of_single_contents(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 2)
    times = TileTimes(Problem(puzzle, start))
    for content in puzzle.goal:
        early = spread(puzzle, (start.index(content),))
        late = spread(puzzle, (puzzle.goal.index(content),), arcs_back=True)
        for cell, done, left in product(range(puzzle.cells), range(5), range(5)):
            expected = early.get((cell,), 99) <= done and late.get((cell,), 99) <= left
            assert times.possible(done, left, content, cell) == expected


@pytest.mark.parametrize("puzzle", TIMED, ids=name)
def test_pair_mutexes_are_the_pairs_that_cannot_meet_in_time(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 4)
    contents, horizon = sorted(puzzle.goal), 5
    builder = CnfBuilder()
    layers = [
        [[builder.new() for _ in contents] for _ in range(puzzle.cells)] for _ in range(horizon + 1)
    ]
    # Constants are left alone.
    layers[1] = [[TRUE if kind == there else FALSE for kind in contents] for there in start]
    PairMutexes(Problem(puzzle, start), ()).add(builder, Layers(layers))
    expected = set()
    for t in range(2, horizon):
        for (i, a), (j, b) in combinations(enumerate(contents), 2):
            early = spread(puzzle, (start.index(a), start.index(b)))
            late = spread(puzzle, (puzzle.goal.index(a), puzzle.goal.index(b)), arcs_back=True)
            expected |= {
                frozenset((-layers[t][p][i], -layers[t][q][j]))
                for p, q in permutations(range(puzzle.cells), 2)
                if early.get((p, q), 99) > t or late.get((p, q), 99) > horizon - t
            }
    assert {frozenset(clause) for clause in builder.clauses} == expected


@pytest.mark.parametrize(
    "puzzle", [make("sliding", 2, 3), make("lloyd", 1, 5), cases.one_way_ring()], ids=name
)
def test_the_lemmas_of_tile_and_blank_are_the_table_in_clauses_and_rows(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 5)
    problem, graph = Problem(puzzle, start), Structure(puzzle).blank_graph
    cells = range(puzzle.cells)
    for lemmas in (("tile-blank",), ("distance", "tile-blank")):
        times = TileBlankTimes(problem, graph, lemmas)
        for done, left in product(range(0, 6, 2), range(1, 7, 2)):
            builder = CnfBuilder()
            blanks = {cell: builder.new() for cell in cells}
            rows = {cell: times.new_row(builder, done, left, cell, [0, 2]) for cell in cells}
            for cell, tile in product(cells, puzzle.tiles):
                somewhere = any(times.possible(done, left, tile, cell, b) for b in (0, 2))
                expected = "distance" not in lemmas or somewhere
                assert (rows[cell][tile - 1] != FALSE) == expected
            times.add_mutexes(builder, done, left, rows.items(), blanks)
            assert {frozenset(clause) for clause in builder.clauses} == {
                frozenset((-rows[cell][tile - 1], -blanks[b]))
                for cell, tile, b in product(cells, puzzle.tiles, cells)
                if rows[cell][tile - 1] != FALSE and not times.possible(done, left, tile, cell, b)
            }


@pytest.mark.parametrize(
    "puzzle",
    [make("sliding", 2, 3), make("sliding", 1, 4), make("lloyd", 1, 5), cases.one_way_ring()],
    ids=name,
)
def test_tile_blank_times_are_the_distances_on_a_board_with_one_tile(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 3)
    rules, goal = Rules.of(puzzle), puzzle.goal
    times = TileBlankTimes(Problem(puzzle, start), Structure(puzzle).blank_graph, ())
    for tile in puzzle.tiles:
        # All other tiles look alike: 99.
        alone = [tuple(t if t in (0, tile) else 99 for t in board) for board in (start, goal)]
        early, late = rules.distances_from(alone[0]), rules.distances_to(alone[1])
        for cell, blank in permutations(range(puzzle.cells), 2):
            board = [99] * puzzle.cells
            board[cell], board[blank] = tile, 0
            board = tuple(board)
            for done, left in product(range(0, 9, 2), range(0, 9, 3)):
                expected = early.get(board, 99) <= done and late.get(board, 99) <= left
                assert times.possible(done, left, tile, cell, blank) == expected
