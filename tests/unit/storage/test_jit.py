"""Compiled kernels in the user's cache folder."""

import os
import subprocess
import sys

MODULE = """
from typing import NamedTuple
import numpy as np
from plansolve.storage.jit import kernel

class {name}(NamedTuple):
    numbers: np.ndarray

@kernel
def total(tables):
    return tables.numbers.sum()

print(total({name}(np.arange({count}))))
"""


def test_code_of_an_earlier_version_whose_types_are_gone_is_compiled_anew(tmp_path):
    environment = {
        **os.environ,
        "PLANSOLVE_CACHE_DIR": str(tmp_path / "cache"),
        "NUMBA_CACHE_DIR": "",
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for name, count in (("Old", 4), ("New", 5)):
        (tmp_path / "mine.py").write_text(MODULE.format(name=name, count=count))
        done = subprocess.run(
            [sys.executable, "-c", "import mine"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout.split(), done.stderr) == ([str(count * (count - 1) // 2)], "")
    assert list((tmp_path / "cache").rglob("*.nbi"))
