"""The plainest encoding as a formula: what SAT does with tile puzzles when nobody helps it.

    python benchmarks/plain_sat.py board.puz

One variable for "content k is in cell c after t moves" and one for "operator o is the move t".
Exactly one operator is each move; it needs its blank, and says where every content comes from. The
horizon rises from 0 in one incremental solver, the goal is assumed. Prints the plan's moves.
"""

import sys
from itertools import count
from pathlib import Path

from pysat.solvers import Solver

from plansolve.formats import read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan

SOLVER = "glucose4"


def plain_plan(problem: Problem) -> Plan:
    """Return a shortest plan; does not end where there is none."""
    puzzle = problem.puzzle
    cells, operators = puzzle.cells, puzzle.operators
    contents = sorted(set(problem.start))
    number = {content: index for index, content in enumerate(contents)}
    layer = cells * len(contents) + len(operators)

    def at(time: int, cell: int, content: int) -> int:
        return time * layer + cell * len(contents) + number[content] + 1

    def made(time: int, operator: int) -> int:
        return time * layer + cells * len(contents) + operator + 1

    with Solver(SOLVER) as solver:
        for cell, content in enumerate(problem.start):
            for other in contents:
                solver.add_clause([at(0, cell, other) * (1 if other == content else -1)])
        for horizon in count():
            goal = [at(horizon, cell, content) for cell, content in enumerate(problem.goal)]
            if solver.solve(assumptions=goal):
                model = set(solver.get_model() or ())
                return tuple(
                    operator.name
                    for time in range(horizon)
                    for index, operator in enumerate(operators)
                    if made(time, index) in model
                )
            solver.add_clause([made(horizon, index) for index in range(len(operators))])
            for index, operator in enumerate(operators):
                for other in range(index):
                    solver.add_clause([-made(horizon, index), -made(horizon, other)])
                if operator.blank is not None:
                    solver.add_clause([-made(horizon, index), at(horizon, operator.blank, 0)])
                sources = dict(operator.moves)
                for cell in range(cells):
                    source = sources.get(cell, cell)
                    for content in contents:
                        before, after = at(horizon, source, content), at(horizon + 1, cell, content)
                        solver.add_clause([-made(horizon, index), -before, after])
                        solver.add_clause([-made(horizon, index), before, -after])
    raise AssertionError("the loop over horizons does not end")


if __name__ == "__main__":
    print(*plain_plan(read_problem(Path(sys.argv[1]).read_text(encoding="utf-8"))))
