"""plansolve encode and decode: the DIMACS formula of one horizon for any SAT solver, and back."""

import re
from dataclasses import dataclass
from io import BytesIO

import click

from plansolve import exit_codes
from plansolve.checker import check_plan
from plansolve.cli import options
from plansolve.cli.board import GivenBoard
from plansolve.cli.files import read_input, shown_name, write_output
from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.errors import InputError, OptionError, PlanError
from plansolve.formats import format_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.program import limit_memory
from plansolve.text import counted

_LITERAL = re.compile(r"-?[0-9]{1,10}")
_MAX_BYTES = 1 << 24
_UNSATISFIABLE = {"UNSATISFIABLE", "UNSAT"}
_MINISAT = re.compile(r"[=|]|WARNING: |[A-Za-z ]+ : ")
"""The beginnings of lines that minisat prints beside its status."""
_STATUS_WORDS = {"SATISFIABLE", "SAT", "UNKNOWN", "INDETERMINATE", *_UNSATISFIABLE}


@click.command("encode")
@options.board
@options.horizon
@options.encoding
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=options.FILE,
    default="-",
    help="The file to write. Default: standard output.",
)
def encode(
    board: GivenBoard,
    horizon: int,
    encoding: str | None,
    lemmas: tuple[str, ...] | None,
    output: str,
) -> None:
    """Write the formula "BOARD has a plan of exactly T moves" in DIMACS form.

    Lemmas exclude plans with detours: if the formula has no model, there is no shortest plan of T
    moves (with --lemmas none: no plan of T moves). `plansolve decode` reads models, with the same
    options: `plansolve encode B --horizon 31 | kissat | plansolve decode B --horizon 31`
    """
    limit_memory()
    problem = board.problem()
    formula = _formula_of(problem, horizon, encoding, lemmas)
    start = " ".join(problem.puzzle.labels[tile] for tile in problem.start)
    lines = formula.builder.dimacs(
        (
            f"plansolve: a {formula.claim}",
            f"puzzle {problem.puzzle.name}, {problem.puzzle.rows}x{problem.puzzle.columns}",
            f"board {start}",
            f"encoding {formula.encoding}",
        )
    )
    write_output(output, (f"{line}\n".encode("ascii") for line in lines))


@dataclass(frozen=True)
class _Formula:
    """A formula: `claim` is the meaning of a model, `encoding` the form of the formula."""

    builder: CnfBuilder
    decode: Decoder
    claim: str
    encoding: str


def _formula_of(
    problem: Problem, horizon: int, encoding: str | None, lemmas: tuple[str, ...] | None
) -> _Formula:
    """Return the formula of one horizon as `solve` encodes it, without a deep perimeter."""
    chosen = choose_encoding(problem.structure, encoding)
    names = choose_lemmas(chosen, problem.puzzle, lemmas)
    if lemmas is None:
        names -= {DEEP_PERIMETER.name}
    builder = CnfBuilder()
    decode = chosen.prepare(problem, names).encode(builder, horizon)
    # Some lemmas exclude longer plans if there is a shorter one.
    keeps_all = all(LEMMAS[name].keeps == "every plan" for name in names)
    kind = "plan" if keeps_all else "shortest plan"
    return _Formula(
        builder,
        decode,
        f"{kind} of exactly {counted(horizon, 'move')}",
        f"{chosen.name} ({', '.join(sorted(names)) or 'plain'})",
    )


@click.command("decode")
@options.board
@options.horizon
@options.encoding
@options.plan_style
@click.argument("model", metavar="[MODEL]", default="-", type=options.FILE)
def decode(
    board: GivenBoard,
    horizon: int,
    encoding: str | None,
    lemmas: tuple[str, ...] | None,
    moves: str,
    style: str,
    model: str,
) -> int:
    """Read the answer of a SAT solver (`s` and `v` lines; - for standard input) as a plan.

    Use the same BOARD, --horizon, --encoding and --lemmas as for encode; decode replays the plan.
    Exit codes: 0 plan, 12 no answer, 13 the solver found no model, so there is no shortest
    plan of T moves (with --lemmas none: no plan of T moves).
    """
    if board.file == model == "-":
        raise OptionError("the board and the model cannot both come from standard input")
    limit_memory()
    problem = board.problem()
    format_plan((), problem, style, moves)
    try:
        status, true = _read_model(read_input(model, _MAX_BYTES))
        if status in _UNSATISFIABLE:
            claim = _formula_of(problem, horizon, encoding, lemmas).claim
            click.echo(f"the SAT solver says: no {claim}", err=True)
            return exit_codes.NO_PLAN_WITHIN_HORIZON
        if status is None and not true:
            click.echo("the SAT solver gave no answer", err=True)
            return exit_codes.GAVE_UP
        if not true:
            raise PlanError(
                "a status without a model: give decode the file to which minisat writes its answer"
            )
        plan = _checked_plan(problem, _formula_of(problem, horizon, encoding, lemmas).decode, true)
    except OptionError:
        raise
    except InputError as error:
        raise type(error)(f"{shown_name(model)}: {error}") from None
    click.echo(format_plan(plan, problem, style, moves))
    return exit_codes.SOLVED


def _checked_plan(problem: Problem, decode: Decoder, true: set[int]) -> Plan:
    try:
        plan = decode(true)
        verdict = check_plan(problem, plan)
        if not verdict.solves:
            why = verdict.illegal.reason if verdict.illegal else "it does not reach the goal"
            raise PlanError(f"its plan fails: {why}")
    except PlanError as error:
        raise PlanError(
            f"{error}; is the model complete, and made for the same board, --horizon, --encoding "
            "and --lemmas?"
        ) from None
    return plan


def _read_model(data: bytes) -> tuple[str | None, set[int]]:
    """Return the status word and the true variables; raise `PlanError` naming the wrong line."""
    if len(data) > _MAX_BYTES:
        raise PlanError(f"the model is larger than {_MAX_BYTES} bytes")
    status, true = None, set[int]()
    # Line by line: a list of all lines would take far more memory than the text.
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
        elif kind not in ("c", "", "o") and not _MINISAT.match(raw):
            raise PlanError(f"line {number}: neither a comment, a status (s) nor a model (v)")
    if true and status in _UNSATISFIABLE:
        raise PlanError(f"the status is {status}, but there is a model")
    return (None if status in ("UNKNOWN", "INDETERMINATE") else status), true
