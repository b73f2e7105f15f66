"""plansolve check of a folder of many certificates: a line for each, and what it comes to."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from plansolve import exit_codes
from plansolve.certcheck.check import CheckReport, CheckVerdict
from plansolve.certcheck.files import PLAN, PROBLEM, RECORD
from plansolve.errors import ProofError
from plansolve.solvers.limits import CutShort
from plansolve.text import counted

__all__ = ["certificates_below", "check_each"]

_WORDS = {
    CheckVerdict.PROVED: "proved optimal",
    CheckVerdict.UNSOLVABLE: "proved to have no plan",
    CheckVerdict.BOUNDS: "with less than optimality proved",
    CheckVerdict.UNDECIDED: "not decided",
    CheckVerdict.REFUTED: "REFUTED",
    None: "unreadable",
}
_CODES = {
    CheckVerdict.REFUTED: exit_codes.REFUTED,
    None: exit_codes.USAGE,
    CheckVerdict.BOUNDS: exit_codes.GAVE_UP,
    CheckVerdict.UNDECIDED: exit_codes.GAVE_UP,
}
"""The exit code that each verdict asks for among many, the first that applies; None stands for a
certificate that cannot be read."""


def certificates_below(folder: Path) -> list[Path]:
    """Return the folders below one that hold a certificate, by name; none for a certificate.

    What is left of one is one too, and so is a folder that cannot be listed: nobody knows what it
    holds. Below a certificate, and behind links, nothing is looked for.
    """
    try:
        if _holds_certificate(os.listdir(folder)):
            return []
    except OSError:  # which is told when it is checked
        return []
    found: list[Path] = []

    def take(error: OSError) -> None:
        found.append(Path(error.filename))

    for where, folders, names in os.walk(folder, onerror=take):
        if _holds_certificate([*folders, *names]):
            found.append(Path(where))
            folders.clear()
    return sorted(found)


def _holds_certificate(names: Iterable[str]) -> bool:
    return not {RECORD, PROBLEM, PLAN}.isdisjoint(names)


def check_each(
    folders: list[Path],
    check: Callable[[Path], CheckReport],
    tell: Callable[[Path, CheckReport | ProofError], None],
) -> tuple[int, str]:
    """Check one after the other, tell of each, and return the exit code and a line about all.

    What has been made for one serves the next. 0 means that each proves its plan optimal, or that
    there is none.
    """
    counts: Counter[CheckVerdict | None] = Counter()
    for done, folder in enumerate(folders):
        report: CheckReport | ProofError
        try:
            report = check(folder)
        except CutShort as cut:
            before = f"{done} of {counted(len(folders), 'certificate')} checked"
            raise CutShort(cut.reason, f"{cut.detail} in {folder}, with {before}") from None
        except ProofError as error:
            report = error
            counts[None] += 1
        else:
            counts[report.verdict] += 1
        tell(folder, report)
    words = [f"{counts[verdict]} {word}" for verdict, word in _WORDS.items() if counts[verdict]]
    code = next((code for verdict, code in _CODES.items() if counts[verdict]), exit_codes.SOLVED)
    return code, f"{counted(len(folders), 'certificate')}: {', '.join(words)}"
