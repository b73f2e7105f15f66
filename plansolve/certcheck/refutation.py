"""Check one formula of a certificate: what it says of plans, and that it has no model."""

import gzip
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from plansolve.certcheck.clauses import Clauses, HintedProof, lines_of
from plansolve.certcheck.external_checkers import external_verdict, reads_hints
from plansolve.certcheck.files import formula_file, legend_file, open_part, proof_file, read_packed
from plansolve.certcheck.justify import Legend, Unjustified, justify, read_legend
from plansolve.certcheck.lrat import check_hints, read_cnf, read_lrat
from plansolve.certcheck.options import CheckFailed, CheckOptions, CheckUndecided
from plansolve.certcheck.threads import while_wanted
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.text import counted

_MOST_FORMULA = 2 << 30
_MOST_LEGEND = 1 << 30
# In memory a proof takes as much again as its text, or twice that at worst.
_MOST_PROOF = 2 << 30
_LONGEST_LINE = 1 << 14
# Seconds for an external checker: without a limit of the user's, and at the very least.
_LONG, _SHORT = 3600.0, 0.1


def check_formula(folder: Path, horizon: int, problem: Problem, options: CheckOptions) -> str:
    """Check the formula in a folder that there is a plan of `horizon` moves.

    Every clause must hold for every such plan, and the LRAT proof must show that the formula has no
    model. Return what was seen, for people. Raise `CheckFailed`, `CheckUndecided`, `TimeoutError`,
    and `ProofError` for what cannot be read.
    """
    name = str(horizon)
    formula = read_packed(folder, formula_file(name), _MOST_FORMULA, read_cnf)

    def legend_of(stream: gzip.GzipFile, most: int) -> Legend:
        lines = while_wanted(_lines(stream, most), options.is_late)
        return read_legend(lines, formula.variables, problem, horizon)

    legend = read_packed(folder, legend_file(name), _MOST_LEGEND, legend_of)
    try:
        reason = justify(
            problem,
            horizon,
            formula,
            legend,
            threads=options.threads,
            is_unwanted=options.is_late,
            progress=lambda done, total: options.progress("clauses", done, total),
        )
    except Unjustified as error:
        raise CheckFailed(f"{formula_file(name)}: {error}") from None
    steps = _follows(folder, name, formula, options)
    seen = f"refuted: {counted(len(formula), 'clause')} ({reason}), {counted(steps, 'step')}"
    if options.external is None:
        return seen
    return f"{seen}; {_external(folder, name, formula, options)}"


def _follows(folder: Path, name: str, formula: Clauses, options: CheckOptions) -> int:
    """Check that each step of the proof follows from its hints; return how many there are."""
    steps = 0

    def parts(stream: gzip.GzipFile, most: int) -> Iterator[HintedProof]:
        nonlocal steps
        for part in read_lrat(stream, formula, most):
            steps += len(part.steps)
            yield part

    def check(stream: gzip.GzipFile, most: int) -> str | None:
        def progress(done: int, total: int) -> None:
            options.progress("steps of the proof", done, total)

        return check_hints(formula, parts(stream, most), progress, options.is_late)

    problem = read_packed(folder, proof_file(name), _MOST_PROOF, check)
    if problem is not None:
        raise CheckFailed(f"{proof_file(name)}: {problem}")
    return steps


def _lines(stream: gzip.GzipFile, most: int) -> Iterator[bytes]:
    total = 0
    while line := stream.readline(_LONGEST_LINE):
        total += len(line)
        if total > most or (len(line) == _LONGEST_LINE and not line.endswith(b"\n")):
            raise ProofError("the legend is too long, or one of its lines is")
        yield line


def _external(folder: Path, name: str, formula: Clauses, options: CheckOptions) -> str:
    """Return what another checker says of the same two files."""
    checker = options.external
    assert checker is not None
    left = _LONG if options.deadline is None else options.deadline - time.monotonic()
    with TemporaryDirectory() as place:
        cnf, proof = Path(place) / "formula", Path(place) / "proof"
        _unpack(folder, formula_file(name), cnf)
        if reads_hints(checker):
            _unpack(folder, proof_file(name), proof)
        else:
            _unpack_without_hints(folder, name, formula, proof)
        verdict = external_verdict(checker, cnf, proof, max(left, _SHORT))
    if verdict.verified is None:
        raise CheckUndecided(f"{checker}: {verdict.reason}")
    if not verdict.verified:
        raise CheckFailed(f"{checker}: {verdict.reason}")
    return f"{checker} agrees"


def _unpack_without_hints(folder: Path, name: str, formula: Clauses, path: Path) -> None:
    def write(stream: gzip.GzipFile, most: int) -> None:
        with path.open("w") as target:
            for part in read_lrat(stream, formula, most):
                target.writelines(f"{line}\n" for line in lines_of(part.steps))

    read_packed(folder, proof_file(name), _MOST_PROOF, write)


def _unpack(folder: Path, name: str, path: Path) -> None:
    with (
        open_part(folder, name) as raw,
        gzip.GzipFile(fileobj=raw) as stream,
        path.open("wb") as target,
    ):
        shutil.copyfileobj(stream, target)
