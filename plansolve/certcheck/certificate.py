"""Certificates: a folder with a problem, a plan, and why no plan is shorter.

    problem.json       the board, the goal and the rules, as `plansolve` reads them
    plan.txt           the plan; its letters name the motion of the tile
    certificate.json   which lengths are impossible, and why; who says so
    21.cnf.gz          the formula "there is a plan of exactly 21 moves"
    21.legend.gz       what its variables mean
    21.drup.gz         the proof that it has no model
    plans.txt, all.*   where the list of the shortest plans is complete: the plans, and the same
                       three files for the formula "there is one more plan of this length"

A length is impossible by an elementary bound, by parity, or by refutation; the first two are not
written down, since the check works them out anew. `docs/certificates.md` tells all of it.
"""

import errno
import json
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from plansolve.bounds.registry import LowerBound, best_lower_bound
from plansolve.errors import InputError, OptionError, ProofError
from plansolve.formats import MAX_BYTES, decode_text, format_plan, read_plan, read_problem
from plansolve.formats import write_problem as written
from plansolve.formats.notation import MAX_PLAN
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.text import quote

__all__ = [
    "Certificate",
    "Claim",
    "open_part",
    "proved_lower_bound",
    "read_certificate",
    "write_certificate",
]

SCHEMA = "plansolve.certificate/2"

_PROBLEM, _PLAN, _PLANS, _RECORD = "problem.json", "plan.txt", "plans.txt", "certificate.json"
_MOST_LENGTHS = 10_000
_MOST_PLANS = 100_000
_MOST_PLAN_BYTES = 64 << 20
_NAME_LENGTH = 100


@dataclass(frozen=True)
class Claim:
    """A lower bound that a search says it has proved; nothing here can be checked again."""

    by: str
    lower_bound: int
    statistics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Certificate:
    """What a certificate states, beside the formulas and proofs in its folder.

    `refuted` are the lengths with a formula and a proof, `lower_bound` what follows: no plan has
    fewer moves. `plans` are all plans of the plan's length, where that is stated too. `made_by`
    tells how it came about; nothing depends on it.
    """

    problem: Problem
    plan: Plan
    lower_bound: int
    refuted: tuple[int, ...]
    claim: Claim | None = None
    plans: tuple[Plan, ...] | None = None
    made_by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_of_optimality(self) -> bool:
        """Whether it states that the plan is a shortest one."""
        return self.lower_bound == len(self.plan)


def proved_lower_bound(
    problem: Problem, refuted: Collection[int], length: int
) -> tuple[LowerBound, int | None, int]:
    """What follows for plans of fewer than `length` moves, and from what.

    The elementary bound, the parity that the rules fix (or None), and the least number of moves,
    at most `length`, that neither of them nor one of the refuted lengths excludes.
    """
    elementary = best_lower_bound(problem, elementary=True)
    parity = problem.structure.plan_parity(problem.start)
    possible = elementary.value
    while possible < length and (possible in refuted or parity not in (None, possible % 2)):
        possible += 1
    return elementary, parity, min(possible, length)


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Writes all but formulas and proofs into the folder, which exists.

    Raises `OptionError` for more plans than are read again.
    """
    puzzle, claim = certificate.problem.puzzle, certificate.claim
    if len(certificate.plans or ()) > _MOST_PLANS:
        raise OptionError(f"a certificate lists at most {_MOST_PLANS} plans: leave --all out")
    record = {
        "schema": SCHEMA,
        "length": len(certificate.plan),
        "lower_bound": certificate.lower_bound,
        "refuted": list(certificate.refuted),
        "claimed": None
        if claim is None
        else {
            "by": claim.by,
            "lower_bound": claim.lower_bound,
            "statistics": dict(claim.statistics),
        },
        "plans": None if certificate.plans is None else len(certificate.plans),
        "made_by": dict(certificate.made_by),
    }
    texts = {
        _PROBLEM: written(certificate.problem, "json"),
        _PLAN: format_plan(certificate.plan, puzzle) + "\n",
        _RECORD: json.dumps(record, indent=1) + "\n",
    }
    if certificate.plans is not None:
        texts[_PLANS] = "".join(f"{format_plan(p, puzzle)}\n" for p in certificate.plans)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def read_certificate(folder: Path) -> Certificate:
    """What the certificate in a folder states; none of it has been checked.

    Raises `ProofError` that begins with the file that cannot be used.
    """
    if all(_is_missing(folder / name) for name in (_PROBLEM, _PLAN, _RECORD)):
        what = "a certificate is a folder that `plansolve certify` has written"
        raise ProofError(f"{folder}: holds no certificate: {what}")
    texts = {
        name: _bytes(folder, name, most)
        for name, most in ((_PROBLEM, MAX_BYTES), (_PLAN, MAX_PLAN), (_RECORD, MAX_BYTES))
    }
    with _about(folder / _PROBLEM):
        problem = read_problem(decode_text(texts[_PROBLEM]), format="json")
    with _about(folder / _PLAN):
        plan = _plan(texts[_PLAN], problem)
    with _about(folder / _RECORD):
        certificate, plans = _certificate(_record(texts[_RECORD]), problem, plan)
    if plans is None:
        return certificate
    lines = _bytes(folder, _PLANS, _MOST_PLAN_BYTES)
    with _about(folder / _PLANS):
        return replace(certificate, plans=_plans(lines, problem, plans))


def open_part(folder: Path, name: str) -> BinaryIO:
    """A file of the folder, for reading; raises `ProofError` for anything but a regular file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(folder / name, flags)
    except OSError as error:
        raise ProofError(f"{folder / name}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ProofError(f"{folder / name}: not a regular file")
    return os.fdopen(handle, "rb")


def _is_missing(path: Path) -> bool:
    """Whether there is no such file; not so where nobody can tell."""
    try:
        path.lstat()
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR)
    return False


