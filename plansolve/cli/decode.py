"""plansolve decode: a SAT solver's answer to an encoded horizon, turned back into a plan."""

import re
from io import BytesIO

import click

from plansolve import exit_codes
from plansolve.checker import check_plan
from plansolve.cli import options
from plansolve.cli.board import load_problem, read_input, shown_name
from plansolve.cli.dimacs import encode
from plansolve.cli.memory import limit_memory
from plansolve.encoders.builder import Decoder
from plansolve.errors import InputError, OptionError, PlanError
from plansolve.formats import format_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan

__all__ = ["command"]

_LITERAL = re.compile(r"-?[0-9]{1,10}")
_MAX_BYTES = 1 << 24
_UNSATISFIABLE = {"UNSATISFIABLE", "UNSAT"}
_STATUS_WORDS = {"SATISFIABLE", "SAT", "UNKNOWN", "INDETERMINATE", *_UNSATISFIABLE}


@click.command("decode")
@options.board
@options.horizon
@options.encoding
@options.plan_style
@click.argument("model", metavar="[MODEL]", default="-")
def command(
    file: str,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    horizon: int,
    encoding: str | None,
    lemmas: tuple[str, ...] | None,
    moves: str,
    style: str,
    model: str,
) -> int:
    """Read the answer of a SAT solver (`s` and `v` lines; - for standard input) as a plan.

    Takes the same FILE, --horizon, --encoding and --lemmas as `plansolve encode`. The plan is
    replayed before it is printed. Exit codes: 0 plan, 12 the solver gave no answer, 13 the solver
    says that there is no shortest plan of T moves (with --lemmas none: no plan of T moves).
    """
    if file == model == "-":
        raise OptionError("the board and the model cannot both come from standard input")
    limit_memory()
    problem = load_problem(file, puzzle, goal, format)
    format_plan((), problem.puzzle, style, moves)
    try:
        status, true = _read_model(read_input(model, _MAX_BYTES))
        if status in _UNSATISFIABLE:
            claim = encode(problem, horizon, encoding, lemmas).claim
            click.echo(f"the SAT solver says: no {claim}", err=True)
            return exit_codes.NO_PLAN_WITHIN_HORIZON
        if status is None and not true:
            click.echo("the SAT solver gave no answer", err=True)
            return exit_codes.GAVE_UP
        plan = _checked_plan(problem, encode(problem, horizon, encoding, lemmas).decode, true)
    except OptionError:
        raise
    except InputError as error:
        raise type(error)(f"{shown_name(model)}: {error}") from None
    click.echo(format_plan(plan, problem.puzzle, style, moves))
    return exit_codes.SOLVED


def _checked_plan(problem: Problem, decode: Decoder, true: set[int]) -> Plan:
    try:
        plan = decode(true)
        verdict = check_plan(problem, plan)
        if not verdict.solves:
            why = verdict.illegal.reason if verdict.illegal else "it does not end in the goal"
            raise PlanError(f"its plan fails: {why}")
    except PlanError as error:
        raise PlanError(
            f"{error}; is the model complete, and made for the same board, --horizon, --encoding "
            "and --lemmas?"
        ) from None
    return plan


def _read_model(data: bytes) -> tuple[str | None, set[int]]:
    """Return the status word and the true variables; raise `PlanError` with the line of a slip."""
    if len(data) > _MAX_BYTES:
        raise PlanError(f"the model is larger than {_MAX_BYTES} bytes")
    status, true = None, set[int]()
    # One line after the other: a list of all of them would take far more memory than the text.
    for number, line in enumerate(BytesIO(data), start=1):
        raw = line.decode("ascii", "replace").rstrip("\r\n")
        kind, _, rest = raw.partition(" ")
        if raw in _STATUS_WORDS or (kind == "s" and rest.strip() in _STATUS_WORDS):
            if status is not None and status != raw.split()[-1]:
                raise PlanError(f"line {number}: a second status, {raw.split()[-1]} after {status}")
            status = raw.split()[-1]
        elif kind == "v" or kind.lstrip("-").isdigit():
            literals = rest.split() if kind == "v" else raw.split()
            if not all(map(_LITERAL.fullmatch, literals)):
                raise PlanError(f"line {number}: a model holds whole numbers only")
            true |= {int(x) for x in literals if x[0] != "-" and x.strip("0")}
        elif kind not in ("c", "", "o"):
            raise PlanError(f"line {number}: neither a comment, a status (s) nor a model (v)")
    if true and status in _UNSATISFIABLE:
        raise PlanError(f"a model stands beside the status {status}: one of them is wrong")
    return (None if status in ("UNKNOWN", "INDETERMINATE") else status), true
