"""Run proof checkers that others wrote."""

import importlib.util
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plansolve.errors import OptionError

# The time that drat-trim gets after its own limit to report that the limit has passed.
_GRACE = 5.0

_DRATIFY = """
import sys
from dratify import check_proof, parse_dimacs_file
formula = parse_dimacs_file(sys.argv[1], strict=True)
with open(sys.argv[2], encoding="ascii") as file:
    print(check_proof(formula, file.read(), engine="python").report())
"""


@dataclass(frozen=True)
class _Calling:
    """The command of an external checker, and the beginnings of its verdict lines.

    `command` gets the paths of formula and proof, and the seconds.
    """

    reads_hints: bool
    command: Callable[[str, str, float], list[str]]
    verified: str = "s VERIFIED"
    refused: tuple[str, ...] = ("s NOT VERIFIED",)


_CHECKERS = {
    # A formally verified program (Tan, Heule and Myreen 2021).
    "cake_lpr": _Calling(
        True,
        lambda cnf, proof, _: ["cake_lpr", cnf, proof],
        "s VERIFIED UNSAT",
        ("c Checking failed", "c empty clause not derived"),
    ),
    # Its limit is in whole seconds.
    "drat-trim": _Calling(
        False,
        lambda cnf, proof, seconds: ["drat-trim", cnf, proof, "-t", str(max(1, int(seconds)))],
    ),
    # -P: it must not be imported from the current folder.
    "dratify": _Calling(
        False, lambda cnf, proof, _: [sys.executable, "-P", "-c", _DRATIFY, cnf, proof]
    ),
    "lrat-check": _Calling(
        True, lambda cnf, proof, _: ["lrat-check", cnf, proof], "c VERIFIED", ("c NOT VERIFIED",)
    ),
}

EXTERNAL_CHECKERS = tuple(_CHECKERS)


@dataclass(frozen=True)
class ExternalVerdict:
    """The answer of an external checker.

    `verified` is its verdict, or None without one. `reason` says why, in the checker's own words if
    it has any.
    """

    verified: bool | None
    reason: str


def reads_hints(checker: str) -> bool:
    """Return True if a checker reads proofs in LRAT, not in DRUP."""
    return _CHECKERS[checker].reads_hints


def external_verdict(checker: str, cnf: Path, proof: Path, seconds: float) -> ExternalVerdict:
    """Check a proof with one of `EXTERNAL_CHECKERS`; `dratify` is a Python package.

    `cnf` is a DIMACS file, `proof` the text of the proof, neither compressed. The checkers accept
    RAT steps as well as RUP ones. The checker runs in its own process, which is ended after
    `seconds`. Raise `OptionError` for another checker and for one that is not installed.
    """
    require_checker(checker)
    how = _CHECKERS[checker]
    command = how.command(str(cnf.resolve()), str(proof.resolve()), seconds)
    try:
        # Their output is short, but may be no valid text.
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds + (_GRACE if checker == "drat-trim" else 0),
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return ExternalVerdict(None, f"no verdict within {seconds:g} s")
    # drat-trim draws its progress with carriage returns.
    lines = [line.strip() for line in run.stdout.replace("\r", "\n").splitlines()]
    refusals = [line for line in lines if line.startswith(how.refused)]
    if refusals:
        return ExternalVerdict(False, _remark(refusals[0], lines) or "not verified")
    if how.verified in lines and run.returncode == 0:
        return ExternalVerdict(True, _remark(how.verified, lines) or "verified")
    if "s TIMEOUT" in lines:
        return ExternalVerdict(None, f"no verdict within {seconds:g} s")
    return ExternalVerdict(None, _why_nothing(run))


def require_checker(checker: str) -> None:
    """Raise `OptionError` for an unknown checker, and for one that is not installed."""
    if checker not in EXTERNAL_CHECKERS:
        raise OptionError(
            f"unknown checker {checker!r}: choose from {', '.join(EXTERNAL_CHECKERS)}"
        )
    if checker == "dratify":
        if importlib.util.find_spec("dratify") is None:
            raise OptionError("dratify is not installed: `pip install dratify`")
    elif shutil.which(checker) is None:
        raise OptionError(f"{checker} is not on the PATH: build it, or use dratify")


def _remark(verdict: str, lines: list[str]) -> str:
    """Return the verdict line if it is a comment, otherwise the comment that follows it."""
    if verdict.startswith("c "):
        return verdict[2:]
    after = lines[lines.index(verdict) + 1 :]
    return next((line[2:].strip() for line in after if line.startswith("c ")), "")


def _why_nothing(run: subprocess.CompletedProcess[str]) -> str:
    if run.returncode < 0:
        try:
            name = signal.Signals(-run.returncode).name
        except ValueError:
            name = f"signal {-run.returncode}"
        return f"it was ended by {name}"
    said = [line for line in run.stdout.splitlines() if line.strip()]
    last = said[-1].strip() if said else "no output"
    return f"no verdict (exit code {run.returncode}): {last}"
