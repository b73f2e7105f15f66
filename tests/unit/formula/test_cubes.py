"""Formulas in cubes: the answers of the whole formula, and one proof that outsiders accept."""

import gc
import gzip
import io
import os
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import psutil
import pytest
from pysat.solvers import Solver
from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve import read_problem
from plansolve.certcheck.clauses import Clauses, lines_of
from plansolve.certcheck.external_checkers import external_verdict
from plansolve.certcheck.lrat import check_hints, read_cnf, read_lrat
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import ENCODINGS
from plansolve.errors import EngineError, ProofError
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure
from plansolve.solvers.formula import cubes
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.backends import BACKENDS
from plansolve.solvers.formula.cubes import CubeSolver
from plansolve.solvers.formula.horizon import HorizonSolver
from plansolve.solvers.formula.refutation import trimmed
from plansolve.solvers.limits import CutShort, stopped_by
from plansolve.solvers.protocol import Options
from plansolve.solvers.result import StopReason

SPLITTING = [name for name, backend in BACKENDS.items() if backend.cubes]
WITH_ONE_QUICK = [SPLITTING[0], *(pytest.param(b, marks=pytest.mark.slow) for b in SPLITTING[1:])]


def problem_of(name, start):
    return Problem(cases.make(name, 3, 3), start)


# A board, its encoding, and the first length to try.
BOARDS = {
    "sliding": (read_problem("8 6 7\n2 5 4\n3 . 1"), "half-layer", 29),
    "full-layer": (problem_of("sliding", (2, 3, 6, 1, 0, 4, 7, 5, 8)), "full-layer", 0),
    "lloyd": (problem_of("lloyd", (4, 3, 5, 7, 2, 6, 1, 0, 8)), "full-layer", 0),
    "torus": (problem_of("loopover", (2, 3, 4, 5, 8, 1, 9, 7, 6)), "permutation", 0),
}


# The longer ones have no part that the others lack.
QUICK = [
    pytest.param(name, marks=pytest.mark.slow) if name in ("sliding", "full-layer") else name
    for name in BOARDS
]


# Splits easy horizons too, into as many cubes as can be.
SplitSolver = partial(HorizonSolver, threads=2, many_conflicts=0)
# The same once there was a conflict.
CoarseSolver = partial(HorizonSolver, threads=2, many_conflicts=1)


@dataclass(frozen=True)
class Found:
    """Return the outcome of some cubes: a model or None, and the parts of the proof."""

    model: list[int] | None
    proofs: list[Path]


def solve_cubes(clauses, branches, backend, folder=None):
    solver = CubeSolver(clauses, backend, with_proof=folder is not None)
    parts = []
    for cube in branches:
        part = None if folder is None else folder / f"part{len(list(folder.iterdir()))}"
        result = solver.solve((cube,) if isinstance(cube, int) else cube, part)
        if result.model is not None:
            return Found(result.model, parts)
        parts.append(part)
    return Found(None, parts)


def optimum(problem, encoding):
    solver = HorizonSolver(Job(problem, Options(encoding=encoding)))
    return next(h for h in range(100) if not solver.attempt(h).refuted)


@pytest.mark.parametrize("backend", WITH_ONE_QUICK)
@pytest.mark.parametrize("name", QUICK)
def test_processes_side_by_side_have_the_answers_of_one(name, backend):
    problem, encoding, least = BOARDS[name]
    alone = HorizonSolver(Job(problem, Options(encoding=encoding, backend=backend)))
    solver = SplitSolver if name == "full-layer" else CoarseSolver
    split = solver(Job(problem, Options(encoding=encoding, backend=backend)))
    several = 0
    for horizon in range(least, 32):
        one, other = alone.attempt(horizon), split.attempt(horizon)
        assert one.refuted == other.refuted
        several += other.record.cubes > 1
        if not one.refuted:
            boards = Rules.of(problem.puzzle).replay(problem.start, other.plan)
            assert boards[-1] == problem.goal and len(boards) == horizon + 1
            break
    else:
        pytest.fail("there is a plan of 31 moves at most")
    assert several


def text_of(path):
    return gzip.decompress(path.read_bytes())


def refutes(formula, text):
    """Return True if a proof refutes a formula, or ends before it does."""
    try:
        trimmed(formula, text.decode().splitlines())
    except ProofError as error:
        assert str(error).startswith("the proof ends before")
        return False
    return True


