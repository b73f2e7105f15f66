"""Certificates: a folder with a problem, a plan, and why no plan is shorter.

`docs/reference/certificates.md` lists the files. Without a plan, a certificate states that every
plan has at least so many moves, or that there is no plan.

A length is impossible by an elementary bound, by parity, by refutation, or by a search that can be
repeated; the first two are not written down, since the check computes them itself.
`docs/explanation/proofs.md` says why `problem.json` is not read here: a certificate must not decide
which rules are meant.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from plansolve.certcheck import files
from plansolve.certcheck.elementary import LowerBound, elementary_bound
from plansolve.certcheck.options import CheckFailed
from plansolve.certcheck.threads import Unwanted, never, while_wanted
from plansolve.checker import check_plan
from plansolve.errors import ProofError
from plansolve.model.problem import Problem, boards_of, operators_of
from plansolve.model.puzzle import Plan, Puzzle, State
from plansolve.text import counted, quote

SCHEMA = "plansolve.certificate/5"

MOST_PLANS = 100_000
"""The most plans that a certificate lists."""

_MOST_MOVES = 4 << 20
_MOST_LENGTHS = 10_000
_MOST_RECORD_BYTES = 512 << 10
_MOST_PLAN_BYTES = 4 << 20
_MOST_PLANS_BYTES = 64 << 20
_NAME_LENGTH = 100


@dataclass(frozen=True)
class Claim:
    """A lower bound that a search claims to have proved; it cannot be checked."""

    by: str
    lower_bound: int
    statistics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Certificate:
    """The statements of a certificate, beside the formulas and proofs in its folder.

    `refuted` are the lengths with a formula and a proof. `searched` is the largest length up to
    which a search found no plan, or None. `lower_bound` follows from these: no plan has fewer
    moves; if it and `plan` are None, there is no plan. `plans` are all plans of the plan's length,
    if the certificate states them; then the search went to that length and found just these.
    `made_by` says how the certificate was made; nothing depends on it.
    """

    problem: Problem
    plan: Plan | None
    lower_bound: int | None
    refuted: tuple[int, ...]
    claim: Claim | None = None
    plans: tuple[Plan, ...] | None = None
    made_by: Mapping[str, Any] = field(default_factory=dict)
    searched: int | None = None

    @property
    def excluded(self) -> int | None:
        """The largest length up to which a search shows that there is no plan, or None."""
        return None if self.searched is None else self.searched - (self.plans is not None)

    @property
    def length(self) -> int | None:
        """The number of moves of the plan, None without one."""
        return None if self.plan is None else len(self.plan)

    @property
    def is_of_optimality(self) -> bool:
        """True if it states that the plan is a shortest one."""
        return self.plan is not None and self.lower_bound == self.length


def proved_lower_bound(
    problem: Problem, refuted: Collection[int], length: int | None, searched: int | None = None
) -> tuple[LowerBound, int | None, int]:
    """Return the lower bound that follows, at most `length`, and the elementary bound and parity.

    It is the least number of moves that none of these excludes: the elementary bound, the parity
    that the rules fix (or None), the refuted lengths, and a search that found no plan of at most
    `searched` moves. A `length` of None does not limit it.
    """
    elementary = elementary_bound(problem)
    parity = problem.structure.plan_parity(problem.start)
    possible = max(elementary.value, 0 if searched is None else searched + 1)
    while possible != length and (possible in refuted or parity not in (None, possible % 2)):
        possible += 1
    return elementary, parity, possible if length is None else min(possible, length)


def read_certificate(folder: Path, problem: Problem) -> Certificate:
    """Return what the certificate in a folder states about `problem`; nothing is checked yet.

    Raise a `ProofError` that begins with the name of the file that cannot be used.
    """
    record = files.read_part(folder, files.RECORD, _MOST_RECORD_BYTES)
    with files.errors_about(folder / files.RECORD):
        stated = _record(record)
    plan: Plan | None = None
    if stated["length"] is not None:
        line = files.read_part(folder, files.PLAN, _MOST_PLAN_BYTES)
        with files.errors_about(folder / files.PLAN):
            plan = _plan(line, problem.puzzle)
    with files.errors_about(folder / files.RECORD):
        if plan is not None and stated["length"] != len(plan):
            length = quote(str(stated["length"]))
            raise ProofError(f"length: {length}, but {files.PLAN} has {counted(len(plan), 'move')}")
        if plan is not None and stated["lower_bound"] is None:
            raise ProofError("lower_bound: null claims that there is no plan, but there is one")
        if len(stated["refuted"]) > _MOST_LENGTHS:
            raise ProofError(f"refuted: more than {_MOST_LENGTHS} entries")
        bound = stated["lower_bound"]
        lower_bound = None if bound is None else _length(bound, "lower_bound")
        refuted = tuple(_length(item, "refuted") for item in stated["refuted"])
        claim = _claim(stated["claimed"])
        searched = stated["searched"]
        searched = None if searched is None else _length(searched, "searched")
        if stated["plans"] is not None and (plan is None or searched != len(plan)):
            raise ProofError("plans: a list of all plans needs a plan, and a search to its length")
    plans = None
    if stated["plans"] is not None:
        lines = files.read_part(folder, files.PLANS, _MOST_PLANS_BYTES)
        with files.errors_about(folder / files.PLANS):
            plans = _plans(lines, problem.puzzle, stated["plans"])
    made_by = stated["made_by"]
    return Certificate(problem, plan, lower_bound, refuted, claim, plans, made_by, searched)


def _plan(line: bytes, puzzle: Puzzle) -> Plan:
    """Return the plan that a line names: letters run together, or names between spaces."""
    try:
        names = line.decode("utf-8").split()
    except UnicodeDecodeError:
        raise ProofError("not UTF-8 text") from None
    known = {*puzzle.move_names}
    if all(len(name) == 1 for name in known):
        names = [*"".join(names)]
    for step, name in enumerate(names, start=1):
        if name not in known:
            raise ProofError(f"step {step}: {quote(name)} is not a move of {puzzle.name}")
    return tuple(names)


def _record(data: bytes) -> dict[str, Any]:
    """Return the record's entries; raise `ProofError` if one is missing or of a wrong type."""
    record = files.read_object(data)
    keys: dict[str, type | tuple[type, ...]] = {
        "schema": str,
        "length": (int, type(None)),
        "lower_bound": (int, type(None)),
        "refuted": list,
        "searched": (int, type(None)),
        "claimed": (dict, type(None)),
        "plans": (int, type(None)),
        "made_by": dict,
    }
    files.require_keys(record, keys)
    for key in record:
        if not isinstance(record[key], keys[key]) or isinstance(record[key], bool):
            raise ProofError(f"{key}: {quote(repr(record[key]))} has the wrong type")
    if record["schema"] != SCHEMA:
        raise ProofError(f"schema: {quote(record['schema'])} should be {SCHEMA!r}")
    return record


