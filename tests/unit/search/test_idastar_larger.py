"""Larger tables in the middle of a proof."""

import time

import pytest
from support.fixtures.cases import make
from support.fixtures.idastar import LLOYD, SLIDING, distances, patterns, sample

from plansolve.model.problem import Problem
from plansolve.patterns.additive import larger_sets
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.automaton import ONE_PLAN
from plansolve.solvers.search.idastar.blank_tree import PatternTree, walk_automaton
from plansolve.solvers.search.idastar.idastar import idastar
from plansolve.solvers.search.idastar.larger import LargerTables


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
                larger=LargerTables(lambda: 0.0, make_large, least=0.0),
            )
        )
        assert len(reports[-1].plan) == len(alone[-1].plan) == table[board]
        bounds = [report.lower_bound for report in reports if report.lower_bound]
        assert bounds == sorted(bounds)
        rounds = reports[-1].counts["nodes_by_bound"]
        if len(alone[-1].counts["nodes_by_bound"]) > 1:
            assert built == [large]
            assert sum(rounds.values()) <= alone[-1].counts["nodes"]


def test_they_are_built_where_the_round_takes_longer_and_the_limit_leaves_time():
    tables = LargerTables(lambda: 10.0, lambda tell: None)
    assert not tables.is_worth(9.0, Budget())
    assert tables.is_worth(11.0, Budget())
    assert not tables.is_worth(11.0, Budget(deadline=time.monotonic() + 25))
    assert tables.is_worth(11.0, Budget(deadline=time.monotonic() + 3600))
    assert not LargerTables(lambda: None, lambda tell: None).is_worth(11.0, Budget())


def test_a_short_search_does_not_ask_what_they_would_take():
    def effort():
        raise AssertionError

    assert not LargerTables(effort, lambda tell: None).is_worth(5.0, Budget())


def test_what_larger_tables_would_take(monkeypatch, tmp_path):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    puzzle = make("sliding", 5, 5)
    larger = larger_sets(Problem(puzzle, puzzle.goal), threads=2)
    assert larger.size == 6
    # Two distinct tables of 25 ** 6 bytes, built side by side with three masks of 32 bits.
    assert larger.memory == 2 * 25**6 * 13
    assert larger.seconds == larger_sets(Problem(puzzle, puzzle.goal), threads=1).seconds / 2
    thirty_six = make("sliding", 6, 6)
    assert larger_sets(Problem(thirty_six, thirty_six.goal), threads=2).size == 5
