"""Writes the files in which a refutation is kept: formula, legend, and the DRUP proof.

`certcheck.files` says what they are called and what is in them.
"""

import gzip
import shutil
from collections.abc import Iterable
from pathlib import Path

from plansolve.certcheck.files import formula_file, legend_file, proof_file
from plansolve.encoders.cnf import CnfBuilder
from plansolve.storage.atomic import replacing

__all__ = ["join_files", "write_formula", "write_lines", "write_refutation"]

# Nearly as small as at the default level, in a sixth of the time.
_LEVEL = 1


def write_refutation(folder: Path, name: str, builder: CnfBuilder, proof: Iterable[str]) -> None:
    """Keep a formula that has just been refuted, and the lines of the proof."""
    write_formula(folder, name, builder)
    write_lines(folder / proof_file(name), proof)


def write_formula(folder: Path, name: str, builder: CnfBuilder) -> None:
    """Keep a formula and what its variables mean."""
    write_lines(folder / formula_file(name), builder.dimacs())
    write_lines(folder / legend_file(name), builder.legend())


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a compressed file, which appears when it is whole."""
    # Without a time and a name inside, equal contents are equal files.
    with replacing(path) as raw, gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)


def join_files(path: Path, parts: Iterable[Path]) -> None:
    """Write the texts of compressed files one after the other into one, and delete those files."""
    with replacing(path) as joined:
        for part in parts:
            with part.open("rb") as stream:
                shutil.copyfileobj(stream, joined)
            part.unlink()
