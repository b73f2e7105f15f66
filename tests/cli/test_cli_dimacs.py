"""encode -> any SAT solver -> decode, and what decode says to answers that are none."""

import resource
from pathlib import Path

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

CIS_A = "4 1 2\n0 5 3\n7 8 6\n"


def solver_says(dimacs: str) -> str:
    """Answer as a solver that knows nothing of plansolve: DIMACS in, `s` and `v` lines out."""
    with Solver("minisat22", bootstrap_with=CNF(from_string=dimacs)) as solver:
        if not solver.solve():
            return "s UNSATISFIABLE\n"
        model = solver.get_model()
    lines = (model[first : first + 10] for first in range(0, len(model), 10))
    values = "".join(f"v {' '.join(map(str, line))}\n" for line in lines)
    return f"c an outside solver\ns SATISFIABLE\n{values}v 0\n"


@pytest.fixture(scope="module")
def board(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("dimacs") / "board"
    path.write_text(CIS_A)
    return path


@pytest.fixture(scope="module")
def model(plansolve, board) -> str:
    return solver_says(plansolve("encode", board, "--horizon", "5").out)


@pytest.mark.parametrize(
    ("file", "horizon", "options", "plan"),
    [
        ("cis521-a.json", 5, (), "DLLUU"),
        ("cis521-a.json", 5, ("--lemmas", "none"), "DLLUU"),
        ("cis521-a.json", 5, ("--encoding", "full-layer"), "DLLUU"),
        ("cis521-a.json", 5, ("--encoding", "permutation"), "DLLUU"),
        ("simple.puz", 24, (), "RRDDLUULDDRUULDRRDLLURUL"),
        ("lloyd.txt", 9, (), "ddtdlluuu"),
        ("sliders.txt", 2, ("--goal", "blank-first"), "DR"),
    ],
)
def test_round_trip(plansolve, seeds, file, horizon, options, plan):
    arguments = (seeds / file, "--horizon", horizon, *options)
    formula = plansolve("encode", *arguments)
    assert (formula.code, formula.err) == (0, "")
    done = plansolve("decode", *arguments, stdin=solver_says(formula.out))
    assert (done.code, done.out, done.err) == (0, f"{plan}\n", "")


def test_standard_input_at_both_ends(plansolve, board, model, tmp_path):
    assert plansolve("encode", "-", "--horizon", "5", stdin=CIS_A).out.endswith(" 0\n")
    (tmp_path / "model").write_text(model)
    for files, stdin in (((board, "-"), model), (("-", tmp_path / "model"), CIS_A)):
        done = plansolve("decode", *files, "--horizon", "5", stdin=stdin)
        assert (done.code, done.out) == (0, "DLLUU\n")


def test_the_formula_is_dimacs_and_says_what_it_is(plansolve, board):
    lines = plansolve("encode", board, "--horizon", "5", "--lemmas", "none").out.splitlines()
    comments = [line for line in lines if line.startswith("c ")]
    assert comments[0] == "c plansolve: a plan of exactly 5 moves"
    assert "c encoding half-layer (plain)" in comments
    header, *clauses = lines[len(comments) :]
    p, cnf, variables, count = header.split()
    assert (p, cnf, int(count)) == ("p", "cnf", len(clauses))
    for clause in clauses:
        *literals, end = map(int, clause.split())
        assert end == 0 and literals
        assert all(1 <= abs(literal) <= int(variables) for literal in literals)


def test_other_forms_of_the_plan_and_of_the_answer(plansolve, board, model):
    words = ("decode", board, "--horizon", "5")
    done = plansolve(*words, "--moves", "blank", "--style", "words", stdin=model)
    assert (done.code, done.out) == (0, "up right right down down\n")
    literals = " ".join(line[2:] for line in model.splitlines() if line.startswith("v "))
    done = plansolve(*words, stdin=f"SAT\n{literals}\n")
    assert (done.code, done.out) == (0, "DLLUU\n")


@pytest.mark.parametrize("horizon", [0, 3, 4])
def test_unsatisfiable(plansolve, board, horizon):
    formula = plansolve("encode", board, "--horizon", horizon)
    answer = solver_says(formula.out)
    assert "s UNSATISFIABLE" in answer
    minisat = "WARNING: for repeatability\n==[ Search ]==\n| x |\nCPU time : 0 s\n\nUNSATISFIABLE\n"
    assert plansolve("decode", board, "--horizon", horizon, stdin=minisat).code == 13
    done = plansolve("decode", board, "--horizon", horizon, stdin=answer)
    assert (done.code, done.out) == (13, "")
    assert done.err == f"the SAT solver says: no shortest plan of exactly {horizon} moves\n"


@pytest.mark.parametrize("answer", ["", "c stopped\n", "s UNKNOWN\n", "s INDETERMINATE\n"])
def test_no_answer(plansolve, board, answer):
    done = plansolve("decode", board, "--horizon", "5", stdin=answer)
    assert (done.code, done.out) == (12, "")
    assert done.err == "the SAT solver gave no answer\n"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"hello world\n", "line 1"),
        (b"c fine\ns SATISFIABLE\nv 1 two 3 0\n", "line 3"),
        (b"s SATISFIABLE\nv 1 2.5 0\n", "line 2"),
        (b"s SATISFIABLE\nv " + b"9" * 6000 + b" 0\n", "line 2"),
        (b"s SATISFIABLE\n", "give decode the file to which minisat writes"),
        (
            b"===[ Problem Statistics ]===\n|  x  |\nrestarts : 1\n\nSATISFIABLE\n",
            "give decode the file",
        ),
        (b"s SATISFIABLE\nv -1 -2 -3 0\n", "model"),
        (b"s SATISFIABLE\nv 999999999999 0\n", "model"),
        (b"s NONSENSE\n", "line 1"),
        (b"s SATISFIABLE\ns UNSATISFIABLE\n", "line 2: a second status, UNSATISFIABLE after SATIS"),
        (b"s UNSATISFIABLE\nv 1 -2 0\n", "the status is UNSATISFIABLE"),
    ],
)
def test_garbage(plansolve, board, answer, says):
    done = plansolve("decode", board, "--horizon", "5", stdin=answer)
    assert done.code == 2, done
    assert done.error_line.startswith("standard input: ")
    assert says in done.error_line


