"""SAT, IDA* and A* agree on random boards of many puzzles.

The engines share the rules, and next to nothing else. They run here in this process, one after
the other, so that no engine can borrow from another's bounds.
"""

from random import Random

import pytest
from support.fixtures.cases import make, scrambles

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.solvers.engine.registry import ENGINES, start_search
from plansolve.solvers.protocol import Budget, Incumbent

# (puzzle, rows, columns, goal), the longest walk back from the goal, and how many boards.
KINDS = [
    (("sliding", 3, 3, "blank-last"), 60, 40),
    (("sliding", 3, 3, "snail"), 60, 20),
    (("sliding", 2, 4, "blank-first"), 60, 20),
    (("sliding", 4, 4, "blank-last"), 34, 30),
    (("sliding", 3, 5, "snail"), 30, 10),
    (("sliding", 1, 6, "blank-last"), 10, 5),
    (("sliding", 2, 9, "blank-last"), 24, 10),
    (("lloyd", 3, 3, "blank-last"), 40, 20),
    (("lloyd", 5, 5, "blank-last"), 16, 15),
    (("torus-ring", 5, 5, None), 4, 10),
    (("torus-ring:rings=outer", 3, 4, None), 5, 10),
    (("loopover", 3, 3, None), 8, 10),
    (("sliding:metric=multi-tile", 3, 3, "snail"), 30, 20),
    (("sliding:metric=multi-tile", 3, 4, "blank-last"), 14, 10),
    (("torus-ring:rings=outer,metric=any-distance", 3, 3, None), 4, 10),
]


def problems():
    for number, (kind, longest, count) in enumerate(KINDS):
        puzzle = make(*kind)
        for board in range(count):
            steps = Random(f"{number} {board}").randint(1, longest)
            (start,) = scrambles(puzzle, 1, steps, 1000 * number + board)
            if start != puzzle.goal:
                name = f"{'-'.join(map(str, kind))}-{board}"
                # All 200 would be a quarter of the quick suite.
                marks = pytest.mark.slow if board % 8 else ()
                yield pytest.param(Problem(puzzle, start), board, id=name, marks=marks)


def optimum(engine, problem):
    incumbent, length = Incumbent(), None
    for report in start_search(ENGINES[engine], problem, incumbent, Budget(memory=1 << 30)):
        incumbent.raise_lower_bound(report.lower_bound)
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            length = len(report.plan)
            incumbent.lower_upper_bound(length)
    assert incumbent.lower_bound == length, f"{engine} proved {incumbent.lower_bound}"
    return length


@pytest.mark.parametrize(("problem", "number"), [*problems()])
def test_sat_and_search_prove_the_same_length(problem, number):
    engines = ["cnf", "idastar"]
    if problem.puzzle.cells <= 9 and number % 3 == 1:
        engines.append("astar")
    lengths = {engine: optimum(engine, problem) for engine in engines}
    assert len(set(lengths.values())) == 1, lengths
