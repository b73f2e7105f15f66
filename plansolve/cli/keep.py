"""The option --keep: a certificate of the answer, for others to check."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plansolve.cli.progress import ProgressReport, tell
from plansolve.model.puzzle import Plan
from plansolve.solvers.result import Result

__all__ = ["keep_certificate", "keep_option"]


def _new_folder(context: click.Context, option: click.Parameter, folder: Path | None) -> Any:
    if folder is not None:
        # Few runs keep anything.
        from plansolve.storage.new_folder import require_new

        # Before the work, and not after it.
        require_new(folder)
    return folder


keep_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    callback=_new_folder,
    help="Write certificates of what is said, for `plansolve check`, to a new or empty folder.",
)


def keep_certificate(
    result: Result,
    folder: Path,
    *,
    plan: Plan | None = None,
    quiet: bool,
    **limits: Any,
) -> None:
    """Write the certificate of a result, with another plan if there is one, and say what it holds.

    `limits` are those of `certify_result`.
    """
    from plansolve.certify.certify import certify_result
    from plansolve.cli.certify import certified_line

    begin = time.monotonic()
    with ProgressReport(quiet=quiet, verbose=False) as progress:
        certified = certify_result(result, folder, plan=plan, progress=progress, **limits)
    if not quiet and result.problem is not None:
        seconds = time.monotonic() - begin
        tell(certified_line(result.problem, certified, str(folder), seconds))
