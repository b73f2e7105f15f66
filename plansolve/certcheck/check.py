"""Check certificates, and trust neither the solver nor the encoder.

The check replays the plan, computes the elementary bound and parity, derives each clause of each
formula from the problem, follows each proof step by step, and repeats each search.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from plansolve.certcheck.certificate import (
    Certificate,
    least_penalty,
    proved_lower_bound,
    read_certificate,
    require_different,
)
from plansolve.certcheck.external_checkers import require_checker
from plansolve.certcheck.options import CheckFailed, CheckOptions, CheckUndecided
from plansolve.certcheck.threads import require_wanted, while_wanted
from plansolve.certcheck.unsolvable import why_no_plan
from plansolve.checker import check_plan
from plansolve.errors import ProofError
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Plan
from plansolve.storage.notices import listen
from plansolve.text import at_least, counted


class CheckVerdict(StrEnum):
    """The verdict of a check.

    "proved": the plan is optimal. "unsolvable": there is no plan. "bounds": all claims are right,
    but prove less than optimality. "refuted": something is wrong. "undecided": nothing was found
    wrong, but only a sample was checked, or the external checker gave no verdict.
    """

    PROVED = "proved"
    UNSOLVABLE = "unsolvable"
    BOUNDS = "bounds"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class CheckStep:
    """A step of the check: its subject, its verdict, and its findings."""

    what: str
    is_right: bool
    seen: str
    seconds: float = 0.0


@dataclass(frozen=True)
class CheckReport:
    """The report of a check.

    `lower_bound` is proved even if something else was refuted; None if there is no plan.
    `is_every_plan` is True if the list of plans is complete. Then `is_least_penalty` is True if no
    shortest plan has a smaller penalty than the certificate's.
    """

    certificate: Certificate
    verdict: CheckVerdict
    steps: tuple[CheckStep, ...]
    lower_bound: int | None
    is_every_plan: bool = False
    is_least_penalty: bool = False


def check_against(
    problem: Problem,
    folder: Path,
    options: CheckOptions | None = None,
    *,
    wanted: Problem | None = None,
    tell: Callable[[CheckStep], None] = lambda step: None,
) -> CheckReport:
    """Check the certificate in a folder for `problem`, up to the first wrong step.

    `problem` is that of `problem.json`, which the caller has read; if `wanted` is given, both must
    be equal. `tell` is called with each finished step.

    Raise `ProofError` for a certificate that cannot be read, `TimeoutError` at the deadline, and
    `OptionError` for an external checker that is not installed.
    """
    options = options or CheckOptions()
    certificate = read_certificate(folder, problem)
    if options.external is not None:
        require_checker(options.external)
    checking = _Checking(folder, certificate, options, tell)
    try:
        checking.run(wanted)
        verdict = CheckVerdict.BOUNDS
    except CheckFailed:
        verdict = CheckVerdict.REFUTED
    except CheckUndecided:
        verdict = CheckVerdict.UNDECIDED
    lower: int | None = checking.lower_bound
    if verdict == CheckVerdict.BOUNDS and certificate.lower_bound is None:
        verdict, lower = CheckVerdict.UNSOLVABLE, None
    elif verdict == CheckVerdict.BOUNDS and lower == certificate.length:
        verdict = CheckVerdict.PROVED
    return CheckReport(
        certificate,
        verdict,
        tuple(checking.steps),
        lower if checking.plan_is_right else 0,
        checking.is_every_plan,
        checking.is_least_penalty,
    )


class _Checking:
    """One check, step by step."""

    def __init__(
        self,
        folder: Path,
        certificate: Certificate,
        options: CheckOptions,
        tell: Callable[[CheckStep], None],
    ) -> None:
        self.steps: list[CheckStep] = []
        self._refuted: set[int] = set()
        self._searched: int | None = None
        self.plan_is_right = self.is_every_plan = self.is_least_penalty = False
        self._folder, self._certificate = folder, certificate
        self._options, self._tell = options, tell

    @property
    def lower_bound(self) -> int:
        certificate = self._certificate
        return proved_lower_bound(
            certificate.problem, self._refuted, certificate.length, self._searched
        )[2]

    def run(self, wanted: Problem | None) -> None:
        """Check everything; raise `CheckFailed` if something is wrong."""
        certificate = self._certificate
        self._step("the problem", lambda: _same(certificate.problem, wanted))
        plan = certificate.plan
        if plan is not None:
            self._step("the plan", lambda: _replayed(certificate.problem, plan))
        self.plan_is_right = True
        if certificate.lower_bound is None:
            self._step("no plan at all", self._no_plan)
            return
        elementary, parity, _ = proved_lower_bound(certificate.problem, (), certificate.length)
        self._step("the elementary bound", lambda: f"{elementary.value} ({elementary.by})")
        if parity is not None:
            kind = "odd" if parity else "even"
            self._step("parity", lambda: f"every plan has an {kind} number of moves")
        with listen(self._options.note):
            for length in sorted(set(certificate.refuted)):
                self._step(f"length {length}", partial(self._refutation, length))
                self._refuted.add(length)
            if certificate.searched is not None:
                what = f"the search to {counted(certificate.searched, 'move')}"
                is_list = certificate.plans is not None
                self._step("the list of plans" if is_list else what, self._search)
                self._searched = certificate.excluded
            self._step("the lower bound", self._bound)
            if certificate.claim is not None:
                self._step("the claim", self._claim)
            self.is_every_plan = certificate.plans is not None
            if certificate.plans and any(op.penalty for op in certificate.problem.puzzle.operators):
                self._step("the penalty", self._penalty)

    def _step(self, what: str, look: Callable[[], str]) -> None:
        begin = time.monotonic()
        require_wanted(self._options.is_late)
        failure: Exception | None = None
        try:
            seen = look()
        except (CheckFailed, CheckUndecided, ProofError) as error:
            seen = str(error)
            failure = CheckFailed(seen) if isinstance(error, ProofError) else error
        is_right = not isinstance(failure, CheckFailed)
        step = CheckStep(what, is_right, seen, time.monotonic() - begin)
        self.steps.append(step)
        self._tell(step)
        if failure is not None:
            raise failure

    def _refutation(self, length: int) -> str:
        if _reaches(length, self._certificate):
            raise CheckFailed("the plan itself has no more moves than this")
        # numba, which checks formulas and proofs, takes a while to load.
        from plansolve.certcheck.refutation import check_formula

        return check_formula(self._folder, length, self._certificate.problem, self._options)

    def _search(self) -> str:
        certificate = self._certificate
        bound, excluded, plans = certificate.searched, certificate.excluded, certificate.plans
        assert bound is not None and excluded is not None
        if _reaches(excluded, certificate):
            raise CheckFailed("a search to this length would find the plan itself")
        if plans is not None:
            require_different(certificate.problem, plans, bound, self._options.is_late)
        if self._options.external is not None:
            raise CheckUndecided(f"{self._options.external} checks formulas, not searches")
        # Searches use numba, which loads slowly.
        from plansolve.certcheck.search.check import check_search

        seen = check_search(self._folder, certificate.problem, bound, self._options, plans)
        if plans is None:
            return seen
        what = "it is the only one" if len(plans) == 1 else f"these {len(plans)} are all"
        return f"{what}; {seen}"

    def _no_plan(self) -> str:
        reason = why_no_plan(self._certificate.problem)
        if reason is None:
            raise CheckFailed("nothing here proves that there is no plan")
        return reason

    def _bound(self) -> str:
        stated, bound = self._certificate.lower_bound or 0, self.lower_bound
        if bound < stated:
            raise CheckFailed(
                f"it states {stated}, but nothing excludes a plan of {counted(bound, 'move')}"
            )
        return at_least(stated, "move")

    def _claim(self) -> str:
        claim, length = self._certificate.claim, self._certificate.length
        assert claim is not None
        if length is not None and claim.lower_bound > length:
            raise CheckFailed(
                f"{claim.lower_bound} or more moves are claimed, but the plan has {length}"
            )
        claimed = counted(claim.lower_bound, "move")
        return f"{claim.by} claims {claimed} or more, which cannot be checked here"

    def _penalty(self) -> str:
        """Report if a shortest plan has a smaller penalty, about which certificates say nothing."""
        problem, plan = self._certificate.problem, self._certificate.plan
        assert plan is not None
        plans = while_wanted(self._certificate.plans or (), self._options.is_late)
        own, least = penalty(problem, plan), least_penalty(problem, plans)
        self.is_least_penalty = own == least
        if self.is_least_penalty:
            return f"{own}, the least of all shortest plans"
        return f"{own}; another of the shortest plans has {least}"


def _same(stated: Problem, wanted: Problem | None) -> str:
    """Return a sentence that names the stated problem, or says that it is the wanted one."""
    if wanted is None:
        puzzle = stated.puzzle
        return f"from {puzzle.line_text(stated.start)} to {puzzle.line_text(puzzle.goal)}"
    if stated != wanted:
        raise CheckFailed("the certificate is about another board, goal or set of rules")
    return "the given one"


def _reaches(length: int, certificate: Certificate) -> bool:
    return certificate.length is not None and length >= certificate.length


def _replayed(problem: Problem, plan: Plan) -> str:
    verdict = check_plan(problem, plan)
    if verdict.illegal:
        raise CheckFailed(f"step {verdict.illegal.step}: {verdict.illegal.reason}")
    if not verdict.reaches_goal:
        raise CheckFailed("it does not reach the goal")
    return f"legal, reaches the goal, {counted(len(plan), 'move')}"
