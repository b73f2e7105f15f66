"""The files in which a refutation is kept, compressed: formula, legend, and the DRUP proof.

Formula and proof are the usual text formats, so that any checker of DRUP or DRAT proofs can read
them. The legend says what the variables mean, see `proofs.justify.legend`.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from plansolve.encoders.cnf import CnfBuilder

if TYPE_CHECKING:
    from pysat.solvers import Solver

__all__ = ["ALL_PLANS", "formula_file", "legend_file", "proof_file", "write_refutation"]

ALL_PLANS = "all"
"""The name of the formula that says: there is one more shortest plan."""

# Nearly as small as at the default level, in a sixth of the time.
_LEVEL = 1


def formula_file(name: str) -> str:
    """The name of the file that holds the formula called `name`, in DIMACS form."""
    return f"{name}.cnf.gz"


def legend_file(name: str) -> str:
    """The name of the file that says what the formula's variables mean."""
    return f"{name}.legend.gz"


def proof_file(name: str) -> str:
    """The name of the file that holds the proof that the formula has no model."""
    return f"{name}.drup.gz"


def write_refutation(folder: Path, name: str, builder: CnfBuilder, solver: Solver) -> None:
    """Keeps a formula that `solver`, made with a proof, has just refuted."""
    _write(folder / formula_file(name), builder.dimacs())
    _write(folder / legend_file(name), builder.legend())
    _write(folder / proof_file(name), solver.get_proof())


def _write(path: Path, lines: Iterable[str]) -> None:
    temporary = path.with_suffix(".part")
    # Without a time and a name inside, equal contents are equal files.
    with temporary.open("wb") as raw, gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as stream:
        stream.writelines(f"{line}\n".encode("ascii") for line in lines)
    os.replace(temporary, path)
