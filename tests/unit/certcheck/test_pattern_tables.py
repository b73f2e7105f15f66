"""The sceptic's pattern tables, entry by entry, against plain searches that share no code."""

from itertools import permutations

import numpy as np
import pytest
from support.fixtures import cases
from support.reference import patterns, permutation

from plansolve.certcheck.pattern_tables import NEVER, blank_table, free_table
from plansolve.errors import InternalError
from plansolve.model.structure import reverse
from plansolve.patterns.additive_build import TablePlan, blanks_at_goal, build_tables
from plansolve.patterns.permutation_build import build_table
from plansolve.patterns.permutation_rules import permutation_rules

ONE_WAY = ((1,), (2,), (3,), (4,), (0, 2))


@pytest.mark.parametrize(
    ("arcs", "homes", "blank"),
    [
        (cases.make("sliding", 2, 3), (0, 1, 4), 5),
        (cases.make("sliding", 3, 3), (0, 1, 3, 4), 8),
        (cases.make("lloyd", 3, 3), (4, 1), 8),
        (cases.make("lloyd", 3, 3), (0, 4, 5), 8),
        (ONE_WAY, (1, 3), 0),
    ],
)
def test_a_table_of_a_blank_holds_the_least_costs(arcs, homes, blank):
    arcs = arcs if isinstance(arcs, tuple) else arcs_of(arcs)
    cells = len(arcs)
    entries = blank_table(reverse(arcs), homes, [blank]).reshape((cells,) * len(homes))
    wanted = patterns.table(arcs, homes, blank)
    assert {cell: int(entries[cell]) for cell in permutations(range(cells), len(homes))} == wanted
    assert (entries != NEVER).sum() == sum(cost != NEVER for cost in wanted.values())


def test_several_first_cells_of_the_blank_give_the_least_of_all():
    arcs = arcs_of(cases.make("sliding", 2, 3))
    tables = [blank_table(reverse(arcs), (1, 4), [blank]) for blank in (0, 2)]
    both = blank_table(reverse(arcs), (1, 4), [0, 2])
    assert (both == np.minimum(*tables)).all()
    assert (tables[0] != tables[1]).any()


@pytest.mark.parametrize(("side", "homes"), [(4, (1, 2, 3, 5, 6)), (6, (0, 1, 6)), (8, (0, 1))])
def test_a_table_of_a_blank_is_the_solver_s(side, homes):
    # Boards of 36 and 64 cells take words of 64 bits.
    arcs = arcs_of(cases.make("sliding", side, side))
    blank = side * side - 1
    plan = TablePlan(homes, blanks_at_goal(arcs, homes, blank))
    assert (blank_table(reverse(arcs), homes, [blank]) == build_tables(arcs, [plan], print)).all()


@pytest.mark.parametrize(
    ("name", "side", "homes"),
    [
        ("loopover", 3, (0, 4, 8)),
        ("torus-ring:rings=outer", 3, (1, 2, 3)),
        ("torus-ring", 4, (5, 6)),
        ("torus-ring:rings=outer", 3, (4,)),
    ],
)
def test_a_table_without_a_blank_holds_the_distances(name, side, homes):
    rules = permutation_rules(cases.make(name, side, side))
    parity = rules.differ_in_parity
    odd = rules.is_odd if parity else (False,) * len(rules.is_odd)
    cells = rules.cells
    entries = free_table(rules.sources, odd, homes)
    wanted = np.full(entries.shape, NEVER)
    for (placed, side_of), distance in permutation.placements(rules, homes, parity).items():
        at = side_of * cells ** len(homes)
        wanted[at + sum(c * cells**i for i, c in enumerate(reversed(placed)))] = distance
    assert (entries == wanted).all()


@pytest.mark.parametrize(("name", "side", "homes"), [("torus-ring", 5, (0, 1, 6, 7))])
def test_a_table_without_a_blank_is_the_solver_s(name, side, homes):
    rules = permutation_rules(cases.make(name, side, side))
    assert rules.differ_in_parity
    assert (free_table(rules.sources, rules.is_odd, homes) == build_table(rules, homes, True)).all()


def test_more_cells_than_a_number_has_bits_are_refused():
    with pytest.raises(InternalError, match="no number has 65 bits"):
        blank_table([[0]] * 65, (1,), [0])
    with pytest.raises(InternalError, match="no number has 65 bits"):
        free_table([range(65)], [False], (1,))


def arcs_of(puzzle):
    return cases.Structure(puzzle).blank_graph.successors
