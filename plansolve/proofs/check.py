"""Checking certificates, without trust in the solver or in what the encoder wrote down.

The plan is replayed, elementary bound and parity are worked out, each formula is made anew from
the problem and compared with the one that was proved, and each proof is checked step by step.
"""

import gzip
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from plansolve.checker import check_plan
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas import keeps_shortest_plans
from plansolve.encoders.registry import Encoder, choose_encoding, choose_lemmas
from plansolve.errors import OptionError, ProofError
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import State
from plansolve.proofs.certificate import (
    Certificate,
    open_part,
    proved_lower_bound,
    read_certificate,
)
from plansolve.proofs.outside import require_checker, second_opinion
from plansolve.solvers.formula.proof_files import ALL_PLANS, formula_file, proof_file

__all__ = ["CheckReport", "Step", "Verdict", "check_certificate"]

_LINES = 1000
# Seconds for an outside checker: without a limit of the user's, and at the very least.
_LONG, _SHORT = 3600.0, 0.1
# Bytes of text; in memory it takes as much again, or twice that at worst.
_MOST_PROOF = 2 << 30


class Verdict(StrEnum):
    """What became of a certificate.

    "proved": the plan is optimal. "bounds": all that it states is right, and that is less than
    optimality. "refuted": something in it is wrong. "undecided": nothing that was looked at is,
    but the outside checker gave no verdict.
    """

    PROVED = "proved"
    BOUNDS = "bounds"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Step:
    """One thing that was checked: what, whether it is right, and what was seen."""

    what: str
    is_right: bool
    seen: str
    seconds: float = 0.0


@dataclass(frozen=True)
class CheckReport:
    """What the check of a certificate showed.

    `lower_bound` is what was checked, and can be relied on also where something else was refuted.
    `is_every_plan` tells whether the list of plans was shown to be complete.
    """

    certificate: Certificate
    verdict: Verdict
    steps: tuple[Step, ...]
    lower_bound: int
    is_every_plan: bool = False


class _Wrong(Exception):
    """What was found wrong."""


class _Undecided(Exception):
    """Why there is no verdict."""


