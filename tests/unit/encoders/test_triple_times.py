"""Mutexes of triples against walks of whole boards."""

from itertools import combinations

import numpy as np
import pytest
from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas import triple_times
from plansolve.encoders.lemmas.pair_times import PairTimes
from plansolve.encoders.lemmas.triple_times import TripleTimes
from plansolve.model.problem import Problem

BOARDS = [
    ("loopover", cases.make("loopover", 2, 3), 4),
    ("one-way torus", cases.make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3), 5),
    ("row slides", cases.row_slides(), 6),
]


def forbidden(puzzle, start, done, left, pairs):
    """The placements (content, cell) that the mutexes of pairs or triples exclude, as sets."""
    size = puzzle.cells
    layer = (np.arange(size * size).reshape(size, size) + 1).tolist()
    builder = CnfBuilder()
    tables = PairTimes(Problem(puzzle, start))
    if pairs:
        tables.add_mutexes(builder, done, left, layer)
    else:
        TripleTimes(tables).add_mutexes(builder, done, left, layer)
    assert all(x < 0 for clause in builder.clauses for x in clause)
    contents = sorted(puzzle.goal)
    return [
        {(contents[(-x - 1) % size], (-x - 1) // size) for x in clause}
        for clause in builder.clauses
    ]


@pytest.mark.parametrize(("name", "puzzle", "steps"), BOARDS, ids=[b[0] for b in BOARDS])
def test_no_walk_passes_a_placement_that_triples_forbid(name, puzzle, steps):
    rules = Rules.of(puzzle)
    (start,) = cases.scrambles(puzzle, 1, steps, 7)
    table = rules.distances_to(puzzle.goal)
    for horizon in range(2, table[start] + 3):
        for done, boards in enumerate(rules.exact(start, horizon)):
            left = horizon - done
            # Boards on walks that may still reach the goal, as far as distances say.
            passed = [board for board in boards if table[board] <= left]
            nogoods = forbidden(puzzle, start, done, left, pairs=False)
            for board in passed:
                contents = set(zip(board, range(puzzle.cells), strict=True))
                assert not any(nogood <= contents for nogood in nogoods), (horizon, done, board)


@pytest.mark.parametrize(("name", "puzzle", "steps"), BOARDS, ids=[b[0] for b in BOARDS])
def test_pairs_and_triples_together_forbid_what_a_search_of_three_tiles_forbids(
    name, puzzle, steps
):
    (start,) = cases.scrambles(puzzle, 1, steps, 3)
    images = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    done, left = 2, 1
    found = forbidden(puzzle, start, done, left, True) + forbidden(puzzle, start, done, left, False)
    for triple in combinations(sorted(puzzle.goal), 3):
        after = {tuple(start.index(k) for k in triple)}
        reached = set(after)
        for _ in range(done):
            after = {tuple(image[c] for c in cells) for cells in after for image in images}
            reached |= after
        before = {tuple(puzzle.goal.index(k) for k in triple)}
        returning = set(before)
        for _ in range(left):
            before = {tuple(image.index(c) for c in cells) for cells in before for image in images}
            returning |= before
        for index in np.ndindex(*(puzzle.cells,) * 3):
            cells = tuple(map(int, index))
            if len(set(cells)) == 3:
                contents = set(zip(triple, cells, strict=True))
                excluded = any(nogood <= contents for nogood in found)
                assert excluded == (cells not in reached or cells not in returning)


def test_the_triples_are_the_same_everywhere(monkeypatch):
    monkeypatch.setattr(triple_times, "MOST_TRIPLES", 3)
    puzzle = cases.make("torus-ring", 5, 5)
    times = TripleTimes(PairTimes(Problem(puzzle, puzzle.goal)))
    assert times.triples == [(1, 8, 18), (4, 6, 11), (11, 15, 20)]