def plan_or_one_line(done) -> bool:
    """Return True if a doubtful model was refused; an accepted one gives a right plan."""
    if done.code == 0:
        assert (done.out, done.err) == ("DLLUU\n", "")
        return False
    assert done.code == 2
    assert done.error_line
    return True


def test_models_with_slips_give_the_plan_or_one_clear_line(plansolve, board, model):
    def refused(answer):
        return plan_or_one_line(plansolve("decode", board, "--horizon", "5", stdin=answer))

    lines = model.splitlines(keepends=True)
    truncated = [refused("".join(lines[:kept])) for kept in range(2, len(lines), 2)]
    # What is enough for the plan stays enough when more follows.
    assert truncated[0] and truncated == sorted(truncated, reverse=True)
    words = " ".join(line[2:] for line in lines if line.startswith("v ")).split()
    true = [int(word) for word in words if int(word) > 0]
    others = [new for new in range(1, max(true) + 3) if new not in true]
    tampered = [[x for x in true if x != gone] for gone in true[:: max(1, len(true) // 6)]]
    tampered += [*([*true, new] for new in others[::6]), [*true, *others]]
    answers = [f"s SATISFIABLE\nv {' '.join(map(str, literals))} 0\n" for literals in tampered]
    assert any(map(refused, answers))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (CIS_A, ("--horizon", "7")),
        (CIS_A, ("--horizon", "5", "--lemmas", "none")),
        ("ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXT\n", ("--horizon", "9")),
    ],
)
def test_models_of_another_formula(plansolve, model, tmp_path, text, options):
    (tmp_path / "model").write_text(model)
    done = plansolve("decode", "-", tmp_path / "model", *options, stdin=text)
    assert done.code == 2
    assert str(tmp_path / "model") in done.error_line


def test_a_full_disk_leaves_the_file_alone(plansolve, seeds, tmp_path):
    target = tmp_path / "formula.cnf"
    target.write_text("precious")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A file that cannot grow is what a full disk looks like to a program.
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        done = plansolve("encode", seeds / "simple.puz", "--horizon", "24", "-o", target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (done.code, done.error_line) == (2, f"{target}: File too large")
    assert target.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["formula.cnf"]


def test_no_shortest_plan_is_not_said_to_be_no_plan(plansolve, tmp_path):
    # From the goal there is a plan of two moves, out and back, but no shortest one.
    board, answer = tmp_path / "solved.puz", tmp_path / "answer"
    board.write_text("1 2 3\n4 5 6\n7 8 .\n")
    answer.write_text("s UNSATISFIABLE\n")
    done = plansolve("decode", board, "--horizon", "2", answer)
    assert done.err == "the SAT solver says: no shortest plan of exactly 2 moves\n"
    done = plansolve("decode", board, "--horizon", "2", "--lemmas", "none", answer)
    assert done.err == "the SAT solver says: no plan of exactly 2 moves\n"


def test_a_plan_for_another_board_is_not_printed(plansolve, board):
    options = ("--horizon", "5", "--lemmas", "none")
    answer = solver_says(plansolve("encode", board, *options).out)
    other = board.with_name("other")
    other.write_text("1 2 3\n0 4 6\n7 5 8\n")
    done = plansolve("decode", other, *options, stdin=answer)
    assert done.code == 2
    assert "its plan fails: it does not reach the goal; is the model complete" in done.error_line
