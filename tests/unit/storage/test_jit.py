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


def test_without_a_compiler_a_kernel_is_the_function_itself(tmp_path):
    code = "from plansolve.storage.jit import kernel; print(kernel(lambda x: x + 1)(1))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PLANSOLVE_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("2\n", "")
