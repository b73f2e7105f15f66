"""The option --audit-tables, and what is said where it was not done to the end."""

import click

from plansolve.cli.progress import tell
from plansolve.exit_codes import INTERRUPTED, TIME
from plansolve.solvers.evidence import tables_among
from plansolve.solvers.result import Result

__all__ = ["audit_option", "code_of_audit"]

audit_option = click.option(
    "--audit-tables",
    is_flag=True,
    help="Verify every entry of the kept tables that the proof rests on; seconds to minutes.",
)


def code_of_audit(results: list[Result]) -> int:
    """Return 0 if all tables behind the results are verified, and else tell so.

    The exit code then says what has ended it: Ctrl-C, or the time limit.
    """
    tables = [table for result in results for table in tables_among(result.rests_on)]
    left = [table.title for table in tables if not table.is_verified]
    if not left:
        return 0
    tell(f"not verified, for the audit was ended: {'; '.join(left)}")
    return INTERRUPTED if any(result.was_interrupted for result in results) else TIME
