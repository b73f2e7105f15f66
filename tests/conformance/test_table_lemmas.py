"""The lemmas that come from tables, on boards where they matter: 15-puzzles and larger ones.

`test_lemmas` holds them by exhaustion on small boards; here the plan's length is that of IDA*.
"""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.fixtures.lemmas import holds
from support.reference.oracle import Rules

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas import board_search, lemma
from plansolve.encoders.lemmas.duplicate_sequences import duplicate_walks
from plansolve.encoders.registry import ENCODINGS, choose_encoding
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.cubes import FormulaRecipe
from plansolve.solvers.formula.horizon import HorizonSolver
from plansolve.solvers.protocol import Options

INSTANCES = Path(__file__).parents[2] / "instances"
EVERY = tuple(sorted(ENCODINGS["half-layer"].lemmas))
PERIMETER, DEEP = ("perimeter",), ("perimeter", "deep-perimeter")


def formula(puzzle, start, lemmas, horizon, encoding="half-layer"):
    builder = CnfBuilder()
    encoder = ENCODINGS[encoding].prepare(Problem(puzzle, start), frozenset(lemmas))
    return builder, encoder.encode(builder, horizon)


# Duplicate sequences


def test_the_4x4_duplicate_walks_are_as_many_as_another_program_found():
    puzzle = cases.make("sliding", 4, 4)
    graph = Problem(puzzle, puzzle.goal).blank_graph
    walks = duplicate_walks(tuple(tuple(sorted(targets)) for targets in graph.successors))
    counts = {array.shape[1] - 1: len(array) for array in walks}
    assert counts == {2: 48, 6: 36, 7: 18, 8: 128, 9: 88, 10: 712}


# Searches of boards


def test_steps_that_are_not_told_make_the_formula_shorter(monkeypatch, lloyd_table):
    puzzle = cases.make("lloyd", 3, 3)
    (start,) = Random(11).sample(sorted(lloyd_table), 1)
    told = {}
    for most in (30, 3_000):
        monkeypatch.setattr(board_search, "MOST_TOLD", most)
        holds(Problem(puzzle, start), lloyd_table[start], "full-layer", {*PERIMETER}, 0)
        builder, _ = formula(puzzle, start, PERIMETER, lloyd_table[start], "full-layer")
        told[most] = len(builder.clauses)
    assert told[30] < told[3_000]


def test_how_many_slots_a_search_begins_with_does_not_matter(monkeypatch, eight_table):
    puzzle = cases.make("sliding", 3, 3)
    start = max(sorted(eight_table), key=eight_table.__getitem__)
    made = []
    for slots in (2, 1 << 20):
        monkeypatch.setattr(board_search, "FIRST_SLOTS", slots)
        builder = formula(puzzle, start, PERIMETER, 31)[0]
        made.append((builder.boards_searched, builder.clauses))
    assert made[0][0] > 1_000 and made[0] == made[1]


@pytest.fixture
def deep_on_3x3(monkeypatch):
    """Deep searches follow soon."""
    monkeypatch.setattr(board_search, "ROOM", 10)
    monkeypatch.setattr(board_search, "FIRST_PATTERN", 3)


def test_a_deep_search_refutes_what_is_too_short_or_changes_nothing(deep_on_3x3, eight_table):
    puzzle, kinds = cases.make("sliding", 3, 3), set()
    for start in Random(12).sample([b for b, depth in eight_table.items() if depth == 25], 4):
        for horizon in (23, 25):
            plain, deep = (formula(puzzle, start, x, horizon)[0] for x in (PERIMETER, DEEP))
            assert deep.boards_searched >= plain.boards_searched
            assert deep.is_refuted_by_search or deep.clauses == plain.clauses
            assert horizon == 23 or not deep.is_contradiction
            kinds.add((horizon, plain.is_refuted_by_search, deep.is_refuted_by_search))
    assert kinds == {(23, False, True), (25, False, False)}


def test_deep_searches_are_left_out_with_little_memory_and_of_cubes(deep_on_3x3, eight_table):
    far = max(sorted(eight_table), key=eight_table.__getitem__)
    job = Job(Problem(cases.make("sliding", 3, 3), far), Options(lemmas=(*DEEP, "distance")))
    by_search = {}
    for memory in (None, 8 << 30, 1 << 30):
        attempt = HorizonSolver(job, memory=memory).attempt(29)
        assert attempt.refuted
        by_search[memory] = attempt.record.by_search
    assert by_search == {None: True, 8 << 30: True, 1 << 30: False}
    assert FormulaRecipe.of(job, 29).lemmas == ("distance", "perimeter")


