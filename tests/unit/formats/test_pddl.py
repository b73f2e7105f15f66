"""PDDL files and plans, read by pyperplan, and by Fast Downward if it is installed."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, scrambles
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve.checker import check_plan
from plansolve.errors import PlanError
from plansolve.formats.extract import read_plan_file
from plansolve.formats.pddl import pddl_of, read_pddl_plan
from plansolve.model.problem import Problem

DOWNWARD = find_spec("up_fast_downward")


def written(problem, folder):
    for name, text in zip(("domain", "problem"), pddl_of(problem), strict=True):
        (folder / f"{name}.pddl").write_text(text)


def by_pyperplan(problem, folder):
    written(problem, folder)
    command = [sys.executable, "-m", "pyperplan", "-s", "bfs", "domain.pddl", "problem.pddl"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "problem.pddl.soln").read_text()


def by_downward(problem, folder):
    written(problem, folder)
    program = Path(DOWNWARD.submodule_search_locations[0]) / "downward" / "fast-downward.py"
    command = [sys.executable, program, "domain.pddl", "problem.pddl", "--search", "astar(blind())"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "sas_plan").read_text()


def board(puzzle, steps, seed):
    return Problem(puzzle, scrambles(puzzle, 1, steps, seed)[0])


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 2, 3),
        row_slides(),
        one_way_ring(),
        make("lloyd", 3, 3),
        make("pancake", 1, 3),
    ],
)
def test_a_planner_s_shortest_plan_is_ours(puzzle, tmp_path):
    problem = board(puzzle, 12, 3)
    plan = read_plan_file(by_pyperplan(problem, tmp_path), puzzle).plan
    assert check_plan(problem, plan).solves
    assert len(plan) == Rules.of(puzzle).distances_to(puzzle.goal)[problem.start]


@pytest.mark.parametrize("seed", range(6))
def test_pieces_that_are_alike_and_open_goals(seed, tmp_path):
    random = Random(seed)
    gaps = 1 + seed // 2 % 2
    puzzle = random_puzzle(random, 4, are_alike=True, is_open=seed % 2 == 1, widest=3, gaps=gaps)
    distances = goal_distances(puzzle)
    start = max(distances, key=lambda state: (distances[state], state))
    problem = Problem(puzzle, start)
    plan = read_pddl_plan(by_pyperplan(problem, tmp_path), puzzle) or ()
    assert len(plan) == distances[start] and check_plan(problem, plan).solves


@pytest.mark.skipif(DOWNWARD is None, reason="Fast Downward is not installed")
@pytest.mark.parametrize("puzzle", [make("loopover", 4, 4), make("pancake", 1, 6), row_slides()])
def test_fast_downward_plans_with_conditional_effects(puzzle, tmp_path):
    problem = board(puzzle, 3, 5)
    plan = read_plan_file(by_downward(problem, tmp_path), puzzle).plan
    assert check_plan(problem, plan).solves and len(plan) <= 3


def test_operators_of_many_cells_have_conditional_effects():
    domain, _ = pddl_of(board(make("loopover", 2, 5), 3, 5))
    assert ":conditional-effects" in domain and "(forall (?k - kind) (when (at ?k c4)" in domain
    domain, _ = pddl_of(board(make("sliding", 2, 3), 3, 5))
    assert ":conditional-effects" not in domain


def test_what_is_no_planner_s_plan():
    puzzle = make("sliding", 2, 2)
    for text in ("", "; nothing\n", "U L\n", "(u-1 k3)\n", "(o1-u k3)\nU\n"):
        assert read_pddl_plan(text, puzzle) is None
    assert read_pddl_plan("; cost = 0 (unit cost)\n", puzzle) == ()
    assert read_pddl_plan("; a\n( O0-u k3 )  ; b\n(o1)\n", puzzle) == ("U", "L")
    with pytest.raises(PlanError, match="step 2: sliding has no action o99"):
        read_pddl_plan("(o1-l k1)\n(o99-l k1)\n", puzzle)
