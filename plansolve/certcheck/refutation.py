"""Check one formula of a certificate: what it says of plans, and that it has no model."""

import gzip
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from plansolve.certcheck.clauses import Clauses, HintedProof, lines_of
from plansolve.certcheck.dimacs import read_cnf, read_drup, read_lrat
from plansolve.certcheck.external_checkers import external_verdict, reads_hints
from plansolve.certcheck.files import (
    formula_file,
    legend_file,
    open_part,
    proof_file,
    read_packed,
    unhinted_proof_file,
)
from plansolve.certcheck.justify.formula import PLAIN, Justifier, Unjustified
from plansolve.certcheck.justify.legend import Legend, read_legend
from plansolve.certcheck.lrat import check_hints
from plansolve.certcheck.options import CheckFailed, CheckOptions, CheckUndecided
from plansolve.certcheck.rup import check_refutation
from plansolve.errors import ProofError
from plansolve.text import counted

__all__ = ["check_formula"]

_MOST_FORMULA = 2 << 30
_MOST_LEGEND = 1 << 30
# In memory a proof takes as much again as its text, or twice that at worst.
_MOST_PROOF = 2 << 30
_LONGEST_LINE = 1 << 14
# Seconds for an external checker: without a limit of the user's, and at the very least.
_LONG, _SHORT = 3600.0, 0.1


def check_formula(
    folder: Path,
    name: str,
    horizon: int,
    justifier: Justifier,
    options: CheckOptions,
    *,
    is_hinted: bool,
) -> str:
    """Check the formula called `name` in a folder, about plans of `horizon` moves.

    Return what was seen, for people.

    Every clause must hold for the plan that `justifier` means; the proof must show that the formula
    has no model. It is an LRAT proof if it `is_hinted`, and else a DRUP proof.

    Raise `CheckFailed`, `CheckUndecided`, `TimeoutError`, and `ProofError` for what cannot be read.
    """
    deadline, progress = options.deadline, options.progress
    formula = read_packed(folder, formula_file(name), _MOST_FORMULA, read_cnf)

    def legend_of(stream: gzip.GzipFile, most: int) -> Legend:
        problem = justifier.rules.problem
        return read_legend(_lines(stream, most), formula.variables, problem, horizon)

    legend = read_packed(folder, legend_file(name), _MOST_LEGEND, legend_of)
    try:
        reasons = justifier.justify(
            horizon,
            formula,
            legend,
            deadline=deadline,
            progress=lambda done, total: progress("clauses", done, total),
        )
    except Unjustified as error:
        raise CheckFailed(f"{formula_file(name)}: {error}") from None
    more = {reason: count for reason, count in reasons.items() if reason not in PLAIN}
    if options.plain_only and more:
        count = sum(more.values())
        raise CheckUndecided(
            "not an audit certificate: make it with certify --audit; "
            f"{count} clauses do not follow from the rules alone: {_list(more)}"
        )
    look = _follows if is_hinted else _propagates
    steps = look(folder, name, formula, options)
    seen = (
        f"refuted: {counted(len(formula), 'clause')} ({_list(reasons)}), {counted(steps, 'step')}"
    )
    if options.external is None:
        return seen
    return f"{seen}; {_external(folder, name, formula, options, is_hinted)}"


def _follows(folder: Path, name: str, formula: Clauses, options: CheckOptions) -> int:
    """Check that each step of the proof follows from its hints; return how many there are."""
    steps = 0

    def parts(stream: gzip.GzipFile, most: int) -> Iterator[HintedProof]:
        nonlocal steps
        for part in read_lrat(stream, formula, most):
            steps += len(part.steps)
            yield part

    def check(stream: gzip.GzipFile, most: int) -> str | None:
        return check_hints(formula, parts(stream, most), _progress(options), options.deadline)

    problem = read_packed(folder, proof_file(name), _MOST_PROOF, check)
    if problem is not None:
        raise CheckFailed(f"{proof_file(name)}: {problem}")
    return steps


def _propagates(folder: Path, name: str, formula: Clauses, options: CheckOptions) -> int:
    """Check that the proof refutes the formula; return how many clauses it adds."""
    file = unhinted_proof_file(name)
    proof = read_packed(
        folder,
        file,
        _MOST_PROOF,
        lambda stream, most: read_drup(stream, formula.variables, most),
    )
    verdict = check_refutation(
        formula,
        proof,
        _progress(options),
        options.deadline,
        options.threads,
    )
    if not verdict.refutes:
        place = "" if verdict.step is None else f"step {verdict.step + 1}: "
        raise CheckFailed(f"{file}: {place}{verdict.reason}")
    return verdict.additions


def _progress(options: CheckOptions) -> Callable[[int, int], None]:
    return lambda done, total: options.progress("steps of the proof", done, total)


def _list(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in reasons.items())


def _lines(stream: gzip.GzipFile, most: int) -> Iterator[bytes]:
    total = 0
    while line := stream.readline(_LONGEST_LINE):
        total += len(line)
        if total > most or (len(line) == _LONGEST_LINE and not line.endswith(b"\n")):
            raise ProofError("the legend is too long, or one of its lines is")
        yield line


def _external(
    folder: Path, name: str, formula: Clauses, options: CheckOptions, is_hinted: bool
) -> str:
    """What another checker says of the same two files."""
    checker = options.external
    assert checker is not None
    if reads_hints(checker) and not is_hinted:
        raise CheckUndecided(f"{checker} wants hints, and the proofs of this certificate have none")
    left = _LONG if options.deadline is None else options.deadline - time.monotonic()
    with TemporaryDirectory() as place:
        cnf, proof = Path(place) / "formula", Path(place) / "proof"
        _unpack(folder, formula_file(name), cnf)
        if not is_hinted:
            _unpack(folder, unhinted_proof_file(name), proof)
        elif reads_hints(checker):
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
