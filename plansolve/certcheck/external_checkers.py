"""Proof checkers that others wrote, asked for a verdict of their own."""

import importlib.util
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from plansolve.errors import OptionError

__all__ = ["EXTERNAL_CHECKERS", "ExternalVerdict", "external_verdict", "require_checker"]

EXTERNAL_CHECKERS = ("drat-trim", "dratify")

# The lines in which checkers give their verdicts, and the time beyond its own limit that
# drat-trim gets to say that it has passed.
_VERIFIED, _NOT_VERIFIED = "s VERIFIED", "s NOT VERIFIED"
_GRACE = 5.0

_DRATIFY = """
import sys
from dratify import check_proof, parse_dimacs_file
formula = parse_dimacs_file(sys.argv[1], strict=True)
with open(sys.argv[2], encoding="ascii") as file:
    print(check_proof(formula, file.read(), engine="python").report())
"""


@dataclass(frozen=True)
class ExternalVerdict:
    """The answer of an external checker.

    `verified`: True or False as it says, None where it gave no verdict. `reason`: why, in its
    own words where it has some.
    """

    checker: str
    verified: bool | None
    reason: str


def external_verdict(checker: str, cnf: Path, drup: Path, seconds: float) -> ExternalVerdict:
    """Have `drat-trim` (the program) or `dratify` (the Python package) check a proof.

    `cnf` is a DIMACS file, `drup` the text of the proof, neither compressed. Both checkers accept
    RAT steps as well as RUP ones. The checker runs in a process of its own that is ended after
    `seconds`. Raise `OptionError` for another checker and for one that is not installed.
    """
    command = _command(checker, cnf.resolve(), drup.resolve(), seconds)
    try:
        # Their output is short, but nothing says that it is text.
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds + (_GRACE if checker == "drat-trim" else 0),
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return ExternalVerdict(checker, None, f"no verdict within {seconds:g} s")
    # drat-trim draws its progress with carriage returns.
    lines = [line.strip() for line in run.stdout.replace("\r", "\n").splitlines()]
    if _NOT_VERIFIED in lines:
        return ExternalVerdict(checker, False, _first_remark(lines) or "not verified")
    if _VERIFIED in lines and run.returncode == 0:
        return ExternalVerdict(checker, True, _first_remark(lines) or "verified")
    if "s TIMEOUT" in lines:
        return ExternalVerdict(checker, None, f"no verdict within {seconds:g} s")
    return ExternalVerdict(checker, None, _why_nothing(run))


def require_checker(checker: str) -> None:
    """Raise `OptionError` for an unknown checker, and for one that is not installed."""
    if checker not in EXTERNAL_CHECKERS:
        raise OptionError(
            f"unknown checker {checker!r}: choose from {', '.join(EXTERNAL_CHECKERS)}"
        )
    if checker == "drat-trim" and shutil.which(checker) is None:
        raise OptionError("drat-trim is not on the PATH: build it, or use dratify")
    if checker == "dratify" and importlib.util.find_spec("dratify") is None:
        raise OptionError("dratify is not installed: `pip install dratify`")


def _command(checker: str, cnf: Path, drup: Path, seconds: float) -> list[str]:
    require_checker(checker)
    if checker == "drat-trim":
        # Its limit is in whole seconds.
        return [checker, str(cnf), str(drup), "-t", str(max(1, int(seconds)))]
    # -P: the current folder is no place to import it from.
    return [sys.executable, "-P", "-c", _DRATIFY, str(cnf), str(drup)]


def _first_remark(lines: list[str]) -> str:
    """Return the first comment line of a verdict; dratify gives its reason there."""
    after = lines[lines.index(next(line for line in lines if line.startswith("s "))) + 1 :]
    return next((line[2:].strip() for line in after if line.startswith("c ")), "")


def _why_nothing(run: subprocess.CompletedProcess[str]) -> str:
    if run.returncode < 0:
        try:
            name = signal.Signals(-run.returncode).name
        except ValueError:
            name = f"signal {-run.returncode}"
        return f"it was ended by {name}"
    said = [line for line in (run.stderr or run.stdout).splitlines() if line.strip()]
    last = said[-1].strip() if said else "it said nothing"
    return f"no verdict (exit code {run.returncode}): {last}"