@contextmanager
def _about(path: Path) -> Iterator[None]:
    """Turns what is wrong with a file's contents into a `ProofError` that names the file."""
    try:
        yield
    except InputError as error:
        raise ProofError(f"{path}: {error}") from None


def _bytes(folder: Path, name: str, most: int) -> bytes:
    with open_part(folder, name) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ProofError(f"{folder / name}: larger than {most} bytes")
    return data


def _plan(line: bytes, problem: Problem) -> Plan:
    # A board that is the goal has the plan of no moves.
    return read_plan(decode_text(line), problem.puzzle) if line.strip() else ()


def _record(data: bytes) -> dict[str, Any]:
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        raise ProofError("not a JSON document") from None
    if not isinstance(record, dict):
        raise ProofError("the document must be an object")
    return record


def _certificate(
    record: dict[str, Any], problem: Problem, plan: Plan
) -> tuple[Certificate, int | None]:
    """What the record states, without the list of plans; and how many plans are in that list."""
    keys: dict[str, type | tuple[type, ...]] = {
        "schema": str,
        "length": int,
        "lower_bound": int,
        "refuted": list,
        "claimed": (dict, type(None)),
        "plans": (int, type(None)),
        "made_by": dict,
    }
    for key in [*record, *keys]:
        if key not in keys or key not in record:
            what = "unknown" if key not in keys else "missing"
            raise ProofError(f"{what} key {quote(key)}; the keys are {', '.join(keys)}")
        if not isinstance(record[key], keys[key]) or isinstance(record[key], bool):
            raise ProofError(f"{key}: {quote(repr(record[key]))} is of the wrong kind")
    if record["schema"] != SCHEMA:
        raise ProofError(f"schema: {quote(record['schema'])} should be {SCHEMA!r}")
    if record["length"] != len(plan):
        stated = quote(str(record["length"]))
        raise ProofError(f"length: {stated}, but {_PLAN} has {len(plan)} moves")
    certificate = Certificate(
        problem=problem,
        plan=plan,
        lower_bound=_length(record["lower_bound"], "lower_bound"),
        refuted=tuple(_length(item, "refuted") for item in _short(record["refuted"], "refuted")),
        claim=_claim(record["claimed"]),
        made_by=record["made_by"],
    )
    return certificate, record["plans"]


def _short(items: list[Any], key: str) -> list[Any]:
    if len(items) > _MOST_LENGTHS:
        raise ProofError(f"{key}: more than {_MOST_LENGTHS} entries")
    return items


def _length(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_PLAN:
        raise ProofError(f"{key}: {quote(repr(value))} is no number of moves")
    return value


def _names(items: list[Any]) -> tuple[str, ...]:
    for item in _short(items, "lemmas"):
        if not isinstance(item, str) or len(item) > _NAME_LENGTH or not item.isprintable():
            raise ProofError(f"lemmas: {quote(repr(item))} is not a name")
    return tuple(items)


def _claim(value: dict[str, Any] | None) -> Claim | None:
    if value is None:
        return None
    if value.keys() != {"by", "lower_bound", "statistics"}:
        raise ProofError("claimed: by, lower_bound and statistics are expected")
    (by,) = _names([value["by"]])
    if not isinstance(value["statistics"], dict):
        raise ProofError("claimed: statistics must be an object")
    return Claim(by, _length(value["lower_bound"], "claimed"), value["statistics"])


def _plans(text: bytes, problem: Problem, count: int) -> tuple[Plan, ...]:
    lines = text.splitlines()
    if len(lines) != count or count > _MOST_PLANS:
        raise ProofError(f"{len(lines)} lines, but {_RECORD} says {quote(str(count))} plans")
    return tuple(_plan(line, problem) for line in lines)
