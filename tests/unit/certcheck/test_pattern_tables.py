"""The sceptic's pattern tables, entry by entry, against plain searches that share no code."""

import tracemalloc
from itertools import permutations
from math import comb
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.small_rules import exchanges, puzzles
from support.reference import patterns, permutation
from support.reference.placements import placement_distances

from plansolve.certcheck.pattern_tables import NEVER, KindPlacements, blank_table, free_table
from plansolve.certcheck.search.moves import OperatorMoves, moves_of
from plansolve.errors import InternalError, ProofError
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure, reverse
from plansolve.patterns.rules import permutation_rules


def arcs_of(puzzle):
    return Structure(puzzle).blank_graph.successors


def random_arcs(seed):
    random = Random(seed)
    cells = random.randint(3, 7)
    arcs = [random.sample(range(cells), random.randint(0, 3)) for _ in range(cells)]
    blank, *homes = random.sample(range(cells), random.randint(2, min(5, cells)))
    return arcs, tuple(homes), blank


@pytest.mark.parametrize(
    ("arcs", "homes", "blank"),
    [
        (arcs_of(cases.make("sliding", 2, 3)), (0, 1, 4), 5),
        (arcs_of(cases.make("sliding", 3, 3)), (0, 1, 3, 4), 8),
        (arcs_of(cases.make("lloyd", 3, 3)), (4, 1), 8),
        (arcs_of(cases.make("lloyd", 3, 3)), (0, 4, 5), 8),
        (((1,), (2,), (3,), (4,), (0, 2)), (1, 3), 0),
        *map(random_arcs, range(25)),
    ],
)
def test_a_table_of_a_blank_holds_the_least_costs(arcs, homes, blank):
    cells = len(arcs)
    entries = blank_table(reverse(arcs), homes, [blank]).reshape((cells,) * len(homes))
    wanted = patterns.table(arcs, homes, blank)
    assert {cell: int(entries[cell]) for cell in permutations(range(cells), len(homes))} == wanted
    assert (entries != NEVER).sum() == sum(cost != NEVER for cost in wanted.values())


def test_several_first_cells_of_the_blank_give_the_least_of_all():
    arcs = arcs_of(cases.make("sliding", 2, 3))
    tables = [blank_table(reverse(arcs), (1, 4), [blank]) for blank in (0, 2)]
    both = blank_table(reverse(arcs), (1, 4), [0, 2])
    assert (both == np.minimum(*tables)).all() and (tables[0] != tables[1]).any()


@pytest.mark.parametrize(
    ("name", "rows", "columns", "homes"),
    [
        ("loopover", 3, 3, (0, 4, 8)),
        ("torus-ring:rings=outer", 3, 3, (1, 2, 3)),
        ("torus-ring:rows=LRL,columns=UDU,rings=none", 3, 3, (4, 0)),
        ("torus-ring", 4, 4, (5, 6)),
        ("torus-ring:rings=outer", 3, 3, (4,)),
    ],
)
def test_a_table_without_a_blank_holds_the_distances(name, rows, columns, homes):
    rules = permutation_rules(cases.make(name, rows, columns))
    parity, cells = rules.differ_in_parity, rules.cells
    odd = rules.is_odd if parity else (False,) * len(rules.is_odd)
    entries = free_table(rules.sources, odd, homes)
    wanted = np.full(entries.shape, NEVER)
    for (placed, side_of), distance in permutation.placements(rules, homes, parity).items():
        at = side_of * cells ** len(homes)
        wanted[at + sum(c * cells**i for i, c in enumerate(reversed(placed)))] = distance
    assert (entries == wanted).all()


@pytest.mark.parametrize("gaps", [1, 2, 3])
@pytest.mark.parametrize(("rules", "own"), [(puzzles, False), (puzzles, True), (exchanges, True)])
def test_tables_of_kinds_hold_the_distances_of_placements(rules, own, gaps):
    seen = 0
    for puzzle in rules(range(12), gaps):
        moves = moves_of(Problem(puzzle, puzzle.goal_board))
        kinds = [kind for kind in puzzle.kinds if kind and kind in puzzle.goal]
        for size in (1, 2) if kinds and isinstance(moves, OperatorMoves) else ():
            placements = KindPlacements.of(puzzle, kinds[:size], has_blank=moves.with_gaps)
            table = placements.table(moves.sources, moves.needs, own=own)
            rows, wanted = placements.numbers(), np.full(placements.entries, NEVER)
            for placed, steps in placement_distances(puzzle, placements.kinds, own).items():
                cells = [cell for own in placed for cell in own]
                wanted[sum(row[cell] for row, cell in zip(rows, cells, strict=True))] = steps
            assert (table == wanted).all()
            seen += 1
    assert seen > 10


FLAGGED = {
    "blank": lambda stop: blank_table(arcs_of(cases.make("sliding", 2, 3)), (0, 1), [5], stop),
    "free": lambda stop: free_table([(1, 2, 3, 0)], [False], (0, 1), stop),
    "kinds": lambda stop: KindPlacements(4, (1,), (2,), ((0, 1),), (), False).table(
        [(1, 2, 3, 0)], [None], stop=stop
    ),
}


@pytest.mark.parametrize("build", FLAGGED.values(), ids=FLAGGED)
def test_a_flag_ends_a_search(build):
    whole, ended = (build(np.full(1, flag, np.uint8)) for flag in (0, 1))
    assert (ended != NEVER).sum() < (whole != NEVER).sum()


def test_placements_of_the_goal_are_numbered_one_by_one():
    many = KindPlacements(40, (1,), (5,), ((0,),), tuple(range(2, 40)), has_blank=False)
    tracemalloc.start()
    try:
        table = many.table([], [])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (table == 0).sum() == comb(38, 4) and most < 20 << 20


def test_what_is_too_large_is_refused():
    with pytest.raises(InternalError, match="no number has 65 bits"):
        blank_table([[0]] * 65, (1,), [0])
    with pytest.raises(InternalError, match="no number has 65 bits"):
        free_table([range(65)], [False], (1,))
    two = KindPlacements(30, (1, 2), (1, 8), ((0,), (1,)), tuple(range(2, 30)), has_blank=False)
    with pytest.raises(ProofError, match="placements that the goal allows are too many"):
        two.table([], [])