@pytest.mark.parametrize("backend", SPLITTING)
@pytest.mark.parametrize(
    "name", [*(pytest.param(n, marks=pytest.mark.slow) for n in ("sliding", "lloyd")), "torus"]
)
def test_the_parts_are_one_proof(name, backend, tmp_path):
    problem, encoding, _ = BOARDS[name]
    horizon = optimum(problem, encoding) - (2 if name == "sliding" else 1)
    job = Job(problem, Options(encoding=encoding, backend=backend, proofs=str(tmp_path)))
    assert SplitSolver(job).attempt(horizon).record.cubes > 1
    formula = read_cnf(io.BytesIO(text_of(tmp_path / f"{horizon}.cnf.gz")), 1 << 26)
    proof = [*read_lrat(io.BytesIO(text_of(tmp_path / f"{horizon}.lrat.gz")), formula, 1 << 26)]
    assert check_hints(formula, proof) is None
    assert {path.suffix for path in tmp_path.iterdir()} == {".gz"}
    (tmp_path / "cnf").write_bytes(text_of(tmp_path / f"{horizon}.cnf.gz"))
    steps = [line for part in proof for line in lines_of(part.steps)]
    (tmp_path / "drup").write_text("\n".join(steps))
    assert external_verdict("dratify", tmp_path / "cnf", tmp_path / "drup", 900.0).verified


@pytest.mark.parametrize("backend", SPLITTING)
def test_half_of_the_cubes_prove_nothing_and_both_halves_all(backend, tmp_path):
    problem, encoding, _ = BOARDS["lloyd"]
    builder = CnfBuilder()
    encoder = ENCODINGS[encoding].prepare(problem, ENCODINGS[encoding].default())
    branches, *_ = encoder.encode(builder, optimum(problem, encoding) - 1).choices()
    formula = Clauses.of(builder.variables, builder.clauses)
    proofs = []
    for first in (0, 1):
        found = solve_cubes(builder.clauses, branches[first::2], backend, tmp_path)
        proofs.append(b"".join(map(text_of, found.proofs)))
        assert found.model is None
        assert not refutes(formula, proofs[-1])
    assert refutes(formula, proofs[0] + proofs[1])
    assert refutes(formula, proofs[1] + proofs[0])


def test_easy_horizons_are_not_split():
    problem, encoding, _ = BOARDS["lloyd"]
    attempt = HorizonSolver(Job(problem, Options(encoding=encoding)), threads=2).attempt(5)
    assert attempt.record.cubes == 1


@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_each_model_satisfies_one_of_each_choice(encoding):
    puzzles = [
        cases.make("sliding", 2, 3),
        cases.make("sliding", 3, 3),
        cases.make("lloyd", 3, 3),
        cases.row_slides(),
    ]
    fitting = [p for p in puzzles if ENCODINGS[encoding].fits(Structure(p))]
    assert fitting
    most = []
    for puzzle in fitting:
        for start in cases.scrambles(puzzle, 4, 14, 3):
            for horizon in (0, 1, 2, 9, 10):
                builder = CnfBuilder()
                encoder = ENCODINGS[encoding].prepare(Problem(puzzle, start), frozenset())
                choices = encoder.encode(builder, horizon).choices()
                most.append(len(choices))
                for branches in choices:
                    assert branches
                    assert len(set(branches)) == len(branches)
                    assert all(0 < x <= builder.variables for x in branches)
                    clauses = [*builder.clauses, *([-x] for x in branches)]
                    with Solver(name="glucose42", bootstrap_with=clauses) as solver:
                        assert not solver.solve()
    assert max(most) == (1 if encoding == "permutation" else 2)
    assert min(most) == 0


PIGEONS = [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]]


@pytest.mark.parametrize(
    ("backend", "count"),
    [(SPLITTING[0], 12), *(pytest.param(name, 80, marks=pytest.mark.slow) for name in SPLITTING)],
)
def test_random_formulas_have_the_answer_of_another_solver_and_a_proof(backend, count, tmp_path):
    random = Random(backend)
    seen = {True: 0, False: 0}
    for number in range(count):
        variables = random.randint(3, 14)
        clauses = [
            [random.choice((1, -1)) * x for x in random.sample(range(1, variables + 1), size)]
            for size in random.choices((1, 2, 3, 3), k=int(variables * random.uniform(0.5, 5)))
        ]
        # Some are false from the beginning, and some are there twice.
        branches = [random.choice((1, -1)) * random.randint(1, variables) for _ in range(4)]
        clauses.append(branches)
        folder = tmp_path / str(number)
        folder.mkdir()
        found = solve_cubes(clauses, branches, backend, folder)
        with Solver(name="cadical195", bootstrap_with=clauses) as other:
            satisfiable = other.solve()
        assert (found.model is not None) == satisfiable
        seen[satisfiable] += 1
        if satisfiable:
            true = set(found.model)
            assert all(any((x > 0) == (abs(x) in true) for x in clause) for clause in clauses)
        else:
            text = b"".join(map(text_of, found.proofs)) + b"0\n"
            assert refutes(Clauses.of(variables, clauses), text)
    assert min(seen.values()) > count // 8


