"""The files of a certificate: their names, and how they are opened and read.

Formulas and proofs are compressed texts in the usual formats, DIMACS and LRAT, so that other
checkers can read them. The legend beside a formula says what its variables mean, see `refutation`.
"""

import errno
import gzip
import os
import stat
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from plansolve.certcheck.options import CheckFailed
from plansolve.errors import InputError, ProofError
from plansolve.json_text import JsonError, json_object
from plansolve.text import quote

PROBLEM, PLAN, PLANS, RECORD = "problem.json", "plan.txt", "plans.txt", "certificate.json"
SEARCH, UNITS = "search.json", "units.txt.gz"

# Formulas and proofs are compressed to a tenth, legends to a thirtieth. A file that grows far more
# was made to fill the checker's memory: one byte of a formula may take sixteen.
_MOST_GROWTH = 60
_ANY_GROWTH = 16 << 20

_Read = TypeVar("_Read")


def formula_file(name: str) -> str:
    """Return the name of the file with the formula called `name`, in DIMACS form."""
    return f"{name}.cnf.gz"


def legend_file(name: str) -> str:
    """Return the name of the file that says what the formula's variables mean."""
    return f"{name}.legend.gz"


def proof_file(name: str) -> str:
    """Return the name of the file with the proof that the formula has no model."""
    return f"{name}.lrat.gz"


def require_certificate(folder: Path) -> None:
    """Raise `ProofError` for a folder that has none of the files of a certificate."""
    if all(_is_missing(folder / name) for name in (PROBLEM, PLAN, RECORD)):
        what = "holds no certificate" if folder.is_dir() else "there is no such folder"
        made = "a certificate is a folder that `plansolve certify` has written"
        raise ProofError(f"{folder}: {what}: {made}")


def open_part(folder: Path, name: str) -> BinaryIO:
    """Open a file of the folder for reading; raise `ProofError` unless it is a regular file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(folder / name, flags)
    except OSError as error:
        raise ProofError(f"{folder / name}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ProofError(f"{folder / name}: not a regular file")
    return os.fdopen(handle, "rb")


def read_part(folder: Path, name: str, most: int) -> bytes:
    """Return the bytes of a file of the folder; raise `ProofError` for more than `most`."""
    with open_part(folder, name) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ProofError(f"{folder / name}: larger than {most} bytes")
    return data


def read_packed(
    folder: Path, name: str, most: int, read: Callable[[gzip.GzipFile, int], _Read]
) -> _Read:
    """Return the result of `read`, called with a compressed file and its limit of bytes, `most`.

    Raise `CheckFailed` if the file is wrong.
    """
    try:
        with open_part(folder, name) as raw, gzip.GzipFile(fileobj=raw) as stream:
            packed = os.fstat(raw.fileno()).st_size
            return read(stream, min(most, _ANY_GROWTH + _MOST_GROWTH * packed))
    except TimeoutError:  # which is an OSError
        raise
    except (EOFError, OSError, zlib.error) as error:
        raise CheckFailed(f"{name}: not a complete gzip file ({error})") from None
    except ProofError as error:
        # Errors about files that cannot be opened name them already.
        text = str(error)
        raise CheckFailed(text if name in text else f"{name}: {text}") from None


@contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """Turn errors in a file's contents into a `ProofError` that names the file."""
    try:
        yield
    except InputError as error:
        raise ProofError(f"{path}: {error}") from None


def _is_missing(path: Path) -> bool:
    """Return True if there is no such file; False if that is unknown."""
    try:
        path.lstat()
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR)
    return False


def read_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object that a file holds; raise `ProofError`."""
    try:
        return json_object(data)
    except JsonError as error:
        raise ProofError(str(error)) from None


def require_keys(record: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise `ProofError` unless an object has these keys and no others."""
    for key in [*record, *keys]:
        if key not in keys or key not in record:
            what = "unknown" if key not in keys else "missing"
            raise ProofError(f"{what} key {quote(key)}; the keys are {', '.join(keys)}")
