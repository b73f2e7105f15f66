"""Write what a certificate states, beside its formulas and proofs."""

import json
from pathlib import Path

from plansolve.certcheck.certificate import MOST_PLANS, SCHEMA, Certificate
from plansolve.certcheck.files import PLAN, PLANS, PROBLEM, RECORD
from plansolve.errors import OptionError
from plansolve.formats import format_plan, write_problem

__all__ = ["write_certificate"]


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write all but formulas and proofs into the folder, which exists.

    Raise `OptionError` for more plans than are read again.
    """
    puzzle, claim, plans = certificate.problem.puzzle, certificate.claim, certificate.plans
    if len(plans or ()) > MOST_PLANS:
        raise OptionError(f"a certificate lists at most {MOST_PLANS} plans: leave --all out")
    claimed = claim and {
        "by": claim.by,
        "lower_bound": claim.lower_bound,
        "statistics": dict(claim.statistics),
    }
    record = {
        "schema": SCHEMA,
        "length": certificate.length,
        "lower_bound": certificate.lower_bound,
        "refuted": list(certificate.refuted),
        "searched": certificate.searched,
        "claimed": claimed,
        "plans": None if plans is None else len(plans),
        "made_by": dict(certificate.made_by),
    }
    texts = {
        PROBLEM: write_problem(certificate.problem, "json"),
        RECORD: json.dumps(record, indent=1) + "\n",
    }
    if certificate.plan is not None:
        texts[PLAN] = format_plan(certificate.plan, puzzle) + "\n"
    if plans is not None:
        texts[PLANS] = "".join(f"{format_plan(plan, puzzle)}\n" for plan in plans)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
