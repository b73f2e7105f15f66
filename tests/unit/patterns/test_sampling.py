"""Tables that say too much are found when they are loaded; true ones never are."""

import numpy as np
import pytest
from support.fixtures import cases

from plansolve.model.problem import Problem
from plansolve.patterns.additive import goal_sets
from plansolve.patterns.additive_build import TablePlan, blanks_at_goal, build_tables
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.permutation_build import build_table
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.patterns.sampling import blank_overstates, free_overstates
from plansolve.storage.store import Store

ONE_WAY = cases.one_way_ring(6)


def blank_tables():
    for puzzle, pattern in (
        (cases.make("sliding", 3, 3), (0, 1, 3, 4)),
        (cases.make("sliding", 4, 4), (0, 1, 4, 5)),
        (cases.make("lloyd", 3, 3), (4, 5, 7)),
        (ONE_WAY, (0, 2)),
    ):
        problem = Problem(puzzle, puzzle.goal)
        arcs = problem.blank_graph.successors
        blanks = blanks_at_goal(arcs, pattern, puzzle.goal.index(0))
        plan = TablePlan(pattern, tuple(sorted(blanks)))
        yield arcs, plan, build_tables(arcs, [plan], print)


@pytest.mark.parametrize("seed", range(5))
def test_true_tables_pass(seed):
    for arcs, plan, entries in blank_tables():
        assert not blank_overstates(arcs, plan, entries, np.random.default_rng(seed))
    for name in ("loopover", "torus-ring:rings=outer"):
        rules = permutation_rules(cases.make(name, 3, 3))
        entries = build_table(rules, (0, 1, 4), True)
        assert not free_overstates(rules, (0, 1, 4), entries, np.random.default_rng(seed))


def test_a_blank_that_cannot_move_leads_nowhere():
    plan = TablePlan((0, 1), (2,))
    assert not blank_overstates([(), (), ()], plan, np.zeros(9, np.uint8))
    assert blank_overstates([(), (), ()], plan, np.ones(9, np.uint8))


def test_inflated_tables_are_found():
    for arcs, plan, entries in blank_tables():
        # One more everywhere but at the goal, two more in the far half, or all but a few.
        for change in (
            np.where((entries > 0) & (entries < 250), entries + 1, entries),
            np.where((entries > 4) & (entries < 250), entries + 2, entries),
            np.full_like(entries, 200),
        ):
            assert blank_overstates(arcs, plan, change.astype(np.uint8)), plan
    rules = permutation_rules(cases.make("torus-ring:rings=outer", 3, 3))
    entries = build_table(rules, (0, 1, 4), True)
    inflated = np.where((entries > 0) & (entries < 250), entries + 1, entries).astype(np.uint8)
    assert free_overstates(rules, (0, 1, 4), inflated)


def test_a_forged_table_is_built_anew(tmp_path):
    """With the checksum that belongs to it, as whoever forges a table writes it."""
    puzzle = cases.make("sliding", 4, 4)
    problem, store, told = Problem(puzzle, puzzle.goal), Store(tmp_path), []
    honest = goal_sets(problem, size=4, store=store, tell=told.append)
    (file,) = store.files()
    table = np.array(honest.table)
    store.write(file.key, np.where(table < 200, table + (table > 1), table).astype(np.uint8))
    again = goal_sets(problem, size=4, store=store, tell=told.append)
    assert (again.table == honest.table).all()
    assert any("says more than is true" in line for line in told)
    assert (store.read(file.name)[1] == honest.table).all()


def test_a_forged_table_without_a_blank_is_built_anew(tmp_path, monkeypatch):
    monkeypatch.setattr("plansolve.patterns.permutation._KEPT", 0)
    puzzle, store, told = cases.make("loopover", 3, 3), Store(tmp_path), []
    chooser = permutation_chooser(puzzle)
    honest = chooser.lookups(3, store=store, tell=told.append)
    for file in store.files():
        _, table = store.read(file.name)
        store.write(file.key, np.minimum(np.array(table) + 1, 254).astype(np.uint8))
    again = chooser.lookups(3, store=store, tell=told.append)
    assert (again.table == honest.table).all()
    assert any("says more than is true" in line for line in told)
