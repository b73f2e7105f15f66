"""Each document is read back as what it was written of, whatever the puzzle, pieces and goal.

A document states a problem and often a plan; its schema describes it.
"""

import json
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.fixtures import cases

from plansolve.apps.judge.isolation import Isolation
from plansolve.apps.judge.optima import Known
from plansolve.apps.judge.protocols import Answer, make_program
from plansolve.apps.judge.ranking import Outcome as Judged
from plansolve.apps.judge.ranking import rank
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.report import judgement_document
from plansolve.apps.judge.sandbox import Ending, Run, RunLimits
from plansolve.apps.judge.scoring import score_run
from plansolve.certcheck.certificate import Certificate
from plansolve.certcheck.files import PLAN
from plansolve.claims.certificate import stated_problem, write_certificate
from plansolve.claims.claim import verify
from plansolve.cli.verify import _document
from plansolve.formats import make, parse_all, read_plan, read_problem, specify, write_problem
from plansolve.formats.extract import FoundPlan
from plansolve.instances.batch import Outcome
from plansolve.instances.report.tables import ROW_SCHEMA, boards_table
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import OPEN
from plansolve.puzzles.registry import FAMILIES, default_size_of, make_puzzle
from plansolve.records.board import Board
from plansolve.solvers.engine.solve import attempt_of
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.tables import as_csv, as_json_lines

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
MOST_MOVES = 6
PUZZLES = {
    **{
        name: make_puzzle(name, *default_size_of(name))
        for name, family in FAMILIES.items()
        if family.pose is None
    },
    "holes": cases.make("sliding:holes=5", 3, 3, "snail"),
    "holes and gaps": cases.make("sliding-gaps:2,holes=5", 3, 3, "blank-first"),
    "multi-tile": cases.make("sliding:metric=multi-tile", 3, 4),
    "walls": cases.make(
        f"sliding:walls={'+'.join(f'{a}-{a + 1}' for a in range(1, 16) if a % 4)}", 4, 4
    ),
    "one row": cases.make("lloyd", 1, 5),
    "a named goal": make_puzzle("sliding", 3, 3, "snail"),
    "turning letters": cases.turning_letters(),
    "alike, a hole": read_problem("AB-\nBA.\ngoal:\nAA-\nBB.\n").puzzle,
    "alike, two gaps": read_problem("AB.\nB.A\ngoal:\n..A\nABB\n").puzzle,
    "alike, an open cell": read_problem("ABA\nB_A\ngoal:\nAAB\nAB*\n").puzzle,
    "alike in a ring": make_puzzle("top-spin", 1, 6, (1, 2, 2, 3, 3, 3)),
    "own labels": cases.row_slides(),
    "one way": cases.one_way_ring(),
}


def walked(rules, seed, opened):
    """A board, with a goal some moves away that leaves cells open, and the way there."""
    random, start, plan = Random(seed), rules.goal_board, []
    board = start
    for _ in range(random.randint(1, MOST_MOVES)):
        possible = rules.applicable(board)
        plan.append(random.choice(sorted(possible)))
        board = possible[plan[-1]].apply(board)
    goal = [OPEN if opened and random.random() < 0.3 else kind for kind in board]
    return Problem(rules.with_goal(goal), start), tuple(plan)


def result_of(problem, plan):
    bounds, cost = (0, len(plan)), penalty(problem, plan)
    stop, by = StopReason.TIME, {"penalty": cost, "problem": problem}
    return Result(Status.FEASIBLE, plan, *bounds, stop, "auto", **by)


def stated(document):
    """The problem that a document states, its plans left aside."""
    return read_problem(json.dumps({k: document[k] for k in ("puzzle", "start", "goal")}))


def board(problem, plan, make_folder):
    text = write_problem(problem, "json")
    return read_problem(text), plan, json.loads(text)


def result(problem, plan, make_folder):
    made = result_of(problem, plan)
    for convention in ("tile", "blank") if problem.puzzle.blank_names else ("tile",):
        assert Result.from_json(made.to_json(convention)) == made
    document = made.to_dict()
    return stated(document), tuple(document["plan"]), json.loads(json.dumps(document))


def verification(problem, plan, make_folder):
    found = FoundPlan(plan, "tile", (1, 1))
    document = json.loads(
        json.dumps(_document(verify(problem, plan), found, extract=False, loses=None))
    )
    return stated(document), tuple(document["plan"]), document


def judgement(problem, plan, make_folder):
    run = Run(Ending.EXITED, 0, None, b"", b"", 1.0, 1.0, 10_000_000, "")
    known = Known(0, "a lower bound")
    outcomes = (Judged("a", "one", run, score_run(problem, known, run, Answer(plan))),)
    made = Judgement(
        (make_program("true {board}", name="a"),), (Board(problem, "one"),), {"one": known},
        outcomes, rank(["a"], outcomes, contest=False), False, True,
        SimpleNamespace(limits=RunLimits(30.0), isolation=Isolation("none", False, False, "open")),
    )  # fmt: skip
    document = json.loads(json.dumps(judgement_document(made)))
    return stated(document["boards"][0]), tuple(document["runs"][0]["plan"]), document


def row(problem, plan, make_folder):
    attempt = attempt_of(result_of(problem, plan), "key", "{}", "now")
    table = boards_table([Outcome(Board(problem, "a", "s"), attempt)])
    # The table of a report is a table of boards.
    ((_, read),) = parse_all("".join(as_csv(table)))
    assert make(specify(read)) == problem
    (line,) = as_json_lines(table, ROW_SCHEMA)
    document = json.loads(line)
    return read_problem(document["board"]), read_plan(document["plan"], problem), document


def certificate(problem, plan, make_folder):
    folder = make_folder("certificate")
    write_certificate(folder, Certificate(problem, plan, 0, (), plans=(plan,)))
    read = read_plan((folder / PLAN).read_text(), problem)
    return stated_problem(folder), read, json.loads((folder / "certificate.json").read_text())


DOCUMENTS = (board, result, verification, judgement, row, certificate)


@pytest.mark.parametrize("name", PUZZLES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), opened=st.booleans())
def test_every_document_comes_back_for_every_family(name, seed, opened, tmp_path_factory):
    problem, plan = walked(PUZZLES[name], seed, opened)
    for write in DOCUMENTS:
        found, read, document = write(problem, plan, tmp_path_factory.mktemp)
        assert (found, read) == (problem, plan), write.__name__
        schema = json.loads((SCHEMAS / f"{write.__name__}.json").read_text(encoding="utf-8"))
        errors = Draft202012Validator(schema).iter_errors(document)
        assert [error.message for error in errors] == [], write.__name__