def check_certificate(
    folder: Path,
    *,
    problem: Problem | None = None,
    plain_only: bool = False,
    deadline: float | None = None,
    outside: str | None = None,
    tell: Callable[[Step], None] = lambda step: None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Checks the certificate in a folder, step by step, to the first that is wrong.

    With `problem`, it must be about that one. `plain_only` accepts only proofs about the plain
    encoding, which needs no lemma. `outside` names another checker that has to agree, see
    `outside.second_opinion`. `tell` is called with each step when it is done, `progress` now
    and then with how many of how many steps of a proof are. `deadline` is on the clock of
    `time.monotonic`.

    Raises `ProofError` for a certificate that cannot be read, `TimeoutError` at the deadline, and
    `OptionError` for an outside checker that is not installed.
    """
    certificate = read_certificate(folder)
    if outside is not None:
        require_checker(outside)
    checking = _Checking(folder, certificate, deadline, outside, tell, progress)
    try:
        checking.run(problem, plain_only)
        verdict = Verdict.BOUNDS
    except _Wrong:
        verdict = Verdict.REFUTED
    except _Undecided:
        verdict = Verdict.UNDECIDED
    length = len(certificate.plan)
    lower = proved_lower_bound(certificate.problem, checking.refuted, length)[2]
    if verdict == Verdict.BOUNDS and lower == length:
        verdict = Verdict.PROVED
    return CheckReport(
        certificate,
        verdict,
        tuple(checking.steps),
        lower if checking.plan_is_right else 0,
        checking.is_every_plan,
    )


class _Checking:
    """One check at work."""

    def __init__(
        self,
        folder: Path,
        certificate: Certificate,
        deadline: float | None,
        outside: str | None,
        tell: Callable[[Step], None],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.steps: list[Step] = []
        self.refuted: set[int] = set()
        self.plan_is_right = self.is_every_plan = False
        self._folder, self._certificate = folder, certificate
        self._deadline, self._outside = deadline, outside
        self._tell, self._progress = tell, progress

    def run(self, problem: Problem | None, plain_only: bool) -> None:
        """Checks everything; raises `_Wrong` where something is."""
        certificate = self._certificate
        if problem is not None:
            self._step("the problem", lambda: _same(certificate.problem, problem))
        self._step("the plan", lambda: _replayed(certificate))
        self.plan_is_right = True
        if plain_only:
            self._step("the encoding", lambda: _is_plain(certificate))
        elementary, parity, _ = proved_lower_bound(certificate.problem, (), len(certificate.plan))
        self._step("the elementary bound", lambda: f"{elementary.value} ({elementary.by})")
        if parity is not None:
            kind = "odd" if parity else "even"
            self._step("parity", lambda: f"every plan has an {kind} number of moves")
        if certificate.refuted:
            encoder = self._encoder(certificate.lemmas)
            for length in sorted(set(certificate.refuted)):
                self._step(f"length {length}", partial(self._refutation, encoder, length))
                self.refuted.add(length)
        self._step("the lower bound", self._bound)
        if certificate.claim is not None:
            self._step("the claim", self._claim)
        if certificate.plans is not None:
            self._step("the list of plans", self._completeness)
            self.is_every_plan = True

    def _step(self, what: str, look: Callable[[], str]) -> None:
        begin = time.monotonic()
        if self._deadline is not None and begin >= self._deadline:
            raise TimeoutError(f"the deadline passed before {what} was checked")
        failure: Exception | None = None
        try:
            seen = look()
        except (_Wrong, _Undecided, ProofError) as error:
            seen = str(error)
            failure = _Wrong(seen) if isinstance(error, ProofError) else error
        is_right = not isinstance(failure, _Wrong)
        step = Step(what, is_right, seen, time.monotonic() - begin)
        self.steps.append(step)
        self._tell(step)
        if failure is not None:
            raise failure

    def _encoder(self, lemmas: tuple[str, ...]) -> Encoder:
        problem = self._certificate.problem
        try:
            encoding = choose_encoding(problem.structure, self._certificate.encoding)
            return encoding.prepare(problem, choose_lemmas(encoding, lemmas))
        except OptionError as error:
            raise ProofError(f"{self._folder}: {error}") from None

    def _refutation(self, encoder: Encoder, length: int) -> str:
        if length >= len(self._certificate.plan):
            raise _Wrong("a length that the plan itself has, or a longer one, cannot be refuted")
        builder = CnfBuilder()
        encoder.encode(builder, length)
        return self._proof(str(length), builder)

    def _bound(self) -> str:
        certificate = self._certificate
        _, _, bound = proved_lower_bound(certificate.problem, self.refuted, len(certificate.plan))
        if bound < certificate.lower_bound:
            raise _Wrong(
                f"stated is {certificate.lower_bound}, but nothing excludes a plan of {bound} moves"
            )
        return f"every plan has {certificate.lower_bound} moves or more"

    def _claim(self) -> str:
        claim, length = self._certificate.claim, len(self._certificate.plan)
        assert claim is not None
        if claim.lower_bound > length:
            raise _Wrong(f"{claim.lower_bound} or more moves are claimed, the plan has {length}")
        return f"{claim.by} claims {claim.lower_bound} moves or more, which cannot be checked here"

    def _completeness(self) -> str:
        certificate = self._certificate
        plans = certificate.plans or ()
        length = len(certificate.plan)
        if proved_lower_bound(certificate.problem, self.refuted, length)[2] < length:
            raise _Wrong("the plans are not shown to be shortest ones")
        walks = {_boards(certificate, index) for index in range(len(plans))}
        if len(walks) < len(plans):
            raise _Wrong("two of the plans pass the same boards")
        encoder = self._encoder(tuple(filter(keeps_shortest_plans, certificate.lemmas)))
        builder = CnfBuilder()
        decoder = encoder.encode(builder, len(certificate.plan))
        for plan in plans:
            builder.clause(*decoder.exclusion(plan))
        what = "it is the only one" if len(plans) == 1 else f"these {len(plans)} are all"
        return f"{what}; {self._proof(ALL_PLANS, builder)}"

    def _proof(self, name: str, builder: CnfBuilder) -> str:
        # numba, which checks the proof, takes a while to load.
        from plansolve.proofs.clauses import Clauses
        from plansolve.proofs.dimacs import read_drup
        from plansolve.proofs.rup import check_refutation

        formula, proof = formula_file(name), proof_file(name)
        _compare(self._folder, formula, builder.dimacs())
        clauses = Clauses.of(builder.variables, builder.clauses)
        with open_part(self._folder, proof) as raw, gzip.GzipFile(fileobj=raw) as stream:  # noqa: SIM117
            with _whole(proof):
                steps = read_drup(stream, builder.variables, _MOST_PROOF)
        verdict = check_refutation(clauses, steps, self._progress, self._deadline)
        if not verdict.refutes:
            place = "" if verdict.step is None else f"step {verdict.step + 1}: "
            raise _Wrong(f"{proof}: {place}{verdict.reason}")
        seen = f"refuted: {len(clauses)} clauses, {verdict.additions} steps"
        return seen if self._outside is None else f"{seen}; {self._opinion(name, self._outside)}"

    def _opinion(self, name: str, checker: str) -> str:
        """What another checker says of the same two files."""
        left = _LONG if self._deadline is None else self._deadline - time.monotonic()
        with TemporaryDirectory() as place:
            formula, proof = Path(place) / "formula", Path(place) / "proof"
            for packed, path in ((formula_file(name), formula), (proof_file(name), proof)):
                with (
                    open_part(self._folder, packed) as raw,
                    gzip.GzipFile(fileobj=raw) as stream,
                    path.open("wb") as target,
                ):
                    shutil.copyfileobj(stream, target)
            opinion = second_opinion(checker, formula, proof, max(left, _SHORT))
        if opinion.verified is None:
            raise _Undecided(f"{checker}: {opinion.reason}")
        if not opinion.verified:
            raise _Wrong(f"{checker}: {opinion.reason}")
        return f"{checker} agrees"


def _same(stated: Problem, wanted: Problem) -> str:
    if stated != wanted:
        raise _Wrong("the certificate is about another board, goal or set of rules")
    return "the one that was given"


def _replayed(certificate: Certificate) -> str:
    verdict = check_plan(certificate.problem, certificate.plan)
    if verdict.illegal:
        raise _Wrong(f"step {verdict.illegal.step}: {verdict.illegal.reason}")
    if not verdict.reaches_goal:
        raise _Wrong("it does not end in the goal")
    return f"legal, reaches the goal, {len(certificate.plan)} moves"


def _is_plain(certificate: Certificate) -> str:
    if certificate.lemmas:
        raise _Wrong(f"the proofs use the lemmas {', '.join(certificate.lemmas)}")
    return "plain, without lemmas"


def _boards(certificate: Certificate, index: int) -> tuple[State, ...]:
    """The boards that one of the plans passes; raises `_Wrong` for one that is none."""
    problem = certificate.problem
    plan = (certificate.plans or ())[index]
    if len(plan) != len(certificate.plan) or not check_plan(problem, plan).solves:
        raise _Wrong(f"plan {index + 1} is not a plan of {len(certificate.plan)} moves")
    return tuple(boards_of(problem, plan))


def _compare(folder: Path, name: str, lines: Iterator[str]) -> None:
    """Raises `_Wrong` unless the file holds exactly these lines; reads no more than that."""
    line = 1
    with open_part(folder, name) as raw, gzip.GzipFile(fileobj=raw) as stream, _whole(name):
        while block := list(islice(lines, _LINES)):
            expected = "".join(f"{text}\n" for text in block).encode("ascii")
            if stream.read(len(expected)) != expected:
                raise _Wrong(
                    f"{name}: from line {line} to {line + len(block) - 1} it is not the formula "
                    "that the problem has"
                )
            line += len(block)
        if stream.read(1):
            raise _Wrong(f"{name}: it goes on after line {line - 1}")


@contextmanager
def _whole(name: str) -> Iterator[None]:
    """Turns what a damaged compressed file raises into `_Wrong`."""
    try:
        yield
    except (EOFError, OSError, zlib.error) as error:
        raise _Wrong(f"{name}: not a whole gzip file ({error})") from None