def children():
    """This process's own; tests that ran before may have left some to be used again."""
    return {child.pid for child in psutil.Process().children()}


FAULTS = {
    "error": (lambda: [][0], EngineError, "glucose42: IndexError: list index out of range"),
    "no memory": (lambda: bytearray(1 << 62), MemoryError, "^$"),
    "killed": (lambda: os.kill(os.getpid(), signal.SIGKILL), CutShort, "killed|memory ran"),
    "signal": (lambda: os.kill(os.getpid(), signal.SIGTERM), CutShort, "unexpectedly, signal 15"),
    "exit": (lambda: os._exit(7), CutShort, "unexpectedly, exit code 7"),
}


def broken(fault):
    class Broken(Solver):
        def solve(self, assumptions=()):
            fault()

    return Broken


@pytest.mark.parametrize("name", FAULTS)
def test_a_process_that_fails_says_why(name, monkeypatch, tmp_path):
    fault, error, message = FAULTS[name]
    monkeypatch.setattr(cubes, "Solver", broken(fault))
    before = children()
    with pytest.raises(error, match=message) as caught:
        solve_cubes(PIGEONS, [1, 2], "glucose42", tmp_path)
    assert name != "killed" or caught.value.reason == StopReason.MEMORY
    assert children() == before and [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["error", "killed", pytest.param("exit", marks=pytest.mark.slow)])
def test_a_cube_that_fails_ends_the_proof_and_leaves_no_part(name, monkeypatch, tmp_path):
    fault, error, message = FAULTS[name]
    monkeypatch.setattr(cubes, "Solver", broken(fault))
    problem, encoding, _ = BOARDS["lloyd"]
    solver = SplitSolver(Job(problem, Options(encoding=encoding, proofs=str(tmp_path))))
    before = children()
    with pytest.raises(error, match=message):
        solver.attempt(4)
    assert children() == before and [*tmp_path.iterdir()] == []


def test_without_another_process_this_one_solves(monkeypatch, tmp_path):
    def refuse():
        raise BlockingIOError("too many processes")

    monkeypatch.setattr(os, "fork", refuse)
    # Solvers of tests that ran before may hold some until they are collected.
    gc.collect()
    descriptors = psutil.Process().num_fds()
    found = solve_cubes(PIGEONS, [1, 2], "glucose42", tmp_path)
    assert found.model is None
    assert refutes(Clauses.of(6, PIGEONS), b"".join(map(text_of, found.proofs)) + b"0\n")
    assert solve_cubes([[1, 2, 3], [-1], [-2]], [1, 2, 3], "glucose42").model == [3]
    assert psutil.Process().num_fds() == descriptors


@pytest.mark.parametrize("forks", [True, False])
def test_work_that_nobody_wants_ends(forks, monkeypatch, tmp_path):
    problem, encoding, horizon = BOARDS["sliding"]
    builder = CnfBuilder()
    ENCODINGS[encoding].prepare(problem, frozenset()).encode(builder, horizon)
    solver = CubeSolver(builder.clauses, "glucose42", with_proof=True)
    if not forks:
        monkeypatch.setattr(cubes.sys, "platform", "darwin")
    before = children()
    with stopped_by(lambda: True):
        assert solver.solve((), tmp_path / "part") is None
    assert children() == before
    assert not (tmp_path / "part").exists()


def test_a_proof_that_breaks_off_is_noticed(monkeypatch, tmp_path):
    class Full(Solver):
        def get_proof(self):
            return super().get_proof()[:-1]

    monkeypatch.setattr(cubes, "Solver", Full)
    clauses = [[-1, 2, 3], [-1, 2, -3], [-1, -2, 3], [-1, -2, -3]]
    with pytest.raises(EngineError, match="an incomplete proof"):
        solve_cubes(clauses, [1], "glucose42", tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_a_model_leaves_no_part_of_a_proof(tmp_path):
    problem, encoding, _ = BOARDS["lloyd"]
    job = Job(problem, Options(encoding=encoding, proofs=str(tmp_path)))
    attempt = SplitSolver(job).attempt(optimum(problem, encoding))
    assert attempt.plan is not None and attempt.record.cubes > 1
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("memory", "cubes"), [(None, True), (1 << 50, True), (1 << 20, False)])
def test_without_the_memory_for_more_processes_there_is_one(memory, cubes):
    problem, encoding, _ = BOARDS["lloyd"]
    solver = SplitSolver(Job(problem, Options(encoding=encoding)), memory=memory)
    assert (solver.attempt(2).record.cubes > 1) == cubes
