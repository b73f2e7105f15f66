"""Larger tables in the middle of a proof."""

import time
from types import SimpleNamespace

import pytest
from support.fixtures.cases import make, silent
from support.fixtures.idastar import (
    LLOYD,
    SLIDING,
    distances,
    patterns,
    sample,
)

from plansolve.model.problem import Problem
from plansolve.patterns import partition
from plansolve.patterns.additive import goal_tables, goal_tables_size
from plansolve.patterns.partition import goal_chooser
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.automaton import ONE_PLAN
from plansolve.solvers.search.idastar.blank_tree import PatternTree, walk_automaton
from plansolve.solvers.search.idastar.idastar import idastar
from plansolve.solvers.search.idastar.larger import LargerTables, Pace, TreeChoice
from plansolve.storage.store import Store


@pytest.mark.parametrize("specification", [SLIDING, LLOYD])
def test_they_take_over_before_a_long_round_and_the_plan_stays_shortest(specification):
    table = distances(specification)
    for board in sample(table, 6, seed=3, least=14):
        problem = Problem(make(*specification), board)
        automaton = walk_automaton(problem, ONE_PLAN, memory=1 << 30)
        small, large = (
            PatternTree(problem, patterns(specification, size), automaton) for size in (2, 4)
        )
        built = []

        def make_large(tell, large=large, built=built):
            built.append(large)
            return large

        alone = list(idastar(small, Incumbent(), Budget()))
        # A round without nodes is expected to take no time, so the first one is searched as it is.
        reports = list(
            idastar(
                small,
                Incumbent(),
                Budget(),
                larger=LargerTables(lambda: (6, 0.0), make_large, least=0.0, least_nodes=0),
            )
        )
        assert len(reports[-1].plan) == len(alone[-1].plan) == table[board]
        bounds = [report.lower_bound for report in reports if report.lower_bound]
        assert bounds == sorted(bounds)
        rounds = reports[-1].counts["nodes_by_bound"]
        if len(alone[-1].counts["nodes_by_bound"]) > 1:
            assert built == [large]
            assert sum(rounds.values()) <= alone[-1].counts["nodes"]


class Foretold(Pace):
    """A pace with figures of its own."""

    def __init__(self, following, growth, nodes=1_000_000):
        super().__init__()
        self.nodes = nodes
        self._seconds, self._growth = following / growth, growth


def worth(seconds, pace, is_last=False, left=None, is_paused=False):
    deadline = None if left is None else time.monotonic() + left
    budget = Budget(deadline=deadline, is_paused=is_paused)
    planned = None if seconds is None else (6, seconds)
    tables = LargerTables(lambda: planned, lambda tell: None)
    return tables.are_worth(5, pace, budget, is_last=is_last)


def test_they_are_built_where_the_search_takes_longer_and_the_limit_leaves_time():
    assert not worth(10.0, Foretold(9.0, 1.0), is_last=True)
    assert worth(10.0, Foretold(11.0, 1.0), is_last=True)
    assert not worth(10.0, Foretold(11.0, 1.0), is_last=True, left=25)
    assert worth(10.0, Foretold(11.0, 1.0), is_last=True, left=3600)
    assert not worth(None, Foretold(11.0, 1.0))
    # The clock of the limit stands still while kernels are compiled: it would for the tables too.
    assert not worth(10.0, Foretold(11.0, 1.0), is_last=True, is_paused=True)


def test_a_later_round_counts_where_the_next_one_is_long():
    assert worth(10.0, Foretold(3.0, 6.0))
    assert not worth(10.0, Foretold(3.0, 6.0), is_last=True)
    # The second round would take half a minute, but the search may be over before.
    assert not worth(10.0, Foretold(2.0, 15.0))


def test_rounds_of_few_nodes_tell_nothing():
    assert worth(10.0, Foretold(20.0, 6.0, nodes=100_000))
    assert not worth(10.0, Foretold(20.0, 6.0, nodes=99_999))


def test_the_next_rounds_are_foretold_by_the_growth():
    pace = Pace()
    pace.round_ended(100, 1.0)
    pace.round_ended(500, 2.0)
    assert pace.foretold(is_last=True) == (10.0, 10.0)
    assert pace.foretold(is_last=False) == (10.0, 60.0)


def test_a_short_search_does_not_ask_what_they_would_take():
    def planned():
        raise AssertionError

    tables = LargerTables(planned, lambda tell: None)
    assert not tables.are_worth(5, Foretold(5.0, 1.0), Budget(), is_last=True)


def test_larger_tables_make_the_next_rounds_shorter():
    pace = Pace()
    pace.round_ended(1000, 10.0)
    pace.round_ended(5000, 50.0)
    pace.tables_grew(10)
    assert pace.foretold(is_last=True) == (25.0, 25.0)
    pace.round_ended(2000, 20.0)
    # Four times the nodes that the round before would have had.
    assert pace.foretold(is_last=True) == (80.0, 80.0)


SMALL = SimpleNamespace(recipe=SimpleNamespace(size=5))


def test_tables_follow_one_another_and_are_left_out_where_there_is_nothing_to_build():
    def tables(name, seconds, following=None):
        planned = None if seconds is None else (6, seconds)
        return LargerTables(lambda: planned, lambda tell: name, following=following)

    def made(larger, following):
        choice = TreeChoice(larger, None)
        make = choice.another(SMALL, 10, Foretold(following, 1.0), Budget(), is_last=True)
        again = choice.another(SMALL, 10, Foretold(1000.0, 1.0), Budget(), is_last=True)
        return [one and one(None) for one in (make, again)]

    assert made(tables("six", 10.0, tables("seven", 100.0)), 50.0) == ["six", "seven"]
    assert made(tables("six", None, tables("seven", 100.0)), 500.0) == ["seven", None]
    assert made(tables("six", 10.0), 500.0) == ["six", None]
    # What is too long now may pay later.
    assert made(tables("six", 10.0, tables("seven", 100.0)), 6.0) == [None, "six"]


def test_what_is_in_use_is_not_built_again():
    def another(size):
        tree = SimpleNamespace(recipe=SimpleNamespace(size=size))
        choice = TreeChoice(LargerTables(lambda: (6, 0.0), lambda tell: "six"), None)
        return choice.another(tree, 10, Foretold(1000.0, 1.0), Budget(), is_last=True)

    assert another(5)(None) == "six" and another(6) is None and another(7) is None


def test_a_process_goes_on_with_the_largest_tables_that_it_has_had(monkeypatch, tmp_path):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(partition, "default_size", lambda cells: 3)
    # No other test in this process has looked for tables of that goal.
    puzzle = make("sliding", 3, 4, (4, 1, 2, 3, 0, 5, 6, 7, 8, 9, 10, 11))
    problem = Problem(puzzle, puzzle.goal)
    small = goal_tables(problem, silent)
    assert goal_tables_size(problem) == 3
    assert goal_chooser(problem).larger(Store(), 1).seconds > 0
    large = goal_tables(problem, silent, size=4)
    assert len(large.table) > len(small.table)
    # Now they are only loaded, by this process too if it has them no more.
    assert goal_chooser(problem).larger(Store(), 1)[:2] == (4, 0.0)
    assert goal_tables_size(problem) == 4 and goal_tables(problem, silent) is large
    # Who asks for smaller ones gets them, and changes nothing for others.
    assert len(goal_tables(problem, silent, size=3).table) == len(small.table)
    goal_tables(problem, silent, size=2)
    assert goal_tables_size(problem) == 4
    assert len(goal_tables(problem, silent).table) == len(large.table)