def _length(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_MOVES:
        raise ProofError(f"{key}: {quote(repr(value))} is not a number of moves")
    return value


def _claim(value: dict[str, Any] | None) -> Claim | None:
    if value is None:
        return None
    if value.keys() != {"by", "lower_bound", "statistics"}:
        raise ProofError("claimed: by, lower_bound and statistics are expected")
    by = value["by"]
    if not isinstance(by, str) or len(by) > _NAME_LENGTH or not by.isprintable():
        raise ProofError(f"claimed: {quote(repr(by))} is not a name")
    if not isinstance(value["statistics"], dict):
        raise ProofError("claimed: statistics must be an object")
    return Claim(by, _length(value["lower_bound"], "claimed"), value["statistics"])


def _plans(text: bytes, puzzle: Puzzle, count: int) -> tuple[Plan, ...]:
    lines = text.splitlines()
    if len(lines) != count or count > MOST_PLANS:
        raise ProofError(
            f"{files.RECORD} says {quote(str(count))} plans, but the list has {len(lines)}"
        )
    return tuple(_plan(line, puzzle) for line in lines)


def naming_moves(problem: Problem) -> Callable[[Plan], tuple[int, ...]]:
    """Return a function that maps each move of a legal plan to a number for its effect."""
    number: dict[tuple[int, ...], int] = {}
    numbers = {
        id(operator): number.setdefault(operator.destinations(problem.puzzle.cells), len(number))
        for operator in problem.puzzle.operators
    }
    return lambda plan: tuple(numbers[id(operator)] for operator in operators_of(problem, plan))


def require_different(
    problem: Problem, plans: Sequence[Plan], length: int, is_unwanted: Unwanted = never
) -> None:
    """Raise `CheckFailed` if one is not a plan of that length, or two make the same moves."""
    for number, plan in enumerate(while_wanted(plans, is_unwanted), start=1):
        if len(plan) != length or not check_plan(problem, plan).solves:
            raise CheckFailed(f"plan {number} is not a plan of {counted(length, 'move')}")
    if len({*map(naming_moves(problem), while_wanted(plans, is_unwanted))}) < len(plans):
        raise CheckFailed("two of the plans make the same moves")


def least_penalty(problem: Problem, plans: Iterable[Plan]) -> int:
    """Return the least penalty of all plans that pass through the same boards as one of these.

    Several operators may have the same effect and different penalties, and a list names only one.
    """
    return min(
        sum(_lightest(problem, *step) for step in pairwise(boards_of(problem, plan)))
        for plan in plans
    )


def _lightest(problem: Problem, before: State, after: State) -> int:
    return min(
        operator.penalty
        for operator in problem.puzzle.operators
        if operator.applies_to(before) and operator.apply(before) == after
    )
