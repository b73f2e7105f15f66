"""A SAT solver and a search agree on random boards of every puzzle, through `cross_check`.

660 boards with `-m slow`, 30 of them always. What both prove is also held against the walk that
made the board, and their plans are replayed by the oracle, which imports nothing of plansolve.
"""

from dataclasses import dataclass
from functools import partial
from random import Random

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, scrambles
from support.reference.oracle import Rules

from plansolve.claims.claim import cross_check
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

SECONDS = 120.0
"""A backstop for each engine, so that a slip is a failure and not a hang."""


@dataclass(frozen=True)
class Kind:
    """Boards of one puzzle.

    They lie at most `steps` moves from the goal; with None they are random permutations, which
    need not have a plan. The first `quick` of all `count` are tried always.
    """

    puzzle: Puzzle
    steps: int | None
    count: int
    quick: int


def from_json(puzzle):
    """The puzzle as a user defines it, read from a file of its rules."""
    return read_problem(write_problem(Problem(puzzle, puzzle.goal), "json"), format="json").puzzle


KINDS = {
    "2x2": Kind(make("sliding", 2, 2), None, 24, 2),
    "2x3": Kind(make("sliding", 2, 3, "blank-first"), None, 40, 2),
    "3x3": Kind(make("sliding", 3, 3), None, 50, 1),
    "3x3 snail": Kind(make("sliding", 3, 3, "snail"), 60, 30, 1),
    "1x7": Kind(make("sliding", 1, 7), 10, 10, 0),
    "3x4": Kind(make("sliding", 3, 4, "snail"), 80, 36, 1),
    "4x4": Kind(make("sliding", 4, 4), 100, 50, 1),
    "4x4 blank first": Kind(make("sliding", 4, 4, "blank-first"), 60, 20, 0),
    "2x4": Kind(make("sliding", 2, 4, "blank-first"), 60, 10, 1),
    "3x5": Kind(make("sliding", 3, 5, "snail"), 30, 10, 1),
    "2x9": Kind(make("sliding", 2, 9), 24, 10, 1),
    "multi-tile 3x3": Kind(make("sliding:metric=multi-tile", 3, 3, "snail"), 30, 20, 1),
    "multi-tile 3x4": Kind(make("sliding:metric=multi-tile", 3, 4), 14, 10, 1),
    "lloyd 3x3": Kind(make("lloyd", 3, 3), None, 50, 2),
    "lloyd 5x5": Kind(make("lloyd", 5, 5), 24, 40, 1),
    "torus-ring": Kind(make("torus-ring", 5, 5), 6, 40, 1),
    "one-way torus": Kind(make("torus-ring:rows=LRL,columns=UDUD,rings=none", 3, 4), 7, 20, 1),
    "outer rings": Kind(make("torus-ring:rings=outer", 3, 4), 5, 10, 1),
    "any distance": Kind(make("torus-ring:rings=outer,metric=any-distance", 3, 3), 4, 10, 1),
    "loopover": Kind(make("loopover", 3, 3), 8, 30, 2),
    "pancakes": Kind(make("pancake", 1, 6), None, 20, 1),
    "top-spin": Kind(make("top-spin:turnstile=3", 1, 8), 20, 20, 1),
    "coloured rings": Kind(make("hungarian-rings:6,2,colours=3", 2, 5), 20, 20, 1),
    "rings": Kind(make("hungarian-rings:5,2", 2, 4), 20, 20, 0),
    "ring rules": Kind(from_json(one_way_ring()), 12, 30, 2),
    "slide rules": Kind(from_json(row_slides()), 12, 30, 3),
}


def boards(name, kind):
    """Each board and its number, the same in every run."""
    for number in range(kind.count):
        random = Random(f"{name} {number}")
        if kind.steps is None:
            yield number, tuple(random.sample(kind.puzzle.goal, kind.puzzle.cells))
        else:
            (start,) = scrambles(kind.puzzle, 1, kind.steps, random.randrange(1 << 30))
            yield number, start


def agree(kind, start, workers):
    """Checks one board, and tells whether it has a plan."""
    problem = Problem(kind.puzzle, start)
    search = partial(solve, problem, optimal=True, time_limit=SECONDS, workers=workers)
    check = cross_check(problem, search)
    assert check.agreed is True, check
    assert len(check.results) == 2
    statuses = {result.status for result in check.results}
    if check.length is None:
        assert statuses == {Status.UNSOLVABLE}
        assert kind.steps is None, "a board that was made by a walk has a plan"
        return False
    assert statuses == {Status.OPTIMAL}
    assert kind.steps is None or check.length <= kind.steps
    rules = Rules.of(kind.puzzle)
    for result in check.results:
        assert len(result.plan) == check.length == result.lower_bound
        assert rules.replay(start, result.plan)[-1] == kind.puzzle.goal
    return True


@pytest.mark.parametrize(
    ("name", "is_quick"),
    [
        *((name, True) for name, kind in KINDS.items() if kind.quick),
        *(pytest.param(name, False, marks=pytest.mark.slow) for name in KINDS),
    ],
)
def test_two_engines_agree(name, is_quick, kept_workers):
    kind = KINDS[name]
    chosen = [s for number, s in boards(name, kind) if (number < kind.quick) == is_quick]
    have_plans = sum(agree(kind, start, kept_workers) for start in chosen)
    # Random permutations without any plan would check little.
    assert is_quick or have_plans >= len(chosen) // 4
