"""Larger tables in the middle of a proof."""

import time
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from support.fixtures.cases import make, silent

from plansolve.model.problem import Problem
from plansolve.patterns import partition
from plansolve.patterns.goal_tables import goal_tables, goal_tables_size
from plansolve.patterns.partition import goal_chooser
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.idastar.larger_tables import Pace, TreeChoice, worth_building
from plansolve.solvers.search.idastar.tree import Recipe
from plansolve.storage.store import Store


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
    return worth_building(lambda: planned, 5, pace, budget, is_last=is_last) == 6


@pytest.mark.parametrize(
    ("is_worth", "seconds", "pace", "options"),
    [
        # They are built where the search takes longer, and the limit leaves time.
        (False, 10.0, Foretold(9.0, 1.0), {"is_last": True}),
        (True, 10.0, Foretold(11.0, 1.0), {"is_last": True}),
        (False, 10.0, Foretold(11.0, 1.0), {"is_last": True, "left": 25}),
        (True, 10.0, Foretold(11.0, 1.0), {"is_last": True, "left": 3600}),
        (False, None, Foretold(11.0, 1.0), {}),
        # The clock of the limit stands still while kernels are compiled: for the tables it would.
        (False, 10.0, Foretold(11.0, 1.0), {"is_last": True, "is_paused": True}),
        # A later round counts where the next one is long.
        (True, 10.0, Foretold(3.0, 6.0), {}),
        (False, 10.0, Foretold(3.0, 6.0), {"is_last": True}),
        # The second round would take half a minute, but the search may be over before.
        (False, 10.0, Foretold(2.0, 15.0), {}),
        # Rounds of few nodes tell nothing.
        (True, 10.0, Foretold(20.0, 6.0, nodes=100_000), {}),
        (False, 10.0, Foretold(20.0, 6.0, nodes=99_999), {}),
    ],
)
def test_when_larger_tables_are_worth_building(is_worth, seconds, pace, options):
    assert worth(seconds, pace, **options) == is_worth


def test_a_short_search_does_not_ask_what_they_would_take():
    assert worth_building(None, 5, Foretold(5.0, 1.0), Budget(), is_last=True) is None


def test_the_next_rounds_are_foretold_by_the_growth_and_shorter_with_larger_tables():
    pace = Pace()
    pace.round_ended(1000, 10.0)
    pace.round_ended(5000, 50.0)
    assert pace.foretold(is_last=True) == (250.0, 250.0)
    assert pace.foretold(is_last=False) == (250.0, 1500.0)
    pace.tables_grew(10)
    assert pace.foretold(is_last=True) == (25.0, 25.0)
    pace.round_ended(2000, 20.0)
    # Four times the nodes that the round before would have had.
    assert pace.foretold(is_last=True) == (80.0, 80.0)


@dataclass(frozen=True)
class Sized(Recipe):
    """Makes its size instead of a tree."""

    def make(self, tell, threads):
        return SimpleNamespace(size=self.size)


def chosen(choice, seconds, size=5):
    """The size of the tree that is made, where a round takes so many seconds."""
    tree = SimpleNamespace(recipe=Sized("", size, 0))
    make = choice.another(tree, 10, Foretold(seconds, 1.0), is_last=True)
    return make and make().size


def test_tables_follow_one_another_and_are_left_out_where_there_is_nothing_to_build():
    def made(six, seven, *rounds):
        planned = [lambda: six and (6, six), lambda: (7, seven)]
        choice = TreeChoice(planned[: 1 if seven is None else 2], None, Budget())
        return [chosen(choice, seconds) for seconds in rounds]

    assert made(10.0, 100.0, 50.0, 1000.0) == [6, 7]
    assert made(None, 100.0, 500.0, 1000.0) == [7, None]
    assert made(10.0, None, 500.0, 1000.0) == [6, None]
    # What is too long now may pay later.
    assert made(10.0, 100.0, 6.0, 1000.0) == [None, 6]


def test_what_is_in_use_is_not_built_again():
    for size, another in ((5, 6), (6, None), (7, None)):
        choice = TreeChoice([lambda: (6, 0.0)], None, Budget())
        assert chosen(choice, 1000.0, size) == another


def test_a_round_goes_on_with_the_tables_of_its_record():
    records = {}
    sizes = SimpleNamespace(read=records.get, write=records.setdefault)
    choice = TreeChoice([lambda: (6, 0.0)], sizes, Budget())
    records[10] = 4
    assert chosen(choice, 1000.0) == 4 and chosen(choice, 1000.0, size=4) is None
    choice.settle(SimpleNamespace(recipe=Sized("", 7, 0)), 12)
    assert records == {10: 4, 12: 7}


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
