"""One board for each engine and each encoding, and one file through the command: `make smoke`.

The lengths are those of the oracle's breadth-first tables.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from support.fixtures.cases import distance_table, make

from plansolve.checker import check_plan
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure
from plansolve.solvers.engine.registry import ENGINES, fits
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

SEEDS = Path(__file__).parents[2] / "instances" / "seeds"
# A blank graph, and operators that move whole lines.
SPECIFICATIONS = [("sliding", 2, 3), ("loopover", 2, 3)]
PUZZLES = {specification: make(*specification) for specification in SPECIFICATIONS}
ENGINES_THAT_FIT = [
    pytest.param(name, specification, id=f"{name}-{specification[0]}")
    for name, engine in ENGINES.items()
    for specification, puzzle in PUZZLES.items()
    if fits(engine, Structure(puzzle))
]
ENCODINGS_THAT_FIT = [
    pytest.param(name, specification, id=f"{name}-{specification[0]}")
    for name, encoding in ENCODINGS.items()
    for specification, puzzle in PUZZLES.items()
    if encoding.fits(Structure(puzzle))
]


def deepest(specification):
    """One of the boards farthest from the goal, and its distance."""
    table = distance_table(*specification)
    start = max(sorted(table), key=table.get)
    return Problem(PUZZLES[specification], start), table[start]


@pytest.mark.parametrize(("engine", "specification"), ENGINES_THAT_FIT)
def test_each_engine_finds_a_plan_and_proves_it_shortest_if_it_proves(
    engine, specification, kept_workers
):
    problem, length = deepest(specification)
    result = solve(
        problem, optimal=ENGINES[engine].proves, engine=engine, time_limit=60, workers=kept_workers
    )
    assert check_plan(problem, result.plan).solves
    assert result.lower_bound <= length <= result.length
    if ENGINES[engine].proves:
        assert (result.status, result.length) == (Status.OPTIMAL, length)


@pytest.mark.parametrize(("encoding", "specification"), ENCODINGS_THAT_FIT)
def test_each_encoding_proves_the_same_length(encoding, specification, kept_workers):
    problem, length = deepest(specification)
    result = solve(problem, engine="cnf", encoding=encoding, workers=kept_workers, optimal=True)
    assert check_plan(problem, result.plan).solves
    assert (result.status, result.length) == (Status.OPTIMAL, length)


def test_the_command_solves_a_file():
    done = subprocess.run(
        [sys.executable, "-m", "plansolve", str(SEEDS / "cis521-c.json"), "--optimal", "-q"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, len(done.stdout.strip()), done.stderr) == (0, 14, "")
