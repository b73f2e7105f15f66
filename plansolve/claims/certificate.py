"""Write a certificate into a folder, and check one by the rules that it states.

`certcheck` is given a problem and knows no puzzle by name; this module resolves names.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from plansolve.certcheck import files
from plansolve.certcheck.certificate import MOST_PLANS, SCHEMA, Certificate
from plansolve.certcheck.check import CheckReport, CheckStep, check_against
from plansolve.certcheck.options import CheckOptions
from plansolve.errors import BoardError, OptionError
from plansolve.formats import (
    MAX_BYTES,
    BoardLike,
    decode,
    format_plan,
    path_of,
    read_problem,
    write_problem,
)
from plansolve.json_text import json_object
from plansolve.model.problem import Problem


def check_certificate(
    folder: str | Path,
    options: CheckOptions | None = None,
    *,
    problem: BoardLike | None = None,
    executor: str | None = None,
    store: str | Path | None = None,
    tell: Callable[[CheckStep], None] = lambda step: None,
) -> CheckReport:
    """Check the certificate in a folder, step by step, until the first mistake.

    >>> import plansolve, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = plansolve.certify([[1, 2], [0, 3]], folder)
    ...     plansolve.check_certificate(folder).lower_bound
    1

    With `problem`, the certificate must be about that problem. `tell` is called with each finished
    step. `executor` and `store` are those of `solve`, for the units of a search proof; a check with
    a store resumes after an interruption.

    Raise `ProofError` for a certificate that cannot be read, `TimeoutError` at the deadline, and
    `OptionError` for an external checker that is not installed.
    """
    folder = path_of(folder, "folder")
    problem = None if problem is None else read_problem(problem)
    options = options or CheckOptions()
    if executor is not None or store is not None:
        # Most checks do not load the engines.
        from plansolve.claims.search_proof import SearchingTeam
        from plansolve.solvers.engine.request import checked_distribution

        distribution = checked_distribution(executor, store)
        searching = SearchingTeam(distribution, options.threads, options.deadline, options.note)
        options = replace(options, searching=searching)
    return check_against(stated_problem(folder), folder, options, wanted=problem, tell=tell)


def stated_problem(folder: Path) -> Problem:
    """Return the problem that the certificate in a folder is about; raise `ProofError`."""
    files.require_certificate(folder)
    data = files.read_part(folder, files.PROBLEM, MAX_BYTES)
    with files.errors_about(folder / files.PROBLEM):
        problem = read_problem(decode(data), format="json")
        # People may write a board in many ways; in a certificate there is one.
        written = json.loads(write_problem(problem, "json"))
        with suppress(ValueError):
            document = json_object(data)
            if document == written | {"puzzle": document.get("puzzle")}:
                return problem
        raise BoardError("is not written as `plansolve convert --to json` writes it")


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write all but formulas and proofs into the folder, which exists.

    Raise `OptionError` for more plans than the check reads.
    """
    puzzle, claim, plans = certificate.problem.puzzle, certificate.claim, certificate.plans
    if len(plans or ()) > MOST_PLANS:
        raise OptionError(f"a certificate lists at most {MOST_PLANS} plans: leave --all out")
    record = {
        "schema": SCHEMA,
        "length": certificate.length,
        "lower_bound": certificate.lower_bound,
        "refuted": list(certificate.refuted),
        "searched": certificate.searched,
        "claimed": claim and asdict(claim),
        "plans": None if plans is None else len(plans),
        "made_by": dict(certificate.made_by),
    }
    texts = {
        files.PROBLEM: write_problem(certificate.problem, "json"),
        files.RECORD: json.dumps(record, indent=1) + "\n",
    }
    if certificate.plan is not None:
        texts[files.PLAN] = format_plan(certificate.plan, puzzle) + "\n"
    if plans is not None:
        texts[files.PLANS] = "".join(f"{format_plan(plan, puzzle)}\n" for plan in plans)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
