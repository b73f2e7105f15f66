"""Automorphisms of graphs, against all permutations of the cells."""

from itertools import combinations, islice, permutations
from math import factorial
from random import Random

import pytest

from plansolve.analysis.automorphisms import automorphisms, symmetries
from plansolve.model.puzzle import Operator, Puzzle


def pairs(arcs, image):
    return {(image[b], image[d]) for b, targets in enumerate(arcs) for d in targets}


@pytest.mark.parametrize("seed", range(60))
def test_all_automorphisms_of_a_joined_graph_are_found_once(seed):
    random = Random(seed)
    cells, share = random.randint(1, 6), random.random()
    arcs = [[d for d in range(cells) if d != b and random.random() < share] for b in range(cells)]
    if seed % 2:
        # A path through all cells, so that one in two graphs has joined cells for certain.
        arcs = [
            sorted({*targets, *range(b + 1, min(b + 2, cells))}) for b, targets in enumerate(arcs)
        ]
    identity = tuple(range(cells))
    found = list(automorphisms(arcs))
    assert found[0] == identity and len(set(found)) == len(found)
    every = {
        image for image in permutations(identity) if pairs(arcs, image) == pairs(arcs, identity)
    }
    assert set(found) == (every if is_joined(arcs) else {identity})


def is_joined(arcs):
    edges = pairs(arcs, range(len(arcs)))
    seen, todo = {0}, [0]
    while todo:
        cell = todo.pop()
        fresh = {d for b, d in edges | {(d, b) for b, d in edges} if b == cell} - seen
        seen |= fresh
        todo += fresh
    return len(seen) == len(arcs)


def test_as_many_as_are_asked_for():
    arcs = [[d for d in range(40) if d != b] for b in range(40)]
    assert len(set(islice(automorphisms(arcs), 50))) == 50
    assert len(list(automorphisms([row[:6] for row in arcs[:7]]))) == factorial(7)


def test_separate_parts_have_the_identity_alone():
    assert list(automorphisms([[1], [0], [3], [2]])) == [(0, 1, 2, 3)]


def test_a_long_line_of_cells_has_its_reflection():
    arcs = [[d for d in (b - 1, b + 1) if 0 <= d < 2000] for b in range(2000)]
    assert list(automorphisms(arcs)) == [tuple(range(2000)), tuple(range(1999, -1, -1))]


def test_where_all_cells_are_alike_nobody_lists_their_permutations():
    def swaps(cells):
        pairs = combinations(range(cells), 2)
        operators = tuple(Operator(f"{a}-{b}", ((a, b), (b, a))) for a, b in pairs)
        labels = tuple(map(str, range(cells + 1)))
        return Puzzle("swaps", 1, cells, tuple(range(1, cells + 1)), operators, labels)

    assert len(symmetries(swaps(7))) == factorial(7)
    assert symmetries(swaps(8)) == (tuple(range(8)),)
    assert symmetries(swaps(30)) == (tuple(range(30)),)
