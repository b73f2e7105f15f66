"""A certificate as it lies in a folder, read with the rules that its `problem.json` states.

`certcheck` is handed a problem and knows no puzzle by name. Here is where names are resolved.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from plansolve.certcheck.check import CheckReport, CheckStep, check_against
from plansolve.certcheck.files import PROBLEM, errors_about, read_part, require_certificate
from plansolve.certcheck.options import CheckOptions
from plansolve.formats import MAX_BYTES, BoardLike, decode_text, path_of, read_problem
from plansolve.model.problem import Problem

__all__ = ["check_certificate", "stated_problem"]


def check_certificate(
    folder: str | Path,
    options: CheckOptions | None = None,
    *,
    problem: BoardLike | None = None,
    executor: str | None = None,
    store: str | Path | None = None,
    tell: Callable[[CheckStep], None] = lambda step: None,
) -> CheckReport:
    """Check the certificate in a folder, step by step, to the first that is wrong.

    >>> import plansolve, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = plansolve.certify([[1, 2], [0, 3]], folder)
    ...     plansolve.check_certificate(folder).lower_bound
    1

    With `problem`, it must be about that one. `tell` is called with each step when it is done.
    `executor` and `store` are those of `solve`, for the units of a search: others search them, and
    those that are done are kept, so that a check that was ended goes on.

    Raise `ProofError` for a certificate that cannot be read, `TimeoutError` at the deadline, and
    `OptionError` for an external checker that is not installed.
    """
    folder = path_of(folder, "folder")
    problem = None if problem is None else read_problem(problem)
    options = options or CheckOptions()
    if executor is not None or store is not None:
        # Most checks load nothing of the engines.
        from plansolve.claims.search_units import SearchingTeam
        from plansolve.solvers.engine.request import checked_spread

        spread = checked_spread(executor, store)
        searching = SearchingTeam(spread, options.threads, options.deadline)
        options = replace(options, searching=searching)
    return check_against(stated_problem(folder), folder, options, wanted=problem, tell=tell)


def stated_problem(folder: Path) -> Problem:
    """Return the problem that the certificate in a folder is about; raise `ProofError`."""
    require_certificate(folder)
    data = read_part(folder, PROBLEM, MAX_BYTES)
    with errors_about(folder / PROBLEM):
        return read_problem(decode_text(data), format="json")