@pytest.mark.slow
def test_a_deep_search_refutes_what_would_need_more_boards():
    instance = load_instance_set(INSTANCES / "fifteen-hardest").instances[0]
    assert instance.optimal_length == 80
    for lemmas in (PERIMETER, DEEP):
        builder = formula(instance.problem.puzzle, instance.problem.start, lemmas, 76)[0]
        assert builder.is_refuted_by_search == (lemmas == DEEP)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5-1", "6-1", "7-2", "8-2", "9-1", "10-1"])
def test_2023_boards_have_their_depth(name, monkeypatch):
    monkeypatch.setattr(lemma, "FIRST_FREE_HORIZON", 0)
    instances = load_instance_set(INSTANCES / "torus-ring-walks").instances
    (one,) = (i for i in instances if i.name == name)
    solver = cases.solver(one.problem.puzzle, one.problem.start, "permutation", None)
    assert solver.attempt(one.optimal_length - 1).record.by_search
    plan = solver.attempt(one.optimal_length).plan
    assert Rules.of(one.problem.puzzle).replay(one.problem.start, plan)[-1] == one.problem.goal


# 15-puzzles


@pytest.fixture
def always(monkeypatch):
    """Has boards of any size use the tables at every horizon."""
    monkeypatch.setattr(lemma, "FIRST_HORIZON", 0)
    monkeypatch.setattr(lemma, "FIRST_DIRECTED_HORIZON", 0)


def walks(puzzle, count, seed):
    """Boards at the end of random walks of 20 to 60 steps that never go straight back."""
    random = Random(seed)
    rules = Rules.of(puzzle)
    for _ in range(count):
        before, board = None, puzzle.goal
        for _ in range(random.randint(20, 60)):
            choice = random.choice([s for s in rules.predecessors(board) if s != before])
            before, board = board, choice
        yield Problem(puzzle, board)


def agrees_with_search(problem):
    encoding = choose_encoding(problem.structure).name
    optimum = solve(problem, engine="idastar", optimal=True).length
    lemmas = tuple(sorted(ENCODINGS[encoding].lemmas))
    solver = cases.solver(problem.puzzle, problem.start, encoding, lemmas)
    if optimum >= 2:
        assert solver.attempt(optimum - 2).refuted
    plan = solver.attempt(optimum).plan
    assert plan is not None, problem.start
    assert Rules.of(problem.puzzle).replay(problem.start, plan)[-1] == problem.goal


def some(count, seed, specification="sliding", *sides, slow=True):
    marks = [pytest.mark.slow] * slow
    return pytest.param(count, seed, make(specification, *(sides or (4, 4))), marks=marks)


@pytest.mark.parametrize(
    ("count", "seed", "puzzle"),
    [
        some(1, 1, slow=False),
        *(some(30, seed) for seed in range(1, 12)),
        some(4, 12, "sliding", 3, 4),
        some(4, 15, "sliding", 3, 5, "blank-first"),
        some(4, 16, "sliding", 2, 8),
        some(4, 25, "sliding", 5, 5),
        some(4, 16, "sliding", 4, 4, "snail"),
        some(4, 16, "sliding", 4, 4, "blank-first"),
        some(8, 25, "lloyd", 5, 5),
    ],
)
def test_boards_have_the_optimum_of_ida_star(count, seed, puzzle, always):
    for problem in walks(puzzle, count, seed):
        agrees_with_search(problem)


# The formula


PRINT_DIGEST = """
import hashlib, sys
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import ENCODINGS, choose_encoding
from plansolve.formats import read_problem
problem = read_problem("8 6 7\\n2 5 4\\n3 . 1")
encoding = ENCODINGS["half-layer"]
builder = CnfBuilder()
encoding.prepare(problem, encoding.lemmas).encode(builder, 29)
print(hashlib.sha256("\\n".join(builder.dimacs()).encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_formula_does_not_depend_on_hash_seeds():
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGEST],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


# The sums of distances are 20, 1 and 38.
FAR = (15, 3, 4, 8, 1, 6, 7, 0, 9, 10, 2, 12, 5, 11, 14, 13)
NEAR = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15)


@pytest.mark.parametrize(
    ("start", "horizon", "has_tables"),
    [
        (FAR, 32, False),
        (FAR, 34, True),
        pytest.param(NEAR, 33, False, marks=pytest.mark.slow),
        pytest.param(NEAR, 35, True, marks=pytest.mark.slow),
    ],
)
def test_shallow_horizons_of_large_boards_have_the_formula_without_tables(
    start, horizon, has_tables
):
    puzzle = cases.make("sliding", 4, 4)
    light = ENCODINGS["half-layer"].default()
    plain, whole = (formula(puzzle, start, lemmas, horizon)[0].clauses for lemmas in (light, EVERY))
    assert (plain != whole) == has_tables
